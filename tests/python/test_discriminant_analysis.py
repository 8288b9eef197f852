"""The drop-ins of discriminant analysis: scikit-learn's numbers, and the laws that scikit-learn's do
not keep (batches, weights, offsets, units)."""
from __future__ import annotations

import copy
import csv
import gzip
import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from datasets import IMAGES, read_idx  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal  # noqa: E402
from sklearn import discriminant_analysis as theirs  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.covariance import OAS, EmpiricalCovariance  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from suffice.sklearn import LinearDiscriminantAnalysis as LDA  # noqa: E402
from suffice.sklearn import QuadraticDiscriminantAnalysis as QDA  # noqa: E402

TABLES = {
    "iris": ("iris.csv.gz", "species"),
    "wine": ("wine.csv.gz", "cultivar"),
    "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis"),
    "digits": ("digits.csv.gz", "digit"),
    "glyphs": ("glyphs.csv.gz", "letter"),
}
SOLVERS = [("svd", None), ("lsqr", None), ("eigen", None), ("lsqr", 0.1), ("eigen", 0.1),
           ("lsqr", "auto"), ("eigen", "auto")]
ROWS = np.random.default_rng(7)


@pytest.fixture(scope="session")
def table(data):
    """A function from a name to (rows, labels)."""
    read = {}

    def of(name):
        if name in read:
            return read[name]
        if name == "images":
            images, labels = (read_idx(data(file)) for file in IMAGES["train"])
            every_other = images[:3000].reshape(-1, 28, 28)[:, ::2, ::2].reshape(-1, 196)
            read[name] = every_other.astype(np.float64), labels[:3000]
            return read[name]
        file, label = TABLES[name]
        with gzip.open(data(file), "rt", encoding="utf-8", newline="") as text:
            header, *rows = csv.reader(text)
        column = header.index(label)
        X = np.array([row[:column] + row[column + 1:] for row in rows], dtype=np.float64)
        read[name] = X, np.array([row[column] for row in rows])
        return read[name]

    return of


def blobs(rows=90, features=4, classes=3, seed=0):
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(rows) % classes)
    mixing = random.normal(size=(features, features))
    means = random.normal(size=(classes, features))
    return random.normal(size=(rows, features)) @ mixing + means[y], y


def functions(model):
    """The linear functions up to what all classes share, as one array."""
    rows = np.column_stack([model.coef_, model.intercept_])
    return rows if len(rows) == 1 else rows - rows.mean(axis=0)


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


# scikit-learn's numbers.

def reference(solver, shrinkage, X, y, priors=None):
    """scikit-learn's estimator, or None where it refuses."""
    try:
        return theirs.LinearDiscriminantAnalysis(solver, shrinkage, priors).fit(X, y)
    except np.linalg.LinAlgError:
        return None


@pytest.mark.parametrize("name", [*TABLES, "images"])
@pytest.mark.parametrize("shrinkage", [None, 0.1, "auto"])
def test_linear_numbers(table, name, shrinkage):
    X, y = table(name)
    solvers = ["svd", "lsqr", "eigen"] if shrinkage is None else ["lsqr", "eigen"]
    known = {solver: reference(solver, shrinkage, X, y) for solver in solvers}
    known = {solver: model for solver, model in known.items() if model is not None}
    assert known.keys() >= {"lsqr"}
    some = X[:: max(1, len(X) // 500)]
    first = next(iter(known.values()))
    spread = max(relative(functions(model), functions(first)) for model in known.values())
    proba_spread = max(np.abs(model.predict_proba(some) - first.predict_proba(some)).max()
                       for model in known.values())
    for solver, model in known.items():
        mine = LDA(solver, shrinkage).fit(X, y)
        assert relative(mine.coef_, model.coef_) <= max(1e-10, 10 * spread), solver
        assert relative(mine.intercept_, model.intercept_) <= max(1e-10, 10 * spread), solver
        assert_allclose(mine.predict_proba(some), model.predict_proba(some), rtol=0,
                        atol=max(1e-10, 10 * proba_spread), err_msg=solver)
        assert_allclose(mine.means_, model.means_, rtol=1e-12, atol=1e-12)
        assert_allclose(mine.priors_, model.priors_, rtol=1e-15)
        if solver != "svd":
            assert relative(mine.covariance_, model.covariance_) <= 1e-12


@pytest.mark.parametrize("solver, shrinkage", SOLVERS)
def test_given_priors(table, solver, shrinkage):
    X, y = table("wine")
    priors = [0.5, 0.3, 0.2]
    mine = LDA(solver, shrinkage, priors, store_covariance=True).fit(X, y)
    other = theirs.LinearDiscriminantAnalysis(
        solver, shrinkage, priors, store_covariance=True).fit(X, y)
    assert relative(mine.coef_, other.coef_) < 1e-10
    assert relative(mine.intercept_, other.intercept_) < 1e-10
    assert relative(mine.covariance_, other.covariance_) < 1e-12
    assert_allclose(mine.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-10)
    assert_allclose(mine.decision_function(X), other.decision_function(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("solver, shrinkage", [("svd", None), ("eigen", None), ("eigen", 0.1),
                                               ("eigen", "auto")])
@pytest.mark.parametrize("priors", [None, [0.5, 0.3, 0.2]])
@pytest.mark.parametrize("axes", [1, 2])
def test_axes(table, solver, shrinkage, priors, axes):
    X, y = table("wine")
    mine = LDA(solver, shrinkage, priors, axes).fit(X, y)
    other = theirs.LinearDiscriminantAnalysis(solver, shrinkage, priors, axes).fit(X, y)
    assert_allclose(mine.explained_variance_ratio_, other.explained_variance_ratio_, rtol=1e-10)
    found, expected = mine.transform(X), other.transform(X)
    assert found.shape == expected.shape == (len(X), axes)
    sign = np.sign((found * expected).sum(axis=0))
    assert_allclose(found * sign, expected, rtol=0, atol=1e-9)
    assert mine.scalings_.shape == other.scalings_.shape
    if solver == "svd":
        assert_allclose(mine.xbar_, other.xbar_, rtol=1e-13)


def test_means_with_fewer_axes_than_classes(table):
    """Class means on a line: the second axis carries nothing and is left out."""
    X, _ = table("iris")
    y = np.arange(len(X)) % 3
    for k in range(3):
        X = np.where((y == k)[:, np.newaxis], X - X[y == k].mean(axis=0) + k, X)
    mine, other = LDA().fit(X, y), theirs.LinearDiscriminantAnalysis().fit(X, y)
    assert mine.scalings_.shape == other.scalings_.shape == (4, 1)
    assert mine.transform(X).shape == (len(X), 1)


def test_covariance_estimator(table):
    X, y = table("iris")
    for estimator in (OAS(), EmpiricalCovariance()):
        for solver in ("lsqr", "eigen"):
            mine = LDA(solver, covariance_estimator=estimator).fit(X, y)
            other = theirs.LinearDiscriminantAnalysis(
                solver, covariance_estimator=clone(estimator)).fit(X, y)
            assert relative(mine.coef_, other.coef_) < 1e-10
        assert not hasattr(estimator, "covariance_")  # a copy was fitted
    counts = ROWS.integers(0, 4, len(X))
    weighted = LDA("lsqr", covariance_estimator=OAS()).fit(X, y, counts)
    repeated = theirs.LinearDiscriminantAnalysis("lsqr", covariance_estimator=OAS()).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert relative(weighted.coef_, repeated.coef_) < 1e-10
    with pytest.raises(ValueError, match="whole numbers; got .*0.5"):
        LDA("lsqr", covariance_estimator=OAS()).fit(X, y, np.full(len(X), 0.5))


@pytest.mark.parametrize("options", [{}, {"reg_param": 0.01}, {"solver": "eigen"},
                                     {"solver": "eigen", "shrinkage": 0.1},
                                     {"solver": "eigen", "shrinkage": "auto"},
                                     {"solver": "eigen", "covariance_estimator": OAS()}])
@pytest.mark.parametrize("name", ["iris", "wine", "glyphs"])
def test_quadratic_numbers(table, name, options):
    X, y = table(name)
    mine = QDA(store_covariance=True, **options).fit(X, y)
    other = theirs.QuadraticDiscriminantAnalysis(store_covariance=True, tol=0, **options).fit(X, y)
    some = X[:: max(1, len(X) // 500)]
    assert_allclose(mine.predict_proba(some), other.predict_proba(some), rtol=0, atol=1e-10)
    assert_allclose(mine.decision_function(some), other.decision_function(some), rtol=1e-9,
                    atol=1e-9)
    assert_array_equal(mine.predict(some), other.predict(some))
    assert_allclose(mine.means_, other.means_, rtol=1e-12)
    assert_allclose(mine.priors_, other.priors_, rtol=1e-15)
    for k in range(len(mine.classes_)):
        assert relative(mine.covariance_[k], other.covariance_[k]) < 1e-12
        assert_allclose(mine.scalings_[k], other.scalings_[k], rtol=1e-7, atol=1e-14)
        signs = np.sign((mine.rotations_[k] * other.rotations_[k]).sum(axis=0))
        assert_allclose(mine.rotations_[k] * signs, other.rotations_[k], rtol=0, atol=1e-6)


def test_quadratic_priors(table):
    X, y = table("iris")
    for priors in ([0.2, 0.2, 0.6], [1e-30, 0.5, 0.5], [1, 2, 3], [0, 0.5, 0.5]):
        mine = QDA(priors=priors).fit(X, y)
        other = theirs.QuadraticDiscriminantAnalysis(priors=priors).fit(X, y)
        with np.errstate(divide="ignore"):
            assert_allclose(mine.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-12)
            assert_array_equal(mine.predict(X), other.predict(X))
    with pytest.raises(ValueError, match="priors must be non-negative"):
        QDA(priors=[-0.5, 0.5, 1]).fit(X, y)
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        QDA(priors=[0.5, 0.5]).fit(X, y)


def test_two_classes(table):
    X, y = table("wdbc")
    for mine, other in [(LDA(), theirs.LinearDiscriminantAnalysis()),
                        (QDA(), theirs.QuadraticDiscriminantAnalysis(tol=0))]:
        mine.fit(X, y), other.fit(X, y)
        score = mine.decision_function(X)
        assert score.shape == (len(X),)
        assert_allclose(score, other.decision_function(X), rtol=1e-6, atol=1e-6)
        assert_array_equal(mine.predict(X), mine.classes_[(score > 0).astype(int)])
        assert_allclose(mine.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-7)


# Laws.

ESTIMATORS = [LDA(), LDA("lsqr"), LDA("eigen"), LDA("lsqr", 0.2), LDA("eigen", 0.2), QDA(),
              QDA(reg_param=0.1), QDA(solver="eigen", shrinkage=0.2)]
TWO_READINGS = [LDA("lsqr", "auto"), LDA("eigen", "auto"), QDA(solver="eigen", shrinkage="auto"),
                LDA("lsqr", covariance_estimator=EmpiricalCovariance()),
                QDA(solver="eigen", covariance_estimator=EmpiricalCovariance())]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_batches_give_what_all_rows_give(estimator):
    X, y = blobs()
    whole = clone(estimator).fit(X, y)
    parts = clone(estimator)
    for first in (0, 1, 5, 40):
        last = {0: 1, 1: 5, 5: 40, 40: 90}[first]
        parts.partial_fit(X[first:last], y[first:last], classes=[0, 1, 2])
    assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-10, atol=1e-10)
    assert_allclose(parts.means_, whole.means_, rtol=1e-12)
    resumed = clone(estimator).fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    assert_allclose(resumed.predict_proba(X), whole.predict_proba(X), rtol=0, atol=1e-11)


@pytest.mark.parametrize("estimator", ESTIMATORS + TWO_READINGS, ids=repr)
def test_weights_are_frequencies(estimator):
    X, y = blobs()
    counts = ROWS.integers(0, 4, len(X))
    counts[y == 0] += 1
    weighted = clone(estimator).fit(X, y, sample_weight=counts)
    repeated = clone(estimator).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-9,
                    atol=1e-9)
    assert_allclose(weighted.priors_, repeated.priors_, rtol=1e-15)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_class_without_rows_is_impossible(estimator):
    X, y = blobs(classes=2)
    wider = clone(estimator).partial_fit(X, y, classes=[-1, 0, 1])
    plain = clone(estimator).fit(X, y)
    assert_allclose(wider.predict_proba(X)[:, 1:], plain.predict_proba(X), rtol=0, atol=1e-12)
    assert_array_equal(wider.predict_proba(X)[:, 0], 0)
    assert_array_equal(wider.predict(X), plain.predict(X))
    assert wider.priors_[0] == 0 and np.isnan(wider.means_[0]).all()
    weights = np.where(y == 0, 0.0, 1.0)
    if isinstance(estimator, LDA):
        alone = clone(estimator).fit(X, y, weights)
        assert_array_equal(alone.predict(X), 1)
        assert_array_equal(alone.predict_proba(X)[:, 1], 1)


@pytest.mark.parametrize("estimator", TWO_READINGS, ids=repr)
def test_batches_have_no_second_reading(estimator):
    X, y = blobs()
    with pytest.raises(ValueError, match="read all rows a second time. Call fit"):
        clone(estimator).partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_offset(table, solver):
    """Rows that are whole numbers keep their bits under a shift of 2³⁰."""
    X, y = table("iris")
    X = np.rint(X * 10)
    near = LDA(solver, store_covariance=True).fit(X, y)
    far = LDA(solver, store_covariance=True).fit(X + 2**30, y)
    assert_allclose(far.covariance_, near.covariance_, rtol=1e-12)
    centre = near.coef_.mean(axis=0)
    assert_allclose(far.coef_ - far.coef_.mean(axis=0), near.coef_ - centre,
                    rtol=1e-10 if solver == "svd" else 1e-5)
    assert_allclose(far.predict_proba(X + 2**30), near.predict_proba(X), rtol=0, atol=1e-5)
    if solver == "svd":
        here, there = near.transform(X), far.transform(X + 2**30)  # xbar_ itself is one double
        assert_allclose(there - there[0], here - here[0], rtol=1e-10, atol=1e-10)
    assert_allclose(LDA(solver).fit(X[50:] + 2**30, y[50:]).coef_,
                    LDA(solver).fit(X[50:], y[50:]).coef_, rtol=1e-10)


def test_offset_quadratic(table):
    X, y = table("iris")
    X = np.rint(X * 10)
    near, far = QDA().fit(X, y), QDA().fit(X + 2**30, y)
    assert_allclose(far.predict_proba(X + 2**30), near.predict_proba(X), rtol=0, atol=1e-5)
    assert_allclose(far.scalings_, near.scalings_, rtol=1e-10)


@pytest.mark.parametrize("estimator", [LDA(), LDA("lsqr"), LDA("eigen"), QDA()], ids=repr)
def test_units_do_not_matter(table, estimator):
    X, y = table("wine")
    scale = 2.0 ** np.arange(-26, 26, 4)  # powers of 2 keep every digit
    plain, scaled = clone(estimator).fit(X, y), clone(estimator).fit(X * scale, y)
    assert_allclose(scaled.predict_proba(X * scale), plain.predict_proba(X), rtol=0, atol=1e-10)


# Degenerate rows.

def test_constant_column(table):
    X, y = table("iris")
    wider = np.insert(X, 1, 0.1, axis=1)
    for solver in ("svd", "lsqr", "eigen"):
        mine, plain = LDA(solver).fit(wider, y), LDA(solver).fit(X, y)
        assert_array_equal(mine.coef_[:, 1], 0)
        assert_allclose(mine.predict_proba(wider), plain.predict_proba(X), rtol=0, atol=1e-11)


@pytest.mark.parametrize("solver", ["svd", "lsqr"])
def test_collinear_columns(table, solver):
    """The last column adds nothing; scikit-learn's coefficients are those of least length."""
    X, y = table("iris")
    wider = np.column_stack([X, X[:, 0] + X[:, 1]])
    mine, other = LDA(solver).fit(wider, y), theirs.LinearDiscriminantAnalysis(solver).fit(wider, y)
    plain = LDA(solver).fit(X, y)
    assert_allclose(mine.predict_proba(wider), plain.predict_proba(X), rtol=0, atol=1e-9)
    assert relative(mine.coef_, other.coef_) < 1e-8


def test_collinear_columns_have_no_eigen_solution(table):
    X, y = table("iris")
    wider = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.raises(np.linalg.LinAlgError, match="rank is 4 of 5; set shrinkage"):
        LDA("eigen").fit(wider, y)
    assert_allclose(LDA("eigen", 0.1).fit(wider, y).coef_,
                    theirs.LinearDiscriminantAnalysis("eigen", 0.1).fit(wider, y).coef_, rtol=1e-9)


def test_more_features_than_rows():
    X, y = blobs(rows=20, features=50)
    for solver, shrinkage in [("svd", None), ("lsqr", None), ("lsqr", 0.5), ("eigen", 0.5),
                              ("lsqr", "auto"), ("eigen", "auto")]:
        mine = LDA(solver, shrinkage).fit(X, y)
        other = theirs.LinearDiscriminantAnalysis(solver, shrinkage).fit(X, y)
        assert relative(mine.coef_, other.coef_) < 1e-8, (solver, shrinkage)


@pytest.mark.parametrize("solver, shrinkage", SOLVERS)
def test_one_feature(table, solver, shrinkage):
    X, y = table("iris")
    mine = LDA(solver, shrinkage).fit(X[:, :1], y)
    other = theirs.LinearDiscriminantAnalysis(solver, shrinkage).fit(X[:, :1], y)
    assert_allclose(mine.coef_, other.coef_, rtol=1e-10, atol=1e-12)
    assert_allclose(mine.intercept_, other.intercept_, rtol=1e-10)


def test_more_features_than_rows_in_batches():
    X, y = blobs(rows=20, features=50)
    X[:, 7] = 0.5
    weights = ROWS.integers(0, 3, len(X)) + (y == 0)
    whole = LDA().fit(X, y, weights)
    repeated = theirs.LinearDiscriminantAnalysis().fit(np.repeat(X, weights, axis=0),
                                                       np.repeat(y, weights))
    parts = LDA().partial_fit(X[:9], y[:9], [0, 1, 2], weights[:9])
    parts.partial_fit(X[9:], y[9:], sample_weight=weights[9:])
    assert relative(whole.coef_, repeated.coef_) < 1e-8
    assert relative(parts.coef_, whole.coef_) < 1e-8
    assert_array_equal(whole.coef_[:, 7], 0)


def test_far_more_features_than_rows():
    """The scatters of two classes would have 32 million numbers."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(30, 4000)), np.arange(30) % 2
    X[y == 1] += 0.2
    counts = random.integers(0, 3, 30) + (np.arange(30) < 6)
    mine = LDA().fit(X, y, counts)
    other = theirs.LinearDiscriminantAnalysis().fit(np.repeat(X, counts, axis=0),
                                                    np.repeat(y, counts))
    assert relative(mine.coef_, other.coef_) < 1e-9
    assert_allclose(mine.intercept_, other.intercept_, rtol=1e-9)
    assert_allclose(pickle.loads(pickle.dumps(mine)).predict_proba(X), other.predict_proba(X),
                    rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="far fewer rows than the 4000 features"):
        mine.partial_fit(X, y)


def test_one_class():
    X, _ = blobs()
    for solver in ("svd", "lsqr", "eigen"):
        mine = LDA(solver).fit(X, np.zeros(len(X), int))
        assert_array_equal(mine.predict(X), 0)
        assert_array_equal(mine.predict_proba(X), np.ones((len(X), 1)))
    with pytest.raises(ValueError, match="greater than one. Got 1 class"):
        QDA().fit(X, np.zeros(len(X), int))


def test_no_variance_within_the_classes():
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]
    with pytest.raises(np.linalg.LinAlgError, match="no feature varies within a class"):
        LDA().fit(X, y)
    with pytest.raises(np.linalg.LinAlgError, match="class 0 is not full rank"):
        QDA().fit(X, y)


def test_quadratic_rank_does_not_depend_on_tol():
    """scikit-learn refuses, at its default tol, 1000 rows of 100 features mixed by a random matrix,
    a covariance that is as well conditioned as a matrix of random numbers."""
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 100)) @ random.normal(size=(100, 100))
    y = np.arange(1000) % 2
    X[y == 1] *= 1.1
    with pytest.raises(np.linalg.LinAlgError):
        theirs.QuadraticDiscriminantAnalysis().fit(X, y)
    mine = QDA().fit(X, y)
    other = theirs.QuadraticDiscriminantAnalysis(tol=0).fit(X, y)
    assert_allclose(mine.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-9)


def test_quadratic_names_what_is_dependent():
    pandas = pytest.importorskip("pandas")
    X, y = blobs()
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["e"] = frame["a"] - frame["b"]
    with pytest.raises(np.linalg.LinAlgError, match="class 0 is not full rank.*4 of 5.*: e[.]"):
        QDA().fit(frame, y)


def test_a_refused_fit_leaves_nothing():
    X, y = blobs()
    model = QDA().fit(X, y)
    with pytest.raises(np.linalg.LinAlgError):
        model.fit(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    linear = LDA(n_components=2).fit(X, y)
    with pytest.raises(ValueError, match="n_components cannot be larger"):
        linear.fit(X, y == 0)
    with pytest.raises(NotFittedError):
        linear.transform(X)
    assert linear.partial_fit(X, y, classes=[0, 1, 2]).transform(X).shape == (90, 2)
    small = QDA().partial_fit(X[:4], y[:4], classes=[0, 1, 2])  # too few rows yet
    with pytest.raises(ValueError, match="only 1 sample in class"):
        small.predict(X)
    small.partial_fit(X[4:], y[4:])
    assert_allclose(small.predict_proba(X), QDA().fit(X, y).predict_proba(X), rtol=0, atol=1e-11)


@pytest.mark.parametrize("estimator", [LDA(), QDA()], ids=repr)
@pytest.mark.parametrize("bad, words", [(np.nan, "NaN"), (np.inf, "infinity")])
def test_bad_values(estimator, bad, words):
    X, y = blobs()
    model = clone(estimator).fit(X, y)
    wrong = X.copy()
    wrong[3, 2] = bad
    for call in (lambda: clone(estimator).fit(wrong, y), lambda: model.predict(wrong),
                 lambda: model.predict_proba(wrong), lambda: model.decision_function(wrong),
                 lambda: model.partial_fit(wrong, y)):
        with pytest.raises(ValueError, match=words):
            call()
    if isinstance(model, LDA):
        with pytest.raises(ValueError, match=words):
            model.transform(wrong)


# Manners.

@pytest.mark.parametrize("estimator", ESTIMATORS + TWO_READINGS, ids=repr)
def test_pickles_and_copies(estimator):
    X, y = blobs()
    model = clone(estimator).fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
        assert_array_equal(twin.decision_function(X), model.decision_function(X))
    if estimator in ESTIMATORS:
        twin = pickle.loads(pickle.dumps(clone(estimator).partial_fit(X[:50], y[:50], [0, 1, 2])))
        assert_allclose(twin.partial_fit(X[50:], y[50:]).predict_proba(X), model.predict_proba(X),
                        rtol=0, atol=1e-11)


def test_pipelines_searches_and_calibration():
    X, y = blobs(rows=300)
    for step, grid in [(LDA("lsqr"), {"shrinkage": [None, 0.1, "auto"]}),
                       (QDA(), {"reg_param": [0.0, 0.1]})]:
        name = type(step).__name__.lower()
        search = GridSearchCV(make_pipeline(StandardScaler(), step),
                              {f"{name}__{key}": values for key, values in grid.items()}, cv=3)
        assert search.fit(X, y).best_score_ > 0.6
        assert CalibratedClassifierCV(step, cv=3).fit(X, y).predict_proba(X).shape == (300, 3)


def test_frames():
    pandas = pytest.importorskip("pandas")
    X, y = blobs()
    frame = pandas.DataFrame(X, columns=list("abcd"))
    labels = pandas.Series(y).map({0: "x", 1: "y", 2: "z"})
    model = LDA().set_output(transform="pandas").fit(frame, labels)
    assert model.feature_names_in_.tolist() == list("abcd")
    out = model.transform(frame)
    assert list(out.columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    assert_allclose(out, LDA().fit_transform(X, y))
    assert set(model.predict(frame)) == {"x", "y", "z"}
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])


def test_single_precision():
    X, y = blobs()
    single = X.astype(np.float32)
    for solver, shrinkage in SOLVERS:
        mine = LDA(solver, shrinkage).fit(single, y)
        assert mine.coef_.dtype == mine.means_.dtype == mine.priors_.dtype == np.float32
        exact = LDA(solver, shrinkage).fit(single.astype(np.float64), y)
        assert_allclose(mine.predict_proba(single), exact.predict_proba(single), rtol=0, atol=1e-12)
        assert_array_equal(mine.coef_, exact.coef_.astype(np.float32))
    assert LDA().fit(single, y).transform(single).dtype == np.float32
    whole = np.rint(X * 10)
    for kind in (np.int8, np.uint16, np.int64):
        shifted = whole - whole.min()
        small = np.minimum(shifted, 100).astype(kind)
        assert_array_equal(LDA().fit(small, y).coef_, LDA().fit(small.astype(float), y).coef_)


def test_changed_coefficients_are_used():
    X, y = blobs()
    model = LDA().fit(X, y)
    model.intercept_ = model.intercept_ + np.array([0, 1e6, 0])
    assert_array_equal(model.predict(X), 1)
    model.coef_[:] = 0
    assert_allclose(model.decision_function(X), np.tile(model.intercept_, (len(X), 1)))


def test_sparse_rows_are_scored():
    sparse = pytest.importorskip("scipy.sparse")
    X, y = blobs()
    X[X < 0] = 0
    model = LDA().fit(X, y)
    rows = sparse.csr_array(X)
    assert_allclose(model.decision_function(rows), model.decision_function(X), rtol=1e-12,
                    atol=1e-12)
    assert_array_equal(model.predict(rows), model.predict(X))
    with pytest.raises(TypeError, match="[Ss]parse"):
        model.transform(rows)


def test_small_probabilities_have_logs():
    X, y = blobs()
    far = X + 1e4
    for model in (LDA().fit(X, y), QDA().fit(X, y)):
        logs, scores = model.predict_log_proba(far), model.decision_function(far)
        assert np.isfinite(logs).all() and logs.min() < -1000
        assert_allclose(logs - logs.max(axis=1, keepdims=True),
                        scores - scores.max(axis=1, keepdims=True), rtol=1e-9, atol=1e-6)
