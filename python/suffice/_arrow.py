"""Arrow tables, Polars frames, and streams of record batches."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from . import _core
from ._columns import add_names
from ._labels import polars_codes
from ._optional import available
from ._source import (
    Columned,
    Kind,
    Source,
    Wanted,
    WantedColumns,
    not_numbers,
    require_distinct,
    unsupported,
)


def one_batch(table: Any) -> _core.ArrowBatch | None:
    """The rows of a table that has one chunk; None where it has no rows."""
    return _core.ArrowStream(table.__arrow_c_stream__()).next()


def add_arrow(
    rows: _core.Rows, batch: _core.ArrowBatch | None, column: int, kind: Kind, wanted: Wanted
) -> None:
    if kind == "name" and wanted.family != "categorical":
        raise not_numbers(wanted.name, wanted.family)
    if batch is None:
        rows.add_column(np.empty(0))
    else:
        rows.add_arrow(batch, column)


class ArrowTable(Source):
    """A pyarrow table."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.rows = table.num_rows
        self.width = table.num_columns
        self.names = require_distinct(table.column_names)

    def kind(self, position: int) -> Kind:
        return _arrow_kind(self._table.schema.field(position))

    def in_place(self, wanted: WantedColumns) -> bool:
        return all(
            self._table.column(w.position).num_chunks <= 1
            and _arrow_target(self._table.schema.field(w.position).type) is None
            for w in wanted
        )

    def column(self, position: int) -> Any:
        return self._table.column(position)

    def add_to(self, rows: _core.Rows, wanted: WantedColumns, first: int, last: int) -> None:
        kinds = [self.kind(w.position) for w in wanted]
        part = self._table.select([w.position for w in wanted]).slice(first, last - first)
        for j, field in enumerate(part.schema):
            target = _arrow_target(field.type)
            if target is not None:
                part = part.set_column(j, field.name, part.column(j).cast(target))
        if any(column.num_chunks > 1 for column in part.columns):
            part = part.combine_chunks()
        batch = one_batch(part)
        for j, (feature, kind) in enumerate(zip(wanted, kinds)):
            add_arrow(rows, batch, j, kind, feature)


def _arrow_kind(field: Any) -> Kind:
    import pyarrow.types as types

    kind = field.type
    if types.is_boolean(kind):
        return "bool"
    if types.is_dictionary(kind):
        if _is_string(kind.value_type) or types.is_integer(kind.value_type):
            return "name"
    elif _is_string(kind):
        return "name"
    elif (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    ):
        return "number"
    raise unsupported(field.name, str(kind))


def _is_string(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(
        types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    )


def _arrow_target(kind: Any) -> Any | None:
    """The type to convert to for the engine; None where it reads the column as it is."""
    import pyarrow
    import pyarrow.types as types

    if types.is_string_view(kind):
        return pyarrow.large_string()
    if types.is_float16(kind):
        return pyarrow.float32()
    if types.is_decimal(kind):
        return pyarrow.float64()
    if types.is_dictionary(kind) and not (
        types.is_string(kind.value_type) or types.is_large_string(kind.value_type)
    ):
        return pyarrow.large_string()
    return None


class PolarsFrame(Source):
    """A Polars frame. Strings lie in memory in a way of their own, so they go in as codes."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.rows, self.width = frame.shape
        self.names = tuple(frame.columns)

    def kind(self, position: int) -> Kind:
        import polars

        dtype = self._frame.dtypes[position]
        if dtype == polars.Boolean:
            return "bool"
        if dtype == polars.Null or dtype.is_numeric():
            return "number"
        if dtype in (polars.String, polars.Categorical, polars.Enum):
            return "name"
        raise unsupported(self._frame.columns[position], str(dtype))

    def in_place(self, wanted: WantedColumns) -> bool:
        return all(
            self.kind(w.position) != "name"
            and self._target(w.position) is None
            and self._frame.to_series(w.position).n_chunks() == 1
            for w in wanted
        )

    def _target(self, position: int) -> Any | None:
        import polars

        dtype = self._frame.dtypes[position]
        read = (polars.Boolean, polars.Float32, polars.Float64, polars.Int8, polars.Int16,
                polars.Int32, polars.Int64, polars.UInt8, polars.UInt16, polars.UInt32,
                polars.UInt64)
        return None if dtype in read else polars.Float64

    def column(self, position: int) -> Any:
        return self._frame.to_series(position)

    def add_to(self, rows: _core.Rows, wanted: WantedColumns, first: int, last: int) -> None:
        import polars

        kinds = [self.kind(w.position) for w in wanted]
        numbers = [
            self._numbers(w.position, first, last)
            for w, kind in zip(wanted, kinds)
            if kind != "name"
        ]
        batch = one_batch(polars.DataFrame(numbers).rechunk()) if numbers else None
        next_number = 0
        for feature, kind in zip(wanted, kinds):
            if kind == "name":
                part = self._frame.to_series(feature.position).slice(first, last - first)
                add_names(rows, *polars_codes(part), feature)
            else:
                add_arrow(rows, batch, next_number, kind, feature)
                next_number += 1

    def _numbers(self, position: int, first: int, last: int) -> Any:
        target = self._target(position)
        series = self._frame.to_series(position).slice(first, last - first)
        return series if target is None else series.cast(target)


class Batch(Source):
    """A record batch of a stream, where pyarrow is not there to put batches together."""

    def __init__(self, batch: _core.ArrowBatch) -> None:
        self.batch = batch
        self.rows = batch.rows
        self.width = len(batch.names)
        self.names = require_distinct(batch.names)

    def kind(self, position: int) -> Kind:
        return _format_kind(
            self.batch.names[position],
            self.batch.formats[position],
            self.batch.dictionaries[position],
        )

    def in_place(self, wanted: WantedColumns) -> bool:
        return True

    def column(self, position: int) -> BatchColumn:
        return BatchColumn(self.batch, position)

    def add_to(self, rows: _core.Rows, wanted: WantedColumns, first: int, last: int) -> None:
        part = self.batch.slice(first, last - first)
        for feature in wanted:
            add_arrow(rows, part, feature.position, self.kind(feature.position), feature)


class BatchColumn:
    """A column of a Batch, for labels or weights."""

    def __init__(self, batch: _core.ArrowBatch, position: int) -> None:
        self.batch = batch
        self.position = position


def _format_kind(name: str, format: str, dictionary: str) -> Kind:
    if dictionary or format in ("u", "U", "vu"):
        return "name"
    if format == "b":
        return "bool"
    if format in tuple("cCsSiIlLfgn"):
        return "number"
    raise unsupported(name, f"Arrow '{format}'")


class Stream(Columned):
    """Record batches that come one after the other, and only once."""

    def __init__(self, stream: Any) -> None:
        self.what = type(stream).__name__
        self._pyarrow = available("pyarrow")
        if self._pyarrow is not None:
            self._reader = self._pyarrow.RecordBatchReader.from_stream(stream)
            names = self._reader.schema.names
        else:
            self._reader = _core.ArrowStream(stream.__arrow_c_stream__())
            names = self._reader.names
        self.width = len(names)
        self.names = require_distinct(names)

    def kind(self, position: int) -> Kind:
        if self._pyarrow is not None:
            return _arrow_kind(self._reader.schema.field(position))
        reader = self._reader
        return _format_kind(
            reader.names[position], reader.formats[position], reader.dictionaries[position]
        )

    def tables(self, step: int) -> Iterator[Source]:
        """Tables of `step` rows, so that how the batches were cut changes no bit of a sum."""
        if self._pyarrow is None:
            while (batch := self._reader.next()) is not None:
                yield Batch(batch)
            return
        for table in tables_of_batches(self._reader, step):
            yield ArrowTable(table)


def tables_of_batches(batches: Iterable[Any], step: int) -> Iterator[Any]:
    """Record batches as pyarrow tables of `step` rows, and the rest in the last one."""
    import pyarrow

    waiting: list[Any] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        while count >= step:
            table = pyarrow.Table.from_batches(waiting)
            yield table.slice(0, step)
            count -= step
            waiting = table.slice(step).to_batches()
    if count:
        yield pyarrow.Table.from_batches(waiting)
