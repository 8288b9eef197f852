"""A density for each class, and what can be asked of it."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _core as engine
from ._blocks import blocks_of_model, projection_of_model
from ._data import in_memory, joined, located, over_rows, slices_of, training
from ._decide import CostsLike, PriorsLike, costs_of, priors_of
from ._errors import warn
from ._export import Dialect, Exported, Input, Real, Target, delivered, words_of
from ._files import load
from ._frames import frame_of, named_columns
from ._labels import ClassValues, name_of
from ._schema import Schema
from ._source import listed
from ._text import table_of_blocks, table_of_classes
from ._threads import threads_of

Array = NDArray[Any]
Floats = NDArray[np.float64]

_STATUS = np.array(["ok", "reject", "outlier"])


class Model:
    """log p(x | class) for each class, made by Statistics.estimate or read by Model.load.

    Rows are given as for Statistics.update: a table in memory, a stream, or the path of a file, a
    glob, a folder or Files. Frames and files are matched by the names of their columns.
    A missing value (NaN, None, null) is left out: the row is scored by the exact density of the
    rest. `priors` are "train" (the frequencies in training), "uniform", a mapping by class, an
    array in the order of `classes_`, the path of a file, or Priors.

    Examples
    --------
    >>> import suffice
    >>> stats = suffice.Statistics.of([[1.0], [3.0], [6.0], [8.0]], ["a", "a", "b", "b"])
    >>> model = stats.estimate(covariance="tied")
    >>> model.decide([[4.0]])
    array(['a'], dtype='<U1')
    >>> model.decide([[4.0]], priors={"a": 0.01, "b": 0.99})
    array(['b'], dtype='<U1')
    """

    __slots__ = ("_core", "_schema", "_values")
    __hash__ = None  # type: ignore[assignment]
    _core: engine.Model
    _schema: Schema
    _values: ClassValues

    def __init__(self) -> None:
        raise TypeError("a Model is made by Statistics.estimate, or read by Model.load")

    @classmethod
    def _wrap(cls, core: engine.Model, values: ClassValues) -> Model:
        model = object.__new__(cls)
        model._core = core
        model._schema = Schema._wrap(core.schema)
        model._values = values
        return model

    def _answers(self, X: Any, ask: Callable[[engine.Rows], Array]) -> Array:
        return joined(over_rows(X, self.schema, ask))

    def _framed(self, scores: Floats, X: Any, frame: bool) -> Any:
        """The array, or a frame with a column for each class."""
        return frame_of(named_columns(scores, self.labels), X) if frame else scores

    @overload
    def log_likelihood(
        self, X: Any, *, frame: Literal[False] = ..., n_jobs: int | None = ...
    ) -> Floats: ...
    @overload
    def log_likelihood(self, X: Any, *, frame: bool, n_jobs: int | None = ...) -> Any: ...
    def log_likelihood(
        self, X: Any, *, frame: bool = False, n_jobs: int | None = None
    ) -> Any:
        """log p(x | class): one row each, one column for each class in the order of `classes_`.
        With `frame` the columns have the names of the classes, as for `posterior`.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1], [3]], ["a", "b"], family="poisson")
        >>> stats.estimate(smoothing=0).log_likelihood([[0]])
        array([[-1., -3.]])
        """
        threads = threads_of(n_jobs)
        unknown = np.zeros(len(self.schema), np.int64)
        unprojected = 0

        def ask(rows: engine.Rows) -> Floats:
            nonlocal unprojected
            scores, levels, lacking = self._core.log_likelihood(rows, threads)
            np.add(unknown, levels, out=unknown)
            unprojected += lacking
            return scores

        scores = self._answers(X, ask)
        if unknown.any():
            warn(_unknown_levels(self.schema, unknown))
        if unprojected:
            warn(
                f"{unprojected} rows lack a number that the projection needs; only the other "
                "columns and the priors decide there",
            )
        return self._framed(scores, X, frame)

    @overload
    def posterior(
        self, X: Any, priors: PriorsLike = ..., *, frame: Literal[False] = ...,
        n_jobs: int | None = ...,
    ) -> Floats: ...
    @overload
    def posterior(
        self, X: Any, priors: PriorsLike = ..., *, frame: bool, n_jobs: int | None = ...
    ) -> Any: ...
    def posterior(
        self,
        X: Any,
        priors: PriorsLike = "train",
        *,
        frame: bool = False,
        n_jobs: int | None = None,
    ) -> Any:
        """P(class | x): one row each, columns in the order of `classes_`.

        With `frame` it is a frame whose columns have the names of the classes: a Polars frame or an
        Arrow table where X is one, otherwise a pandas frame, with the index of X; where pandas is
        not installed a Polars frame, and without both a dictionary of arrays.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1], [1], [0], [1], [0], [0]], list("aaabbb"),
        ...                               family="bernoulli")
        >>> model = stats.estimate(smoothing=0)
        >>> model.posterior([[1]]).round(6)
        array([[0.666667, 0.333333]])
        >>> model.posterior([[1]], priors=[0.2, 0.8]).round(6)
        array([[0.333333, 0.666667]])
        """
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        answers = self._answers(X, lambda rows: self._core.posterior(rows, probabilities, threads))
        return self._framed(answers, X, frame)

    @overload
    def log_posterior(
        self, X: Any, priors: PriorsLike = ..., *, frame: Literal[False] = ...,
        n_jobs: int | None = ...,
    ) -> Floats: ...
    @overload
    def log_posterior(
        self, X: Any, priors: PriorsLike = ..., *, frame: bool, n_jobs: int | None = ...
    ) -> Any: ...
    def log_posterior(
        self,
        X: Any,
        priors: PriorsLike = "train",
        *,
        frame: bool = False,
        n_jobs: int | None = None,
    ) -> Any:
        """log P(class | x), right where the probability itself underflows; `frame` as for
        `posterior`.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[0.0], [2.0], [100.0], [102.0]], [0, 0, 1, 1])
        >>> stats.estimate(shrinkage=0).log_posterior([[1.0]])
        array([[    0., -5000.]])
        """
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        answers = self._answers(
            X, lambda rows: self._core.posterior(rows, probabilities, threads, log=True)
        )
        return self._framed(answers, X, frame)

    def log_density(
        self, X: Any, priors: PriorsLike = "train", *, n_jobs: int | None = None
    ) -> Floats:
        """log p(x) = log of the sum over the classes of prior · p(x | class).

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1], [1], [0], [0]], list("aaab"), family="bernoulli")
        >>> stats.estimate(smoothing=0).log_density([[1]]).round(6)  # half of the rows
        array([-0.693147])
        """
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        return self._answers(X, lambda rows: self._core.log_density(rows, probabilities, threads))

    def calibrate(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        method: str = "affine",
        n_jobs: int | None = None,
    ) -> Model:
        """The same densities with a calibration found on these rows, which should have had no part
        in training: a scale per block and an offset per class that make `posterior`, `llr` and
        `decide` trustworthy. `log_likelihood`, `log_density`, `outlier_score` and `sample` stay as
        they are. The frequencies of the classes in `y` are divided out, so priors and costs can
        still be chosen last. A calibration that the model has already is replaced.

        Parameters
        ----------
        y : array, or the name of a column of X
            Classes; rows of a class that the model does not know are left out, with a warning.
        method : {"affine", "isotonic"}
            "isotonic" (two classes) has also a rising step function of the log-likelihood ratio; it
            takes some hundred rows of each class.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[-3.0], [0.0], [2.0], [5.0]], list("aabb"))
        >>> model = stats.estimate(covariance="tied").calibrate([[-1], [2], [0], [3]], list("aabb"))
        >>> model.calibration["scale"].round(2), model.calibration["offset"].round(2) + 0
        (array([0.56]), array([0., 0.]))
        """
        threads = threads_of(n_jobs)
        table = in_memory(X, "calibrate", threads)
        data = training(table, y, sample_weight, self.schema.label or "")
        calibrator = engine.Calibrator(self._core)
        for first, rows in slices_of(table, self.schema, data.labels, data.weights):
            located(partial(calibrator.add, threads=threads), first, rows)
        found, core = calibrator.finish(self._core, method)
        if found["unknown_label_rows"] > 0:
            warn(
                f"rows of weight {found['unknown_label_rows']:g} have a class that the model does "
                "not know; they are left out",
            )
        if found["impossible"] > 0:
            warn(
                f"rows of weight {found['impossible']:g} are left out: their own class has the "
                "probability 0, which no calibration changes",
            )
        return Model._wrap(core, self._values)

    @property
    def calibration(self) -> dict[str, Floats] | None:
        """`scale` per block of `blocks` and `offset` per class, with which posteriors, ratios and
        decisions are made; after isotonic calibration also `knots` of the ratio and the `values`
        there. None: scores are used as they are."""
        return self._core.calibration

    def with_calibration(
        self, scale: Any, offset: Any, knots: Any = (), values: Any = ()
    ) -> Model:
        """The same densities with this calibration, as `calibration` has it.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1], [3]], ["a", "b"], family="poisson")
        >>> model = stats.estimate(smoothing=0)
        >>> model.llr([[0]]), model.with_calibration([0.5], [0, 0]).llr([[0]])
        (array([[2.]]), array([[1.]]))
        """
        numbers = (np.asarray(given, np.float64) for given in (scale, offset, knots, values))
        return Model._wrap(self._core.with_calibration(*numbers), self._values)

    def without_calibration(self) -> Model:
        """The same densities, whose scores are used as they are."""
        return Model._wrap(self._core.without_calibration(), self._values)

    @overload
    def llr(
        self, X: Any, priors: PriorsLike = ..., *, frame: Literal[False] = ...,
        n_jobs: int | None = ...,
    ) -> Floats: ...
    @overload
    def llr(
        self, X: Any, priors: PriorsLike = ..., *, frame: bool, n_jobs: int | None = ...
    ) -> Any: ...
    def llr(
        self,
        X: Any,
        priors: PriorsLike = "train",
        *,
        frame: bool = False,
        n_jobs: int | None = None,
    ) -> Any:
        """Log-likelihood ratios: log p(x | class) less the log of the prior-weighted mean of the
        other classes; for two classes one column, the first over the second. `frame` as for
        `posterior`; the one column of two classes is called "a/b".

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1], [3]], ["a", "b"], family="poisson")
        >>> stats.estimate(smoothing=0).llr([[0]])
        array([[2.]])
        """
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        ratios = self._answers(X, lambda rows: self._core.llr(rows, probabilities, threads))
        if not frame:
            return ratios
        names = ["/".join(self.labels)] if ratios.shape[1] == 1 else self.labels
        return frame_of(named_columns(ratios, names), X)

    @overload
    def decide(
        self, X: Any, priors: PriorsLike = ..., costs: CostsLike | None = ..., *,
        reject: float | None = ..., outlier: float | None = ..., seed: int = ...,
        return_status: Literal[False] = ..., n_jobs: int | None = ...,
    ) -> Array: ...
    @overload
    def decide(
        self, X: Any, priors: PriorsLike = ..., costs: CostsLike | None = ..., *,
        reject: float | None = ..., outlier: float | None = ..., seed: int = ...,
        return_status: Literal[True], n_jobs: int | None = ...,
    ) -> tuple[Array, Array]: ...
    def decide(
        self,
        X: Any,
        priors: PriorsLike = "train",
        costs: CostsLike | None = None,
        *,
        reject: float | None = None,
        outlier: float | None = None,
        seed: int = 0,
        return_status: bool = False,
        n_jobs: int | None = None,
    ) -> Array | tuple[Array, Array]:
        """The class of each row whose expected cost is smallest.

        Parameters
        ----------
        costs : matrix true × decided in the order of `classes_`, a mapping {(true, decided): cost},
            the path of a file, or Costs; without them every mistake costs 1.
        reject : float, optional
            The cost of no decision: a row whose best decision would cost more has None.
        outlier : float, optional
            Rows with an outlier score below this have None.
        seed : int
            Of the rows that the outlier scores compare with.
        return_status : bool
            Returns also "ok", "reject" or "outlier" for each row.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1], [1], [0], [1], [0], [0]], list("aaabbb"),
        ...                               family="bernoulli")
        >>> model = stats.estimate(smoothing=0)
        >>> model.decide([[1], [0]])
        array(['a', 'b'], dtype='<U1')
        >>> model.decide([[1], [0]], costs={("b", "a"): 3})
        array(['b', 'b'], dtype='<U1')
        >>> model.decide([[1], [0]], reject=0.2)
        array([None, None], dtype=object)
        """
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        matrix = costs_of(costs, self)
        classes = self.classes_
        if matrix is None and reject is None and outlier is None:
            decided = self._most_probable(X, probabilities, threads)
            answer: Array = classes[decided]
            return (answer, _STATUS[np.zeros(len(answer), int)]) if return_status else answer

        def ask(rows: engine.Rows) -> tuple[Array, Array]:
            return self._core.decide(
                rows, probabilities, matrix, reject, outlier, seed, threads
            )[:2]

        pieces = over_rows(X, self.schema, ask)
        decided = joined([piece[0] for piece in pieces])
        if reject is None and outlier is None:
            answer = classes[decided]
        else:
            answer = np.array([*classes.tolist(), None], dtype=object)[decided]  # -1 is the last
        return (answer, _STATUS[joined([p[1] for p in pieces])]) if return_status else answer

    def _most_probable(self, X: Any, probabilities: Floats, threads: int) -> Array:
        with np.errstate(divide="ignore"):
            offset = np.log(probabilities)
        decided = self._answers(X, lambda rows: self._core.best_class(rows, offset, threads))
        # What no class can have tells nothing: the most probable class beforehand.
        if (decided < 0).any():
            decided = np.where(decided < 0, probabilities.argmax(), decided)
        return decided

    def outlier_score(
        self,
        X: Any,
        priors: PriorsLike = "train",
        *,
        seed: int = 0,
        samples: int = 20000,
        n_jobs: int | None = None,
    ) -> Floats:
        """The probability that the model itself makes a row whose density is as low as this one's.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[-1.0], [1.0]], ["a", "a"])
        >>> stats.estimate(shrinkage=0).outlier_score([[0.0], [1.96]]).round(3)
        array([1.  , 0.05])
        """
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        return self._answers(
            X,
            lambda rows: self._core.outlier_score(rows, probabilities, seed, samples, threads),
        )

    def sample(
        self,
        n: int,
        label: Any = None,
        priors: PriorsLike = "train",
        *,
        seed: int = 0,
        document_length: int = 100,
        frame: bool | None = None,
        n_jobs: int | None = None,
    ) -> tuple[Any, Array]:
        """`n` rows drawn from the class `label`, or from all classes by the priors, and their
        classes. The rows are an array of numbers, or a frame where a feature is categorical: its
        columns have the names of the levels, None where the value is missing. `frame` asks for the
        one or the other. A frame is one of pandas, or else of Polars, or else a dictionary of
        arrays, whichever is installed.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[-1.0], [1.0], [9.0], [11.0]], list("aabb"))
        >>> X, y = stats.estimate().sample(3, "b", seed=1)
        >>> X.shape, y
        ((3, 1), array(['b', 'b', 'b'], dtype='<U1'))
        """
        name = None if label is None else name_of(label)
        mixture = priors_of(priors, self) if label is None else None
        values, classes, levels = self._core.sample(
            n, name, mixture, seed, 0, document_length, threads_of(n_jobs)
        )
        columns = named_columns(values, self.schema.columns)
        for name, names in zip(columns, levels):
            if names:  # the last one is for −1: missing
                known = np.array([*names, None], dtype=object)
                columns[name] = known[columns[name].astype(np.int64)]
        if any(levels) if frame is None else frame:
            return frame_of(columns), self.classes_[classes]
        if any(levels):
            values = np.column_stack([column.astype(object) for column in columns.values()])
        return values, self.classes_[classes]

    def discriminant(self, label: Any, other: Any = None) -> dict[str, Any]:
        """The function behind the decisions: g(z) = zᵀ A z + wᵀ z + c over `columns`, where A is
        None for a linear one. With `other` it is the log-likelihood ratio of the two classes.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[0.0], [2.0], [2.0], [4.0]], list("aabb"))
        >>> g = stats.estimate(covariance="tied", shrinkage=0).discriminant("b", "a")
        >>> g["A"], g["w"], g["c"]
        (None, array([2.]), -4.0)
        """
        return self._core.discriminant(name_of(label), None if other is None else name_of(other))

    def separation(self) -> dict[str, float]:
        """How well each feature by itself tells the classes apart: Jeffreys' divergence in nats,
        averaged over the pairs of classes; NaN for features that are projected.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[0.0], [2.0], [2.0], [4.0]], list("aabb"))
        >>> stats.estimate(shrinkage=0).separation()
        {'x0': 4.0}
        """
        return dict(zip(self.schema.names, self._core.separation().tolist()))

    @property
    def schema(self) -> Schema:
        """What the columns mean."""
        return self._schema

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, in the order of all arrays."""
        return tuple(self._core.labels)

    @property
    def classes_(self) -> Array:
        """The classes as they were given; from a file, numbers where all names are whole ones."""
        return self._values.array(self._core.labels)

    @property
    def weights(self) -> Floats:
        """The weight of each class in training."""
        return self._core.weights

    @property
    def options(self) -> dict[str, Any]:
        """How it was estimated, under the names of the options of Statistics.estimate, and what was
        found then."""
        return self._core.options

    @property
    def shrinkage(self) -> dict[str, Any]:
        """The shrinkage as it was used. `asked` is the option. With a prior there are `rows`, how
        many rows the target of the classes' covariances is worth, and `target_rows`, the same for
        the diagonal that this target was itself shrunk towards; with "oas" `shares`, one for each
        class. Several Gaussian blocks have one each, in an array.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0], [3.0], [6.0], [8.0]], ["a", "a", "b", "b"])
        >>> stats.estimate("diag", shrinkage="12 rows").shrinkage
        {'asked': '12 rows', 'rows': 12}
        """
        found = self._core.options
        names = {"shrinkage": "asked", "shrinkage_rows": "rows", "target_rows": "target_rows",
                 "shrinkage_shares": "shares"}
        used = {key: found[name] for name, key in names.items() if name in found}
        return {
            key: np.array(value) if isinstance(value, list) else value
            for key, value in used.items()
        }

    @property
    def blocks(self) -> list[Mapping[str, Any]]:
        """The densities of each block, under the names of `suffice show --json`: `family`,
        `features`, and `structure`, `mean` and `covariance` (Gaussian), `probability` (categorical
        with `levels`, and other probabilities) or `rate`.

        Where there are any: `transforms`, one for each feature; `constant`, features that were left
        out. With a `projection`, mean and covariance are those of the projected numbers. With
        `tails` and with estimate="bayes" the densities are Student's t with `dof` degrees of
        freedom, of which the scale matrices are `scale` times `covariance`. With "bayes", rates
        have Gamma distributions of a `shape`, and words a `concentration`.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0], [3.0], [6.0], [8.0]], ["a", "a", "b", "b"])
        >>> block = stats.estimate(covariance="tied", shrinkage=0).blocks[0]
        >>> block["family"], block["mean"].tolist(), block["covariance"].tolist()
        ('gaussian', [[2.0], [7.0]], [[1.0]])
        """
        return blocks_of_model(self._core)

    @property
    def projection(self) -> Mapping[str, Floats] | None:
        """What `pca` and `lda` make of the numbers x of a row, z = (x - offset) · matrix: `matrix`,
        `offset`, and `explained`, the share of the variance along each column (after `lda` the
        variance between the classes over that within them). None where there is no projection.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0, 0.0], [3.0, 0.0], [6.0, 1.0]], ["a", "a", "b"])
        >>> model = stats.estimate(covariance="tied", pca=1)
        >>> model.projection["matrix"].shape, model.blocks[0]["mean"].shape
        ((2, 1), (2, 1))
        """
        return projection_of_model(self._core)

    def copy(self) -> Model:
        """The model itself: it cannot change."""
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that this package and the command line read."""
        self._core.save(os.fspath(path))

    def export(
        self,
        to: Target,
        path: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        table: str | None = None,
        dialect: Dialect | None = None,
        real: Real | None = None,
        input: Input | None = None,
        relative: bool = False,
        priors: PriorsLike = "train",
        costs: CostsLike | None = None,
    ) -> Exported:
        """The model as C, SQL, ONNX or JSON: written to `path`, or returned as text (bytes for
        ONNX). `priors` and `costs` are the defaults of the file and can still be changed where it
        is used.

        Parameters
        ----------
        to : "c", "sql", "onnx" or "json"
        path : the file to write; it appears whole or not at all
        name : what all names of a C header begin with, or the name of an ONNX graph ("model")
        table : the table with the rows of an SQL query ("data")
        dialect : "duckdb", "postgres", "sqlite" or "spark"
        real : "double" or "float", in C and ONNX
        input : "columns" or "matrix", in ONNX
        relative : leaves out of the log-likelihoods what all classes share

        >>> import suffice
        >>> stats = suffice.Statistics.of([[-1.0], [1.0], [9.0], [11.0]], list("aabb"))
        >>> import json
        >>> json.loads(stats.estimate().export("json"))["labels"]
        ['a', 'b']
        """
        words = words_of(name=name, table=table, dialect=dialect, real=real, input=input)
        data = self._core.export(
            to, words, bool(relative), priors_of(priors, self), costs_of(costs, self)
        )
        return delivered(data, to, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a file with a model."""
        return cls._wrap(load(engine.Model, "model", path), ClassValues({}))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._core == other._core and bool(np.array_equal(self.classes_, other.classes_))

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: Any) -> Model:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._core.to_bytes(), self._values)

    def __repr__(self) -> str:
        notes = [_note(density) for density in self._core.densities()]
        lines = [
            f"Model of {len(self.schema)} features and {len(self.labels)} classes",
            *table_of_classes(self.classes_, self.weights),
            *table_of_blocks(self.schema, notes),
        ]
        return "\n".join(lines)


def _unpickled(data: bytes, values: ClassValues) -> Model:
    return Model._wrap(engine.Model.from_bytes(data), values)


def _note(density: Mapping[str, Any]) -> str:
    """What the repr says of a block beside its family and features."""
    note: str = density.get("structure", "")
    if "dof" in density:
        note += ", Student's t"
    if "projection" in density:
        count = density["mean"].shape[1]
        note += f", {count} projection" + ("s" if count > 1 else "")
    return note


def _unknown_levels(schema: Schema, cells: Any) -> str:
    """The warning about cells, counted by feature, whose level the model does not know."""
    indicators = schema.indicators
    names = [name for name, count in zip(schema.names, cells) if count]
    columns = [indicators[name][0] if name in indicators else name for name in names]
    kinds = {name in indicators for name in names}
    as_what = {
        frozenset({False}): "they count as missing",
        frozenset({True}): "they count as the most frequent level",
    }.get(frozenset(kinds), "they count as missing, or as the most frequent level of indicators")
    return f"{cells.sum()} cells of {listed(columns)} have a level that the model does not know; {as_what}"
