"""The sums over rows from which every model is computed."""
from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core as engine
from ._arrow import Stream
from ._blocks import blocks_of_statistics
from ._data import batch_of, columned, is_batches, located, slices_of, training
from ._errors import placed
from ._files import load
from ._inferred import families_chosen, inferred_schema, show_remarks
from ._labels import ClassValues, labels_of
from ._merging import merged_in_pairs
from ._model import Model
from ._options import TABLE, EstimateOptions, engine_options, require_known, with_options
from ._paths import FileStream
from ._schema import Schema, schema_of
from ._source import Source
from ._sql import database_of, inferred_from, sums_in
from ._text import table_of_blocks, table_of_classes
from ._threads import threads_of
from ._turns import Turn

if TYPE_CHECKING:
    from typing_extensions import Unpack

Array = NDArray[Any]
Floats = NDArray[np.float64]


# What is kept of Gaussian features, and the engine's name of it.
_SCATTERS = {"full": "dense", "tied": "pooled", "diag": "diagonal"}


class Statistics:
    """Sums over rows, kept for each class: all that training needs to know of the data.

    They are updated with more rows, merged, subtracted, projected and saved; a Model is computed
    from them when you ask for one.

    Parameters
    ----------
    schema : Schema or mapping of column to family, optional
        Without it the schema is inferred from the first rows.
    covariance : {"full", "tied", "diag"}
        What is kept of Gaussian features: "full" has a matrix for each class and serves every
        structure. "tied" has one matrix for all classes together and the variances of each class,
        which is all that tied, diagonal and spherical structures need. "diag" has only variances.
    labels : sequence of class values, optional
        Classes that are known to exist, seen or not. Those found in the data join them.

    See Also
    --------
    Model : What `estimate` makes of them.
    Schema : What the columns mean.
    select : Chooses among models by cross-validation.

    Examples
    --------
    >>> import numpy as np, suffice
    >>> stats = suffice.Statistics()
    >>> stats.update(np.array([[1.0, 0.0], [3.0, 2.0]]), ["a", "a"]).weights
    array([2.])
    >>> more = suffice.Statistics.of(np.array([[5.0, 1.0]]), ["b"])
    >>> (stats + more).labels
    ('a', 'b')
    """

    __slots__ = ("_core", "_covariance", "_declared", "_turn", "_values")
    __hash__ = None  # type: ignore[assignment]
    _core: engine.Statistics | None
    _covariance: str
    _declared: list[str]
    _turn: Turn
    _values: ClassValues

    def __init__(
        self,
        schema: Schema | Mapping[str, str] | None = None,
        *,
        covariance: str = "full",
        labels: Sequence[Any] | Array = (),
    ) -> None:
        if covariance not in _SCATTERS:
            raise ValueError(
                f"covariance={covariance!r}: statistics are kept 'full', 'tied' or 'diag'"
            )
        self._covariance, self._turn = covariance, Turn()
        self._declared, self._values = [], ClassValues({})
        if len(labels):
            known = labels_of(labels)
            self._declared, self._values = known.names, ClassValues.of(known.names, known.values)
        self._core = None
        if schema is not None:
            self._core = self._begun(schema_of(schema))

    def _begun(self, schema: Schema) -> engine.Statistics:
        scatter = _SCATTERS[self._covariance]
        return engine.Statistics(schema._core, scatter, self._declared)  # type: ignore[arg-type]

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        schema: Schema | Mapping[str, str] | None = None,
        family: str | Mapping[str, str] | None = None,
        transforms: Mapping[str, str] | None = None,
        covariance: str = "full",
        n_jobs: int | None = None,
    ) -> Statistics:
        """The statistics of one table; `family` and `transforms` are those of Schema.of, for an
        inferred schema.

        >>> import suffice
        >>> stats = suffice.Statistics.of({"x": [1.0, 2.0, 4.0], "c": ["a", "a", "b"]}, "c")
        >>> stats.schema
        Schema({'x': 'gaussian'}, label='c')
        """
        statistics = cls(schema, covariance=covariance)
        if family is not None or transforms is not None:
            if schema is not None or is_batches(X):
                raise ValueError(
                    "family and transforms are for a schema that is inferred from one table; give "
                    "a schema instead"
                )
            X = columned(X, threads_of(n_jobs))
            inferred = inferred_schema(X, y, sample_weight, family, transforms)
            statistics._core = statistics._begun(inferred)
            chosen = families_chosen(inferred, family)
            return statistics._update(X, y, sample_weight, threads_of(n_jobs), chosen=chosen)
        return statistics.update(X, y, sample_weight, n_jobs=n_jobs)

    @classmethod
    def from_sql(
        cls,
        connection: Any,
        table: str,
        label: str | None = None,
        sample_weight: str | None = None,
        *,
        schema: Schema | Mapping[str, str] | None = None,
        family: str | Mapping[str, str] | None = None,
        transforms: Mapping[str, str] | None = None,
        ignore: Sequence[str] = (),
        covariance: str = "full",
    ) -> Statistics:
        """The statistics of a table in a database, which sums up its rows itself: one query, and
        only its answer leaves the database.

        Parameters
        ----------
        connection : connection
            Of DuckDB, psycopg or SQLAlchemy (PostgreSQL, DuckDB; also an engine), or a session of
            Spark.
        table : str
            A table or view: "table", "schema.table", or a name with dots in double quotes.
        label, sample_weight : str
            The columns that have the classes and the weights. `label` is that of the schema by
            default.
        schema : Schema or mapping of column to family, optional
            Without it the schema is inferred from the types of the columns, as by Schema.of:
            `family` and `transforms` are those of Schema.of, and `ignore` has columns or patterns
            that are left out.
        covariance : {"full", "tied", "diag"}
            What is kept of Gaussian features.

        Where the rows can be had as a stream of Arrow batches, as a relation of DuckDB,
        `Statistics.of(relation, label)` reads them faster.

        >>> import duckdb, suffice
        >>> connection = duckdb.connect()
        >>> _ = connection.execute("CREATE TABLE birds AS SELECT * FROM (VALUES (1.0, 'a'), "
        ...                        "(3.0, 'a'), (8.0, 'b')) AS t(x, kind)")
        >>> suffice.Statistics.from_sql(connection, "birds", "kind").blocks[0]["mean"]
        array([[2.],
               [8.]])
        """
        is_dense = cls(covariance=covariance)._covariance != "diag"
        given = family is not None or transforms is not None or len(ignore) > 0
        if schema is not None and given:
            raise ValueError("family, transforms and ignore are for a schema that is inferred")
        with database_of(connection) as database:
            wanted = schema_of(schema) if schema is not None else inferred_from(
                database, table, label, sample_weight, family, transforms, ignore
            )
            statistics = sums_in(database, table, wanted, label, sample_weight, is_dense)
        if schema is None:
            show_remarks(engine.remarks_on(statistics))
        if covariance == "tied":
            statistics = statistics.with_scatter("pooled")
        return cls._wrap(statistics, ClassValues({}))

    @classmethod
    def _wrap(
        cls, core: engine.Statistics, values: ClassValues, *, tied: bool = False
    ) -> Statistics:
        statistics = object.__new__(cls)
        statistics._core = core
        kept = {scatter: covariance for covariance, scatter in _SCATTERS.items()}
        statistics._covariance = kept.get(core.scatter, "full")
        statistics._declared, statistics._turn = [], Turn()
        statistics._values = values
        if tied:
            statistics._keep_tied()
        return statistics

    def _keep_tied(self) -> None:
        """One scatter for all classes; a thin one, which few rows have, becomes that with more."""
        if self._core is not None and self._core.scatter == "dense":
            self._core = self._core.with_scatter("pooled")
        self._covariance = "tied"

    def update(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, n_jobs: int | None = None
    ) -> Statistics:
        """Adds rows and returns the object itself. On any error nothing has changed.

        Parameters
        ----------
        X : table
            An array, sparse matrix, frame, Arrow table, dictionary of columns or stream of record
            batches; the path of a file, a glob, a folder, or Files; or an iterator of such tables,
            or of tuples (X, y) or (X, y, sample_weight).
        y : array of classes, or the name of a column of X
            May be left out where the schema names the label's column.
        sample_weight : array of numbers, or the name of a column of X, optional
            Frequencies: weight 2 is the row twice, weight 0 its absence.
        n_jobs : int, optional
            Threads, as in scikit-learn. The result does not depend on it.

        >>> import suffice
        >>> batches = ((X, y) for X, y in [([[1.0], [2.0]], [0, 1]), ([[4.0]], [1])])
        >>> suffice.Statistics().update(batches).weights
        array([1., 2.])
        """
        return self._update(X, y, sample_weight, threads_of(n_jobs))

    def _update(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        threads: int,
        chosen: list[bool] | None = None,
    ) -> Statistics:
        """`update`. Where the schema was inferred for these rows, `chosen` says which families the
        caller gave, and the rows are looked at for columns that were probably not meant so."""
        with self._turn:
            if not is_batches(X):
                return self._update_with(X, y, sample_weight, threads, chosen)
            work = self.copy()
            for batch in X:
                work._update_with(*batch_of(batch, y, sample_weight), threads)
            self._values, self._core = work._values, work._core
            return self

    def _update_with(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        threads: int,
        chosen: list[bool] | None = None,
    ) -> Statistics:
        table = columned(X, threads)
        if isinstance(table, Source) and table.rows == 0:
            return self
        if self._core is None:
            chosen = []
        core = self._core or self._begun(inferred_schema(table, y, sample_weight))
        schema = Schema._wrap(core.schema)
        label = schema.label or ""
        values = self._values
        parts: Iterator[Source | FileStream]
        if isinstance(table, Stream):
            if y is not None and not isinstance(y, str):
                raise ValueError("y for a stream of batches is the name of one of its columns")
            parts = table.tables(engine.rows_per_block(schema._core, False))
        else:
            assert isinstance(table, (Source, FileStream))
            parts = iter([table])
        is_whole = isinstance(table, Source)
        remarks: list[tuple[str, str, list[str]]] = []
        before = 0
        for part in parts:
            data = training(part, y, sample_weight, label)
            values = values.joined(data.values)
            values.array(core.labels)  # raises where a class from a file is of another kind
            last = 0
            for first, rows in slices_of(part, schema, data.labels, data.weights):
                # One piece is added as a whole or not at all; of several, a copy takes all first.
                if core is self._core and not (
                    isinstance(part, Source) and is_whole and rows.size == part.rows
                ):
                    core = core.copy()
                adapt = _SCATTERS[self._covariance] if self._covariance != "diag" else ""
                with self._knowing(values):
                    located(partial(core.update, threads=threads, adapt=adapt), before + first, rows)
                if chosen is not None and before + first == 0:
                    remarks = rows.remarks(schema._core, chosen)
                last = first + rows.size
            before += last
        if before:
            self._values, self._core = values, core
        if chosen is not None and before:
            show_remarks(remarks + engine.remarks_on(core))
        return self

    @contextmanager
    def _knowing(self, values: ClassValues) -> Iterator[None]:
        """For a change of the sums: other threads find values for all classes in them."""
        before, self._values = self._values, values
        try:
            yield
        except BaseException:
            self._values = before
            raise

    def _filled(self) -> engine.Statistics:
        core = self._core
        if core is None:
            raise ValueError("these statistics have no schema yet: give one, or update with rows")
        return core

    def merge(self, other: Statistics) -> Statistics:
        """As if the rows of both had been in one table; also a + b, and sum(parts).

        >>> import suffice
        >>> a = suffice.Statistics.of([[1.0], [3.0]], [0, 0])
        >>> b = suffice.Statistics.of([[5.0]], [0])
        >>> (a + b).blocks[0]["mean"]
        array([[3.]])
        """
        if not isinstance(other, Statistics):
            raise TypeError(f"merge takes Statistics, not {type(other).__name__}")
        a, b = self.copy(), other.copy()
        values = a._values.joined(b._values)
        if a._core is None or b._core is None:
            empty, full = (a, b) if a._core is None else (b, a)
            if full._core is None:
                empty._declared, empty._values = a._declared + b._declared, values
                return empty
            declared = Statistics(full.schema, covariance=full._covariance)
            declared._declared = empty._declared
            core = full._core.merge(declared._begun(full.schema))
            return Statistics._wrap(core, values, tied=full._covariance == "tied")
        tied = "tied" in (a._covariance, b._covariance)
        merged = Statistics._wrap(a._core.merge(b._core), values, tied=tied)
        values.array(merged.labels)  # raises where the values of both cannot stand together
        return merged

    @staticmethod
    def merge_many(states: Iterable[Statistics | bytes]) -> Statistics:
        """All of them merged, in the order given: the same states in the same order give the same
        bits. Neighbours are merged first, then neighbours of these, so that rounding hardly grows
        with their number.

        Parameters
        ----------
        states : iterable of Statistics or bytes
            Bytes are those of `to_bytes`. A generator is read one by one; few are in memory.

        >>> import suffice
        >>> parts = [suffice.Statistics.of([[x]], ["a"]) for x in (1.0, 3.0, 8.0)]
        >>> suffice.Statistics.merge_many(part.to_bytes() for part in parts).blocks[0]["mean"]
        array([[4.]])
        """

        def read() -> Iterator[Statistics]:
            for number, state in enumerate(states):
                try:
                    yield state if isinstance(state, Statistics) else Statistics.from_bytes(state)
                except OSError as error:
                    raise placed(error, f"state {number}") from None

        merged = merged_in_pairs(read(), Statistics.merge)
        if merged is None:
            raise ValueError("there are no statistics to merge")
        return merged.copy()

    def subtract(self, other: Statistics) -> Statistics:
        """What remains when the rows of `other` are taken out; also a - b. Warns where more than
        half of the digits are lost.

        >>> import suffice
        >>> all = suffice.Statistics.of([[1.0], [3.0], [8.0]], [0, 0, 0])
        >>> (all - suffice.Statistics.of([[8.0]], [0])).blocks[0]["mean"]
        array([[2.]])
        """
        if not isinstance(other, Statistics):
            raise TypeError(f"subtract takes Statistics, not {type(other).__name__}")
        if other._core is None:
            return self.copy()
        rest, lost = self._filled().subtract(other._core)
        for warning in lost:
            warnings.warn(warning, RuntimeWarning, stacklevel=2)
        values = self._values.joined(other._values)
        return Statistics._wrap(rest, values, tied=self._covariance == "tied")

    def __add__(self, other: object) -> Statistics:
        return self.merge(other) if isinstance(other, Statistics) else NotImplemented

    def __radd__(self, other: object) -> Statistics:
        # sum(parts) begins with 0.
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: object) -> Statistics:
        return self.subtract(other) if isinstance(other, Statistics) else NotImplemented

    def project(
        self,
        matrix: ArrayLike,
        offset: ArrayLike | None = None,
        *,
        block: int = 0,
        names: Sequence[str] | None = None,
    ) -> Statistics:
        """The statistics of z = (x - offset) · matrix for a Gaussian block, without a row.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0, 2.0], [3.0, 4.0]], [0, 0])
        >>> stats.project([[1.0], [1.0]]).blocks[0]["mean"]
        array([[5.]])
        """
        core = self._filled().project(
            block,
            np.ascontiguousarray(matrix, dtype=np.float64),
            None if offset is None else np.ascontiguousarray(offset, dtype=np.float64),
            list(names or []),
        )
        return Statistics._wrap(core, self._values)

    @with_options(TABLE)
    def estimate(
        self,
        covariance: str = "full",
        *,
        n_jobs: int | None = None,
        **options: Unpack[EstimateOptions],
    ) -> Model:
        """The model with these options, a pure function of the sums.

        Parameters
        ----------
        {options}
        n_jobs : int, optional
            Threads. The result does not depend on it.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0], [3.0], [6.0], [8.0]], ["a", "a", "b", "b"])
        >>> stats.estimate(shrinkage=0).blocks[0]["covariance"].ravel()
        array([1., 1.])
        >>> stats.estimate(shrinkage=0, normalize="unbiased").blocks[0]["covariance"].ravel()
        array([2., 2.])
        """
        require_known(options, TABLE, "estimate")
        texts = engine_options({"covariance": covariance, **options})
        model = engine.estimate(self._filled(), texts, threads_of(n_jobs))
        return Model._wrap(model, self._values)

    @property
    def schema(self) -> Schema:
        """What the columns mean."""
        return Schema._wrap(self._filled().schema)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, in the order of all arrays."""
        if self._core is None:
            return tuple(engine.sorted_names(self._declared))
        return tuple(self._core.labels)

    @property
    def classes_(self) -> Array:
        """The classes as they were given; from a file, numbers where all names are whole ones."""
        return self._values.array(self.labels)

    @property
    def weights(self) -> Floats:
        """The weight of each class, over all rows."""
        return np.zeros(len(self._declared)) if self._core is None else self._core.weights

    @property
    def missing(self) -> dict[str, float]:
        """The weight of the rows in which a feature was missing."""
        core = self._filled().copy()
        return dict(zip(core.schema.names, core.missing.tolist()))

    @property
    def covariance(self) -> str:
        """What is kept of Gaussian features, "full", "tied" or "diag"."""
        return self._covariance

    @property
    def blocks(self) -> list[Mapping[str, Any]]:
        """The sums of each block: `family`, `features`, and `mean` and `scatter` (Gaussian), `levels`
        and `count` (categorical) or `sum` (all other families). With more features than rows there
        is a list `factor` with a matrix R per class instead of `scatter`, which is R.T @ R. Statistics
        with the covariance "tied" have `pooled`, the sum of the scatters of all classes, and
        `squares`, the diagonal of each."""
        return blocks_of_statistics(self._filled().copy())

    def tests(self) -> dict[str, Any]:
        """The tables of a discriminant analysis, under the names that ``show --tests --json`` has.

        `columns` (a list, each with `wilks`, `f`, `p`, `eta2`), `manova` (`wilks`, `pillai`,
        `hotelling_lawley`, `roy`, each with `statistic`, `f`, `df1`, `df2`, `p`), `eigenvalues` of
        W⁻¹B, `canonical_correlations`, `box_m`, `pairs` of classes with their D², and the
        discriminant functions: `standardized`, `raw` and `structure` have a row per column,
        `centroids` one per class. `notes` says what is not known, and why.

        >>> import suffice
        >>> X = [[1.0], [2.0], [3.0], [5.0], [6.0], [8.0]]
        >>> tests = suffice.Statistics.of(X, ["a", "a", "a", "b", "b", "b"]).tests()
        >>> round(tests["manova"]["wilks"]["p"], 4), round(tests["columns"][0]["eta2"], 4)
        (0.0147, 0.8086)
        """
        return self._filled().copy().tests()

    def copy(self) -> Statistics:
        """A copy that is updated by itself. What it has in common with this object is stored once."""
        statistics = object.__new__(Statistics)
        core = self._core
        statistics._core = None if core is None else core.copy()
        statistics._covariance, statistics._turn = self._covariance, Turn()
        statistics._declared, statistics._values = self._declared, self._values
        return statistics

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that this package and the command line read."""
        self._filled().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Statistics:
        """Reads a file of statistics."""
        return cls._wrap(load(engine.Statistics, "statistics", path), ClassValues({}))

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes, to be sent or kept elsewhere."""
        return self._filled().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Statistics:
        """What `to_bytes` gave, or the content of a file of statistics. Bytes of a newer format than
        this version reads are refused.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0], [3.0]], ["a", "b"])
        >>> suffice.Statistics.from_bytes(stats.to_bytes()) == stats
        True
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"from_bytes takes bytes, not {type(data).__name__}")
        return cls._wrap(engine.Statistics.from_bytes(bytes(data)), ClassValues({}))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Statistics):
            return NotImplemented
        a = self.copy()  # another thread may be changing it
        b = a if other is self else other.copy()
        if a._core is None or b._core is None:
            same = a._core is b._core and a._covariance == b._covariance
            return same and a.labels == b.labels
        return a._core == b._core and bool(np.array_equal(a.classes_, b.classes_))

    def __copy__(self) -> Statistics:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Statistics:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "file": None if self._core is None else self._core.to_bytes(),
            "covariance": self._covariance,
            "declared": self._declared,
            "classes": self._values.stored(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state["file"]
        self._core = None if data is None else engine.Statistics.from_bytes(data)
        self._covariance = state["covariance"]
        self._declared, self._turn = state["declared"], Turn()
        self._values = ClassValues.restored(state["classes"])

    def __repr__(self) -> str:
        if self._core is None:
            return "Statistics of no rows, without a schema"
        whole = self.copy()
        lines = [
            f"Statistics ({self._covariance}) of weight {whole.weights.sum():g}, "
            f"{len(whole.schema)} features, {len(whole.labels)} classes",
            *table_of_classes(whole.classes_, whole.weights),
            *table_of_blocks(whole.schema),
        ]
        return "\n".join(lines)
