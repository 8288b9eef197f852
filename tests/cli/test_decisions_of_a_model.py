"""What a model says before any row is seen: its parameters, the error that no decision can avoid, and
the points where decisions change; and training frequencies with pseudo-counts."""
import csv
import io
import math
import random

import numpy as np
import pytest
from scipy.stats import norm

from datasets import write_table
from program import good, good_json, refused, run

# Of iris, 4 columns and 3 classes, by hand: 3 (4 + 10), 3·4 + 10, 3·8, 3·4 + 4, 3·5, 3·4 + 1.
PARAMETERS = {"full": 42, "tied": 22, "diag": 24, "tied-diag": 16, "spherical": 15, "tied-spherical": 13}


@pytest.fixture(scope="module")
def iris(data, tmp_path_factory):
    """A model of iris for each covariance structure."""
    folder = tmp_path_factory.mktemp("iris")
    for covariance in PARAMETERS:
        good("fit", str(data("iris.csv.gz")), "--label", "species", "--covariance", covariance, "--shrinkage", "0",
             "-o", f"{covariance}.suffice", "--quiet", folder=folder)
    return folder


@pytest.fixture(scope="module")
def heights(tmp_path_factory):
    """40 women and 60 men, and a column that goes with height."""
    folder, chance = tmp_path_factory.mktemp("heights"), random.Random(5)
    rows = []
    for k in range(100):
        sex, mean, deviation = ("F", 162, 6.8) if k < 40 else ("M", 175, 7.3)
        height = chance.gauss(mean, deviation)
        rows.append({"height": f"{height:.2f}", "weight": f"{height - 100 + chance.gauss(0, 6):.2f}", "sex": sex})
    write_table(folder / "heights.csv", rows)
    for covariance in ("full", "tied"):
        for name, features in (("one", "height"), ("two", "height,weight")):
            good("fit", "heights.csv", "--label", "sex", "--features", features, "--covariance", covariance,
                 "--shrinkage", "0", "-o", f"{covariance}-{name}.suffice", "--quiet", folder=folder)
    return folder


def test_how_many_parameters(iris):
    for covariance, count in PARAMETERS.items():
        assert good_json("show", f"{covariance}.suffice", folder=iris)["parameters"] == count
    assert "Parameters: 22, 4 of each class and 10 of all together" in good("show", "tied.suffice", folder=iris)
    assert "Parameters: 42, 14 of each class" in good("show", "full.suffice", folder=iris)


def test_select_shows_parameters(data, tmp_path):
    command = ("select", str(data("iris.csv.gz")), "--label", "species", "--covariance", "full,tied", "--shrinkage",
               "0", "-o", "best.suffice")
    lines = good(*command, folder=tmp_path).splitlines()
    heading = next(line for line in lines if "log-loss" in line).split()
    assert heading[-2:] == ["parameters", "time"]
    shown = {line.split()[-9]: line.split()[-3] for line in lines if line.strip().endswith("ms") and "±" in line}
    assert sorted(shown.values()) == ["22", "42"]


def mixture_error(shown, priors, count=400_000):
    """1 − E[max P(c | x)] by draws of NumPy, with its standard error."""
    chance = np.random.default_rng(1)
    block = shown["blocks"][0]
    mean, covariance = np.array(block["mean"]), np.array(block["covariance"])
    classes = chance.choice(len(mean), count, p=priors)
    x = np.empty((count, mean.shape[1]))
    for c in range(len(mean)):
        x[classes == c] = chance.multivariate_normal(mean[c], covariance[c], np.sum(classes == c))
    joint = []
    for c in range(len(mean)):
        deviation = x - mean[c]
        joint.append(np.log(priors[c]) - 0.5 * np.linalg.slogdet(covariance[c])[1] -
                     0.5 * np.einsum("ij,jk,ik->i", deviation, np.linalg.inv(covariance[c]), deviation))
    joint = np.array(joint)
    wrong = 1 - 1 / np.exp(joint - joint.max(0)).sum(0)
    return wrong.mean(), wrong.std() / math.sqrt(count)


def test_minimum_error_by_simulation(iris):
    for flags, priors in (((), [1 / 3] * 3), (("--prior", "setosa=0.1,versicolor=0.6,virginica=0.3"), [0.1, 0.6, 0.3])):
        shown = good_json("show", "full.suffice", *flags, folder=iris)
        truth, spread = mixture_error(shown, priors)
        found = shown["minimum_error"]
        assert found["low"] - 3 * spread <= truth <= found["high"] + 3 * spread
        assert found["low"] < found["value"] < found["high"] < found["low"] + 0.005
    assert good_json("show", "full.suffice", "--seed", "1", folder=iris)["minimum_error"] != \
        good_json("show", "full.suffice", folder=iris)["minimum_error"]
    assert "Minimum error: " in good("show", "full.suffice", folder=iris)


def test_minimum_error_of_one_covariance_is_exact(heights):
    shown = good_json("show", "tied-two.suffice", folder=heights)
    a, b = np.array(shown["blocks"][0]["mean"])
    delta = math.sqrt((a - b) @ np.linalg.inv(np.array(shown["blocks"][0]["covariance"])) @ (a - b))
    tau = math.log(0.6 / 0.4)
    expected = 0.4 * norm.cdf(tau / delta - delta / 2) + 0.6 * norm.cdf(-tau / delta - delta / 2)
    found = shown["minimum_error"]
    assert found["value"] == pytest.approx(expected, rel=1e-12)
    assert found["low"] == found["high"] == found["value"]


def test_report_has_the_minimum_error(heights):
    good("report", "tied-two.suffice", "heights.csv", "-o", "report.html", folder=heights)
    page = (heights / "report.html").read_text(encoding="utf-8")
    assert "minimum error, if the model is right" in page
    assert "2 features, 7 parameters" in page  # 2·2 means and a covariance of 3
    assert good_json("show", "tied-two.suffice", folder=heights)["parameters"] == 7


def test_documents_have_no_minimum_error(tmp_path):
    write_table(tmp_path / "words.csv", [{"u": 3, "v": 1, "y": "a"}, {"u": 1, "v": 4, "y": "b"}])
    good("fit", "words.csv", "--label", "y", "--family", "*=multinomial", "--covariance", "full", "-o", "m.suffice",
         "--quiet", folder=tmp_path)
    assert good_json("show", "m.suffice", folder=tmp_path)["minimum_error"] is None
    assert "Minimum error" not in good("show", "m.suffice", folder=tmp_path)


def boundary(folder, model, *flags):
    found = good_json("show", model, "--boundary", "--feature", "height", *flags, folder=folder)["boundary"]
    return [(point["x"], point["left"], point["right"]) for point in found]


def roots(shown, prior_f, weights=(1, 1)):
    """Where weights[0] π_F p(x | F) = weights[1] π_M p(x | M), by NumPy."""
    block = shown["blocks"][0]
    (mf,), (mm,) = (row[:1] for row in block["mean"])
    vf, vm = (row[0][0] for row in block["covariance"])
    level = math.log(weights[0] * prior_f / (weights[1] * (1 - prior_f))) - 0.5 * math.log(vf / vm)
    return sorted(np.roots([0.5 / vm - 0.5 / vf, mf / vf - mm / vm, 0.5 * mm**2 / vm - 0.5 * mf**2 / vf + level]).real)


@pytest.mark.parametrize("model", ["full-one.suffice", "full-two.suffice"])
def test_boundary_of_two_variances(heights, model):
    shown = good_json("show", model, folder=heights)
    for flags, prior, weights in (((), 0.4, (1, 1)), (("--prior", "F=0.8,M=0.2"), 0.8, (1, 1)),
                                  (("--prior", "uniform", "--cost", "M>F=4,F>M=1"), 0.5, (1, 4))):
        found = boundary(heights, model, *flags)
        expected = roots(shown, prior, weights)
        assert [x for x, _, _ in found] == pytest.approx(expected, rel=1e-8)
        assert sorted({name for _, *names in found for name in names}) == ["F", "M"]


def test_boundary_of_one_variance(heights):
    block = good_json("show", "tied-one.suffice", folder=heights)["blocks"][0]
    (f,), (m,) = block["mean"]
    variance = block["covariance"][0][0]
    ((x, left, right),) = boundary(heights, "tied-one.suffice", "--prior", "F=0.9,M=0.1")
    assert x == pytest.approx((f + m) / 2 + variance / (m - f) * math.log(9), rel=1e-12)
    assert (left, right) == ("F", "M")
    text = good("show", "tied-one.suffice", "--boundary", "--feature", "height", folder=heights)
    assert "where the decision changes along height" in text


def test_boundary_is_where_predict_changes(heights):
    for model in ("full-one.suffice", "tied-one.suffice"):
        for x, left, right in boundary(heights, model):
            (heights / "two.csv").write_text(f"height\n{x - 1e-6!r}\n{x + 1e-6!r}\n")
            rows = list(csv.DictReader(io.StringIO(good("predict", model, "two.csv", folder=heights))))
            assert [row["label"] for row in rows] == [left, right]


def test_boundary_refuses(heights):
    show = ("show", "full-one.suffice")
    refused(run(*show, "--boundary", folder=heights), 2, "--feature")
    refused(run(*show, "--feature", "height", folder=heights), 2, "--boundary")
    refused(run(*show, "--boundary", "--feature", "heigth", folder=heights), 1, "did you mean 'height'")
    good("stats", "heights.csv", "--label", "sex", "-o", "h.stats", folder=heights)
    refused(run("show", "h.stats", "--boundary", "--feature", "height", folder=heights), 1, "only a model has a boundary")


# Posterior means (n + α) / (N + Σ α) of 40 women and 60 men.
@pytest.mark.parametrize("text,expected", [("train:10", 50 / 120), ("train:F=2,M=5", 42 / 107), ("train:0", 0.4),
                                           ("train:F=0,M=100", 0.2), ("train:2,5", 42 / 107)])
def test_pseudo_counts_of_the_classes(heights, text, expected):
    found = good_json("evaluate", "full-one.suffice", "heights.csv", "--prior", text, folder=heights)
    assert found["prior"] == pytest.approx([expected, 1 - expected], rel=1e-15)
    plain = "F={!r},M={!r}".format(*found["prior"])
    for command in (("predict", "full-one.suffice", "heights.csv", "--output", "proba"),
                    ("sample", "full-one.suffice", "-n", "50"), ("export", "full-one.suffice", "--to", "json")):
        assert good(*command, "--prior", text, folder=heights) == good(*command, "--prior", plain, folder=heights)


def test_pseudo_counts_are_refused(heights):
    command = ("predict", "full-one.suffice", "heights.csv", "--prior")
    refused(run(*command, "train:-1", folder=heights), 2, "pseudo-count")
    refused(run(*command, "train:F=2,M", folder=heights), 2, "train:a=2,b=5")
    refused(run(*command, "train:", folder=heights), 2)
    refused(run(*command, "train:F=2", folder=heights), 1, "leaves out 'M'")
