"""Data of any kind to rows for the engine: nothing is copied that can be read where it lies, and
what must be converted is converted some rows at a time."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrow import ArrowTable, BatchColumn, PolarsFrame, Stream
from ._cached import cached_property
from ._errors import DataError, warn
from ._labels import ClassValues, Labels, labels_of
from ._optional import loaded
from ._paths import FileColumn, FileStream, is_path, readable_twice, table_of_files
from ._source import Columned as Columned
from ._source import Wanted, WantedColumns, listed
from ._source import Source as Source
from ._tables import Sparse, of_array, of_mapping, of_pandas

if TYPE_CHECKING:
    from ._schema import Schema

Array = NDArray[Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Training:
    """Rows with their classes and weights."""

    source: Source | FileStream
    labels: Labels | BatchColumn | FileColumn
    weights: Array | BatchColumn | FileColumn | None
    #: The name of each row's group, where rows come in groups.
    groups: Labels | FileColumn | None = None

    @cached_property
    def values(self) -> ClassValues:
        """The caller's values of the classes; a column of a batch or a file has only names."""
        if not isinstance(self.labels, Labels):
            return ClassValues({})
        return ClassValues.of(self.labels.names, self.labels.values)

    @cached_property
    def labelled(self) -> Training:
        """The same rows, of which those without a label (code -1) weigh nothing."""
        if not self.unlabelled:
            return self
        assert isinstance(self.labels, Labels)
        weights = self.weights if isinstance(self.weights, np.ndarray) else 1.0
        return replace(self, weights=np.where(self.labels.codes < 0, 0.0, weights))

    @cached_property
    def unlabelled(self) -> int:
        """How many rows have no label."""
        return int((self.labels.codes < 0).sum()) if isinstance(self.labels, Labels) else 0


def is_stream(X: Any) -> bool:
    """Record batches that can be read once: a RecordBatchReader, a database's result, …"""
    if isinstance(X, Stream):
        return True
    if not hasattr(X, "__arrow_c_stream__"):
        return False
    if _package(X) in ("pandas", "polars") and (hasattr(X, "columns") or hasattr(X, "dtype")):
        return False  # a frame or a series, which are in memory
    pyarrow = loaded("pyarrow")
    return not (pyarrow and isinstance(X, (pyarrow.Table, pyarrow.RecordBatch)))


def is_batches(X: Any) -> bool:
    """An iterator of tables or of (X, y) pairs."""
    if isinstance(X, Columned) or hasattr(X, "__arrow_c_stream__") or hasattr(X, "__array__"):
        return False
    return isinstance(X, Iterable) and not hasattr(X, "__len__")


def _package(X: Any) -> str:
    return type(X).__module__.partition(".")[0]


def source_of(X: Any) -> Source:
    """A table in memory, of any kind."""
    if isinstance(X, Source):
        return X
    if isinstance(X, np.ndarray):
        return of_array(X)
    package = _package(X)
    if package == "pandas" and hasattr(X, "columns"):
        return of_pandas(X)
    if package == "polars":
        if hasattr(X, "collect"):
            raise ValueError("X is a LazyFrame: give X.collect(), or X.collect_batches() to update")
        if hasattr(X, "columns"):
            return PolarsFrame(X)
    pyarrow = loaded("pyarrow")
    if pyarrow and isinstance(X, (pyarrow.Table, pyarrow.RecordBatch)):
        is_table = isinstance(X, pyarrow.Table)
        return ArrowTable(X if is_table else pyarrow.Table.from_batches([X]))
    sparse = loaded("scipy.sparse")
    if sparse and sparse.issparse(X):
        return Sparse(X)
    if isinstance(X, Mapping):
        return of_mapping(X)
    if X is None or isinstance(X, (str, bytes)) or is_batches(X):
        raise ValueError(
            f"X must be a table (an array, a sparse matrix, a frame, an Arrow table), "
            f"not {type(X).__name__}"
        )
    return of_array(X)


def columned(X: Any, threads: int = 0) -> Columned:
    """A table, a stream or files, which `threads` read: what a schema can be inferred from."""
    if isinstance(X, Columned):
        return X
    if is_path(X):
        return table_of_files(X, threads)
    return Stream(X) if is_stream(X) else source_of(X)


def matched(source: Columned, schema: Schema) -> WantedColumns:
    """The schema's columns: by name where both have names, else by position. Columns without names
    are x0, x1, … to a model that keeps some of them."""
    names = schema.columns
    if source.names is None and source.width == schema._kept_of and source.width > len(names):
        where = {name: j for j, name in enumerate(source.column_names())}
        if all(name in where for name in names):
            families = zip(names, schema._core.column_families)
            numbered = [Wanted(where[name], name, family) for name, family in families]
            return WantedColumns(lambda: numbered)
    if source.names is None or (schema._numbered and "x0" not in source.names):
        if source.width != len(names):
            raise ValueError(
                f"X has {source.width} columns, but the schema has {len(names)} features: "
                f"{listed(names)}"
            )
        return schema._by_position
    _require_columns(source, schema)
    where = {name: j for j, name in enumerate(source.names)}
    families = zip(names, schema._core.column_families)
    wanted = [Wanted(where[name], name, family) for name, family in families]
    return WantedColumns(lambda: wanted)


def _require_columns(source: Columned, schema: Schema) -> None:
    names, there = schema.columns, source.column_names()
    known = set(there)
    absent = [name for name in names if name not in known]
    if absent:
        what = f"X has no column {listed(absent)}"
        if len(absent) > 1:
            what = f"X lacks {len(absent)} of the schema's {len(names)} columns, {listed(absent)}"
        raise ValueError(f"{what}; it has {listed(there)}")


def slices_of(
    X: Any,
    schema: Schema,
    labels: Labels | BatchColumn | FileColumn | None = None,
    weights: Array | BatchColumn | FileColumn | None = None,
    folds: Labels | FileColumn | None = None,
    *,
    tells: bool = True,
) -> Iterator[tuple[int, _core.Rows]]:
    """Views of the rows, each with the number of its first row. There is one where the engine can
    read everything as it lies; else slices that are cut where the engine cuts, so that the sums
    are the same to the last bit. `tells`: warns of rows in files that have no label."""
    if isinstance(X, FileStream):
        if not X.sparse:
            _require_columns(X, schema)
        yield from X.slices(schema, labels, weights, folds)
        if tells:
            warn_of_unlabelled(X.unlabelled)
        return
    assert not isinstance(labels, FileColumn) and not isinstance(weights, FileColumn)
    assert not isinstance(folds, FileColumn)
    source = source_of(X)
    wanted = matched(source, schema)
    step = source.rows
    if not source.in_place(wanted):
        step = _core.rows_per_block(schema._core, source.sparse)
    first = 0
    while True:
        last = min(first + step, source.rows)
        rows = _core.Rows(last - first)
        source.add_to(rows, wanted, first, last)
        if isinstance(labels, BatchColumn):
            rows.set_label_arrow(labels.batch, labels.position)
        elif labels is not None:
            rows.set_labels(labels.codes[first:last], labels.names)
        if isinstance(weights, BatchColumn):
            rows.set_weight_arrow(weights.batch, weights.position)
        elif weights is not None:
            rows.set_weights(weights[first:last])
        if folds is not None:
            rows.set_folds(folds.codes[first:last], folds.names)
        yield first, rows
        first = last
        if first >= source.rows:
            return


def warn_of_unlabelled(count: int) -> None:
    if count:
        warn(f"{count} rows have no label and are left out")


def over_rows(X: Any, schema: Schema, call: Callable[[_core.Rows], T]) -> list[T]:
    """What `call` says of each piece, for a table, a stream or files."""
    if is_path(X):
        X = table_of_files(X)
    if isinstance(X, FileStream):
        answers = [located(call, first, rows) for first, rows in slices_of(X, schema)]
        return answers or [call(_empty(schema))]
    if not is_stream(X):
        return [located(call, first, rows) for first, rows in slices_of(X, schema)]
    stream = X if isinstance(X, Stream) else Stream(X)
    matched(stream, schema)
    answers = []
    before = 0
    for table in stream.tables(_core.rows_per_block(schema._core, False)):
        for first, rows in slices_of(table, schema):
            answers.append(located(call, before + first, rows))
        before += table.rows
    if not answers:
        answers.append(call(_empty(schema)))
    return answers


def _empty(schema: Schema) -> _core.Rows:
    rows = _core.Rows(0)
    for _ in schema.columns:
        rows.add_column(np.empty(0))
    return rows


def located(call: Callable[[_core.Rows], T], first: int, rows: _core.Rows) -> T:
    """call(rows); the row of a DataError counts from the beginning of the data, and one in a file
    is told by its place there."""
    try:
        return call(rows)
    except DataError as error:
        if error.row is not None:
            if rows.in_files:
                rows.refuse(error.sentence, error.advice, error.row, error.label, error.features)
            error.row += first
        raise


def joined(answers: Sequence[Array]) -> Array:
    """The answers for all rows as one array."""
    return answers[0] if len(answers) == 1 else np.concatenate(answers)


def weights_of(sample_weight: Any, rows: int) -> Array | None:
    """One number for each row; None where all weigh the same."""
    if sample_weight is None:
        return None
    if hasattr(sample_weight, "null_count") and sample_weight.null_count:
        null_count = sample_weight.null_count
        if (null_count() if callable(null_count) else null_count) > 0:
            raise ValueError("sample_weight has missing values")
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "iufb":
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"sample_weight must be numbers: {error}") from error
    if weights.ndim != 1 or len(weights) != rows:
        raise ValueError(
            f"sample_weight must have one number for each of the {rows} rows, "
            f"but its shape is {weights.shape}"
        )
    if weights.dtype.kind == "b" or weights.dtype.itemsize not in (1, 2, 4, 8):
        weights = weights.astype(np.float64)
    return weights if weights.dtype.char != "e" else weights.astype(np.float64)


def in_memory(X: Any, what: str, threads: int = 0) -> Source | FileStream:
    """The table; `what` reads it, and has no use for what can be read only once."""
    if is_path(X):
        return readable_twice(X, threads)
    table = columned(X)
    if not isinstance(table, Source):
        raise ValueError(
            f"{what} reads a table in memory, not a {type(X).__name__}; give an array or a frame"
        )
    return table


def training(
    source: Source | FileStream, y: Any, sample_weight: Any, label: str
) -> Training:
    """A table with its classes and weights: arrays, or names of columns of the table. Without y
    the column `label` has the classes."""
    if isinstance(source, FileStream):
        return _training_in_files(source, y, sample_weight, label)
    if y is None:
        if not label:
            raise ValueError("y is missing: give one label for each row, or the name of a column")
        y = label
    if isinstance(y, str):
        y = source.column(source.position(y, "y"))
    if isinstance(sample_weight, str):
        sample_weight = source.column(source.position(sample_weight, "sample_weight"))
    return Training(
        source,
        y if isinstance(y, BatchColumn) else labels_of(y, source.rows),
        sample_weight
        if isinstance(sample_weight, BatchColumn)
        else weights_of(sample_weight, source.rows),
    )


def _training_in_files(files: FileStream, y: Any, sample_weight: Any, label: str) -> Training:
    y = files.own_label or label if y is None else y
    for given, what in ((y, "y"), (sample_weight, "sample_weight")):
        if given is not None and not isinstance(given, str):
            raise ValueError(
                f"{what} for a table in files is the name of one of its columns; labels in a file "
                "of their own are Files(…, labels=path)"
            )
    if not y:
        raise ValueError("y is missing: give the name of the column that has the labels")
    weights = sample_weight and files.column(files.position(sample_weight, "sample_weight"))
    return Training(files, files.column(files.position(y, "y")), weights or None)


def batch_of(batch: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The rows, classes and weights of a batch; y and sample_weight are those of all batches."""
    if not isinstance(batch, tuple):
        return batch, y, sample_weight
    if y is not None or sample_weight is not None or not 2 <= len(batch) <= 3:
        raise ValueError(
            "a batch is a table, with y and sample_weight as names of columns, or a tuple (X, y) "
            "or (X, y, sample_weight) without them"
        )
    rows, classes, *weights = batch
    return rows, classes, weights[0] if weights else None
