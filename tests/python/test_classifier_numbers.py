"""GenerativeClassifier's numbers against scikit-learn's estimators of the same models, against
SciPy's densities and against laws of sampling. Mixed data are in test_classifier_mixed.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")
stats = pytest.importorskip("scipy.stats")
sparse = pytest.importorskip("scipy.sparse")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine  # noqa: E402
from sklearn.discriminant_analysis import (  # noqa: E402
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB  # noqa: E402

import suffice  # noqa: E402
from suffice import GenerativeClassifier  # noqa: E402

NUMERIC = {"iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer}
WEIGHTED_PRIORS = {2: [0.9, 0.1], 3: [0.2, 0.5, 0.3]}


@pytest.fixture(params=NUMERIC, scope="module")
def numeric(request):
    X, y = NUMERIC[request.param](return_X_y=True)
    return X, y, WEIGHTED_PRIORS[len(np.unique(y))]


def worst(a, b):
    return np.abs(np.asarray(a) - np.asarray(b)).max()


def same_answers(ours, theirs, X, tolerance=1e-10):
    assert worst(ours.predict_proba(X), theirs.predict_proba(X)) <= tolerance
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.array_equal(ours.classes_, theirs.classes_)


def test_full_is_quadratic_discriminant_analysis(numeric):
    X, y, priors = numeric
    ours = GenerativeClassifier(covariance="full", shrinkage=0).fit(X, y)
    # scikit-learn's tol is on the scale of the features; at its default it treats wdbc as singular.
    theirs = QuadraticDiscriminantAnalysis(tol=0).fit(X, y)
    spread = worst(
        QuadraticDiscriminantAnalysis(solver="eigen", tol=0).fit(X, y).predict_proba(X),
        theirs.predict_proba(X),
    )
    same_answers(ours, theirs, X, max(1e-10, 10 * spread))
    theirs = QuadraticDiscriminantAnalysis(tol=0, priors=priors).fit(X, y)
    assert worst(ours.predict_proba(X, priors=priors), theirs.predict_proba(X)) <= max(
        1e-10, 10 * spread
    )
    assert np.array_equal(ours.predict(X, priors=priors), theirs.predict(X))


def test_tied_is_linear_discriminant_analysis(numeric):
    X, y, _ = numeric
    ours = GenerativeClassifier(covariance="tied", shrinkage=0).fit(X, y)
    theirs = {
        solver: LinearDiscriminantAnalysis(solver=solver).fit(X, y)
        for solver in ("svd", "eigen", "lsqr")
    }
    same_answers(ours, theirs["svd"], X)
    same_answers(ours, theirs["eigen"], X)
    spread = worst(theirs["svd"].predict_proba(X), theirs["lsqr"].predict_proba(X))
    same_answers(ours, theirs["lsqr"], X, max(1e-10, 10 * spread))


def test_diag_is_gaussian_naive_bayes(numeric):
    X, y, priors = numeric
    weights = np.random.default_rng(1).uniform(0, 3, len(y))
    ours = GenerativeClassifier(covariance="diag", shrinkage=0).fit(X, y, sample_weight=weights)
    theirs = GaussianNB(var_smoothing=0).fit(X, y, sample_weight=weights)
    same_answers(ours, theirs, X)
    theirs = GaussianNB(var_smoothing=0, priors=priors).fit(X, y, sample_weight=weights)
    assert worst(ours.predict_proba(X, priors=priors), theirs.predict_proba(X)) <= 1e-10
    log_joint = theirs.predict_joint_log_proba(X) - np.log(priors)
    np.testing.assert_allclose(ours.predict_log_likelihood(X), log_joint, rtol=1e-10)


# Error rates of R 4.2.2, MASS 7.3-58.2 (lda, qda: unbiased covariances), as the README of the data
# has them.
@pytest.mark.parametrize(
    "name, label, train, lda, qda",
    [
        ("iris", "species", 150, [0.0200], [0.0200]),
        ("wine", "cultivar", 178, [0.0000], [0.0056]),
        ("breast_cancer_wdbc", "diagnosis", 569, [0.0352], [0.0264]),
        ("letter", "letter", 16000, [0.2940, 0.3118], [0.1007, 0.1250]),
    ],
)
def test_error_rates_are_those_of_r(data, name, label, train, lda, qda):
    frame = pd.read_csv(data(f"{name}.csv.gz"))
    for structure, expected in (("tied", lda), ("full", qda)):
        clf = GenerativeClassifier(covariance=structure, normalize="unbiased", shrinkage=0)
        clf.fit(frame[:train], label)
        parts = [part for part in (frame[:train], frame[train:]) if len(part)]
        found = [1 - clf.score(part, part[label].to_numpy(str)) for part in parts]
        # To the last digit printed there: less than one row, 1/16000, in all of them.
        assert found == pytest.approx(expected, abs=0.00006), structure


@pytest.mark.parametrize("name, label", [("glyphs", "letter"), ("mail", "is_spam")])
def test_large_sets_are_scikit_learns(data, name, label):
    frame = pd.read_csv(data(f"{name}.csv.gz"))
    y = frame.pop(label).to_numpy()
    same_answers(
        GenerativeClassifier(covariance="diag", shrinkage=0).fit(frame, y),
        GaussianNB(var_smoothing=0).fit(frame, y),
        frame,
    )
    same_answers(
        GenerativeClassifier(covariance="tied", shrinkage=0).fit(frame, y),
        LinearDiscriminantAnalysis().fit(frame, y),
        frame,
    )
    same_answers(
        GenerativeClassifier(covariance="full", shrinkage=0).fit(frame, y),
        QuadraticDiscriminantAnalysis(tol=0).fit(frame, y),
        frame,
    )


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_discrete_families_are_naive_bayes(alpha):
    X, y = load_digits(return_X_y=True)
    binary, counts, levels = X > 7, X.astype(int), (X // 6).astype(int)
    for family, rows, theirs in [
        ("bernoulli", binary.astype(float), BernoulliNB(alpha=alpha)),
        ("multinomial", counts, MultinomialNB(alpha=alpha)),
        ("categorical", levels, CategoricalNB(alpha=alpha)),
    ]:
        ours = GenerativeClassifier(family, covariance="full", smoothing=alpha).fit(rows, y)
        same_answers(ours, theirs.fit(rows, y), rows)


@pytest.mark.parametrize("family", ["multinomial", "bernoulli", "poisson"])
def test_sparse_is_dense(family):
    rng = np.random.default_rng(4)
    X = rng.poisson(0.3, (300, 40))
    X = np.minimum(X, 1) if family == "bernoulli" else X
    y = rng.integers(0, 3, 300)
    dense = GenerativeClassifier(family).fit(X.astype(float), y)
    for form in (sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array):
        rows = form(X.astype(float))
        ours = GenerativeClassifier(family).fit(rows, y)
        np.testing.assert_allclose(
            ours.predict_proba(rows), dense.predict_proba(X.astype(float)), rtol=1e-12
        )


def test_poisson_is_scipys():
    rng = np.random.default_rng(5)
    y = np.repeat(["a", "b"], 100)
    X = rng.poisson(np.where(y == "a", 2.0, 6.0)[:, None] * [1, 2, 0.5])
    clf = GenerativeClassifier("poisson", smoothing=0, calibration="none").fit(X, y)
    expected = np.stack([stats.poisson.logpmf(X, X[y == c].mean(0)).sum(1) for c in "ab"], axis=1)
    np.testing.assert_allclose(clf.predict_log_likelihood(X), expected, rtol=1e-11)


def spherical(S):
    return np.eye(len(S)) * np.trace(S) / len(S)


@pytest.mark.parametrize(
    "structure", ["full", "tied", "diag", "tied-diag", "spherical", "tied-spherical"]
)
@pytest.mark.parametrize("normalize", ["mle", "unbiased"])
def test_all_structures_are_scipys(structure, normalize):
    """The six covariances written out with NumPy, the densities by SciPy."""
    X, y = load_iris(return_X_y=True)
    less = 1 if normalize == "unbiased" else 0
    scatters = [
        (X[y == c] - X[y == c].mean(0)).T @ (X[y == c] - X[y == c].mean(0)) for c in range(3)
    ]
    if structure.startswith("tied"):
        covariances = [sum(scatters) / (len(X) - 3 * less)] * 3
    else:
        covariances = [S / ((y == c).sum() - less) for c, S in enumerate(scatters)]
    shape = {"diag": lambda S: np.diag(np.diag(S)), "spherical": spherical}
    covariances = [shape.get(structure.removeprefix("tied-"), lambda S: S)(S) for S in covariances]
    expected = np.stack(
        [stats.multivariate_normal(X[y == c].mean(0), covariances[c]).logpdf(X) for c in range(3)],
        axis=1,
    )
    clf = GenerativeClassifier(covariance=structure, normalize=normalize, shrinkage=0).fit(X, y)
    np.testing.assert_allclose(clf.predict_log_likelihood(X), expected, rtol=1e-9)
    joint = expected + np.log([0.5, 0.25, 0.25])
    evidence = np.logaddexp.reduce(joint, axis=1)
    np.testing.assert_allclose(clf.score_samples(X, priors=[0.5, 0.25, 0.25]), evidence, rtol=1e-9)
    np.testing.assert_allclose(
        clf.predict_log_proba(X, priors=[0.5, 0.25, 0.25]),
        joint - evidence[:, None],
        rtol=1e-8,
        atol=1e-9,
    )
    others = [
        np.logaddexp.reduce(np.delete(joint, c, 1), axis=1) - np.log(1 - [0.5, 0.25, 0.25][c])
        for c in range(3)
    ]
    np.testing.assert_allclose(
        clf.predict_llr(X, priors=[0.5, 0.25, 0.25]),
        expected - np.stack(others, axis=1),
        rtol=1e-8,
        atol=1e-8,
    )


# Two normal densities of variance 1 with the means 0 ("a") and 2 ("b"):
#   log p(x|b) / p(x|a) = 2x - 2
BY_HAND = ([[-1.0], [1.0], [1.0], [3.0]], ["a", "a", "b", "b"])


@pytest.fixture
def by_hand():
    return GenerativeClassifier(covariance="tied", shrinkage=0).fit(*BY_HAND)


def decided_b_above(clf, threshold, **arguments):
    """Whether b is decided above the threshold and a below it."""
    found = clf.predict([[threshold - 1e-6], [threshold + 1e-6]], **arguments)
    return found.tolist() == ["a", "b"]


def test_posterior_by_hand(by_hand):
    x = np.array([-1.0, 0.0, 1.0, 1.5, 4.0])
    odds = np.exp(2 * x - 2)  # of b
    np.testing.assert_allclose(
        by_hand.predict_proba(x[:, None])[:, 1], odds / (1 + odds), rtol=1e-13
    )
    odds *= 0.2 / 0.8
    np.testing.assert_allclose(
        by_hand.predict_proba(x[:, None], priors=[0.8, 0.2])[:, 1], odds / (1 + odds), rtol=1e-13
    )
    np.testing.assert_allclose(by_hand.predict_llr(x[:, None]).ravel(), 2 - 2 * x, atol=1e-13)
    np.testing.assert_allclose(by_hand.decision_function(x[:, None]), 2 * x - 2, atol=1e-13)
    np.testing.assert_allclose(
        by_hand.predict_log_likelihood(x[:, None]),
        stats.norm.logpdf(x[:, None], [0, 2]),
        rtol=1e-13,
    )


def test_decision_by_hand(by_hand):
    """b is decided where (2x - 2) + log(prior odds of b) + log(cost of missing b / of missing a)
    is above 0."""
    assert decided_b_above(by_hand, 1)
    assert decided_b_above(by_hand, 1 + np.log(4) / 2, priors={"a": 0.8, "b": 0.2})
    assert decided_b_above(by_hand, 1 + np.log(4) / 2, priors=[0.8, 0.2])
    assert decided_b_above(
        by_hand, 1 + np.log(4) / 2, priors=suffice.Priors(["a", "b"], [0.8, 0.2])
    )
    matrix = [[0, 1], [5, 0]]  # a b taken for an a costs 5
    assert decided_b_above(by_hand, 1 - np.log(5) / 2, costs=matrix)
    assert decided_b_above(by_hand, 1 - np.log(5) / 2, costs={("b", "a"): 5})
    assert decided_b_above(by_hand, 1 + np.log(4 / 5) / 2, priors=[0.8, 0.2], costs=matrix)


def test_priors_and_costs_of_the_constructor():
    X, y = BY_HAND
    kept = GenerativeClassifier(
        covariance="tied", shrinkage=0, priors=[0.8, 0.2], costs=[[0, 1], [5, 0]]
    ).fit(X, y)
    assert decided_b_above(kept, 1 + np.log(4 / 5) / 2)
    assert decided_b_above(kept, 1 - np.log(5) / 2, priors="uniform")
    assert decided_b_above(kept, 1 + np.log(4) / 2, costs=[[0, 1], [1, 0]])
    uneven = GenerativeClassifier(covariance="tied", shrinkage=0)
    uneven.fit(X, y, sample_weight=[2, 2, 1, 1])
    assert decided_b_above(uneven, 1 + np.log(2) / 2)
    assert decided_b_above(uneven, 1, priors="uniform")
    np.testing.assert_allclose(kept.predict_proba([[1.0]]), [[0.8, 0.2]])


def test_decision_by_hand_where_the_engine_has_another_order():
    """The same densities under the names "9" and "10": in classes_ "10" is the first."""
    clf = GenerativeClassifier(covariance="tied", shrinkage=0)
    clf.fit(BY_HAND[0], ["9", "9", "10", "10"])
    assert clf.classes_.tolist() == ["10", "9"]

    def decided_above(threshold, **arguments):
        return clf.predict([[threshold - 1e-6], [threshold + 1e-6]], **arguments).tolist() == [
            "9",
            "10",
        ]

    assert decided_above(1 + np.log(5) / 2, costs=[[0, 1], [5, 0]])  # a "9" taken for a "10"
    assert decided_above(1 + np.log(5) / 2, costs={("9", "10"): 5})
    assert decided_above(1 + np.log(4) / 2, priors=[0.2, 0.8])
    kept = (
        clone(clf)
        .set_params(costs=[[0, 1], [5, 0]], priors=[0.2, 0.8])
        .fit(BY_HAND[0], ["9", "9", "10", "10"])
    )
    threshold = 1 + np.log(20) / 2
    assert kept.predict([[threshold - 1e-6], [threshold + 1e-6]]).tolist() == ["9", "10"]


def test_rejection_and_outliers_by_hand(by_hand):
    """A decision that is wrong with a probability above 1/10 is worth less than no decision: where
    |2x - 2| < log 9."""
    edge = np.log(9) / 2
    x = np.array([1 - edge - 1e-6, 1 - edge + 1e-6, 1 + edge - 1e-6, 1 + edge + 1e-6, 40.0])[
        :, None
    ]
    assert by_hand.predict(x).tolist() == ["a", "a", "b", "b", "b"]
    assert by_hand.predict(x, reject=0.1).tolist() == ["a", None, None, "b", "b"]
    assert by_hand.predict(x, outlier=0.001).tolist() == ["a", "a", "b", "b", None]
    assert by_hand.predict(x, reject=0.1, outlier=0.001).tolist() == ["a", None, None, "b", None]


def test_three_classes_cost_by_hand():
    """Bernoulli with P(1) = 3/4, 1/2, 1/4 and equal priors: posteriors of a 1 are 1/2, 1/3, 1/6,
    and the expected cost of deciding k is their product with the k-th column of the costs."""
    X = [[1], [1], [1], [0], [1], [1], [0], [0], [1], [0], [0], [0]]
    clf = GenerativeClassifier("bernoulli", smoothing=0, calibration="none").fit(X, list("aaaabbbbcccc"))
    np.testing.assert_allclose(clf.predict_proba([[1]]), [[1 / 2, 1 / 3, 1 / 6]], rtol=1e-13)
    assert clf.predict([[1]]).tolist() == ["a"]
    assert clf.predict([[1]], costs=[[0, 1, 1], [2, 0, 1], [1, 1, 0]]).tolist() == [
        "b"
    ]  # 5/6, 4/6, 5/6
    assert clf.predict([[1]], costs=[[0, 1, 1], [1, 0, 1], [9, 9, 0]]).tolist() == [
        "c"
    ]  # 11/6, 2, 5/6


def gaussian_blobs(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    mixing = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.3], [0.0, 0.0, 2.0]])
    return rng.standard_normal((n, 3)) @ mixing + 3.0 * y[:, None], y


def test_outlier_score_of_one_class_is_the_chi_square_tail():
    X, _ = gaussian_blobs(500, 1)
    clf = GenerativeClassifier(covariance="full", shrinkage=0).fit(X, np.zeros(500, int))
    distance = np.einsum(
        "ni,ij,nj->n", X - X.mean(0), np.linalg.inv(np.cov(X.T, bias=True)), X - X.mean(0)
    )
    tail = stats.chi2.sf(distance, 3)
    error = 5 * np.sqrt(tail * (1 - tail) / 20000) + 1e-3  # of 20000 draws, if it is drawn
    assert (np.abs(clf.outlier_score(X) - tail) <= error).all()


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
def test_outliers_are_calibrated(alpha):
    """Of rows that come from the model a fraction alpha is odder than alpha."""
    clf = GenerativeClassifier(priors=[0.3, 0.7]).fit(*gaussian_blobs(1000, 2))
    X, _ = clf.sample(20000, seed=7)
    rate = clf.outliers(X, alpha).mean()
    # Two Monte Carlo errors: of these 20000 rows and of the 20000 draws behind the score.
    assert abs(rate - alpha) <= 5 * np.sqrt(2 * alpha * (1 - alpha) / 20000)
    assert clf.outliers(X + 100, alpha).all()
    if alpha == 0.001:
        assert np.array_equal(clf.outliers(X), clf.outliers(X, 0.001))


def test_samples_have_the_parameters():
    """Refitted from n samples, means and covariances are within 5 standard errors."""
    n = 40000
    X, y = gaussian_blobs(300, 3)
    clf = GenerativeClassifier(covariance="full", priors=[0.25, 0.75], shrinkage=0).fit(X, y)
    drawn, classes = clf.sample(n, seed=1)
    assert drawn.shape == (n, 3) and classes.shape == (n,)
    assert abs((classes == 0).mean() - 0.25) <= 5 * np.sqrt(0.25 * 0.75 / n)
    for c in (0, 1):
        rows, truth = X[y == c], drawn[classes == c]
        cov = np.cov(rows.T, bias=True)
        assert (
            np.abs(truth.mean(0) - rows.mean(0)) <= 5 * np.sqrt(np.diag(cov) / len(truth))
        ).all()
        error = np.sqrt((np.outer(np.diag(cov), np.diag(cov)) + cov**2) / len(truth))
        assert (np.abs(np.cov(truth.T) - cov) <= 5 * error).all()
    assert (clf.sample(50, label=1)[1] == 1).all()
    assert np.array_equal(clf.sample(50, seed=3)[0], clf.sample(50, seed=3)[0])
    assert not np.array_equal(clf.sample(50, seed=3)[0], clf.sample(50, seed=4)[0])


def test_samples_of_mixed_columns():
    rng = np.random.default_rng(8)
    n = 600
    y = rng.choice(["p", "q"], n)
    frame = pd.DataFrame(
        {
            "size": rng.normal(np.where(y == "p", 0, 4), 1),
            "colour": np.where(rng.random(n) < np.where(y == "p", 0.8, 0.3), "red", "blue"),
            "count": rng.poisson(np.where(y == "p", 1.0, 5.0)),
        }
    )
    clf = GenerativeClassifier({"count": "poisson"}, smoothing=0, priors="uniform").fit(frame, y)
    rows, classes = clf.sample(20000, seed=2)
    drawn = pd.DataFrame(rows, columns=frame.columns)
    for c in "pq":
        mine, theirs = drawn[classes == c], frame[y == c]
        share = (theirs["colour"] == "red").mean()
        assert set(mine["colour"]) == {"red", "blue"}
        assert abs((mine["colour"] == "red").mean() - share) <= 5 * np.sqrt(
            share * (1 - share) / len(mine)
        )
        rate = theirs["count"].mean()
        assert abs(mine["count"].astype(float).mean() - rate) <= 5 * np.sqrt(rate / len(mine))
        assert abs(mine["size"].astype(float).mean() - theirs["size"].mean()) <= 5 * theirs[
            "size"
        ].std() / np.sqrt(len(mine))
