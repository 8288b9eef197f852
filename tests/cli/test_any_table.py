"""`fit` without options has a model of every table with rows of two classes, and says what it did; what
a refusal of a named model advises, works."""
import csv
import re

import numpy as np
import pytest

from program import good, good_json, refused, rows_of, run

RNG = np.random.default_rng(11)
Y = np.repeat(["a", "b", "c"], 20)
X = RNG.normal(size=60) + np.repeat([0, 1, 3], 20)


def write(path, **columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "y"])
        writer.writerows(zip(*columns.values(), Y))
    return path


def fitted(path, *words):
    """Standard error of fit, and what evaluate measures on the same rows."""
    model = path.with_suffix(".suffice")
    result = run("fit", path, "--label", "y", "-o", model, *words)
    assert result.returncode == 0, result.stderr.decode()
    return result.stderr.decode() + result.stdout.decode(), good_json("evaluate", model, path)


def test_a_copy_of_the_label(tmp_path):
    text, report = fitted(write(tmp_path / "t.csv", x=X, code=np.repeat([1, 2, 4], 20)))
    assert "'code' has one value in each class" in text and "copy of the label" in text
    assert report["error_rate"] == 0 and report["log_loss"] < 0.01


def test_a_class_without_a_value(tmp_path):
    gone = [x if label != "b" else "" for x, label in zip(X, Y)]
    text, report = fitted(write(tmp_path / "t.csv", x=gone, z=X + RNG.normal(size=60)))
    assert "class 'b' has no value in 'x': the values of all classes stand for it" in text
    assert report["log_loss"] < report["frequency_log_loss"]


def test_columns_without_values(tmp_path):
    few = ["1.5", "2.5"] + [""] * 58
    text, report = fitted(write(tmp_path / "t.csv", x=X, empty=[""] * 60, few=few))
    assert "'few' has fewer than three values: it is left out" in text
    alone = fitted(write(tmp_path / "alone.csv", x=X))[1]
    assert report["log_loss"] == alone["log_loss"]
    # Rows need not have what the model does not use.
    answers = [good("predict", tmp_path / "t.suffice", tmp_path / name, "--output", "proba")
               for name in ("t.csv", "alone.csv")]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("value", ["3", ""])
def test_no_usable_column(tmp_path, value):
    text, report = fitted(write(tmp_path / "t.csv", x=[value] * 60))
    assert "no number has a part in the model" in text
    assert report["log_loss"] == pytest.approx(np.log(3), abs=1e-12)
    row = rows_of(good("predict", tmp_path / "t.suffice", tmp_path / "t.csv", "--output", "proba", "--digits", "full"))[0]
    assert [float(value) for name, value in row.items() if name != "label"] == pytest.approx([1 / 3] * 3)


def test_one_row_of_each_class(tmp_path):
    (tmp_path / "t.csv").write_text("x,z,y\n1,5,a\n2,4,b\n")
    assert fitted(tmp_path / "t.csv")[1]["log_loss"] <= 1.05 * np.log(2)


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "tied-diag"])
@pytest.mark.parametrize("table", ["copy", "gone", "flat"])
def test_advice_was_tried(tmp_path, covariance, table):
    """Each covariance that the refusal of a named one advises has a model, and so have the columns that
    are left after those that it says to leave out."""
    columns = {"copy": {"x": X, "code": np.repeat([1, 2, 4], 20)},
               "gone": {"x": [x if label != "b" else "" for x, label in zip(X, Y)], "z": X},
               "flat": {"x": np.repeat([1, 2, 4], 20), "z": np.repeat([5, 3, 4], 20)}}[table]
    path = write(tmp_path / "t.csv", **columns)
    words = ["fit", path, "--label", "y", "-o", tmp_path / "m.suffice"]
    result = run(*words, "--covariance", covariance)
    refused(result, 1, "name no covariance")
    advice = result.stderr.decode()
    for other in re.findall(r"--covariance ([a-z-]+)", advice):
        good(*words, "--covariance", other)
    for column in re.findall(r"leave out '(\w+)'", advice):
        good(*words, "--covariance", covariance, "--ignore", column)
    good(*words)


def test_codes_with_many_meanings(tmp_path):
    """A code whose middle value is unlike the others is no number."""
    codes = RNG.integers(1, 6, 600)
    label = np.where(RNG.random(600) < np.array([0.1, 0.9, 0.1, 0.9, 0.1])[codes - 1], "yes", "no")
    with open(tmp_path / "t.csv", "w", newline="") as file:
        csv.writer(file).writerows([["code", "x", "y"], *zip(codes, RNG.normal(size=600), label)])
    path = tmp_path / "t.csv"
    good("fit", path, "--label", "y", "-o", tmp_path / "m.suffice")
    assert good_json("evaluate", tmp_path / "m.suffice", path)["error_rate"] < 0.15
    # However the numbers are written.
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    (tmp_path / "floats.csv").write_text("code,x,y\n" + "".join(f"{c}.0,{x},{y}\n" for c, x, y in lines))
    assert good("predict", tmp_path / "m.suffice", path) == good("predict", tmp_path / "m.suffice", tmp_path / "floats.csv")


def test_weights_that_are_no_counts(tmp_path):
    weights = RNG.random(60) / 60
    text, report = fitted(write(tmp_path / "t.csv", x=X, w=weights), "--weight", "w")
    assert "Weights are multiplied by" in text
    assert report["log_loss"] < report["frequency_log_loss"]
