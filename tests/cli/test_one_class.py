"""A model of one class: outliers by p(x), and verbs that need classes refuse."""
import csv
import math
import re

import numpy as np
import pytest

from datasets import ROOT, read_table, write_table
from program import good, good_json, refused, rows_of, run


@pytest.fixture(scope="module")
def tumours(data, tmp_path_factory):
    """Every second benign one to learn from; the others, and all malignant ones, to tell apart."""
    folder = tmp_path_factory.mktemp("one")
    rows = read_table(data("breast_cancer_wdbc.csv.gz"))
    benign = [row for row in rows if row["diagnosis"] == "benign"]
    write_table(folder / "benign.csv", benign[::2])
    write_table(folder / "new.csv", benign[1::2] + [r for r in rows if r["diagnosis"] == "malignant"])
    unlabelled = [{k: v for k, v in row.items() if k != "diagnosis"} for row in benign[::2]]
    write_table(folder / "unlabelled.csv", unlabelled)
    for name, flags in {"default": (), "plain": ("--shrinkage", "0"), "tails": ("--tails", "5")}.items():
        good("fit", "benign.csv", "--label", "diagnosis", *flags, "-o", f"{name}.suffice", folder=folder)
    return folder


def numbers(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return (np.array([[float(v) for k, v in row.items() if k != "diagnosis"] for row in rows]),
            np.array([row.get("diagnosis") == "benign" for row in rows]))


def chi_squared_tail(x, degrees):
    """P(χ² > x) for an even number of degrees: e^(−x/2) Σ (x/2)^k / k!."""
    assert degrees % 2 == 0
    return math.exp(-x / 2) * sum((x / 2) ** k / math.factorial(k) for k in range(degrees // 2))


def auc(scores, own):
    """The share of pairs in which the row of the class has the higher score, ties half."""
    a, b = scores[own][:, None], scores[~own][None, :]
    return ((a > b) + 0.5 * (a == b)).mean()


def test_scores_are_those_of_the_normal_distribution(tumours):
    X, _ = numbers(tumours / "benign.csv")
    T, own = numbers(tumours / "new.csv")
    mean, covariance = X.mean(0), np.cov(X.T, bias=True)
    centred = T - mean
    distance = np.einsum("ij,ij->i", centred, np.linalg.solve(covariance, centred.T).T)
    log_p = -0.5 * (distance + np.linalg.slogdet(2 * np.pi * covariance)[1])
    answers = rows_of(good("predict", "plain.suffice", "new.csv", "--outlier", "0.01", "--output",
                           "logpx,outlier", "--digits", "full", folder=tumours))
    assert np.array([float(a["logpx"]) for a in answers]) == pytest.approx(log_p, rel=1e-6)
    expected = [chi_squared_tail(d, T.shape[1]) for d in distance]
    assert [float(a["outlier"]) for a in answers] == pytest.approx(expected, rel=1e-4)
    for answer, tail in zip(answers, expected):
        assert answer["status"] == ("outlier" if tail < 0.01 else "ok")
        assert answer["label"] == ("" if tail < 0.01 else "benign")

    report = good_json("evaluate", "plain.suffice", "new.csv", "--outlier", "0.01", folder=tumours)
    assert report["rows"] == own.sum() and report["unknown_label_rows"] == (~own).sum()
    novelty = report["novelty"]
    assert novelty["auc"] == pytest.approx(auc(log_p, own), abs=1e-12)
    assert novelty["mean_log_density"] == pytest.approx(log_p[own].mean(), rel=1e-6)
    below = np.array(expected) < 0.01
    assert report["outliers"] == below[own].sum()
    assert novelty["detected"] == pytest.approx(below[~own].mean())


def test_the_page_has_these_figures(tumours):
    """docs/outliers.md tells of this table."""
    page = (ROOT / "docs/outliers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.*?)` \| ([\d.]+) \| ([\d.]+) % \| ([\d.]+) % \|$", page, re.MULTILINE)
    assert [row[0] for row in rows] == ["--shrinkage 0", "(default)", "--tails 5"]
    for (_, area, false_alarms, detected), name in zip(rows, ["plain", "default", "tails"]):
        report = good_json("evaluate", f"{name}.suffice", "new.csv", "--outlier", "0.01", folder=tumours)
        assert area == f"{report['novelty']['auc']:.3f}"
        assert false_alarms == f"{100 * report['outliers'] / report['rows']:.0f}"
        assert detected == f"{100 * report['novelty']['detected']:.0f}"


def test_without_labels(tumours):
    text = good("fit", "unlabelled.csv", "--no-label", "--verbose", "-o", "u.suffice", folder=tumours)
    assert "179 rows of unlabelled.csv, 1 class\n" in text and "inlier" in text
    good("stats", "unlabelled.csv", "--no-label", "-o", "u.stats", folder=tumours)
    good("fit", "u.stats", "-o", "v.suffice", folder=tumours)
    assert (tumours / "u.suffice").read_bytes() == (tumours / "v.suffice").read_bytes()
    ours, labelled = (rows_of(good("predict", f"{name}.suffice", "new.csv", "--output", "logpx,outlier",
                                   folder=tumours)) for name in ("u", "default"))
    assert {row["label"] for row in ours} == {"inlier"}
    assert [(r["logpx"], r["outlier"]) for r in ours] == [(r["logpx"], r["outlier"]) for r in labelled]
    refused(run("evaluate", "u.suffice", "new.csv", folder=tumours), 1, "name it with --label")
    again = good_json("fit", "benign.csv", "--no-label", "--like", "u.suffice", "-o", "w", folder=tumours)
    assert again["labels"] == ["inlier"]


def test_verbs_work_or_say_why_not(tumours):
    assert "Gaussian: full covariance, regularised" in good("show", "default.suffice", folder=tumours)
    drawn = rows_of(good("sample", "default.suffice", "-n", "3", folder=tumours))
    assert [row["diagnosis"] for row in drawn] == ["benign"] * 3
    for what in ("densities", "ellipses", "correlations"):
        assert "<svg" in good("plot", "default.suffice", "--what", what, folder=tumours)
    good("report", "default.suffice", "new.csv", "-o", "r.html", folder=tumours)
    good("export", "default.suffice", "--to", "json", "-o", "m.json", folder=tumours)
    warned = run("predict", "default.suffice", "new.csv", folder=tumours)
    assert b"one class, 'benign', which every row gets; --outlier" in warned.stderr
    refused(run("predict", "default.suffice", "new.csv", "--output", "llr", folder=tumours), 1, "two classes")
    refused(run("calibrate", "default.suffice", "new.csv", "-o", "c", folder=tumours), 1, "two classes")
    refused(run("select", "benign.csv", "--label", "diagnosis", folder=tumours), 1, "two classes")
    label = ("benign.csv", "--label", "diagnosis")
    assert b"all rows have the label 'benign'" in run("fit", *label, "-o", "m", folder=tumours).stderr


@pytest.mark.parametrize("flags, words", [
    (("--tails", "auto"), "--tails auto"),
    (("--shrinkage", "loo"), "--shrinkage loo"),
    (("--transform", "auto"), "--transform auto"),
    (("--calibration", "auto"), "--calibration auto"),
    (("--training-error",), "--training-error"),
])
def test_what_needs_two_classes(tumours, flags, words):
    why = "is about telling classes apart, and there is one class only"
    refused(run("fit", "unlabelled.csv", "--no-label", *flags, folder=tumours), 2, f"{words} {why}")
    refused(run("fit", "benign.csv", "--label", "diagnosis", *flags, folder=tumours), 1, f"{words} {why}")


def test_words_that_contradict_each_other():
    refused(run("fit", "a.csv"), 2, "--no-label if there are none")
    refused(run("fit", "a.csv", "--no-label", "--label", "y"), 2, "--label and --no-label contradict")
    refused(run("select", "a.csv", "--no-label"), 2, "it belongs to fit, stats")
