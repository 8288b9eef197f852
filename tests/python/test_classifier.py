"""GenerativeClassifier as an object: parameters, classes of many kinds, learning in parts."""

from __future__ import annotations

import copy
import datetime
import inspect
import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_iris, make_blobs  # noqa: E402

import suffice  # noqa: E402
from suffice import GenerativeClassifier, _core  # noqa: E402


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


# ---- parameters


def test_options_are_the_engines():
    """Names, defaults and sentences of the engine's table; nothing of it is left out. What fit
    chooses is not given by default."""
    parameters = inspect.signature(GenerativeClassifier).parameters
    text = " ".join(GenerativeClassifier.__doc__.split())
    table = [option for option in _core.estimate_options() if option["in_grids"]]
    assert {"covariance", "smoothing", "pca", "shrinkage"} <= {option["name"] for option in table}
    for option in table:
        default = parameters[option["name"]].default
        if option["name"] == "covariance":
            assert default == "auto"
        elif option["is_chosen"] or option["default"] == "none":
            assert default is None
        elif option["values"] == "no|yes":
            assert default is (option["default"] == "yes")
        else:
            assert option["default"] == str(default) or float(option["default"]) == default
        assert option["description"] in text
    order = [name for name in parameters if name in {option["name"] for option in table}]
    assert order == [option["name"] for option in table]


def test_parameters():
    assert list(inspect.signature(GenerativeClassifier).parameters) == [
        "family",
        "transforms",
        "keep",
        "keep_above",
        "pca",
        "standardize",
        "lda",
        "covariance",
        "components",
        "discriminative",
        "penalty",
        "shrinkage",
        "target",
        "target_share",
        "towards_tied",
        "tails",
        "shrink_means",
        "estimate",
        "normalize",
        "smoothing",
        "event_model",
        "min_rows",
        "max_words",
        "idf",
        "length_power",
        "categories",
        "calibration",
        "missing",
        "missing_indicators",
        "unlabelled",
        "unlabelled_weight",
        "max_iter",
        "tol",
        "n_init",
        "priors",
        "costs",
        "n_jobs",
    ]
    assert GenerativeClassifier(covariance="tied").get_params() == dict(
        family=None,
        transforms=None,
        categories=None,
        covariance="tied",
        normalize="mle",
        smoothing=None,
        keep=None,
        keep_above=None,
        pca=None,
        standardize=False,
        lda=None,
        shrinkage=None,
        target=None,
        target_share=None,
        towards_tied=0.0,
        tails=None,
        estimate="plugin",
        calibration=None,
        missing="auto",
        missing_indicators=None,
        max_iter=200,
        tol=1e-6,
        priors="train",
        costs=None,
        n_jobs=None,
        components=1,
        discriminative=False,
        penalty="auto",
        shrink_means=None,
        event_model="multinomial",
        min_rows=0.0,
        max_words=None,
        idf=False,
        length_power=1.0,
        unlabelled=None,
        unlabelled_weight=1.0,
        n_init=5,
    )
    assert (
        repr(GenerativeClassifier(covariance="tied")) == "GenerativeClassifier(covariance='tied')"
    )
    clf = clone(
        GenerativeClassifier("poisson", priors={"a": 0.1, "b": 0.9}, costs=[[0, 1], [1, 0]])
    )
    assert (
        clf.family == "poisson"
        and clf.priors == {"a": 0.1, "b": 0.9}
        and clf.costs == [[0, 1], [1, 0]]
    )


@pytest.mark.parametrize(
    "parameters, message",
    [
        (dict(covariance="round"), "round"),
        (dict(normalize="maximum"), "maximum"),
        (dict(smoothing=-1), "smoothing"),
        (dict(smoothing=float("nan")), "smoothing"),
        (dict(family="normal"), "normal"),
        (dict(family={"x*": "normal"}), "normal"),
        (dict(family=["gaussian"] * 3), "3"),
        (dict(priors="equal"), "equal"),
        (dict(priors=[0.5, 0.5]), "3 classes"),
        (dict(priors=[0, 0, 0]), "sum to 0"),
        (dict(priors=[1.5, -0.5, 0.0]), "-0.5"),
        (dict(priors={0: 0.5, 7: 0.5}), "7|1"),
        (dict(costs=[[0, 1], [1, 0]]), "costs"),
        (dict(costs=np.full((3, 3), np.nan)), "nan"),
        (dict(n_jobs=0), "n_jobs"),
    ],
)
def test_wrong_parameters_are_said_by_fit(iris, parameters, message):
    with pytest.raises(ValueError, match=message):
        GenerativeClassifier(**parameters).fit(*iris)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(priors=[0.5, 0.5]), "3 classes"),
        (dict(costs=np.ones((2, 2))), "costs"),
        (dict(reject=np.nan), "not a number"),
        (dict(outlier=2), "2"),
        (dict(priors="training"), "training"),
        (dict(costs={(0, 9): 1}), "9"),
    ],
)
def test_wrong_arguments_are_said_by_predict(iris, arguments, message):
    clf = GenerativeClassifier().fit(*iris)
    with pytest.raises(ValueError, match=message):
        clf.predict(iris[0], **arguments)


def test_alpha_is_a_probability(iris):
    with pytest.raises(ValueError, match="alpha.*1.5"):
        GenerativeClassifier().fit(*iris).outliers(iris[0], alpha=1.5)


def test_family_for_all_by_pattern_and_by_position():
    X = np.array([[1, 0, 2], [2, 1, 0], [4, 1, 1], [7, 0, 3]])
    y = [0, 0, 1, 1]
    families = lambda family, rows: GenerativeClassifier(family).fit(rows, y).schema_.families
    assert families("poisson", X) == dict.fromkeys(["x0", "x1", "x2"], "poisson")
    assert families(["gaussian", "bernoulli", "poisson"], X) == dict(
        x0="gaussian", x1="bernoulli", x2="poisson"
    )
    assert families({"x*": "poisson", "x0": "gaussian"}, X) == dict(
        x0="gaussian", x1="poisson", x2="poisson"
    )
    frame = pd.DataFrame(X, columns=["size", "w*", "wx"])
    assert families(["gaussian", "bernoulli", "poisson"], frame) == {
        "size": "gaussian",
        "w*": "bernoulli",
        "wx": "poisson",
    }
    assert families(
        np.array(["gaussian", "poisson", "bernoulli"]), frame[["size", "wx", "w*"]]
    ) == {"size": "gaussian", "wx": "poisson", "w*": "bernoulli"}


# ---- classes

LABELS = {
    "integers": np.array([7, -3, 12]),
    "unsigned bytes": np.array([0, 200, 255], dtype=np.uint8),
    "large integers": np.array([-(2**62), 2**62, 5]),
    "strings": np.array(["pear", "apple", "Zebra"]),
    "numeric strings": np.array(["9", "10", "100"]),
    "padded strings": np.array(["1", "01", "10"]),
    "objects": np.array(["b", "a", "ü"], dtype=object),
    "floats": np.array([2.0, -1.0, 10.0]),
    "float32": np.array([2.0, 1.0, 0.0], dtype=np.float32),
    "booleans": np.array([True, False]),
    "days": np.array(["2024-02-01", "2023-12-31", "2024-01-15"], dtype="datetime64[D]"),
    "dates": np.array([datetime.date(2024, 2, 1), datetime.date(2023, 12, 31)], dtype=object),
}


def rows_of_classes(values, seed=0):
    X, codes = make_blobs(n_samples=90, centers=len(values), n_features=3, random_state=seed)
    return X, codes, values[codes]


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_many_kinds(kind):
    """classes_ are what np.unique gives, and every column stands under its class."""
    values = LABELS[kind]
    X, codes, y = rows_of_classes(values)
    clf = GenerativeClassifier().fit(X, y)
    assert np.array_equal(clf.classes_, np.unique(y)) and clf.classes_.dtype == np.unique(y).dtype
    plain = GenerativeClassifier().fit(X, codes)
    columns = [int(np.flatnonzero(values == value)[0]) for value in clf.classes_]
    assert np.array_equal(
        clf.predict_log_likelihood(X), plain.predict_log_likelihood(X)[:, columns]
    )
    for method in ("predict_proba", "predict_log_proba"):  # calibrated with the classes in another order
        np.testing.assert_allclose(
            getattr(clf, method)(X), getattr(plain, method)(X)[:, columns], rtol=1e-12, atol=1e-12
        )
    predicted = clf.predict(X)
    assert predicted.dtype == y.dtype and np.array_equal(predicted, values[plain.predict(X)])
    assert clf.score(X, y) == (plain.predict(X) == codes).mean()
    for value in values:
        assert (clf.sample(4, label=value)[1] == value).all()


@pytest.mark.parametrize("count", [2, 3])
def test_arrays_are_in_the_order_of_classes(count):
    """ "10" is before "9" in classes_, and after it in the engine."""
    values = np.array(["9", "10", "100"])[:count]
    X, codes, y = rows_of_classes(values)
    clf, plain = GenerativeClassifier().fit(X, y), GenerativeClassifier().fit(X, codes)
    assert clf.classes_.tolist() == sorted(values)
    columns = [values.tolist().index(value) for value in clf.classes_]
    priors = np.array([0.6, 0.3, 0.1] if count == 3 else [0.7, 0.3])
    costs = np.arange(count**2, dtype=float).reshape(count, count) + np.eye(count) * -20
    spread = 8 * X - 7 * X.mean(0)  # between the classes too
    assert np.array_equal(
        clf.predict(spread, priors=priors[columns], costs=costs[np.ix_(columns, columns)]),
        values[plain.predict(spread, priors=priors, costs=costs)],
    )
    by_name = {value: prior for value, prior in zip(values, priors)}
    named = {(a, b): costs[i, j] for i, a in enumerate(values) for j, b in enumerate(values)}
    assert np.array_equal(
        clf.predict(spread, priors=by_name, costs=named),
        values[plain.predict(spread, priors=priors, costs=costs)],
    )
    assert np.array_equal(
        clf.predict_proba(spread, priors=priors[columns]),
        plain.predict_proba(spread, priors=priors)[:, columns],
    )
    ratios, expected = clf.predict_llr(X, priors[columns]), plain.predict_llr(X, priors)
    assert np.array_equal(ratios, -expected if count == 2 else expected[:, columns])
    assert np.array_equal(clf.score_samples(X, priors[columns]), plain.score_samples(X, priors))
    assert np.array_equal(clf.outlier_score(X, priors[columns]), plain.outlier_score(X, priors))
    decision, expected = clf.decision_function(X), plain.decision_function(X)
    assert np.array_equal(decision, -expected if count == 2 else expected[:, columns])


@pytest.mark.parametrize(
    "kind", ["series", "categorical", "string series", "polars", "arrow", "list"]
)
def test_labels_in_other_containers(kind):
    X, codes, y = rows_of_classes(np.array(["b", "a", "c"]))
    make = {
        "series": lambda: pd.Series(y, index=range(5, 95)),
        "string series": lambda: pd.Series(y, dtype="string"),
        "categorical": lambda: pd.Series(pd.Categorical(y, categories=["c", "a", "never", "b"])),
        "polars": lambda: pytest.importorskip("polars").Series(y),
        "arrow": lambda: pytest.importorskip("pyarrow").array(y),
        "list": y.tolist,
    }
    clf = GenerativeClassifier().fit(X, make[kind]())
    assert clf.classes_.tolist() == ["a", "b", "c"]
    assert np.array_equal(clf.predict_proba(X), GenerativeClassifier().fit(X, y).predict_proba(X))


@pytest.mark.parametrize(
    "y, message",
    [
        ([0, 0, 1], "3"),
        ([0, 1, None, 1], "missing|None|NaN"),
        ([0, 1, np.nan, 1], "NaN|missing"),
        ([0, "a", 1, 1], "kind|type"),
        ([0.5, 1.5, 1.5, 0.5], "Unknown label type"),
        ([[0, 1], [1, 0], [1, 1], [0, 0]], "1d|dimension"),
        (None, "requires y"),
        ([0.0, np.inf, 1.0, 1.0], "inf"),
        ([[0], [1, 2], [3], [4]], "."),
        (np.array([b"a", b"b", b"a", b"b"]), None),
    ],
)
def test_labels_that_cannot_be(y, message):
    X = [[1.0], [2.0], [4.0], [7.0]]
    if message is None:  # bytes are names too
        assert len(GenerativeClassifier().fit(X, y).classes_) == 2
        return
    with pytest.raises(ValueError, match=message):
        GenerativeClassifier().fit(X, y)


# ---- learning in parts


@pytest.mark.parametrize(
    "structure", ["full", "tied", "diag", "tied-diag", "spherical", "tied-spherical"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_partial_fit_is_fit(iris, structure, weighted):
    X, y = iris
    weights = np.random.default_rng(1).uniform(0, 2, len(y)) if weighted else None
    whole = GenerativeClassifier(covariance=structure).fit(X, y, sample_weight=weights)
    parts = GenerativeClassifier(covariance=structure)
    for first in range(0, 150, 4):  # smaller than a covariance needs, classes one after the other
        part = slice(first, first + 4)
        parts.partial_fit(
            X[part], y[part], sample_weight=None if weights is None else weights[part]
        )
    assert np.array_equal(parts.classes_, whole.classes_)
    np.testing.assert_allclose(
        parts.predict_log_likelihood(X), whole.predict_log_likelihood(X), rtol=1e-9
    )
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-10)


def test_partial_fit_goes_on_after_an_answer_and_after_fit(iris):
    X, y = iris
    order = np.random.default_rng(2).permutation(150)
    a, b = order[:90], order[90:]
    clf = GenerativeClassifier(covariance="full").fit(X[a], y[a])
    first = clf.predict_proba(X)
    clf.partial_fit(X[b], y[b])
    second = clf.predict_proba(X)
    assert not np.allclose(first, second, atol=1e-6)
    np.testing.assert_allclose(
        second, GenerativeClassifier(covariance="full").fit(X, y).predict_proba(X), atol=1e-10
    )
    np.testing.assert_allclose(
        clf.fit(X[a], y[a]).predict_proba(X), first, atol=1e-13
    )  # fit forgets


def test_classes_known_beforehand():
    """A class without rows has the train prior 0 and is never decided, whatever the priors."""
    X, y = [[0.0], [1.0], [5.0], [6.0]], [1, 1, 3, 3]
    clf = GenerativeClassifier().partial_fit(X, y, classes=[1, 2, 3])
    assert clf.classes_.tolist() == [1, 2, 3]
    assert (clf.predict_proba(X)[:, 1] == 0).all() and (
        clf.predict_log_likelihood(X)[:, 1] == -np.inf
    ).all()
    assert clf.predict(X, priors="uniform").tolist() == y
    clf.partial_fit([[2.0], [3.0]], [2, 2])
    assert clf.predict([[2.5]]).tolist() == [2]
    clf.partial_fit([[9.0], [10.0]], [0, 0], classes=[0, 1, 2, 3, 4])
    assert clf.classes_.tolist() == [0, 1, 2, 3, 4] and clf.predict([[9.5]]).tolist() == [0]


def test_diagonal_models_keep_diagonal_sums(iris):
    """Of d features d sums, not d × d."""
    for structure, kept in [
        ("full", "full"),
        ("tied", "full"),
        ("diag", "diag"),
        ("tied-diag", "diag"),
        ("spherical", "diag"),
        ("tied-spherical", "diag"),
    ]:
        assert GenerativeClassifier(covariance=structure).fit(*iris).statistics_.covariance == kept


def test_partial_fit_that_fails_changes_nothing(iris):
    X, y = iris
    clf = GenerativeClassifier().fit(X, y)
    before = pickle.dumps(clf)
    for rows, labels in [
        (np.where(X == X[3, 2], np.inf, X), y),
        (X[:, :3], y),
        (X, y[:-1]),
        (X, y.astype(str)),
    ]:
        with pytest.raises(ValueError):
            clf.partial_fit(rows, labels)
        assert pickle.loads(before).statistics_ == clf.statistics_
        assert np.array_equal(pickle.loads(before).predict_proba(X), clf.predict_proba(X))


def test_an_empty_batch_is_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="0 sample"):
        GenerativeClassifier().fit(X[:0], y[:0])


def test_from_statistics_is_fit(iris):
    X, y = iris
    statistics = suffice.Statistics.of(X, y)
    for structure in ("full", "tied", "diag", "spherical"):
        clf = GenerativeClassifier.from_statistics(
            statistics, covariance=structure, priors="uniform"
        )
        fitted = GenerativeClassifier(covariance=structure, priors="uniform").fit(X, y)
        assert clf.get_params() == fitted.get_params()
        np.testing.assert_allclose(clf.predict_proba(X), fitted.predict_proba(X), atol=1e-12)
        assert clf.n_features_in_ == 4 and not hasattr(clf, "feature_names_in_")
    clf.partial_fit(X, y)
    assert statistics == suffice.Statistics.of(X, y), "the caller's statistics are the caller's"
    halves = suffice.Statistics.of(X[::2], y[::2]) + suffice.Statistics.of(X[1::2], y[1::2])
    np.testing.assert_allclose(
        GenerativeClassifier.from_statistics(halves).predict_proba(X),
        GenerativeClassifier(covariance="full").fit(X, y).predict_proba(X),
        atol=1e-10,
    )
    diagonal = suffice.Statistics.of(X, y, covariance="diag")
    with pytest.raises(ValueError, match="diag"):
        GenerativeClassifier.from_statistics(diagonal, covariance="full")
    assert GenerativeClassifier.from_statistics(diagonal).model_ == diagonal.estimate("diag")
    with pytest.raises(TypeError, match="rows"):
        GenerativeClassifier.from_statistics(X)


def test_statistics_and_model_are_the_value_types(iris, tmp_path):
    clf = GenerativeClassifier(covariance="tied").fit(*iris)
    assert isinstance(clf.statistics_, suffice.Statistics) and isinstance(clf.model_, suffice.Model)
    assert isinstance(clf.schema_, suffice.Schema) and clf.schema_ == clf.model_.schema
    clf.statistics_.save(tmp_path / "iris.stats")
    again = GenerativeClassifier.from_statistics(
        suffice.Statistics.load(tmp_path / "iris.stats"), covariance="tied"
    )
    assert (
        np.array_equal(again.predict(iris[0]), clf.predict(iris[0])) and again.classes_.dtype == int
    )


# ---- copies


@pytest.mark.parametrize(
    "copied", [lambda c: pickle.loads(pickle.dumps(c)), copy.copy, copy.deepcopy]
)
def test_copies_answer_alike(iris, copied):
    X, y = iris
    clf = GenerativeClassifier(priors="uniform").fit(X, np.array(["9", "10", "x"])[y])
    again = copied(clf)
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert np.array_equal(again.classes_, clf.classes_) and again.statistics_ == clf.statistics_
    late = GenerativeClassifier().partial_fit(X, y)
    assert np.array_equal(copied(late).predict(X), late.predict(X))


def test_threads_change_no_bit():
    X, y = make_blobs(n_samples=5000, centers=4, n_features=12, random_state=1)
    one = GenerativeClassifier(n_jobs=1).fit(X, y)
    for n_jobs in (2, -1, None):
        other = GenerativeClassifier(n_jobs=n_jobs).fit(X, y)
        assert other.statistics_ == one.statistics_
        assert np.array_equal(other.predict_log_likelihood(X), one.predict_log_likelihood(X))
