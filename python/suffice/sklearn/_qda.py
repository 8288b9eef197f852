"""Quadratic discriminant analysis with scikit-learn's interface."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, ClassVar, NoReturn

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from .. import _core
from .._encode import labels_at
from .._errors import SingularError
from .._turns import asking, in_turn
from ._base import Array, names_of, numbered, rows_of, sklearn_wording
from ._covariance import Covariances, TrainingRows
from ._discriminant import DiscriminantAnalysis, single_rows
from ._linear_rule import fix_signs, log_of
from ._moments import Moments, class_priors


class QuadraticDiscriminantAnalysis(DiscriminantAnalysis):
    """Quadratic discriminant analysis: Gaussian classes, each with a covariance of its own.

    Takes the place of `sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis`, and adds
    `partial_fit`, `sample_weight` (weight 2 equals a row twice, weight 0 none) and `n_jobs`. One
    pass over the rows keeps a weight, a mean and a scatter per class; both solvers start from
    these and make no copy of the rows.

    Parameters
    ----------
    solver : {'svd', 'eigen'}, default='svd'
        'svd' takes `reg_param`, 'eigen' takes `shrinkage` or `covariance_estimator`; the results
        are the same without them.
    shrinkage : 'auto', float in [0, 1] or None, default=None
        The share of trace/d · I in each class covariance. 'auto' is Ledoit and Wolf's estimate on
        standardised features; it reads the rows a second time.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; the shares of the class weights where None.
    reg_param : float in [0, 1], default=0.0
        The share of the identity in each class covariance.
    store_covariance : bool, default=False
        Whether `covariance_` is kept.
    tol : float, default=1e-4
        Accepted, and not used: whether a covariance has full rank is judged on the correlation
        scale, so that the units of the features do not matter.
    covariance_estimator : estimator, default=None
        An object with `fit` and then `covariance_`; it gets the rows of each class. A row of
        weight 2 is given to it twice.
    n_jobs : int, default=None
        Number of threads; None uses all processors that this process may use.

    Attributes
    ----------
    covariance_ : list of n_classes ndarrays of shape (n_features, n_features)
        Where `store_covariance` is True.
    means_ : ndarray of shape (n_classes, n_features)
        NaN for a class of which no row was seen yet.
    priors_ : ndarray of shape (n_classes,)
    rotations_ : list of n_classes ndarrays of shape (n_features, n_features)
        The principal axes of each class, by falling variance; computed when first asked for.
    scalings_ : list of n_classes ndarrays of shape (n_features,)
        The variances along these axes; computed when first asked for.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where `X` had names.

    See Also
    --------
    sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from suffice.sklearn import QuadraticDiscriminantAnalysis
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> clf = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> clf.predict([[-0.8, -1]])
    array([1])
    """

    _learned = "means_"
    _computed: ClassVar[frozenset[str]] = frozenset(
        ["covariance_", "means_", "priors_", "rotations_", "scalings_", "_model"]
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DiscriminantAnalysis._parameter_constraints,
        "solver": [StrOptions({"svd", "eigen"})],
        "reg_param": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: str | float | None = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1.0e-4,
        covariance_estimator: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.n_jobs = n_jobs

    @in_turn
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> QuadraticDiscriminantAnalysis:
        """Learn from all rows at once.

        >>> from suffice.sklearn import QuadraticDiscriminantAnalysis
        >>> X, y = [[0.0], [1.0], [4.0], [6.0], [9.0]], [0, 0, 1, 1, 1]
        >>> clf = QuadraticDiscriminantAnalysis(store_covariance=True)
        >>> clf.fit(X, y, sample_weight=[1, 1, 1, 1, 0]).covariance_
        [array([[0.25]]), array([[1.]])]
        """
        self._fit_all(X, y, sample_weight)
        return self

    @in_turn
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> QuadraticDiscriminantAnalysis:
        """Learn from a batch of rows; batches give what `fit` on all their rows gives.

        `classes` names all classes and is needed in the first call. Whether there are rows enough
        for a covariance in each class is asked when the estimator is used.

        >>> from suffice.sklearn import QuadraticDiscriminantAnalysis
        >>> clf = QuadraticDiscriminantAnalysis()
        >>> clf = clf.partial_fit([[0.0], [1.0], [4.0]], [0, 0, 1], classes=[0, 1])
        >>> clf.partial_fit([[6.0]], [1]).means_
        array([[0.5],
               [5. ]])
        """
        self._fit_more(X, y, classes, sample_weight)
        return self

    @asking
    def decision_function(self, X: Any) -> Array:
        """The quadratic score of each class, or for two classes the second one's minus the first's.

        The score is the log of the joint density of row and class, without the term
        −d/2 log 2π that all classes share.

        >>> from suffice.sklearn import QuadraticDiscriminantAnalysis
        >>> clf = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> clf.decision_function([[3.0], [4.0]])
        array([0., 4.])
        """
        X, model = self._prepared(X)
        with sklearn_wording(self, X):
            scores, *_ = model.log_likelihood(
                rows_of(X), threads=self._threads, allow_missing=False
            )
        scores += self._log_priors() + 0.5 * self.n_features_in_ * math.log(2 * math.pi)
        if len(self.classes_) == 2:
            difference: Array = scores[:, 1] - scores[:, 0]
            return difference
        return scores

    @asking
    def predict(self, X: Any) -> Array:
        """The most probable class of each row.

        >>> from suffice.sklearn import QuadraticDiscriminantAnalysis
        >>> X, y = [[0], [2], [4], [6]], ["a", "a", "b", "b"]
        >>> QuadraticDiscriminantAnalysis().fit(X, y).predict([[2.5], [3.5]]).tolist()
        ['a', 'b']
        """
        X, model = self._prepared(X)
        with sklearn_wording(self, X):
            index = model.best_class(
                rows_of(X), self._log_priors(), threads=self._threads, allow_missing=False
            )
        return labels_at(self.classes_, index)

    @asking
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class given the row.

        >>> from suffice.sklearn import QuadraticDiscriminantAnalysis
        >>> clf = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> clf.predict_proba([[3.0]])
        array([[0.5, 0.5]])
        """
        return self._posterior(X, log=False)

    @asking
    def predict_log_proba(self, X: Any) -> Array:
        """The log of `predict_proba`, also where that is too small for a double.

        >>> from suffice.sklearn import QuadraticDiscriminantAnalysis
        >>> clf = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
        >>> clf.predict_log_proba([[1003.0]])
        array([[-4000.,     0.]])
        """
        return self._posterior(X, log=True)

    def _prepared(self, X: Any) -> tuple[Any, _core.Model]:
        self._require_fitted()
        return self._checked(X), self._model

    def _posterior(self, X: Any, log: bool) -> Array:
        X, model = self._prepared(X)
        priors = self.priors_ / self.priors_.sum()
        with sklearn_wording(self, X):
            posterior: Array = model.posterior(
                rows_of(X), priors, threads=self._threads, allow_missing=False, log=log
            )
        return posterior

    def _log_priors(self) -> Array:
        return log_of(self.priors_, self._model.weights > 0)

    def _check_parameters(self) -> None:
        if len(self.classes_) < 2:
            raise ValueError(
                "The number of classes has to be greater than one. Got "
                f"{len(self.classes_)} class."
            )
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ValueError(
                "covariance_estimator is not supported with solver='svd'. "
                "Try solver='eigen' instead."
            )

    def _learn(self, statistics: _core.Statistics, rows: TrainingRows | None = None) -> None:
        alone = single_rows(statistics)
        if alone.any():
            raise ValueError(
                f"y has only 1 sample in class {self.classes_[alone][0]}, covariance is ill "
                "defined."
            )
        moments = Moments(statistics)
        priors = class_priors(self.priors, moments.weight)
        covariances = self._covariances(moments, rows)
        density = {
            "family": "gaussian",
            "structure": "full",
            "mean": moments.words["mean"] + moments.words["mean_low"],
            "covariance": covariances,
        }
        labels = names_of(len(self.classes_))
        schema = numbered(self.n_features_in_, "gaussian")
        try:
            self._model = _core.Model(
                schema, labels, moments.weight, [density], threads=self._threads
            )
        except SingularError as error:
            index = int(error.label)
            self._refuse(index, float(moments.weight[index]), error)
        self.means_, self.priors_ = moments.means, priors
        if self.store_covariance:
            self.covariance_ = list(covariances)

    def _covariances(self, moments: Moments, rows: TrainingRows | None) -> Array:
        """K × d × d, regularised; 0 for a class without a weight."""
        source = Covariances(moments, self.shrinkage, self.covariance_estimator, rows)
        d = self.n_features_in_
        result = np.zeros((len(moments.weight), d, d))
        for k in np.flatnonzero(moments.seen):
            result[k] = covariance = source.of_class(int(k))
            if self.solver == "svd" and self.reg_param > 0:
                weight = float(moments.weight[k])
                # As in scikit-learn, a class that spans fewer dimensions than there are features
                # because it has too few rows is refused even so.
                if weight < d and _core.white_directions(covariance)[0].shape[1] < d:
                    self._refuse(int(k), weight, None)
                result[k] *= 1 - self.reg_param
                result[k].flat[:: d + 1] += self.reg_param
        return result

    def _refuse(self, index: int, weight: float, error: SingularError | None) -> NoReturn:
        label, d = self.classes_[index], self.n_features_in_
        said = f"The covariance matrix of class {label} is not full rank. "
        if self.solver == "svd" and weight <= d:
            said += (
                "When using `solver='svd'` the number of samples in each class should be more than "
                f"the number of features, but class {label} has {weight:g} samples and {d} "
                "features. Try using `solver='eigen'` and setting the parameter `shrinkage` for "
                "regularization."
            )
        else:
            parameter = "shrinkage" if self.solver == "eigen" else "reg_param"
            said += f"Increase the value of `{parameter}` to reduce the collinearity."
        if error is not None:
            features = [self._name_of(name) for name in error.features]
            more = ", …" if len(features) > 5 else ""
            said += (
                f" Its rank is {error.rank} of {d}; constant, or linear combinations of the "
                f"features before them: {', '.join(features[:5])}{more}."
            )
        raise np.linalg.LinAlgError(said) from error

    def _name_of(self, feature: str) -> str:
        """The user's name of the engine's feature "x3", where the columns have names."""
        names = getattr(self, "feature_names_in_", None)
        return feature if names is None else str(names[int(feature[1:])])

    def _compute(self, name: str) -> None:
        super()._compute(name)
        if name in ("rotations_", "scalings_"):
            values, vectors = np.linalg.eigh(self._model.densities()[0]["covariance"])
            self.scalings_ = list(values[:, ::-1])
            self.rotations_ = [fix_signs(v[:, ::-1].copy()) for v in vectors]

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        held = state.get("_model")
        if held is not None:
            state = {**state, "_model": _core.Model.from_bytes(held)}
        super().__setstate__(state)
