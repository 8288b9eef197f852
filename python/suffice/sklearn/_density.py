"""Drop-ins that decide by a score of each class, log p(x | class) plus the logarithm of a prior."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .._encode import labels_at
from .._turns import asking
from ._base import Array, Base, rows_of, sklearn_wording


class Cached:
    """The model of some attributes, made when it is first needed.

    The attributes decide: if one was changed, in place or not, the model is made again. ``exact`` are the parameters before they were rounded to the attributes' type.
    """

    def __init__(self, attributes: list[Array], exact: list[Array]) -> None:
        same = attributes is exact
        self.attributes = [np.array(values) for values in attributes]
        self.exact = self.attributes if same else [np.array(values) for values in exact]
        self.model: _core.Model | None = None

    def holds(self, attributes: list[Array]) -> bool:
        return len(attributes) == len(self.attributes) and all(
            map(np.array_equal, attributes, self.attributes)
        )

    def stored(self) -> list[Array] | None:
        """The parameters, where the attributes have fewer digits."""
        return None if self.exact is self.attributes else self.exact


class ScoringClassifier(Base):
    """predict, predict_proba and so on, for a subclass that scores validated rows."""

    _cached: Cached

    @abstractmethod
    def _parameters(self) -> list[Array]:
        """The attributes that the scores depend on."""

    @abstractmethod
    def _log_prior(self) -> Array:
        """The logarithms of the classes' prior probabilities."""

    @abstractmethod
    def _joint_log_likelihood(self, X: Any) -> Array:
        """log P(c) + log p(x | c) of validated rows."""

    @abstractmethod
    def _posterior(self, X: Any, log: bool) -> Array:
        """The posterior probabilities of the classes, or their logarithms."""

    @abstractmethod
    def _best(self, X: Any) -> Array:
        """The position of the most probable class."""

    def _held(self) -> Cached:
        """The parameters as the attributes have them now."""
        if self._is_twin():
            return self._cached
        attributes = self._parameters()
        cached: Cached | None = vars(self).get("_cached")
        if cached is None or not cached.holds(attributes):
            cached = self._cached = Cached(attributes, attributes)
        return cached

    def _prepare(self) -> None:
        self._held()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        cached: Cached | None = state.pop("_cached", None)
        if cached is not None and (exact := cached.stored()) is not None:
            state["_exact"] = exact
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: value for name, value in state.items() if name != "_exact"})
        if "_exact" in state:
            self._cached = Cached(self._parameters(), state["_exact"])

    # scikit-learn's methods.

    @asking
    def predict(self, X: Any) -> Array:
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Values of ``classes_``.
        """
        self._require_fitted()
        X = self._checked(X)
        with sklearn_wording(self, X):
            best = self._best(X)
        return labels_at(self.classes_, best)

    @asking
    def predict_proba(self, X: Any) -> Array:
        """The posterior probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._scored(X, lambda X: self._posterior(X, log=False))

    @asking
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the posterior probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._scored(X, lambda X: self._posterior(X, log=True))

    @asking
    def predict_joint_log_proba(self, X: Any) -> Array:
        """log P(x, c) = log P(c) + log p(x | c) of each row and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._scored(X, self._joint_log_likelihood)

    def _scored(self, X: Any, score: Any) -> Array:
        self._require_fitted()
        X = self._checked(X)
        with sklearn_wording(self, X):
            scores: Array = score(X)
        return scores


class ModelClassifier(ScoringClassifier):
    """Scores by an engine's model, for a subclass that makes it of its parameters."""

    @abstractmethod
    def _make_model(self, parameters: list[Array]) -> _core.Model:
        """A model of the parameters, with the classes "0", "1", …"""

    def _prepare(self) -> None:
        self._model()

    def _model(self) -> _core.Model:
        held = self._held()
        if held.model is None:
            held.model = self._make_model(held.exact)
        return held.model

    def _joint_log_likelihood(self, X: Any) -> Array:
        model, prior = self._model(), self._log_prior()

        def score(rows: _core.Rows) -> Array:
            scores, *_ = model.log_likelihood(rows, self._threads, allow_missing=False)
            scores += prior
            return scores

        return self._by_block(X, score)

    def _posterior(self, X: Any, log: bool) -> Array:
        model, prior = self._model(), np.exp(self._log_prior())
        prior /= prior.sum()
        return self._by_block(
            X, lambda rows: model.posterior(rows, prior, self._threads, False, log)
        )

    def _best(self, X: Any) -> Array:
        model, prior = self._model(), self._log_prior()
        best = self._by_block(X, lambda rows: model.best_class(rows, prior, self._threads, False))
        return np.maximum(best, 0, out=best)  # impossible under all classes: the first

    def _by_block(self, X: Any, score: Callable[[_core.Rows], Array]) -> Array:
        parts = self._over_blocks(X, lambda blocks: [score(rows_of(block)) for _, block in blocks])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
