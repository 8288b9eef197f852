"""Predictions of left-out folds, and standardised principal components, against scikit-learn."""
from __future__ import annotations

import numpy as np
import pytest

import suffice

pytest.importorskip("sklearn")

from sklearn.datasets import load_wine  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.discriminant_analysis import (  # noqa: E402
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.model_selection import LeaveOneOut, PredefinedSplit, cross_val_predict  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    folds = (np.arange(len(y)) * 7) % 6
    return X, y, folds


PLAIN = {"calibration": "none", "shrinkage": 0}


@pytest.mark.parametrize("peer, options", [
    (GaussianNB(var_smoothing=0), {"covariance": "diag"}),
    (LinearDiscriminantAnalysis(), {"covariance": "tied"}),
    (make_pipeline(StandardScaler(), PCA(4), GaussianNB(var_smoothing=0)),
     {"covariance": "diag", "pca": 4, "standardize": True}),
])
def test_probabilities_are_those_of_scikit_learn(wine, peer, options):
    X, y, folds = wine
    expected = cross_val_predict(peer, X, y, cv=PredefinedSplit(folds), method="predict_proba")
    found = suffice.cross_val_predict(X, y, method="predict_proba", folds=folds, **PLAIN, **options)
    assert found == pytest.approx(expected, abs=1e-8)
    decided = suffice.cross_val_predict(X, y, folds=folds, **PLAIN, **options)
    assert np.array_equal(decided, cross_val_predict(peer, X, y, cv=PredefinedSplit(folds)))


def test_many_folds(wine):
    X, y, _ = wine
    folds = np.arange(len(y)) // 4  # 45 of them: sums are shared
    expected = cross_val_predict(GaussianNB(var_smoothing=0), X, y, cv=PredefinedSplit(folds),
                                 method="predict_proba")
    found = suffice.cross_val_predict(X, y, method="predict_proba", folds=folds, covariance="diag", **PLAIN)
    assert found == pytest.approx(expected, abs=1e-8)


def test_one_row_at_a_time(wine):
    X, y, _ = wine
    expected = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=LeaveOneOut(),
                                 method="predict_proba")
    found = suffice.cross_val_predict(X, y, method="predict_proba", folds="loo", covariance="tied", **PLAIN)
    assert found == pytest.approx(expected, abs=1e-8)


def test_predictions_of_a_selection(wine):
    X, y, folds = wine
    names = np.array(["gin", "rum", "rye"])[y]
    weights = (np.arange(len(y)) != 5).astype(float)
    selection = suffice.select(X, names, weights, covariance=["tied", "diag"], folds=folds, predictions=True)
    found = selection.predictions
    assert found["label"][5] is None and np.isnan(found["proba"][5]).all()
    seen = weights > 0
    best = selection.candidates[selection.best]
    truth = found["proba"][np.arange(len(y)), y][seen]
    assert -np.log(truth).mean() == pytest.approx(best["log_loss"])
    assert np.mean(found["label"][seen] != names[seen]) == pytest.approx(best["error_rate"])
    assert list(found["fold"][seen]) == [str(fold) for fold in folds[seen]]
    with pytest.raises(AttributeError, match="predictions=True"):
        suffice.select(X, y, covariance="diag").predictions
    with pytest.raises(ValueError, match="method='proba'"):
        suffice.cross_val_predict(X, y, method="proba")


def test_hints_tell_of_the_end_of_a_list(wine):
    X, y, _ = wine
    found = suffice.select(X, y, covariance="tied", shrinkage=[0.5, 0.7, 0.9])
    end = found.best_options["shrinkage"]
    assert end == 0.5
    assert found.hints == [
        "the best shrinkage, 0.5, is the smallest that was compared: try smaller ones as well, such as 0.36"
    ]
    assert found.hints[0] in repr(found) and "± is one standard error" in repr(found)


@pytest.mark.parametrize("covariance", ["full", "tied"])
def test_standardised_components_are_those_of_a_pipeline(wine, covariance):
    """StandardScaler, PCA, then QDA or LDA of maximum likelihood; and units do not matter."""
    X, y, _ = wine
    stats = suffice.Statistics.of(X, y)
    model = stats.estimate(covariance=covariance, pca=5, standardize=True, shrinkage=0)
    last = QuadraticDiscriminantAnalysis() if covariance == "full" else LinearDiscriminantAnalysis()
    peer = make_pipeline(StandardScaler(), PCA(5), last).fit(X, y)
    assert model.posterior(X) == pytest.approx(peer.predict_proba(X), abs=1e-7)
    explained = peer[1].explained_variance_ratio_.sum()
    assert model.options["pca_explained"] == pytest.approx(explained)
    scale = 10.0 ** np.arange(-6, 7)
    other = suffice.Statistics.of(X * scale, y).estimate(
        covariance=covariance, pca=5, standardize=True, shrinkage=0)
    assert other.posterior(X * scale) == pytest.approx(model.posterior(X), abs=1e-7)
    assert other.log_density(X * scale) == pytest.approx(model.log_density(X), abs=1e-6)


def test_the_classifier_standardises(wine):
    X, y, _ = wine
    clf = suffice.GenerativeClassifier(covariance="tied", pca=5, standardize=True, shrinkage=0).fit(X, y)
    peer = make_pipeline(StandardScaler(), PCA(5), LinearDiscriminantAnalysis()).fit(X, y)
    assert clf.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-8)
    assert clf.get_params()["standardize"] is True
    with pytest.raises(ValueError, match="standardize"):
        suffice.Statistics.of(X, y).estimate(pca=5, standardize="perhaps")
