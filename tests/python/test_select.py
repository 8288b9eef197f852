"""suffice.select: the command line's answers, scikit-learn's by hand, and what it refuses."""
from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import suffice
from suffice import Model
from test_same_as_command_line import read_csv, write_csv


def select(*data, **options):
    """Without calibration, by errors, unless options say otherwise: as scikit-learn compares."""
    return suffice.select(*data, **{"calibration": "none", "criterion": "error"} | options)



sklearn = pytest.importorskip("sklearn")

from sklearn.datasets import load_iris, load_wine  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.discriminant_analysis import (  # noqa: E402
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.model_selection import GridSearchCV, PredefinedSplit  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def folds_of(rows, count, seed=1):
    return np.random.default_rng(seed).permutation(rows) % count


# ---- the command line


def check_same(found, told, folder):
    """Every number of `select --json`, and the model that it wrote."""
    assert [c["options"] for c in found.candidates] == [c["options"] for c in told["candidates"]]
    for ours, theirs in zip(found.candidates, told["candidates"]):
        assert set(ours) == set(theirs)
        if "error" in theirs:
            assert ours["error"] == theirs["error"]
            continue
        for key in set(theirs) - {"options", "folds", "seconds", "calibration", "uncalibrated"}:
            assert ours[key] == pytest.approx(float(theirs[key]), rel=1e-12), key
        for key in ("scale", "offset"):
            assert ours["calibration"][key].tolist() == theirs["calibration"][key]
        for key, value in theirs["uncalibrated"].items():
            assert ours["uncalibrated"][key] == pytest.approx(float(value), rel=1e-12)
        for ours_, theirs_ in zip(ours["folds"], theirs["folds"], strict=True):
            assert ours_["name"] == theirs_["name"] and set(ours_) == set(theirs_)
            for key in set(theirs_) - {"name"}:
                assert ours_[key] == pytest.approx(float(theirs_[key]), rel=1e-12), key
    assert found.best == told["best"] and found.ranking == told["ranking"]
    assert Model.load(folder / "best.suffice") == found.model


@pytest.mark.parametrize("file", ["iris", "penguins"])
@pytest.mark.parametrize("words, options", [
    ([], {}),
    (["--seed", "7", "--folds", "3", "--one-se", "--criterion", "log-loss"],
     dict(seed=7, folds=3, one_se=True, criterion="log-loss")),
    (["--pca", "none,2,90%", "--lda", "none,2", "--covariance", "full,tied", "--shrinkage",
      "0,0.2,auto"],
     dict(pca=[None, 2, "90%"], lda=[None, 2], covariance=["full", "tied"],
          shrinkage=[0, 0.2, "auto"])),
    (["--shrinkage", "oas,0.1", "--towards-tied", "0,0.5", "--normalize", "unbiased"],
     dict(shrinkage=["oas", 0.1], towards_tied=[0, 0.5], normalize="unbiased")),
    (["--estimate", "map,bayes", "--smoothing", "0.5,2", "--prior", "uniform", "--folds", "loo"],
     dict(estimate=["map", "bayes"], smoothing=[0.5, 2], priors="uniform", folds="loo")),
])
@pytest.mark.filterwarnings("ignore:the log-loss of the best is infinite")
def test_same_as_the_command_line(command_line, example_data, tmp_path, file, words, options):
    path = example_data / f"{file}.csv"
    told = command_line.good_json("select", path, "--label", "species", *words,
                                  "-o", tmp_path / "best.suffice")
    check_same(suffice.select(read_csv(path), "species", **options), told, tmp_path)


def test_costs_and_weights_as_the_command_line(command_line, example_data, tmp_path):
    columns = read_csv(example_data / "iris.csv")
    columns["w"] = np.arange(150) % 3 + 0.5
    columns["fold"] = np.array(["a", "b", "c", "d"])[folds_of(150, 4)]
    path = write_csv(tmp_path / "iris.csv", columns)
    told = command_line.good_json(
        "select", path, "--label", "species", "--weight", "w", "--fold-column", "fold",
        "--cost", "virginica>versicolor=5", "--criterion", "cost", "--prior",
        "setosa=0.2,versicolor=0.3,virginica=0.5", "-o", tmp_path / "best.suffice")
    folds = columns.pop("fold")
    found = suffice.select(
        columns, "species", "w", folds=folds, criterion="cost",
        costs={("virginica", "versicolor"): 5},
        priors={"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5})
    assert "cost" in found.candidates[0] and "cost_se" in found.candidates[0]
    check_same(found, told, tmp_path)


def test_a_fold_column_as_the_command_line(command_line, example_data, tmp_path):
    """The column names the folds and is no feature, in every kind of table."""
    columns = read_csv(example_data / "penguins.csv")
    columns["fold"] = np.array(["red", "green", "blue"])[folds_of(len(columns["species"]), 3)]
    path = write_csv(tmp_path / "penguins.csv", columns)
    told = command_line.good_json("select", path, "--label", "species", "--fold-column", "fold",
                                  "-o", tmp_path / "best.suffice")
    frame = pd.DataFrame(columns)
    tables = [columns, frame, frame.astype({"fold": "category"})]
    for package, make in (("polars", "from_pandas"), ("pyarrow", "table")):
        try:
            tables.append(getattr(__import__(package), make)(frame))
        except ImportError:
            pass
    for table in tables:
        found = suffice.select(table, "species", folds="fold")
        assert "fold" not in found.model.schema.names
        check_same(found, told, tmp_path)


# ---- scikit-learn, fold by fold


@pytest.mark.parametrize("covariance, normalize, theirs", [
    ("full", "mle", QuadraticDiscriminantAnalysis()),
    ("tied", "mle", LinearDiscriminantAnalysis(solver="lsqr")),
])
@pytest.mark.parametrize("pca", [None, 5])
def test_equals_scikit_learn_in_each_fold(wine, covariance, normalize, theirs, pca):
    X, y = wine
    folds = folds_of(len(y), 4)
    found = select(X, y, covariance=covariance, normalize=normalize, pca=pca, folds=folds,
                           shrinkage=0)
    (candidate,) = found.candidates
    assert [fold["name"] for fold in candidate["folds"]] == ["0", "1", "2", "3"]
    wrong = losses = 0.0
    for k, fold in enumerate(candidate["folds"]):
        train, test = folds != k, folds == k
        model = make_pipeline(PCA(pca, svd_solver="full"), theirs) if pca else theirs
        model.fit(X[train], y[train])
        posterior = model.predict_proba(X[test])
        errors = np.mean(posterior.argmax(axis=1) != y[test])
        loss = -np.mean(np.log(posterior[np.arange(test.sum()), y[test]]))
        assert fold["rows"] == test.sum()
        assert fold["error_rate"] == pytest.approx(errors, abs=1e-12)
        assert fold["log_loss"] == pytest.approx(loss, rel=1e-6, abs=1e-9)
        wrong += errors * test.sum()
        losses += loss * test.sum()
    assert candidate["error_rate"] == pytest.approx(wrong / len(y), abs=1e-12)
    assert candidate["log_loss"] == pytest.approx(losses / len(y), rel=1e-6)
    rates = [fold["error_rate"] for fold in candidate["folds"]]
    assert candidate["error_rate_se"] == pytest.approx(np.std(rates, ddof=1) / 2)


def test_equals_a_grid_search(wine):
    """GridSearchCV refits for each fold and candidate; its answers are the same."""
    X, y = wine
    folds = folds_of(len(y), 5)
    grid = {"pca": [None, 3, 0.999], "lda": [None, 2], "shrinkage": [0, "auto", 0.3],
            "covariance": ["full", "diag"]}
    search = GridSearchCV(suffice.GenerativeClassifier(), grid, cv=PredefinedSplit(folds),
                          scoring=["accuracy", "neg_log_loss"], refit="accuracy").fit(X, y)
    found = select(X, y, **grid, folds=folds)
    theirs = {}
    for k, params in enumerate(search.cv_results_["params"]):
        key = tuple(str(params[name]) for name in sorted(grid))
        theirs[key] = [[search.cv_results_[f"split{f}_test_{s}"][k] for f in range(5)]
                       for s in ("accuracy", "neg_log_loss")]
    for candidate in found.candidates:
        options = {"pca": None, "lda": None, **candidate["options"]}
        accuracies, losses = theirs[tuple(str(options[name]) for name in sorted(grid))]
        for fold, accuracy, loss in zip(candidate["folds"], accuracies, losses, strict=True):
            assert fold["error_rate"] == pytest.approx(1 - accuracy, abs=1e-12)
            # scikit-learn clips probabilities at the smallest distance from 1.
            assert fold["log_loss"] == pytest.approx(-loss, rel=1e-6, abs=1e-9)
    best = 1 - found.candidates[found.best]["error_rate"]
    assert best >= search.cv_results_["mean_test_accuracy"].max() - 0.01


def test_leave_one_out_is_a_fold_for_each_row():
    X, y = load_iris(return_X_y=True)
    one = select(X, y, folds="loo", covariance=["full", "tied-diag"])
    many = select(X, y, folds=np.arange(150), covariance=["full", "tied-diag"],
                          shrinkage=0)
    for a, b in zip(one.candidates, many.candidates):
        assert a["error_rate"] == pytest.approx(b["error_rate"], abs=1e-12)
        assert a["log_loss"] == pytest.approx(b["log_loss"], rel=1e-9)


def test_what_is_not_listed_has_its_default(wine):
    """That of estimate; where one row is left out at a time, which auto has no form for, 0."""

    def shrinkage(**options):
        return [c["options"]["shrinkage"] for c in select(*wine, **options).candidates]

    assert shrinkage(covariance=["full", "diag"]) == ["auto", "auto"]
    assert shrinkage(covariance=["full", "diag"], folds="loo") == [0, 0]
    assert shrinkage(towards_tied=[0, 0.5]) == ["auto", 0]
    assert shrinkage(covariance="full", shrinkage=0) == [0]


# ---- what comes in and what comes out


def test_the_chosen_model_is_that_of_all_rows(wine):
    X, y = wine
    found = select(X, y)
    # They are the merge of the folds' statistics: the same up to rounding.
    whole = suffice.Statistics.of(X, y).blocks[0]["scatter"]
    np.testing.assert_allclose(found.statistics.blocks[0]["scatter"], whole, rtol=1e-11, atol=1e-9)
    assert found.model == found.statistics.estimate(**found.best_options)
    clf = suffice.GenerativeClassifier(**found.best_options).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), found.model.posterior(X), atol=1e-9)
    errors = [c["error_rate"] for c in found.candidates]
    assert errors[found.best] == min(errors)


def test_frames_arrays_and_sparse_rows_agree():
    sparse = pytest.importorskip("scipy.sparse")
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (300, 6)).astype(float)
    y = np.array(["no", "yes"])[(X[:, 0] + rng.poisson(1.0, 300) > 2).astype(int)]
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)])

    def told(found):
        return [(c["options"], c["error_rate"], c["log_loss"]) for c in found.candidates]

    expected = told(select(X, y, family="poisson"))
    assert [options["smoothing"] for options, _, _ in expected] == [0.01, 0.1, 1, 10]
    assert told(select(frame.assign(c=y), "c", family="poisson")) == expected
    assert told(select(polars.DataFrame(frame).with_columns(c=y), "c",
                               family={"x*": "poisson"})) == expected
    found = told(select(sparse.csr_array(X), y, family="poisson"))
    assert [row[0] for row in found] == [row[0] for row in expected]
    np.testing.assert_allclose([row[1:] for row in found], [row[1:] for row in expected])


def test_any_number_of_threads(wine):
    one, two = (select(*wine, n_jobs=n) for n in (1, 2))
    for a, b in zip(one.candidates, two.candidates):
        assert {**a, "seconds": 0} == {**b, "seconds": 0}
    assert one.model == two.model


@pytest.mark.parametrize("kind", [np.float64, np.float16])  # read where they lie, or in slices
def test_progress_rises_to_the_end(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 40)).astype(kind), np.arange(60_000) % 3
    shares = []
    select(X, y, progress=shares.append)
    assert len(shares) > 2 and shares == sorted(shares)
    assert 0 < shares[0] <= 0.5 and shares[-1] == pytest.approx(1)
    assert any(abs(share - 0.5) < 1e-9 for share in shares)  # between the readings


def test_progress_may_end_the_call():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 40)), np.arange(60_000) % 3

    def enough(share):
        if share > 0.5:
            raise RuntimeError(f"enough at {share:.0%}")

    with pytest.raises(RuntimeError, match="enough at"):
        select(X, y, progress=enough)


def test_classes_keep_their_values(wine):
    X, y = wine
    found = select(X, y * 10, covariance="tied")
    assert found.model.classes_.tolist() == found.statistics.classes_.tolist() == [0, 10, 20]
    weights = suffice.Priors([0, 10, 20], [0.2, 0.3, 0.5])
    select(X, y * 10, covariance="tied", priors=weights)


def test_prints_as_a_table(wine):
    text = repr(select(*wine, covariance=["diag", "full"], shrinkage=[0, 0.5])).split("\n")
    assert text[0] == "Selection among 3 candidates by error"
    assert text[1].split() == ["covariance", "shrinkage", "error", "rate", "log", "loss", "time"]
    assert text[2].startswith("*")
    rates = [float(line.replace("*", " ").split()[2]) for line in text[2:5]]
    assert rates == sorted(rates) and text[5].startswith("± is one standard error")
    projected = repr(select(*wine, pca=[None, 2], covariance=["full", "tied"])).split("\n")
    assert projected[1].split()[:2] == ["pca", "covariance"] and "none" in "".join(projected)
    alone = repr(select(*wine, covariance="diag")).split("\n")
    assert alone[0] == "Selection among 1 candidate by error" and "diag" in alone[2]


def test_a_candidate_that_cannot_be_estimated():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 40)), np.arange(30) % 2
    found = select(X, y, covariance=["full", "diag"], shrinkage=0)
    assert "rank" in found.candidates[0]["error"] and "error_rate" not in found.candidates[0]
    assert found.best == 1 and found.ranking == [1, 0]
    assert "– covariance full: " in repr(found)


def test_pickle(wine):
    found = select(*wine, covariance=["full", "tied"])
    again = pickle.loads(pickle.dumps(found))
    assert again.candidates == found.candidates and again.model == found.model
    assert repr(again) == repr(found)


# ---- errors


@pytest.mark.parametrize("options, message", [
    (dict(covariance="fool"), "fool"),
    (dict(pca=0), "pca"),
    (dict(pca=True), "pca=True"),
    (dict(lda=1.5), "lda needs a whole number, not '1.5'"),
    (dict(shrinkage=2), "between 0"),
    (dict(shrinkage="loo"), "second time"),
    (dict(shrinkage=[[1]]), "shrinkage="),
    (dict(criterion="beauty"), "beauty"),
    (dict(folds=1), "at least 2"),
    (dict(folds=1000), "fold"),
    (dict(folds="many"), "folds='many'.*no names"),
    (dict(folds=np.zeros((178, 2))), "folds must have one dimension"),
    (dict(folds=None), "folds=None"),
    (dict(folds=[1, 2]), "178 rows, but folds has 2"),
    (dict(folds=[None] * 178), "row 0: folds has no name for the row"),
    (dict(folds=np.zeros(178)), "fold"),
    (dict(seed=-1), "seed=-1"),
    (dict(priors="fair"), "fair"),
    (dict(priors=[0.5, 0.5]), "3 classes"),
    (dict(costs=np.zeros((2, 2))), "3 × 3"),
    (dict(schema={"x0": "gaussian"}, family="gaussian"), "give no schema"),
    (dict(transforms={"x0": "cube"}), "cube"),
    (dict(transforms={"nothing": "log"}), "nothing"),
    (dict(transforms="log"), "mapping"),
    (dict(covariance="tied", towards_tied=0.5), "nothing to choose among"),
])
def test_what_cannot_be(wine, options, message):
    with pytest.raises(ValueError, match=message):
        select(*wine, **options)


@pytest.mark.parametrize("folds, options, message", [
    ("group", {}, "folds='group'.*X has the columns 'a', 'b', 'c'"),
    ("c", {}, "'c' cannot be both the label and the fold"),
    ("a", dict(sample_weight="a"), "'a' cannot be both the weight and the fold"),
    ("a", dict(schema={"a": "gaussian"}), "'a' cannot be both a feature and the fold"),
])
def test_columns_that_cannot_be_folds(folds, options, message):
    table = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 3.0, 2.0, 5.0], "c": list("ppqq")}
    with pytest.raises(ValueError, match=message):
        select(table, "c", folds=folds, **options)


def test_one_class(wine):
    with pytest.raises(ValueError, match="class"):
        select(wine[0], np.zeros(len(wine[1])))


def test_rows_that_can_be_read_only_once(wine):
    X, y = wine
    with pytest.raises(ValueError, match="twice.*generator"):
        select(((X, y) for _ in range(1)))
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": X[:, 0], "y": y})
    with pytest.raises(ValueError, match="twice.*RecordBatchReader"):
        select(table.to_reader(), "y")
    assert select(table, "y", covariance="full").best == 0


def test_a_fold_without_a_class_is_said():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.array(["a"] * 18 + ["b"] * 18 + ["c"] * 4)
    folds = np.where(y == "c", 0, np.arange(40) % 2)  # without fold 0 there is no "c"
    with pytest.warns(UserWarning, match="'c'"):
        select(X, y, covariance="tied", folds=folds)
