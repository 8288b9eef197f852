"""Logistic regression by several passes over the rows, with scikit-learn's interface."""

from __future__ import annotations

import math
import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.class_weight import compute_class_weight

from .. import _core
from .._errors import warn
from .._turns import asking, in_turn
from ._base import Array, keeping, names_of, numbered, rows_of, sklearn_wording
from ._linear_classifier import LinearClassifier


class LogisticRegression(LinearClassifier):
    """Multinomial logistic regression: weights that make the labels most probable given the rows.

    A drop-in for scikit-learn's class of this name with an L2 penalty or none:

        minimise   C · Σ weight · log-loss + ½ |coef_|²

    Newton's steps where the matrix of second derivatives is small, L-BFGS otherwise. The result is
    the minimum itself, whatever the solver is called, and the same bits on any number of threads.
    `suffice.GenerativeClassifier(discriminative=True)` also takes categories, counts and missing
    values, and chooses the penalty.

    Parameters
    ----------
    penalty : {"l2", None}, default "l2"
        None is C=inf: maximum likelihood.
    C : float, default 1.0
        The inverse of the penalty.
    l1_ratio : float, default 0.0
        Only 0: there is no L1 penalty here.
    tol : float, default 1e-4
        At the end no derivative of the loss per row is larger, in units of the columns' standard
        deviations. Newton's steps usually end far below.
    fit_intercept : bool, default True
        Whether each class has an intercept.
    class_weight : dict, "balanced" or None, default None
        Factors of the weights of the classes.
    solver : str, default "lbfgs"
        Any of scikit-learn's but "liblinear", which penalises intercepts; it changes nothing.
    max_iter : int, default 100
        Passes over the rows at most.
    dual, intercept_scaling, random_state, verbose, warm_start
        Have no effect.
    n_jobs : int or None, default None
        The number of threads; None is all CPUs that the process may use.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Weights of the columns.
    intercept_ : ndarray of shape (n_classes,) or (1,)
        What is added to them.
    n_iter_ : ndarray of shape (1,)
        Passes over the rows.

    See Also
    --------
    sklearn.linear_model.LogisticRegression : The original.
    suffice.GenerativeClassifier : Mixed columns, missing values, and a model that is chosen.

    Examples
    --------
    >>> from suffice import LogisticRegression
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = LogisticRegression().fit(X, y)
    >>> clf.predict(X[:2])
    array([0, 0])
    >>> round(clf.score(X, y), 3)
    0.973
    """

    _row_weights: Array | None
    _accept_sparse: ClassVar[str | bool] = "csr"
    _learned: ClassVar[str] = "coef_"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        "penalty": [StrOptions({"l2"}), None],
        "C": [Interval(Real, 0, None, closed="right")],
        "l1_ratio": [Options(Real, {0}), None],
        "dual": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "solver": [StrOptions({"lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        penalty: str | None = "l2",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @in_turn
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Find the weights. A weight of a row says how many rows it stands for.

        >>> from suffice import LogisticRegression
        >>> X, y = [[0.0], [1.0], [2.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1, 1, 1]
        >>> clf = LogisticRegression(C=float("inf")).fit(X, y)
        >>> clf.coef_.round(3), clf.intercept_.round(3)
        (array([[1.386]]), array([-2.079]))
        """
        with keeping(self):
            values, codes, _ = self._fit(X, y, sample_weight)
            weights = self.__dict__.pop("_row_weights")
            assert self._statistics is not None
            rows = rows_of(values)
            rows.set_labels(codes, names_of(len(self.classes_)))
            if weights is not None:
                rows.set_weights(weights)
            with sklearn_wording(self, values):
                model, found = _core.fit_linear(
                    self._statistics,
                    rows,
                    0.0 if self.penalty is None or math.isinf(self.C) else 1 / self.C,
                    bool(self.fit_intercept),
                    self.max_iter,
                    float(self.tol),
                    self._threads,
                )
            self._statistics = None  # the weights are all that was learned
            self._publish(model, found, values.dtype)
        return self

    def _publish(self, model: _core.Model, found: dict[str, Any], kind: Any) -> None:
        self._model = model
        assert model.logistic is not None
        weights = model.logistic["weights"]
        offsets = np.where(model.weights > 0, model.logistic["intercept_at_zero"], -np.inf)
        if len(self.classes_) == 2:
            weights, offsets = weights[1:] - weights[:1], offsets[1:] - offsets[:1]
        self._decision = self._choice = weights, offsets
        kind = np.float32 if kind == np.float32 else np.float64
        self.coef_, self.intercept_ = weights.astype(kind), offsets.astype(kind)
        self.n_iter_ = np.array([found["passes"]], dtype=np.int32)
        if found["separable"]:
            warn(
                "some classes can be told apart without error, so that the likelihood has no finite "
                "maximum: weights grow without bound, and were stopped; a finite C avoids that"
            )
        elif not found["converged"]:
            warnings.warn(
                f"no convergence after max_iter={self.max_iter} passes; allow more, or use a "
                "smaller C",
                ConvergenceWarning,
                stacklevel=4,
            )

    @asking
    def decision_function(self, X: Any) -> Array:
        """The linear score of each class, or for two classes the log odds of the second.

        >>> from suffice import LogisticRegression
        >>> clf = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
        >>> clf.decision_function([[1.5]]).round(6) + 0.0
        array([0.])
        """
        return self._scores(X, "_decision")

    @asking
    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        return self._decided(X)

    @asking
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class given the row."""
        return self._posterior(X, log=False)

    @asking
    def predict_log_proba(self, X: Any) -> Array:
        """The log of `predict_proba`, also where that is too small for a double."""
        return self._posterior(X, log=True)

    def _new_statistics(self) -> _core.Statistics:
        schema = numbered(self.n_features_in_, "gaussian")
        return _core.Statistics(schema, "diagonal", names_of(len(self.classes_)))

    def _check_parameters(self) -> None:
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data "
                f"contains only one class: {self.classes_.tolist()[0]!r}"
            )

    def _add_rows(
        self, statistics: _core.Statistics, X: Any, codes: Array, weight: Array | None
    ) -> _core.Statistics:
        self._row_weights = self._weighted(codes, weight)
        return super()._add_rows(statistics, X, codes, self._row_weights)

    def _weighted(self, codes: Array, weight: Array | None) -> Array | None:
        """The weights of the rows with those of their classes."""
        if self.class_weight is None:
            return weight
        factor = compute_class_weight(
            self.class_weight,
            classes=self.classes_,
            y=self.classes_[codes],
            sample_weight=weight,
        )
        rows: Array = factor[codes] if weight is None else factor[codes] * weight
        return rows

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_model" in state:
            state = {**state, "_model": _core.Model.from_bytes(state["_model"])}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
