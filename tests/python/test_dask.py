"""suffice.dask against the same rows on one machine, with the schedulers of Dask."""
from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

import suffice
from suffice import Statistics

dask = pytest.importorskip("dask", reason="no Python module dask")
pytest.importorskip("distributed", reason="no Python module distributed")

import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402

import suffice.dask as sd  # noqa: E402
from cluster_data import (  # noqa: E402
    FEATURES,
    census,
    assert_certified,
    assert_same_selection,
    generated,
    glyphs,
    nist,
    run_section,
)
from test_values_statistics import assert_near  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::suffice.SufficeWarning")


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process of its own."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                      silence_logs=50) as cluster, Client(cluster) as client:
        yield client


@pytest.mark.parametrize("partitions", [1, 7, 100])
def test_frames_of_all_types(partitions):
    table = generated()
    frame = dd.from_pandas(table, npartitions=partitions)
    wanted = [*FEATURES, "y", "w"]
    local = Statistics.of(table[wanted], "y", "w")
    found = sd.statistics(frame[wanted], "y", "w")
    assert_near(found, local)
    assert found.schema == local.schema
    assert found.classes_.tolist() == [0, 1, 2, 3]
    assert found.missing == local.missing
    assert found == sd.statistics(frame[wanted], "y", "w")  # the same bits
    diagonal = sd.statistics(frame[wanted], "y", "w", covariance="diag")
    assert_near(diagonal, Statistics.of(table[wanted], "y", "w", covariance="diag"))


@pytest.mark.parametrize("read, label", [(census, "income"), (glyphs, "letter")])
def test_real_tables(read, label, data):
    table = read(data)
    found = sd.statistics(dd.from_pandas(table, npartitions=9), label)
    assert_near(found, Statistics.of(table, label))


def test_nist(data):
    table, certified = nist(data)
    assert_certified(sd.statistics(dd.from_pandas(table, npartitions=13), "set"), certified)


def test_families_and_transforms():
    table = generated()
    options = {"family": {"n": "poisson"}, "transforms": {"v": "log"}}
    found = sd.statistics(dd.from_pandas(table[["v", "n", "y"]], npartitions=5), "y", **options)
    assert_near(found, Statistics.of(table[["v", "n", "y"]], "y", **options))


def test_drift_of_a_frame():
    table = generated()[[*FEATURES, "y"]]
    old, new = table.iloc[: len(table) // 2], table.iloc[len(table) // 2 :]
    found = suffice.drift(sd.statistics(dd.from_pandas(old, npartitions=3), "y"),
                          sd.statistics(dd.from_pandas(new, npartitions=3), "y"))
    local = suffice.drift(Statistics.of(old, "y"), Statistics.of(new, "y"))
    assert found["joint"]["d2"] == pytest.approx(local["joint"]["d2"], rel=1e-9)
    assert [c["found"] for c in found["columns"]] == [c["found"] for c in local["columns"]]


@pytest.mark.parametrize("chunks", [(1000, 2), (333, 1), (3000, 3)])
def test_arrays(chunks):
    table = generated()
    X = table[["u", "v", "n"]].to_numpy()
    y, w = table["y"].to_numpy(), table["w"].to_numpy()
    found = sd.statistics(da.from_array(X, chunks=chunks), da.from_array(y, chunks=700), w)
    assert_near(found, Statistics.of(X, y, w))
    model = found.estimate()
    assert (sd.predict(model, da.from_array(X, chunks=chunks)).compute() == model.decide(X)).all()
    for output, method in [("proba", model.posterior), ("loglik", model.log_likelihood),
                           ("logpx", model.log_density), ("llr", model.llr)]:
        got = sd.predict(model, da.from_array(X, chunks=chunks), output)
        assert got.shape == method(X).shape
        np.testing.assert_array_equal(got.compute(), method(X))


def test_predictions_of_frames():
    table = generated()
    model = Statistics.of(table[[*FEATURES, "y"]], "y").estimate()
    frame = dd.from_pandas(table, npartitions=6)
    got = sd.predict(model, frame, ["label", "proba", "llr", "logpx", "outlier"]).compute()
    assert list(got.columns[:len(table.columns)]) == list(table.columns)
    assert (got["prediction"] == model.decide(table)).all()
    for c, label in enumerate(model.labels):
        np.testing.assert_array_equal(got[f"proba:{label}"], model.posterior(table)[:, c])
        np.testing.assert_array_equal(got[f"llr:{label}"], model.llr(table)[:, c])
    np.testing.assert_array_equal(got["logpx"], model.log_density(table))
    np.testing.assert_array_equal(got["outlier"], model.outlier_score(table))
    priors = {0: 0.7, 1: 0.1, 2: 0.1, 3: 0.1}
    got = sd.predict(model, frame, priors=priors, reject=0.05).compute()
    decided, status = model.decide(table, priors, reject=0.05, return_status=True)
    assert (got["status"] == status).all() and {"ok", "reject"} == set(status)
    assert [None if pd.isna(v) else int(v) for v in got["prediction"]] == list(decided)


def test_select_is_that_of_one_machine():
    table = generated()[[*FEATURES, "y", "w", "fold"]]
    frame = dd.from_pandas(table, npartitions=5)
    options = {"covariance": ["full", "tied", "diag"], "shrinkage": [0.1, "auto"], "folds": "fold"}
    local = suffice.select(table, "y", "w", calibration="none", **options)
    assert_same_selection(sd.select(frame, "y", "w", **options), local)
    costs = {(0, 1): 3.0}
    assert_same_selection(
        sd.select(frame, "y", "w", costs=costs, criterion="cost", priors="uniform", **options),
        suffice.select(table, "y", "w", costs=costs, criterion="cost", priors="uniform",
                       calibration="none", **options))


def test_folds_by_a_key():
    """The hash of a row's key does not depend on the partitions."""
    table = generated()[[*FEATURES, "y", "id"]]
    found = [sd.select(dd.from_pandas(table, npartitions=count), "y", key="id", covariance=["tied"])
             for count in (3, 11)]
    assert_same_selection(*found)
    assert found[0].statistics.schema.names == FEATURES
    assert len(found[0].candidates[0]["folds"]) == 5


def test_cluster(cluster):
    table = generated()[[*FEATURES, "y", "w"]]
    frame = dd.from_pandas(table, npartitions=40)
    local = Statistics.of(table, "y", "w")
    assert_near(sd.statistics(frame, "y", "w"), local)
    assert (sd.predict(local.estimate(), frame).compute()["prediction"]
            == local.estimate().decide(table)).all()
    with pytest.raises(suffice.DataError) as caught:
        sd.statistics(frame.assign(u=frame["u"] / 0), "y")
    assert str(caught.value).startswith("partition ") and caught.value.feature == "u"


def kill_the_worker_once(frame, path):
    """Ends the process that sums up a partition, the first time."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return frame
    os._exit(1)


def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    table = generated()[[*FEATURES, "y"]]
    frame = dd.from_pandas(table, npartitions=8)
    before = sd.statistics(frame, "y")
    dying = frame.map_partitions(kill_the_worker_once, str(tmp_path / "killed"), meta=frame._meta)
    assert sd.statistics(dying, "y") == before
    assert (tmp_path / "killed").exists()


def parts(*frames):
    """Partitions as they are, whatever the first one looks like."""
    return dd.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0], verify_meta=False)


GOOD = pd.DataFrame({"a": [1.0, 2.0, 4.0], "c": ["u", "v", "u"], "y": ["p", "q", "p"]})


@pytest.mark.parametrize("change, words", [
    (lambda t: t.drop(columns="a"), ["partition 1: X has no column 'a'"]),
    (lambda t: t.assign(a=["x", "y", "z"]), ["partition 1", "feature 'a' is gaussian", "strings"]),
    (lambda t: t.assign(a=[1.0, np.inf, 2.0]), ["partition 1: row 1, class 'q', feature 'a': the value is inf"]),
    (lambda t: t.assign(y=["p", None, "q"]), ["partition 1: row 1: the label is missing"]),
    (lambda t: t.assign(y=[1, 2, 3]), ["different kinds"]),
], ids=["no column", "strings", "infinite", "no label", "labels of another kind"])
def test_partitions_that_differ(change, words):
    with pytest.raises(ValueError) as caught:
        sd.statistics(parts(GOOD, change(GOOD)), "y")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("change, words", [
    ({"a": [1.0, 2.0, 4.0, np.inf]}, "row 3, class 'q', feature 'a': the value is inf"),
    ({"y": ["p", "q", "p", None]}, "row 3: the label is missing"),
    ({"fold": ["s", "t", None, "t"]}, "row 2: the fold is missing; name a fold there"),
], ids=["infinite", "no label", "no fold"])
def test_rows_of_folds_are_those_of_the_partition(change, words):
    table = pd.DataFrame({"a": [1.0, 2.0, 4.0, 3.0], "y": ["p", "q", "p", "q"],
                          "fold": ["s", "t", "s", "t"]})
    with pytest.raises(suffice.DataError) as caught:
        sd.select(parts(table, table.assign(**change)), "y", folds="fold", covariance=["tied"])
    assert str(caught.value).startswith(f"partition 1: {words}")


def test_rows_are_counted_over_the_tables_of_a_partition():
    from suffice._partials import Plan, summed_by_fold

    table = pd.DataFrame({"a": [1.0, 2.0, 4.0], "y": ["p", "q", "p"], "fold": ["s", "t", "s"]})
    plan = Plan(suffice.Schema({"a": "gaussian"}), "y", fold="fold")
    with pytest.raises(suffice.DataError) as caught:
        summed_by_fold(plan, [table, table.assign(a=[1.0, 2.0, np.inf])])
    assert caught.value.row == 5


def test_a_column_that_pandas_does_not_find():
    with pytest.raises(ValueError, match="partitions have different columns: .*'a'"):
        sd.statistics(parts(GOOD, GOOD.drop(columns="a")), "y", schema={"a": "gaussian"})


def test_partitions_without_rows_or_a_class():
    found = sd.statistics(parts(GOOD, GOOD.iloc[:0], GOOD[GOOD["y"] == "q"]), "y")
    assert_near(found, Statistics.of(pd.concat([GOOD, GOOD[GOOD["y"] == "q"]]), "y"))
    assert sd.statistics(parts(GOOD.iloc[:0]), "y").weights.sum() == 0


@pytest.mark.parametrize("call, words", [
    (lambda f: sd.statistics(f, "z"), "y: X has no column 'z'; it has 'a', 'c', 'y'"),
    (lambda f: sd.statistics(f), "y is missing"),
    (lambda f: sd.statistics(f, f["y"]), "the name of one of its columns"),
    (lambda f: sd.statistics(GOOD, "y"), "X must be a data frame or an array of Dask, not DataFrame"),
    (lambda f: sd.statistics(da.zeros(3), [1, 2, 3]), "two dimensions"),
    (lambda f: sd.statistics(da.zeros((3, 2))), "y is missing"),
    (lambda f: sd.statistics(da.zeros((3, 2)), np.zeros(4)), "X has 3 rows, but y has 4"),
    (lambda f: sd.statistics(da.zeros((3, 2)), "y"), "the columns of X have no names"),
    (lambda f: sd.select(f, "y", folds=1), "folds=1"),
    (lambda f: sd.select(f, "y", folds="k"), "folds: X has no column 'k'"),
    (lambda f: sd.select(f, "y", key="k"), "key: X has no column 'k'"),
    (lambda f: sd.select(f, "y", calibration="auto"), "Model.calibrate"),
    (lambda f: sd.select(da.zeros((3, 2)), "y"), "select takes a data frame"),
    (lambda f: sd.predict(model(), f[["c"]]), "X has no column 'a'"),
    (lambda f: sd.predict(model(), f, "colour"), "output: choose from 'label', 'proba'"),
    (lambda f: sd.predict(model(), f.assign(prediction=1)), "a column 'prediction' already"),
    (lambda f: sd.predict(model(), da.zeros((3, 5))), "X has 5 columns"),
])
def test_wrong_calls(call, words):
    with pytest.raises(ValueError) as caught:
        call(dd.from_pandas(GOOD, npartitions=2))
    assert words in str(caught.value)


def model():
    return Statistics.of(GOOD, "y").estimate()


def test_what_the_page_shows_runs(tmp_path, monkeypatch, example_data, capsys):
    pd.read_csv(example_data / "penguins.csv").to_parquet(tmp_path / "rows.parquet")
    monkeypatch.chdir(tmp_path)
    run_section("Dask", {})
    assert "Selection among 3 candidates" in capsys.readouterr().out


def test_absent_package_is_named():
    code = """
        import sys
        sys.modules["dask"] = None
        try:
            import suffice.dask
        except ImportError as error:
            print(error)
    """
    said = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert "suffice.dask needs the package dask: pip install dask" in said.stdout


def test_a_worker_without_the_package():
    """What its exception becomes here."""
    class Lost:
        def compute(self):
            raise ModuleNotFoundError("No module named 'suffice'")

    with pytest.raises(ImportError, match="script/wheel"):
        sd._computed(Lost())
