"""Nearest shrunken centroids against NumPy and scikit-learn's NearestCentroid."""

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

import suffice


def table(seed=0, rows=60, features=40, classes=3):
    """Unequal classes that differ in the first five features."""
    random = np.random.default_rng(seed)
    y = np.repeat(np.arange(classes), rows * np.arange(1, classes + 1) // 6)
    X = random.normal(size=(len(y), features)) * np.exp(random.normal(size=features))
    X[:, :5] += 2.5 * random.normal(size=(classes, 5))[y]
    return X, y


def reference(X, y, delta):
    """The formula of Tibshirani et al. (2002), with √(1/n_k − 1/n): means, variances, deviations."""
    classes, n = np.unique(y), len(y)
    counts = np.array([(y == c).sum() for c in classes])
    means = np.array([X[y == c].mean(axis=0) for c in classes])
    within = sum(((X[y == c] - means[k]) ** 2).sum(axis=0) for k, c in enumerate(classes))
    s = np.sqrt(within / (n - len(classes)))
    s0 = np.median(s)
    error = np.sqrt(1 / counts - 1 / n)[:, None] * (s + s0)
    d = (means - X.mean(axis=0)) / error
    d = np.sign(d) * np.maximum(np.abs(d) - delta, 0)
    return X.mean(axis=0) + error * d, (s + s0) ** 2, d


@pytest.mark.parametrize("delta", [0, 0.7, 2.0, 50.0])
def test_numpy(delta):
    X, y = table()
    model = suffice.Statistics.of(X, y).estimate("tied-diag", shrink_means=delta)
    mean, variance, deviation = reference(X, y, delta)
    block = model.blocks[0]
    np.testing.assert_allclose(block["mean"], mean, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(block["covariance"], variance, rtol=1e-12)
    np.testing.assert_allclose(block["deviation"], deviation, rtol=1e-11, atol=1e-12)
    scores = -0.5 * (
        (X[:, None, :] - mean) ** 2 / variance + np.log(2 * np.pi * variance)
    ).sum(axis=2)
    np.testing.assert_allclose(model.log_likelihood(X), scores, rtol=1e-12)


@pytest.mark.parametrize("delta", [0.5, 2.0])
def test_scikit_learn(delta):
    X, y = table(1)
    peer = NearestCentroid(shrink_threshold=delta).fit(X, y)
    block = suffice.Statistics.of(X, y).estimate("tied-diag", shrink_means=delta).blocks[0]
    np.testing.assert_allclose(block["mean"], peer.centroids_, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(block["deviation"], peer.deviations_, rtol=1e-10, atol=1e-11)


def test_classifier_chooses_the_threshold():
    X, y = table(2)
    chosen = suffice.GenerativeClassifier(covariance="tied-diag", shrink_means="auto").fit(X, y)
    delta = chosen.model_.options["shrink_means"]
    assert delta > 0
    given = suffice.GenerativeClassifier(covariance="tied-diag", shrink_means=delta).fit(X, y)
    assert chosen.model_ == given.model_
    deviation = chosen.model_.blocks[0]["deviation"]
    surviving = np.flatnonzero((deviation != 0).any(axis=0))
    assert 0 < len(surviving) < 20 and surviving[0] < 5


def test_folds_are_refits():
    X, y = table(3)
    folds = np.arange(len(y)) % 4
    found = suffice.select(
        X, y, covariance="tied-diag", shrink_means=[None, 0.5, 1.5], folds=folds,
        calibration="none",
    )
    for candidate, delta in zip(found.candidates[1:], (0.5, 1.5)):
        wrong = 0
        for fold in range(4):
            inside, outside = folds == fold, folds != fold
            mean, variance, _ = reference(X[outside], y[outside], delta)
            score = -0.5 * ((X[inside][:, None, :] - mean) ** 2 / variance).sum(axis=2)
            score += np.log(np.bincount(y[outside]))
            wrong += (score.argmax(axis=1) != y[inside]).sum()
        assert candidate["error_rate"] * len(y) == pytest.approx(wrong)


def test_needs_rows():
    X, y = table(4)
    lazy = suffice.GenerativeClassifier(covariance="tied-diag", shrink_means="auto")
    with pytest.raises(ValueError, match="shrink_means='auto' needs all rows"):
        lazy.partial_fit(X, y)
    with pytest.raises(ValueError, match="chosen with rows"):
        suffice.Statistics.of(X, y).estimate("tied-diag", shrink_means="auto")
    with pytest.raises(ValueError, match="tied-diag"):
        suffice.GenerativeClassifier(shrink_means=1.0).fit(X, y)
