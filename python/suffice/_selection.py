"""Choosing the model: what reads the rows twice, once for the sums and once to compare."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core as engine
from ._data import in_memory, is_batches, is_stream, located, slices_of, training
from ._errors import warn
from ._decide import CostsLike, PriorsLike, costs_of, priors_of
from ._folds import named_folds, number_of_folds
from ._inferred import families_chosen, inferred_schema, show_remarks
from ._meanings import best_meaning, meanings_of
from ._model import Model
from ._options import (
    MODEL_OPTIONS,
    TABLE,
    GridOptions,
    engine_grid,
    require_known,
    with_options,
)
from ._schema import Schema, schema_of
from ._paths import FileStream
from ._statistics import Statistics
from ._threads import threads_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Selection:
    """What `suffice.select` has found; prints as a table, best first.

    See Also
    --------
    select : Makes one.
    evaluate : Figures of one model, on other rows.

    Examples
    --------
    >>> import suffice
    >>> X = [[1.0], [2.0], [3.0], [4.0], [7.0], [8.0], [9.0], [10.0]]
    >>> found = suffice.select(X, list("aaaabbbb"), covariance=["tied", "full"], folds=2)
    >>> found.candidates[found.best]["error_rate"], found.best_options["covariance"]
    (0.0, 'tied')
    >>> found.model.decide([[3.5]]).tolist()
    ['a']
    """

    def __init__(
        self, found: dict[str, Any], model: Model, statistics: Statistics, criterion: str
    ) -> None:
        self._candidates: list[dict[str, Any]] = found["candidates"]
        self._ranking: list[int] = found["ranking"]
        self._best: int = found["best"]
        self._model, self._statistics, self._criterion = model, statistics, criterion
        self._hints: list[str] = found["hints"]
        self._predictions: dict[str, Any] | None = None

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """One dictionary for each candidate, under the names of `suffice select --json`: `options`,
        `rows`, `error_rate`, `log_loss`, their standard errors `error_rate_se` and `log_loss_se`
        (with costs also `cost` and `cost_se`), whether the log-loss is `above_frequencies`, that is
        above that of the class frequencies alone, `parameters`, `calibration` (`scale` and `offset`)
        and what scores without it have (`uncalibrated`), `folds` with the same of each, and
        `seconds`; where it could not be estimated `error`, the reason, instead of the numbers."""
        return self._candidates

    @property
    def ranking(self) -> list[int]:
        """The positions of the candidates, best first."""
        return self._ranking

    @property
    def best(self) -> int:
        """The position of the one that was chosen."""
        return self._best

    @property
    def best_options(self) -> dict[str, Any]:
        """Its options, as Statistics.estimate and GenerativeClassifier take them."""
        options: dict[str, Any] = self._candidates[self._best]["options"]
        return options

    @property
    def model(self) -> Model:
        """The best candidate, estimated from all rows."""
        return self._model

    @property
    def statistics(self) -> Statistics:
        """The sums over all rows, which other models can be estimated from."""
        return self._statistics

    @property
    def criterion(self) -> str:
        """What the candidates were compared by."""
        return self._criterion

    @property
    def hints(self) -> list[str]:
        """Sentences about options of which the best candidate has the smallest or the largest
        number that was compared, with a number to try."""
        return self._hints

    @property
    def predictions(self) -> dict[str, Any]:
        """With `predictions=True`: what the chosen candidate says of each row when the row's fold is
        left out. `label` is the decision, `proba` has the probabilities (columns as
        `model.classes_`), `fold` the name of the fold (None with "loo")."""
        if self._predictions is None:
            raise AttributeError("predictions were not asked for; give select predictions=True")
        return self._predictions

    def __repr__(self) -> str:
        return "\n".join(_table(self))


@with_options(MODEL_OPTIONS, lists=True)
def select(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str | Sequence[str]] | None = None,
    transforms: Mapping[str, str | Sequence[str]] | None = None,
    folds: Any = 5,
    criterion: str = "log-loss",
    calibration: str = "auto",
    one_se: bool = False,
    priors: PriorsLike = "train",
    costs: CostsLike | None = None,
    predictions: bool = False,
    missing: str = "auto",
    max_iter: int = 200,
    tol: float = 1e-6,
    n_init: int = 5,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
    n_jobs: int | None = None,
    **options: Unpack[GridOptions],
) -> Selection:
    """Chooses among models by exact cross-validation, in two readings of the rows: one sums up each
    fold, the other scores each row by the models of the other folds. Kept features, projections,
    shrinkage, smoothing and class frequencies are worked out inside the folds.

    Parameters
    ----------
    X, y, sample_weight
        A table in memory, its classes and weights, as Statistics.of takes them. Folds are dealt row
        by row, whatever the weights.
    schema, family, transforms
        What the columns mean, as for Statistics.of. A list, as in
        ``family={"visits": ["gaussian", "poisson"]}`` or ``transforms={"price": ["none", "log"]}``,
        has all its values compared; `columns` of a candidate tells which it has.
    keep, keep_above, pca, standardize, lda, covariance, components, discriminative, penalty, shrinkage, target, towards_tied, tails, shrink_means, estimate, normalize, smoothing
        The options of Statistics.estimate. Each is one value or a list of values, and the
        candidates are all their combinations that are possible and differ; in the lists of `keep`,
        `pca` and `lda` None is all features, or no projection. One that is left out has its default there (with "loo",
        which "auto" has no form for, the shrinkage 0). Where all are left out there is a default
        grid: the covariances full, tied, diag and tied-diag, as they are and with shrinkage "auto".
        `discriminative=[False, True]` compares with logistic regression of the same form, whose
        weights are found in further readings of each fold's rows.
    folds : int, "loo", array, or the name of a column of X
        The number of folds, with the rows of each class dealt evenly; "loo" to leave out one row at
        a time, exactly; or the name of each row's fold, in an array or in a column, which is then
        no feature.
    criterion : {"log-loss", "error", "cost"}
        What is made small.
    calibration : {"auto", "none"}
        "auto" calibrates each candidate on the scores of the rows that it was not estimated from (a
        scale per block and an offset per class), and compares calibrated candidates; `model` keeps
        the calibration. A calibrated log-loss is never above that of the class frequencies.
    one_se : bool
        Take the simplest candidate within one standard error of the best.
    priors, costs
        For the decisions, as for Model.decide; "train" are the frequencies of the fold's training
        rows.
    predictions : bool
        Whether the rows are read once more for `Selection.predictions`.
    missing : {"auto", "em", "complete"}
        What full and tied covariances do about rows that lack a number, as in
        GenerativeClassifier: "em" completes the sums inside each fold.
    max_iter, tol, n_init
        Passes of EM at most, the change of the log-likelihood per row at which they end, and the
        starts that are tried for mixtures (`components`).
    seed : int
        Shuffles the rows among the folds.
    progress : callable, optional
        Called a few times per second with the fraction done, from 0 to 1. What it raises
        ends the call.
    n_jobs : int, optional
        Threads. The result does not depend on it.

    Examples
    --------
    >>> import suffice
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = suffice.select(X, y, covariance=["full", "tied", "diag"])
    >>> found.best_options["covariance"]
    'full'
    >>> [round(candidate["error_rate"], 3) for candidate in found.candidates]
    [0.02, 0.02, 0.047]
    >>> found.model.decide(X[:2])
    array([0, 0])
    """
    if is_stream(X) or is_batches(X):
        raise ValueError(
            f"select reads the rows twice, and a {type(X).__name__} can be read only once; give a "
            "table in memory"
        )
    meanings = meanings_of(family, transforms)
    if len(meanings) > 1:
        return best_meaning(
            select, meanings, criterion, bool(one_se), X, y, sample_weight, schema=schema,
            folds=folds, criterion=criterion, calibration=calibration, priors=priors, costs=costs,
            predictions=predictions, missing=missing, max_iter=max_iter, tol=tol, n_init=n_init,
            seed=seed, progress=progress, n_jobs=n_jobs, **options,
        )
    threads = threads_of(n_jobs)
    table = in_memory(X, "select", threads)
    one_family, one_transforms, _ = meanings[0]
    count, fold_column = number_of_folds(folds, table)
    chosen = None
    if schema is None:
        schema = inferred_schema(
            table, y, sample_weight, one_family, one_transforms, fold_column
        )
        chosen = families_chosen(schema, one_family)
    elif family is not None or transforms is not None:
        raise ValueError("family and transforms are for a schema that is inferred; give no schema")
    schema = schema_of(schema)
    if fold_column is not None and fold_column in (*schema.columns, schema.label):
        other = "the label" if fold_column == schema.label else "a feature"
        raise ValueError(f"column '{fold_column}' cannot be both {other} and the fold")
    data = training(table, y, sample_weight, schema.label or "")
    named = named_folds(folds, table) if count is None else None
    require_known(options, MODEL_OPTIONS, "select")
    grid = engine_grid(options)
    # Where the folds have names the number is not looked at.
    number = 2 if count is None else count
    calibrate = wants_calibration(calibration)
    selector = engine.Selector(
        schema._core, grid, number, _seed(seed), criterion, bool(one_se), calibrate, missing,
        max_iter, tol, n_init,
    )

    remarks: list[tuple[str, str, list[str]]] = []

    def read(step: Callable[..., None], before: float) -> int:
        """One of the two readings; what is `before` it is done. Returns the number of rows."""
        last = 0
        for first, rows in slices_of(table, schema, data.labels, data.weights, named):
            told = None
            if progress is not None and count_rows:
                told = _part(progress, before + first / count_rows / 2, rows.size / count_rows / 2)
            located(partial(step, threads=threads, progress=told), first, rows)
            if told is not None:
                told(1.0)
            if chosen is not None and before == 0 and first == 0:
                remarks.extend(rows.remarks(schema._core, chosen))
            last = first + rows.size
        return last

    count_rows = 0 if isinstance(table, FileStream) else table.rows
    count_rows = read(selector.learn, 0)
    statistics = Statistics._wrap(selector.statistics(), data.values)
    if chosen is not None:
        show_remarks(remarks + engine.remarks_on(statistics._filled()))

    def again(read_as: engine.Schema) -> Iterator[engine.Rows]:
        meant = Schema._wrap(read_as)
        for _, rows in slices_of(table, meant, data.labels, data.weights, named):
            yield rows

    selector.read_again_with(again)
    is_train = isinstance(priors, str) and priors == "train"
    matrix = costs_of(costs, statistics)
    selector.decide_with(None if is_train else priors_of(priors, statistics), matrix)
    read(selector.score, 0.5)
    found, model = selector.finish(threads)
    advice = "the features may tell nothing of the classes"
    selection = selection_of(
        found, Model._wrap(model, statistics._values), statistics, criterion,
        with_costs=matrix is not None,
        advice=advice if calibrate else "calibration='auto' avoids that",
    )
    if predictions:
        pieces = [
            located(partial(selector.predict, threads=threads), first, rows)
            for first, rows in slices_of(table, schema, data.labels, data.weights, named)
        ]
        selection._predictions = _predictions(pieces, selection.model, found["folds"])
    return selection


def selection_of(
    found: dict[str, Any],
    model: Model,
    statistics: Statistics,
    criterion: str,
    *,
    with_costs: bool,
    advice: str,
) -> Selection:
    """What the engine has found, and warnings about it; the advice is for a log-loss above that of
    the frequencies."""
    for note in found["notes"]:
        warn(note)
    if found["impossible"] > 0 and not found["notes"]:
        warn(
            f"the log-loss of the best is infinite: rows of weight {found['impossible']:g} had a "
            "class of probability 0; smoothing or shrinkage='auto' avoids that",
        )
    warn_of_log_loss(found, advice)
    for candidate in found["candidates"]:
        _tidy(candidate, with_costs=with_costs)
        if "error" not in candidate:
            candidate["above_frequencies"] = candidate["log_loss"] > found["frequency_log_loss"]
    return Selection(found, model, statistics, criterion)


def cross_val_predict(
    X: Any, y: Any = None, sample_weight: Any = None, *, method: str = "predict", **options: Any
) -> Any:
    """Predictions for each row by a model that was estimated without the row's fold, as scikit-learn's
    function of this name, in exact cross-validation.

    Parameters
    ----------
    X, y, sample_weight
        As for `select`.
    method : {"predict", "predict_proba"}
        The classes that are decided, or their probabilities, in the order of the sorted classes.
    **options
        Those of `select`: `folds`, `priors`, `calibration`, and one value of each model option. With
        several values, or with none at all, the candidate that `select` would choose predicts.

    Examples
    --------
    >>> import suffice
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> decided = suffice.cross_val_predict(X, y, covariance="tied", folds=10)
    >>> int((decided != y).sum())
    4
    """
    if method not in ("predict", "predict_proba"):
        raise ValueError(f"method={method!r}: it must be 'predict' or 'predict_proba'")
    found = select(X, y, sample_weight, predictions=True, **options).predictions
    return found["label" if method == "predict" else "proba"]


def _predictions(pieces: list[Any], model: Model, folds: list[str]) -> dict[str, Any]:
    """The columns of all slices. Rows of weight 0 have no answer."""
    proba, decided, fold = (np.concatenate(column) for column in zip(*pieces))
    classes = np.asarray(model.classes_)
    if (decided < 0).any():
        classes = np.array([*classes.tolist(), None], dtype=object)  # -1 is the last
    return {
        "label": classes[decided],
        "proba": proba,
        "fold": np.array([*folds, None], dtype=object)[fold],
    }


def wants_calibration(calibration: Any) -> bool:
    """Whether it is "auto"; what is neither that nor "none" raises."""
    if not isinstance(calibration, str) or calibration not in ("auto", "none"):
        raise ValueError(f"calibration={calibration!r}: it must be 'auto' or 'none'")
    return calibration == "auto"


def warn_of_log_loss(found: dict[str, Any], advice: str) -> None:
    """Where knowing the frequencies of the classes alone would be better."""
    best, alone = found["candidates"][found["best"]]["log_loss"], found["frequency_log_loss"]
    if alone < best < float("inf"):
        warn(
            f"the log-loss of the best is {best:.3g}, above that of the class frequencies alone "
            f"({alone:.3g}); {advice}",
        )


def _part(
    progress: Callable[[float], object], before: float, part: float
) -> Callable[[float], None]:
    """The progress of one part of the work, as that of the whole."""

    def told(share: float) -> None:
        progress(before + share * part)

    return told


def _seed(seed: Any) -> int:
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed={seed!r}: it must be a whole number from 0 to 2**64 - 1")
    return int(seed)


def _tidy(candidate: dict[str, Any], *, with_costs: bool) -> None:
    """Costs only where there are any."""
    if not with_costs:
        for scores in (candidate, *candidate.get("folds", ())):
            scores.pop("cost", None)
            scores.pop("cost_se", None)


def _duration(seconds: float) -> str:
    value, unit, decimals = (1000 * seconds, "ms", 2) if seconds < 1 else (seconds, "s", 1)
    return f"{value:.{0 if value >= 10 else decimals}f} {unit}"


def _table(selection: Selection) -> list[str]:
    candidates = selection.candidates

    def shown(candidate: dict[str, Any], name: str) -> str:
        if name == "columns":
            return ", ".join(f"{column}={word}" for column, word in candidate[name].items())
        return str(candidate["options"].get(name, TABLE[name]["default"]))

    differ = ["columns"] if "columns" in candidates[0] else []
    differ += [name for name in TABLE if len({shown(one, name) for one in candidates}) > 1]
    scores = [name for name in ("error_rate", "log_loss", "cost") if _has(candidates, name)]
    lines = [["", *(differ or ["covariance"]), *(s.replace("_", " ") for s in scores), "time"]]
    for position in selection.ranking:
        one = candidates[position]
        cells = ["*" if position == selection.best else ""]
        cells[0] += "†" if one.get("above_frequencies") else ""
        cells += [shown(one, name) for name in differ or ["covariance"]]
        cells += ["–" if "error" in one else f"{one[s]:.4g} ± {one[f'{s}_se']:.2g}" for s in scores]
        lines.append([*cells, _duration(one["seconds"])])
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines]
    # Candidates that failed for the same reason stand together.
    reasons: dict[str, list[str]] = {}
    for one in candidates:
        if "error" in one:
            who = ", ".join(f"{name} {shown(one, name)}" for name in differ or ["covariance"])
            reasons.setdefault(one["error"], []).append(who)
    for reason, whose in reasons.items():
        more = f" (and {len(whose) - 1} more)" if len(whose) > 1 else ""
        text.append(f"– {whose[0]}{more}: {reason}")
    text.append("± is one standard error, by the differences between folds, or rows with 'loo'")
    if any(one.get("above_frequencies") for one in candidates):
        text.append("† log-loss above that of the class frequencies alone: no use as probabilities")
    text += [f"Note: {hint}" for hint in selection.hints]
    what = "candidate" if len(candidates) == 1 else "candidates"
    return [f"Selection among {len(candidates)} {what} by {selection.criterion}", *text]


def _has(candidates: list[dict[str, Any]], score: str) -> bool:
    return any(score in candidate for candidate in candidates)
