"""Linear discriminant analysis with scikit-learn's interface."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import assert_all_finite
from sklearn.utils._param_validation import Interval, StrOptions

from .. import _core
from .._turns import asking, in_turn
from ._base import Array
from ._covariance import Covariances, TrainingRows
from ._discriminant import DiscriminantAnalysis, single_rows
from ._linear_classifier import BLOCK, LinearClassifier
from ._linear_rule import LinearRule, log_of, solve_eigen, solve_lsqr, solve_svd
from ._moments import Moments, class_priors

LARGE = 1 << 22  # numbers in the scatters, from which on they are not made for a few rows


class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    LinearClassifier,
    DiscriminantAnalysis,
):
    """Linear discriminant analysis: Gaussian classes that share one covariance.

    Takes the place of `sklearn.discriminant_analysis.LinearDiscriminantAnalysis`, and adds
    `partial_fit`, `sample_weight` (weight 2 equals a row twice, weight 0 none) and `n_jobs`. All
    solvers start from one pass over the rows that keeps a weight, a mean and a scatter per class;
    none makes a copy of the rows.

    Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}, default='svd'
        'svd' leaves out directions without variance within the classes (see `tol`); 'lsqr' gives
        the shortest solution of the linear equations and has no `transform`; 'eigen' needs a
        covariance of full rank. The last two pool the class covariances by the priors, and take
        `shrinkage` or `covariance_estimator`.
    shrinkage : 'auto', float in [0, 1] or None, default=None
        The share of trace/d · I in each class covariance. 'auto' is Ledoit and Wolf's estimate on
        standardised features; it reads the rows a second time.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; the shares of the class weights where None.
    n_components : int, default=None
        Number of axes that `transform` keeps, at most min(n_classes − 1, n_features).
    store_covariance : bool, default=False
        Whether 'svd' keeps `covariance_` as well.
    tol : float, default=1e-4
        For 'svd': directions in which the standardised rows deviate no more than this within the
        classes are left out.
    covariance_estimator : estimator, default=None
        An object with `fit` and then `covariance_`; it gets the rows of each class. A row of
        weight 2 is given to it twice.
    n_jobs : int, default=None
        Number of threads; None uses all processors that this process may use.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
    intercept_ : ndarray of shape (n_classes,), or (1,) for two classes
    covariance_ : ndarray of shape (n_features, n_features)
        The class covariances pooled by the priors.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The share of each axis in the variance between the classes ('svd' and 'eigen').
    means_ : ndarray of shape (n_classes, n_features)
        NaN for a class of which no row was seen yet.
    priors_ : ndarray of shape (n_classes,)
    scalings_ : ndarray of shape (n_features, axes)
        The axes of `transform` ('svd' and 'eigen'); the largest entry of each is positive.
    xbar_ : ndarray of shape (n_features,)
        The class means weighted by the priors ('svd').
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where `X` had names.

    See Also
    --------
    sklearn.discriminant_analysis.LinearDiscriminantAnalysis : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.sklearn import LinearDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> clf = LinearDiscriminantAnalysis().fit(X, y)
    >>> clf.predict([[-0.8, -1]])
    array([1])
    """

    _learned = "coef_"
    _dtype: type[np.floating[Any]]  # of the attributes
    _computed: ClassVar[frozenset[str]] = frozenset(
        ["coef_", "intercept_", "covariance_", "explained_variance_ratio_", "means_", "priors_"]
        + ["scalings_", "xbar_", "_decision", "_choice"]
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscriminantAnalysis._parameter_constraints,
        "solver": [StrOptions({"svd", "lsqr", "eigen"})],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: str | float | None = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.n_jobs = n_jobs

    @in_turn
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearDiscriminantAnalysis:
        """Learn from all rows at once.

        >>> from suffice.sklearn import LinearDiscriminantAnalysis
        >>> X, y = [[0.0], [1.0], [4.0], [5.0], [9.0]], [0, 0, 1, 1, 1]
        >>> LinearDiscriminantAnalysis().fit(X, y, sample_weight=[1, 1, 1, 1, 0]).means_
        array([[0.5],
               [4.5]])
        """
        self._fit_all(X, y, sample_weight)
        return self

    @in_turn
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> LinearDiscriminantAnalysis:
        """Learn from a batch of rows; batches give what `fit` on all their rows gives.

        `classes` names all classes and is needed in the first call.

        >>> from suffice.sklearn import LinearDiscriminantAnalysis
        >>> clf = LinearDiscriminantAnalysis()
        >>> clf = clf.partial_fit([[0.0], [1.0], [4.0]], [0, 0, 1], classes=[0, 1])
        >>> clf.partial_fit([[5.0]], [1]).means_
        array([[0.5],
               [4.5]])
        """
        self._fit_more(X, y, classes, sample_weight)
        return self

    @asking
    def decision_function(self, X: Any) -> Array:
        """The linear score of each class, or for two classes the second one's minus the first's.

        The score is the log of the joint probability of row and class, up to a term that all
        classes share.

        >>> from suffice.sklearn import LinearDiscriminantAnalysis
        >>> clf = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> clf.decision_function([[3.0], [4.0]])
        array([0., 4.])
        """
        return self._scores(X, "_decision")

    @asking
    def predict(self, X: Any) -> Array:
        """The most probable class of each row.

        >>> from suffice.sklearn import LinearDiscriminantAnalysis
        >>> clf = LinearDiscriminantAnalysis().fit([[0], [2], [4], [6]], ["a", "a", "b", "b"])
        >>> clf.predict([[2.5], [3.5]]).tolist()
        ['a', 'b']
        """
        return self._decided(X)

    @asking
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class given the row.

        >>> from suffice.sklearn import LinearDiscriminantAnalysis
        >>> clf = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> clf.predict_proba([[3.0]])
        array([[0.5, 0.5]])
        """
        return self._posterior(X, log=False)

    @asking
    def predict_log_proba(self, X: Any) -> Array:
        """The log of `predict_proba`, also where that is too small for a double.

        >>> from suffice.sklearn import LinearDiscriminantAnalysis
        >>> clf = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> clf.predict_log_proba([[1003.0]])[:, 0]
        array([-4000.])
        """
        return self._posterior(X, log=True)

    @asking
    def transform(self, X: Any) -> Array:
        """The coordinates of the rows on the axes that separate the classes best.

        >>> from suffice.sklearn import LinearDiscriminantAnalysis
        >>> clf = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> clf.transform([[3.0], [5.0]])
        array([[0.],
               [2.]])
        """
        if self.solver == "lsqr":
            raise NotImplementedError(  # as scikit-learn, whose tests expect these words
                "transform not implemented for 'lsqr': it computes no axes; use 'svd' or 'eigen'"
            )
        self._require_fitted()
        X = super()._checked(X)
        axes = self.scalings_[:, : self._max_components]
        dtype = np.float32 if X.dtype == axes.dtype == np.float32 else np.float64
        result = np.empty((len(X), axes.shape[1]), dtype)
        step = max(1, BLOCK // X.shape[1])
        with np.errstate(invalid="ignore"):
            for first in range(0, len(X), step):
                rows = X[first : first + step]
                if self.solver == "svd":
                    rows = rows - self.xbar_
                np.matmul(rows, axes, out=result[first : first + step])
        if not np.isfinite(result).all():
            assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")
        return result

    def _check_parameters(self) -> None:
        self._max_components = min(len(self.classes_) - 1, self.n_features_in_)
        if self.n_components is not None:
            if self.n_components > self._max_components:
                raise ValueError(
                    "n_components cannot be larger than min(n_features, n_classes - 1). Got "
                    f"{self.n_components}, with {self.n_features_in_} features and "
                    f"{len(self.classes_)} class{'es' if len(self.classes_) > 1 else ''}."
                )
            self._max_components = self.n_components
        self._n_features_out = self._max_components
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ValueError(
                "covariance estimator is not supported with svd solver. Try another solver"
            )

    def _needs_scatters(self) -> bool:
        """Not for far fewer rows than features, where 'svd' works on the rows themselves."""
        rows, d = self._rows_of_fit, self.n_features_in_
        if rows is None or self.solver != "svd" or self.store_covariance:
            return True
        return 2 * rows >= d or len(self.classes_) * d * d < LARGE

    def _checked_pair(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        X, y = super()._checked_pair(X, y, reset)
        single = X.dtype == np.float32 and (reset or self._dtype == np.float32)
        self._dtype = np.float32 if single else np.float64
        return X, y

    def _learn(self, statistics: _core.Statistics, rows: TrainingRows | None = None) -> None:
        moments = Moments(statistics)
        seen = moments.seen
        if single_rows(statistics)[seen].all():
            raise ValueError(
                "The number of samples must be more than the number of classes: n_samples = "
                f"{seen.sum()}, n_classes = {seen.sum()}."
            )
        priors = class_priors(self.priors, moments.weight)
        if abs(priors.sum() - 1) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=5)
            priors /= priors.sum()
        rule = self._solve(moments, priors, rows)
        self._publish(rule, moments.means, priors, log_of(priors, seen))

    def _solve(self, moments: Moments, priors: Array, rows: TrainingRows | None) -> LinearRule:
        axes = self._max_components
        if self.solver == "svd":
            store = self.store_covariance
            return solve_svd(moments, priors, self.tol, axes, rows, store_covariance=store)
        covariances = Covariances(moments, self.shrinkage, self.covariance_estimator, rows)
        if self.solver == "lsqr":
            return solve_lsqr(moments, priors, covariances)
        return solve_eigen(moments, priors, axes, covariances)

    def _publish(self, rule: LinearRule, means: Array, priors: Array, log_priors: Array) -> None:
        """Sets the attributes, in single precision where all rows were."""
        coef, intercept = rule.public(means, log_priors)
        self._decision = coef, intercept
        two = len(self.classes_) == 2
        self._choice = (coef, intercept) if two else (rule.weights, rule.offsets)
        kind = self._dtype
        self.coef_, self.intercept_ = coef.astype(kind), intercept.astype(kind)
        self.means_, self.priors_ = means.astype(kind), priors.astype(kind)
        if self.solver == "svd":
            self.xbar_ = rule.centre.astype(kind)
        if rule.covariance is not None:
            self.covariance_ = rule.covariance
        if rule.scalings is not None and rule.ratio is not None:
            self.scalings_ = rule.scalings.astype(kind)
            self.explained_variance_ratio_ = rule.ratio.astype(kind)
