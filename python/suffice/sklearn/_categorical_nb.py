"""Naive Bayes for categories that are numbered from 0 on, as scikit-learn has it."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from .. import _core
from ._base import Array, names_of, numbered
from ._density import ModelClassifier
from ._discrete_nb import DiscreteNB, log_ratio


class CategoricalNB(DiscreteNB, ModelClassifier):
    """Naive Bayes for features whose values are categories 0, 1, …

    A drop-in for ``sklearn.naive_bayes.CategoricalNB``. A category that was not there in training
    tells nothing about the class: it counts as missing, where scikit-learn raises IndexError.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of each category. With 0 and ``force_alpha``, what a class never had is
        impossible.
    force_alpha : bool, default=True
        Whether an alpha below 1e-10 is taken as it is.
    fit_prior : bool, default=True
        Training frequencies as priors; else all classes are alike.
    class_prior : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes.
    min_categories : int or array-like of shape (n_features,), default=None
        Categories that a feature has at least, seen or not.
    n_jobs : int, default=None
        Threads; None takes the CPUs that the process may use.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
    category_count_, feature_log_prob_ : list of ndarray of shape (n_classes, n_categories)
        For each feature the weight of each category, and log P(category | c).
    n_categories_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where ``X`` had names.

    See Also
    --------
    sklearn.naive_bayes.CategoricalNB : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

    Examples
    --------
    >>> from suffice.sklearn import CategoricalNB
    >>> model = CategoricalNB().fit([[0, 2], [0, 1], [1, 0], [1, 0]], ["a", "a", "b", "b"])
    >>> model.predict([[0, 1], [1, 7]]).tolist()
    ['a', 'b']
    """

    _accept_sparse = False
    _family = "categorical"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
    }

    category_count_: list[Array]
    n_categories_: Array

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.min_categories is None:
            return
        least = np.asarray(self.min_categories)
        if least.dtype.kind != "i":
            raise ValueError(
                f"'min_categories' should have integral type. Got {least.dtype} instead."
            )
        if least.shape not in ((), (self.n_features_in_,)):
            raise ValueError(
                f"'min_categories' should have shape ({self.n_features_in_},) when an array-like "
                f"is provided. Got {least.shape} instead."
            )

    def _blocks(self, X: Any) -> Iterator[tuple[slice, Any]]:
        if X.dtype.kind in "iu":
            yield slice(0, X.shape[0]), X
        else:  # the whole part of a float, as scikit-learn has it
            yield from self._converted_blocks(
                X, lambda part, out: np.copyto(out, part, casting="unsafe"), np.int64
            )

    def _check_batch(self, batch: _core.Statistics) -> None:
        for levels in batch.sums(0)["levels"]:
            if any(level.startswith("-") for level in levels):
                self._refuse_negative()

    def _refuse_negative(self) -> None:
        raise ValueError("Negative values in data passed to CategoricalNB (input X).")

    def _checked(self, X: Any) -> Any:
        X = super()._checked(X)
        if X.dtype.kind != "u" and -np.inf < X.min() <= -1:
            self._refuse_negative()
        return X

    def _learn_features(self, statistics: _core.Statistics) -> None:
        seen = statistics.sums(0)
        least = np.broadcast_to(
            1 if self.min_categories is None else self.min_categories, self.n_features_in_
        )
        self.category_count_ = []
        for levels, count, fewest in zip(seen["levels"], seen["count"], least, strict=True):
            places = [int(level) for level in levels]
            full = np.zeros((len(self.classes_), max([fewest - 1, *places]) + 1))
            full[:, places] = count
            self.category_count_.append(full)
        self.n_categories_ = np.array([count.shape[1] for count in self.category_count_])
        self.feature_log_prob_ = []
        for count in self.category_count_:
            smoothed = count + self._pseudo_count
            self.feature_log_prob_.append(
                log_ratio(smoothed, smoothed.sum(axis=1, keepdims=True))
            )

    def _parameters(self) -> list[Array]:
        return list(self.feature_log_prob_)

    def _make_model(self, parameters: list[Array]) -> _core.Model:
        probability = [np.exp(values) for values in parameters]
        # Without pseudo-counts a class without rows has no distribution: it is impossible.
        known = np.all([table.sum(axis=1) > 0 for table in probability], axis=0)
        for table in probability:
            table[~known] = 1 / table.shape[1]
        density = {
            "family": self._family,
            "levels": [names_of(table.shape[1]) for table in probability],
            "probability": probability,
        }
        return _core.Model(
            numbered(len(probability), self._family),
            names_of(len(known)),
            known.astype(float),
            [density],
        )
