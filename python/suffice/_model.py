"""A density for each class, and what can be asked of it."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from . import _core as engine
from ._blocks import blocks_of_model, projection_of_model
from ._data import in_memory, located, slices_of, training
from ._decide import CostsLike, PriorsLike, costs_of, priors_of
from ._errors import warn
from ._export import Dialect, Exported, Input, Real, Target, delivered, words_of
from ._files import load
from ._frames import frame_of, named_columns
from ._labels import ClassValues, name_of
from ._row_source import RowSource
from ._schema import Schema
from ._scoring import Array, Floats, Scoring
from ._text import table_of_blocks, table_of_classes
from ._threads import threads_of


class MinimumError(NamedTuple):
    """An error rate and its 95 % interval, by `Model.minimum_error`.

    See Also
    --------
    Model.minimum_error : Makes one.
    evaluate : The error rate of decisions on rows whose classes are known.

    Examples
    --------
    >>> import suffice
    >>> stats = suffice.Statistics.of([[-2.0], [0.0], [0.0], [2.0]], list("aabb"))
    >>> round(stats.estimate(covariance="tied", shrinkage=0).minimum_error().value, 6)
    0.158655
    """

    value: float
    low: float
    high: float


class BoundaryPoint(NamedTuple):
    """Where the decision changes, and the classes that are decided below and above.

    See Also
    --------
    Model.boundary : Finds them.

    Examples
    --------
    >>> import suffice
    >>> stats = suffice.Statistics.of([[-1.0], [1.0], [1.0], [3.0]], list("aabb"))
    >>> point, = stats.estimate(covariance="tied", shrinkage=0).boundary("x0")
    >>> round(point.x, 9), point.left, point.right
    (1.0, 'a', 'b')
    """

    x: float
    left: Any
    right: Any


class Model(Scoring):
    """log p(x | class) for each class, made by Statistics.estimate or read by Model.load.

    Rows are given as for Statistics.update: a table in memory, a stream, or the path of a file, a
    glob, a folder or Files. Frames and files are matched by the names of their columns.
    A missing value (NaN, None, null) is left out: the row is scored by the exact density of the
    rest. `priors` are "train" (the frequencies in training), "uniform", a mapping by class, an
    array in the order of `classes_`, the path of a file, or Priors.

    See Also
    --------
    Statistics.estimate : Makes one.
    evaluate : Compares its answers with known classes.
    GenerativeClassifier : The same as a scikit-learn estimator.

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

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        raise TypeError("a Model is made by Statistics.estimate, or read by Model.load")

    @classmethod
    def _wrap(cls, core: engine.Model, values: ClassValues) -> Model:
        model = object.__new__(cls)
        model._core = core
        count = core.options.get("all_features")
        kept_of = int(count) if isinstance(count, (int, float)) and count == count // 1 else None
        model._schema = Schema._wrap(core.schema, kept_of)
        model._values = values
        return model

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

    def twin(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        penalty: float | str = "auto",
        progress: Callable[[float], object] | None = None,
        n_jobs: int | None = None,
    ) -> Model:
        """The discriminative twin: logistic regression of the form of this model, fitted to the rows
        that the model was estimated from. It is linear in the numbers if the covariance is tied,
        has their squares if it is "diag" and all products if it is "full". Posteriors, ratios,
        decisions, priors and costs work as for densities; what needs log p(x | class) raises.

        Parameters
        ----------
        X, y, sample_weight
            As for Statistics.of; the rows are read several times. Missing values are filled in with
            what the densities expect given the rest of the row.
        penalty : float or "auto"
            Half this number times the squared weights of the standardised terms is added to the
            loss. 0 is maximum likelihood; "auto" takes the penalty that predicts rows left out
            best, by 5 folds.
        progress : callable, optional
            Called a few times per second with a fraction from 0 to 1. What it raises ends the call.

        >>> import suffice
        >>> X, y = [[0.0], [1.0], [2.0], [1.0], [2.0], [3.0]], list("aaabbb")
        >>> model = suffice.Statistics.of(X, y).estimate(covariance="tied")
        >>> twin = model.twin(X, y, penalty=0)
        >>> twin.posterior([[1.5]]).round(6)
        array([[0.5, 0.5]])
        >>> twin.logistic["terms"], twin.logistic["weights"].round(3).tolist()
        (['x0'], [[-0.693], [0.693]])
        """
        threads = threads_of(n_jobs)
        table = in_memory(X, "twin", threads)
        data = training(table, y, sample_weight, self.schema.label or "")
        strength = None if penalty == "auto" else float(penalty)
        rows = RowSource(self.schema, lambda: [data])
        core, found = self._core.twin(rows, strength, threads, progress)
        if found["separable"]:
            warn(
                "some classes can be told apart without error, so that the likelihood has no finite "
                "maximum: weights grow without bound, and were stopped; use penalty='auto', or a "
                "number above 0"
            )
        elif not found["converged"]:
            warn(
                f"the weights have not converged after {found['passes']} passes; a larger penalty "
                "helps"
            )
        return Model._wrap(core, self._values)

    @property
    def logistic(self) -> Mapping[str, Any] | None:
        """Of a discriminative model, under the names of `suffice show --json`: the `terms`, their
        `weights` (classes × terms), the `intercept` of each class at the `center` of the terms,
        `intercept_at_zero`, the `scale` of the terms, and where they are known the standard `errors`
        of the weights and `intercept_errors`. None: the model has densities."""
        found = self._core.logistic
        return None if found is None else MappingProxyType(found)

    @property
    def calibration(self) -> dict[str, Floats] | None:
        """`scale` per block of `blocks` and `offset` per class, with which posteriors, ratios and
        decisions are made; after isotonic calibration also `knots` of the ratio and the `values`
        there, and where rows were held out the `thresholds` of `sets`. None: scores are used as they
        are."""
        return self._core.calibration

    def with_calibration(
        self, scale: Any, offset: Any, knots: Any = (), values: Any = (), thresholds: Any = None
    ) -> Model:
        """The same densities with this calibration, as `calibration` has it.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1], [3]], ["a", "b"], family="poisson")
        >>> model = stats.estimate(smoothing=0)
        >>> model.llr([[0]]), model.with_calibration([0.5], [0, 0]).llr([[0]])
        (array([[2.]]), array([[1.]]))
        """
        given = (scale, offset, knots, values, np.empty((0, 0)) if thresholds is None else thresholds)
        numbers = (np.asarray(part, np.float64) for part in given)
        return Model._wrap(self._core.with_calibration(*numbers), self._values)

    def without_calibration(self) -> Model:
        """The same densities, whose scores are used as they are."""
        return Model._wrap(self._core.without_calibration(), self._values)

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
    def parameters(self) -> int:
        """How many numbers of the model are free to vary: means, covariances, probabilities,
        rates, shares of components.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[0.0], [2.0], [2.0], [4.0]], list("aabb"))
        >>> stats.estimate(covariance="full").parameters, stats.estimate(covariance="tied").parameters
        (4, 3)
        """
        return self._core.parameters

    def minimum_error(
        self,
        priors: PriorsLike = "train",
        *,
        seed: int = 0,
        samples: int = 20000,
        n_jobs: int | None = None,
    ) -> MinimumError:
        """The error rate that no decision can avoid if the model is right: 1 − E[max P(c | x)] over
        rows that the model itself makes under these priors. Exact for two classes of normal rows
        with one covariance, otherwise with a 95 % interval from `samples` rows.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[-1.0], [1.0], [1.0], [3.0]], list("aabb"))
        >>> round(stats.estimate(covariance="tied", shrinkage=0).minimum_error().value, 4)
        0.1587
        """
        threads = threads_of(n_jobs)
        return MinimumError(
            *self._core.minimum_error(priors_of(priors, self), seed, samples, threads)
        )

    def boundary(
        self, feature: str, priors: PriorsLike = "train", costs: CostsLike | None = None
    ) -> list[BoundaryPoint]:
        """Where the decision changes along a number, if the other features are not known: with one
        variance for two classes the midpoint of their means, moved by the priors; with two
        variances two points or none.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[-1.0], [1.0], [1.0], [3.0]], list("aabb"))
        >>> point, = stats.estimate(covariance="tied", shrinkage=0).boundary("x0")
        >>> round(point.x, 9), point.left, point.right
        (1.0, 'a', 'b')
        """
        if feature not in self.schema.names:
            raise ValueError(
                f"there is no feature {feature!r}; the features are {', '.join(self.schema.names)}"
            )
        classes = self.classes_.tolist()
        found = self._core.boundary(
            self.schema.names.index(feature), priors_of(priors, self), costs_of(costs, self)
        )
        return [BoundaryPoint(x, classes[left], classes[right]) for x, left, right in found]

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
        out. With more features than rows, covariances are not made: `thin` has `diagonal` and the
        rows of `factor`, `rows` of them per class, with covariance diag(diagonal) + factor.T @ factor.
        With a `projection`, mean and covariance are those of the projected numbers. With
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
    def mixture(self) -> dict[str, Any] | None:
        """Of a model whose classes are mixtures: the `names` of the components, of which `blocks`
        has the densities, the `label` of each (the position of its class in `classes_`), the
        `weights` of the rows that belong to it, and the `shares` of its class. None: each class has
        one density."""
        return self._core.mixture

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

    # What is stored is the file, and the classes as they were given.

    def __getstate__(self) -> dict[str, Any]:
        return {"file": self._core.to_bytes(), "classes": self._values.stored()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        core = engine.Model.from_bytes(state["file"])
        loaded = type(self)._wrap(core, ClassValues.restored(state["classes"]))
        self._core, self._schema, self._values = loaded._core, loaded._schema, loaded._values

    def __repr__(self) -> str:
        notes = [_note(density) for density in self._core.densities()]
        lines = [
            f"Model of {len(self.schema)} features and {len(self.labels)} classes",
            *table_of_classes(self.classes_, self.weights),
            *table_of_blocks(self.schema, notes),
        ]
        if self.logistic is not None:
            lines[0] += f", by logistic regression on {len(self.logistic['terms'])} terms"
        return "\n".join(lines)


def _note(density: Mapping[str, Any]) -> str:
    """What the repr says of a block beside its family and features."""
    note: str = density.get("structure", "")
    if "dof" in density:
        note += ", Student's t"
    if "projection" in density:
        count = density["mean"].shape[1]
        note += f", {count} projection" + ("s" if count > 1 else "")
    return note
