"""Naive Bayes for counts, as scikit-learn has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ._base import Array, names_of, numbered
from ._density import ModelClassifier
from ._discrete_nb import DiscreteNB, log_ratio


class MultinomialNB(DiscreteNB, ModelClassifier):
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

    See Also
    --------
    sklearn.naive_bayes.MultinomialNB : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

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
