"""Naive Bayes for counts and for ones and zeros, as scikit-learn has it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from .. import _core
from ._base import (
    Array,
    Base,
    Self,
    names_of,
    numbered,
    refuse_value,
    rows_of,
)
from ._density import Cached, DensityClassifier

_ALPHA_MIN = 1e-10
_CACHED = 1 << 16  # numbers converted together: they stay in the cache


def log_ratio(part: Array, whole: Array) -> Array:
    """log(part / whole), −inf where the part is 0, be the whole 0 too or not."""
    with np.errstate(divide="ignore"):
        logarithm: Array = np.log(part)
    logarithm -= np.log(np.where(whole > 0, whole, 1.0))
    return logarithm


class DiscreteNB(DensityClassifier):
    """What the four discrete kinds share: pseudo-counts, priors, fit and partial_fit."""

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
        sums = statistics.counts(0)["sum"]
        assert sums is not None
        self.feature_count_ = sums

    # Scoring.

    def _parameters(self) -> list[Array]:
        return [self.feature_log_prob_]

    def _log_prior(self) -> Array:
        return np.asarray(self.class_log_prior_)

    # Rows that must be converted before the engine reads them are converted a few at a time, in
    # multiples of the engine's own blocks, so that the sums have the bits of one call.

    def _blocks(self, X: Any) -> Iterator[tuple[slice, Any]]:
        """The rows as the engine takes them, with their places."""
        yield slice(0, X.shape[0]), X

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
        batch = self._new_statistics()
        for place, block in self._blocks(X):
            part = None if weight is None else weight[place]
            super()._add_rows(batch, block, codes[place], part)
        self._check_batch(batch)
        return statistics.merge(batch) if statistics.weights.any() else batch

    def _check_batch(self, batch: _core.Statistics) -> None:
        """Refuses sums that cannot be."""

    def _joint_log_likelihood(self, X: Any) -> Array:
        return self._by_block(X, super()._joint_log_likelihood)

    def _posterior(self, X: Any, log: bool) -> Array:
        posterior = super()._posterior
        return self._by_block(X, lambda block: posterior(block, log))

    def _best(self, X: Any) -> Array:
        return self._by_block(X, super()._best)

    def _by_block(self, X: Any, score: Callable[[Any], Array]) -> Array:
        parts = [score(block) for _, block in self._blocks(X)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


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


class BernoulliNB(DiscreteNB):
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

    def _learn_features(self, statistics: _core.Statistics) -> None:
        super()._learn_features(statistics)
        alpha = np.broadcast_to(self._pseudo_count, self.n_features_in_)
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


class MultinomialNB(DiscreteNB):
    """Naive Bayes for counts, of words for instance.

    A drop-in for ``sklearn.naive_bayes.MultinomialNB``. Counts may have fractions (tf-idf).

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of each word. With 0 and ``force_alpha``, a word that a class never had makes
        the class impossible.
    force_alpha : bool, default=True
        Whether an alpha below 1e-10 is taken as it is.
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
        The sums of the counts, and log P(word | c).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where ``X`` had names.

    Examples
    --------
    >>> from suffice.sklearn import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 1, 0], [3, 0, 0], [0, 1, 4]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]]).tolist()
    ['ham', 'spam']
    """

    _family = "multinomial"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _learn_features(self, statistics: _core.Statistics) -> None:
        super()._learn_features(statistics)
        count = self.feature_count_ + self._pseudo_count
        self.feature_log_prob_ = log_ratio(count, count.sum(axis=1, keepdims=True))

    def _make_model(self, parameters: list[Array]) -> _core.Model:
        probability = np.exp(parameters[0])
        # Without pseudo-counts a class without words has no distribution: it is impossible.
        known = probability.sum(axis=1) > 0
        classes, features = probability.shape
        probability[~known] = 1 / features
        density = {"family": self._family, "probability": probability}
        return _core.Model(
            numbered(features, self._family), names_of(classes), known.astype(float), [density]
        )


class ComplementNB(DiscreteNB):
    """Naive Bayes from the counts of all other classes, for classes of unequal size.

    A drop-in for ``sklearn.naive_bayes.ComplementNB`` (Rennie et al. 2003).

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of each word.
    force_alpha : bool, default=True
        Whether an alpha below 1e-10 is taken as it is.
    fit_prior : bool, default=True
        Only used where there is one class.
    class_prior : array-like of shape (n_classes,), default=None
        Not used for decisions.
    norm : bool, default=False
        Whether the weights of a class are scaled to sum to 1.
    n_jobs : int, default=None
        Threads; None takes the CPUs that the process may use.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
    feature_all_ : ndarray of shape (n_features,)
        The sums of the counts over all classes.
    feature_count_, feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The sums of the counts, and the weights of the words.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where ``X`` had names.

    Examples
    --------
    >>> from suffice.sklearn import ComplementNB
    >>> model = ComplementNB().fit([[2, 1, 0], [3, 0, 0], [0, 1, 4]], ["ham", "ham", "spam"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]]).tolist()
    ['ham', 'spam']
    """

    _family = "multinomial"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscreteNB._parameter_constraints,
        "norm": ["boolean"],
    }

    feature_all_: Array

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _learn_features(self, statistics: _core.Statistics) -> None:
        super()._learn_features(statistics)
        self.feature_all_ = self.feature_count_.sum(axis=0)
        others = self.feature_all_ + self._pseudo_count - self.feature_count_
        logarithm = log_ratio(others, others.sum(axis=1, keepdims=True))
        if not self.norm:
            self.feature_log_prob_ = -logarithm
            return
        with np.errstate(invalid="ignore"):
            weight = logarithm / logarithm.sum(axis=1, keepdims=True)
        # Words that no other class has outweigh all: the limit of alpha → 0.
        endless = np.isinf(logarithm)
        limit = endless / np.maximum(endless.sum(axis=1, keepdims=True), 1)
        self.feature_log_prob_ = np.where(endless.any(axis=1, keepdims=True), limit, weight)

    def _linear(self) -> tuple[Array, Array, Array]:
        """Finite weights, constants, and where a weight is +inf."""
        weight = np.asarray(self.feature_log_prob_, dtype=np.float64)
        endless = np.isinf(weight)
        constant = self._log_prior() if len(weight) == 1 else np.zeros(len(weight))
        return (np.where(endless, 0.0, weight) if endless.any() else weight), constant, endless

    def _joint_log_likelihood(self, X: Any) -> Array:
        weight, constant, endless = self._linear()
        scores = _core.linear_scores(weight, constant, rows_of(X), self._threads)
        if endless.any():
            hits = _core.linear_scores(
                endless.astype(np.float64), np.zeros(len(weight)), rows_of(X), self._threads
            )
            scores[hits > 0] = np.inf
        return scores

    def _best(self, X: Any) -> Array:
        weight, constant, endless = self._linear()
        if endless.any():
            best: Array = self._joint_log_likelihood(X).argmax(axis=1)
            return best
        return _core.best_linear(weight, constant, rows_of(X), self._threads)

    def _posterior(self, X: Any, log: bool) -> Array:
        scores = self._joint_log_likelihood(X)
        endless = np.isposinf(scores)
        certain = endless.any(axis=1)
        scores[certain] = np.where(endless[certain], 0.0, -np.inf)
        scores -= scores.max(axis=1, keepdims=True)
        exponential = np.exp(scores)
        total = exponential.sum(axis=1, keepdims=True)
        if log:
            scores -= np.log(total)
            return scores
        exponential /= total
        return exponential
