"""What the rows and the labels that reach GenerativeClassifier have to pass.

Names, shapes and kinds are checked by scikit-learn, so that its words and warnings are the ones
that its users know; values (infinities, negative counts, missing values) are checked by the engine
while it reads them, so that no pass over the data is spent on it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data


def column_names(X: Any) -> list[str] | None:
    """The names of the columns of a frame or an Arrow table; None for anything else."""
    names = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", None)
    if names is None or not hasattr(X, "shape"):
        return None
    return list(names)


def is_stream(X: Any) -> bool:
    """Whether the rows arrive in batches that can be read only once."""
    return isinstance(X, Iterator) or (
        hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape")
    )


def checked_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as the data adapters take it; sets or compares n_features_in_ and feature_names_in_."""
    if is_stream(X):
        return X
    if column_names(X) is None:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse=("csr", "csc"),
            dtype=None,
            ensure_all_finite=False,
        )
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if min(X.shape) == 0:
        what = "row" if X.shape[0] == 0 else "column"
        raise ValueError(f"X has no {what} (shape {tuple(X.shape)}); at least one is needed")
    return X


def checked_labels(estimator: Any, y: Any) -> Any:
    """y as one class a row, or the name of the column of X that holds it.

    Numbers have to be whole, as scikit-learn has it: others are the target of a regression.
    """
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y "
            "is None."
        )
    if isinstance(y, str):
        return y
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f" and not np.array_equal(y, np.floor(y)):
        check_classification_targets(y)  # refuses it: NaN, or not whole
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise ValueError("Input y contains infinity; a class has to be a finite number or a name.")
    return y


def checked_weights(sample_weight: Any) -> Any:
    """Weights as one number a row, or the name of the column of X that holds them."""
    if sample_weight is None or isinstance(sample_weight, str):
        return sample_weight
    weights: npt.NDArray[np.floating[Any]] = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=(np.float64, np.float32),
        input_name="sample_weight",
    )
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array of shape "
            f"{weights.shape}."
        )
    return weights
