"""What the four discrete kinds of naive Bayes share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from .. import _core
from .._turns import in_turn
from ._base import Array, Base, Self, names_of, numbered, refuse_value
from ._density import Cached, ScoringClassifier

_ALPHA_MIN = 1e-10
_CACHED = 1 << 16  # numbers converted together: they stay in the cache


def log_ratio(part: Array, whole: Array) -> Array:
    """log(part / whole), −inf where the part is 0, be the whole 0 too or not."""
    with np.errstate(divide="ignore"):
        logarithm: Array = np.log(part)
    logarithm -= np.log(np.where(whole > 0, whole, 1.0))
    return logarithm


class DiscreteNB(ScoringClassifier):
    """Pseudo-counts, priors, fit and partial_fit."""

    _accept_sparse: ClassVar[str | bool] = "csr"
    _learned = "feature_log_prob_"
    _family: ClassVar[str]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        **Base._parameter_constraints,
    }

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_count_: Array
    class_log_prior_: Array
    feature_count_: Array
    feature_log_prob_: Any
    _pseudo_count: Any

    @in_turn
    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            CategoricalNB takes no sparse matrix.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequencies: weight 2 is the row twice, weight 0 its absence.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        self._learn()
        return self

    @in_turn
    def partial_fit(
        self: Self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            CategoricalNB takes no sparse matrix.
        y : array-like of shape (n_samples,)
            Labels, all of them among ``classes``.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequencies.

        Returns
        -------
        self
        """
        self._partial_fit(X, y, classes, sample_weight)
        self._learn()
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = bool(self._accept_sparse)
        tags.classifier_tags.poor_score = True
        return tags

    def _new_statistics(self) -> _core.Statistics:
        schema = numbered(self.n_features_in_, self._family)
        return _core.Statistics(schema, labels=names_of(len(self.classes_)))

    def _check_parameters(self) -> None:
        if self.class_prior is not None and len(self.class_prior) != len(self.classes_):
            raise ValueError("Number of priors must match number of classes.")
        self._pseudo_count = self._check_alpha()

    def _check_alpha(self) -> Any:
        """The pseudo-count, one for all features or one for each."""
        alpha = self.alpha
        if not isinstance(alpha, Real):
            alpha = np.asarray(alpha)
            if alpha.shape != (self.n_features_in_,):
                raise ValueError(
                    "When alpha is an array, it should contains `n_features`. "
                    f"Got {alpha.size} elements instead of {self.n_features_in_}."
                )
            if alpha.min() < 0:
                raise ValueError("All values in alpha must be greater than 0.")
        if not self.force_alpha and np.min(alpha) < _ALPHA_MIN:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_ALPHA_MIN:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=2,
            )
            alpha = np.maximum(alpha, _ALPHA_MIN)
        return alpha

    def _learn(self) -> None:
        """The attributes, from the sums."""
        statistics = self._statistics
        assert statistics is not None
        self.class_count_ = statistics.weights
        self._learn_features(statistics)
        count, classes = self.class_count_, len(self.classes_)
        if self.class_prior is not None:
            self.class_log_prior_ = log_ratio(np.asarray(self.class_prior, np.float64), np.ones(1))
        elif self.fit_prior:
            self.class_log_prior_ = log_ratio(count, count.sum())
        else:
            self.class_log_prior_ = np.full(classes, -np.log(classes))
        attributes = self._parameters()
        self._cached = Cached(attributes, attributes)

    def _learn_features(self, statistics: _core.Statistics) -> None:
        """The counts and probabilities of the features."""
        sums = statistics.sums(0)["sum"]
        assert sums is not None
        self.feature_count_ = sums

    # Scoring.

    def _parameters(self) -> list[Array]:
        return [self.feature_log_prob_]

    def _log_prior(self) -> Array:
        return np.asarray(self.class_log_prior_)

    # Rows that must be converted before the engine reads them are converted a few at a time, in
    # multiples of the engine's own blocks, so that the sums have the bits of one call.

    def _converted_blocks(
        self, X: Array, convert: Callable[[Array, Array], object], dtype: Any
    ) -> Iterator[tuple[slice, Array]]:
        """Blocks of the rows after ``convert(some rows, where they go)``; refuses NaN and
        infinities. A block lives until the next."""
        rows, columns = X.shape
        step = min(_core.rows_per_block(numbered(columns, self._family), False), rows)
        together = max(1, _CACHED // columns)
        converted = np.empty((step, columns), dtype)
        for first in range(0, rows, step):
            last = min(first + step, rows)
            for start in range(first, last, together):
                part = X[start : min(start + together, last)]
                require_finite(self, part, start)
                convert(part, converted[start - first : start - first + len(part)])
            yield slice(first, last), converted[: last - first]

    def _add_rows(
        self, statistics: _core.Statistics, X: Any, codes: Array, weight: Array | None
    ) -> _core.Statistics:
        def summed(blocks: Iterable[tuple[slice, Any]]) -> _core.Statistics:
            batch = self._new_statistics()
            for place, block in blocks:
                part = None if weight is None else weight[place]
                super(DiscreteNB, self)._add_rows(batch, block, codes[place], part)
            return batch

        batch = self._over_blocks(X, summed)
        self._check_batch(batch)
        return statistics.merge(batch) if statistics.weights.any() else batch

    def _check_batch(self, batch: _core.Statistics) -> None:
        """Refuses sums that cannot be."""


def require_finite(estimator: Base, block: Any, first_row: int) -> None:
    """Refuses NaN and infinities in rows from ``first_row`` on, in scikit-learn's words."""
    if block.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(block.sum()):  # no NaN and no infinity: one pass without a copy
            return
    bad = np.argwhere(~np.isfinite(block))
    if len(bad):
        row, column = bad[0]
        refuse_value(estimator, block[row, column], first_row + row, column)
