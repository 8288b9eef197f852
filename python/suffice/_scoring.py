"""What a model says of rows: densities, posteriors, ratios, decisions, outlier scores."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _core as engine
from ._data import joined, over_rows
from ._decide import CostsLike, Priors, PriorsEstimate, PriorsLike, costs_of, priors_of
from ._errors import warn
from ._evidence import Evidence
from ._frames import frame_of, named_columns
from ._labels import ClassValues, name_of
from ._schema import Schema
from ._source import listed
from ._threads import threads_of

Array = NDArray[Any]
Floats = NDArray[np.float64]

_STATUS = np.array(["ok", "reject", "outlier"])


class Scoring:
    """The part of Model that takes rows."""

    __slots__ = ("_core", "_schema", "_values")
    _core: engine.Model
    _schema: Schema
    _values: ClassValues

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

    def _answers(self, X: Any, ask: Callable[[engine.Rows], Array]) -> Array:
        return joined(over_rows(X, self.schema, ask))

    def _framed(self, scores: Floats, X: Any, frame: bool) -> Any:
        """The array, or a frame with a column for each class, or for the one pair of them."""
        if not frame:
            return scores
        is_pair = scores.shape[1] == 1 and len(self.labels) == 2
        return frame_of(named_columns(scores, ["/".join(self.labels)] if is_pair else self.labels), X)

    def _posterior(
        self, X: Any, priors: PriorsLike, frame: bool, n_jobs: int | None, *, log: bool
    ) -> Any:
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        scores = self._answers(
            X, lambda rows: self._core.posterior(rows, probabilities, threads, log=log)
        )
        return self._framed(scores, X, frame)

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
        return self._posterior(X, priors, frame, n_jobs, log=False)

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
        return self._posterior(X, priors, frame, n_jobs, log=True)

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
        return self._framed(ratios, X, frame)

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

        def ask(rows: engine.Rows) -> tuple[Array, Array]:
            return self._core.decide(rows, probabilities, matrix, reject, outlier, seed, threads)

        pieces = over_rows(X, self.schema, ask)
        decided = joined([piece[0] for piece in pieces])
        if reject is None and outlier is None:
            answer: Array = classes[decided]
        else:
            answer = np.array([*classes.tolist(), None], dtype=object)[decided]  # -1 is the last
        return (answer, _STATUS[joined([p[1] for p in pieces])]) if return_status else answer

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

    def typicality(
        self, X: Any, *, seed: int = 0, samples: int = 20000, n_jobs: int | None = None
    ) -> Floats:
        """How typical a row is of each class, if it is of that class: the probability that a row of
        the class lies as far out. Full and tied covariances allow for the rows that they were
        estimated from (F), other normal densities do not (chi-squared).

        >>> import suffice
        >>> stats = suffice.Statistics.of([[-1.0], [0.0], [1.0], [4.0], [5.0], [6.0]], list("aaabbb"))
        >>> stats.estimate(covariance="tied", shrinkage=0).typicality([[0.0], [2.0]]).round(3)
        array([[1.   , 0.012],
               [0.158, 0.06 ]])
        """
        threads = threads_of(n_jobs)
        return self._answers(X, lambda rows: self._core.typicality(rows, seed, samples, threads))

    def evidence(
        self,
        X: Any,
        of: Any = None,
        against: Any = None,
        unit: str = "nats",
        *,
        priors: PriorsLike = "train",
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> Evidence:
        """Why each row is decided so: what each column adds to the log-likelihood ratio of two
        classes, exactly and without background rows (its Shapley value over exact marginals).

        Parameters
        ----------
        X : table
        of, against : classes
            The class and the one that it is compared with. Without `against` a class is compared
            with all others, mixed by the priors; without both, the most probable class of each row
            with the second.
        unit : {"nats", "bits", "db"}
        priors : mapping, array, "train" or "uniform"
            Of the most probable classes and of the others. Priors are not part of the ratio.
        seed : int
            Of the orders of columns that are averaged where there are more than twelve.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0, 0.0], [3.0, 1.0], [6.0, 1.0], [8.0, 0.0]],
        ...                               ["a", "a", "b", "b"])
        >>> model = stats.estimate(covariance="tied", shrinkage=0)
        >>> why = model.evidence([[6.0, 0.5]], of="b", against="a")
        >>> bool(abs(why.ratio[0] + model.llr([[6.0, 0.5]])[0, 0]) < 1e-9)  # llr is of a against b
        True
        """
        if against is not None and of is None:
            raise ValueError("against= needs of=, the class that is compared with it")
        probabilities, threads = priors_of(priors, self), threads_of(n_jobs)
        first_name = None if of is None else name_of(of)
        second_name = None if against is None else name_of(against)
        parts: list[tuple[Floats, Floats, Array, Array]] = list(
            over_rows(
                X,
                self.schema,
                lambda rows: self._core.evidence(
                    rows, probabilities, first_name, second_name, unit, seed, threads
                ),
            )
        )
        values, base, first, second = (
            np.concatenate([part[k] for part in parts]) for k in range(4)
        )
        classes: Array = np.array([*self.classes_.tolist(), None], object)  # −1: all others
        columns = tuple(self._core.schema.columns)
        data = X if getattr(X, "shape", None) == values.shape else None
        return Evidence(values, base, columns, classes[first], classes[second], unit, data)

    def sets(
        self,
        X: Any,
        coverage: float = 0.9,
        *,
        per_class: bool = False,
        allow_empty: bool = False,
        frame: bool = False,
        n_jobs: int | None = None,
    ) -> Any:
        """Which classes remain possible: True for the classes of each row's set, columns in the
        order of `classes_`. Sets contain the true class of a share `coverage` of rows like those
        that were held out when the model was chosen or calibrated, under the class frequencies of
        training; with `per_class` of the rows of each class, under any frequencies.

        Parameters
        ----------
        X : table
        coverage : float
            Between 0 and 1.
        per_class : bool
        allow_empty : bool
            Whether a row that is unlike all classes may have no class at all; otherwise the most
            probable one is in every set.
        frame : bool
            Whether columns have the names of the classes, as for `posterior`.

        >>> import suffice
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = suffice.fit(X, y).model
        >>> sets = model.sets(X[[0, 83]], coverage=0.99)
        >>> [model.classes_[row].tolist() for row in sets]
        [[0], [1, 2]]
        """
        threads = threads_of(n_jobs)
        members = self._answers(
            X,
            lambda rows: self._core.sets(rows, coverage, per_class, allow_empty, threads).reshape(
                -1, len(self.labels)
            ),
        )
        return self._framed(members.astype(bool), X, frame)

    def estimate_priors(
        self, X: Any, *, confidence: float = 0.95, n_jobs: int | None = None
    ) -> PriorsEstimate:
        """The class shares of rows whose classes are not known: the priors under which these rows
        are most probable. They may differ from those in training; the densities of the classes
        must not. The result goes wherever priors are taken.

        >>> import numpy as np, suffice
        >>> chance = np.random.default_rng(0)
        >>> X, y = chance.normal(size=(400, 2)), np.repeat(["a", "b"], 200)
        >>> X[y == "b"] += 2
        >>> model = suffice.Statistics.of(X, y).estimate()
        >>> new = chance.normal(size=(1000, 2)) + 2 * (chance.random((1000, 1)) < 0.1)
        >>> found = model.estimate_priors(new)
        >>> bool(found.low[1] < 0.1 < found.high[1])
        True
        >>> model.decide(new[:3], priors=found.priors)
        array(['a', 'a', 'a'], dtype='<U1')
        """
        threads = threads_of(n_jobs)
        estimator = engine.PriorsEstimator(self._core)
        over_rows(X, self.schema, lambda rows: estimator.add(self._core, rows, threads))
        shares, low, high, rows, impossible, gain = estimator.finish(
            self._core, confidence, threads
        )
        if impossible:
            warn(f"rows of weight {impossible:g} are left out: impossible under every class")
        return PriorsEstimate(Priors(self, shares), low, high, rows)


def _unknown_levels(schema: Schema, cells: Any) -> str:
    """The warning about cells, counted by feature, whose level the model does not know."""
    indicators = schema.indicators
    texts = [name for name, family in schema.families.items() if family.split()[0] == "text"]
    words = {name: count for name, count in zip(schema.names, cells) if count and name in texts}
    if words:
        cells = np.array([0 if name in words else n for name, n in zip(schema.names, cells)])
        unknown = f"{sum(words.values())} words of {listed(list(words))} are unknown to the model and left out"
        return f"{unknown}; {_unknown_levels(schema, cells)}" if cells.any() else unknown
    names = [name for name, count in zip(schema.names, cells) if count]
    columns = [indicators[name][0] if name in indicators else name for name in names]
    kinds = {name in indicators for name in names}
    as_what = {
        frozenset({False}): "they count as missing",
        frozenset({True}): "they count as the most frequent level",
    }.get(frozenset(kinds), "they count as missing, or as the most frequent level of indicators")
    return f"{cells.sum()} cells of {listed(columns)} have a level that the model does not know; {as_what}"
