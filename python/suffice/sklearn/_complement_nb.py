"""Complement naive Bayes, as scikit-learn has it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .. import _core
from ._base import Array, rows_of
from ._discrete_nb import DiscreteNB, log_ratio


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

    See Also
    --------
    sklearn.naive_bayes.ComplementNB : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

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
