"""Classes that are mixtures, and rows without a label, by EM."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core as engine
from ._data import Training, in_memory, training, weights_of
from ._errors import warn
from ._inferred import inferred_schema
from ._labels import Labels, labels_of, partly_labelled
from ._model import Model, rows_again
from ._options import MODEL_OPTIONS, default_of, engine_options, require_known, with_options
from ._schema import Schema, schema_of
from ._source import Source
from ._statistics import Statistics
from ._threads import threads_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ModelOptions

Array = NDArray[Any]


def require_unlabelled(value: Any, weight: Any) -> None:
    """Raises ValueError for parameters that no fit has."""
    if value not in (None, "use", "ignore"):
        raise ValueError(f"unlabelled={value!r}: give 'use', 'ignore' or None")
    if not (isinstance(weight, (int, float)) and 0 < weight < np.inf):
        raise ValueError(f"unlabelled_weight={weight!r}: it must be positive and finite")


def rows_with_labels(
    source: Source, labels: Labels, weights: Array | None
) -> tuple[Training, Training]:
    """The rows for the sums, in which those without a label weigh nothing, and all of them."""
    hidden = labels.codes < 0
    if not hidden.any():
        all_rows = Training(source, labels, weights)
        return all_rows, all_rows
    all_weights = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
    labelled = np.where(hidden, 0.0, all_weights)
    return Training(source, labels, labelled), Training(source, labels, all_weights)


def fit_rows(
    statistics: Statistics,
    data: Training,
    options: Mapping[str, Any],
    *,
    missing: str,
    max_iter: int,
    tol: float,
    n_init: int,
    seed: int,
    unlabelled_weight: float,
    start: Model | None = None,
    n_jobs: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[Model, dict[str, Any]]:
    """The model of the rows whose labelled ones have these statistics, and what EM found."""
    core, found = engine.fit_mixture(
        statistics._filled(), engine_options(options), rows_again(data), missing, max_iter, tol,
        n_init, seed, unlabelled_weight, None if start is None else start._core,
        threads_of(n_jobs), progress,
    )
    if not found["converged"]:
        warn(f"EM stopped after max_iter={max_iter} passes before it converged")
    if found["empty"]:
        number = found["empty"]
        what = "1 component was" if number == 1 else f"{number} components were"
        warn(f"{what} left out, since no row belongs to {'it' if number == 1 else 'them'}")
    if found["bounded"]:
        warn(
            f"the covariance of {found['bounded']} of the components met its lower bound, a "
            "millionth of that of the class; fewer components, or shrinkage, avoid that"
        )
    return Model._wrap(core, statistics._values), found


def _default_of(name: str) -> float | str | bool | None:
    return 2 if name == "components" else default_of(name)


@with_options(MODEL_OPTIONS, default=_default_of)
def fit_mixture(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | None = None,
    unlabelled: str | None = None,
    unlabelled_weight: float = 1.0,
    missing: str = "auto",
    max_iter: int = 200,
    tol: float = 1e-6,
    n_init: int = 5,
    seed: int = 0,
    start: Model | None = None,
    progress: Callable[[float], object] | None = None,
    n_jobs: int | None = None,
    **options: Unpack[ModelOptions],
) -> Model:
    """A model whose classes are mixtures of several densities each, found by EM.

    Parameters
    ----------
    X, y, sample_weight
        A table in memory or files, its classes and weights, as Statistics.of takes them.
    schema, family, transforms
        What the columns mean, as for Statistics.of.
    unlabelled : {"use", "ignore"} or None
        What is done with rows of a table in memory that have no label: None, NaN or null in y, or
        -1 in an array of integers, as scikit-learn marks them. "use" has them improve the
        densities, "ignore" leaves them out, and None raises DataError.
    unlabelled_weight : float
        How much a row without a label counts beside one with a label.
    missing : {"auto", "em", "complete"}
        "complete" leaves rows that lack a number out of full and tied covariances; otherwise what
        is missing is replaced by its expectation, given the other numbers of the row.
    max_iter, tol
        Passes at most, and the change of the log-likelihood per row at which they end.
    n_init : int
        Starts that are tried on a sample of the rows.
    seed : int
        Of the sample and the starts.
    start : Model, optional
        A mixture of the same classes and columns to begin with; then no other start is tried, and
        the number of components is that of `start`.
    progress : callable, optional
        Called a few times per second with the fraction done. What it raises ends the call.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    {options}

    Examples
    --------
    >>> import numpy as np, suffice
    >>> random = np.random.default_rng(0)
    >>> X = np.concatenate([random.normal(c, 1, (200, 1)) for c in (-6, 6, 0)])
    >>> y = ["outside"] * 400 + ["inside"] * 200
    >>> model = suffice.fit_mixture(X, y, components="auto")
    >>> model.mixture["names"], model.mixture["shares"].round(2)
    (['inside/1', 'outside/1', 'outside/2'], array([1. , 0.5, 0.5]))
    >>> model.decide([[-6.0], [0.0], [6.0]]).tolist()
    ['outside', 'inside', 'outside']
    """
    require_known(options, MODEL_OPTIONS, "fit_mixture")
    require_unlabelled(unlabelled, unlabelled_weight)
    threads = threads_of(n_jobs)
    table = in_memory(X, "fit_mixture", threads)
    if schema is None:
        schema = inferred_schema(table, y, sample_weight, family, transforms)
    elif family is not None or transforms is not None:
        raise ValueError("family and transforms are for a schema that is inferred; give no schema")
    schema = schema_of(schema)
    if unlabelled is None:
        all_rows = training(table, y, sample_weight, schema.label or "")
    else:
        labelled, all_rows = partly_labelled_rows(table, y, sample_weight, schema.label or "")
        y, sample_weight = labelled.labels, labelled.weights
    given: dict[str, Any] = {"components": 2, **options}
    if start is not None:
        given["components"] = 1  # those of the start
    is_dense = engine.needs_dense_scatter(engine_options({**given, "components": 1}))
    statistics = Statistics(schema, covariance="full" if is_dense else "diag")
    statistics._update(table, y, sample_weight, threads)
    model, _ = fit_rows(
        statistics, all_rows, given, missing=missing, max_iter=max_iter, tol=tol, n_init=n_init,
        seed=seed, unlabelled_weight=unlabelled_weight if unlabelled == "use" else 0.0,
        start=start, n_jobs=n_jobs, progress=progress,
    )
    return model


def partly_labelled_rows(
    table: Any, y: Any, sample_weight: Any, label: str
) -> tuple[Training, Training]:
    """As rows_with_labels, of a table in memory; y and sample_weight may be names of columns."""
    if not isinstance(table, Source):
        raise ValueError(
            "unlabelled is for a table in memory; suffice fit --unlabelled reads files"
        )
    y = label if y is None else y
    if isinstance(y, str):
        y = table.column(table.position(y, "y"))
    if isinstance(sample_weight, str):
        sample_weight = table.column(table.position(sample_weight, "sample_weight"))
    labels = labels_of(y if isinstance(y, Labels) else partly_labelled(y), table.rows)
    return rows_with_labels(table, labels, weights_of(sample_weight, table.rows))
