"""Feature selection: against scikit-learn's SelectKBest, whose F ranks two classes as the divergence
does where they share a variance; every kind of table."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

import suffice


@pytest.fixture(scope="module")
def wdbc():
    return load_breast_cancer(return_X_y=True)


def kept_by_sklearn(X, y, count):
    return np.flatnonzero(SelectKBest(f_classif, k=count).fit(X, y).get_support())


@pytest.mark.parametrize("count", [1, 7, 30])
def test_estimate(wdbc, count):
    X, y = wdbc
    model = suffice.Statistics.of(X, y).estimate("tied", shrinkage=0, keep=count)
    kept = kept_by_sklearn(X, y, count)
    assert model.schema.columns == [f"x{j}" for j in kept]
    assert model.options["kept_features"] == count and model.options["all_features"] == 30
    lda = make_pipeline(SelectKBest(f_classif, k=count), LinearDiscriminantAnalysis()).fit(X, y)
    # The whole array and the kept columns alone give the same answers.
    found = model.posterior(X)
    np.testing.assert_allclose(found, lda.predict_proba(X), rtol=1e-2, atol=1e-3)  # it divides by n
    np.testing.assert_array_equal(model.decide(X), model.decide(X[:, kept]))
    np.testing.assert_array_equal(found, model.posterior(X[:, kept]))
    assert pickle.loads(pickle.dumps(model)).posterior(X[:3]).shape == (3, 2)


def test_the_first_columns(wdbc):
    """x0 and x1 are a schema of numbered columns of their own."""
    X, y = wdbc
    order = np.argsort(-f_classif(X, y)[0])
    model = suffice.Statistics.of(X[:, order], y).estimate("tied-diag", keep=2)
    assert model.schema.columns == ["x0", "x1"]
    np.testing.assert_array_equal(model.decide(X[:, order]), model.decide(X[:, order[:2]]))
    with pytest.raises(ValueError, match="X has 29 columns, but the schema has 2 features"):
        model.decide(X[:, :29])
    plain = suffice.Statistics.of(X[:, :2], y).estimate("diag")
    with pytest.raises(ValueError, match="X has 30 columns, but the schema has 2 features"):
        plain.decide(X)


def test_classifier(wdbc):
    """In folds of scikit-learn, as a pipeline of its selection and its LDA decides."""
    X, y = wdbc
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    clf = suffice.GenerativeClassifier(covariance="tied", shrinkage=0, normalize="unbiased", keep=6)
    pipeline = make_pipeline(SelectKBest(f_classif, k=6), LinearDiscriminantAnalysis())
    ours = cross_val_predict(clf, X, y, cv=folds)
    theirs = cross_val_predict(pipeline, X, y, cv=folds)
    assert np.mean(ours != theirs) < 0.005
    clf.fit(X, y)
    assert clf.n_features_in_ == 30 and len(clf.model_.schema) == 6
    assert clf.score(X, y) > 0.9
    with pytest.raises(ValueError, match="6 features, but .* is expecting 30"):
        clf.predict(X[:, :6])


def test_frames(wdbc):
    pandas = pytest.importorskip("pandas")
    X, y = wdbc
    frame = pandas.DataFrame(X, columns=[f"column {j}" for j in range(30)])
    clf = suffice.GenerativeClassifier(covariance="diag", keep=5).fit(frame, y)
    expected = clf.predict_proba(frame)
    # Names of other columns, in another order, and no names at all.
    assert clf.model_.posterior(frame[clf.model_.schema.columns[::-1]]) == pytest.approx(expected)
    with pytest.warns(UserWarning, match="feature names"):
        assert clf.predict_proba(X) == pytest.approx(expected)
    unnamed = suffice.GenerativeClassifier(covariance="diag", keep=5).fit(X, y)
    assert unnamed.predict_proba(X) == pytest.approx(expected)


def test_sparse():
    random = np.random.default_rng(2)
    y = np.arange(300) % 2
    X = random.poisson(np.where(np.arange(20) % 5 == 0, 1 + 2 * y[:, None], 1.0))
    clf = suffice.GenerativeClassifier("multinomial", keep=4, calibration="none").fit(sparse.csr_matrix(X), y)
    assert clf.model_.schema.columns == ["x0", "x5", "x10", "x15"]
    dense = suffice.GenerativeClassifier("multinomial", keep=4, calibration="none").fit(X, y)
    assert clf.predict_proba(sparse.csr_matrix(X)) == pytest.approx(dense.predict_proba(X))
    assert clf.model_.posterior(sparse.csr_matrix(X)) == pytest.approx(dense.predict_proba(X))


@pytest.mark.parametrize("options", [
    {}, {"covariance": "full", "calibration": "auto"}, {"discriminative": True, "penalty": 1.0},
    {"covariance": "full", "components": 2}, {"covariance": "tied-diag", "shrink_means": "auto"},
])
def test_every_way_of_training(wdbc, options):
    X, y = wdbc
    clf = suffice.GenerativeClassifier(keep=4, **options).fit(X, y)
    kept = [int(name[1:]) for name in clf.model_.schema.columns]
    assert len(kept) == 4
    assert clf.score(X, y) > 0.85
    assert clf.model_.options["keep"] == 4
    if "calibration" not in options and options:
        alone = suffice.GenerativeClassifier(**options).fit(X[:, kept], y)
        assert clf.predict_proba(X) == pytest.approx(alone.predict_proba(X[:, kept]), rel=1e-4, abs=1e-6)


def test_select():
    X, y = load_iris(return_X_y=True)
    found = suffice.select(X, y, keep=[1, 2, None], covariance="tied", shrinkage=0, calibration="none")
    assert [one["options"].get("keep") for one in found.candidates] == [1, 2, None]
    # With as many rows in each class, F ranks as the mean over pairs does.
    best = suffice.select(X, y, keep=2, covariance="tied", shrinkage=0, predictions=True)
    assert best.model.schema.columns == [f"x{j}" for j in kept_by_sklearn(X, y, 2)]
    assert best.model.decide(X).shape == (150,)
    assert np.mean(best.predictions["label"] == y) == pytest.approx(1 - best.candidates[0]["error_rate"])
    above = suffice.select(X, y, keep_above=[0.5, 20], covariance="diag")
    assert [one["options"]["keep_above"] for one in above.candidates] == [0.5, 20]


def test_what_is_refused(wdbc):
    X, y = wdbc
    stats = suffice.Statistics.of(X, y)
    for options, needle in [({"keep": 0}, "keep must be at least 1"), ({"keep": 1.5}, "whole number"),
                            ({"keep_above": -1}, "at least 0"),
                            ({"keep": 1, "keep_above": 1}, "leave one of the two out"),
                            ({"keep_above": 1e9}, "the largest divergence is")]:
        with pytest.raises(suffice.InvalidArgument, match=needle):
            stats.estimate("tied", **options)
    assert len(stats.estimate("tied", keep=1000).schema) == 30
