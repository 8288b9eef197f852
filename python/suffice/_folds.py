"""Which rows are left out together."""

from __future__ import annotations

from typing import Any

from ._errors import DataError
from ._labels import Labels, labels_of
from ._paths import FileColumn, FileStream
from ._source import Columned, Source, listed


def number_of_folds(folds: Any, table: Columned) -> tuple[int | None, str | None]:
    """Their number (0: one row at a time), or None where each row's fold has a name; and the column
    with the names."""
    wanted = f"folds={folds!r}: give a number, 'loo', the fold of each row, or the name of a column"
    if isinstance(folds, str):
        if folds == "loo":
            return 0, None
        if table.names is None:
            raise ValueError(f"{wanted}; the columns of X have no names")
        if folds not in table.names:
            raise ValueError(f"{wanted}; X has the columns {listed(table.names)}")
        return None, folds
    if hasattr(folds, "__index__") and not hasattr(folds, "__len__"):
        count = int(folds)
        if count < 2 or isinstance(folds, bool):
            raise ValueError(
                f"folds={folds!r}: there must be at least 2; 'loo' leaves out one row at a time"
            )
        return count, None
    if not hasattr(folds, "__len__"):
        raise ValueError(wanted)
    return None, None


def named_folds(folds: Any, table: Source | FileStream, what: str = "folds") -> Labels | FileColumn:
    """The name of each row's fold, of an array or a column; `what` is the argument that has it."""
    if isinstance(folds, str):
        folds = table.column(table.position(folds, what))
        if isinstance(folds, FileColumn):
            return folds
    elif isinstance(table, FileStream):
        wanted = "a number or the name of a column" if what == "folds" else "the name of a column"
        raise ValueError(f"{what} for a table in files is {wanted}")
    elif getattr(folds, "ndim", 1) != 1:
        raise ValueError(f"{what} must have one dimension, but it has {folds.ndim}")
    elif not hasattr(folds, "__len__"):
        raise ValueError(f"{what} must have a name for each row, not {folds!r}")
    assert isinstance(table, Source)
    if len(folds) != table.rows:
        raise ValueError(
            f"X has {table.rows} rows, but {what} has {len(folds)}; give one for each row"
        )
    try:
        return labels_of(folds, table.rows)
    except DataError as error:
        advice = "name a fold there, or leave the row out"
        raise DataError(f"{what} has no name for the row", advice, row=error.row) from error
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error
