"""The functions over Spark frames: what runs on the driver."""
from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _core as engine
from .._decide import CostsLike, PriorsLike
from .._errors import FileError
from .._inferred import inferred_schema
from .._model import Model
from .._options import MODEL_OPTIONS, GridOptions, with_options
from .._partials import (
    FAN_IN,
    Plan,
    Question,
    between_passes,
    chosen,
    contest_of,
    values_of_kind,
)
from .._schema import Schema, schema_of
from .._selection import Selection
from .._source import listed
from .._statistics import Statistics
from . import _tasks
from ._columns import FOLD, Frame, kind_of_label, named

if TYPE_CHECKING:
    from typing_extensions import Unpack

SHIP = (
    "the executors have no package suffice: build a wheel with script/wheel and ship it, for example "
    "in an archive of the environment (spark-submit --archives environment.tar.gz#environment, or "
    "spark.addArtifact('environment.tar.gz#environment', archive=True) with Spark Connect), and let "
    "PYSPARK_PYTHON name its Python; docs/scale.md shows the commands"
)


def statistics(
    df: Any,
    label: str | None = None,
    *,
    weight: str | None = None,
    features: Sequence[str] | None = None,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | None = None,
    covariance: str = "full",
    rounds: int | None = None,
) -> Statistics:
    """The statistics of a Spark frame, in one pass: each partition is summed up where it is.

    Numbers are Gaussian, strings and booleans are categorical, and each column of vectors
    (pyspark.ml) or of arrays is a Gaussian block of its own. Nulls and NaNs are missing values. The
    sums are merged in the order of the partitions: the same partitions give the same bits.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    label : str
        The column with the classes. A null in it is an error.
    weight : str, optional
        The column with frequencies: weight 2 is the row twice.
    features : sequence of str, optional
        The columns to learn from; by default all others.
    schema : Schema or mapping of column to family, optional
        What the columns mean, instead of `features`, `family` and `transforms`.
    family, transforms
        As for Schema.of.
    covariance : {"full", "tied", "diag"}
        What is kept of Gaussian features.
    rounds : int, optional
        How often the sums of 32 partitions are merged into one on the executors before the driver
        merges the rest. By default not at all up to some 250 features, else once. A round takes a
        second; give 1 or 2 where the sums of all partitions take more than half a gigabyte.

    >>> suffice.spark.statistics(df, "species")  # doctest: +SKIP
    """
    frame = Frame(df)
    plan, columns = frame.plan(
        label, weight, features=features, schema=schema, family=family, transforms=transforms,
        covariance=covariance,
    )
    rows = df.select(*columns).mapInArrow(partial(_tasks.sums, plan), _tasks.ROWS)
    states = _collected(_merged(rows, plan, rounds))
    return _of_states(plan, frame, [state for _, _, state in states])


def statistics_of_files(
    spark: Any,
    paths: str | Sequence[str],
    label: str | None = None,
    *,
    weight: str | None = None,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | None = None,
    covariance: str = "full",
    rounds: int | None = None,
) -> Statistics:
    """The statistics of Parquet files that the executors read themselves, a file at a time: several
    times as fast as `statistics`, since the rows do not go through the Java virtual machine.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    paths : str or sequence of str
        Files, folders and globs on a file system that the driver and all executors see, or URIs of
        files and folders such as s3://bucket/folder, which pyarrow reads.
    label, weight, schema, family, transforms, covariance, rounds
        As for `statistics`. The columns are those of the first file.

    >>> suffice.spark.statistics_of_files(spark, "/data/day-*.parquet", "y")  # doctest: +SKIP
    """
    files = files_of([paths] if isinstance(paths, str) else list(paths))
    first = _tasks.parquet(files[0])
    if schema is None and label is None:
        raise ValueError("label is missing: give the name of the column with the classes")
    if schema is None:
        schema = inferred_schema(first, label, weight, family, transforms)
    elif family is not None or transforms is not None:
        raise ValueError("family and transforms are for a schema that is inferred; give no schema")
    schema = schema_of(schema)
    label = label or schema.label
    if label is None:
        raise ValueError("label is missing: the schema has none")
    plan = Plan(schema, label, weight, None, covariance)
    rows = spark.range(0, len(files), 1, len(files)).mapInArrow(
        partial(_tasks.sums_of_files, plan, files), _tasks.ROWS
    )
    states = _collected(_merged(rows, plan, rounds, len(files)))
    merged = Statistics.merge_many(state for _, _, state in states)
    if covariance == "tied":
        merged._keep_tied()
    merged._values = values_of_kind(merged.labels, _arrow_kind(first.schema.field(label).type))
    return merged


def _arrow_kind(kind: Any) -> str:
    """What the values of a column of classes are."""
    types = pyarrow.types
    if types.is_integer(kind):
        return "int"
    if types.is_floating(kind):
        return "float"
    return "bool" if types.is_boolean(kind) else "str"


@with_options(MODEL_OPTIONS, lists=True)
def select(
    df: Any,
    label: str | None = None,
    *,
    weight: str | None = None,
    features: Sequence[str] | None = None,
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
    rounds: int | None = None,
    **options: Unpack[GridOptions],
) -> Selection:
    """Compares models by exact cross-validation, as suffice.select does, in two passes over the
    frame: the first sums up each fold, the second scores each row by the models of the other folds.

    Parameters
    ----------
    df, label, weight, features, schema, family, transforms, rounds
        As for `statistics`.
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

    >>> suffice.spark.select(df, "species", covariance=["full", "tied"])  # doctest: +SKIP
    """
    frame = Frame(df)
    keys = [key] if isinstance(key, str) else list(key or ())
    for name in keys:
        frame.field(name, "key")
    if isinstance(folds, str):
        if keys:
            raise ValueError("key is for folds that are dealt; the column of folds names them")
        fold = folds
    else:
        if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
            raise ValueError(
                f"folds={folds!r}: give a number of at least 2, or the name of a column"
            )
        hashed = F.xxhash64(*(named(name) for name in keys or frame.names))
        fold = FOLD
        frame = Frame(df.withColumn(fold, F.pmod(hashed, F.lit(folds)).cast("string")))
    plan, columns = frame.plan(
        label, weight, fold=fold, key=keys, features=features, schema=schema, family=family,
        transforms=transforms,
    )
    contest, plan = contest_of(plan, options, criterion, one_se, calibration)
    rows = frame.df.select(*columns)
    sums = rows.mapInArrow(partial(_tasks.sums, plan), _tasks.ROWS)
    by_fold: dict[str, list[bytes]] = {}
    for _, name, state in _collected(_merged(sums, plan, rounds)):
        by_fold.setdefault(name, []).append(state)
    merged = {name: _of_states(plan, frame, states) for name, states in by_fold.items()}
    contest, everything = between_passes(contest, merged, priors, costs)
    scored = rows.mapInArrow(partial(_tasks.scores, contest), _tasks.ROWS)
    parts = [pickle.loads(state) for _, _, state in _collected(scored)]
    everything._values = values_of_kind(everything.labels, _label_kind(plan, frame))
    return chosen(contest, parts, everything)


def predict(
    model: Model,
    df: Any,
    output: str | Sequence[str] = "label",
    *,
    priors: PriorsLike = "train",
    costs: CostsLike | None = None,
    reject: float | None = None,
    outlier: float | None = None,
) -> Any:
    """The frame with columns of predictions, computed when Spark computes the frame.

    Parameters
    ----------
    model : Model
    df : pyspark.sql.DataFrame
        Columns are found by name; a null or NaN is a missing value.
    output : str or sequence of str
        "label" adds the column `prediction`; "proba", "loglik" and "llr" add a column for each class
        (`proba:a`), "logpx" and "outlier" one column, as `suffice predict --output` does.
    priors, costs, reject, outlier
        As for Model.decide. With `reject` or `outlier` there is also a column `status`, and
        `prediction` is null where it is not "ok".

    >>> suffice.spark.predict(model, df, output=["label", "proba"])  # doctest: +SKIP
    """
    frame = Frame(df)
    columns, vectors = frame.inputs(model.schema)
    question = Question.of(model, output, priors, costs, reject, outlier, vectors)
    require_new(frame, question.columns())
    asked, answers = answers_of(frame, columns, question)
    return asked.select(
        *(named(name) for name in frame.names),
        *(column.alias(name) for name, column in answers.items()),
    )


def require_new(frame: Frame, names: Iterable[str]) -> None:
    """Raises ValueError for a name that a column of the frame has already."""
    for name in names:
        if name in frame.fields:
            raise ValueError(f"df has a column '{name}' already; rename it or drop it")


def answers_of(
    frame: Frame, columns: Sequence[Any], question: Question
) -> tuple[Any, dict[str, Any]]:
    """The frame with one more column, a struct of the answers, and the expression of each answer. Only
    the name of that column must not be one of the frame's."""
    if not hasattr(F, "arrow_udf"):
        raise ImportError("predictions need pyspark 4.1 or later: pip install 'pyspark>=4.1'")
    kinds = question.columns()
    types = {"int": T.LongType(), "float": T.DoubleType(), "bool": T.BooleanType(),
             "str": T.StringType()}
    fields = T.StructType([T.StructField(name, types[kind]) for name, kind in kinds.items()])

    def ask(rows: Any) -> Any:
        return _tasks.answers(question, rows)

    ask.__annotations__ = {"rows": pyarrow.Array, "return": pyarrow.Array}  # arrow_udf looks at them
    answer = "suffice answer"
    while answer in frame.fields:
        answer += "s"
    asked = frame.df.select("*", F.arrow_udf(ask, fields)(F.struct(*columns)).alias(answer))
    return asked, {name: named(answer).getField(name) for name in kinds}


def files_of(paths: Sequence[str]) -> list[str]:
    """The Parquet files of paths, globs, folders and URIs, in order."""
    files: list[str] = []
    for path in paths:
        if "://" not in path:
            files += engine.expand_paths([path])
            continue
        from pyarrow.fs import FileSelector, FileSystem, FileType

        system, place = FileSystem.from_uri(path)
        found = system.get_file_info(place)
        if found.type == FileType.NotFound:
            raise FileError(f"there is no file or folder '{path}'")
        if found.type == FileType.Directory:
            inside = system.get_file_info(FileSelector(place, recursive=True))
            names = sorted(one.path for one in inside if one.is_file)
            files += uris_of(path, place, [name for name in names if name.endswith(".parquet")])
        else:
            files.append(path)
    others = [path for path in files if not _without_query(path).endswith((".parquet", ".pq"))]
    if others:
        raise ValueError(f"paths: these are not Parquet files: {listed(others)}")
    if not files:
        raise FileError(f"there is no Parquet file in {listed(list(paths))}")
    return files


def uris_of(folder: str, place: str, names: Sequence[str]) -> list[str]:
    """The URIs of files in a folder: that of the folder, with its host and its query. The names begin
    with the place that the folder has on its file system."""
    base, mark, query = folder.partition("?")
    start = len(place.rstrip("/"))
    return [f"{base.rstrip('/')}{quote(name[start:], safe='/=')}{mark}{query}" for name in names]


def _without_query(path: str) -> str:
    return path.partition("?")[0] if "://" in path else path


def _merged(
    rows: Any, plan: Plan, rounds: int | None, parts: int | None = None, fan_in: int = FAN_IN
) -> Any:
    """The rows of partitions, merged on the executors: up to `fan_in` of one fold into one, `rounds`
    times. `parts` is the number of partitions where it is known."""
    features = len(plan.schema)
    numbers = {"full": 5 * features**2, "tied": features**2, "diag": 5 * features}[plan.covariance]
    size = 8 * numbers + 1000  # bytes of a state of ten classes
    if rounds is None:
        rounds = 1 if (parts or 200) * size > 2**29 else 0
        if parts is not None and parts * size > 2**29 * fan_in:
            rounds = 2
    elif isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 0:
        raise ValueError(f"rounds={rounds!r}: it must be 0 or more")
    # The rows that a task merges are in memory together, and in one batch of at most 2 GB.
    several = max(2, min(fan_in, 2**28 // size))
    for done in range(rounds):
        # A row that was merged has the number of its first partition.
        part = F.floor(F.col("part") / float(several ** (done + 1))).cast("int")
        rows = rows.groupBy(F.col("fold").alias("of"), part.alias("group")).applyInArrow(
            _tasks.merged, _tasks.ROWS
        )
    return rows


def _collected(rows: Any) -> list[tuple[int, str, bytes]]:
    """Partition, fold and state of each row, in the order of the partitions. Raises what a task
    found wrong."""
    try:
        found = rows.collect()
    except Exception as error:
        if "No module named 'suffice'" in str(error):
            raise ImportError(SHIP, name="suffice") from None
        if "maxResultSize" in str(error):
            raise ValueError(
                "the sums of all partitions are too large for the driver: let the executors merge "
                "them with rounds=1 or 2, or raise spark.driver.maxResultSize"
            ) from None
        raise
    found.sort(key=lambda row: (row["part"], row["fold"]))
    for row in found:
        if row["error"] is not None:
            raise pickle.loads(row["error"])
    return [(row["part"], row["fold"], bytes(row["state"])) for row in found]


def _label_kind(plan: Plan, frame: Frame) -> str:
    assert plan.label is not None
    return kind_of_label(plan.label, frame.fields[plan.label].dataType)


def _of_states(plan: Plan, frame: Frame, states: Sequence[bytes]) -> Statistics:
    """All merged, with classes of the type that the label's column has."""
    merged = Statistics.merge_many(states) if states else Statistics(
        plan.schema, covariance=plan.covariance
    )
    if plan.covariance == "tied":
        merged._keep_tied()
    merged._values = values_of_kind(merged.labels, _label_kind(plan, frame))
    return merged
