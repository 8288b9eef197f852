"""Models of one class against scikit-learn: Mahalanobis distances, tails and the area under the curve."""
from __future__ import annotations

import numpy as np
import pytest

import suffice

pytest.importorskip("sklearn")

from scipy.stats import chi2  # noqa: E402
from sklearn.covariance import EllipticEnvelope, EmpiricalCovariance  # noqa: E402
from sklearn.datasets import load_breast_cancer  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402
from sklearn.mixture import GaussianMixture  # noqa: E402


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    benign = np.flatnonzero(y == 1)
    rest = np.setdiff1d(np.arange(len(y)), benign[::2])
    return X[benign[::2]], X[rest], y[rest]


def test_densities_and_tails_are_those_of_scikit_learn_and_scipy(tumours):
    train, X, y = tumours
    model = suffice.Statistics.of(train, np.ones(len(train), int)).estimate(shrinkage=0)
    distance = EmpiricalCovariance().fit(train).mahalanobis(X)
    assert model.outlier_score(X) == pytest.approx(chi2.sf(distance, X.shape[1]), rel=1e-5)
    report = suffice.evaluate(model, X, y, outlier=0.01)
    assert report.novelty["auc"] == pytest.approx(roc_auc_score(y, -distance), abs=1e-12)
    outliers = chi2.sf(distance, X.shape[1]) < 0.01
    assert report.outliers == outliers[y == 1].sum()
    assert report.novelty["detected"] == pytest.approx(outliers[y == 0].mean())
    assert report.novelty["other_rows"] == report.unknown_label_rows == (y == 0).sum()
    # docs/outliers.md
    scale = train.std(0)
    mixture = GaussianMixture(1, random_state=0).fit(train / scale)
    assert roc_auc_score(y, mixture.score_samples(X / scale)) == pytest.approx(0.956, abs=5e-4)
    envelope = EllipticEnvelope(random_state=0).fit(train)
    assert roc_auc_score(y, envelope.decision_function(X)) < report.novelty["auc"]


def test_the_classifier_estimates_what_the_evidence_prefers(tumours):
    train, X, _ = tumours
    labels = np.full(len(train), "benign")
    chosen = suffice.GenerativeClassifier().fit(train, labels)
    assert not hasattr(chosen, "choice_")  # there is nothing to tell apart
    expected = suffice.Statistics.of(train, labels).estimate()
    assert np.array_equal(chosen.model_.log_likelihood(X), expected.log_likelihood(X))
    assert chosen.model_.calibration is None
    assert set(chosen.predict(X[:5])) == {"benign"}


def test_figures_of_classes_have_no_novelty():
    X, y = load_breast_cancer(return_X_y=True)
    report = suffice.evaluate(suffice.Statistics.of(X, y).estimate(), X, y)
    assert "novelty" not in report
