"""Statistics, predictions and the choice of a model over Dask data frames and arrays, on whatever
scheduler Dask uses: threads, processes or a cluster of `distributed`.

    import suffice.dask
    stats = suffice.dask.statistics(ddf, "species")
    model = stats.estimate(covariance="tied")
    suffice.dask.predict(model, ddf).compute()

Each partition is summed up where it is, and the sums are merged as a tree. The package must be
installed on the workers; docs/scale.md shows how a wheel is shipped.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._data import matched, source_of
from ._decide import CostsLike, PriorsLike
from ._errors import placed
from ._inferred import inferred_schema
from ._labels import name_of
from ._model import Model
from ._optional import optional
from ._options import MODEL_OPTIONS, GridOptions, with_options
from ._partials import (
    FAN_IN,
    Contest,
    Plan,
    Question,
    Scores,
    answered,
    between_passes,
    chosen,
    contest_of,
    scores_of_candidates,
    summed,
    summed_by_fold,
)
from ._schema import Schema, schema_of
from ._selection import Selection
from ._source import listed
from ._statistics import Statistics

if TYPE_CHECKING:
    from typing_extensions import Unpack

dask: Any = optional("dask", "suffice.dask")

__all__ = ["predict", "select", "statistics"]

Array = NDArray[Any]

#: The column that a hash of the key is put in.
_FOLD = "suffice fold"

SHIP = (
    "the workers have no package suffice: build a wheel with script/wheel and install it there, for "
    "example with client.register_plugin(distributed.PipInstall(['/path/suffice.whl'])); "
    "docs/scale.md shows the commands"
)


def statistics(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | None = None,
    covariance: str = "full",
) -> Statistics:
    """The statistics of a Dask data frame or array, in one pass: each partition is summed up where it
    is. The sums are merged in the order of the partitions: the same partitions give the same bits.

    Parameters
    ----------
    X : dask.dataframe.DataFrame or dask.array.Array
    y : str or array
        For a frame the name of the column with the classes; for an array another array.
    sample_weight : str or array, optional
        Frequencies: weight 2 is the row twice.
    schema, family, transforms, covariance
        As for Statistics.of.

    >>> suffice.dask.statistics(ddf, "species")  # doctest: +SKIP
    """
    if _is_array(X):
        plan = _plan_of_array(X, schema, family, transforms, covariance)
        pieces = _blocks(X, y, sample_weight)
    else:
        plan = _plan(X, y, sample_weight, None, schema, family, transforms, covariance)
        pieces = _partitions(X, plan)
    states = [
        dask.delayed(_placed)(partial(summed, plan), number, piece)
        for number, piece in enumerate(pieces)
    ]
    if not states:
        return Statistics(plan.schema, covariance=covariance)
    return _computed(_tree(states))  # type: ignore[no-any-return]


@with_options(MODEL_OPTIONS, lists=True)
def select(
    X: Any,
    y: str | None = None,
    sample_weight: str | None = None,
    *,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | None = None,
    folds: int | str = 5,
    key: str | Sequence[str] | None = None,
    criterion: str = "log-loss",
    one_se: bool = False,
    calibration: str = "none",
    priors: PriorsLike = "train",
    costs: CostsLike | None = None,
    **options: Unpack[GridOptions],
) -> Selection:
    """Compares models by exact cross-validation, as suffice.select does, in two passes over a data
    frame: the first sums up each fold, the second scores each row by the models of the other folds.

    Parameters
    ----------
    X, y, sample_weight, schema, family, transforms
        As for `statistics`; X is a data frame.
    {options}
    folds : int, or the name of a column
        The number of folds, to which rows are dealt by a hash of `key`, or the column that has them.
    key : str or sequence of str, optional
        Columns that tell rows apart, or that keep together what belongs together, such as the
        number of a customer; they are no features. By default the hash is that of all columns.
    criterion, one_se, priors, costs
        As for suffice.select.
    calibration : {"none"}
        Scores are not calibrated on a cluster; Model.calibrate does it with a sample of rows.

    >>> suffice.dask.select(ddf, "species", covariance=["full", "tied"])  # doctest: +SKIP
    """
    if _is_array(X):
        raise ValueError("select takes a data frame: ddf = dask.dataframe.from_dask_array(X)")
    keys = [key] if isinstance(key, str) else list(key or ())
    for name in keys:
        _require_column(X, name, "key")
    dealt = None
    if isinstance(folds, str):
        if keys:
            raise ValueError("key is for folds that are dealt; the column of folds names them")
        _require_column(X, folds, "folds")
        fold = folds
    else:
        if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
            raise ValueError(
                f"folds={folds!r}: give a number of at least 2, or the name of a column"
            )
        fold, dealt = _FOLD, partial(_dealt, folds, keys)
    plan = _plan(
        X, y, sample_weight, None if dealt else fold, schema, family, transforms, "full", keys
    )
    plan = Plan(plan.schema, plan.label, plan.weight, fold)
    contest, plan = contest_of(plan, options, criterion, one_se, calibration)
    pieces = _partitions(X, plan, dealt, keys)
    sums = [
        dask.delayed(_placed)(partial(summed_by_fold, plan), number, piece)
        for number, piece in enumerate(pieces)
    ]
    by_fold = _computed(_tree(sums, _merged_folds))
    contest, everything = between_passes(contest, by_fold, priors, costs)
    held = dask.delayed(contest)
    scores = [
        dask.delayed(_scored)(held, number, piece) for number, piece in enumerate(pieces)
    ]
    return chosen(contest, _computed(dask.delayed(list)(scores)), everything)


def predict(
    model: Model,
    X: Any,
    output: str | Sequence[str] = "label",
    *,
    priors: PriorsLike = "train",
    costs: CostsLike | None = None,
    reject: float | None = None,
    outlier: float | None = None,
) -> Any:
    """Predictions, computed when Dask computes them.

    Parameters
    ----------
    model : Model
    X : dask.dataframe.DataFrame or dask.array.Array
        The columns of a frame are found by name, those of an array by position.
    output : str or sequence of str
        For a frame as many as wanted, and the result is the frame with columns added: "label" adds
        `prediction`; "proba", "loglik" and "llr" add a column for each class (`proba:a`), "logpx"
        and "outlier" one. For an array one of them, and the result is an array.
    priors, costs, reject, outlier
        As for Model.decide. With `reject` or `outlier` a frame gets also a column `status`.

    >>> suffice.dask.predict(model, ddf, output=["label", "proba"])  # doctest: +SKIP
    """
    question = Question.of(model, output, priors, costs, reject, outlier)
    if not _is_array(X):
        frame = X._meta_nonempty
        matched(source_of(frame), model.schema)
        for name in question.columns():
            if name in frame.columns:
                raise ValueError(f"X has a column '{name}' already; rename it or drop it")
        return X.map_partitions(_with_answers, question, meta=_with_answers(frame.iloc[:0], question))
    if len(question.outputs) != 1:
        raise ValueError("output: give one for an array, or a data frame for several")
    X = X.rechunk({1: -1})
    if X.shape[1] != len(model.schema.columns):
        raise ValueError(
            f"X has {X.shape[1]} columns, but the schema has {len(model.schema.columns)} features"
        )
    meta = _answer_array(np.zeros((0, X.shape[1])), question)
    if meta.ndim == 1:
        return X.map_blocks(_answer_array, question, dtype=meta.dtype, drop_axis=1, meta=meta)
    chunks = (X.chunks[0], (meta.shape[1],))
    return X.map_blocks(_answer_array, question, dtype=meta.dtype, chunks=chunks, meta=meta)


def _is_array(X: Any) -> bool:
    if hasattr(X, "npartitions") and hasattr(X, "columns") and hasattr(X, "to_delayed"):
        return False
    if hasattr(X, "chunks") and hasattr(X, "to_delayed"):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, but it has {X.ndim}")
        return True
    raise ValueError(f"X must be a data frame or an array of Dask, not {type(X).__name__}")


def _require_column(X: Any, name: str, what: str) -> None:
    if name not in X.columns:
        raise ValueError(f"{what}: X has no column '{name}'; it has {listed(list(X.columns))}")


def _plan(
    X: Any,
    y: Any,
    sample_weight: Any,
    fold: str | None,
    schema: Schema | Mapping[str, str] | None,
    family: str | Mapping[str, str] | None,
    transforms: Mapping[str, str] | None,
    covariance: str,
    key: Sequence[str] = (),
) -> Plan:
    """What all partitions agree on, from the types of the columns."""
    for given, what in ((y, "y"), (sample_weight, "sample_weight")):
        if given is not None and not isinstance(given, str):
            raise ValueError(f"{what} for a data frame is the name of one of its columns")
    if schema is not None:
        if family is not None or transforms is not None:
            raise ValueError("family and transforms are for a schema that is inferred")
        schema = schema_of(schema)
        y = y or schema.label
    if y is None:
        raise ValueError("y is missing: give the name of the column with the classes")
    for name, what in ((y, "y"), (sample_weight, "sample_weight")):
        if name is not None:
            _require_column(X, name, what)
    if schema is None:
        frame = X._meta_nonempty.drop(columns=list(key))
        schema = inferred_schema(frame, y, sample_weight, family, transforms, fold)
    matched(source_of(X._meta_nonempty), schema)
    return Plan(schema, y, sample_weight, fold, covariance)


def _plan_of_array(
    X: Any,
    schema: Schema | Mapping[str, str] | None,
    family: str | Mapping[str, str] | None,
    transforms: Mapping[str, str] | None,
    covariance: str,
) -> Plan:
    if schema is None:
        schema = Schema.of(np.zeros((1, X.shape[1]), X.dtype), family, transforms=transforms)
    elif family is not None or transforms is not None:
        raise ValueError("family and transforms are for a schema that is inferred")
    schema = schema_of(schema)
    if len(schema.columns) != X.shape[1]:
        raise ValueError(
            f"X has {X.shape[1]} columns, but the schema has {len(schema.columns)} features: "
            f"{listed(schema.columns)}"
        )
    return Plan(schema, covariance=covariance)


def _partitions(
    X: Any, plan: Plan, dealt: Callable[[Any], Array] | None = None, key: Sequence[str] = ()
) -> list[Any]:
    """The partitions with the columns that are needed."""
    if dealt is not None and not key:
        wanted = list(X.columns)  # all of them are hashed
    else:
        named = [*plan.schema.columns, plan.label, plan.weight, *key]
        named += [] if dealt else [plan.fold]
        wanted = list(dict.fromkeys(name for name in named if name is not None))
    pieces = list(X[wanted].to_delayed())
    if dealt is None:
        return pieces
    return [dask.delayed(_with_folds)(piece, dealt) for piece in pieces]


def _with_folds(frame: Any, dealt: Callable[[Any], Array]) -> Any:
    return frame.assign(**{_FOLD: dealt(frame)})


def _dealt(folds: int, key: Sequence[str], frame: Any) -> Array:
    """The fold of each row, by a hash of some columns or of all."""
    import pandas

    hashed = pandas.util.hash_pandas_object(frame[list(key)] if key else frame, index=False)
    return np.asarray(hashed.to_numpy() % folds).astype(np.int64)


def _blocks(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """The rows of arrays in pieces: (X, y) or (X, y, sample_weight)."""
    if y is None:
        raise ValueError("y is missing: give an array with one label for each row")
    X = X.rechunk({1: -1})
    columns = [X.to_delayed().ravel()]
    for given, what in ((y, "y"), (sample_weight, "sample_weight")):
        if given is None:
            continue
        if isinstance(given, str):
            raise ValueError(f"{what}='{given}' names a column, but the columns of X have no names")
        array = given if hasattr(given, "to_delayed") else dask.array.from_array(np.asarray(given))
        if hasattr(array, "to_dask_array"):
            array = array.to_dask_array()
        known = not (np.isnan(array.shape[0]) or np.isnan(X.shape[0]))
        if known and array.shape[0] != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, but {what} has {array.shape[0]}")
        if known:
            array = array.rechunk((X.chunks[0],))
        elif array.numblocks[0] != X.numblocks[0]:
            raise ValueError(f"X has {X.numblocks[0]} chunks, but {what} has {array.numblocks[0]}")
        columns.append(array.to_delayed().ravel())
    return [dask.delayed(_together)(*pieces) for pieces in zip(*columns)]


def _together(*arrays: Any) -> tuple[Any, ...]:
    return arrays


def _placed(work: Callable[[list[Any]], Any], number: int, piece: Any) -> Any:
    """What `work` says of a partition; an error names it."""
    try:
        return work([piece])
    except (ValueError, TypeError, OSError, ImportError) as error:
        raise placed(error, f"partition {number}") from None


def _scored(contest: Contest, number: int, piece: Any) -> Scores:
    return _placed(partial(scores_of_candidates, contest), number, piece)  # type: ignore[no-any-return]


def _merged_folds(parts: list[dict[str, Statistics]]) -> dict[str, Statistics]:
    by_fold: dict[str, list[Statistics]] = {}
    for part in parts:
        for name, state in part.items():
            by_fold.setdefault(name, []).append(state)
    return {name: Statistics.merge_many(states) for name, states in by_fold.items()}


def _tree(parts: list[Any], merge: Callable[[list[Any]], Any] = Statistics.merge_many) -> Any:
    """One value of all parts, merged some at a time in their order."""
    while True:
        parts = [
            dask.delayed(merge)(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)
        ]
        if len(parts) == 1:
            return parts[0]


def _computed(value: Any) -> Any:
    try:
        return value.compute()
    except KeyError as error:  # pandas has looked for a column
        raise ValueError(f"partitions have different columns: {error.args[0]}") from None
    except Exception as error:
        if "No module named 'suffice'" in str(error):
            raise ImportError(SHIP, name="suffice") from None
        raise


def _with_answers(frame: Any, question: Question) -> Any:
    columns = answered(question, frame)
    kinds = question.columns()
    return frame.assign(**{
        name: _names(values) if kinds[name] == "str" else values for name, values in columns.items()
    })


def _names(values: Array) -> Array:
    """Objects, so that all partitions have one type."""
    return np.array([None if v is None else name_of(v) for v in values.tolist()], dtype=object)


def _answer_array(block: Any, question: Question) -> Array:
    columns = list(answered(question, block).values())
    if question.outputs[0] in ("proba", "loglik", "llr"):
        return np.column_stack(columns)
    return columns[0]
