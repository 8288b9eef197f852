"""What the drop-ins share: validation in scikit-learn's words, labels, sums, pickles.

A drop-in keeps a ``_core.Statistics``: exact sums per class, classes named by their position
("0", "1", …) because ``classes_`` holds their values. ``fit`` starts new sums, ``partial_fit``
adds to them, and both then compute the attributes from the sums, so that batches give what all
rows at once give.

A subclass says what it counts (``_new_statistics``), checks its parameters before any row is read
(``_check_parameters``), and computes its attributes after ``_fit`` or ``_partial_fit``.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from numbers import Integral
from types import TracebackType
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .. import _core
from .._encode import codes_in, sorted_codes
from .._errors import DataError
from .._threads import threads_of
from .._turns import turn_of

Array = NDArray[Any]
Self = TypeVar("Self", bound="Base")
Result = TypeVar("Result")

_READ = frozenset("fiub")  # kinds of numbers that the engine reads in place


@lru_cache(maxsize=64)
def names_of(count: int) -> list[str]:
    """The engine's names of ``count`` classes: "0", "1", …"""
    return [str(i) for i in range(count)]


@lru_cache(maxsize=16)
def numbered(count: int, family: str) -> _core.Schema:
    """A schema of the features x0, x1, … of one family in one block."""
    return _core.Schema.numbered(count, family)


def readable(values: Array) -> Array:
    """``values`` itself, unless the engine cannot read its type (float16, swapped bytes, …)."""
    dtype = values.dtype
    if dtype.isnative and (dtype.kind in "iub" or dtype in (np.float64, np.float32)):
        return values
    return values.astype(np.float32 if dtype == np.float16 else np.float64)


def is_plain(X: Any) -> bool:
    """Whether ``X`` is a matrix of numbers with some rows, so that it needs no validation."""
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in _READ


def are_plain_labels(y: Any, rows: int) -> bool:
    """Whether ``y`` has a label for each row that cannot be missing."""
    return type(y) is np.ndarray and y.shape == (rows,) and y.dtype.kind in "iubU"


def rows_of(X: Any) -> _core.Rows:
    """A view of validated data, dense or CSR."""
    rows = _core.Rows(X.shape[0])
    if isinstance(X, np.ndarray):
        rows.add_matrix(readable(X))
    else:
        rows.add_sparse(X.indptr, X.indices, readable(X.data), X.shape[1])
    return rows


@contextmanager
def keeping(estimator: BaseEstimator) -> Iterator[dict[str, Any]]:
    """Work that may be refused: then the estimator has the attributes that it had at the start, or
    those that the work has put into the yielded dictionary instead."""
    kept = dict(vars(estimator))
    try:
        yield kept
    except BaseException:
        vars(estimator).update(kept)
        for name in set(vars(estimator)) - set(kept):
            del vars(estimator)[name]
        raise


class sklearn_wording:
    """Gives the engine's refusal of a value in ``X`` the words that scikit-learn has for it, and
    the names that the caller knows."""

    def __init__(self, estimator: Base, X: Any) -> None:
        self.estimator, self.X = estimator, X

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not isinstance(error, DataError):
            return
        columns = [int(feature[1:]) for feature in error.features]
        if error.row is not None and columns:
            refuse_value(self.estimator, self.X[error.row, columns[0]], error.row, columns[0])
        error.features = [self.estimator._feature_name(column) for column in columns]
        if error.label:
            error.label = str(self.estimator.classes_[int(error.label)])


def refuse_value(estimator: Base, value: Any, row: int, column: int) -> None:
    """Raises ValueError if ``value`` is NaN, infinite or negative: why a value is refused."""
    name = type(estimator).__name__
    if np.isnan(value):
        said = f"Input X contains NaN.\n{name} does not accept missing values encoded as NaN."
    elif np.isinf(value):
        said = "Input X contains infinity or a value too large for dtype('float64')."
    elif value < 0:
        said = f"Negative values in data passed to {name} (input X)."
    else:
        return
    raise ValueError(f"{said}\nIt is in row {row}, feature '{estimator._feature_name(column)}'.")


class Base(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """The drop-ins' common ground."""

    #: Whether validation lets sparse rows through, and as what.
    _accept_sparse: ClassVar[str | bool] = False
    #: The attribute whose presence says that the estimator was fitted.
    _learned: ClassVar[str]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_jobs": [None, Integral]}

    n_jobs: int | None
    n_features_in_: int
    feature_names_in_: Array
    classes_: Array
    _statistics: _core.Statistics | None

    # What a subclass adds.

    @abstractmethod
    def _new_statistics(self) -> _core.Statistics:
        """Empty sums for ``classes_`` and ``n_features_in_``."""

    def _check_parameters(self) -> None:
        """Refuses parameters that do not fit ``classes_`` or ``n_features_in_``."""

    def _blocks(self, X: Any) -> Iterator[tuple[slice, Any]]:
        """Validated rows as the engine takes them, with their places."""
        yield slice(0, X.shape[0]), X

    def _over_blocks(self, X: Any, work: Callable[[Iterable[tuple[slice, Any]]], Result]) -> Result:
        """``work`` done on the blocks."""
        return work(self._blocks(X))

    # Validation: scikit-learn's own, whose pass for NaN is left to the engine, and around it where
    # a plain array leaves nothing to find. Small data would spend most of their time in it.

    def _checked(self, X: Any) -> Any:
        """``X`` of predict and the other methods that score rows."""
        if is_plain(X) and not self._has_names():
            if X.shape[1] == getattr(self, "n_features_in_", -1):
                return X
        return validate_data(
            self, X, accept_sparse=self._accept_sparse, ensure_all_finite=False, reset=False
        )

    def _checked_pair(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
        """``X`` and ``y`` of fit (``reset``) and partial_fit."""
        if is_plain(X) and are_plain_labels(y, len(X)) and not self._has_names():
            if reset:
                self.n_features_in_ = X.shape[1]
            if X.shape[1] == self.n_features_in_:
                return X, y
        pair: tuple[Any, Array] = validate_data(
            self, X, y, accept_sparse=self._accept_sparse, ensure_all_finite=False, reset=reset
        )
        return pair

    def _has_names(self) -> bool:
        return hasattr(self, "feature_names_in_")

    def _feature_name(self, column: int) -> str:
        return str(self.feature_names_in_[column]) if self._has_names() else f"x{column}"

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)

    def _validated_parameters(self) -> None:
        if not get_config()["skip_parameter_validation"]:
            given = {name: getattr(self, name) for name in self._parameter_constraints}
            validate_parameter_constraints(
                self._parameter_constraints, given, caller_name=type(self).__name__
            )

    @property
    def _threads(self) -> int:
        return threads_of(self.n_jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._learned)

    # Learning.

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array, Array | None]:
        """All of fit but the attributes: new sums of all rows.

        Returns the validated rows, the codes of the labels and the weights.
        """
        self._validated_parameters()
        with keeping(self) as kept:
            X, y = self._checked_pair(X, y, reset=True)
            weight = self._checked_weight(sample_weight, X)
            self.classes_, codes = sorted_codes(y)
            if y.dtype.kind not in "iubU":
                check_classification_targets(self.classes_)
            # As in scikit-learn, parameters that do not fit the new classes leave an estimator that
            # has these classes and has learned nothing.
            before = dict(kept)
            kept.clear()
            kept.update(vars(self), _statistics=None)
            kept.pop(self._learned, None)
            self._check_parameters()
            kept.clear()
            kept.update(before)
            self._statistics = self._add_rows(self._new_statistics(), X, codes, weight)
        return X, codes, weight

    def _partial_fit(
        self, X: Any, y: Any, classes: Any, sample_weight: Any
    ) -> tuple[Any, Array, Array | None]:
        """All of partial_fit but the attributes: the sums of the rows so far.

        Returns the validated rows, the codes of the labels and the weights.
        """
        first = getattr(self, "classes_", None) is None
        if first or not self.__sklearn_is_fitted__():
            self._validated_parameters()
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        with keeping(self):
            if classes is not None:
                known = unique_labels(classes)
                if first:
                    self.classes_ = known
                elif not np.array_equal(self.classes_, known):
                    raise ValueError(
                        f"`classes={classes!r}` is not the same as on last call to partial_fit, "
                        f"was: {self.classes_!r}"
                    )
            X, y = self._checked_pair(X, y, reset=first)
            codes = codes_in(y, self.classes_)
            if codes.size and codes.min() < 0:
                raise ValueError(
                    f"The target label(s) {np.unique(y[codes < 0])} in y do not exist in the "
                    f"initial classes {self.classes_}"
                )
            self._check_parameters()
            weight = self._checked_weight(sample_weight, X)
            statistics = getattr(self, "_statistics", None)
            if statistics is None:
                statistics = self._new_statistics()
            self._statistics = self._add_rows(statistics, X, codes, weight)
        return X, codes, weight

    def _checked_weight(self, sample_weight: Any, X: Any) -> Array | None:
        if sample_weight is None:
            return None
        weight: Array = _check_sample_weight(sample_weight, X)
        return weight

    def _add_rows(
        self, statistics: _core.Statistics, X: Any, codes: Array, weight: Array | None
    ) -> _core.Statistics:
        """The sums with validated rows added; as they were where a value is refused."""
        rows = rows_of(X)
        rows.set_labels(codes, names_of(len(self.classes_)))
        if weight is not None:
            rows.set_weights(weight)
        with sklearn_wording(self, X):
            statistics.update(rows, threads=self._threads, allow_missing=False)
        return statistics

    # Threads: who asks gets a twin, a shallow copy made while nobody learns.

    def _prepare(self) -> None:
        """Computes what answers need and learning has put off."""

    def _of_one_state(self: Self) -> Self:
        """What the estimator is now; a twin is its own."""
        if self._is_twin():
            return self
        with turn_of(self):
            if self.__sklearn_is_fitted__():
                self._prepare()
            twin = object.__new__(type(self))
            twin.__dict__.update(vars(self), _twin=True)
        return twin

    def _is_twin(self) -> bool:
        return "_twin" in vars(self)

    # Pickles and copies: the engine's objects travel as the bytes of their files.

    def __getstate__(self) -> dict[str, Any]:
        with turn_of(self):
            state: dict[str, Any] = dict(super().__getstate__())
            if state.get("_statistics") is not None:
                state["_statistics"] = state["_statistics"].to_bytes()
        state.pop("_turn", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        held = state.get("_statistics")
        if held is not None:
            state = {**state, "_statistics": _core.Statistics.from_bytes(held)}
        super().__setstate__(state)
