"""Drop-ins that decide by log p(x | class) of an engine's model and the logarithm of a prior."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ._base import Array, Base, rows_of, sklearn_wording


class Cached:
    """The model of some attributes, made when it is first needed.

    The attributes are the truth: where somebody has changed one, in place or not, the model is
    made anew. ``exact`` are the parameters before they were rounded to the attributes' type.
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

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "model": None}


class DensityClassifier(Base):
    """predict and its kin for a subclass that names its parameters and makes its model."""

    _cached: Cached

    def _parameters(self) -> list[Array]:
        """The attributes that the model is made of."""
        raise NotImplementedError

    def _make_model(self, parameters: list[Array]) -> _core.Model:
        """A model of the parameters, with the classes "0", "1", …"""
        raise NotImplementedError

    def _log_prior(self) -> Array:
        """The logarithms of the classes' prior probabilities."""
        raise NotImplementedError

    def _held(self) -> Cached:
        """The parameters as the attributes have them now."""
        attributes = self._parameters()
        cached: Cached | None = vars(self).get("_cached")
        if cached is None or not cached.holds(attributes):
            cached = self._cached = Cached(attributes, attributes)
        return cached

    def _model(self) -> _core.Model:
        held = self._held()
        if held.model is None:
            held.model = self._make_model(held.exact)
        return held.model

    # What happens to validated rows: BernoulliNB looks at them block by block.

    def _joint_log_likelihood(self, X: Any) -> Array:
        """log P(c) + log p(x | c) of validated rows."""
        scores, _ = self._model().log_likelihood(rows_of(X), self._threads, allow_missing=False)
        scores += self._log_prior()
        return scores

    def _posterior(self, X: Any, log: bool) -> Array:
        prior = np.exp(self._log_prior())
        return self._model().posterior(
            rows_of(X), prior / prior.sum(), self._threads, allow_missing=False, log=log
        )

    def _best(self, X: Any) -> Array:
        best = self._model().best_class(
            rows_of(X), self._log_prior(), self._threads, allow_missing=False
        )
        return np.maximum(best, 0, out=best)  # impossible under all classes: the first

    # scikit-learn's methods.

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
        decided: Array = self.classes_[best]
        return decided

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
