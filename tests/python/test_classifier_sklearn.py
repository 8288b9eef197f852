"""GenerativeClassifier among scikit-learn's tools: checks, pipelines, searches, calibration."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

import joblib  # noqa: E402
import sklearn  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.compose import ColumnTransformer, make_column_selector  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_iris, load_wine  # noqa: E402
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer  # noqa: E402
from sklearn.inspection import permutation_importance  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer, StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from suffice import GenerativeClassifier  # noqa: E402


# The defaults are in test_check_estimator.py, without the four checks whose classes have singular
# covariances: points on a line, or 15 rows of 30 features. This structure can be estimated from
# those too, so that nothing is excepted.
@parametrize_with_checks(
    [
        GenerativeClassifier(covariance="tied-spherical", normalize=normalize)
        for normalize in ("mle", "unbiased")
    ]
)
def test_estimator(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def penguins(example_data):
    frame = pd.read_csv(example_data / "penguins.csv")
    return frame, frame.pop("species").to_numpy(str)


def test_scaling_changes_nothing(iris):
    """A Gaussian with any covariance takes every linear change of the features with it."""
    X, y = iris
    plain = GenerativeClassifier().fit(X, y)
    scaled = make_pipeline(StandardScaler(), GenerativeClassifier()).fit(X, y)
    np.testing.assert_allclose(scaled.predict_proba(X), plain.predict_proba(X), atol=1e-10)
    assert make_pipeline(GenerativeClassifier()).fit(X, y).score(X, y) == plain.score(X, y)


def test_column_transformer_with_frames(penguins):
    """The words go through beside the scaled numbers, and names arrive with set_output."""
    frame, y = penguins
    scale = ColumnTransformer(
        [("numbers", StandardScaler(), make_column_selector(dtype_include="number"))],
        remainder="passthrough",
        verbose_feature_names_out=False,
    )
    pipeline = make_pipeline(scale.set_output(transform="pandas"), GenerativeClassifier()).fit(
        frame, y
    )
    clf = pipeline[-1]
    assert set(clf.feature_names_in_) == set(frame.columns)
    assert (
        clf.schema_.families["island"] == "categorical"
        and clf.schema_.families["year"] == "gaussian"
    )
    np.testing.assert_allclose(
        pipeline.predict_proba(frame),
        GenerativeClassifier().fit(frame, y).predict_proba(frame),
        atol=1e-10,
    )
    polars = pytest.importorskip("polars")
    table = polars.from_pandas(frame)
    pipeline = make_pipeline(FunctionTransformer(), GenerativeClassifier()).fit(table, y)
    assert pipeline.score(table, y) > 0.98


def test_text():
    """Sparse counts from a vectorizer; multinomial naive Bayes has the same posteriors."""
    texts = [
        "free money now",
        "win money",
        "meeting at noon",
        "see you at the meeting",
        "free win",
        "lunch at noon",
    ]
    y = ["spam", "spam", "ham", "ham", "spam", "ham"]
    ours = make_pipeline(CountVectorizer(), GenerativeClassifier("multinomial", smoothing=1, calibration="none")).fit(texts, y)
    theirs = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, y)
    new = ["free lunch", "money meeting", "nothing known here"]
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)


def test_grid_search(penguins):
    frame, y = penguins
    grid = {"covariance": ["full", "tied", "diag"], "smoothing": [0.1, 1.0, 10.0]}
    search = GridSearchCV(
        GenerativeClassifier(), grid, cv=4, scoring="neg_log_loss", error_score="raise"
    )
    search.fit(frame, y)
    folds = list(StratifiedKFold(4).split(frame, y))
    for parameters, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"]
    ):
        clf = GenerativeClassifier(**parameters)
        by_hand = [
            -log_loss(
                y[test],
                clf.fit(frame.iloc[train], y[train]).predict_proba(frame.iloc[test]),
                labels=clf.classes_,
            )
            for train, test in folds
        ]
        assert score == pytest.approx(np.mean(by_hand), rel=1e-9)
    assert search.best_estimator_.score(frame, y) > 0.98


def test_singular_candidates_are_left_out(iris):
    X, y = iris
    twice = np.column_stack([X, X[:, 0]])
    search = GridSearchCV(
        GenerativeClassifier(shrinkage=0), {"covariance": ["full", "diag"]}, cv=3
    )
    with pytest.warns(Warning, match="(?s)fits failed.*SingularError"):
        search.fit(twice, y)
    assert search.best_params_ == {"covariance": "diag"}


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_validation(iris, n_jobs):
    X, y = iris
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(GenerativeClassifier(covariance="diag"), X, y, cv=folds, n_jobs=n_jobs)
    # GaussianNB adds 1e-9 of the largest variance: nothing that changes a decision here.
    assert np.array_equal(scores, cross_val_score(GaussianNB(), X, y, cv=folds))
    proba = cross_val_predict(
        GenerativeClassifier(), X, y, cv=folds, method="predict_proba", n_jobs=n_jobs
    )
    for train, test in folds.split(X, y):
        expected = GenerativeClassifier().fit(X[train], y[train]).predict_proba(X[test])
        np.testing.assert_allclose(proba[test], expected, atol=1e-12)


def test_calibration():
    """Wrongly independent features are too sure; calibrated on log odds they are less wrong."""
    X, y = load_breast_cancer(return_X_y=True)
    train, test = next(StratifiedKFold(2, shuffle=True, random_state=1).split(X, y))
    naive = GenerativeClassifier(covariance="diag").fit(X[train], y[train])
    calibrated = CalibratedClassifierCV(GenerativeClassifier(covariance="diag"), cv=4).fit(
        X[train], y[train]
    )
    assert (
        log_loss(y[test], calibrated.predict_proba(X[test]))
        < log_loss(y[test], naive.predict_proba(X[test])) / 2
    )
    isotonic = CalibratedClassifierCV(
        GenerativeClassifier(covariance="diag"), method="isotonic", cv=4
    )
    assert isotonic.fit(X[train], y[train]).score(X[test], y[test]) > 0.9
    three = CalibratedClassifierCV(GenerativeClassifier(covariance="tied"), cv=3).fit(
        *load_wine(return_X_y=True)
    )
    assert three.score(*load_wine(return_X_y=True)) > 0.97


def test_ranking_metrics():
    X, y = load_breast_cancer(return_X_y=True)
    clf = GenerativeClassifier(covariance="diag").fit(X, y)
    scores = cross_validate(
        GenerativeClassifier(covariance="diag"),
        X,
        y,
        cv=3,
        scoring=["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"],
    )
    assert (scores["test_roc_auc"] > 0.95).all()
    # Probabilities that were rounded to 0 and 1 are tied; log odds are not.
    assert len(np.unique(clf.decision_function(X))) == len(np.unique(X, axis=0))
    assert len(np.unique(clf.predict_proba(X)[:, 1])) < len(np.unique(X, axis=0))
    assert roc_auc_score(y, clf.decision_function(X)) == pytest.approx(
        roc_auc_score(y, -clf.predict_llr(X).ravel()), abs=1e-12
    )


def test_ensembles(iris):
    X, y = iris
    parts = [("full", GenerativeClassifier()), ("diag", GenerativeClassifier(covariance="diag"))]
    assert VotingClassifier(parts, voting="soft").fit(X, y).score(X, y) > 0.95
    assert (
        StackingClassifier(parts, LogisticRegression(max_iter=1000), cv=3).fit(X, y).score(X, y)
        > 0.95
    )
    assert (
        BaggingClassifier(GenerativeClassifier(), 5, random_state=0, n_jobs=2).fit(X, y).score(X, y)
        > 0.95
    )
    importance = permutation_importance(
        GenerativeClassifier().fit(X, y), X, y, n_repeats=3, random_state=0
    )
    assert importance.importances_mean.argmax() in (2, 3)  # the petals, as every book has it


def test_joblib_and_pickle_in_a_pipeline(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), GenerativeClassifier(covariance="tied")).fit(X, y)
    file = io.BytesIO()
    joblib.dump(pipeline, file)
    file.seek(0)
    for again in (joblib.load(file), pickle.loads(pickle.dumps(pipeline))):
        assert np.array_equal(again.predict_proba(X), pipeline.predict_proba(X))


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_are_routed(iris, routing):
    X, y = iris
    weights = np.random.default_rng(1).integers(0, 3, 150).astype(float)
    clf = GenerativeClassifier(covariance="diag").set_fit_request(sample_weight=True)
    pipeline = make_pipeline(
        StandardScaler().set_fit_request(sample_weight=False),
        clf.set_score_request(sample_weight=True),
    )
    pipeline.fit(X, y, sample_weight=weights)
    expected = GenerativeClassifier(covariance="diag").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(pipeline.predict_proba(X), expected.predict_proba(X), atol=1e-10)
    assert pipeline.score(X, y, sample_weight=weights) == accuracy_score(
        y, expected.predict(X), sample_weight=weights
    )
    scores = cross_validate(
        pipeline, X, y, params={"sample_weight": weights}, cv=3, error_score="raise"
    )
    assert (scores["test_score"] > 0.9).all()


def test_priors_are_routed(iris, routing):
    X, y = iris
    clf = (
        GenerativeClassifier()
        .set_predict_request(priors=True, costs=True)
        .set_predict_proba_request(priors=True)
    )
    pipeline = make_pipeline(StandardScaler(), clf).fit(X, y)
    plain = GenerativeClassifier().fit(X, y)
    priors, costs = [0.1, 0.1, 0.8], [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    assert np.array_equal(
        pipeline.predict(X, priors=priors, costs=costs),
        plain.predict(X, priors=priors, costs=costs),
    )
    assert not np.array_equal(pipeline.predict(X, priors=priors, costs=costs), plain.predict(X))
    np.testing.assert_allclose(
        pipeline.predict_proba(X, priors=priors), plain.predict_proba(X, priors=priors), atol=1e-10
    )
