"""What runs on the executors: record batches in, one row of a partition's sums out. What is wrong with
the data comes back as a row, too, so that the driver can raise it: Spark would try a task that raises
four times, and then show the stack of a Java virtual machine."""
from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .. import _core as engine
from .._arrow import tables_of_batches
from .._errors import DataError, InvalidArgument, placed
from .._labels import name_of
from .._partials import (
    Contest,
    Plan,
    Question,
    answered,
    scores_of_candidates,
    summed,
    summed_by_fold,
    vector_features,
)
from .._statistics import Statistics

#: The rows of partitions: `state` or `error` is null.
ROWS = "part int, fold string, state binary, error binary"
_FIELDS = pa.schema(
    [("part", pa.int32()), ("fold", pa.string()), ("state", pa.binary()), ("error", pa.binary())]
)
#: What a cell of Arrow can hold.
_LARGEST = 2**31 - 2**16


def sums(plan: Plan, batches: Iterable[Any]) -> Iterator[Any]:
    """The sums of a partition, by fold where the plan has folds."""
    part = _partition()

    def work() -> dict[str, bytes]:
        tables = _tables(plan, batches)
        if plan.fold is None:
            return {"": summed(plan, tables).to_bytes()}
        return {name: state.to_bytes() for name, state in summed_by_fold(plan, tables).items()}

    yield _row(part, f"partition {part}", work)


def sums_of_files(plan: Plan, files: list[str], batches: Iterable[Any]) -> Iterator[Any]:
    """The sums of the files whose numbers are in the rows."""
    wanted = {*plan.schema.columns, plan.label, plan.weight}
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield _row(
                number, files[number],
                lambda: {"": summed(plan, [parquet(files[number], wanted)]).to_bytes()},  # noqa: B023
            )


def scores(contest: Contest, batches: Iterable[Any]) -> Iterator[Any]:
    """What the candidates get wrong in a partition."""
    part = _partition()

    def work() -> dict[str, bytes]:
        return {"": pickle.dumps(scores_of_candidates(contest, _tables(contest.plan, batches)))}

    yield _row(part, f"partition {part}", work)


def merged(rows: Any) -> Any:
    """Rows of one fold as one, merged in the order of their partitions."""
    found = sorted(rows.to_pylist(), key=lambda row: row["part"])
    first = found[0]
    wrong = next((row for row in found if row["error"] is not None), None)
    if wrong is not None:
        return pa.Table.from_pylist([wrong], _FIELDS)
    state = Statistics.merge_many(row["state"] for row in found).to_bytes()
    return pa.Table.from_pylist([{**first, "state": state}], _FIELDS)


def answers(question: Question, rows: Any) -> Any:
    """The answers for a column of structs, as another one."""
    batch = expanded(question.vectors, pa.RecordBatch.from_struct_array(rows))
    columns = answered(question, pa.Table.from_batches([batch]))
    kinds = question.columns()
    arrays = [_array(values, kinds[name]) for name, values in columns.items()]
    return pa.StructArray.from_arrays(arrays, list(columns))


def _array(values: Any, kind: str) -> Any:
    if kind == "str":
        texts = [None if value is None else name_of(value) for value in values.tolist()]
        return pa.array(texts, pa.string())
    types = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    return pa.array(values.tolist() if values.dtype == object else values, types[kind])


def parquet(path: str, wanted: Collection[str | None] | None = None) -> Any:
    """The rows of a Parquet file, on a file system of this machine or, as a URI, on one of those
    that pyarrow reads; of all columns, or of those that are wanted and there."""
    import pyarrow.dataset as dataset
    from pyarrow.fs import FileSystem

    system, place = FileSystem.from_uri(path) if "://" in path else (None, path)
    rows = dataset.dataset(place, format="parquet", filesystem=system)
    columns = [name for name in rows.schema.names if wanted is None or name in wanted]
    return rows.scanner(columns=columns, use_threads=False).to_reader()


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _row(part: int, source: str, work: Callable[[], Mapping[str, bytes]]) -> Any:
    rows: list[dict[str, Any]] = []
    try:
        for fold, state in work().items():
            if len(state) > _LARGEST:
                raise InvalidArgument(
                    f"the sums take {len(state) / 1e9:.1f} GB, and a row of Spark holds 2 GB",
                    "use fewer features, or covariance='diag'",
                )
            rows.append({"part": part, "fold": fold, "state": state, "error": None})
    except (ValueError, TypeError, OSError, ImportError) as error:
        wrong = pickle.dumps(placed(error, source))
        rows = [{"part": part, "fold": "", "state": None, "error": wrong}]
    return pa.RecordBatch.from_pylist(rows, _FIELDS)


def _tables(plan: Plan, batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of as many rows as the engine sums up at a time, whatever Spark's batches are."""
    step = engine.rows_per_block(plan.schema._core, False)
    return tables_of_batches(_expanded_batches(plan.vectors, batches), step)


def _expanded_batches(vectors: Mapping[str, int], batches: Iterable[Any]) -> Iterator[Any]:
    before = 0
    for batch in batches:
        try:
            yield expanded(vectors, batch)
        except DataError as error:
            if error.row is not None:
                error.row += before
            raise
        before += batch.num_rows


def expanded(vectors: Mapping[str, int], batch: Any) -> Any:
    """Each column of vectors as one column for each number."""
    names: list[str] = []
    columns: list[Any] = []
    for name, column in zip(batch.schema.names, batch.columns):
        if name in vectors:
            names += vector_features(name, vectors[name])
            columns += list(map(pa.array, _matrix(name, column, vectors[name])))
        else:
            names.append(name)
            columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names)


def _matrix(name: str, column: Any, length: int) -> Any:
    """Vectors of one length as an array of length × rows; one that is null has NaNs."""
    lengths = pc.fill_null(pc.list_value_length(column), length).to_numpy(zero_copy_only=False)
    if (lengths != length).any():
        row = int((lengths != length).argmax())
        numbers = "1 number" if lengths[row] == 1 else f"{lengths[row]} numbers"
        raise DataError(
            f"the vector has {numbers}, and others have {length}",
            "give vectors of one length", row=row, features=[name],
        )
    numbers = pc.cast(column.flatten(), pa.float64()).to_numpy(zero_copy_only=False)
    matrix = np.full((len(column), length), np.nan)
    matrix[column.is_valid().to_numpy(zero_copy_only=False)] = numbers.reshape(-1, length)
    return np.ascontiguousarray(matrix.T)
