"""Single columns: NumPy arrays of numbers, strings or objects, and what pandas has beside them."""
from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._labels import factorize, is_missing, kind_of, name_of
from ._source import Kind, Wanted, not_numbers, unsupported

Array = NDArray[Any]

BOOLEANS = ["false", "true"]
_READ = frozenset("bBhHiIlLqQfd?")


def is_read(values: Array) -> bool:
    """Whether the engine reads these numbers where they are."""
    item = values.dtype.itemsize
    return (
        values.dtype.char in _READ
        and values.dtype.isnative
        and values.flags.aligned
        and all(stride % item == 0 for stride in values.strides)
    )


class Column(ABC):
    """One column under its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    @abstractmethod
    def kind(self) -> Kind: ...

    def in_place(self, family: str) -> bool:
        """Whether nothing has to be converted for the engine."""
        return False

    @abstractmethod
    def values(self) -> Any:
        """All of it, for labels or weights."""

    @abstractmethod
    def add_to(self, rows: _core.Rows, wanted: Wanted, first: int, last: int) -> None: ...


def add_numbers(
    rows: _core.Rows, values: Array, wanted: Wanted, missing: Array | None = None
) -> None:
    """Numbers, or booleans, which are names to a categorical feature."""
    if values.dtype.kind == "b" and wanted.family == "categorical":
        codes = values.view(np.int8)
        rows.add_codes(codes if missing is None else np.where(missing, -1, codes), BOOLEANS)
    elif is_read(values):
        rows.add_column(values, missing)
    else:
        rows.add_column(values.astype(np.float64), missing)


def add_names(rows: _core.Rows, codes: Array, names: list[str], wanted: Wanted) -> None:
    if wanted.family != "categorical":
        raise not_numbers(wanted.name, wanted.family)
    rows.add_codes(codes, names)


class NumberColumn(Column):
    """A NumPy array of integers, floats or booleans."""

    def __init__(self, name: str, values: Array) -> None:
        super().__init__(name)
        self._values = values

    @property
    def kind(self) -> Kind:
        return "bool" if self._values.dtype.kind == "b" else "number"

    def in_place(self, family: str) -> bool:
        return is_read(self._values)

    def values(self) -> Array:
        return self._values

    def add_to(self, rows: _core.Rows, wanted: Wanted, first: int, last: int) -> None:
        add_numbers(rows, self._values[first:last], wanted)


class ObjectColumn(Column):
    """A NumPy array of strings or of Python objects: all numbers, all booleans or all strings,
    with None or NaN where one is missing."""

    def __init__(self, name: str, values: Array) -> None:
        super().__init__(name)
        self._values = values
        self._kind: Kind | None = None

    @property
    def kind(self) -> Kind:
        # What the first value is the others must be; add_to looks at each.
        if self._kind is None:
            if self._values.dtype.kind != "O":
                self._kind = "name"
            else:
                first = next((value for value in self._values if not is_missing(value)), np.nan)
                self._kind = self._kind_of(first)
        return self._kind

    def _kind_of(self, value: Any) -> Kind:
        kind = kind_of(type(value))
        if kind == "bool":
            return "bool"
        if kind == "number" or isinstance(value, Decimal):
            return "number"
        if kind == "str":
            return "name"
        raise unsupported(self.name, kind)

    def values(self) -> Array:
        return self._values

    def add_to(self, rows: _core.Rows, wanted: Wanted, first: int, last: int) -> None:
        cells = self._values[first:last].tolist()
        self._require_one_kind(cells, first)
        if self.kind == "name":
            codes, names = factorize(cells)
            add_names(rows, codes, [name_of(name) for name in names], wanted)
        elif self.kind == "bool" and wanted.family == "categorical":
            codes = np.array([-1 if is_missing(cell) else cell for cell in cells], np.int8)
            rows.add_codes(codes, BOOLEANS)
        else:
            numbers = [np.nan if is_missing(cell) else float(cell) for cell in cells]
            rows.add_column(np.array(numbers, np.float64))

    def _require_one_kind(self, cells: list[Any], first: int) -> None:
        others = {kind for kind in set(map(type, cells)) if not self._has(kind)}
        for row, cell in enumerate(cells if others else []):
            if type(cell) in others and not is_missing(cell):
                example = next(value for value in self._values if not is_missing(value))
                raise ValueError(
                    f"column '{self.name}' has values of different kinds, "
                    f"{kind_of(type(example))} ({example!r}) and {kind_of(type(cell))} "
                    f"({cell!r} in row {first + row}); convert them to one kind"
                )

    def _has(self, kind: type) -> bool:
        """Whether cells of this type belong to the column."""
        if self.kind == "number":
            return kind_of(kind) == "number" or issubclass(kind, Decimal)
        return kind_of(kind) == ("str" if self.kind == "name" else "bool")


class PandasColumn(Column):
    """A pandas column of an extension type: nullable, string, Arrow, sparse."""

    def __init__(self, name: str, series: Any, kind: Kind) -> None:
        super().__init__(name)
        self._series = series
        self._kind: Kind = kind

    @property
    def kind(self) -> Kind:
        return self._kind

    def values(self) -> Any:
        return self._series

    def add_to(self, rows: _core.Rows, wanted: Wanted, first: int, last: int) -> None:
        part = self._series.iloc[first:last]
        if self._kind == "name":
            import pandas

            codes, names = pandas.factorize(part)
            add_names(rows, codes, [str(name) for name in names], wanted)
            return
        missing = part.isna().to_numpy()
        dtype = np.dtype(getattr(part.dtype, "numpy_dtype", getattr(part.dtype, "subtype", float)))
        if dtype.kind not in "iufb":  # Arrow's decimals
            dtype = np.dtype(np.float64)
        values = part.to_numpy(dtype=dtype, na_value=dtype.type(0))
        add_numbers(rows, values, wanted, missing if missing.any() else None)


class PandasCategorical(Column):
    """Codes and categories are what the engine reads."""

    def __init__(self, name: str, series: Any) -> None:
        super().__init__(name)
        self._series = series
        self._codes: Array = np.asarray(series.array.codes)
        self._categories = series.array.categories

    @property
    def kind(self) -> Kind:
        return "name"

    def in_place(self, family: str) -> bool:
        return family == "categorical"

    def values(self) -> Any:
        return self._series

    def add_to(self, rows: _core.Rows, wanted: Wanted, first: int, last: int) -> None:
        codes = self._codes[first:last]
        if wanted.family == "categorical":
            rows.add_codes(codes, [name_of(value) for value in self._categories.tolist()])
            return
        categories = self._categories.to_numpy()
        if categories.dtype.kind not in "iufb":
            raise not_numbers(wanted.name, wanted.family)
        numbers = np.append(categories.astype(np.float64), np.nan)  # code -1 is the last
        rows.add_column(numbers[codes])


def column_of(name: str, values: Any) -> Column:
    """A column from a 1-D NumPy array or a pandas Series. A type that cannot be read is found
    when the column is needed, since labels can be anything."""
    if type(values).__module__.partition(".")[0] == "pandas" and not isinstance(
        values.dtype, np.dtype
    ):
        return _extension_column(name, values)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column '{name}' has {array.ndim} dimensions; a column has one")
    if array.dtype.kind in "iufb":
        return NumberColumn(name, array)
    if array.dtype.kind in "OUST":
        return ObjectColumn(name, array)
    return Unreadable(name, values, str(array.dtype))


def _extension_column(name: str, series: Any) -> Column:
    import pandas

    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return PandasCategorical(name, series)
    if dtype.kind in "iuf":
        return PandasColumn(name, series, "number")
    if dtype.kind == "b":
        return PandasColumn(name, series, "bool")
    if pandas.api.types.is_string_dtype(dtype):
        return PandasColumn(name, series, "name")
    if "decimal" in str(dtype):
        return PandasColumn(name, series, "number")
    if str(dtype).startswith("dictionary"):
        return _extension_column(name, series.astype("category"))
    return Unreadable(name, series, str(dtype))


class Unreadable(Column):
    """Dates and other things that no family describes; they can still be labels."""

    def __init__(self, name: str, values: Any, dtype: str) -> None:
        super().__init__(name)
        self._values = values
        self._dtype = dtype

    @property
    def kind(self) -> Kind:
        raise unsupported(self.name, self._dtype)

    def values(self) -> Any:
        return self._values

    def add_to(self, rows: _core.Rows, wanted: Wanted, first: int, last: int) -> None:
        raise unsupported(self.name, self._dtype)
