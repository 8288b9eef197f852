"""What the engines of a cluster share: the sums of a partition, sums put together, and the scores of
a partition. Spark and Dask move the rows there and the answers back, and nothing else."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core as engine
from ._data import Source, located, slices_of, source_of, training
from ._decide import CostsLike, PriorsLike, costs_of, priors_of
from ._errors import DataError
from ._labels import ClassValues, Labels, labels_of
from ._model import Model
from ._options import MODEL_OPTIONS, engine_grid, require_known
from ._schema import Schema
from ._selection import Selection, selection_of, wants_calibration
from ._source import Columned, Kind, listed, require_distinct
from ._statistics import Statistics

Array = NDArray[Any]

#: How many states one task merges at most.
FAN_IN = 32


@dataclass(frozen=True)
class Plan:
    """What all partitions must agree on, made once where the columns are known."""

    schema: Schema
    label: str | None = None
    weight: str | None = None
    fold: str | None = None
    covariance: str = "full"
    #: Columns of vectors, and how many features each of them is.
    vectors: Mapping[str, int] = field(default_factory=dict)
    version: str = engine.__version__

    def require_same_version(self) -> None:
        """Raises where this worker has another version of the package than the caller."""
        if self.version != engine.__version__:
            raise ImportError(
                f"this worker has suffice {engine.__version__}, and the driver has {self.version}; "
                "install the same version on all machines"
            )


class Header(Columned):
    """Names and kinds of columns, without rows: what a schema is inferred from."""

    def __init__(self, columns: Sequence[tuple[str, Kind]]) -> None:
        self.names = require_distinct([name for name, _ in columns])
        self.width = len(columns)
        self._kinds = [kind for _, kind in columns]

    def kind(self, position: int) -> Kind:
        return self._kinds[position]


def vector_features(column: str, length: int) -> list[str]:
    """The names of a vector's numbers."""
    return [f"{column}[{j}]" for j in range(length)]


def with_vector_blocks(schema: Schema, vectors: Mapping[str, int]) -> Schema:
    """The same, in which the numbers of each vector are a block of their own."""
    names = [vector_features(column, length) for column, length in vectors.items()]
    apart = {name for block in names for name in block}
    blocks = [
        rest for _, features in schema.blocks if (rest := [f for f in features if f not in apart])
    ]
    return Schema(
        schema.families, blocks=[*names, *blocks], label=schema.label, levels=schema.levels,
        transforms=schema.transforms,
    )


def summed(plan: Plan, tables: Iterable[Any]) -> Statistics:
    """The sums of a partition, which may have no rows at all. A table has the columns of the plan;
    arrays come as (X, y) or (X, y, sample_weight)."""
    plan.require_same_version()
    statistics = Statistics(plan.schema, covariance=plan.covariance)

    def add(table: Any) -> None:
        if isinstance(table, tuple):
            statistics.update(*table, n_jobs=1)
        else:
            statistics.update(table, plan.label, plan.weight, n_jobs=1)

    _for_each(tables, add)
    return statistics


def _for_each(tables: Iterable[Any], use: Callable[[Any], None]) -> None:
    """Calls `use` with each table; the row of a DataError counts from the first table on."""
    before = 0
    for table in tables:
        try:
            use(table)
        except DataError as error:
            if error.row is not None:
                error.row += before
            raise
        rows = table[0] if isinstance(table, tuple) else table
        before += len(rows) if hasattr(rows, "__len__") else 0  # a stream is the only table


def summed_by_fold(plan: Plan, tables: Iterable[Any]) -> dict[str, Statistics]:
    """The same for each fold of which there are rows."""
    assert plan.fold is not None
    plan.require_same_version()
    fold = plan.fold
    found: dict[str, Statistics] = {}

    def add(table: Any) -> None:
        for name, chosen, rows in _by_fold(table, fold):
            if name not in found:
                found[name] = Statistics(plan.schema, covariance=plan.covariance)
            try:
                found[name].update(rows, plan.label, plan.weight, n_jobs=1)
            except DataError as error:
                if error.row is not None:
                    error.row = int(np.flatnonzero(chosen)[error.row])
                raise

    _for_each(tables, add)
    return found


def _by_fold(table: Any, column: str) -> Iterator[tuple[str, Array, Any]]:
    """The name of each fold, which rows are in it, and these rows."""
    folds = _folds_of(source_of(table), column)
    for code, name in enumerate(folds.names):
        chosen = folds.codes == code
        if chosen.any():
            yield name, chosen, (table[chosen] if hasattr(table, "iloc") else table.filter(chosen))


def _folds_of(source: Source, column: str) -> Labels:
    """The fold of each row. Raises DataError where it is missing."""
    try:
        return labels_of(source.column(source.position(column, "folds")), source.rows)
    except DataError as error:
        error.sentence = error.sentence.replace("the label is", "the fold is")
        error.advice = "name a fold there, or leave the row out"
        raise


@dataclass(frozen=True)
class Contest:
    """The candidates, and the sums of the folds that they are estimated from."""

    plan: Plan
    grid: dict[str, list[str]]
    criterion: str
    one_se: bool
    folds: Mapping[str, bytes] = field(default_factory=dict)
    priors: Array | None = None
    costs: Array | None = None

    def selector(self) -> engine.Selector:
        """With the first pass done."""
        selector = engine.Selector(
            self.plan.schema._core, self.grid, 2, 0, self.criterion, self.one_se, False
        )
        for name, state in self.folds.items():
            selector.learn_fold(name, Statistics.from_bytes(state)._filled())
        if self.folds:
            selector.decide_with(self.priors, self.costs)
        return selector


Scores = tuple[Array, "list[str]", Array, Array]


def scores_of_candidates(contest: Contest, tables: Iterable[Any]) -> Scores:
    """What the candidates get wrong in a partition, each row scored by the models of the other
    folds."""
    plan = contest.plan
    plan.require_same_version()
    selector = contest.selector()

    def score(table: Any) -> None:
        source = source_of(table)
        if source.rows == 0:
            return
        data = training(source, plan.label, plan.weight, "")
        folds = _folds_of(source, plan.fold or "")
        for first, rows in slices_of(source, plan.schema, data.labels, data.weights, folds):
            located(partial(selector.score, threads=1), first, rows)

    _for_each(tables, score)
    return selector.scores()


def contest_of(
    plan: Plan, options: Mapping[str, Any], criterion: str, one_se: bool, calibration: str
) -> tuple[Contest, Plan]:
    """The candidates of `select`, and the plan with what they need of the scatter."""
    if wants_calibration(calibration):
        raise ValueError(
            "calibration='auto': scores on a cluster are not calibrated, since that takes all of "
            "them in one place; use Model.calibrate with a sample of rows"
        )
    require_known(options, MODEL_OPTIONS, "select")
    contest = Contest(plan, engine_grid(options), criterion, bool(one_se))
    dense = contest.selector().scatter != "diagonal"
    plan = replace(plan, covariance="full" if dense else "diag")
    return replace(contest, plan=plan), plan


def between_passes(
    contest: Contest,
    folds: Mapping[str, Statistics],
    priors: PriorsLike,
    costs: CostsLike | None,
) -> tuple[Contest, Statistics]:
    """The contest with the sums of the first pass, and those of all rows."""
    if not folds:
        raise ValueError("there are no rows to choose a model by")
    names = sorted(folds)
    everything = Statistics.merge_many(folds[name] for name in names)
    train = isinstance(priors, str) and priors == "train"
    return replace(
        contest,
        folds={name: folds[name].to_bytes() for name in names},
        priors=None if train else priors_of(priors, everything),
        costs=costs_of(costs, everything),
    ), everything


def chosen(contest: Contest, scores: Iterable[Scores], statistics: Statistics) -> Selection:
    """What the scores of all partitions, in their order, say."""
    selector = contest.selector()
    for part in scores:
        selector.add_scores(*part)
    found, model = selector.finish(0)
    return selection_of(
        found, Model._wrap(model, statistics._values), statistics, contest.criterion,
        with_costs=contest.costs is not None, advice="Model.calibrate with some rows avoids that",
    )


#: What `predict` can give.
OUTPUTS = ("label", "proba", "loglik", "llr", "logpx", "outlier")


@dataclass(frozen=True)
class Question:
    """What is asked of a model, with priors and costs that no file is needed for."""

    model: Model
    outputs: tuple[str, ...]
    priors: Array
    costs: Array | None
    reject: float | None
    outlier: float | None
    vectors: Mapping[str, int] = field(default_factory=dict)
    version: str = engine.__version__

    @staticmethod
    def of(
        model: Model,
        output: str | Sequence[str],
        priors: PriorsLike = "train",
        costs: CostsLike | None = None,
        reject: float | None = None,
        outlier: float | None = None,
        vectors: Mapping[str, int] | None = None,
    ) -> Question:
        outputs = (output,) if isinstance(output, str) else tuple(output)
        unknown = [name for name in outputs if name not in OUTPUTS]
        if unknown or not outputs:
            raise ValueError(f"output: choose from {listed(OUTPUTS, 9)}, not {output!r}")
        return Question(model, outputs, priors_of(priors, model), costs_of(costs, model), reject,
                        outlier, vectors or {})

    @property
    def has_status(self) -> bool:
        return "label" in self.outputs and (self.reject is not None or self.outlier is not None)

    def columns(self) -> dict[str, str]:
        """The columns of the answer, each with the kind of its values: a kind of class, or float."""
        labels = self.model.labels
        ratios = ["/".join(labels)] if len(labels) == 2 else labels
        columns: dict[str, str] = {}
        for name in self.outputs:
            if name == "label":
                columns["prediction"] = kind_of_classes(self.model.classes_)
                if self.has_status:
                    columns["status"] = "str"
            elif name in ("proba", "loglik"):
                columns |= {f"{name}:{label}": "float" for label in labels}
            elif name == "llr":
                columns |= {f"llr:{ratio}": "float" for ratio in ratios}
            else:
                columns[name] = "float"
        return columns


def answered(question: Question, table: Any) -> dict[str, Array]:
    """The columns of the answer for the rows of a partition."""
    Plan(question.model.schema, version=question.version).require_same_version()
    model, priors = question.model, question.priors
    asked: dict[str, Callable[[], Array]] = {
        "proba": lambda: model.posterior(table, priors, n_jobs=1),
        "loglik": lambda: model.log_likelihood(table, n_jobs=1),
        "llr": lambda: model.llr(table, priors, n_jobs=1),
        "logpx": lambda: model.log_density(table, priors, n_jobs=1),
        "outlier": lambda: model.outlier_score(table, priors, n_jobs=1),
    }
    values: list[Array] = []
    for name in question.outputs:
        if name == "label":
            decided, status = model.decide(
                table, priors, question.costs, reject=question.reject, outlier=question.outlier,
                return_status=True, n_jobs=1,
            )
            values += [decided, status] if question.has_status else [decided]
        else:
            found = asked[name]()
            values += list(found.T) if found.ndim == 2 else [found]
    return dict(zip(question.columns(), values))


def kind_of_classes(classes: Array) -> str:
    """What the values of classes are: "int", "float", "bool", or "str", also for all else."""
    return {"i": "int", "u": "int", "f": "float", "b": "bool"}.get(classes.dtype.kind, "str")


def values_of_kind(names: Sequence[str], kind: str) -> ClassValues:
    """The classes of these names as values of a column of labels."""
    reads: dict[str, Callable[[str], Any]] = {
        "int": int, "float": float, "bool": lambda name: name == "true", "str": str
    }
    return ClassValues.of(names, np.array([reads[kind](name) for name in names]))
