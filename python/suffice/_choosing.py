"""What `GenerativeClassifier.fit` finds with the rows: the model, its columns, its calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core as engine
from ._core import (
    Missing,
    Reservoir,
    better_columns,
    category_variant,
    choose,
    complete,
    gains_enough,
    indicators_of,
)
from ._classifier_input import named
from ._data import Training, training
from ._errors import SingularError, warn
from ._mixture import fit_rows, require_unlabelled
from ._model import Model, rows_again
from ._options import MODEL_OPTIONS, engine_options, given_options, text_of
from ._schema import Schema, last_match
from ._selection import (
    calibrated_by_rows,
    chosen_threshold,
    leave_one_out_shrinkage,
    wants_calibration,
)
from ._source import Source
from ._statistics import Statistics
from ._threads import threads_of


@dataclass(frozen=True)
class _Chosen:
    """The model that was chosen for statistics, and what was changed in their columns, in words."""

    statistics: Statistics
    model: engine.Model
    choice: engine.Choice
    changes: list[str]

    @property
    def log_loss(self) -> float:
        return float(self.choice.figures.get("log_loss", math.inf))


@dataclass(frozen=True)
class _Sample:
    """Rows to choose with, and what is done about numbers that are missing in all rows."""

    rows: Reservoir
    missing: Missing


class Choosing:
    """The part of the estimator that reads its parameters, and chooses what they leave open."""

    # Parameters and state of GenerativeClassifier.
    calibration: Any
    categories: str | None
    components: int | str
    discriminative: bool | str
    keep: int | None
    keep_above: float | None
    max_iter: int
    missing: str
    n_init: int
    n_jobs: int | None
    penalty: float | str
    shrink_means: Any
    shrinkage: Any
    tol: float
    transforms: Any
    unlabelled: str | None
    unlabelled_weight: float
    statistics_: Statistics
    mixture_: dict[str, Any]
    choice_: dict[str, Any]
    better_columns_: dict[str, Any]
    _model: Model | None
    _chosen: dict[str, Any]

    if TYPE_CHECKING:

        @property
        def schema_(self) -> Schema: ...
        @property
        def model_(self) -> Model: ...
        def _learn(self, statistics: Statistics, *, named: bool) -> None: ...

    def _options(self) -> dict[str, Any]:
        """Those of the estimation, with what was chosen by reading the rows again. Without rows
        there is no choice, and the covariances are full, or tied or diagonal where no more was
        kept; beside weights they are tied."""
        options = {name: getattr(self, name) for name in MODEL_OPTIONS}
        discriminative = self._is_discriminative()
        options |= {"discriminative": None, "penalty": None}  # found after the densities
        if options["covariance"] == "auto" and discriminative:
            options["covariance"] = "tied"
        elif options["covariance"] == "auto":
            options["covariance"] = self.statistics_.covariance
            if options["smoothing"] is None and set(self.schema_.families.values()) != {"gaussian"}:
                options["smoothing"] = "auto"
        return options | self._chosen

    def _engine_options(self) -> dict[str, str]:
        """Without what is still to be chosen."""
        options = {name: getattr(self, name) for name in MODEL_OPTIONS}
        options |= {"discriminative": None, "penalty": None}
        if self._is_discriminative() and options["covariance"] == "auto":
            options["covariance"] = "tied"
        if self._leaves_out():
            options["shrinkage"] = None
        if self._is_auto("shrink_means"):
            options["shrink_means"] = 0.0
        options["components"] = 1  # mixtures have the covariance that is chosen without them
        return given_options(options)

    def _is_auto(self, *names: str) -> bool:
        """Whether one of these parameters is "auto"."""
        values = [getattr(self, name) for name in names]
        return any(isinstance(value, str) and value == "auto" for value in values)

    def _chooses(self) -> bool:
        """Whether `fit` chooses the model. A covariance that is named is estimated as it is."""
        if self._is_discriminative():
            return False
        return self._is_auto("covariance", "tails") and not self._leaves_out()

    @property
    def n_iter_(self) -> int:
        """Passes of EM over the rows; 1 where there was nothing to find by EM."""
        found = self.model_.options
        return int(found.get("mixture_passes", found.get("em_passes", 1)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _require_unlabelled(self) -> None:
        """Raises ValueError for parameters that no fit has."""
        require_unlabelled(self.unlabelled, self.unlabelled_weight)
        if self.unlabelled == "use" and self._calibrates_again():
            raise ValueError(
                "calibration='auto' and unlabelled='use' cannot be combined: rows without a label "
                "cannot be left out with their class; calibrate model_ by rows of your own"
            )

    def _mixes(self) -> bool:
        """Whether classes are mixtures, or rows without a label have a part."""
        return self.components != 1 or self.unlabelled == "use"

    def _mix(self, rows: list[Any] | None, all_rows: Training | None) -> None:
        """The mixture of the covariance that was chosen or named; `rows` are those of _count, and
        `all_rows` has also those without a label."""
        if rows is None:
            raise ValueError(
                "EM reads the rows several times, and a stream can be read only once; give a table "
                "in memory"
            )
        table, labels, weights = rows
        if all_rows is None:
            all_rows = training(table, labels, weights, self.schema_.label or "")
        options = self._options()
        if "candidates" in getattr(self, "choice_", {}):
            options = {**self.choice_["candidates"][self.choice_["chosen"]]["options"]}
            options["components"] = self.components
        used = self.unlabelled == "use"
        model, self.mixture_ = fit_rows(
            self.statistics_, all_rows, options, missing=self.missing, max_iter=self.max_iter,
            tol=self.tol, n_init=self.n_init, seed=0,
            unlabelled_weight=float(self.unlabelled_weight) if used else 0.0, n_jobs=self.n_jobs,
        )
        if used and not self.mixture_["unlabelled_rows"]:
            warn("unlabelled='use' has no effect: every row has a label")
        # Where one component serves every class, it is the model that was chosen.
        if model.mixture is not None or used:
            self._model = model
        elif self._model is None:
            self._chosen = {**self._chosen, "components": 1}
            self._complete(rows)

    def _calibrates(self) -> bool:
        if self.calibration is None:
            return self._chooses()
        return wants_calibration(self.calibration)

    def _choose_model(self, reservoir: Reservoir, rows: list[Any] | None) -> None:
        """The model that predicts best, and changed columns where these predict better; `rows` are
        those of _count, if they can be read again. A model that is named stays as it is."""
        only = not self._chooses()
        sample = _Sample(reservoir, self._missing_numbers(rows))
        first = self._chosen_for(self.statistics_, sample)
        best = first if rows is None else self._with_transforms(first, sample, rows)
        categories = self.categories or ("apart" if only else "auto")
        variant = category_variant(self.statistics_._filled()) if categories == "auto" else None
        if rows is not None and variant is not None:
            schema, words = variant
            within = self._chosen_for(self._read_again(schema, rows), sample, [words])
            within = self._with_transforms(within, sample, rows)
            best = within if gains_enough(best.choice, within.choice) else best
        if best.changes:
            self._learn(best.statistics, named=False)
            self.better_columns_ = {
                "changes": best.changes,
                "log_loss_before": first.log_loss,
                "log_loss": best.log_loss,
            }
        if not only:
            self._model = Model._wrap(best.model, self.statistics_._values)
            self.choice_ = best.choice.figures
            if not self.choice_.pop("converged", True):
                self._warn_of_passes()
            if reason := self.choice_.pop("incomplete_reason", ""):
                warn(
                    "rows that lack a number were left out, since EM cannot complete them: "
                    f"{reason}"
                )

    def _missing_numbers(self, rows: list[Any] | None) -> Missing:
        """What is done about missing numbers; `rows` are those of _count, if they can be read
        again."""

        read = None if rows is None else self._rows_again(rows)
        return Missing(self.missing, self.max_iter, self.tol, read)

    def _rows_again(
        self, rows: list[Any]
    ) -> Callable[[engine.Schema], Iterator[engine.Rows]]:
        table, labels, weights = rows
        label = self.schema_.label or ""
        return rows_again(training(self._named(table), labels, weights, label))

    def _find_weights(self, rows: list[Any]) -> None:
        """The discriminative twin of the model. Its densities only fill in what is missing: where a
        covariance is singular, it is shrunk some way towards a spherical one."""
        try:
            self._complete(rows)
            self.model_
        except SingularError:
            self._chosen = {"shrinkage": 0.1, "target": "spherical"}
            self._complete(rows)
        penalty = None if self._is_auto("penalty") else float(self.penalty)
        self._model = self.model_._twin(
            self._rows_again(rows), penalty, threads_of(self.n_jobs)
        )

    def _named(self, table: Any) -> Any:
        """A table that a model of some of its columns can be asked about."""
        if self.keep is None and self.keep_above is None:
            return table
        return named(table, self.schema_.columns)

    def _is_discriminative(self) -> bool:
        return text_of("discriminative", self.discriminative) == "yes"

    def _require_no_densities(self) -> None:
        """Refuses parameters that are about densities where these have no part in the scores."""
        if not self._is_discriminative():
            if not self._is_auto("penalty"):
                raise ValueError(
                    f"penalty={self.penalty!r} is for logistic regression: give "
                    "discriminative=True, or leave it out"
                )
            return
        for parameter in (self._compares_rows(), "tails='auto'" * self._is_auto("tails")):
            if parameter and parameter != "categories='within'":
                raise ValueError(
                    f"{parameter} compares densities, which have no part in discriminative=True"
                )
        if self._calibrates():
            raise ValueError(
                "calibration='auto' is for densities; weights of discriminative=True are found for "
                "the posteriors themselves (model_.calibrate takes rows of your own)"
            )

    def _complete(self, rows: list[Any] | None) -> None:
        """The model of a covariance that is named, if EM is to complete missing numbers."""
        options = engine_options(self._options())
        found = complete(
            self.statistics_._filled(), options, self._missing_numbers(rows),
            threads_of(self.n_jobs),
        )
        if found is None:
            return
        model, converged = found
        if not converged:
            self._warn_of_passes()
        self._model = Model._wrap(model, self.statistics_._values)

    def _warn_of_passes(self) -> None:
        warn(f"EM stopped after max_iter={self.max_iter} passes before it converged")

    def _chosen_for(
        self, statistics: Statistics, sample: _Sample, changes: Sequence[str] = ()
    ) -> _Chosen:
        model, choice = choose(
            statistics._filled(),
            sample.rows,
            self._engine_options(),
            calibrate=self._calibrates() or not self._chooses(),
            only=not self._chooses(),
            missing=sample.missing,
            threads=threads_of(self.n_jobs),
        )
        return _Chosen(statistics, model, choice, [*changes])

    def _with_transforms(self, start: _Chosen, sample: _Sample, rows: list[Any]) -> _Chosen:
        """Transformed columns, if they predict better."""
        better = better_columns(
            start.statistics._filled(),
            sample.rows,
            start.choice,
            self._engine_options(),
            self._transformable(start.statistics.schema),
            not self._chooses(),
            sample.missing,
            threads_of(self.n_jobs),
        )
        if better is None:
            return start
        schema, changes = better
        again = self._read_again(schema, rows)
        other = self._chosen_for(again, sample, [*start.changes, *changes])
        return other if other.log_loss < start.log_loss else start

    def _read_again(self, schema: engine.Schema, rows: list[Any]) -> Statistics:
        table, labels, weights = rows
        again = Statistics(Schema._wrap(schema), covariance=self.statistics_.covariance)
        return again._update(table, labels, weights, threads_of(self.n_jobs))

    def _put_categories_within(self, rows: list[Any]) -> None:
        """Reads the rows again, with indicators of the levels of categorical columns."""
        schema = indicators_of(self.statistics_._filled())
        if schema is None:
            return
        self._learn(self._read_again(schema, rows), named=False)

    def _asks_for_transforms(self) -> bool:
        rules = self.transforms
        return rules == "auto" or (isinstance(rules, Mapping) and "auto" in rules.values())

    def _transforms(self) -> Mapping[str, str] | None:
        """Those that are named."""
        if isinstance(self.transforms, str):
            if self.transforms not in ("auto", "none"):
                raise ValueError(
                    f"transforms={self.transforms!r}: give \"auto\", \"none\", or a mapping of "
                    "column or pattern to transformation"
                )
            return None
        rules: Mapping[str, str] | None = self.transforms
        if not isinstance(rules, Mapping):
            return rules
        return {
            column: "none" if transform == "auto" else transform
            for column, transform in rules.items()
        }

    def _transformable(self, schema: Schema) -> list[int]:
        """The numbers whose transformation nobody named."""
        rules = "auto" if self.transforms is None and self._chooses() else self.transforms
        if isinstance(rules, str):
            rules = {"*": rules}
        families = schema.families
        taken = schema.transforms.keys() | schema.indicators.keys()
        return [
            j
            for j, (name, family) in enumerate(families.items())
            if family == "gaussian" and name not in taken
            and last_match(rules or {}, name) == "auto"
        ]

    def _leaves_out(self) -> bool:
        return isinstance(self.shrinkage, str) and self.shrinkage == "loo"

    def _compares_rows(self) -> str:
        """The parameter that is found with the rows of the sums, or nothing."""
        if self._leaves_out():
            return "shrinkage='loo'"
        if self._is_auto("shrink_means"):
            return "shrink_means='auto'"
        if self._asks_for_transforms():
            return "transforms='auto'"
        if self.categories in ("within", "auto"):
            return f"categories={self.categories!r}"
        return ""

    def _calibrates_again(self) -> bool:
        """Whether rows are read again for a calibration: a model that is chosen has one already,
        unless it became a mixture."""
        wanted = self.calibration is not None and wants_calibration(self.calibration)
        return wanted and (self._mixes() or not self._chooses())

    def _takes_passes(self) -> str:
        """The parameter for which EM reads the rows, or nothing."""
        if self.unlabelled == "use":
            return "unlabelled='use'"
        return f"components={self.components!r}" if self.components != 1 else ""

    def _reads_twice(self) -> str:
        """The parameter for which `fit` reads the rows again, or nothing."""
        again = "calibration='auto'" if self._calibrates_again() else ""
        weights = "discriminative=True" if self._is_discriminative() else ""
        return self._compares_rows() or self._takes_passes() or again or weights

    def _needs_rows(self) -> str:
        """The parameter that sums alone cannot serve, or nothing. Where all is left to `fit`, there
        is a model that needs no rows."""
        if self._is_discriminative():
            return "discriminative=True"
        tails = "tails='auto'" if self._is_auto("tails") else ""
        if parameter := self._compares_rows() or self._takes_passes() or tails:
            return parameter
        wanted = self.calibration is not None and wants_calibration(self.calibration)
        return "calibration='auto'" if wanted else ""

    def _calibrate(self, table: Source, labels: Any, weights: Any) -> None:
        rows = training(table, labels, weights, self.schema_.label or "")
        options = engine_options(self._options())
        if self._mixes() and "candidates" in getattr(self, "choice_", {}):
            best = self.choice_["candidates"][self.choice_["chosen"]]["options"]
            options = engine_options({**best, "components": self.components})
        self._model = calibrated_by_rows(
            self.model_, self.statistics_, rows, options, self.n_jobs, self.max_iter, self.tol,
            self.n_init,
        )

    def _choose_shrinkage(self, table: Source, labels: Any, weights: Any) -> None:
        rows = training(table, labels, weights, self.schema_.label or "")
        strength = leave_one_out_shrinkage(
            self.statistics_, rows, self._engine_options(), self.n_jobs
        )
        self._chosen = {"shrinkage": strength}

    def _choose_threshold(self, table: Source, labels: Any, weights: Any) -> None:
        rows = training(table, labels, weights, self.schema_.label or "")
        delta = chosen_threshold(self.statistics_, rows, self._engine_options(), self.n_jobs)
        self._chosen |= {"shrink_means": delta}
