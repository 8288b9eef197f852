"""suffice.spark against the same rows on one machine, in a Spark that runs in this process's Java."""
from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import suffice
from suffice import Statistics
from cluster_data import (
    FEATURES,
    census,
    assert_certified,
    assert_same_selection,
    generated,
    glyphs,
    nist,
    run_section,
)
from test_values_statistics import assert_near

INSTALL = "; script/install_spark installs it"
pytest.importorskip("pyspark", reason="no Python module pyspark" + INSTALL)
pytest.importorskip("pyarrow", reason="no Python module pyarrow")
if not shutil.which("java"):
    pytest.skip("no Java to run Spark" + INSTALL, allow_module_level=True)

pytestmark = [pytest.mark.filterwarnings("ignore::suffice.SufficeWarning"),
              pytest.mark.filterwarnings("ignore::FutureWarning")]


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local[2, 3]")  # a task may fail twice
               .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
               .config("spark.ui.showConsoleProgress", "false")
               .config("spark.driver.memory", "1g").getOrCreate())
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def ss(spark):
    import suffice.spark

    return suffice.spark


def in_parts(spark, *tables):
    """A frame whose partitions are these tables, with their rows in this order."""
    schema = spark.createDataFrame(tables[0]).schema
    rows = [frame.astype(object).where(frame.notna(), None).values.tolist() for frame in tables]
    return spark.createDataFrame(spark.sparkContext.parallelize(list(rows), len(rows))
                                 .flatMap(lambda part: part), schema)


def written(spark, table, folder, files):
    """The table as Parquet files, in order."""
    folder.mkdir()
    for number, part in enumerate(np.array_split(np.arange(len(table)), files)):
        table.iloc[part].to_parquet(folder / f"part-{number:03}.parquet", index=False)
    return spark.read.parquet(str(folder))


def test_frames_of_all_types(spark, ss, tmp_path):
    table = generated()
    frame = written(spark, table, tmp_path / "t", 9)
    wanted = [*FEATURES, "y", "w"]
    local = Statistics.of(table[wanted], "y", "w")
    found = ss.statistics(frame, "y", weight="w", features=FEATURES)
    assert_near(found, local)
    assert found.schema == local.schema
    assert found.classes_.tolist() == [0, 1, 2, 3]
    assert found.missing == local.missing
    assert found == ss.statistics(frame, "y", weight="w", features=FEATURES)  # the same bits
    for rounds in (0, 2):  # merged on the driver alone, and once more before
        assert_near(ss.statistics(frame.select(wanted), "y", weight="w", rounds=rounds), local)
    diagonal = ss.statistics(frame.select(wanted), "y", weight="w", covariance="diag")
    assert_near(diagonal, Statistics.of(table[wanted], "y", "w", covariance="diag"))


def test_drift_of_a_frame(spark, ss):
    table = generated()[[*FEATURES, "y"]]
    old, new = table.iloc[: len(table) // 2], table.iloc[len(table) // 2 :]
    found = suffice.drift(ss.statistics(in_parts(spark, old), "y"), Statistics.of(new, "y"))
    local = suffice.drift(Statistics.of(old, "y"), Statistics.of(new, "y"))
    assert found["joint"]["d2"] == pytest.approx(local["joint"]["d2"], rel=1e-9)
    assert [c["found"] for c in found["columns"]] == [c["found"] for c in local["columns"]]


def test_each_round_merges(spark, ss):
    """Nine states of two folds, merged two at a time: 5, 3, 2 and 1 of each fold are left."""
    from functools import partial

    from suffice.spark import _frames, _tasks
    from suffice.spark._columns import Frame

    table = generated(rows=360)[["u", "n", "y"]].assign(fold=["a", "b"] * 180)
    frame = in_parts(spark, *(table.iloc[40 * k:40 * k + 40] for k in range(9)))
    plan, columns = Frame(frame).plan("y", None, fold="fold")
    sums = frame.select(*columns).mapInArrow(partial(_tasks.sums, plan), _tasks.ROWS)
    local = {name: Statistics.of(rows.drop(columns="fold"), "y") for name, rows in table.groupby("fold")}
    for rounds, left in enumerate([9, 5, 3, 2, 1]):
        found = _frames._collected(_frames._merged(sums, plan, rounds, fan_in=2))
        for name in ("a", "b"):
            states = [state for _, fold, state in found if fold == name]
            assert len(states) == left
            assert_near(Statistics.merge_many(states), local[name])


@pytest.mark.parametrize("folder, place, expected", [
    ("hdfs://node:8020/days?user=me", "/days", "hdfs://node:8020/days/m=%201/a.parquet?user=me"),
    ("s3://bucket/days/?region=eu&scheme=http", "bucket/days",
     "s3://bucket/days/m=%201/a.parquet?region=eu&scheme=http"),
    ("s3://me:secret@bucket", "bucket", "s3://me:secret@bucket/m=%201/a.parquet"),
    ("file:///some%20days", "/some days", "file:///some%20days/m=%201/a.parquet"),
])
def test_uris_keep_host_and_query(folder, place, expected, ss):
    from suffice.spark._frames import uris_of

    assert uris_of(folder, place, [f"{place}/m= 1/a.parquet"]) == [expected]


def test_files(spark, ss, tmp_path):
    table = generated()[[*FEATURES, "y", "w"]]
    written(spark, table, tmp_path / "t", 9)
    local = Statistics.of(table, "y", "w")
    folder = str(tmp_path / "t")
    found = ss.statistics_of_files(spark, folder, "y", weight="w")
    assert_near(found, local)
    assert found.classes_.dtype == local.classes_.dtype
    pattern = os.path.join(folder, "part-*.parquet")
    assert ss.statistics_of_files(spark, pattern, "y", weight="w") == found
    assert ss.statistics_of_files(spark, sorted(glob.glob(pattern)), "y", weight="w") == found
    assert ss.statistics_of_files(spark, f"file://{folder}", "y", weight="w") == found
    shutil.copytree(folder, tmp_path / "some days")
    assert ss.statistics_of_files(spark, f"file://{tmp_path}/some%20days/", "y", weight="w") == found
    assert found == Statistics.merge_many(
        Statistics.of(path, "y", "w") for path in sorted(glob.glob(pattern)))
    table.assign(u="high").to_parquet(tmp_path / "t" / "part-005.parquet", index=False)
    with pytest.raises(ValueError, match=r"part-005.parquet: feature 'u' is gaussian, but .* strings"):
        ss.statistics_of_files(spark, folder, "y", weight="w")
    with pytest.raises(suffice.FileError, match="nowhere"):
        ss.statistics_of_files(spark, str(tmp_path / "nowhere.parquet"), "y")
    (tmp_path / "t" / "more.csv").write_text("a,y\n1,2\n")
    with pytest.raises(ValueError, match="not Parquet files: .*more.csv"):
        ss.statistics_of_files(spark, folder, "y")


@pytest.mark.parametrize("read, label", [(census, "income"), (glyphs, "letter")])
def test_real_tables(read, label, spark, ss, data, tmp_path):
    table = read(data)
    frame = written(spark, table, tmp_path / "t", 6)
    local = Statistics.of(table, label)
    found = ss.statistics(frame, label)
    assert_near(found, local)
    assert found.classes_.tolist() == local.classes_.tolist()
    answers = ss.predict(found.estimate(), frame.limit(500)).toPandas()
    assert answers["prediction"].tolist() == found.estimate().decide(answers).tolist()


def test_nist(spark, ss, data):
    table, certified = nist(data)
    frame = spark.createDataFrame(table).repartition(7)
    assert_certified(ss.statistics(frame, "set"), certified)


def test_predictions(spark, ss, tmp_path):
    table = generated()
    model = Statistics.of(table[[*FEATURES, "y"]], "y").estimate()
    frame = written(spark, table, tmp_path / "t", 3)
    got = ss.predict(model, frame, ["label", "proba", "loglik", "llr", "logpx", "outlier"])
    assert got.columns[:len(table.columns)] == list(table.columns)
    got = got.orderBy("id").toPandas()
    assert (got["prediction"] == model.decide(table)).all()
    for c, label in enumerate(model.labels):
        for name, values in [("proba", model.posterior(table)), ("llr", model.llr(table)),
                             ("loglik", model.log_likelihood(table))]:
            np.testing.assert_allclose(got[f"{name}:{label}"], values[:, c], rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(got["logpx"], model.log_density(table), rtol=1e-13)
    np.testing.assert_array_equal(got["outlier"], model.outlier_score(table))
    priors = {0: 0.7, 1: 0.1, 2: 0.1, 3: 0.1}
    got = ss.predict(model, frame, priors=priors, reject=0.05).orderBy("id").toPandas()
    decided, status = model.decide(table, priors, reject=0.05, return_status=True)
    assert (got["status"] == status).all() and {"ok", "reject"} == set(status)
    assert [None if pd.isna(v) else int(v) for v in got["prediction"]] == list(decided)


def test_select_is_that_of_one_machine(spark, ss, tmp_path):
    table = generated()[[*FEATURES, "y", "w", "fold"]]
    frame = written(spark, table, tmp_path / "t", 5)
    options = {"covariance": ["full", "tied", "diag"], "shrinkage": [0.1, "auto"], "folds": "fold"}
    local = suffice.select(table, "y", "w", calibration="none", **options)
    found = ss.select(frame, "y", weight="w", **options)
    assert_same_selection(found, local)
    assert found.model.classes_.tolist() == [0, 1, 2, 3]
    # Folds by a hash do not depend on the partitions.
    other = [ss.select(some, "y", weight="w", key="v", covariance=["tied"], features=["u", "n"])
             for some in (frame, frame.coalesce(1))]
    assert_same_selection(*other)
    assert len(other[0].candidates[0]["folds"]) == 5


def test_vectors_and_pipelines(spark, ss, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    table = generated(missing=0)
    frame = written(spark, table, tmp_path / "t", 3)
    stages = [VectorAssembler(inputCols=["u", "v"], outputCol="features"),
              ss.GenerativeClassifier(labelCol="y", weightCol="w",
                                      options={"covariance": "diag", "shrinkage": 0})]
    fitted = Pipeline(stages=stages).fit(frame)
    got = fitted.transform(frame).orderBy("id")
    local = Statistics.of(table[["u", "v"]].to_numpy(), table["y"], table["w"]).estimate(
        "diag", shrinkage=0)
    X = table[["u", "v"]].to_numpy()
    rows = got.select("prediction", "probability", "rawPrediction").toPandas()
    assert (rows["prediction"] == local.decide(X)).all() and rows["prediction"].dtype == float
    np.testing.assert_allclose(np.stack(rows["probability"].map(lambda v: v.toArray())),
                               local.posterior(X), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(np.stack(rows["rawPrediction"].map(lambda v: v.toArray())),
                               local.log_likelihood(X), rtol=1e-9)
    # Spark's own measure, and Spark's own classifier on data that do not cancel.
    measured = MulticlassClassificationEvaluator(labelCol="y", metricName="accuracy").evaluate(got)
    assert measured == pytest.approx((local.decide(X) == table["y"]).mean(), abs=1e-12)
    # Stored and read back, in a pipeline.
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    assert again.stages[-1].model == fitted.stages[-1].model
    assert again.transform(frame).orderBy("id").select("prediction").collect() == got.select("prediction").collect()
    # A second classifier after the first, whose columns have the names that predict gives.
    second = ss.GenerativeClassifier(labelCol="y", inputCols=["n"], predictionCol="mine",
                                     probabilityCol="", rawPredictionCol="")
    both = Pipeline(stages=[*stages, second]).fit(frame).transform(frame).orderBy("id").toPandas()
    of_n = Statistics.of(table[["n", "y"]], "y").estimate()
    assert (both["mine"] == of_n.decide(table[["n"]])).all()
    assert (both["prediction"] == local.decide(X)).all()
    with pytest.raises(ValueError, match="a column 'prediction' already"):
        fitted.stages[-1].transform(got)
    # A vector is a block of its own beside other columns.
    assembled = stages[0].transform(frame).select("features", "n", "colour", "y", "id")
    beside = ss.statistics(assembled.drop("id"), "y")
    assert beside.schema.blocks == [("gaussian", ["features[0]", "features[1]"]),
                                    ("gaussian", ["n"]), ("categorical", ["colour"])]
    decided = ss.predict(beside.estimate(), assembled).orderBy("id").toPandas()["prediction"]
    rows = {"features[0]": table["u"], "features[1]": table["v"], "n": table["n"],
            "colour": table["colour"]}
    assert (decided == beside.estimate().decide(rows)).all()
    # Against pyspark.ml where it is exact enough: a small offset.
    small = frame.withColumn("v", frame["v"] - 1e6)
    index = StringIndexer(inputCol="fold", outputCol="label").fit(small)
    small = VectorAssembler(inputCols=["u", "v"], outputCol="features").transform(index.transform(small))
    theirs = NaiveBayes(modelType="gaussian", weightCol="w").fit(small).transform(small)
    ours = ss.GenerativeClassifier(weightCol="w", options={"covariance": "diag", "shrinkage": 0})
    ours = ours.fit(small).transform(small)
    a, b = (np.stack([row[0].toArray() for row in found.orderBy("id").select("probability").collect()])
            for found in (theirs, ours))
    np.testing.assert_allclose(a, b, rtol=1e-6)


GOOD = pd.DataFrame({"a": [1.0, 2.0, 4.0], "c": ["u", "v", "u"], "y": ["p", "q", "p"]})


def test_a_killed_worker_changes_nothing(spark, ss, tmp_path):
    frame = written(spark, generated()[[*FEATURES, "y"]], tmp_path / "t", 4)
    path = str(tmp_path / "killed")

    def kill_the_worker_once(batches):
        for batch in batches:
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                yield batch
            else:
                os._exit(1)

    dying = frame.mapInArrow(kill_the_worker_once, frame.schema)
    found = ss.statistics(dying, "y")
    assert os.path.exists(path)
    assert found == ss.statistics(frame, "y")


def test_partitions_without_rows_or_a_class(spark, ss):
    q = GOOD[GOOD["y"] == "q"]
    found = ss.statistics(in_parts(spark, GOOD, GOOD.iloc[:0], q), "y")
    assert_near(found, Statistics.of(pd.concat([GOOD, q]), "y"))
    assert ss.statistics(in_parts(spark, GOOD).where("a < 0"), "y").weights.sum() == 0


def test_bad_values_are_named_on_the_driver(spark, ss):
    def raised(table, **options):
        with pytest.raises(ValueError) as caught:
            ss.statistics(in_parts(spark, GOOD, table), "y", **options)
        assert "java" not in str(caught.value).lower()
        return caught.value

    error = raised(GOOD.assign(y=["p", "q", None]))
    assert str(error) == "partition 1: row 2: the label is missing; leave such rows out"
    assert isinstance(error, suffice.DataError) and error.row == 2
    error = raised(GOOD.assign(a=[1.0, 2.0, np.inf]))
    assert str(error).startswith("partition 1: row 2, class 'p', feature 'a': the value is inf")
    error = raised(GOOD.assign(a=[1.0, 2.0, -3.0]), weight="a", features=["c"])
    assert str(error).startswith("partition 1: row 2")
    folds = pd.DataFrame({"a": [1.0, 2.0, 4.0, 3.0], "y": ["p", "q", "p", "q"],
                          "fold": ["s", "t", "s", "t"]})
    for change, words in [({"a": [1.0, 2.0, 4.0, np.inf]}, "row 3, class 'q', feature 'a': the value"),
                          ({"fold": ["s", "t", None, "t"]}, "row 2: the fold is missing; name a fold")]:
        with pytest.raises(suffice.DataError) as caught:
            ss.select(in_parts(spark, folds, folds.assign(**change)), "y", folds="fold",
                      covariance=["tied"])
        assert str(caught.value).startswith(f"partition 1: {words}")
    frame = spark.createDataFrame([([1.0, 2.0], "p"), ([1.0], "q"), (None, "q")], ["v", "y"])
    with pytest.raises(suffice.DataError, match="the vector has 1 number, and others have 2"):
        ss.statistics(frame.coalesce(1), "y")


def test_wrong_calls(spark, ss):
    from pyspark.sql import functions as F

    frame = spark.createDataFrame(GOOD)
    model = Statistics.of(GOOD, "y").estimate()
    dates = frame.withColumn("day", F.current_date())
    for call, words in [
        (lambda: ss.statistics(frame, "z"), "label: df has no column 'z'; it has 'a', 'c', 'y'"),
        (lambda: ss.statistics(frame), "label is missing"),
        (lambda: ss.statistics(GOOD, "y"), "df must be a data frame of Spark, not DataFrame"),
        (lambda: ss.statistics(frame, "y", weight="c"), "the weight 'c' must be a column of numbers"),
        (lambda: ss.statistics(frame, "y", weight="y"), "the weight 'y' must be"),
        (lambda: ss.statistics(frame, "y", features=["y"]), "column 'y' cannot be a feature as well"),
        (lambda: ss.statistics(frame.select("y"), "y"), "no column left to learn from"),
        (lambda: ss.statistics(dates, "y"), "column 'day' has the type date"),
        (lambda: ss.statistics(dates, "day"), "the label 'day' has the type date; cast it"),
        (lambda: ss.statistics(frame, "y", schema={"c": "gaussian"}), "feature 'c' is gaussian"),
        (lambda: ss.statistics(frame, "y", schema={"k": "gaussian"}), "no column 'k'"),
        (lambda: ss.statistics(frame, "y", family={"k": "poisson"}), "family: X has no column 'k'"),
        (lambda: ss.statistics(frame, "y", rounds=-1), "rounds=-1"),
        (lambda: ss.select(frame, "y", folds=1), "folds=1"),
        (lambda: ss.select(frame, "y", folds="k"), "folds: df has no column 'k'"),
        (lambda: ss.select(frame, "y", key="k"), "key: df has no column 'k'"),
        (lambda: ss.select(frame, "y", calibration="auto"), "Model.calibrate"),
        (lambda: ss.predict(model, frame.select("c")), "X has no column 'a'"),
        (lambda: ss.predict(model, frame.withColumn("a", F.lit("x"))), "feature 'a' is gaussian"),
        (lambda: ss.predict(model, frame, "colour"), "output: choose from 'label', 'proba'"),
        (lambda: ss.predict(model, frame.withColumn("prediction", F.lit(1))), "a column 'prediction'"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        assert words in str(caught.value)


def test_executors_without_the_package(spark, ss, tmp_path):
    (tmp_path / "suffice").mkdir()
    (tmp_path / "suffice" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'suffice'\", name='suffice')")
    environment = spark.sparkContext.environment
    before = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = str(tmp_path)
    try:
        with pytest.raises(ImportError) as caught:
            ss.statistics(spark.createDataFrame(GOOD), "y")
    finally:
        environment.pop("PYTHONPATH") if before is None else environment.update(PYTHONPATH=before)
    assert "script/wheel" in str(caught.value) and "--archives" in str(caught.value)
    assert "java" not in str(caught.value).lower()


def test_another_version_on_the_executors(spark, ss, monkeypatch):
    from suffice import _partials

    monkeypatch.setattr(_partials.Plan, "__init__", different_version(_partials.Plan.__init__))
    with pytest.raises(ImportError, match=r"this worker has suffice .*, and the driver has 99\.0"):
        ss.statistics(spark.createDataFrame(GOOD), "y")


def different_version(init):
    def changed(self, *given, **named):
        init(self, *given, **{**named, "version": "99.0"})

    return changed


@pytest.mark.parametrize("setup, words", [
    ("sys.modules['pyspark'] = None", "suffice.spark needs the package pyspark: pip install pyspark"),
    ("import pyspark; pyspark.__version__ = '3.5.1'", "needs pyspark 4 or later, and this is 3.5.1"),
    ("sys.modules['pyarrow'] = None", "suffice.spark needs the package pyarrow: pip install pyarrow"),
])
def test_what_is_absent_or_too_old(setup, words):
    code = f"""
        import sys
        {setup}
        try:
            import suffice.spark
        except ImportError as error:
            print(error)
    """
    said = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert words in said.stdout, said.stderr


def test_what_the_page_shows_runs(spark, tmp_path, monkeypatch, example_data):
    pd.read_csv(example_data / "penguins.csv").to_parquet(tmp_path / "rows.parquet")
    monkeypatch.chdir(tmp_path)
    run_section("Spark", {"spark": spark})
    assert suffice.Model.load("penguins.suffice").labels == ("Adelie", "Chinstrap", "Gentoo")


def test_connect(tmp_path):
    """The same functions through Spark Connect, whose server is a process of its own."""
    for module in ("grpc", "grpc_status", "zstandard"):
        pytest.importorskip(module, reason=f"no Python module {module}, which Spark Connect needs")
    program = Path(__file__).with_name("spark_connect_program.py")
    said = subprocess.run([sys.executable, str(program), str(tmp_path)], capture_output=True, text=True,
                          env=os.environ | {"PYSPARK_PYTHON": sys.executable}, timeout=240)
    assert said.stdout.splitlines()[-1:] == ["all as expected"], said.stdout + said.stderr
