"""suffice.drift: what has changed between two sets of rows, against NumPy, SciPy, scikit-learn and a
logistic classifier of old and new rows, on changes that were planted."""
import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score

import suffice


def sums(X, y=None):
    return suffice.Statistics.of(X, np.zeros(len(X)) if y is None else y)


def test_joint_figures_are_those_of_the_textbook():
    """Hotelling's T² and its F by NumPy and SciPy; Box's M by its formula; iris."""
    X = load_iris().data
    a, b = X[50:100], X[100:]
    joint = suffice.drift(sums(a), sums(b))["joint"]
    n, p = 100, 4
    pooled = (np.cov(a.T) + np.cov(b.T)) / 2
    apart = b.mean(0) - a.mean(0)
    d2 = apart @ np.linalg.solve(pooled, apart)
    t2 = 25 * d2
    f = (n - p - 1) / (p * (n - 2)) * t2
    assert joint["d2"] == pytest.approx(d2, rel=1e-10)
    assert joint["t2"] == pytest.approx(t2, rel=1e-10)
    assert joint["p"] == pytest.approx(stats.f.sf(f, p, n - p - 1), rel=1e-8)
    log_det = [np.linalg.slogdet(np.cov(part.T))[1] for part in (a, b)]
    m = 98 * np.linalg.slogdet(pooled)[1] - 49 * sum(log_det)
    c = (2 / 49 - 1 / 98) * (2 * p * p + 3 * p - 1) / (6 * (p + 1))
    assert joint["box_m"]["m"] == pytest.approx(m, rel=1e-9)
    assert joint["box_m"]["p"] == pytest.approx(stats.chi2.sf(m * (1 - c), 10), rel=1e-8)


def test_columns_are_those_of_scipy():
    rng = np.random.default_rng(1)
    old = np.c_[rng.normal(size=300), rng.normal(3, 2, 300)]
    new = np.c_[rng.normal(0.2, 1.5, 200), rng.normal(3, 2, 200)]
    columns = suffice.drift(sums(old), sums(new))["columns"]
    for j, column in enumerate(columns):
        welch = stats.ttest_ind(old[:, j], new[:, j], equal_var=False)
        assert column["p"] == pytest.approx(welch.pvalue, rel=1e-9)
        spread = np.sqrt((299 * old[:, j].var(ddof=1) + 199 * new[:, j].var(ddof=1)) / 498)
        effect = (new[:, j].mean() - old[:, j].mean()) / spread
        assert column["effect"] == pytest.approx(effect, rel=1e-10)
        assert column["auc"] == pytest.approx(stats.norm.cdf(abs(effect) / np.sqrt(2)), rel=1e-10)


def test_tables_by_the_likelihood_ratio():
    """G by SciPy; the levels that are new and gone; shares of missing values and of classes."""
    old = {"c": ["a"] * 60 + ["b"] * 40 + ["gone"] * 20, "y": ["u"] * 60 + ["v"] * 60}
    new = {"c": ["a"] * 30 + ["b"] * 60 + ["new"] * 30, "y": ["u"] * 90 + ["v"] * 30}
    found = suffice.drift(suffice.Statistics.of(old, "y"), suffice.Statistics.of(new, "y"))
    table = np.array([[60, 40, 20, 0], [30, 60, 0, 30]])
    g = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    (column,) = found["columns"]
    assert column["p"] == pytest.approx(g.pvalue, rel=1e-9)
    assert column["effect"] == pytest.approx(0.5 * np.abs(table[0] - table[1]).sum() / 120)
    assert column["flagged"]
    assert found["levels"] == [{"name": "c", "new": ["new"], "gone": ["gone"]}]
    classes = stats.chi2_contingency([[60, 60], [90, 30]], correction=False,
                                     lambda_="log-likelihood")
    assert found["classes"]["g"] == pytest.approx(classes.statistic, rel=1e-9)
    assert found["classes"]["p"] == pytest.approx(classes.pvalue, rel=1e-9)
    assert found["classes"]["total_variation"] == pytest.approx(0.25)
    assert found["classes"]["flagged"]


def test_auc_is_that_of_lda_on_the_rows():
    rng = np.random.default_rng(2)
    mix = rng.normal(size=(5, 5))
    old, new = rng.normal(size=(20000, 5)) @ mix, (rng.normal(size=(20000, 5)) + 0.3) @ mix
    X, side = np.r_[old, new], np.repeat([0, 1], 20000)
    lda = LinearDiscriminantAnalysis().fit(X, side)
    auc = roc_auc_score(side, lda.decision_function(X))
    joint = suffice.drift(sums(old), sums(new))["joint"]
    assert joint["auc"] == pytest.approx(auc, abs=0.005)
    assert joint["auc_quadratic"] == pytest.approx(auc, abs=0.01)


def test_quadratic_auc_of_a_known_change():
    """Old N(0, 1), new N(0, s²): the likelihood ratio rises with |x|, so that the AUC is
    P(|s z'| > |z|) = 2/π atan s."""
    rng = np.random.default_rng(3)
    old, new = rng.normal(size=(50000, 1)), 2 * rng.normal(size=(50000, 1))
    joint = suffice.drift(sums(old), sums(new))["joint"]
    assert joint["auc"] < 0.52
    assert joint["auc_quadratic"] == pytest.approx(2 / np.pi * np.arctan(2), abs=0.01)


@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer])
def test_random_halves_are_not_flagged(data):
    X, y = data(return_X_y=True)
    rng = np.random.default_rng(4)
    flagged = columns = verdicts = 0
    for _ in range(20):
        half = rng.permutation(len(X)) < len(X) // 2
        found = suffice.drift(sums(X[half], y[half]), sums(X[~half], y[~half]))
        flagged += sum(column["flagged"] for column in found["columns"])
        columns += len(found["columns"])
        verdicts += found["joint"]["found"] and found["joint"]["auc"] > 0.6
    assert flagged <= 0.05 * columns
    assert verdicts <= 3


def likelihood_ratio_p(X, side):
    """Of a logistic regression of the side on these columns against its intercept alone."""
    X = np.c_[np.ones(len(X)), (X - X.mean(0)) / X.std(0)]
    w = np.zeros(X.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-X @ w))
        w += np.linalg.solve((X.T * (p * (1 - p))) @ X, X.T @ (side - p))
    p = 1 / (1 + np.exp(-X @ w))
    fitted = np.log(np.where(side, p, 1 - p)).sum()
    share = side.mean()
    alone = len(side) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    return stats.chi2.sf(2 * (fitted - alone), X.shape[1] - 1)


def with_products(X):
    i, j = np.triu_indices(X.shape[1])
    return np.c_[X, X[:, i] * X[:, j]]


def planted(kind, rng, n=1000, d=5):
    old, new = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    if kind == "mean":
        new[:, 2] += 0.1
    if kind == "correlation":
        old[:, 1] = 0.3 * old[:, 0] + np.sqrt(1 - 0.09) * old[:, 1]
        new[:, 1] = 0.45 * new[:, 0] + np.sqrt(1 - 0.45**2) * new[:, 1]
    return old, new


@pytest.mark.parametrize("kind", ["none", "mean", "correlation"])
def test_planted_changes_are_found_as_often_as_by_a_logistic_classifier(kind):
    rng = np.random.default_rng(5)
    ours = theirs = alone = 0
    runs = 200
    for _ in range(runs):
        old, new = planted(kind, rng)
        found = suffice.drift(sums(old), sums(new))
        ours += found["found"]
        alone += any(column["found"] for column in found["columns"])
        X, side = np.r_[old, new], np.repeat([0, 1], len(old))
        rows = with_products(X) if kind == "correlation" else X
        theirs += likelihood_ratio_p(rows, side) < 0.05
    if kind == "none":
        assert ours <= 0.2 * runs
        return
    assert ours >= theirs - 0.05 * runs, (ours, theirs)
    if kind == "correlation":  # no column by itself shows it
        assert alone <= 0.1 * runs


def test_planted_levels_classes_and_missing_values_are_found():
    """As often as by the logistic classifier on the columns that can show the change."""
    rng = np.random.default_rng(6)
    counts = {"level": [0, 0], "classes": [0, 0], "missing": [0, 0]}
    n, runs = 1500, 200
    for _ in range(runs):
        c = [rng.choice(["a", "b", "c"], n, p=p) for p in ([0.5, 0.3, 0.2], [0.45, 0.3, 0.25])]
        y = [rng.choice(["u", "v"], n, p=p) for p in ([0.5, 0.5], [0.45, 0.55])]
        x = [np.where(rng.random(n) < p, np.nan, rng.normal(size=n)) for p in (0.05, 0.07)]
        found = suffice.drift(*(suffice.Statistics.of({"c": c[i], "x": x[i], "y": y[i]}, "y")
                                for i in (0, 1)))
        side = np.repeat([0, 1], n)
        counts["level"][0] += any(c["found"] for c in found["columns"] if c["name"] == "c")
        both, number = np.r_[c[0], c[1]], np.nan_to_num(np.r_[x[0], x[1]])
        all_columns = np.c_[both == "a", both == "b", number]
        counts["level"][1] += likelihood_ratio_p(all_columns.astype(float), side) < 0.05
        counts["classes"][0] += found["classes"]["found"]
        counts["classes"][1] += likelihood_ratio_p((np.r_[y[0], y[1]] == "u")[:, None] * 1.0,
                                                   side) < 0.05
        counts["missing"][0] += any(m["found"] for m in found["missing"])
        counts["missing"][1] += likelihood_ratio_p(np.isnan(np.r_[x[0], x[1]])[:, None] * 1.0,
                                                   side) < 0.05
    for kind, (ours, theirs) in counts.items():
        assert ours >= theirs - 0.05 * runs, (kind, ours, theirs)


def test_small_change_in_many_rows_is_found_but_not_flagged():
    rng = np.random.default_rng(7)
    old, new = rng.normal(size=(200000, 4)), rng.normal(size=(200000, 4))
    new[:, 1] += 0.02
    found = suffice.drift(sums(old), sums(new))
    assert found["found"] and found["columns"][1]["found"]
    assert not found["flagged"] and not found["columns"][1]["flagged"]


def test_tables_paths_and_labels(tmp_path):
    rng = np.random.default_rng(8)
    old = {"x": rng.normal(size=200), "z": rng.normal(size=200), "y": ["a", "b"] * 100}
    new = {"x": rng.normal(2, 1, 200), "z": rng.normal(size=200), "y": ["a", "b"] * 100}
    by_tables = suffice.drift(old, new, label="y")
    assert by_tables["classes"]["labels"] == ["a", "b"]
    assert len(by_tables["classes"]["densities"]) == 2
    suffice.Statistics.of(old, "y").save(tmp_path / "old.stats")
    by_path = suffice.drift(tmp_path / "old.stats", new)
    assert by_path["joint"]["d2"] == by_tables["joint"]["d2"]
    assert [c["name"] for c in by_path["columns"] if c["flagged"]] == ["x"]


def test_other_columns_are_refused():
    a, b = sums(np.zeros((3, 2))), sums(np.zeros((3, 3)))
    with pytest.raises(suffice.InvalidArgument):
        suffice.drift(a, b)
    common = suffice.drift(sums(np.eye(3)[:, :2]), sums(np.eye(3)), common=True)
    assert [column["name"] for column in common["columns"]] == ["x0", "x1"]
    with pytest.raises(suffice.FileError):
        suffice.drift(a, "nowhere.stats")
