"""Mixed columns and missing values against a slow, plain NumPy account of the same model; the same
rows in every kind of table."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from suffice import GenerativeClassifier, Statistics  # noqa: E402

SMALL = {
    "full": lambda S: S,
    "diag": lambda S: np.diag(np.diag(S)),
    "spherical": lambda S: np.eye(len(S)) * np.trace(S) / len(S),
}


def normal(x, mean, covariance):
    """log N(x; mean, covariance) of the coordinates of x that are not NaN."""
    seen = ~np.isnan(x)
    if not seen.any():
        return 0.0
    d, S = (x - mean)[seen], covariance[np.ix_(seen, seen)]
    return -0.5 * (
        seen.sum() * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + d @ np.linalg.solve(S, d)
    )


def gaussian_parameters(X, y, classes, structure):
    """A joint Gaussian has the mean and scatter of the complete rows; independent features have
    those of the values that they have."""
    means, scatters, weights = [], [], []
    for c in classes:
        rows = X[y == c]
        if structure.removeprefix("tied-") in ("full", "tied"):
            rows = rows[~np.isnan(rows).any(1)]
            means.append(rows.mean(0))
            scatters.append((rows - means[-1]).T @ (rows - means[-1]))
            weights.append(np.full(X.shape[1], float(len(rows))))
        else:
            means.append(np.nanmean(rows, 0))
            scatters.append(np.diag(np.nansum((rows - means[-1]) ** 2, 0)))
            weights.append((~np.isnan(rows)).sum(0).astype(float))
    if structure.startswith("tied"):
        scatters = [sum(scatters)] * len(classes)
        weights = [sum(weights)] * len(classes)
    covariances = [S / w[:, None] for S, w in zip(scatters, weights)]
    if structure.endswith("spherical"):
        covariances = [np.eye(len(S)) * np.trace(S) / w.sum() for S, w in zip(scatters, weights)]
    return means, covariances


def slow_log_likelihood(frame, y, families, structure="full", alpha=1.0, rows=None):
    """log p(x | c) of `rows` under the model of `frame`, one row and one class at a time."""
    rows = frame if rows is None else rows
    classes = np.unique(y)
    result = np.zeros((len(rows), len(classes)))
    numbers = [name for name, family in families.items() if family == "gaussian"]
    if numbers:
        X = frame[numbers].to_numpy(float)
        means, covariances = gaussian_parameters(X, y, classes, structure)
        for i, x in enumerate(rows[numbers].to_numpy(float)):
            for c in range(len(classes)):
                result[i, c] += normal(x, means[c], covariances[c])
    for name, family in families.items():
        column, asked = frame[name], rows[name]
        if family == "categorical":
            levels = sorted(column.dropna().unique())
            for c, label in enumerate(classes):
                seen = column[y == label].dropna()
                probability = {
                    level: ((seen == level).sum() + alpha) / (len(seen) + alpha * len(levels))
                    for level in levels
                }
                with np.errstate(divide="ignore"):
                    # A missing value, or one that was never seen, says nothing.
                    result[:, c] += [np.log(probability.get(value, 1.0)) for value in asked]
        elif family == "poisson":
            everyone = column.mean()
            log_factorial = np.array([sum(np.log(range(1, int(v) + 1))) for v in asked])
            for c, label in enumerate(classes):
                seen = column[y == label].dropna()
                rate = (seen.sum() + alpha * everyone) / (len(seen) + alpha)
                result[:, c] += asked * np.log(rate) - rate - log_factorial
        elif family == "bernoulli":
            for c, label in enumerate(classes):
                seen = column[y == label].dropna()
                p = (seen.sum() + alpha) / (len(seen) + 2 * alpha)
                result[:, c] += np.where(
                    asked.isna(), 0.0, np.where(asked == 1, np.log(p), np.log(1 - p))
                )
    return result


def posterior(log_likelihood, priors):
    joint = log_likelihood + np.log(priors)
    joint -= joint.max(1, keepdims=True)
    return np.exp(joint) / np.exp(joint).sum(1, keepdims=True)


@pytest.fixture(scope="module")
def penguins(example_data):
    """Five numbers, two words, missing values in all but two columns."""
    frame = pd.read_csv(example_data / "penguins.csv")
    y = frame.pop("species").to_numpy(str)
    assert frame.isna().sum().sum() == 19
    return frame, y


PENGUINS = dict(
    island="categorical",
    bill_length_mm="gaussian",
    bill_depth_mm="gaussian",
    flipper_length_mm="gaussian",
    body_mass_g="gaussian",
    sex="categorical",
    year="gaussian",
)


@pytest.mark.parametrize(
    "structure", ["full", "tied", "diag", "tied-diag", "spherical", "tied-spherical"]
)
def test_penguins(penguins, structure):
    frame, y = penguins
    clf = GenerativeClassifier(covariance=structure, shrinkage=0).fit(frame, y)
    assert dict(clf.schema_.families) == PENGUINS
    expected = slow_log_likelihood(frame, y, PENGUINS, structure)
    np.testing.assert_allclose(clf.predict_log_likelihood(frame), expected, rtol=1e-9, atol=1e-9)
    shares = np.array([(y == c).mean() for c in clf.classes_])  # all rows, complete or not
    np.testing.assert_allclose(clf.predict_proba(frame), posterior(expected, shares), atol=1e-10)
    np.testing.assert_allclose(
        clf.predict_proba(frame, priors="uniform"),
        posterior(expected, np.full(3, 1 / 3)),
        atol=1e-10,
    )
    assert np.array_equal(clf.predict(frame), clf.classes_[posterior(expected, shares).argmax(1)])


def test_penguins_without_smoothing(penguins):
    """Gentoo live on one island: elsewhere the probability is 0, not almost 0."""
    frame, y = penguins
    clf = GenerativeClassifier(covariance="full", smoothing=0, shrinkage=0).fit(frame, y)
    expected = slow_log_likelihood(frame, y, PENGUINS, alpha=0)
    np.testing.assert_allclose(clf.predict_log_likelihood(frame), expected, rtol=1e-9, atol=1e-9)
    elsewhere = (frame["island"] != "Biscoe").to_numpy()
    assert (clf.predict_proba(frame)[elsewhere, 2] == 0).all()
    assert (clf.predict_log_proba(frame)[elsewhere, 2] == -np.inf).all()


def test_new_level_and_row_without_values(penguins):
    """Neither says anything: the posterior is that of the rest, or the prior."""
    frame, y = penguins
    clf = GenerativeClassifier(covariance="full", shrinkage=0).fit(frame, y)
    strange = frame.head(3).assign(island=["Atlantis", "Torgersen", None])
    expected = slow_log_likelihood(frame, y, PENGUINS, rows=strange)
    with pytest.warns(UserWarning, match="1 cells of 'island'"):
        np.testing.assert_allclose(clf.predict_log_likelihood(strange), expected, rtol=1e-9)
    empty = frame.head(1).copy()
    for name in frame.columns:
        empty[name] = pd.Series(
            [None if name in ("island", "sex") else np.nan],
            dtype=frame[name].dtype if name in ("island", "sex") else float,
        )
    np.testing.assert_allclose(clf.predict_proba(empty), [[(y == c).mean() for c in clf.classes_]])
    assert clf.score_samples(empty) == pytest.approx(0, abs=1e-12)


def test_passengers(data):
    """Numbers, words, counts and events beside each other; Age is often missing."""
    table = pd.read_csv(data("passengers.csv.gz"))
    y = table["Survived"].to_numpy()
    frame = table[["Pclass", "Sex", "Age", "SibSp", "Parch", "Fare", "Embarked"]].assign(
        Cabin=table["Cabin"].notna().astype(int)
    )
    families = dict(
        Pclass="categorical",
        Sex="categorical",
        Age="gaussian",
        SibSp="poisson",
        Parch="poisson",
        Fare="gaussian",
        Embarked="categorical",
        Cabin="bernoulli",
    )
    given = {"Pclass": "categorical", "SibSp": "poisson", "Parch": "poisson", "Cabin": "bernoulli"}
    for family in (given, list(families.values())):
        clf = GenerativeClassifier(family, covariance="full", shrinkage=0, missing="complete")
        clf.fit(frame, y)
        assert dict(clf.schema_.families) == families
        np.testing.assert_allclose(
            clf.predict_log_likelihood(frame), slow_log_likelihood(frame, y, families), rtol=1e-9
        )
    assert clf.statistics_.missing["Age"] == frame["Age"].isna().sum() > 100
    scores = slow_log_likelihood(frame, y, families) + np.log(np.bincount(y) / len(y))
    assert clf.score(frame, y) == (scores.argmax(axis=1) == y).mean() > max(y.mean(), 1 - y.mean())


def test_census(data):
    train, test = (pd.read_csv(data(f"census_{part}.csv.gz")) for part in ("train", "test"))
    y, y_test = train.pop("income").to_numpy(str), test.pop("income").to_numpy(str)
    clf = GenerativeClassifier(covariance="diag", shrinkage=0).fit(train, y)
    families = dict(clf.schema_.families)
    assert sorted(families.values()) == ["categorical"] * 8 + ["gaussian"] * 6
    few = test.head(300)
    expected = slow_log_likelihood(train, y, families, "diag", rows=few)
    np.testing.assert_allclose(clf.predict_log_likelihood(few), expected, rtol=1e-9)
    assert few.isna().any(axis=None)
    assert 0.80 < clf.score(test, y_test) < 0.87  # scikit-learn's logistic regression: 0.861


def test_missing_numbers_in_arrays():
    """NaN is a missing value; an array that has some is scored by its exact marginal."""
    rng = np.random.default_rng(3)
    X = (
        rng.standard_normal((200, 3)) @ rng.standard_normal((3, 3))
        + rng.integers(0, 2, 200)[:, None]
    )
    y = rng.integers(0, 2, 200)
    X[rng.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    for structure in ("full", "tied", "diag"):
        clf = GenerativeClassifier(covariance=structure, shrinkage=0, missing="complete").fit(X, y)
        expected = slow_log_likelihood(frame, y, dict.fromkeys(frame, "gaussian"), structure)
        np.testing.assert_allclose(clf.predict_log_likelihood(X), expected, rtol=1e-9)
    assert clf.statistics_.missing == {name: frame[name].isna().sum() for name in frame}


def tables(frame):
    """The same rows in other kinds of table, where those are installed."""
    yield "pandas", frame
    yield "categorical", frame.astype({"island": "category", "sex": "category"})
    yield "nullable", frame.convert_dtypes()
    yield "object", frame.astype({"island": object, "sex": object})
    try:
        import polars

        yield "polars", polars.from_pandas(frame)
        yield "polars categorical", polars.from_pandas(frame).with_columns(
            polars.col("island", "sex").cast(polars.Categorical)
        )
    except ImportError:
        pass
    try:
        import pyarrow

        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        yield "arrow", table
        yield "arrow batch", table.combine_chunks().to_batches()[0]
    except ImportError:
        pass


def test_every_table_is_the_same(penguins):
    frame, y = penguins
    expected = GenerativeClassifier().fit(frame, y).predict_proba(frame)
    for kind, table in tables(frame):
        clf = GenerativeClassifier().fit(table, y)
        assert clf.feature_names_in_.tolist() == list(frame.columns), kind
        assert clf.feature_names_in_.dtype == object and clf.n_features_in_ == 7
        assert dict(clf.schema_.families) == PENGUINS, kind
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of names that scikit-learn does not find
            found = clf.predict_proba(table)
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=kind)
        assert clf.score(table, y) == clf.score(frame, y)
        np.testing.assert_allclose(clf.predict_proba(frame), expected, atol=1e-12, err_msg=kind)


def test_arrow_stream_with_a_label_column(penguins):
    """A reader gives its rows once, in batches; the label is one of its columns."""
    pyarrow = pytest.importorskip("pyarrow")
    frame, y = penguins
    expected = GenerativeClassifier().fit(frame, y)
    table = pyarrow.Table.from_pandas(frame.assign(species=y), preserve_index=False)
    clf = GenerativeClassifier().fit(table.to_reader(max_chunksize=50), "species")
    assert clf.classes_.tolist() == ["Adelie", "Chinstrap", "Gentoo"]
    assert clf.feature_names_in_.tolist() == list(frame.columns) and clf.n_features_in_ == 7
    assert clf.schema_.label == "species"
    with pytest.raises(ValueError, match="not a stream"):
        clf.score(table.to_reader(), "species")
    for rows in (frame, table, table.to_reader(max_chunksize=37)):
        np.testing.assert_allclose(
            clf.predict_proba(rows), expected.predict_proba(frame), atol=1e-12
        )


def test_label_and_weight_columns_of_a_frame(penguins):
    frame, y = penguins
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    whole = frame.assign(species=y, weight=weights)
    clf = GenerativeClassifier(covariance="full").fit(whole, "species", sample_weight="weight")
    other = GenerativeClassifier(covariance="full").fit(frame, y, sample_weight=weights)
    assert clf.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_allclose(clf.predict_proba(frame), other.predict_proba(frame), atol=1e-12)
    np.testing.assert_allclose(clf.predict_proba(frame.assign(species=y)), clf.predict_proba(frame))
    assert clf.score(whole, "species", "weight") == pytest.approx(
        np.average(clf.predict(frame) == y, weights=weights)
    )
    assert clf.score(frame, y) == np.mean(clf.predict(frame) == y)
    more = GenerativeClassifier(covariance="full").partial_fit(whole.head(100), "species", sample_weight="weight")
    more.partial_fit(whole.tail(244), "species", sample_weight="weight")
    np.testing.assert_allclose(more.predict_proba(frame), other.predict_proba(frame), atol=1e-10)


def test_object_array_with_words():
    rows = np.array(
        [["red", 1.0], ["red", 2.0], ["blue", 4.0], ["blue", 7.0], [None, 5.0]], dtype=object
    )
    y = [0, 0, 1, 1, 1]
    clf = GenerativeClassifier(covariance="full", shrinkage=0).fit(rows, y)
    assert list(clf.schema_.families.values()) == ["categorical", "gaussian"]
    frame = pd.DataFrame({"x0": rows[:, 0], "x1": rows[:, 1].astype(float)})
    expected = slow_log_likelihood(frame, np.array(y), {"x0": "categorical", "x1": "gaussian"})
    np.testing.assert_allclose(clf.predict_log_likelihood(rows), expected, rtol=1e-12)


def test_partial_fit_of_mixed_rows(penguins):
    """Later batches bring new classes and new levels."""
    frame, y = penguins
    order = np.argsort(frame["island"].to_numpy(str), kind="stable")
    frame, y = frame.iloc[order], y[order]
    whole = GenerativeClassifier(covariance="full").fit(frame, y)
    parts = GenerativeClassifier(covariance="full")
    for first in range(0, len(y), 7):
        parts.partial_fit(frame.iloc[first : first + 7], y[first : first + 7])
    assert np.array_equal(parts.classes_, whole.classes_)
    np.testing.assert_allclose(
        parts.predict_log_likelihood(frame), whole.predict_log_likelihood(frame), rtol=1e-10
    )
    again = GenerativeClassifier.from_statistics(Statistics.of(frame, y), covariance="full")
    assert np.array_equal(again.predict_log_likelihood(frame), whole.predict_log_likelihood(frame))
    assert np.array_equal(again.feature_names_in_, whole.feature_names_in_)
