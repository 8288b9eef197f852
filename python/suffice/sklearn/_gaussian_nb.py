"""Gaussian naive Bayes as scikit-learn has it."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from .. import _core
from .._errors import SingularError
from .._turns import in_turn
from ._base import Array, Base, Self, names_of, numbered
from ._density import Cached, ModelClassifier


class GaussianNB(ModelClassifier):
    """Naive Bayes with a normal distribution for each feature and class.

    A drop-in for ``sklearn.naive_bayes.GaussianNB``. ``partial_fit`` over batches gives what
    ``fit`` gives on all rows, because exact sums are kept and ``epsilon_`` comes from the variance
    of all rows so far.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None takes the training frequencies.
    var_smoothing : float, default=1e-9
        The part of the largest variance of all features that is added to each variance.
    n_jobs : int, default=None
        Threads; None takes the CPUs that the process may use.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        The weight of each class.
    class_prior_ : ndarray of shape (n_classes,)
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Means, and variances with ``epsilon_`` added.
    epsilon_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where ``X`` had names.

    See Also
    --------
    sklearn.naive_bayes.GaussianNB : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.sklearn import GaussianNB
    >>> X = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array(["low", "low", "low", "high", "high", "high"])
    >>> GaussianNB().fit(X, y).predict([[-0.8, -1]]).tolist()
    ['low']
    >>> half = GaussianNB().partial_fit(X[::2], y[::2], classes=["high", "low"])
    >>> whole = half.partial_fit(X[1::2], y[1::2])
    >>> np.allclose(whole.var_, GaussianNB().fit(X, y).var_, rtol=1e-14)
    True
    """

    _learned = "theta_"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        **Base._parameter_constraints,
    }

    class_count_: Array
    class_prior_: Array
    theta_: Array
    var_: Array
    epsilon_: float

    def __init__(
        self, *, priors: Any = None, var_smoothing: float = 1e-9, n_jobs: int | None = None
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.n_jobs = n_jobs

    @in_turn
    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequencies: weight 2 is the row twice, weight 0 its absence.

        Returns
        -------
        self
        """
        X, _, _ = self._fit(X, y, sample_weight)
        self._learn(X.dtype)
        return self

    @in_turn
    def partial_fit(
        self: Self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
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
        X, _, _ = self._partial_fit(X, y, classes, sample_weight)
        self._learn(self.theta_.dtype if hasattr(self, "theta_") else X.dtype)
        return self

    def _new_statistics(self) -> _core.Statistics:
        schema = numbered(self.n_features_in_, "gaussian")
        return _core.Statistics(schema, "diagonal", names_of(len(self.classes_)))

    def _check_parameters(self) -> None:
        if self.priors is None:
            return
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != self.classes_.shape:
            raise ValueError("Number of priors must match number of classes.")
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError("The sum of the priors should be 1.")
        if (priors < 0).any():
            raise ValueError("Priors must be non-negative.")

    def _learn(self, dtype: Any) -> None:
        """The attributes, from the sums. float32 rows have float32 attributes, as scikit-learn has
        it; the model behind them has all digits, and its scores are doubles."""
        statistics = self._statistics
        assert statistics is not None
        count = statistics.weights
        moments = statistics.moments(0)
        seen = count > 0
        theta = np.where(seen[:, None], moments["mean"], 0.0)
        squares = np.where(seen[:, None], moments["squares"], 0.0)
        weight = np.where(seen, count, 1.0)[:, None]
        epsilon = self.var_smoothing * total_variance(count, moments).max()
        var = squares / weight + epsilon

        dtype = np.float32 if dtype == np.float32 else np.float64
        self.epsilon_ = epsilon
        self.class_count_ = count.astype(dtype)
        prior = count / count.sum() if self.priors is None else np.asarray(self.priors, float)
        self.class_prior_ = prior.astype(dtype)
        self.theta_, self.var_ = theta.astype(dtype), var.astype(dtype)
        self._cached = Cached(self._parameters(), [theta, var, prior])

    # Scoring.

    def _parameters(self) -> list[Array]:
        return [self.theta_, self.var_, self.class_prior_]

    def _make_model(self, parameters: list[Array]) -> _core.Model:
        theta, var = (np.asarray(values, dtype=np.float64) for values in parameters[:2])
        # A class without rows is impossible; whatever its parameters, they must be valid.
        seen = np.asarray(getattr(self, "class_count_", np.ones(len(theta)))) > 0
        if not seen.all():
            var = np.where(seen[:, None], var, 1.0)
        # A feature that is constant over all rows tells nothing; without smoothing it has no
        # density, and is left out.
        constant = (var[seen] == 0).all(axis=0) & (theta[seen] == theta[seen][:1]).all(axis=0)
        degenerate = (var == 0) & seen[:, None] & ~constant
        if degenerate.any():
            k, j = np.argwhere(degenerate)[0]
            raise SingularError(
                "the variance is 0, so the density has no finite value there",
                "set var_smoothing above 0, or leave this feature out",
                label=str(self.classes_[k]),
                features=[self._feature_name(j)],
            )
        density = {
            "family": "gaussian",
            "structure": "diag",
            "mean": theta,
            "covariance": var,
            "constant": np.flatnonzero(constant).tolist(),
        }
        schema = numbered(theta.shape[1], "gaussian")
        return _core.Model(schema, names_of(len(theta)), seen.astype(np.float64), [density])

    def _log_prior(self) -> Array:
        with np.errstate(divide="ignore"):
            logarithm: Array = np.log(self._held().exact[2], dtype=np.float64)
        return logarithm


def total_variance(count: Array, moments: dict[str, Array]) -> Array:
    """The variance of each feature over the rows of all classes together:
    (Σ S_c + Σ W_c (m_c − m)²) / W, with means counted from one class's, so that no digits are
    lost to an offset that all rows have."""
    seen = count > 0
    weight = count[seen][:, None]
    mean, low = moments["mean"][seen], moments["mean_low"][seen]
    from_first = (mean - mean[0]) + (low - low[0])
    between = from_first - (weight * from_first).sum(axis=0) / weight.sum()
    squares = moments["squares"][seen].sum(axis=0) + (weight * between**2).sum(axis=0)
    variance: Array = squares / weight.sum()
    return variance
