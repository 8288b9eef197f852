"""Tables in memory: arrays, sparse matrices, and lists of columns (pandas frames, dictionaries)."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._columns import BOOLEANS, Column, column_of, is_read
from ._source import Kind, Source, WantedColumns, require_distinct

Array = NDArray[Any]


class Matrix(Source):
    """A 2-D array of numbers, whatever its order and strides."""

    def __init__(self, values: Array, names: Sequence[str] | None = None) -> None:
        self._values = values
        self.names = None if names is None else require_distinct(names)
        self.rows, self.width = values.shape

    def kind(self, position: int) -> Kind:
        return self.common_kind()

    def common_kind(self) -> Kind:
        return "bool" if self._values.dtype.kind == "b" else "number"

    def in_place(self, wanted: WantedColumns) -> bool:
        return is_read(self._values)

    def column(self, position: int) -> Array:
        column: Array = self._values[:, position]
        return column

    def add_to(self, rows: _core.Rows, wanted: WantedColumns, first: int, last: int) -> None:
        values = self._values[first:last]
        if not is_read(values):
            values = values.astype(np.float64)
        if wanted.everything and values.dtype.kind != "b":
            rows.add_matrix(values)
            return
        start = 0
        while start < len(wanted):
            end = start + 1
            if values.dtype.kind == "b" and wanted[start].family == "categorical":
                rows.add_codes(values[:, wanted[start].position].view(np.int8), BOOLEANS)
            else:
                # Neighbours go together.
                while (
                    end < len(wanted)
                    and wanted[end].position == wanted[end - 1].position + 1
                    and not (values.dtype.kind == "b" and wanted[end].family == "categorical")
                ):
                    end += 1
                rows.add_matrix(values[:, wanted[start].position : wanted[end - 1].position + 1])
            start = end


class Sparse(Source):
    """A SciPy sparse matrix as CSR."""

    names = None
    sparse = True

    def __init__(self, matrix: Any) -> None:
        if matrix.ndim != 2:
            raise ValueError(f"X must have two dimensions, but it has {matrix.ndim}")
        csr = matrix.tocsr()
        if not csr.has_canonical_format:  # the engine is faster on rows that are in order
            csr = csr.copy() if csr is matrix else csr
            csr.sum_duplicates()
        self.rows, self.width = csr.shape
        self._indptr: Array = csr.indptr
        self._indices: Array = csr.indices
        if self._indptr.dtype != self._indices.dtype:
            self._indptr = self._indptr.astype(np.int64)
            self._indices = self._indices.astype(np.int64)
        self._data: Array = csr.data
        if self._data.dtype.kind == "b":
            self._data = self._data.view(np.uint8)
        elif self._data.dtype.kind == "c":
            raise ValueError("X has complex numbers, which no family describes")
        elif not is_read(self._data):
            self._data = self._data.astype(np.float64)

    def kind(self, position: int) -> Kind:
        return "number"

    def common_kind(self) -> Kind:
        return "number"

    def in_place(self, wanted: WantedColumns) -> bool:
        return True

    def column(self, position: int) -> Array:
        raise ValueError("the columns of a sparse X have no names; give labels as an array")

    def add_to(self, rows: _core.Rows, wanted: WantedColumns, first: int, last: int) -> None:
        start, end = int(self._indptr[first]), int(self._indptr[last])
        indptr = self._indptr[first : last + 1]
        rows.add_sparse(
            indptr if start == 0 else indptr - start,
            self._indices[start:end],
            self._data[start:end],
            self.width,
        )
        if not wanted.everything and len(wanted) != self.width:
            rows.keep_columns([one.position for one in wanted])


class Columns(Source):
    """Columns that lie apart, each with a type of its own."""

    def __init__(self, columns: Sequence[Column], rows: int, *, named: bool) -> None:
        self._columns = columns
        self.rows = rows
        self.width = len(columns)
        self.names = require_distinct([column.name for column in columns]) if named else None

    def kind(self, position: int) -> Kind:
        return self._columns[position].kind

    def in_place(self, wanted: WantedColumns) -> bool:
        return all(self._columns[w.position].in_place(w.family) for w in wanted)

    def column(self, position: int) -> Any:
        return self._columns[position].values()

    def add_to(self, rows: _core.Rows, wanted: WantedColumns, first: int, last: int) -> None:
        for feature in wanted:
            self._columns[feature.position].add_to(rows, feature, first, last)


def of_array(values: Any) -> Source:
    """Anything that NumPy takes for a table."""
    array = np.asarray(values)
    if array.dtype.names:
        if array.ndim != 1:
            raise ValueError(f"a structured X must have one dimension, but it has {array.ndim}")
        return of_mapping({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        advice = {
            0: ": give a table, or iter(X) for batches of rows",
            1: ": X.reshape(-1, 1) is a table of one column, X.reshape(1, -1) of one row",
        }.get(array.ndim, ": X.reshape(len(X), -1) has a row for each item")
        raise ValueError(f"X must have two dimensions, but it has {array.ndim}{advice}")
    if array.dtype.kind in "iufb":
        return Matrix(array)
    if array.dtype.kind in "OUST":
        if array.dtype.kind != "O" and not hasattr(values, "__array__"):
            array = np.array(values, dtype=object)  # [[1, "a"]]: NumPy made strings of numbers
        columns = [column_of(f"x{j}", array[:, j]) for j in range(array.shape[1])]
        return Columns(columns, len(array), named=False)
    raise ValueError(f"X has the type {array.dtype}, which no family describes; give numbers")


def of_mapping(columns: Mapping[Any, Any]) -> Source:
    """Columns by name, all of one length."""
    made = []
    rows = -1
    for name, values in columns.items():
        column = column_of(str(name), values)
        length = len(column.values())
        if rows not in (-1, length):
            raise ValueError(
                f"column '{name}' has {length} values, the columns before it have {rows}"
            )
        rows = length
        made.append(column)
    if not made:
        raise ValueError("X has no columns")
    return Columns(made, rows, named=True)


def as_it_lies(frame: Any) -> Array:
    """A frame as an array; raises ValueError unless it lies in one piece."""
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        return np.asarray(frame, copy=False)
    first = frame.iloc[:, 0].to_numpy()
    if (frame.dtypes != first.dtype).any():
        raise ValueError("the columns have different types")
    array = np.asarray(frame)
    if not np.shares_memory(array, first):
        raise ValueError("a copy was made")
    return array


def of_pandas(frame: Any) -> Source:
    """A pandas frame. Columns whose names are all numbers have no names: a frame made of an array
    is that array."""
    named = any(isinstance(name, str) for name in frame.columns)
    names = [str(name) for name in frame.columns] if named else (
        [f"x{j}" for j in range(frame.shape[1])])
    if not names:
        raise ValueError("X has no columns")
    if isinstance(frame.dtypes.iloc[0], np.dtype):
        try:
            values = as_it_lies(frame)
        except ValueError:
            values = None
        if values is not None and values.dtype.kind in "iufb":
            return Matrix(values, names if named else None)
    columns = [column_of(name, frame.iloc[:, j]) for j, name in enumerate(names)]
    return Columns(columns, len(frame), named=named)
