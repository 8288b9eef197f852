"""What the rows, labels and weights that reach GenerativeClassifier have to pass.

Names, shapes and kinds are checked by scikit-learn where it knows the kind of table, so that its
words and warnings are the ones that its users know. Values (infinities, negative counts) are
checked by the engine while it reads them: no pass over the data is spent on them here.
"""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import (  # type: ignore[import-untyped]
    check_classification_targets,
)
from sklearn.utils.validation import (  # type: ignore[import-untyped]
    check_array,
    column_or_1d,
    validate_data,
)

from ._arrow import BatchColumn
from ._data import columned, is_batches, is_stream, training
from ._labels import Labels, is_missing, labels_of, require_one_kind
from ._optional import loaded
from ._paths import FileColumn
from ._schema import Schema
from ._source import Columned, Source, listed

Array = NDArray[Any]


def checked_rows(
    estimator: Any, X: Any, *, reset: bool, beside: Collection[str | None] = ()
) -> Columned:
    """X as a table or stream; sets or compares `n_features_in_` and `feature_names_in_`.

    A table that has one of the columns `beside` (the label, the weight) or whose kind scikit-learn
    does not know is matched with the schema by its names instead.
    """
    if _leaves_nothing_to_find(estimator, X, reset):
        return columned(X)
    pyarrow = loaded("pyarrow")
    if pyarrow and isinstance(X, pyarrow.RecordBatch):
        X = pyarrow.Table.from_batches([X])
    if isinstance(X, (Columned, Mapping)) or is_stream(X) or is_batches(X):
        return columned(X)
    if hasattr(X, "__arrow_c_stream__") or hasattr(type(X), "columns"):  # a frame
        table = columned(X)
        if not set(table.names or ()) & set(beside):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        if 0 in X.shape:
            what = "sample" if X.shape[0] == 0 else "feature"
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={tuple(X.shape)}) while a minimum of 1 is "
                f"required by {type(estimator).__name__}."
            )
        return table
    X = validate_data(
        estimator,
        _kept_apart(X),
        reset=reset,
        accept_sparse=("csr", "csc"),
        dtype=None,
        ensure_all_finite=False,
    )
    if X.dtype == object:
        _require_cells(X)
    return columned(X)


def named_columns(**arguments: Any) -> dict[str, str | None]:
    """The columns of X that arguments name instead of giving an array."""
    return {role: name if isinstance(name, str) else None for role, name in arguments.items()}


def named(table: Columned, columns: Sequence[str]) -> Columned:
    """The table under these names, where it has none: for a model of some of its columns."""
    if table.names is None and table.width == len(columns):
        table.names = tuple(columns)
    return table


def _leaves_nothing_to_find(estimator: Any, X: Any, reset: bool) -> bool:
    """A plain matrix of numbers after or before others without names; for few rows scikit-learn's
    validation takes longer than the answer."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.size == 0 or X.dtype.kind not in "iufb":
        return False
    if hasattr(estimator, "feature_names_in_"):
        return False
    return reset or bool(X.shape[1] == estimator.n_features_in_)


def _kept_apart(X: Any) -> Any:
    """Lists that mix numbers and strings: NumPy would turn the numbers into strings."""
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], (list, tuple)):
        if any(isinstance(cell, str) for cell in X[0]):
            return np.array(X, dtype=object)
    return X


def _require_cells(X: Array) -> None:
    """Numbers, strings and missing values may be in an array of objects; Python says what is wrong
    with others: float() argument must be a string or a real number, not 'dict'."""
    cells: list[Any] = X.ravel().tolist()
    for kind in set(map(type, cells)):
        if not issubclass(kind, (str, int, float)):
            cell: Any = next(cell for cell in cells if type(cell) is kind)
            if not is_missing(cell):
                float(cell)


def checked_labels(y: Any) -> Labels | str:
    """The class of each row, or the name of the column of X that has it. Numbers have to be whole,
    as scikit-learn has it: others are the target of a regression."""
    if isinstance(y, str):
        return y
    if hasattr(y, "__array__") and not hasattr(y, "ndim") and not _is_arrow(y):
        y = np.asarray(y)
    nested = isinstance(y, list) and bool(y) and isinstance(y[0], (list, np.ndarray))
    if nested or getattr(y, "ndim", 1) != 1:
        y = column_or_1d(y, warn=True)
    labels = labels_of(y)
    if labels.values.dtype.kind == "f":
        check_classification_targets(labels.values)
    return labels


def _is_arrow(y: Any) -> bool:
    return hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__")


def checked_weights(sample_weight: Any) -> Array | str | None:
    """The weight of each row, or the name of the column of X that has it."""
    if sample_weight is None or isinstance(sample_weight, str):
        return sample_weight
    weights: Array = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=(np.float64, np.float32),
        input_name="sample_weight",
    )
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight must be a 1D array with one number for each row, but its shape is "
            f"{weights.shape}"
        )
    return weights


def true_classes(
    table: Columned, y: Any, sample_weight: Any, classes: Array
) -> tuple[Array, Array | None]:
    """The class and the weight of each row of a table, to hold against a prediction."""
    if not isinstance(table, Source):
        raise ValueError(
            "score takes a table, not a stream of batches, which can be read only once"
        )
    rows = training(table, checked_labels(y), checked_weights(sample_weight), "")
    assert isinstance(rows.labels, Labels)
    assert not isinstance(rows.weights, (BatchColumn, FileColumn))
    require_one_kind([*classes[:1], *rows.labels.values[:1]], "y beside classes_")
    return rows.labels.values[rows.labels.codes], rows.weights


def schema_of_rows(
    table: Columned,
    family: str | Mapping[str, str] | Sequence[str] | None,
    transforms: Mapping[str, str] | None,
    beside: Mapping[str, str | None],
) -> Schema:
    """The schema of the first rows; families may be given one for each column. `beside` has the
    columns that are no features."""
    if family is None or isinstance(family, (str, Mapping)):
        return Schema._of(table, family, transforms, **beside)
    names = [name for name in table.column_names() if name not in beside.values()]
    families = [str(one) for one in family]
    if len(families) != len(names):
        raise ValueError(
            f"family has {len(families)} entries, but X has {len(names)} columns to learn from: "
            f"{listed(names)}"
        )
    return Schema(dict(zip(names, families)), label=beside["label"], transforms=transforms)
