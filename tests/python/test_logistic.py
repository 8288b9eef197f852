"""Logistic regression: scikit-learn's numbers, the command line's bits, and what has no density."""
from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from datasets import IMAGES, read_idx  # noqa: E402
from numpy.testing import assert_allclose  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.linear_model import LogisticRegression as Theirs  # noqa: E402
from sklearn.preprocessing import PolynomialFeatures, StandardScaler  # noqa: E402

import suffice  # noqa: E402
from suffice import GenerativeClassifier, LogisticRegression  # noqa: E402

TABLES = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar"),
          "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis"), "census": ("census_train.csv.gz", "income")}


@pytest.fixture(scope="session")
def read(data):
    """A data set by its name: numbers, indicators of categories, and classes."""
    pandas = pytest.importorskip("pandas")

    def read(name):
        if name == "images":  # 7 × 7 pixels
            images, labels = (read_idx(data(file))[:1000] for file in IMAGES["train"])
            return images.reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4)).reshape(-1, 49) / 255, labels
        file, label = TABLES[name]
        table = pandas.read_csv(data(file))[:3000]
        y = table.pop(label).to_numpy().astype(str)
        return pandas.get_dummies(table).to_numpy(float), y

    return read


def close(found, expected):
    assert np.abs(found - expected).max() <= 1e-6 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("name", [*TABLES, "images"])
@pytest.mark.parametrize("options", [{}, {"C": 0.05, "weights": True}, {"C": 5.0, "fit_intercept": False}], ids=str)
def test_coefficients_of_scikit_learn(read, name, options):
    X, y = read(name)
    if name == "census":
        X = StandardScaler().fit_transform(X)  # else scikit-learn's own steps do not converge
    options = dict(options)
    weights = np.random.default_rng(0).integers(0, 4, len(y)) if options.pop("weights", False) else None
    ours = LogisticRegression(tol=1e-10, **options).fit(X, y, sample_weight=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Theirs(tol=1e-12, max_iter=200, solver="newton-cholesky", **options)
        theirs.fit(X, y, sample_weight=weights)
    close(ours.coef_, theirs.coef_)
    close(ours.intercept_, theirs.intercept_)
    assert ours.coef_.shape == theirs.coef_.shape and ours.intercept_.shape == theirs.intercept_.shape
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    scores = theirs.decision_function(X)
    assert_allclose(ours.decision_function(X), scores, atol=1e-5 * np.abs(scores).max())
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.999


def test_many_parameters(data):
    """9 × 785 parameters: L-BFGS with the curvature of the pixels."""
    images, y = (read_idx(data(file))[:200] for file in IMAGES["train"])
    X = images.reshape(200, -1) / 255
    ours = LogisticRegression(C=0.1, tol=1e-9, max_iter=1000).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Theirs(C=0.1, tol=1e-9, max_iter=10000).fit(X, y)
    close(ours.coef_, theirs.coef_)


def test_class_weights_and_sparse_rows(read):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = read("iris")
    weights = np.random.default_rng(0).random(len(y))
    for class_weight in ("balanced", {"setosa": 1, "versicolor": 2, "virginica": 0.5}):
        theirs = Theirs(class_weight=class_weight, tol=1e-12, solver="newton-cholesky")
        theirs.fit(X, y, sample_weight=weights)
        for rows in (X, sparse.csr_matrix(X)):
            ours = LogisticRegression(class_weight=class_weight).fit(rows, y, sample_weight=weights)
            close(ours.coef_, theirs.coef_)
            assert_allclose(ours.predict_proba(rows), theirs.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("covariance", ["tied", "diag", "full"])
def test_twins_are_regressions_on_standardised_terms(read, covariance):
    X, y = read("wine")
    X = X[:, :5]
    terms = X
    if covariance != "tied":
        centered = X - X.mean(axis=0)
        terms = np.hstack([X, centered**2])
        if covariance == "full":
            terms = np.hstack([X, PolynomialFeatures(2, include_bias=False).fit_transform(centered)[:, 5:]])
    theirs = Theirs(C=1 / 3, tol=1e-12, solver="newton-cholesky").fit(StandardScaler().fit_transform(terms), y)
    ours = GenerativeClassifier(covariance=covariance, discriminative=True, penalty=3).fit(X, y)
    found = ours.model_.logistic
    close(found["weights"] * found["scale"], theirs.coef_)
    close(found["intercept"], theirs.intercept_)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(StandardScaler().fit_transform(terms)), atol=1e-7)
    twin = suffice.Statistics.of(X, y).estimate(covariance=covariance).twin(X, y, penalty=3)
    assert_allclose(twin.posterior(X), ours.predict_proba(X), atol=1e-9)


def test_priors_are_divided_out(read):
    X, y = read("iris")
    model = GenerativeClassifier(discriminative=True, penalty=1).fit(X[20:], y[20:]).model_
    odds = model.posterior(X) / model.weights
    assert_allclose(model.posterior(X, "uniform"), odds / odds.sum(axis=1, keepdims=True), atol=1e-12)
    assert (model.decide(X, costs={("virginica", "versicolor"): 50}) == "virginica").sum() > (y == "virginica").sum()


def test_what_needs_a_density_is_refused(read):
    X, y = read("iris")
    clf = GenerativeClassifier(discriminative=True).fit(X, y)
    model = clf.model_
    for call in (lambda: model.log_likelihood(X), lambda: model.log_density(X), lambda: model.outlier_score(X),
                 lambda: model.sample(3), lambda: model.decide(X, outlier=0.01), lambda: clf.score_samples(X),
                 lambda: clf.predict_log_likelihood(X), lambda: clf.outliers(X), lambda: clf.sample(2)):
        with pytest.raises(suffice.InvalidArgument, match="needs the density of a row"):
            call()
    assert "logistic regression on 4 terms" in repr(model)
    assert model.llr(X).shape == (150, 3)
    assert suffice.evaluate(model, X, y).error_rate < 0.04


def test_parameters_that_are_about_densities(read):
    X, y = read("iris")
    for options, words in [({"tails": "auto"}, "tails='auto'"), ({"shrinkage": "loo"}, "shrinkage='loo'"),
                           ({"calibration": "auto"}, "calibration='auto'"), ({"transforms": "auto"}, "transforms"),
                           ({"categories": "auto"}, "categories='auto'")]:
        with pytest.raises(ValueError, match=words):
            GenerativeClassifier(discriminative=True, **options).fit(X, y)
    with pytest.raises(ValueError, match="penalty is for logistic regression"):
        GenerativeClassifier(penalty=2).fit(X, y)
    with pytest.raises(ValueError, match="discriminative=True needs all rows"):
        GenerativeClassifier(discriminative=True).partial_fit(X, y)
    stats = suffice.Statistics.of(X, y)
    with pytest.raises(ValueError, match="needs rows"):
        GenerativeClassifier.from_statistics(stats, discriminative=True)
    with pytest.raises(suffice.InvalidArgument, match="passes over rows"):
        stats.estimate(discriminative=True)
    with pytest.raises(suffice.InvalidArgument, match="at least 0"):
        stats.estimate().twin(X, y, penalty=-1)
    for bad in ({"penalty": "l1"}, {"l1_ratio": 0.5}, {"C": 0}, {"solver": "liblinear"}, {"max_iter": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            LogisticRegression(**bad).fit(X, y)


def test_classes_that_can_be_told_apart():
    X, y = [[1.0], [2.0], [3.0], [5.0], [6.0], [7.0]], list("aaabbb")
    with pytest.warns(suffice.SufficeWarning, match="grow without bound"):
        clf = LogisticRegression(penalty=None).fit(X, y)
    assert np.isfinite(clf.coef_).all() and clf.predict(X).tolist() == y
    with pytest.warns(suffice.SufficeWarning, match="grow without bound"):
        GenerativeClassifier(discriminative=True, penalty=0).fit(X, y)
    # A column that gives the class away has no density, and a weight.
    gives = np.hstack([X, [[0], [0], [0], [1], [1], [1]]])
    clf = GenerativeClassifier(discriminative=True, penalty=1).fit(gives, y)
    assert clf.predict(gives).tolist() == y
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        LogisticRegression(max_iter=2).fit(X, y)


def test_one_class_and_classes_without_weight(read):
    X, y = read("iris")
    with pytest.raises(ValueError, match="only one class: 'setosa'"):
        LogisticRegression().fit(X[:50], y[:50])
    weights = np.where(y == "setosa", 0, 1)
    clf = LogisticRegression().fit(X, y, sample_weight=weights)
    others = LogisticRegression().fit(X[50:], y[50:])
    assert clf.predict_proba(X)[:, 0].max() == 0
    assert_allclose(clf.predict_proba(X)[:, 2], others.predict_proba(X)[:, 1], atol=1e-9)


def test_missing_values_are_filled_in(read):
    X, y = read("wine")
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.02, np.nan, X)
    clf = GenerativeClassifier(discriminative=True, penalty=1).fit(X, y)
    assert clf.model_.options["filled_values"] == np.isnan(X).sum()
    assert clf.score(X, y) > 0.97
    with pytest.raises(ValueError, match="contains NaN"):
        LogisticRegression().fit(X, y)


def test_selection(read):
    X, y = read("wdbc")
    found = suffice.select(X, y, covariance="tied", discriminative=[False, True], folds=3)
    assert [c["options"].get("discriminative", "no") for c in found.candidates] == ["no", "yes"]
    assert found.best_options["discriminative"] == "yes" and found.model.logistic is not None
    decided = suffice.cross_val_predict(X, y, covariance="tied", discriminative=True, penalty=1, folds=3)
    assert 0.95 < (decided == y).mean() < 1


def test_bits(read, command_line, data, tmp_path):
    X, y = read("wdbc")
    one, three = (GenerativeClassifier(discriminative=True, penalty=1, n_jobs=n).fit(X, y).model_ for n in (1, 3))
    assert one == three
    one.save(tmp_path / "a.suffice")
    assert suffice.Model.load(tmp_path / "a.suffice").logistic["weights"].tolist() == one.logistic["weights"].tolist()
    command_line.good("fit", data("breast_cancer_wdbc.csv.gz"), "--label", "diagnosis", "--discriminative",
                      "--penalty", "1", "-o", tmp_path / "b.suffice")
    other = suffice.Model.load(tmp_path / "b.suffice")
    assert other.logistic["weights"].tolist() == one.logistic["weights"].tolist()
    a, b = (LogisticRegression(n_jobs=n).fit(X, y) for n in (1, 3))
    assert (a.coef_ == b.coef_).all()
    for same in (pickle.loads(pickle.dumps(a)), clone(a).fit(X, y)):
        assert (same.predict_proba(X) == a.predict_proba(X)).all()


def test_files(data):
    path = data("iris.csv.gz")
    table = pytest.importorskip("pandas").read_csv(path)
    files, frame = (suffice.Statistics.of(rows, "species").estimate(covariance="tied").twin(rows, "species", penalty=1)
                    for rows in (str(path), table))
    assert (files.logistic["weights"] == frame.logistic["weights"]).all()


def test_progress_may_stop_it(read):
    X, y = read("census")
    model = suffice.Statistics.of(X, y).estimate(covariance="tied")

    def stop(share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        model.twin(X, y, progress=stop)


def test_export_of_the_drop_in(read, tmp_path):
    X, y = read("iris")
    clf = LogisticRegression().fit(X, y)
    text = suffice.sklearn.export(clf, "json")
    import exports  # that of the tests of the command line
    rows = [dict(zip([f"x{j}" for j in range(4)], row)) for row in X[::10].tolist()]
    scope = {}
    exec(exports.code_of(exports.page(), "python"), scope)
    import json
    found = [scope["predict"](json.loads(text), row)[1] for row in rows]
    assert_allclose(found, clf.predict_proba(X[::10]), atol=1e-12)
