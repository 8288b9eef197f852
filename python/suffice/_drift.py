"""What has changed between two sets of rows, by their sums."""
from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from . import _core as engine
from ._schema import Schema
from ._statistics import Statistics
from ._threads import threads_of

__all__ = ["drift"]

# Statistics, the path of a file of statistics, or a table.
Side = Union[Statistics, "os.PathLike[str]", str, Any]


def drift(
    old: Side,
    new: Side,
    *,
    label: str | None = None,
    common: bool = False,
    mean: float = 0.1,
    auc: float = 0.53,
    share: float = 0.05,
    correlation: float = 0.1,
    level: float = 0.05,
    seed: int = 0,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """What has changed from old to new rows, under the names that ``suffice drift --json`` has.

    A change is `found` where a test finds it at `level`, and `flagged` where it is also large enough
    to matter. Statistics are compared without reading a row.

    Parameters
    ----------
    old, new : Statistics, path of a file of statistics, or table
        Tables are arrays, frames, Arrow tables or dictionaries of columns. Their columns are those of
        the other side where that has statistics, and otherwise those that are inferred from `old`.
    label : str, optional
        The column of tables that has the classes. Without it all rows are of one class.
    common : bool
        Compares the columns that both have, where one has others.
    mean, auc, share, correlation : float
        How large a change must be to be flagged: of means in deviations, of the AUC with which new
        rows can be told from old ones, of shares in total variation, of correlations in Fisher's z.
    level : float
        The level of the tests, for each kind of change.
    seed : int
        Of the simulation that `joint["auc_quadratic"]` takes.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    dict
        `found` and `flagged` (the verdict); `joint` with `auc`, `auc_quadratic`, `d2` and `p`;
        `columns`, a list with `name`, `auc`, `effect`, `p`, `p_adjusted`, `found` and `flagged`;
        `classes`, `missing`, `levels`, `correlations`, and `notes`.

    See Also
    --------
    Statistics : What is compared.

    Examples
    --------
    >>> import numpy as np, suffice
    >>> X = np.random.default_rng(0).normal(size=(4000, 3))
    >>> found = suffice.drift(X[:2000], X[2000:])
    >>> found["flagged"]
    False
    >>> found = suffice.drift(X[:2000], X[2000:] + [0, 0.5, 0])
    >>> [column["name"] for column in found["columns"] if column["flagged"]]
    ['x1']
    """
    before = _opened(old)
    after = _opened(new)
    if before is None and after is None:
        before = _summed(old, label, None)
    schema = before.schema if before is not None else after.schema  # type: ignore[union-attr]
    if before is None:
        before = _summed(old, label, schema)
    if after is None:
        after = _summed(new, label, schema)
    return engine.drift(
        before.copy()._filled(),
        after.copy()._filled(),
        _path(old),
        _path(new),
        common,
        mean,
        auc,
        share,
        correlation,
        level,
        seed,
        threads_of(n_jobs),
    )


def _path(side: Side) -> str:
    """Of a file of statistics; empty for anything else."""
    return os.fspath(side) if isinstance(side, (str, os.PathLike)) and _is_file(side) else ""


def _is_file(path: str | os.PathLike[str]) -> bool:
    """Whether it holds statistics, or a model, which Statistics.load refuses."""
    try:
        return engine.file_kind(os.fspath(path)) in {"statistics", "model"}
    except (OSError, ValueError):
        return os.fspath(path).endswith(".stats")


def _opened(side: Side) -> Statistics | None:
    if isinstance(side, Statistics):
        return side
    path = _path(side)
    return Statistics.load(path) if path else None


def _summed(table: Any, label: str | None, schema: Schema | None) -> Statistics:
    """The sums of a table; without a label all its rows are of one class."""
    if label is None and schema is not None:
        label = schema.label if _has(table, schema.label) else None
    if label is not None or isinstance(table, (str, os.PathLike)):
        return Statistics.of(table, label, schema=schema)
    first = next(iter(table.values())) if isinstance(table, dict) else table
    rows = first.shape[0] if hasattr(first, "shape") else len(first)
    return Statistics.of(table, np.full(rows, "inlier"), schema=schema)


def _has(table: Any, column: str | None) -> bool:
    names = table.keys() if isinstance(table, dict) else getattr(table, "columns", ())
    return column is not None and column in list(names)
