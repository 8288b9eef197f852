"""Rows to learn from, as the engine's `fit` reads them: once for the sums, and again where an option
needs that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

from . import _core as engine
from ._arrow import Stream
from ._data import Training, batch_of, columned, is_batches, slices_of, training
from ._folds import named_folds
from ._labels import ClassValues, partly_labelled
from ._paths import FileStream
from ._schema import Schema
from ._source import Source


class RowSource:
    """Rows with their classes, and what their columns mean.

    Parameters
    ----------
    schema : Schema
    parts : callable
        Gives the tables of one pass, one after the other.
    given_families : sequence of bool, optional
        For each column whether its family was given. Without it there are no hints about columns
        whose family was probably meant otherwise.
    once : str, optional
        What the rows come from, if they can be read only once.
    sparse : bool
    size : float
        How many numbers there are, if that is known.
    """

    def __init__(
        self,
        schema: Schema,
        parts: Callable[[], Iterable[Training]],
        given_families: Sequence[bool] | None = None,
        once: str | None = None,
        sparse: bool = False,
        size: float = inf,
    ) -> None:
        self.schema, self.once, self.sparse, self.size = schema._core, once, sparse, size
        self.given_families = list(given_families or ())
        self.shows_remarks = given_families is not None
        #: The caller's values of the classes that were met so far.
        self.values = ClassValues({})
        self._parts = parts

    def read(self, schema: engine.Schema, unlabelled: bool) -> Pass:
        """Begins to read all rows, or those with a label. Several passes may go on at a time."""
        return Pass(self, schema, self._parts(), unlabelled)


class Pass:
    """One way through the rows."""

    def __init__(
        self, rows: RowSource, schema: engine.Schema, parts: Iterable[Training], unlabelled: bool
    ) -> None:
        #: The rows that were read so far, and how many of these have no label.
        self.rows, self.unlabelled = 0, 0
        self._slices = self._read(rows, schema, parts, unlabelled)

    def next(self) -> tuple[int, engine.Rows] | None:
        """Some rows, and the number of the first; None at the end."""
        return next(self._slices, None)

    def _read(
        self, rows: RowSource, schema: engine.Schema, parts: Iterable[Training], unlabelled: bool
    ) -> Iterator[tuple[int, engine.Rows]]:
        for whole in parts:
            rows.values = rows.values.joined(whole.values)
            part = whole if unlabelled else whole.labelled
            first = self.rows
            meant = Schema._wrap(schema, part.source.width)  # of all columns, or of those kept
            slices = slices_of(
                part.source, meant, part.labels, part.weights, part.groups, tells=False
            )
            for at, piece in slices:
                self.rows = first + at + piece.size
                yield first + at, piece
            if isinstance(part.source, FileStream):  # which has left them out
                self.rows += part.source.unlabelled
                self.unlabelled += part.source.unlabelled
            else:
                self.unlabelled += whole.unlabelled


def rows_of(
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    schema: Schema,
    given_families: Sequence[bool] | None,
) -> RowSource:
    """The rows of a table in memory or files, of a stream, or of batches."""
    if isinstance(X, (Source, FileStream)):
        data = training(X, y, sample_weight, schema.label or "")
        if groups is not None:
            data = replace(data, groups=named_folds(groups, X, "groups"))
        size = float(X.rows * X.width) if isinstance(X, Source) else inf
        return RowSource(schema, lambda: [data], given_families, sparse=X.sparse, size=size)
    once = f"a {X.what if isinstance(X, Stream) else type(X).__name__}"
    if groups is not None:
        raise ValueError(f"groups are for a table in memory or files, not for {once}")
    parts = partial(_parts, X, y, sample_weight, schema)
    return RowSource(schema, parts, given_families, once)


def partly_labelled_in(X: Any, y: Any, label: str = "") -> Any:
    """The classes of a table of which some rows may have none; y may be the name of a column."""
    if isinstance(X, FileStream):
        return y  # its reader leaves such rows out
    if not isinstance(X, Source):
        raise ValueError("unlabelled is for a table, not for a stream or batches")
    y = label if y is None else y
    return partly_labelled(X.column(X.position(y, "y")) if isinstance(y, str) else y)


def _parts(X: Any, y: Any, sample_weight: Any, schema: Schema) -> Iterator[Training]:
    """The tables of what can be read only once."""
    if is_batches(X):
        for batch in X:
            yield from _parts(*batch_of(batch, y, sample_weight), schema)
    elif isinstance(table := columned(X), Stream):
        if y is not None and not isinstance(y, str):
            raise ValueError("y for a stream of batches is the name of one of its columns")
        for part in table.tables(engine.rows_per_block(schema._core, False)):
            yield training(part, y, sample_weight, schema.label or "")
    else:
        assert isinstance(table, (Source, FileStream))
        yield training(table, y, sample_weight, schema.label or "")
