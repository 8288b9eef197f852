"""GenerativeClassifier(missing=...): rows that lack a number, for full and tied covariances."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

import suffice


def correlated(rows: int = 600, share: float = 0.2, seed: int = 0):
    """Three classes with covariances of their own; whole and with cells emptied at random."""
    chance = np.random.default_rng(seed)
    y = chance.integers(0, 3, rows)
    factors = chance.normal(size=(3, 4, 4))
    X = np.einsum("nij,nj->ni", factors[y], chance.normal(size=(rows, 4))) + y[:, None]
    emptied = np.where(chance.random(X.shape) < share, np.nan, X)
    return X, emptied, y


def log_likelihood(mean, covariance, X):
    """By the marginal density of each row's present numbers."""
    total = 0.0
    for row in X:
        at = ~np.isnan(row)
        if at.any():
            total += multivariate_normal(mean[at], covariance[np.ix_(at, at)]).logpdf(row[at])
    return total


def test_maximum_likelihood_is_that_of_a_search():
    chance = np.random.default_rng(1)
    X = chance.normal(size=(40, 2)) @ [[1, 0.8], [0, 0.6]]
    X[chance.random(X.shape) < 0.3] = np.nan
    both = np.vstack([X, X + 3])
    clf = suffice.GenerativeClassifier(
        covariance="full", shrinkage=0, missing="em", max_iter=5000, tol=1e-14
    ).fit(both, ["a"] * 40 + ["b"] * 40)
    block = clf.model_.blocks[0]

    def loss(p):
        root = np.array([[np.exp(p[2]), 0], [p[3], np.exp(p[4])]])
        return -log_likelihood(p[:2], root @ root.T, X)

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    assert -log_likelihood(block["mean"][0], block["covariance"][0], X) <= best.fun + 1e-7
    np.testing.assert_allclose(block["mean"][0], best.x[:2], atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"covariance": "full"}, {"covariance": "tied"}])
def test_incomplete_rows_are_used(options):
    _, emptied, y = correlated()
    clf = suffice.GenerativeClassifier(**options).fit(emptied, y)
    used = clf.model_.options
    assert used["used_rows"] == np.sum(~np.isnan(emptied).all(1))
    assert used["complete_rows"] == np.sum(~np.isnan(emptied).any(1))
    assert used["used_values"] == used["present_values"] == np.sum(~np.isnan(emptied))
    assert used["em_passes"] == clf.n_iter_ > 1
    pickle.loads(pickle.dumps(clf)).predict(emptied[:3])


def test_more_is_known_than_from_complete_rows():
    X, emptied, y = correlated(rows=240, share=0.35)
    em = suffice.GenerativeClassifier(covariance="full").fit(emptied, y)
    complete = suffice.GenerativeClassifier(covariance="full", missing="complete").fit(emptied, y)
    whole = suffice.GenerativeClassifier(covariance="full").fit(X, y)
    assert complete.model_.options["used_rows"] < 0.3 * 240

    def distance(clf):  # mean square, of the means from those of the whole rows
        return np.mean((clf.model_.blocks[0]["mean"] - whole.model_.blocks[0]["mean"]) ** 2)
    assert distance(em) < distance(complete) / 2


def test_frames_slices_and_weights_give_the_same():
    _, emptied, y = correlated()
    weights = np.ones(len(y))
    weights[:50] = 2
    options = {"covariance": "full", "max_iter": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", suffice.SufficeWarning)
        plain = suffice.GenerativeClassifier(**options).fit(emptied, y, sample_weight=weights)
        frame = pd.DataFrame(emptied, columns=list("abcd"))
        framed = suffice.GenerativeClassifier(**options).fit(frame, y, sample_weight=weights)
        twice = suffice.GenerativeClassifier(**options).fit(
            np.vstack([emptied, emptied[:50]]), np.concatenate([y, y[:50]])
        )
    for other in framed, twice:
        for a, b in zip(plain.model_.blocks[0]["covariance"], other.model_.blocks[0]["covariance"]):
            np.testing.assert_allclose(a, b, rtol=1e-9)


def test_numbers_beside_other_families():
    _, emptied, y = correlated()
    frame = pd.DataFrame(emptied, columns=list("abcd"))
    frame["word"] = np.where(y == 0, "u", "v")
    clf = suffice.GenerativeClassifier(covariance="full").fit(frame, y)
    alone = suffice.GenerativeClassifier(covariance="full").fit(emptied, y)
    np.testing.assert_array_equal(clf.model_.blocks[0]["mean"], alone.model_.blocks[0]["mean"])


def test_bad_input():
    _, emptied, y = correlated()
    with pytest.raises(ValueError, match="missing is 'some'; it must be 'auto', 'em' or 'complete'"):
        suffice.GenerativeClassifier(missing="some").fit(emptied, y)
    for covariance in ("full", "auto"):
        clf = suffice.GenerativeClassifier(covariance=covariance)
        with pytest.raises(ValueError, match="iterations is 0"):
            clf.set_params(max_iter=0).fit(emptied, y)
        with pytest.warns(suffice.SufficeWarning, match="after 2 passes before it converged; try more max_iter"):
            clf.set_params(max_iter=2, tol=0.0).fit(emptied, y)
    clf = suffice.GenerativeClassifier(covariance="full", calibration="auto").fit(emptied, y)
    assert clf.n_iter_ > 1 and clf.model_.calibration is not None  # by folds of completed sums
    gone = emptied.copy()
    gone[y == 1, 2] = np.nan
    with pytest.raises(ValueError, match="there is no value, so the mean is unknown"):
        suffice.GenerativeClassifier(covariance="full").fit(gone, y)


def gaps(rows=400, seed=1):
    """A reading that says nothing, and is missing in 9 of 10 rows of class a and in none of b."""
    random = np.random.default_rng(seed)
    X, kind = random.normal(size=(rows, 2)), np.arange(rows) % 2
    X[(kind == 0) & (random.random(rows) < 0.9), 0] = np.nan
    return X, np.array(["a", "b"])[kind]


def test_missing_cells_are_evidence():
    X, kind = gaps()
    empty = np.isnan(X[:, 0]).sum()
    row = [[np.nan, 0.0]]
    chance = lambda clf: clf.fit(X, kind).predict_proba(row)[0, 0]
    named = suffice.GenerativeClassifier(covariance="diag")
    assert chance(named) == pytest.approx(0.5, abs=0.03)
    told = named.set_params(missing_indicators="yes")
    assert chance(told) == pytest.approx((empty + 1) / (empty + 2), abs=0.002)  # a pseudo-count each
    assert told.schema_.indicators == {"x0 is missing": ("x0", None, "")}
    assert told.n_features_in_ == 2 and told.schema_.columns == ["x0", "x1"]
    assert told.model_.blocks[1]["indicators"] == [{"column": "x0", "level": None, "reference": ""}]
    other = pickle.loads(pickle.dumps(told))
    np.testing.assert_array_equal(other.predict_proba(X), told.predict_proba(X))
    chosen = suffice.GenerativeClassifier()
    assert chance(chosen) > 0.95 and chosen.schema_.indicators
    assert chosen.better_columns_["changes"] == ["whether 'x0' is missing is a feature of its own"]
    assert chance(suffice.GenerativeClassifier(missing_indicators="no")) < 0.6
    found = suffice.fit(X, kind, covariance="diag", missing_indicators=True)
    assert found.model.posterior(row)[0, 0] > 0.99


def test_indicators_of_names_and_numbers():
    """They are a column of zeros and ones made by hand, whatever kind of column they are of."""
    pandas = pytest.importorskip("pandas")
    X, kind = gaps()
    random = np.random.default_rng(2)
    colour = np.where(random.random(400) < 0.3, None, np.where(random.random(400) < 0.5, "red", "blue"))
    frame = pandas.DataFrame({"reading": X[:, 0], "colour": colour, "other": X[:, 1]})
    by_hand = frame.assign(no_reading=frame["reading"].isna() * 1.0, no_colour=frame["colour"].isna() * 1.0)
    options = {"covariance": "diag", "shrinkage": 0}
    mine = suffice.GenerativeClassifier(missing_indicators="yes", **options).fit(frame, kind)
    theirs = suffice.GenerativeClassifier({"no_*": "bernoulli"}, **options).fit(by_hand, kind)
    np.testing.assert_allclose(mine.predict_proba(frame), theirs.predict_proba(by_hand), rtol=1e-12)
    strange = frame.head(2).assign(colour="mauve")  # unknown, but not missing
    with pytest.warns(UserWarning, match="they count as missing"):
        unknown = mine.model_.log_likelihood(strange)
    expected = mine.model_.log_likelihood(frame.head(2).assign(colour=None))
    told, = (block for block in mine.model_.blocks if block["family"] == "bernoulli")
    p = told["probability"][:, 1]
    np.testing.assert_allclose(unknown - expected, np.tile(np.log((1 - p) / p), (2, 1)), rtol=1e-9)


def test_indicators_that_are_refused():
    X, kind = gaps(60)
    with pytest.raises(ValueError, match="missing_indicators='perhaps' is unknown"):
        suffice.GenerativeClassifier(missing_indicators="perhaps").fit(X, kind)
    with pytest.raises(ValueError, match="missing_indicators=True needs"):
        suffice.GenerativeClassifier(missing_indicators="yes", covariance="tied").partial_fit(X, kind)
