"""CSR matrices: the answers of scikit-learn's naive Bayes, and those of the same rows dense."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

import suffice


def table(rows=200, columns=500, density=0.05, seed=0):
    random = np.random.default_rng(seed)
    X = scipy.sparse.random(rows, columns, density, "csr", random_state=random)
    X.data = random.integers(1, 6, len(X.data)).astype(float)
    y = random.integers(0, 3, rows)
    return X, y


@pytest.mark.parametrize("family, peer, binary", [
    ("multinomial", MultinomialNB(alpha=0.5), False),
    ("bernoulli", BernoulliNB(alpha=0.5), True),
])
def test_scikit_learn(family, peer, binary):
    X, y = table()
    if binary:
        X.data[:] = 1
    model = suffice.Statistics.of(X, y, family=family).estimate(smoothing=0.5)
    peer.fit(X, y)
    np.testing.assert_allclose(model.posterior(X), peer.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("covariance", ["diag", "tied-diag", "spherical", "tied-spherical"])
def test_gaussian_of_dense_rows(covariance):
    X, y = table(seed=1)
    dense = X.toarray()
    of_sparse = suffice.Statistics.of(X, y, covariance="diag")
    of_dense = suffice.Statistics.of(dense, y, covariance="diag")
    for name in ("mean", "scatter"):
        np.testing.assert_allclose(
            of_sparse.blocks[0][name], of_dense.blocks[0][name], rtol=1e-12, atol=1e-14)
    model = of_dense.estimate(covariance)
    np.testing.assert_allclose(
        model.log_likelihood(X), model.log_likelihood(dense), rtol=1e-10)


def test_gaussian_of_scikit_learn():
    X, y = table(rows=600, columns=8, density=0.4, seed=2)
    peer = GaussianNB(var_smoothing=0).fit(X.toarray(), y)
    model = suffice.Statistics.of(X, y, covariance="diag").estimate("diag", shrinkage=0)
    np.testing.assert_allclose(model.posterior(X), peer.predict_proba(X.toarray()), rtol=1e-9)


def test_classifier_and_batches():
    X, y = table(seed=3)
    whole = suffice.GenerativeClassifier(covariance="tied-diag").fit(X, y)
    parts = suffice.GenerativeClassifier(covariance="tied-diag")
    for first in range(0, 200, 50):
        parts.partial_fit(X[first:first + 50], y[first:first + 50])
    np.testing.assert_allclose(
        parts.predict_log_likelihood(X), whole.predict_log_likelihood(X), rtol=1e-10)
    wide = scipy.sparse.csr_matrix((np.ones(3), ([0, 1, 2], [0, 999_999, 5])), (3, 1_000_000))
    naive = suffice.GenerativeClassifier("multinomial", smoothing=1, calibration="none")
    assert naive.fit(wide, [0, 1, 1]).predict(wide).tolist() == [0, 1, 1]


def test_bad_entries():
    X, y = table(rows=20, columns=10, density=0.3, seed=4)
    for value, family in ((-1.0, "multinomial"), (np.inf, "gaussian"), (0.5, "poisson")):
        wrong = X.copy()
        wrong.data[0] = value
        with pytest.raises(ValueError, match="row 0|row \\d"):
            suffice.Statistics.of(wrong, y, family=family)
    with pytest.raises(ValueError):
        suffice.Statistics.of(X, y).estimate("diag").log_likelihood(X[:, :9])
    twice = scipy.sparse.csr_matrix(
        (np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])), (1, 2))
    model = suffice.Statistics.of([[4.0, 3.0], [1.0, 2.0], [0.0, 1.0]], [0, 0, 1],
                                  covariance="diag").estimate("tied-diag")
    np.testing.assert_allclose(model.log_likelihood(twice), model.log_likelihood([[4.0, 3.0]]))
