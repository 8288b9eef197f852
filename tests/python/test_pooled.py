"""Statistics with one scatter for all classes together: against NumPy and scikit-learn's LDA."""

import pickle

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import suffice


def table(seed=0, rows=500, columns=7, classes=5):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    X = random.standard_normal((rows, columns)) @ random.standard_normal((columns, columns))
    return X + random.standard_normal((classes, columns))[y], y


def within(X, y):
    rows = X - np.array([X[y == c].mean(axis=0) for c in range(y.max() + 1)])[y]
    return rows.T @ rows


def test_sums():
    X, y = table()
    stats = suffice.Statistics.of(X, y, covariance="tied")
    assert stats.covariance == "tied"
    block = stats.blocks[0]
    assert "scatter" not in block
    np.testing.assert_allclose(block["pooled"], within(X, y), atol=1e-10)
    squares = [(y == c).sum() * X[y == c].var(axis=0) for c in range(5)]
    np.testing.assert_allclose(block["squares"], squares, rtol=1e-12)
    for copy in (pickle.loads(pickle.dumps(stats)), suffice.Statistics.from_bytes(stats.to_bytes())):
        assert copy == stats
        assert copy.covariance == "tied"
    parts = [suffice.Statistics.of(X[k::2], y[k::2], covariance=kept)
             for k, kept in enumerate(("tied", "full"))]
    np.testing.assert_allclose((parts[0] + parts[1]).blocks[0]["pooled"], within(X, y), atol=1e-9)
    np.testing.assert_allclose((stats - parts[1]).blocks[0]["pooled"], within(X[::2], y[::2]),
                               atol=1e-9)


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
@pytest.mark.parametrize("weighted", [False, True])
def test_tied_is_lda(solver, weighted):
    X, y = table(1)
    weight = np.random.default_rng(2).integers(1, 4, len(y)) if weighted else None
    repeat = np.ones(len(y), int) if weight is None else weight
    lda = LinearDiscriminantAnalysis(solver=solver).fit(np.repeat(X, repeat, axis=0), np.repeat(y, repeat))
    stats = suffice.Statistics.of(X, y, weight, covariance="tied")
    model = stats.estimate(covariance="tied", shrinkage=0)
    np.testing.assert_allclose(model.posterior(X), lda.predict_proba(X), atol=1e-10)


def test_shrunken_lda():
    X, y = table(3)
    model = suffice.Statistics.of(X, y, covariance="tied").estimate(
        covariance="tied", shrinkage=0.4, target="spherical", normalize="mle")
    pooled = within(X, y) / len(X)
    expected = 0.6 * pooled + 0.4 * np.trace(pooled) / 7 * np.eye(7)
    np.testing.assert_allclose(model.blocks[0]["covariance"], expected, rtol=1e-10, atol=1e-12)


def test_full_is_refused():
    X, y = table()
    stats = suffice.Statistics.of(X, y, covariance="tied")
    with pytest.raises(ValueError, match="a scatter for each class"):
        stats.estimate()
    with pytest.raises(ValueError, match="'full', 'tied' or 'diag'"):
        suffice.Statistics(covariance="spherical")


def test_more_columns_than_rows():
    X, y = table(4, rows=90, columns=120)
    stats = suffice.Statistics.of(X, y, covariance="tied")
    assert "factor" in stats.blocks[0]
    more, labels = table(4, rows=200, columns=120)
    np.testing.assert_allclose(
        stats.update(more, labels).blocks[0]["pooled"],
        within(np.vstack([X, more]), np.concatenate([y, labels])), atol=1e-7)


def test_parts_of_few_rows_stay_tied():
    X, y = table(5, rows=240, columns=120)
    parts = [suffice.Statistics.of(X[k::3], y[k::3], covariance="tied") for k in range(3)]
    for whole in (parts[0] + parts[1] + parts[2], suffice.Statistics.merge_many(parts),
                  parts[0].merge(parts[1]).merge(suffice.Statistics()).merge(parts[2])):
        assert whole.covariance == "tied"
        block = whole.update(X[:1], y[:1]).blocks[0]
        np.testing.assert_allclose(block["pooled"], within(np.vstack([X, X[:1]]), np.append(y, y[0])), atol=1e-7)
    assert (parts[0] + parts[1] - parts[1]).covariance == "tied"
