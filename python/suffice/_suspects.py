"""Labels that are probably wrong."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core as engine
from ._data import columned
from ._errors import warn
from ._fit import fit_options, named_transforms
from ._inferred import inferred_schema
from ._model import Model
from ._paths import is_path, readable_twice
from ._row_source import partly_labelled_in, rows_of
from ._schema import Schema, schema_of
from ._threads import threads_of

__all__ = ["Suspects", "suspects"]


@dataclass(frozen=True, repr=False)
class Suspects:
    """Labels that the model of all other rows contradicts, the worst first.

    Attributes
    ----------
    row : array of int
        Where the rows are in X: 0 is the first.
    label, looks_like : arrays
        The class that a row has, and the one that it looks like.
    probability : array
        Of the class that it looks like, by the other rows.
    score : array
        The logarithm of the odds of that class over the label; larger is more suspect.
    flagged : array of bool
        Whether the label is a suspect; all are, unless all rows were asked for.
    reasons : list of dict
        For each suspect the columns with the most evidence for that class against the label.
    model : Model
        Of the rows without the strongest suspects.
    rows, subtracted : int
        How many rows have a label, and how many of them the model is without.

    See Also
    --------
    suspects : Finds them.

    Examples
    --------
    >>> import suffice
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[3] = 2
    >>> found = suffice.suspects(X, y)
    >>> len(found), found.row.tolist(), list(found.reasons[0])[:2]
    (1, [3], ['x3', 'x2'])
    """

    row: NDArray[np.int64]
    label: NDArray[Any]
    looks_like: NDArray[Any]
    probability: NDArray[np.float64]
    score: NDArray[np.float64]
    flagged: NDArray[np.bool_]
    reasons: list[dict[str, float]]
    model: Model
    rows: int
    subtracted: int

    def __len__(self) -> int:
        return len(self.row)

    def __repr__(self) -> str:
        lines = [f"{int(self.flagged.sum()):,} labels of {self.rows:,} rows are suspect"]
        for k in np.flatnonzero(self.flagged)[:10]:
            why = ", ".join(f"{name} ({value:+.2g})" for name, value in self.reasons[k].items())
            lines.append(
                f"  row {self.row[k]}: {self.label[k]}, looks like {self.looks_like[k]} "
                f"({self.probability[k]:.3g}): {why}"
            )
        if self.flagged.sum() > 10:
            lines.append("  …")
        return "\n".join(lines)


def suspects(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    all: bool = False,  # noqa: A002
    reasons: int = 3,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Suspects:
    """Which labels are probably wrong: judges each row by the model of all other rows, subtracts the
    strongest suspects, and judges all rows once more, as `suffice suspects` does. Nothing is changed
    in the data.

    Parameters
    ----------
    X : table or path
        A table in memory, the path of a file, or Files.
    y, sample_weight
        Classes and weights: arrays, or names of columns of X. Rows without a class are not judged.
    all : bool
        Whether all rows are told of, in their order, instead of the suspects, the worst first.
    reasons : int
        How many columns the reasons of a suspect name.
    schema, family, transforms
        What the columns mean, as for Statistics.of.
    seed : int
        Of the sample of rows by which the model is chosen and calibrated.
    n_jobs : int, optional
        Threads. The result does not depend on it.

    See Also
    --------
    Model.evidence : Reasons for any row and any two classes.

    Examples
    --------
    >>> import suffice
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 140]] = [2, 0]
    >>> found = suffice.suspects(X, y)
    >>> sorted(found.row.tolist()), sorted(found.looks_like.tolist())
    ([3, 140], [0, 2])
    """
    named = named_transforms(transforms)
    if schema is not None and (family is not None or named is not None):
        raise ValueError("family and transforms are for a schema that is inferred; give no schema")
    X = readable_twice(X, threads_of(n_jobs)) if is_path(X) else columned(X)
    if schema is None:
        schema = inferred_schema(X, y, sample_weight, family, named)
    schema = schema_of(schema)
    y = partly_labelled_in(X, y, schema.label or "")
    source = rows_of(X, y, sample_weight, None, schema, None)
    options = fit_options({}, schema, transforms=transforms, seed=seed)
    core, found, rows, subtracted, warnings = engine.suspects(
        source, options, bool(all), int(reasons), threads_of(n_jobs)
    )
    for text in warnings:
        warn(text)
    model = Model._wrap(core, source.values)
    classes: NDArray[Any] = np.array([*model.classes_.tolist(), None], object)  # −1: none
    of: dict[str, NDArray[Any]] = {name: classes[found[name]] for name in ("label", "looks_like")}
    if not (found["label"] < 0).any():
        of = {name: model.classes_[found[name]] for name in of}
    return Suspects(
        found["row"], of["label"], of["looks_like"], found["probability"], found["score"],
        found["flagged"].astype(bool), found["reasons"], model, rows, subtracted,
    )
