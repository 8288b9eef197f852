"""Calibration: scikit-learn's logistic, isotonic and temperature calibrations on the same scores,
what stays as it is, and what is refused."""
from __future__ import annotations

import pickle

import numpy as np
import pytest

import suffice
from suffice import GenerativeClassifier, Model, Statistics

sklearn = pytest.importorskip("sklearn")

from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_digits  # noqa: E402
from sklearn.frozen import FrozenEstimator  # noqa: E402
from sklearn.isotonic import IsotonicRegression  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = Statistics.of(X[::3], y[::3]).estimate(covariance="diag")
    return model, X[1::3], y[1::3], X[2::3], y[2::3]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    clf = GenerativeClassifier(covariance="tied").fit(X[::3], y[::3])
    return clf, X[1::3], y[1::3], X[2::3], y[2::3]


def test_two_classes_are_scikit_learns_logistic_regression_on_the_ratio(cancer):
    model, X, y, *_ = cancer
    calibrated = model.calibrate(X, y, sample_weight=np.full(len(y), 1e7))  # no penalty is left
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=100000).fit(model.llr(X), 1 - y)
    offset = calibrated.calibration["offset"]
    log_odds = np.log((y == 0).mean() / (y == 1).mean())
    assert calibrated.calibration["scale"][0] == pytest.approx(fit.coef_[0, 0], rel=1e-4)
    assert offset[0] - offset[1] + log_odds == pytest.approx(fit.intercept_[0], abs=1e-3)
    priors = [(y == 0).mean(), (y == 1).mean()]
    assert calibrated.posterior(X, priors)[:, 0] == pytest.approx(
        fit.predict_proba(model.llr(X))[:, 1], abs=1e-4)


def test_loss_is_at_most_that_of_temperature_scaling(digits):
    clf, X, y, X_test, y_test = digits
    frequencies = np.bincount(y) / len(y)
    ours = clf.model_.calibrate(X, y)
    here = log_loss(y, ours.posterior(X, frequencies))
    there = log_loss(y_test, ours.posterior(X_test, frequencies))
    assert here < log_loss(y, clf.predict_proba(X))
    theirs = CalibratedClassifierCV(FrozenEstimator(clf), method="temperature").fit(X, y)
    assert here <= log_loss(y, theirs.predict_proba(X)) + 1 / len(y)  # the penalty
    assert there <= 1.05 * log_loss(y_test, theirs.predict_proba(X_test))


def test_isotonic_is_scikit_learns_isotonic_regression(cancer):
    model, X, y, *_ = cancer
    affine, steps = model.calibrate(X, y), model.calibrate(X, y, method="isotonic")
    ratio = affine.llr(X)[:, 0]
    # A row of each class at the extremes, as the documentation has it.
    x = np.concatenate([ratio, [ratio.min(), ratio.max()]])
    first = np.concatenate([y == 0, [True, False]]).astype(float)
    share = IsotonicRegression().fit(x, first).predict(ratio)
    prior = first.mean()
    expected = np.log(share / (1 - share)) - np.log(prior / (1 - prior))
    assert steps.llr(X)[:, 0] == pytest.approx(expected, abs=1e-9)
    assert (np.diff(steps.calibration["knots"]) > 0).all()
    assert (np.diff(steps.calibration["values"]) >= 0).all()


def test_only_answers_change(cancer):
    model, X, y, *_ = cancer
    calibrated = model.calibrate(X, y)
    assert np.array_equal(model.log_likelihood(X), calibrated.log_likelihood(X))
    assert np.array_equal(model.log_density(X), calibrated.log_density(X))
    assert np.array_equal(model.outlier_score(X), calibrated.outlier_score(X))
    assert np.array_equal(model.sample(9)[0], calibrated.sample(9)[0])
    scores = model.log_likelihood(X) * calibrated.calibration["scale"] + calibrated.calibration["offset"]
    for priors in ([0.5, 0.5], [0.9, 0.1]):
        joint = scores + np.log(priors)
        expected = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
        assert calibrated.posterior(X, priors) == pytest.approx(expected, abs=1e-9)
        assert np.array_equal(calibrated.decide(X, priors), expected.argmax(axis=1))
        assert np.array_equal(calibrated.decide(X, priors, costs=1 - np.eye(2)), expected.argmax(axis=1))
    assert model.calibration is None and calibrated.without_calibration() == model
    assert model.with_calibration([1], [0, 0]).posterior(X).tolist() == model.posterior(X).tolist()


def test_a_calibrated_model_is_kept_whole(cancer, tmp_path):
    model, X, y, *_ = cancer
    for method in ("affine", "isotonic"):
        calibrated = model.calibrate(X, y, method=method)
        calibrated.save(tmp_path / "model")
        for other in (Model.load(tmp_path / "model"), pickle.loads(pickle.dumps(calibrated)),
                      model.with_calibration(**calibrated.calibration)):
            assert other == calibrated and other != model
            assert np.array_equal(other.posterior(X), calibrated.posterior(X))


@pytest.mark.parametrize("options", [{"covariance": "diag", "shrinkage": 0},  # leave-one-out
                                     {"covariance": "diag"}, {"covariance": "full", "pca": 10}])  # five folds
def test_the_classifier_calibrates_by_rows_it_has_not_seen(cancer, options):
    _, X, y, X_test, y_test = cancer
    plain = GenerativeClassifier(**options).fit(X, y)
    clf = GenerativeClassifier(**options, calibration="auto").fit(X, y)
    assert clf.model_.without_calibration() == plain.model_
    assert 0 <= clf.model_.calibration["scale"][0] <= 1
    assert log_loss(y_test, clf.predict_proba(X_test)) < log_loss(y_test, plain.predict_proba(X_test))


def test_select_calibrates_its_candidates(cancer):
    _, X, y, *_ = cancer
    found = suffice.select(X, y)  # calibrated, by log-loss
    frequencies = np.bincount(y) / len(y)
    alone = -(frequencies * np.log(frequencies)).sum()
    plain = suffice.select(X, y, calibration="none")
    for ours, theirs in zip(found.candidates, plain.candidates):
        if "error" not in ours:
            assert ours["log_loss"] < alone
            assert ours["uncalibrated"]["log_loss"] == theirs["log_loss"]
            assert "calibration" not in theirs
    best = found.candidates[found.best]["calibration"]
    assert np.array_equal(found.model.calibration["offset"], best["offset"])


def test_bad_input_is_refused(cancer):
    model, X, y, *_ = cancer
    with pytest.raises(ValueError, match="all rows are of class '1'"):
        model.calibrate(X[y == 1], y[y == 1])
    with pytest.raises(ValueError, match="no row has a label that the model knows"):
        model.calibrate(X, y + 7)
    with pytest.raises(ValueError, match="no rows with a label"):
        model.calibrate(X[:0], y[:0])
    with pytest.raises(ValueError, match="affine or isotonic"):
        model.calibrate(X, y, method="platt")
    with pytest.raises(ValueError, match="a scale per block"):
        model.with_calibration([1, 1], [0, 0])
    with pytest.warns(UserWarning, match="does not know"):
        model.calibrate(X, np.where(np.arange(len(y)) == 3, 9, y))
    with pytest.raises(ValueError, match="calibration='yes'"):
        GenerativeClassifier(calibration="yes").fit(X, y)
    with pytest.raises(ValueError, match="calibration='auto' needs all rows"):
        GenerativeClassifier(calibration="auto").partial_fit(X, y)
    with pytest.raises(ValueError, match="calibration='auto' needs rows"):
        GenerativeClassifier.from_statistics(Statistics.of(X, y), calibration="auto")
    with pytest.raises(ValueError, match="calibration=1"):
        suffice.select(X, y, calibration=1)


@pytest.mark.parametrize("rows", [600, 1200])  # more rows are decided by bounds where that is possible
def test_decisions_of_many_columns_follow_the_knots(rows):
    random = np.random.default_rng(3)
    def draw(n):
        y = random.integers(0, 2, n)
        return random.standard_normal((n, 50)) * (1 + 0.3 * y[:, None]) + 0.1 * y[:, None], y
    model = suffice.Statistics.of(*draw(400)).estimate(covariance="full", shrinkage=0.3)
    calibrated = model.calibrate(*draw(500), method="isotonic")
    X, _ = draw(rows)
    for priors in ("uniform", [0.9, 0.1]):
        posterior = calibrated.posterior(X, priors=priors)
        clear = np.abs(posterior[:, 0] - 0.5) > 1e-9
        assert clear.sum() > rows / 2
        decided = np.array(calibrated.decide(X, priors=priors))
        assert np.array_equal(decided[clear], posterior.argmax(axis=1)[clear])
