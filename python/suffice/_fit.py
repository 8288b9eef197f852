"""Training, from rows or sums to a model: the engine's `fit`, with Python's rows and values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from . import _core as engine
from ._data import batch_of, columned, is_batches, is_stream, warn_of_unlabelled
from ._errors import warn
from ._inferred import families_chosen, inferred_schema, show_remarks
from ._labels import ClassValues
from ._model import Model
from ._options import MODEL_OPTIONS, fit_default_of, given_options, require_known, with_options
from ._paths import FileStream, is_path, readable_twice
from ._row_source import RowSource, partly_labelled_in, rows_of
from ._schema import Schema, last_match, schema_of
from ._statistics import Statistics
from ._threads import threads_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ModelOptions

#: Calls with what is being done, and the share of it that is done.
Progress = Callable[[str, float], object]


@dataclass(frozen=True)
class Fit:
    """What `suffice.fit` has found.

    Attributes
    ----------
    model : Model
    statistics : Statistics
        The sums that the model was estimated from, of changed columns where these predict better.
    rows, unlabelled_rows : float
        All rows that were read, and those of them without a label.
    choice : dict or None
        Where the model was chosen: what was compared, as `GenerativeClassifier.choice_` has it.
    better_columns : dict or None
        Where columns were changed because a model of them predicts better: `changes`, in words, and
        the `log_loss_before` and `log_loss` of rows that were left out.
    mixture : dict or None
        What EM has found, as `GenerativeClassifier.mixture_` has it.
    calibration : dict or None
        Of a model that was not chosen: `folds` ("loo": one row at a time), `log_loss_before` and
        `log_loss` of rows that were left out, and `frequency_log_loss`, that of the class
        frequencies alone. `model.calibration` has the numbers.
    strength : dict or None
        With shrinkage="loo": the `shrinkage` found, and its `error_rate` and `log_loss`.
    threshold : dict or None
        With shrink_means="auto": `delta`, how many were `compared` in how many `folds`, and the
        `error_rate` and `log_loss`.
    notes : tuple of str
        What was done otherwise than one may expect, and why. Those that may be wrong are warnings
        as well.

    See Also
    --------
    fit : Makes one.

    Examples
    --------
    >>> import suffice
    >>> found = suffice.fit([[1.0], [2.0], [4.0], [5.0]], list("aabb"), covariance="tied")
    >>> found.rows, found.model.decide([[2.5]]).tolist(), found.choice
    (4.0, ['a'], None)
    """

    model: Model
    statistics: Statistics
    rows: float
    unlabelled_rows: float
    choice: dict[str, Any] | None = None
    better_columns: dict[str, Any] | None = None
    mixture: dict[str, Any] | None = None
    calibration: dict[str, Any] | None = None
    strength: dict[str, Any] | None = None
    threshold: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"Fit to {self.rows:g} rows", repr(self.model)]
        measured = self.choice or self.calibration
        if measured and "log_loss" in measured:
            alone = measured.get("prior_log_loss", measured.get("frequency_log_loss"))
            lines.append(
                f"Log-loss of rows that were left out: {measured['log_loss']:.3g} ({alone:.3g} by "
                "the class frequencies alone)"
            )
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])


def fit_options(
    options: Mapping[str, Any],
    schema: Schema | None = None,
    *,
    transforms: Mapping[str, str] | str | None = None,
    categories: str | None = None,
    calibration: str | None = None,
    missing: str = "auto",
    missing_indicators: bool | str | None = None,
    unlabelled: str | None = None,
    unlabelled_weight: float = 1.0,
    max_iter: int = 200,
    tol: float = 1e-6,
    n_init: int = 5,
    seed: int = 0,
    by_groups: bool = False,
    start: Model | None = None,
) -> engine.FitOptions:
    """The engine's options; `options` are those of the model. Without a schema the columns that are
    to be transformed are not known yet."""
    require_unlabelled(unlabelled, unlabelled_weight)
    if calibration not in (None, "auto", "none"):
        raise ValueError(f"calibration={calibration!r}: it must be 'auto' or 'none'")
    return engine.FitOptions(
        given_options(options),
        find_transforms=_to_transform(transforms, schema),
        categories=categories,
        missing_indicators=_in_words(missing_indicators),
        calibrate=None if calibration is None else calibration == "auto",
        by_groups=by_groups,
        missing=missing,
        iterations=max_iter,
        tolerance=tol,
        restarts=n_init,
        use_unlabelled=unlabelled == "use",
        unlabelled_weight=float(unlabelled_weight),
        seed=seed,
        start=None if start is None else start._core,
    )


def _in_words(choice: bool | str | None) -> str | None:
    return ("yes" if choice else "no") if isinstance(choice, bool) else choice


def require_unlabelled(value: Any, weight: Any) -> None:
    """Raises ValueError for parameters that no fit has."""
    if value not in (None, "use", "ignore"):
        raise ValueError(f"unlabelled={value!r}: give 'use', 'ignore' or None")
    if not (isinstance(weight, (int, float)) and 0 < weight < float("inf")):
        raise ValueError(f"unlabelled_weight={weight!r}: it must be positive and finite")


def named_transforms(rules: Mapping[str, str] | str | None) -> Mapping[str, str] | None:
    """The transformations that are named."""
    if isinstance(rules, str) and rules not in ("auto", "none"):
        raise ValueError(
            f'transforms={rules!r}: give "auto", "none", or a mapping of column or pattern to '
            "transformation"
        )
    if not isinstance(rules, Mapping):
        return None if isinstance(rules, str) else rules
    return {name: "none" if rule == "auto" else rule for name, rule in rules.items()}


def _to_transform(
    rules: Mapping[str, str] | str | None, schema: Schema | None
) -> list[str] | None:
    """The columns of numbers whose transformation is to be found; None leaves that to the engine."""
    if rules is None:
        return None
    rules = {"*": rules} if isinstance(rules, str) else rules
    if schema is None:
        return ["*"] if "auto" in rules.values() else []
    return [
        name
        for name, family in schema.families.items()
        if family == "gaussian"
        and name not in schema.transforms
        and last_match(rules, name) == "auto"
    ]


def require_readable_again(X: Any, options: engine.FitOptions) -> None:
    """Refuses what can be read only once where an option reads the rows again."""
    if (is_stream(X) or is_batches(X)) and (wish := options.needs_rows_again):
        raise ValueError(
            f"{wish} reads the rows twice, and a {type(X).__name__} can be read only once; give a "
            "table in memory"
        )


def trained(
    rows: RowSource,
    options: engine.FitOptions,
    n_jobs: int | None,
    progress: Progress | None = None,
    *,
    warns_of_unlabelled: bool = False,
) -> Fit:
    """The engine's fit of these rows, and warnings about it."""
    model, statistics, found = engine.fit(rows, options, threads_of(n_jobs), progress)
    if warns_of_unlabelled:
        warn_of_unlabelled(int(found.unlabelled_rows))
    if rows.shows_remarks:
        show_remarks(found.remarks)
    return _wrapped(model, statistics, found, rows.values)


def trained_from_sums(
    statistics: Statistics, options: engine.FitOptions, n_jobs: int | None
) -> Fit:
    """The same of what has sums only."""
    trained = engine.fit_sums(statistics._filled(), options, threads_of(n_jobs))
    return _wrapped(*trained, statistics._values)


def _wrapped(
    model: engine.Model, statistics: engine.Statistics, found: engine.Fit, values: ClassValues
) -> Fit:
    for kind, text in found.notes:
        if kind == "warning":
            warn(text)
    return Fit(
        Model._wrap(model, values),
        Statistics._wrap(statistics, values),
        found.rows,
        found.unlabelled_rows,
        found.choice,
        found.columns,
        found.mixture,
        found.calibration,
        found.strength,
        found.threshold,
        tuple(text for _, text in found.notes),
    )


@with_options(MODEL_OPTIONS, default=fit_default_of)
def fit(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | str | None = None,
    categories: str | None = None,
    calibration: str | None = None,
    missing: str = "auto",
    missing_indicators: bool | str | None = None,
    unlabelled: str | None = None,
    unlabelled_weight: float = 1.0,
    max_iter: int = 200,
    tol: float = 1e-6,
    n_init: int = 5,
    seed: int = 0,
    start: Model | None = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
    **options: Unpack[ModelOptions],
) -> Fit:
    """Learns a model from rows and their classes, as `suffice fit` does: unless a covariance is
    named, the model is chosen by how well it predicts rows that were left out, and calibrated.

    Parameters
    ----------
    X : table or Statistics
        Anything that Statistics.update takes: a table in memory, the path of a file, Files, a
        stream of record batches, or an iterator of tables. What can be read only once serves all
        options that do not need the rows again. Of Statistics, which have sums only, the model is
        the one that the evidence prefers.
    y, sample_weight
        Classes and weights: arrays, or names of columns of X.
    groups : array, or the name of a column of X
        Rows that belong together, such as several of one person: none of them has a part in the
        model that another is compared or calibrated with.
    schema, family, transforms
        What the columns mean, as for Statistics.of. `transforms` may be "auto", for all columns or
        for some, or "none": whether transformations are found, as for GenerativeClassifier.
    categories : {"apart", "within", "auto"} or None
        Whether categorical columns are independent of all others, given the class, or indicators of
        their levels lie in the Gaussian block, as for GenerativeClassifier.
    calibration : {"auto", "none"} or None
        Whether scores are calibrated by rows that had no part in estimating. None: where the model
        is chosen.
    missing : {"auto", "em", "complete"}
        What full and tied covariances do about rows that lack a number, as for
        GenerativeClassifier.
    missing_indicators : bool, {"auto", "yes", "no"} or None
        Whether each column with missing values has a feature beside it that says so, as for
        GenerativeClassifier.
    unlabelled : {"use", "ignore"} or None
        What is done with rows of a table in memory that have no label: None, NaN or null in y, or
        -1 in an array of integers. None: such a row is an error.
    unlabelled_weight : float
        How much a row without a label counts, compared with one that has a label.
    max_iter, tol, n_init
        Passes of EM at most, the change of the log-likelihood per row at which they end, and the
        starts that are tried for mixtures.
    seed : int
        Of samples of rows, of folds and of the starts of EM.
    start : Model, optional
        A mixture of the same classes and columns for EM to begin with; then no other start is
        tried, and the number of components is that of `start`.
    progress : callable, optional
        Called a few times per second with what is being done, and the fraction of it that is done.
        What it raises ends the call.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    {options}

    See Also
    --------
    GenerativeClassifier : The same as a scikit-learn estimator.
    select : Compares the models that you name, by cross-validation.
    Statistics.estimate : A model of these options, without any choice.

    Examples
    --------
    >>> import suffice
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = suffice.fit(X, y)
    >>> found.model.options["covariance"], found.choice["error_rate"] < 0.03
    ('full', True)
    >>> found.model.decide(X[:2])
    array([0, 0])
    >>> suffice.fit(found.statistics, covariance="tied").model.decide(X[-2:])
    array([2, 2])
    """
    require_known(options, MODEL_OPTIONS, "fit")

    def asked(schema: Schema | None) -> engine.FitOptions:
        return fit_options(
            options, schema, transforms=transforms, categories=categories,
            missing_indicators=missing_indicators, calibration=calibration,
            missing=missing, unlabelled=unlabelled, unlabelled_weight=unlabelled_weight,
            max_iter=max_iter, tol=tol, n_init=n_init, seed=seed, by_groups=groups is not None,
            start=start,
        )

    named = named_transforms(transforms)
    if isinstance(X, Statistics):
        of_rows = {"y": y, "sample_weight": sample_weight, "groups": groups, "schema": schema,
                   "family": family, "transforms": named}
        for name, value in of_rows.items():
            if value is not None:
                raise ValueError(f"{name} is for rows, and X has statistics of them")
        return trained_from_sums(X, asked(X.schema), n_jobs)
    if schema is not None and (family is not None or named is not None):
        raise ValueError("family and transforms are for a schema that is inferred; give no schema")
    require_readable_again(X, asked(None))
    given: Sequence[bool] | None = None
    if is_path(X):
        X = readable_twice(X, threads_of(n_jobs))
    if is_batches(X):
        if schema is None:
            first = next(X := iter(X), None)
            if first is None:
                raise ValueError("there are no batches")
            X = chain([first], X)
            one, classes, weights = batch_of(first, y, sample_weight)
            schema = inferred_schema(columned(one), classes, weights, family, named)
    else:
        X = columned(X)
        if schema is None:
            schema = inferred_schema(X, y, sample_weight, family, named, groups=groups)
            given = families_chosen(schema, family)
    schema = schema_of(schema)
    if unlabelled is not None:
        if unlabelled == "use" and isinstance(X, FileStream):
            raise ValueError(
                "unlabelled='use' is for a table in memory; suffice fit --unlabelled use reads files"
            )
        y = partly_labelled_in(X, y, schema.label or "")
    rows = rows_of(X, y, sample_weight, groups, schema, given)
    return trained(rows, asked(schema), n_jobs, progress, warns_of_unlabelled=unlabelled is None)
