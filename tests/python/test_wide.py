"""Tables with more columns than rows: what is kept, and that models are those of whole matrices."""

import numpy as np
import pytest

import suffice


def table(seed=0, rows=40, columns=250, classes=4):
    random = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    return random.standard_normal((rows, columns)) + random.standard_normal((classes, columns))[y], y


def test_statistics_are_thin():
    X, y = table()
    stats = suffice.Statistics.of(X, y)
    block = stats.blocks[0]
    assert "scatter" not in block and [len(r) for r in block["factor"]] == [9] * 4
    for c, factor in enumerate(block["factor"]):
        rows = X[y == c] - X[y == c].mean(axis=0)
        np.testing.assert_allclose(factor.T @ factor, rows.T @ rows, atol=1e-10)
    assert suffice.Statistics.from_bytes(stats.to_bytes()) == stats
    more, labels = table(1, rows=300)
    assert "scatter" in stats.copy().update(more, labels).blocks[0]
    parts = suffice.Statistics.of(X[:20], y[:20]) + suffice.Statistics.of(X[20:], y[20:])
    np.testing.assert_allclose(parts.estimate().log_likelihood(X), stats.estimate().log_likelihood(X),
                               rtol=1e-8)


def test_model():
    X, y = table()
    model = suffice.Statistics.of(X, y).estimate(covariance="tied", shrinkage=0.3)
    thin = model.blocks[0]["thin"]
    covariance = np.diag(thin["diagonal"][0]) + thin["factor"].T @ thin["factor"]
    rows = X - np.array([X[y == c].mean(axis=0) for c in range(4)])[y]
    pooled = rows.T @ rows / len(X)
    np.testing.assert_allclose(covariance, 0.7 * pooled + 0.3 * np.diag(np.diag(pooled)), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"covariance": "full"}, {"covariance": "tied", "pca": 8}])
def test_classifier(options):
    X, y = table()
    fresh, labels = table()
    fresh = fresh + 0.1 * np.random.default_rng(3).standard_normal(fresh.shape)
    model = suffice.GenerativeClassifier(**options).fit(X, y)
    assert model.score(fresh, labels) == 1
    assert model.predict_proba(fresh).shape == (40, 4)
