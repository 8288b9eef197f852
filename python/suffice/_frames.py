"""Answers as frames, of the kind that went in."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._optional import available

Array = NDArray[Any]


def frame_of(columns: Mapping[str, Array], like: Any = None) -> Any:
    """Named columns as a frame: a Polars frame or an Arrow table where `like` is one, otherwise one
    of pandas, which has the index of `like` where that has one. Where pandas is not installed it is
    a Polars frame, and without both a dictionary of arrays."""
    package = type(like).__module__.partition(".")[0]
    if package == "pyarrow":
        import pyarrow

        return pyarrow.table({name: _plain(column) for name, column in columns.items()})
    if package != "polars" and (pandas := available("pandas")) is not None:
        has_index = package == "pandas" and hasattr(like, "index")
        return pandas.DataFrame(dict(columns), index=like.index if has_index else None)
    if (polars := available("polars")) is not None:
        return polars.DataFrame({name: _plain(column) for name, column in columns.items()})
    return dict(columns)


def named_columns(values: Array, names: Sequence[str]) -> dict[str, Array]:
    return {name: values[:, j] for j, name in enumerate(names)}


def _plain(column: Array) -> Any:
    """Objects (names, and None where one is missing) are lists to Polars and Arrow."""
    return column.tolist() if column.dtype == object else np.ascontiguousarray(column)
