"""Model.evidence, Model.sets and suffice.suspects: against the command line, weights of evidence worked out
by hand, and labels that were changed on purpose."""
from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import suffice

pandas = pytest.importorskip("pandas")
datasets = pytest.importorskip("sklearn.datasets")


@pytest.fixture(scope="module")
def iris():
    return datasets.load_iris(return_X_y=True)


def test_naive_bayes_has_the_evidence_of_each_column():
    random = np.random.default_rng(1)
    y = np.repeat([0, 1], 50)
    X = random.normal(size=(100, 3)) + y[:, None] * [1.0, 0.0, 2.0]
    model = suffice.Statistics.of(X, y).estimate(covariance="diag", shrinkage=0)
    why = model.evidence(X, of=1, against=0)
    mean = np.array([X[y == c].mean(0) for c in (0, 1)])
    var = np.array([X[y == c].var(0) for c in (0, 1)])
    log = [-0.5 * np.log(var[c]) - (X - mean[c]) ** 2 / (2 * var[c]) for c in (0, 1)]
    assert np.allclose(why.values, log[1] - log[0], rtol=1e-10, atol=1e-10)
    assert np.allclose(why.base, 0) and why.names == ("x0", "x1", "x2")
    assert set(why.of) == {1} and set(why.against) == {0}
    bits = model.evidence(X, of=1, against=0, unit="bits")
    assert np.allclose(bits.values, why.values / np.log(2))


def test_it_adds_up_to_the_ratio_that_decides(iris):
    X, y = iris
    model = suffice.fit(X, y).model
    why = model.evidence(X)
    log_posterior = model.log_posterior(X, priors="uniform")
    index = {c: k for k, c in enumerate(model.classes_)}
    rows = np.arange(len(X))
    ratio = (log_posterior[rows, [index[c] for c in why.of]]
             - log_posterior[rows, [index[c] for c in why.against]])
    assert np.allclose(why.ratio, ratio, rtol=1e-9, atol=1e-9)
    assert np.array_equal(why.of, model.decide(X))
    others = model.evidence(X[:5], of=0)
    assert others.against.tolist() == [None] * 5
    first = why.reasons(0, 2)
    assert list(map(abs, first.values())) == sorted(map(abs, first.values()), reverse=True)


def test_the_classifier_has_the_same(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    clf = suffice.GenerativeClassifier(covariance="full").fit(X, names)
    a, b = clf.evidence(X, "virginica", "versicolor"), clf.model_.evidence(X, "virginica", "versicolor")
    assert np.array_equal(a.values, b.values)
    page = a._repr_html_()
    assert "virginica against versicolor" in page and "145 more rows" in page
    assert repr(a) == "<Evidence of 4 columns for 150 rows, in nats>"


def test_the_command_line_says_the_same(iris, tmp_path, command_line):
    X, y = iris
    table = pandas.DataFrame(X, columns=list("abcd")).assign(y=y)
    table.to_csv(tmp_path / "t.csv", index=False)
    command_line.good("fit", tmp_path / "t.csv", "--label", "y", "-o", tmp_path / "m.suffice", "--quiet")
    text = command_line.good("predict", tmp_path / "m.suffice", tmp_path / "t.csv", "--output", "evidence,set",
                   "--coverage", "0.95", "--digits", "full", "-o", "-")
    rows = list(csv.DictReader(io.StringIO(text)))
    model = suffice.Model.load(tmp_path / "m.suffice")
    why = model.evidence(table[list("abcd")])
    told = [[float(row[f"evidence:{c}"]) for c in "abcd"] for row in rows]
    assert np.array_equal(why.values, told)
    sets = model.sets(table[list("abcd")], coverage=0.95)
    assert ["|".join(str(c) for c in model.classes_[row]) for row in sets] == [r["set"] for r in rows]


def test_classes_that_cannot_be_compared(iris):
    X, y = iris
    model = suffice.Statistics.of(X, y).estimate()
    for of, against, needle in ((7, None, "no class"), (0, 0, "itself"), (None, 1, "against= needs of=")):
        with pytest.raises(ValueError, match=needle):
            model.evidence(X, of, against)
    with pytest.raises(ValueError, match="unit"):
        model.evidence(X, unit="grams")


def test_sets_contain_the_true_class_as_often_as_asked():
    """Digits: half of the rows to fit, the others to count."""
    X, y = datasets.load_digits(return_X_y=True)
    part = np.random.default_rng(0).permutation(len(X)) % 2 == 0
    model = suffice.fit(X[part], y[part]).model
    rows = np.arange((~part).sum())
    for coverage in (0.8, 0.9, 0.95):
        empty = model.sets(X[~part], coverage, allow_empty=True)
        covered = empty[rows, y[~part]].mean()
        assert abs(covered - coverage) < 0.04  # three standard errors of both halves
        full = model.sets(X[~part], coverage)
        assert (full.sum(1) >= 1).all() and (full | empty == full).all()
        assert (full.sum(1) - empty.sum(1) == (empty.sum(1) == 0)).all()
    frame = model.sets(pandas.DataFrame(X[:3]).rename(columns=lambda j: f"x{j}"), frame=True)
    assert frame.columns.tolist() == [str(c) for c in model.classes_]


def test_sets_need_rows_that_were_held_out(iris, tmp_path):
    X, y = iris
    model = suffice.Statistics.of(X, y).estimate()
    with pytest.raises(ValueError, match="held out"):
        model.sets(X)
    calibrated = model.calibrate(X, y)
    calibrated.save(tmp_path / "m.suffice")
    again = suffice.Model.load(tmp_path / "m.suffice")
    assert np.array_equal(again.sets(X, 0.9), calibrated.sets(X, 0.9))
    for coverage in (0, 1, -0.5, float("nan")):
        with pytest.raises(ValueError, match="share between 0 and 1"):
            again.sets(X, coverage)


def test_changed_labels_are_suspects(iris):
    X, y = iris
    wrong = [3, 56, 140]
    changed = y.copy()
    changed[wrong] = [2, 0, 0]
    found = suffice.suspects(pandas.DataFrame(X, columns=list("abcd")), changed)
    assert sorted(found.row.tolist()) == wrong and len(found) == 3
    assert dict(zip(found.row.tolist(), found.looks_like.tolist())) == {3: 0, 56: 1, 140: 2}
    assert np.all(np.diff(found.score) <= 0) and found.flagged.all()
    assert all(1 <= len(why) <= 3 for why in found.reasons)
    assert found.model.weights.sum() == 150 - found.subtracted
    everything = suffice.suspects(X, changed, all=True, reasons=0)
    assert everything.row.tolist() == list(range(150)) and everything.flagged.sum() == 3
    assert "3 labels of 150 rows are suspect" in repr(found)


def test_suspects_of_one_class_are_none(iris):
    with pytest.raises(ValueError, match="one class"):
        suffice.suspects(iris[0], np.zeros(150))
