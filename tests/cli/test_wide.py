"""Tables with more columns than rows, through the program: against formulas with whole matrices in
NumPy and scikit-learn's LDA."""

import csv

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from program import good, good_json, refused, rows_of, run

ROWS, COLUMNS, CLASSES = 45, 300, 3


def values(seed, rows=ROWS):
    random = np.random.default_rng(seed)
    y = np.arange(rows) % CLASSES
    common = random.standard_normal((rows, 4)) @ np.random.default_rng(0).standard_normal((4, COLUMNS))
    X = random.standard_normal((rows, COLUMNS)) + common
    return X + 0.8 * np.random.default_rng(1).standard_normal((CLASSES, COLUMNS))[y], y


def write(path, X, y):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["kind", *(f"g{j}" for j in range(X.shape[1]))])
        for row, label in zip(X, y):
            out.writerow(["abc"[label], *(repr(float(x)) for x in row)])
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write(tmp_path_factory.mktemp("wide") / "wide.csv", *values(2))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    return write(tmp_path_factory.mktemp("wide") / "fresh.csv", *values(3, 30))


def moments(X, y):
    means = np.array([X[y == c].mean(axis=0) for c in range(CLASSES)])
    scatters = [(X[y == c] - means[c]).T @ (X[y == c] - means[c]) for c in range(CLASSES)]
    return means, scatters


def log_densities(X, means, covariances):
    out = []
    for mean, covariance in zip(means, covariances):
        lower = np.linalg.cholesky(covariance)
        z = np.linalg.solve(lower, (X - mean).T)
        out.append(-0.5 * (X.shape[1] * np.log(2 * np.pi) + (z**2).sum(axis=0))
                   - np.log(np.diag(lower)).sum())
    return np.array(out).T


def scores(model, path):
    answers = rows_of(good("predict", model, path, "--output", "loglik", "--digits", "full"))
    return np.array([[float(row[f"loglik:{c}"]) for c in "abc"] for row in answers])


def test_full_by_rows(table, fresh, tmp_path):
    """(S_c + v D) / (f_c + v), D the pooled variances."""
    model = tmp_path / "m.suffice"
    text = good("fit", table, "--label", "kind", "--covariance", "full", "-o", model)
    assert "Quadratic discriminant analysis" in text
    v = good_json("show", model)["shrinkage"]["rows"]
    X, y = values(2)
    means, scatters = moments(X, y)
    target = np.diag(np.diag(sum(scatters)) / (ROWS - CLASSES))
    covariances = [(s + v * target) / (ROWS / CLASSES - 1 + v) for s in scatters]
    expected = log_densities(values(3, 30)[0], means, covariances)
    assert scores(model, fresh) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_tied_share(table, fresh, tmp_path, share):
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", "kind", "--covariance", "tied", "--shrinkage", share, "-o", model)
    X, y = values(2)
    means, scatters = moments(X, y)
    pooled = sum(scatters) / ROWS
    covariance = (1 - share) * pooled + share * np.diag(np.diag(pooled))
    new = values(3, 30)[0]
    assert scores(model, fresh) == pytest.approx(log_densities(new, means, [covariance] * 3), rel=1e-10)


def test_decisions_are_those_of_lda(table, fresh, tmp_path):
    """scikit-learn shrinks towards the mean variance."""
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", "kind", "--covariance", "tied", "--shrinkage", "0.4", "--target",
         "spherical", "-o", model)
    X, y = values(2)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.4).fit(X, y)
    answers = rows_of(good("predict", model, fresh, "--output", "proba", "--digits", "full"))
    ours = np.array([[float(row[f"proba:{c}"]) for c in "abc"] for row in answers])
    assert ours == pytest.approx(lda.predict_proba(values(3, 30)[0]), abs=1e-8)


def test_nothing_is_as_large_as_a_square(table, tmp_path):
    stats, model = tmp_path / "all.stats", tmp_path / "m.suffice"
    done = run("stats", table, "--label", "kind", "-o", stats)
    assert b"covariances are kept as thin factors" in done.stderr
    good("fit", stats, "--covariance", "full", "-o", model)
    for path in (stats, model):
        assert path.stat().st_size < 3 * ROWS * COLUMNS * 8


def test_parts_merge_and_subtract(table, tmp_path):
    lines = table.read_text().splitlines(keepends=True)
    parts = []
    for k in range(3):
        path = tmp_path / f"{k}.csv"
        path.write_text(lines[0] + "".join(lines[1 + 15 * k:16 + 15 * k]))
        parts.append(tmp_path / f"{k}.stats")
        good("stats", path, "--label", "kind", "-o", parts[-1])
    whole, model, other = tmp_path / "all.stats", tmp_path / "m.suffice", tmp_path / "n.suffice"
    good("merge", *parts, "-o", whole)
    good("fit", whole, "--covariance", "full", "--shrinkage", "2 rows", "-o", model)
    good("fit", table, "--label", "kind", "--covariance", "full", "--shrinkage", "2 rows", "-o", other)
    assert scores(model, table) == pytest.approx(scores(other, table), rel=1e-10)
    rest, less = tmp_path / "rest.stats", tmp_path / "less.stats"
    good("subtract", whole, parts[0], "-o", rest)
    good("merge", parts[1], parts[2], "-o", less)
    good("fit", rest, "--covariance", "tied", "--shrinkage", "2 rows", "-o", model)
    good("fit", less, "--covariance", "tied", "--shrinkage", "2 rows", "-o", other)
    assert scores(model, table) == pytest.approx(scores(other, table), rel=1e-8)


def test_default_select_and_the_other_verbs(table, fresh, tmp_path):
    model = tmp_path / "m.suffice"
    chosen = good_json("fit", table, "--label", "kind", "-o", model)
    assert len(chosen["choice"]["candidates"]) >= 10
    assert good_json("evaluate", model, fresh)["error_rate"] < 0.2
    good("sample", model, "-n", "3", "-o", tmp_path / "s.csv")
    good("report", model, fresh, "-o", tmp_path / "r.html")
    selected = good_json("select", table, "--label", "kind", "--covariance", "full,tied,diag",
                         "--shrinkage", "auto,0.3", "--folds", "3", "-o", model)
    assert all(c.get("error") is None for c in selected["candidates"] if c["options"]["shrinkage"] == "auto")
    good("fit", table, "--label", "kind", "--covariance", "tied", "--shrinkage", "loo", "-o", model)
    good("fit", table, "--label", "kind", "--covariance", "tied", "--pca", "10", "-o", model)


def test_missing_cells(table, tmp_path):
    """The marginal of the cells that are there."""
    model, path = tmp_path / "m.suffice", tmp_path / "gaps.csv"
    good("fit", table, "--label", "kind", "--covariance", "full", "--shrinkage", "3 rows", "-o", model)
    X, y = values(4, 6)
    gaps = np.random.default_rng(5).random(X.shape) < 0.2
    X[gaps] = np.nan
    write(path, X, y)
    path.write_text(path.read_text().replace("nan", ""))
    training, labels = values(2)
    means, scatters = moments(training, labels)
    target = np.diag(np.diag(sum(scatters)) / (ROWS - CLASSES))
    covariances = [(s + 3 * target) / (ROWS / CLASSES - 1 + 3) for s in scatters]
    for row, answer in zip(X, scores(model, path)):
        there = ~np.isnan(row)
        expected = log_densities(row[None, there], means[:, there],
                                 [s[np.ix_(there, there)] for s in covariances])[0]
        assert answer == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("flags, words", [
    (("--covariance", "full", "--shrinkage", "0"), "fewer rows than features"),
    (("--covariance", "tied", "--lda", "2"), "in which no class varies"),
    (("--covariance", "full", "--missing", "em"), None),
])
def test_refusals(table, tmp_path, flags, words):
    done = run("fit", table, "--label", "kind", *flags, "-o", tmp_path / "m.suffice")
    if words is None:  # nothing is missing
        assert done.returncode == 0
        return
    refused(done, 1, words)
    assert not (tmp_path / "m.suffice").exists()


def test_exports(table, tmp_path):
    """A linear discriminant can be written; a quadratic one of that many columns is not."""
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", "kind", "--covariance", "full", "-o", model)
    refused(run("export", model, "--to", "json"), 1, "no export writes them")
    refused(run("show", model, "--discriminant"), 1, "never makes")
    good("fit", table, "--label", "kind", "--covariance", "tied", "--shrinkage", "0.5", "-o", model)
    assert "linear" in good("show", model, "--discriminant", "--json")
