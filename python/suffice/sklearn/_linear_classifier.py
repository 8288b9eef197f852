"""Scores, decisions and probabilities of drop-ins whose classes have linear functions of the row."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, log_expit
from sklearn.utils.validation import validate_data

from .. import _core
from .._encode import labels_at
from ._base import Array, Base, rows_of, sklearn_wording

BLOCK = 1 << 15  # numbers that are worked on together, so that they stay in the cache


class LinearClassifier(Base):
    """`coef_` and `intercept_` in the type of the rows, and the same in double precision:
    `_decision` as published, `_choice` as decisions are made from."""

    coef_: Array
    intercept_: Array
    _decision: tuple[Array, Array]
    _choice: tuple[Array, Array]

    def _scores(self, X: Any, name: str) -> Array:
        X, (weights, offsets) = self._prepared(X, name)
        return self._linear_scores(weights, offsets, X)

    def _linear_scores(self, weights: Array, offsets: Array, X: Any) -> Array:
        """n × K, or n for a single function."""
        certain = np.isposinf(offsets)  # the other class has no weight
        if certain.any():
            offsets = np.where(certain, 0.0, offsets)
        with sklearn_wording(self, X):
            scores: Array = _core.linear_scores(weights, offsets, rows_of(X), self._threads)
        if certain.any():
            scores[:, certain] = np.inf
        return scores.reshape(-1) if scores.shape[1] == 1 else scores

    def _prepared(self, X: Any, name: str) -> tuple[Any, tuple[Array, Array]]:
        """Validated rows, dense or CSR, and linear functions in double precision.

        The attributes decide: if they were changed, they are used as they are.
        """
        self._require_fitted()
        X = self._checked(X)
        public, exact = (self.coef_, self.intercept_), self._decision
        if not all(np.array_equal(p, e.astype(p.dtype)) for p, e in zip(public, exact)):
            return X, (np.asarray(public[0], np.float64), np.asarray(public[1], np.float64))
        return X, getattr(self, name)

    def _decided(self, X: Any) -> Array:
        """The class of the largest score."""
        X, (weights, offsets) = self._prepared(X, "_choice")
        if len(weights) == 1:  # a single class scores 0
            return self.classes_[(self._linear_scores(weights, offsets, X) > 0).view(np.int8)]
        with sklearn_wording(self, X):
            index = _core.best_linear(weights, offsets, rows_of(X), self._threads)
        return labels_at(self.classes_, index)

    def _posterior(self, X: Any, log: bool) -> Array:
        self._require_fitted()
        if len(self.classes_) > 2:
            X, (weights, offsets) = self._prepared(X, "_choice")
            with sklearn_wording(self, X):
                posterior: Array = _core.linear_posteriors(
                    weights, offsets, rows_of(X), log, self._threads
                )
            return posterior
        scores = self._scores(X, "_choice")
        if len(self.classes_) == 1:
            return np.full((len(scores), 1), 0.0 if log else 1.0)
        function = log_expit if log else expit
        result = np.empty((len(scores), 2))
        function(scores, out=result[:, 1])
        function(np.negative(scores, out=scores), out=result[:, 0])
        return result

    def _checked(self, X: Any) -> Any:
        """Linear scores of sparse rows are welcome, as in scikit-learn."""
        if not hasattr(X, "tocsr"):
            return super()._checked(X)
        return validate_data(self, X, accept_sparse="csr", ensure_all_finite=False, reset=False)
