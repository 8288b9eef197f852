"""What linear and quadratic discriminant analysis share beyond the other drop-ins."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from .. import _core
from .._turns import turn_of
from ._base import Array, Base, keeping, names_of, numbered
from ._covariance import TrainingRows


class DiscriminantAnalysis(Base):
    """One Gaussian block with dense scatters.

    `fit` computes the attributes at once. `partial_fit` only adds to the sums: the attributes are
    computed when one is asked for, so a stream of batches pays for one solution, and a first batch
    may be too small for a covariance.
    """

    #: Attributes that are computed from the sums.
    _computed: ClassVar[frozenset[str]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Base._parameter_constraints,
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
    }

    shrinkage: str | float | None
    priors: Any
    covariance_estimator: Any

    _rows_of_fit: int | None = None  # where `fit` is running

    def _new_statistics(self) -> _core.Statistics:
        schema = numbered(self.n_features_in_, "gaussian")
        names = names_of(len(self.classes_))
        return _core.Statistics(schema, "dense" if self._needs_scatters() else "diagonal", names)

    def _needs_scatters(self) -> bool:
        return True

    def _learn(self, statistics: _core.Statistics, rows: TrainingRows | None = None) -> None:
        raise NotImplementedError

    def _fit_all(self, X: Any, y: Any, sample_weight: Any) -> None:
        with keeping(self) as kept:
            # A refused fit leaves the estimator as if there had been none.
            for name in (*self._computed, "_statistics", "classes_"):
                kept.pop(name, None)
            self._rows_of_fit = X.shape[0] if hasattr(X, "shape") and len(X.shape) else None
            values, codes, weights = self._fit(X, y, sample_weight)
            self._forget()
            assert self._statistics is not None
            self._learn(self._statistics, TrainingRows(values, codes, weights))
            del self._rows_of_fit

    def _fit_more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        if self.shrinkage == "auto" or self.covariance_estimator is not None:
            raise ValueError(
                "partial_fit cannot be used with shrinkage='auto' or a covariance_estimator: both "
                "read all rows a second time. Call fit, or give a number as shrinkage"
            )
        held = vars(self).get("_statistics")
        if held is not None and held.scatter == "diagonal":
            raise ValueError(
                f"fit had far fewer rows than the {self.n_features_in_} features, and kept no "
                "scatters that partial_fit could add to; give those rows to partial_fit as well"
            )
        self._partial_fit(X, y, classes, sample_weight)
        self._forget()

    def _forget(self) -> None:
        for name in self._computed:
            self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        if name in self._computed and self.__sklearn_is_fitted__():
            self._compute(name)
            if name in vars(self):
                return vars(self)[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _prepare(self) -> None:
        self._compute(self._learned)

    def _compute(self, name: str) -> None:
        """Computes the attributes, `name` among them, after `partial_fit`."""
        with turn_of(self):
            if self._learned not in vars(self) and self._statistics is not None:
                self._learn(self._statistics)

    def __sklearn_is_fitted__(self) -> bool:
        return vars(self).get("_statistics") is not None


def single_rows(statistics: _core.Statistics) -> Array:
    """Which classes have one row: only then is (Σw)² not above Σw²."""
    weights = statistics.weights
    single: Array = (weights > 0) & (weights * weights <= statistics.squared_weights)
    return single
