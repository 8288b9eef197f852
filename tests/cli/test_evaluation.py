"""The figures of suffice evaluate beyond errors and losses: against NumPy and scikit-learn on the
ratios that predict writes, and worked by hand."""
import csv
import gzip
import os
import subprocess

import numpy as np
import pytest

from program import good, good_json, rows_of, start

isotonic = pytest.importorskip("sklearn.isotonic")
metrics = pytest.importorskip("sklearn.metrics")


def softplus(x):
    return np.logaddexp(0, x)


def cllr(ratio, target):
    return (softplus(-ratio[target]).mean() + softplus(ratio[~target]).mean()) / (2 * np.log(2))


def best_ratio(ratio, target):
    """After scikit-learn's isotonic regression."""
    share = isotonic.IsotonicRegression().fit(ratio, target).predict(ratio)
    with np.errstate(divide="ignore"):
        return np.log(share) - np.log1p(-share) - np.log(target.sum() / (~target).sum())


def dcf(ratio, target, threshold, prior, miss, alarm):
    return (prior * miss * np.mean(ratio[target] <= threshold)
            + (1 - prior) * alarm * np.mean(ratio[~target] > threshold))


@pytest.fixture(scope="module")
def cancer(data, tmp_path_factory):
    path = data("breast_cancer_wdbc.csv.gz")
    model = tmp_path_factory.mktemp("cancer") / "model.suffice"
    good("fit", path, "--label", "diagnosis", "--covariance", "diag", "-o", model)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        target = np.array([row["diagnosis"] == "benign" for row in csv.DictReader(file)])
    rows = rows_of(good("predict", model, path, "--output", "llr", "--compat"))
    ratio = np.array([float(row["llr"]) for row in rows])
    return path, model, ratio, target


def test_two_classes_have_the_figures_of_numpy_and_scikit_learn(cancer):
    path, model, ratio, target = cancer
    prior, miss, alarm = 0.3, 5.0, 2.0
    flags = ("--prior", "benign=0.3,malignant=0.7",
             "--cost", "benign>malignant=5,malignant>benign=2")
    report = good_json("evaluate", model, path, *flags)
    found = report["detection"]
    assert found["cllr"] == pytest.approx(cllr(ratio, target), rel=1e-12)
    assert found["min_cllr"] == pytest.approx(cllr(best_ratio(ratio, target), target), rel=1e-9)
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(target, ratio), rel=1e-12)
    threshold = -(np.log(prior / (1 - prior)) + np.log(miss / alarm))
    assert found["actual_dcf"] == pytest.approx(dcf(ratio, target, threshold, prior, miss, alarm))
    thresholds = np.concatenate([[-np.inf], ratio])
    least = min(dcf(ratio, target, t, prior, miss, alarm) for t in thresholds)
    assert found["min_dcf"] == pytest.approx(least)
    assert found["normalized_dcf"] == pytest.approx(
        found["actual_dcf"] / min(prior * miss, (1 - prior) * alarm))
    # the same cost by another way: the shares of the confusion matrix under the priors
    assert report["normalized_cost"] == pytest.approx(found["normalized_dcf"])


def test_scores_split_into_three_parts(cancer):
    path, model, ratio, target = cancer
    report = good_json("evaluate", model, path, "--prior", "uniform")
    frequency = target.mean()
    share = isotonic.IsotonicRegression().fit(ratio, target).predict(ratio)
    posterior = 1 / (1 + np.exp(-ratio))
    for name, loss in (("brier", lambda p: 2 * np.mean((p - target) ** 2)),
                       ("log_loss", lambda p: metrics.log_loss(target, p))):
        parts = report["calibration"][name]
        if name == "brier":
            assert parts["score"] == pytest.approx(loss(posterior), rel=1e-12)
        assert parts["uncertainty"] == pytest.approx(loss(np.full(len(target), frequency)))
        pooled = loss(share)
        assert parts["score"] - parts["miscalibration"] == pytest.approx(pooled, rel=1e-9)
        assert parts["uncertainty"] - parts["discrimination"] == pytest.approx(pooled, rel=1e-9)
    assert report["calibration"]["log_loss"]["score"] == pytest.approx(report["log_loss"])
    assert report["calibration"]["brier"]["score"] == pytest.approx(report["brier"])


def test_more_classes_have_a_figure_each(data, tmp_path):
    path = data("penguins.csv.gz")
    good("fit", path, "--label", "species", "--covariance", "diag", "-o", tmp_path / "model")
    report = good_json("evaluate", tmp_path / "model", path)
    labels = report["confusion"]["labels"]
    rows = rows_of(good("predict", tmp_path / "model", path, "--output", "llr"))
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        truth = np.array([row["species"] for row in csv.DictReader(file)])
    for c, label in enumerate(labels):
        ratio = np.array([float(row[f"llr:{label}"]) for row in rows])
        target = truth == label
        assert report["detection"]["cllr"][c] == pytest.approx(cllr(ratio, target), rel=1e-9)
        assert report["detection"]["auc"][c] == pytest.approx(
            metrics.roc_auc_score(target, ratio), rel=1e-12)
    decided = np.array([row["label"] for row in rows])
    assert report["matthews"] == pytest.approx(metrics.matthews_corrcoef(truth, decided))
    assert report["macro_f1"] == pytest.approx(metrics.f1_score(truth, decided, average="macro"))
    text = good("evaluate", tmp_path / "model", path)
    assert "min Cllr" in text and "cross-entropy" in text


# Tied variances and equal priors make the ratio a line; by hand r = 8 − 2x for the means 3 and 5
# and the variance 1 (rows 2, 4 and 4, 6).
def test_infinite_and_useless_ratios(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("x,y\n2,a\n4,a\n4,b\n6,b\n")
    test.write_text("x,y\n3,a\n5,a\n3,b\n5,b\n")
    good("fit", train, "--label", "y", "--covariance", "tied-diag", "--shrinkage", "0",
         "-o", tmp_path / "m")
    found = good_json("evaluate", tmp_path / "m", test)["detection"]
    # ratios 2 and −2 for both classes alike
    assert found["cllr"] == pytest.approx((softplus(-2) + softplus(2)) / (2 * np.log(2)))
    assert found["min_cllr"] == pytest.approx(1)
    assert found["auc"] == 0.5 and found["eer_hull"] == pytest.approx(0.5)
    (tmp_path / "one.csv").write_text("x,y\n3,a\n5,a\n")
    assert good_json("evaluate", tmp_path / "m", tmp_path / "one.csv")["detection"]["cllr"] == "nan"


def test_memory_of_many_classes_does_not_grow_with_the_rows(tmp_path):
    """Scores of 5,000 classes are freed block by block; the confusion matrix takes 200 MB."""
    random = np.random.default_rng(4)
    classes, means = 5000, random.normal(scale=3, size=(5000, 4))

    def rows(name, each):
        of = np.tile(np.arange(classes), each)
        x = means[of] + random.normal(size=(len(of), 4))
        text = "".join(f"{a:.2f},{b:.2f},{c:.2f},{d:.2f},k{k}\n" for (a, b, c, d), k in zip(x, of))
        (tmp_path / name).write_text("a,b,c,d,y\n" + text)

    rows("few.csv", 2)
    rows("many.csv", 8)
    good("fit", "few.csv", "--label", "y", "--covariance", "diag", "-o", "m.suffice", folder=tmp_path)

    def peak(*words):
        process = start("evaluate", "m.suffice", *words, folder=tmp_path, stdout=subprocess.PIPE)
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        assert status == 0 and (b"error" in said)
        process.returncode = 0
        return used.ru_maxrss / 1000  # MB

    few = peak("few.csv")
    assert peak("many.csv") < few + 50
    assert few < 400
    assert peak("few.csv", "--json") < 400
