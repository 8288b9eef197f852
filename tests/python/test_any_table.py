"""`fit` without options has an answer for every table: tables as people have them, and worse, from the
package and from the command line, which give the same one."""
from __future__ import annotations

import csv
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris  # noqa: E402

from suffice import GenerativeClassifier  # noqa: E402

TABLES = 200
PARTS = 20
COLUMNS = ["normal", "normal", "normal", "heavy", "whole", "counts", "zeros", "names", "rare", "flag", "constant",
           "copy", "of class", "small", "far", "tiny", "empty in a class", "empty", "few", "number", "label", "lognormal"]


def column(kind, y, before, rng):
    """Values of one column; NaN or None is missing."""
    classes = y.max() + 1
    shift = rng.choice([0, 0.5, 2, 8]) * rng.normal(size=classes)
    x = shift[y] + rng.normal(size=len(y))
    if kind == "heavy":
        return shift[y] + rng.standard_t(1.2, size=len(y))
    if kind == "whole":
        return np.round(10 * x)
    if kind == "counts":
        return rng.poisson(np.exp(np.clip(shift, -3, 4)))[..., None][0][0] + np.round(np.abs(x))
    if kind == "zeros":
        return np.where(rng.random(len(y)) < rng.choice([0.8, 0.95, 0.99]), 0.0, np.round(np.exp(np.clip(x, -2, 5))) + 1)
    if kind == "names":
        return np.array([f"level {int(v)}" for v in x], dtype=object)
    if kind == "rare":
        return np.array([f"u{int(v)}" for v in np.abs(rng.standard_cauchy(len(y))) * 5], dtype=object)
    if kind == "flag":
        return np.where(x > 0, "yes", "no").astype(object)
    if kind == "constant":
        return np.full(len(y), rng.choice([0.0, 1e9, -3.25]))
    if kind == "copy" and before:
        return before[int(rng.integers(len(before)))].copy()
    if kind == "of class":
        return shift[y].astype(float)
    if kind == "small":
        return rng.integers(1, 6, len(y)) + y % 2 + 0.0
    if kind == "far":
        return x + 1e9
    if kind == "tiny":
        return x * 1e-12
    if kind == "empty in a class":
        return np.where(y == rng.integers(classes), np.nan, x)
    if kind == "empty":
        return np.full(len(y), np.nan)
    if kind == "few":
        return np.where(np.arange(len(y)) < 2, x, np.nan)
    if kind == "number":
        return np.arange(len(y)) + 0.0
    if kind == "label":
        return np.array([f"is {c}" for c in y], dtype=object)
    if kind == "lognormal":
        return np.exp(2 * x)
    return x


def table(seed):
    """Columns by name, and labels."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["plain", "tiny", "wide", "many classes", "missing", "rare class"])
    classes, rows, count = int(rng.integers(2, 5)), int(rng.integers(20, 150)), int(rng.integers(1, 9))
    if kind == "tiny":
        rows, classes = int(rng.integers(3, 15)), 2
    if kind == "wide":
        rows, count = int(rng.integers(6, 40)), int(rng.integers(20, 60))
    if kind == "many classes":
        classes = int(rng.integers(10, 25))
        rows = classes * int(rng.integers(2, 6))
    share = rng.dirichlet(np.ones(classes))
    if kind == "rare class":
        share = np.array([1.0, *[0.01] * (classes - 1)]) / (1 + 0.01 * (classes - 1))
    y = np.array([*range(classes), *rng.choice(classes, rows - classes, p=share)])
    rng.shuffle(y)
    columns = []
    for _ in range(count):
        what = "normal" if kind == "wide" and rng.random() < 0.7 else rng.choice(COLUMNS)
        columns.append(column(what, y, columns, rng))
    if kind == "missing" or rng.random() < 0.25:
        lost = rng.choice([0.01, 0.1, 0.3, 0.6])
        for j, x in enumerate(columns):
            if rng.random() < 0.7:
                gone = rng.random(rows) < lost
                columns[j] = np.where(gone, None if x.dtype == object else np.nan, x)
    return {f"c{j}": x for j, x in enumerate(columns)}, np.array([f"class {c}" for c in y], dtype=object)


def frame(columns):
    import pandas as pd
    return pd.DataFrame(columns)


def write(path, columns, y):
    def text(cell):
        return "" if cell is None or cell != cell else cell if isinstance(cell, str) else repr(float(cell))
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "label"])
        writer.writerows([*map(text, row), label] for *row, label in zip(*columns.values(), y))


def check(posteriors, classes, y, seed):
    assert np.isfinite(posteriors).all() and (posteriors >= 0).all(), seed
    np.testing.assert_allclose(posteriors.sum(axis=1), 1, atol=1e-9, err_msg=str(seed))
    of_truth = posteriors[np.arange(len(y)), [list(classes).index(label) for label in y]]
    share = np.unique(y, return_counts=True)[1] / len(y)
    with np.errstate(divide="ignore"):
        assert -np.log(of_truth).mean() <= 1.05 * -(share * np.log(share)).sum() + 1e-9, seed


@pytest.mark.parametrize("part", range(PARTS))
def test_every_table_has_the_same_answer_from_both(command_line, tmp_path, part):
    pytest.importorskip("pandas")
    for seed in range(part * TABLES // PARTS, (part + 1) * TABLES // PARTS):
        columns, y = table(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classifier = GenerativeClassifier(n_jobs=1).fit(frame(columns), y)
            posteriors = classifier.predict_proba(frame(columns))
        check(posteriors, classifier.classes_, y, seed)
        data, model = tmp_path / f"{seed}.csv", tmp_path / f"{seed}.suffice"
        write(data, columns, y)
        command_line.good("fit", data, "--label", "label", "-o", model)
        written = command_line.rows_of(command_line.good("predict", model, data, "--output", "proba", "--digits", "full"))
        names = [f"proba:{label}" for label in classifier.classes_]
        by_command = np.array([[float(row[name]) for name in names] for row in written])
        np.testing.assert_array_equal(by_command, posteriors, err_msg=f"seed {seed}")


def two_levels(rows, seed):
    """Twelve categories of two levels each."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], rows)
    cells = rng.random((rows, 12)) < np.where(y == "yes", 0.7, 0.3)[:, None]
    return {f"v{j}": np.where(cells[:, j], "y", "n").astype(object) for j in range(12)}, y


@pytest.mark.parametrize("name", ["two levels", "penguins"])
def test_learning_curves_begin_with_ten_rows(example_data, name):
    pd = pytest.importorskip("pandas")
    from sklearn.model_selection import learning_curve
    if name == "penguins":
        table = pd.read_csv(example_data / "penguins.csv")
        X, y = table.drop(columns="species"), table["species"]
    else:
        columns, y = two_levels(400, 3)
        X = pd.DataFrame(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sizes, _, scores = learning_curve(GenerativeClassifier(n_jobs=1), X, y, train_sizes=[10, 20, 100], cv=5,
                                          scoring="neg_log_loss", shuffle=True, random_state=0, error_score="raise")
    assert np.isfinite(scores).all()
    assert scores[-1].mean() > scores[0].mean()


def test_weights_that_sum_to_one():
    X, y = load_iris(return_X_y=True)
    even = GenerativeClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        share = GenerativeClassifier().fit(X, y, sample_weight=np.full(len(y), 1 / len(y)))
    np.testing.assert_allclose(share.predict_proba(X), even.predict_proba(X), rtol=1e-6, atol=1e-9)
