"""Naive Bayes for ones and zeros, as scikit-learn has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from .. import _core
from ._base import Array, Result, names_of, numbered, refuse_value
from ._density import ModelClassifier
from ._discrete_nb import DiscreteNB, log_ratio


class BernoulliNB(DiscreteNB, ModelClassifier):
    """Naive Bayes for features that are 0 or 1.

    A drop-in for ``sklearn.naive_bayes.BernoulliNB``.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count: P(x = 1 | c) = (n + alpha) / (N + 2 alpha). With 0 and ``force_alpha``, what
        a class never had is impossible.
    force_alpha : bool, default=True
        Whether an alpha below 1e-10 is taken as it is.
    binarize : float or None, default=0.0
        Values above it count as 1, others as 0. None: the values are 0 and 1, and any other is
        refused.
    fit_prior : bool, default=True
        Training frequencies as priors; else all classes are alike.
    class_prior : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes.
    n_jobs : int, default=None
        Threads; None takes the CPUs that the process may use.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_, feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The weight of the ones, and log P(x = 1 | c).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where ``X`` had names.

    See Also
    --------
    sklearn.naive_bayes.BernoulliNB : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

    Examples
    --------
    >>> from suffice.sklearn import BernoulliNB
    >>> model = BernoulliNB().fit([[0, 1], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    >>> model.predict([[0, 1], [1, 0]]).tolist()
    [0, 1]
    """

    _family = "bernoulli"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.n_jobs = n_jobs

    def _blocks(self, X: Any) -> Iterator[tuple[slice, Any]]:
        threshold = self.binarize
        if threshold is None or (X.dtype == bool and threshold < 1):
            yield slice(0, X.shape[0]), X
        elif isinstance(X, np.ndarray):
            yield from self._converted_blocks(
                X, lambda part, out: np.greater(part, threshold, out=out), bool
            )
        else:
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            if not np.isfinite(X.data).all():
                at = int(np.isfinite(X.data).argmin())
                row = int(np.searchsorted(X.indptr, at, side="right")) - 1
                refuse_value(self, X.data[at], row, X.indices[at])
            ones = type(X)((X.data > threshold, X.indices, X.indptr), shape=X.shape)
            yield slice(0, X.shape[0]), ones

    def _over_blocks(self, X: Any, work: Callable[[Iterable[tuple[slice, Any]]], Result]) -> Result:
        if self._looks_binary(X):
            try:
                return work([(slice(0, X.shape[0]), X)])
            except ValueError:  # some value is neither 0 nor 1 after all
                pass
        return super()._over_blocks(X, work)

    def _looks_binary(self, X: Any) -> bool:
        """Whether some rows of X are ones and zeros, which no threshold below 1 changes; the engine
        then reads all of them where they lie, and stops at the first other value."""
        if self.binarize is None or self.binarize >= 1 or not isinstance(X, np.ndarray):
            return False
        some = X[:: max(1, X.shape[0] // 32)]
        return bool(((some == 0) | (some == 1)).all())

    def _learn_features(self, statistics: _core.Statistics) -> None:
        super()._learn_features(statistics)
        alpha = self._pseudo_count
        rows = self.class_count_[:, None] + 2 * alpha
        self.feature_log_prob_ = log_ratio(self.feature_count_ + alpha, rows)

    def _make_model(self, parameters: list[Array]) -> _core.Model:
        probability = np.minimum(np.exp(parameters[0]), 1.0)
        # Without pseudo-counts a class without rows has no distribution: it is impossible.
        known = (np.asarray(self.class_count_) > 0) | (np.min(self._pseudo_count) > 0)
        density = {"family": self._family, "probability": probability}
        classes, features = probability.shape
        return _core.Model(
            numbered(features, self._family), names_of(classes), known.astype(float), [density]
        )
