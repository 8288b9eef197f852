"""One scatter for all classes together (stats --covariance tied), through the program: against NumPy
and scikit-learn's LDA."""

import csv
import resource
import subprocess
import sys

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from program import BINARY, CALM, good, good_json, refused, rows_of, run

CLASSES = "abcd"


def values(seed, rows, columns):
    random = np.random.default_rng(seed)
    y = random.integers(0, len(CLASSES), rows)
    mix = np.random.default_rng(0).standard_normal((columns, columns)) / columns**0.5
    means = np.random.default_rng(1).standard_normal((len(CLASSES), columns))
    return 0.6 * means[y] + random.standard_normal((rows, columns)) @ (np.eye(columns) + mix), y


def write(path, X, y):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["kind", *(f"x{j}" for j in range(X.shape[1]))])
        for row, label in zip(X, y):
            out.writerow([CLASSES[label], *(repr(float(x)) for x in row)])
    return path


def within(X, y):
    rows = X - np.array([X[y == c].mean(axis=0) for c in range(len(CLASSES))])[y]
    return rows.T @ rows


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pooled") / "narrow.csv", *values(2, 400, 6))


@pytest.fixture(scope="module")
def pooled(narrow):
    out = narrow.with_suffix(".stats")
    good("stats", narrow, "--label", "kind", "--covariance", "tied", "-o", out)
    return out


def probabilities(model, path):
    answers = rows_of(good("predict", model, path, "--output", "proba", "--digits", "full"))
    return np.array([[float(row[f"proba:{c}"]) for c in CLASSES] for row in answers])


def test_sums_are_those_of_numpy(pooled):
    X, y = values(2, 400, 6)
    block = good_json("show", pooled)["blocks"][0]
    np.testing.assert_allclose(block["pooled"], within(X, y), rtol=1e-11, atol=1e-9)
    for c in range(len(CLASSES)):
        own = X[y == c]
        np.testing.assert_allclose(block["mean"][c], own.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(block["squares"][c], len(own) * own.var(axis=0), rtol=1e-11)
    assert "scatter" not in block
    assert "one scatter kept for all classes" in good("show", pooled)


def test_fit_is_lda_of_scikit_learn(narrow, pooled, tmp_path):
    X, y = values(2, 400, 6)
    model = tmp_path / "tied.model"
    for options, theirs in (
        (["--shrinkage", "0"], {"solver": "lsqr"}),
        (["--shrinkage", "0"], {"solver": "eigen"}),
        (["--shrinkage", "0.3", "--target", "spherical"], None),
    ):
        good("fit", pooled, "--covariance", "tied", *options, "-o", model)
        if theirs:
            lda = LinearDiscriminantAnalysis(**theirs).fit(X, y)
            np.testing.assert_allclose(probabilities(model, narrow), lda.predict_proba(X), atol=1e-9)
            continue
        covariance = within(X, y) / len(X)
        target = np.trace(covariance) / 6 * np.eye(6)
        block = good_json("show", model)["blocks"][0]
        np.testing.assert_allclose(block["covariance"], 0.7 * covariance + 0.3 * target, rtol=1e-10)


def test_other_models_of_the_sums(narrow, pooled, tmp_path):
    full = tmp_path / "full.stats"
    good("stats", narrow, "--label", "kind", "-o", full)
    for options in (
        ["--covariance", "diag"],
        ["--covariance", "tied-diag"],
        ["--covariance", "tied"],
        ["--covariance", "tied", "--lda", "2"],
        ["--covariance", "tied", "--pca", "3"],
    ):
        one, other = tmp_path / "one.model", tmp_path / "other.model"
        good("fit", pooled, *options, "-o", one)
        good("fit", full, *options, "-o", other)
        np.testing.assert_allclose(probabilities(one, narrow), probabilities(other, narrow), atol=1e-10)
    # Where no covariance is named, it is the largest that the sums allow.
    good("fit", pooled, "-o", tmp_path / "default.model")
    assert good_json("show", tmp_path / "default.model")["options"]["covariance"] == "tied"


def test_full_is_refused(pooled, tmp_path):
    refused(run("fit", pooled, "--covariance", "full", "-o", tmp_path / "m.model"), 1,
            "a scatter for each class", "one for all classes together", "--covariance full")
    assert not (tmp_path / "m.model").exists()


def test_parts_merge_and_subtract(pooled, tmp_path):
    X, y = values(2, 400, 6)
    parts = []
    for k, covariance in enumerate(("tied", "full")):
        table = write(tmp_path / f"{k}.csv", X[k::2], y[k::2])
        parts.append(tmp_path / f"{k}.stats")
        good("stats", table, "--label", "kind", "--covariance", covariance, "-o", parts[-1])
    good("merge", *parts, "-o", tmp_path / "both.stats")
    good("subtract", pooled, parts[1], "-o", tmp_path / "rest.stats")
    for found, expected in (("both.stats", within(X, y)), ("rest.stats", within(X[::2], y[::2]))):
        block = good_json("show", tmp_path / found)["blocks"][0]
        np.testing.assert_allclose(block["pooled"], expected, rtol=1e-10, atol=1e-8)


def test_many_columns(tmp_path):
    """fit keeps one scatter by itself, with a hint; the model is that of a scatter for each class."""
    X, y = values(3, 600, 120)
    table = write(tmp_path / "many.csv", X, y)
    for options in ([], ["--shrinkage", "0.1"], ["--shrinkage", "loo"], ["--lda", "3"]):
        said = run("fit", table, "--label", "kind", "--covariance", "tied", *options,
                   "-o", tmp_path / "one.model")
        assert said.returncode == 0
        assert b"one scatter is kept for all classes together" in said.stderr
    good("stats", table, "--label", "kind", "-o", tmp_path / "full.stats")
    good("fit", tmp_path / "full.stats", "--covariance", "tied", "--lda", "3",
         "-o", tmp_path / "other.model")
    np.testing.assert_allclose(probabilities(tmp_path / "one.model", table),
                               probabilities(tmp_path / "other.model", table), atol=1e-9)
    full = run("fit", table, "--label", "kind", "-o", tmp_path / "default.model")
    assert full.returncode == 0 and b"one scatter" not in full.stderr


def test_select_compares_tied_models(tmp_path):
    X, y = values(4, 400, 110)
    table = write(tmp_path / "many.csv", X, y)
    words = ("select", table, "--label", "kind", "--folds", "4", "-o", tmp_path / "m.suffice")
    alone = good_json(*words, "--covariance", "tied")
    beside = good_json(*words, "--covariance", "tied,full")
    tied = {
        c["options"]["shrinkage"]: c["log_loss"]
        for c in beside["candidates"]
        if c["options"]["covariance"] == "tied"
    }
    for candidate in alone["candidates"]:
        assert candidate["log_loss"] == pytest.approx(
            tied[candidate["options"]["shrinkage"]], rel=1e-9)


def test_a_choice_of_projections_with_a_row_that_dominates(tmp_path):
    """Of principal components one scatter does not tell the squares of each class, and the sampled
    row with the large value has nearly all of them."""
    X, y = values(6, 300, 12)
    X[5, 3] = 1e6
    table = write(tmp_path / "outlier.csv", X, y)
    good("stats", table, "--label", "kind", "--covariance", "tied", "--reservoir", "300",
         "-o", tmp_path / "s.stats")
    chosen = good_json("fit", tmp_path / "s.stats", "--pca", "5", "-o", tmp_path / "m.model")
    assert chosen["options"]["covariance"] in ("tied", "tied-diag")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_a_choice_goes_on_without_room_for_each_class(tmp_path):
    """200 classes of 700 columns have 784 MB of scatters; the program may take 700."""
    random = np.random.default_rng(5)
    y = np.arange(1600) % 200
    X = random.standard_normal((1600, 700)) + random.standard_normal((200, 700))[y]
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    np.save(tmp_path / "y.npy", y)

    def limited(*words):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
        return subprocess.run([str(BINARY), *map(str, words)], capture_output=True, preexec_fn=limit,
                              env=CALM | {"SUFFICE_THREADS": "2"})

    data = (tmp_path / "x.npy", "--labels", tmp_path / "y.npy")
    chosen = limited("fit", *data, "-o", tmp_path / "m.model")
    assert chosen.returncode == 0, chosen.stderr
    assert b"One scatter is kept for all classes together" in chosen.stderr
    assert good_json("show", tmp_path / "m.model")["options"]["covariance"] != "full"
    refused(limited("fit", *data, "--covariance", "full", "-o", tmp_path / "full.model"), 1,
            "the scatter of 200 classes", "--covariance tied")
