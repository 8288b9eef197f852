"""Classes: the caller's values (numbers, strings, dates, …) and the engine's names for them."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._encode import first_seen, sorted_codes
from ._errors import DataError
from ._optional import available

Array = NDArray[Any]


@dataclass(frozen=True)
class Labels:
    """One code for each row; code i means the class `values[i]`, whose name is `names[i]`."""

    codes: Array
    names: list[str]
    values: Array

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, first: int, last: int) -> Labels:
        """The rows from `first` to before `last`; a view."""
        return Labels(self.codes[first:last], self.names, self.values)


def name_of(value: Any) -> str:
    """The name of a class or level: digits for whole numbers, true and false, text as it is."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _core.name_of(float(value))
    if isinstance(value, bytes):
        return value.decode()
    return str(value)


def is_missing(value: Any) -> bool:
    """None, NaN, NaT, pandas.NA."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")


def kind_of(kind: type) -> str:
    """What may be mixed: all numbers, or all of one other type."""
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, np.timedelta64):  # one of NumPy's integers
        return kind.__name__
    if issubclass(kind, (int, float, np.integer, np.floating)):
        return "number"
    return "str" if issubclass(kind, str) else kind.__name__


def require_one_kind(values: Iterable[Any], what: str) -> None:
    """Raises ValueError for a mixture such as numbers and strings; shows one of each."""
    seen: dict[str, Any] = {}
    for value in values:
        if not is_missing(value):
            seen.setdefault(kind_of(type(value)), value)
    if len(seen) > 1:
        (a, x), (b, y) = list(seen.items())[:2]
        raise ValueError(
            f"{what} has values of different kinds, {a} ({x!r}) and {b} ({y!r}); "
            "convert them to one kind"
        )


def factorize(values: Sequence[Any]) -> tuple[Array, list[Any]]:
    """Codes in the order of first appearance, and the distinct values; a missing one has -1."""
    codes, distinct = first_seen(values, len(values))
    gone = [i for i, value in enumerate(distinct) if is_missing(value)]
    if gone:
        new = np.arange(len(distinct))
        kept = np.setdiff1d(new, gone)
        new[gone], new[kept] = -1, np.arange(len(kept))
        codes, distinct = new[codes], [distinct[i] for i in kept]
    return codes, distinct


def labels_of(y: Any, rows: int | None = None) -> Labels:
    """The classes of the rows: an array, list, Series, Categorical or Arrow array of any sortable
    kind of value. Raises ValueError for a missing label, mixed kinds, or not `rows` of them.
    """
    if not isinstance(y, Labels):
        y = _by_package(y)
    if rows is not None and len(y) != rows:
        raise ValueError(f"X has {rows} rows, but y has {len(y)} labels; give one for each row")
    return cast(Labels, y)


def partly_labelled(y: Any) -> Labels:
    """As labels_of, where rows may lack their label and then have the code -1: those whose label is
    missing (None, NaN, null), and, in integers, which cannot be missing, those with -1."""
    gone, taken = _unlabelled(y)
    if not gone.any():
        return labels_of(y)
    if gone.all():
        raise ValueError("no row of y has a label; at least one of each class is needed")
    known = labels_of(taken(~gone))
    codes = np.full(len(gone), -1, np.int64)
    codes[~gone] = known.codes
    return Labels(codes, known.names, known.values)


def _unlabelled(y: Any) -> tuple[Array, Callable[[Array], Any]]:
    """Which rows have no label, and a function that takes some rows."""
    package = type(y).__module__.partition(".")[0]
    if package == "pandas":
        return _missing_or_minus_one(y.isna().to_numpy(), y), lambda kept: y[kept]
    if package == "polars":
        missing = y.is_null()
        if y.dtype.is_float():
            missing = missing | y.is_nan().fill_null(False)
        return _missing_or_minus_one(missing.to_numpy(), y), lambda kept: y.filter(kept)
    pyarrow = available("pyarrow")
    if pyarrow is not None and isinstance(y, (pyarrow.Array, pyarrow.ChunkedArray)):
        missing = np.asarray(y.is_null(nan_is_null=True))
        whole = y.to_numpy(zero_copy_only=False) if isinstance(y, pyarrow.Array) else y.to_numpy()
        return _missing_or_minus_one(missing, whole), lambda kept: y.filter(pyarrow.array(kept))
    if not hasattr(y, "__array__"):
        values = list(y)
        whole = [isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in values]
        gone = [is_missing(v) or (v == -1 and all(whole)) for v in values]
        return np.array(gone, bool), lambda kept: [v for v, k in zip(values, kept) if k]
    array = np.asarray(y)
    if array.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in array.ravel().tolist()], bool)
    elif array.dtype.kind in "mM":
        missing = np.isnat(array)
    else:
        missing = array != array
    return _missing_or_minus_one(missing, array), lambda kept: array[kept]


def _missing_or_minus_one(missing: Array, y: Any) -> Array:
    values = np.asarray(y) if not missing.any() else None
    if values is not None and values.dtype.kind == "i":
        return np.asarray(values == -1)
    return np.asarray(missing, bool)


def _by_package(y: Any) -> Labels:
    package = type(y).__module__.partition(".")[0]
    if package == "pandas":
        return _of_pandas(y)
    if package == "polars":
        return _of_polars(y)
    if hasattr(y, "__arrow_c_stream__") or hasattr(y, "__arrow_c_array__"):
        pyarrow = available("pyarrow")
        if pyarrow is not None:
            return _of_arrow(pyarrow, y)
    if isinstance(y, (str, bytes)) or not (hasattr(y, "__array__") or hasattr(y, "__len__")):
        raise ValueError(f"y must be an array of labels, one for each row, not {type(y).__name__}")
    if isinstance(y, np.ndarray) or hasattr(y, "__array__"):
        return _of_array(np.asarray(y))
    values = list(y)
    if any(isinstance(value, (list, np.ndarray)) and np.ndim(value) > 0 for value in values[:1]):
        _require_flat(np.ndim(values[0]) + 1, "")
    return _of_objects(values, keep_objects=False)


def _require_flat(dimensions: int, advice: str) -> None:
    if dimensions != 1:
        raise ValueError(f"y must have one dimension, but it has {dimensions}{advice}")


def _of_array(y: Array) -> Labels:
    _require_flat(y.ndim, f" (shape {y.shape})")
    if y.dtype.kind == "O":
        return _of_objects(y.tolist(), keep_objects=True)
    if y.dtype.kind in "cV":
        raise ValueError(f"y has the type {y.dtype}; a label must have an order")
    if y.dtype.kind in "mM":
        missing = np.isnat(y)
        if missing.any():
            _missing_label(int(missing.argmax()))
    if y.dtype.kind == "f":
        _require_finite(y)
    values, codes = sorted_codes(y)
    return _named(codes, values)


def _require_finite(y: Array) -> None:
    finite = np.isfinite(y)
    if not finite.all():
        row = int(finite.argmin())
        if np.isnan(y[row]):
            _missing_label(row)
        raise DataError(f"the label is {y[row]}", "a class needs a finite number", row=row)


def _of_objects(values: Sequence[Any], *, keep_objects: bool) -> Labels:
    """Any hashable values. An object array has an object array for its classes."""
    if len({kind_of(kind) for kind in set(map(type, values))}) > 1:
        require_one_kind(values, "y")
    try:
        codes, distinct = factorize(values)
    except TypeError as error:
        raise ValueError(f"a label must be hashable: {error}") from error
    if (codes < 0).any():
        _missing_label(int((codes < 0).argmax()))
    if not keep_objects and distinct and kind_of(type(distinct[0])) in ("bool", "number", "str"):
        array = np.array(distinct)
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            _require_finite(array[codes])
        return _named(codes, array)
    array = np.empty(len(distinct), object)
    array[:] = distinct
    return _named(codes, array)


def _named(codes: Array, values: Array) -> Labels:
    # NumPy's dates as they print: tolist() would make numbers of some.
    cells = values if values.dtype.kind in "mM" else values.tolist()
    names = [name_of(value) for value in cells]
    if len(set(names)) < len(names):
        first: dict[str, Any] = {}
        for value, name in zip(values, names):
            if name in first:
                raise ValueError(
                    f"the labels {first[name]!r} and {value!r} have the same name, '{name}'"
                )
            first[name] = value
    return Labels(codes, names, values)


def _missing_label(row: int) -> None:
    raise DataError("the label is missing", "leave such rows out", row=row)


def _of_pandas(y: Any) -> Labels:
    pandas = available("pandas")
    assert pandas is not None
    _require_flat(getattr(y, "ndim", 1), "; name one column of X, or give one column")
    if isinstance(y.dtype, np.dtype):
        return _of_array(np.asarray(y))
    codes, distinct = pandas.factorize(y)
    if (codes < 0).any():
        _missing_label(int((codes < 0).argmax()))
    values = np.asarray(distinct)
    if values.dtype.kind == "O":
        require_one_kind(values, "y")
    return _named(codes, values)


def _of_polars(y: Any) -> Labels:
    import polars

    if not isinstance(y, polars.Series):
        _require_flat(2, "; name one column of X, or give one column")
    if y.null_count():
        _missing_label(int(y.is_null().arg_max() or 0))
    if y.dtype in (polars.String, polars.Categorical) or isinstance(y.dtype, polars.Enum):
        codes, names = polars_codes(y)
        return _named(codes, np.array(names, dtype=np.str_))
    if y.dtype.is_integer() or y.dtype.is_float() or y.dtype == polars.Boolean:
        return _of_array(y.to_numpy())
    return _of_objects(y.to_list(), keep_objects=False)


def polars_codes(series: Any) -> tuple[Array, list[str]]:
    """Codes (-1: null) of a Polars column of strings, and the strings that occur."""
    import polars

    text = series.cast(polars.String)
    names = text.drop_nulls().unique(maintain_order=True)
    codes = text.cast(polars.Enum(names)).to_physical().cast(polars.Int32).fill_null(-1)
    return codes.to_numpy(), names.to_list()


def _of_arrow(pyarrow: Any, y: Any) -> Labels:
    column = pyarrow.chunked_array(y)
    if column.null_count:
        _missing_label(column.is_null().index(True).as_py())
    kind = column.type
    types = pyarrow.types
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        column = column.cast(pyarrow.large_string())
        encoded = column.dictionary_encode().unify_dictionaries()
        names = encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else []
        codes = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
        return _named(
            np.concatenate(codes) if codes else np.empty(0, np.int32), np.array(names, np.str_)
        )
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return _of_array(column.to_numpy())
    return _of_objects(column.to_pylist(), keep_objects=False)


@dataclass(frozen=True)
class ClassValues:
    """The caller's values of the classes that were seen in data, by name. Statistics from a file
    know only names: an integer for each where all are whole numbers, else the names."""

    values: dict[str, Any]
    dtype: np.dtype[Any] | None = None

    @staticmethod
    def of(names: Sequence[str], values: Array) -> ClassValues:
        if not len(names):
            return ClassValues({})
        return ClassValues(dict(zip(names, values)), values.dtype)

    # What is stored: lists and arrays, which need no class of ours to be read.

    def stored(self) -> dict[str, Any]:
        values = np.empty(len(self.values), self.dtype or object)
        values[:] = list(self.values.values())
        return {"names": list(self.values), "values": values}

    @staticmethod
    def restored(state: dict[str, Any]) -> ClassValues:
        return ClassValues.of(state["names"], state["values"])

    def joined(self, other: ClassValues) -> ClassValues:
        """Both; raises ValueError where one has numbers and the other strings, say."""
        if not self.values or not other.values:
            return self if self.values else other
        require_one_kind([next(iter(self.values.values())), next(iter(other.values.values()))],
                         "the classes of all updates together")
        assert self.dtype is not None and other.dtype is not None
        if self.dtype == other.dtype and other.values.keys() <= self.values.keys():
            return self
        dtype = np.dtype(object)
        if self.dtype != object and other.dtype != object:
            dtype = np.result_type(self.dtype, other.dtype)
        return ClassValues({**other.values, **self.values}, dtype)

    def array(self, names: Sequence[str]) -> Array:
        """A value for each name, read-only."""
        if not self.values:
            result = _guess(names)
        else:
            assert self.dtype is not None
            example = next(iter(self.values.values()))
            values = [self.values[n] if n in self.values else _like(example, n) for n in names]
            dtype = self.dtype
            if dtype.kind == "U":  # wide enough for names that came from elsewhere
                dtype = np.result_type(dtype, np.array(values, np.str_).dtype)
            result = np.empty(len(names), dtype)
            result[:] = values
        result.setflags(write=False)
        return result


def _guess(names: Sequence[str]) -> Array:
    if names and all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) for name in names):
        return np.array([int(name) for name in names])
    return np.array(list(names), np.str_)


def _like(example: Any, name: str) -> Any:
    """The value of a class that only its name is known of, beside others whose values are."""
    if isinstance(example, str):
        return name
    if isinstance(example, (bool, np.bool_)) and name in ("true", "false"):
        return name == "true"
    try:
        if isinstance(example, (int, np.integer)):
            return int(name)
        if isinstance(example, (float, np.floating)):
            return float(name)
    except ValueError:
        pass
    raise ValueError(
        f"the class '{name}' is known by its name only, while others have values like {example!r}"
    )
