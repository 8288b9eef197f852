"""The rows that GenerativeClassifier takes and refuses: forms of arrays, names, weights, values."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402

import suffice  # noqa: E402
from suffice import GenerativeClassifier  # noqa: E402


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_unfitted_says_so(iris):
    clf = GenerativeClassifier()
    for method in (
        "predict",
        "predict_proba",
        "predict_log_proba",
        "predict_log_likelihood",
        "predict_llr",
        "score_samples",
        "decision_function",
        "outlier_score",
        "outliers",
    ):
        with pytest.raises(NotFittedError):
            getattr(clf, method)(iris[0])
    with pytest.raises(NotFittedError):
        clf.sample(3)
    assert (
        not hasattr(clf, "model_") and not hasattr(clf, "schema_") and not hasattr(clf, "classes_")
    )


def test_singular_covariance_is_refused(iris):
    """By plain maximum likelihood; the default has an answer."""
    X, y = iris
    twice = np.column_stack([X, X[:, 0]])
    with pytest.raises(suffice.SingularError, match="singular|rank") as caught:
        GenerativeClassifier(covariance="full", shrinkage=0).fit(twice, y)
    assert caught.value.dimension == 5
    assert GenerativeClassifier().fit(twice, y).score(twice, y) > 0.9
    assert GenerativeClassifier(covariance="diag").fit(twice, y).score(twice, y) > 0.9
    late = GenerativeClassifier(covariance="full", shrinkage=0).partial_fit(twice, y)
    with pytest.raises(suffice.SingularError):
        late.predict(twice)
    # The rows need not be read again.
    again = GenerativeClassifier.from_statistics(late.statistics_, covariance="diag")
    assert again.score(twice, y) > 0.9


def test_infinite_and_complex_numbers(iris):
    X, y = iris
    clf = GenerativeClassifier().fit(X, y)
    bad = X.copy()
    bad[7, 2] = np.inf
    for ask in (clf.predict, clf.predict_proba, lambda rows: GenerativeClassifier().fit(rows, y)):
        with pytest.raises(ValueError, match="inf"):
            ask(bad)
    with pytest.raises(ValueError, match="Complex"):
        GenerativeClassifier().fit(X + 1j, y)


def test_infinity_is_no_level(iris):
    X, y = iris
    bad = X.round()
    bad[7, 2] = np.inf
    with pytest.raises(ValueError, match="inf"):
        GenerativeClassifier("categorical").fit(bad, y)


def test_every_form_of_array_is_the_same(iris):
    X, y = iris
    expected = GenerativeClassifier().fit(X, y).predict_proba(X)
    wide = np.zeros((300, 8))
    wide[::2, ::2] = X
    fixed = X.copy()
    fixed.setflags(write=False)
    for rows in (
        np.asfortranarray(X),
        wide[::2, ::2],
        fixed,
        X[::-1][::-1],
        X.tolist(),
        X.astype(object),
    ):
        np.testing.assert_allclose(
            GenerativeClassifier().fit(rows, y).predict_proba(rows), expected, atol=1e-12
        )
    single = X.astype(np.float32)
    assert np.array_equal(
        GenerativeClassifier().fit(single, y).predict_proba(single),
        GenerativeClassifier().fit(single.astype(float), y).predict_proba(single.astype(float)),
    )
    whole = (10 * X).round()
    assert np.array_equal(
        GenerativeClassifier().fit(whole.astype(np.int16), y).predict_proba(whole),
        GenerativeClassifier().fit(whole, y).predict_proba(whole),
    )


def test_columns_in_another_order(iris):
    """As scikit-learn has it: another order or other names are an error, no names a warning."""
    X, y = iris
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "pw"])
    clf = GenerativeClassifier().fit(frame, y)
    with pytest.raises(ValueError, match="same order as they were in fit"):
        clf.predict(frame[["sw", "sl", "pl", "pw"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- length"):
        clf.predict(frame.rename(columns={"pl": "length"}))
    with pytest.raises(ValueError, match="now missing:\n- pw"):
        clf.predict(frame[["sl", "sw", "pl"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(clf.predict(X), clf.predict(frame))
    plain = GenerativeClassifier().fit(X, y)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        assert np.array_equal(plain.predict(frame), clf.predict(frame))
    with pytest.raises(
        ValueError, match="X has 3 features, but GenerativeClassifier is expecting 4"
    ):
        plain.predict(X[:, :3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict(frame)
        plain.predict(X)
    clf.fit(X, y)
    assert not hasattr(clf, "feature_names_in_")
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        clf.partial_fit(frame, y)
    assert not hasattr(clf, "feature_names_in_")


def test_score_of_other_labels(iris):
    X, y = iris
    clf = GenerativeClassifier().fit(X, y)
    assert clf.score(X, y.astype(float)) == clf.score(X, y) == np.mean(clf.predict(X) == y)
    assert clf.score(X[:50], np.full(50, 7)) == 0
    with pytest.raises(ValueError, match="different kinds"):
        clf.score(X, y.astype(str))
    with pytest.raises(ValueError, match="150 rows.*149"):
        clf.score(X, y[1:])


def test_columns_by_name_and_lists_of_rows():
    columns = {"size": [1.0, 2.0, 4.0, 7.0], "colour": ["red", "blue", "red", "red"]}
    rows = [list(row) for row in zip(*columns.values())]
    clf, plain = (GenerativeClassifier().fit(X, [0, 0, 1, 1]) for X in (columns, rows))
    assert clf.feature_names_in_.tolist() == ["size", "colour"] and not hasattr(
        plain, "feature_names_in_"
    )
    assert list(plain.schema_.families.values()) == ["gaussian", "categorical"]
    turned = {"colour": columns["colour"], "size": columns["size"]}  # found by name
    assert np.array_equal(clf.predict_proba(turned), plain.predict_proba(rows))
    with pytest.raises(ValueError, match="no column 'size'"):
        clf.predict({"colour": ["red"]})


@pytest.mark.parametrize(
    "X",
    [
        None,
        "text",
        5,
        [1.0, 2.0],
        [[1.0], [2.0, 3.0]],
        np.zeros((2, 2, 2)),
        (row for row in [[1.0], [2.0]]),
    ],
    ids=lambda X: type(X).__name__,
)
def test_rows_that_cannot_be(X):
    with pytest.raises(ValueError):
        GenerativeClassifier().fit(X, [0, 1])


def test_cells_that_cannot_be():
    rows = np.array([[1.0, "a"], [2.0, "b"], [4.0, {"a": 1}], [7.0, "a"]], dtype=object)
    with pytest.raises(TypeError, match="dict"):
        GenerativeClassifier().fit(rows, [0, 0, 1, 1])
    rows[2, 1] = 3.0
    with pytest.raises(ValueError, match="'x1' has values of different kinds"):
        GenerativeClassifier().fit(rows, [0, 0, 1, 1])
    days = pd.DataFrame(
        {"day": pd.date_range("2024-01-01", periods=4), "size": [1.0, 2.0, 4.0, 7.0]}
    )
    with pytest.raises(ValueError, match="'day'.*datetime"):
        GenerativeClassifier().fit(days, [0, 0, 1, 1])
    assert GenerativeClassifier().fit(
        days[["size"]], days["day"].dt.day // 3
    ).classes_.tolist() == [0, 1]


def test_weights(iris):
    """Weight 2 is a row twice, weight 0 is no row."""
    X, y = iris
    weights = np.random.default_rng(3).integers(0, 4, len(y))
    weighted = GenerativeClassifier().fit(X, y, sample_weight=weights)
    repeated = GenerativeClassifier().fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(
        weighted.predict_log_likelihood(X), repeated.predict_log_likelihood(X), rtol=1e-9
    )
    for wrong, message in [
        (weights[:-1], "149|150"),
        (-np.ones(150), "negative|-1"),
        (np.zeros(150), "zero"),
        (np.full(150, np.nan), "NaN"),
        (np.ones((150, 2)), "1D"),
    ]:
        with pytest.raises(ValueError, match=message):
            GenerativeClassifier(covariance="full").fit(X, y, sample_weight=wrong)
