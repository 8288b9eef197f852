"""Categories within the Gaussian block: the same as one-hot encoding by hand."""
import pickle

import numpy as np
import pytest

import suffice

pandas = pytest.importorskip("pandas")


def table(rows=400, seed=2):
    random = np.random.default_rng(seed)
    kind = random.choice(["a", "b", "c"], rows, p=[0.5, 0.3, 0.2])
    shift = np.select([kind == "a", kind == "b"], [0.0, 1.0], 2.0)
    colour = np.where(random.random(rows) < 0.2 + 0.2 * shift, "red", "blue").astype(object)
    colour[random.random(rows) < 0.1] = "green"
    colour[random.random(rows) < 0.05] = None
    size = random.normal(shift + (colour == "red"))
    frame = pandas.DataFrame({"size": size, "colour": colour, "zone": random.choice(["n", "s"], rows),
                              "weight": random.normal(size=rows) + size})
    return frame, kind


def by_hand(frame):
    """One column of 0 and 1 for each level but the most frequent one, and for missing values."""
    result = frame[["size", "weight"]].copy()
    for name in ("colour", "zone"):
        counts = frame[name].value_counts()
        for level in sorted(counts.index.difference([counts.idxmax()])):
            result[f"{name}_{level}"] = (frame[name] == level).astype(float)
        if frame[name].isna().any():
            result[f"{name}_missing"] = frame[name].isna().astype(float)
    return result


@pytest.mark.parametrize("options", [{"covariance": "tied", "shrinkage": 0}, {"covariance": "full"},
                                     {"covariance": "diag"}, {"covariance": "tied", "calibration": "auto"}])
def test_it_is_what_columns_made_by_hand_give(options):
    frame, kind = table()
    within = suffice.GenerativeClassifier(categories="within", **options).fit(frame, kind)
    numbers = suffice.GenerativeClassifier(**options).fit(by_hand(frame), kind)
    assert within.schema_.columns == list(frame) and within.n_features_in_ == 4
    assert len(within.schema_) == 6
    np.testing.assert_allclose(within.predict_log_likelihood(frame),
                               numbers.predict_log_likelihood(by_hand(frame)), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(within.predict_proba(frame), numbers.predict_proba(by_hand(frame)), atol=1e-11)


def test_against_scikit_learn():
    """Linear discriminant analysis of one-hot encoded columns; which level is dropped does not matter."""
    from sklearn.compose import make_column_transformer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame, kind = table()
    frame["colour"] = frame["colour"].fillna("none")
    encode = make_column_transformer((OneHotEncoder(drop="first"), ["colour", "zone"]), remainder="passthrough")
    theirs = make_pipeline(encode, LinearDiscriminantAnalysis(solver="lsqr")).fit(frame, kind)
    mine = suffice.GenerativeClassifier(covariance="tied", shrinkage=0, categories="within").fit(frame, kind)
    np.testing.assert_allclose(mine.predict_proba(frame), theirs.predict_proba(frame), atol=1e-9)


def test_every_kind_of_table_gives_the_same():
    frame, kind = table()
    fit = lambda X: suffice.GenerativeClassifier(categories="within", covariance="full").fit(X, kind)
    expected = fit(frame)
    coded = frame.assign(colour=frame["colour"].astype("category"))
    for X in (coded, {name: frame[name].to_numpy() for name in frame}, frame.to_numpy(object)):
        assert fit(X).statistics_.weights.tolist() == expected.statistics_.weights.tolist()
        np.testing.assert_array_equal(fit(X).predict_proba(X), expected.predict_proba(frame))
    pyarrow = pytest.importorskip("pyarrow")
    arrow = pyarrow.Table.from_pandas(frame)
    np.testing.assert_array_equal(fit(arrow).predict_proba(arrow), expected.predict_proba(frame))


def test_the_schema():
    frame, kind = table()
    clf = suffice.GenerativeClassifier(categories="within", covariance="tied").fit(frame, kind)
    assert clf.feature_names_in_.tolist() == list(frame)
    indicators = clf.schema_.indicators
    assert indicators["colour is missing"] == ("colour", None, "blue")
    assert indicators["colour=red"] == ("colour", "red", "blue")
    block, = clf.model_.blocks
    assert block["indicators"][2] == {"column": "colour", "level": "green", "reference": "blue"}
    assert block["indicators"][0] is None
    for copy in (pickle.loads(pickle.dumps(clf.schema_)), pickle.loads(pickle.dumps(clf.model_)).schema):
        assert copy == clf.schema_
    assert "indicators of 'colour', 'zone'" in repr(clf.schema_)
    rows, _ = clf.model_.sample(50, seed=4)
    assert rows.shape == (50, 4) and set(rows["zone"].dropna()) <= {"n", "s"}


def test_levels_that_are_not_known():
    frame, kind = table()
    clf = suffice.GenerativeClassifier(categories="within", covariance="tied").fit(frame, kind)
    strange = frame.head(3).assign(colour="mauve")
    with pytest.warns(UserWarning, match="3 cells of 'colour' .* most frequent level"):
        scores = clf.model_.log_likelihood(strange)
    np.testing.assert_array_equal(scores, clf.model_.log_likelihood(strange.assign(colour="blue")))


def test_auto():
    """The class is whether a number is high within its group."""
    random = np.random.default_rng(1)
    group, kind = random.integers(2, size=(2, 500))
    frame = pandas.DataFrame({"group": np.array(["low", "high"])[group],
                              "x": 10 * group + 3 * kind + random.normal(size=500)})
    clf = suffice.GenerativeClassifier(covariance="auto").fit(frame, kind)
    assert clf.schema_.indicators and "indicators" in clf.better_columns_["changes"][-1]
    assert clf.score(frame, kind) > 0.85
    apart = suffice.GenerativeClassifier(covariance="auto", categories="apart").fit(frame, kind)
    assert not apart.schema_.indicators and apart.score(frame, kind) < 0.7
    named = suffice.GenerativeClassifier(covariance="tied")
    assert not named.fit(frame, kind).schema_.indicators
    assert named.set_params(categories="auto").fit(frame, kind).schema_.indicators


def test_what_is_refused():
    frame, kind = table(60)
    with pytest.raises(ValueError, match="categories='inside'"):
        suffice.GenerativeClassifier(categories="inside").fit(frame, kind)
    with pytest.raises(ValueError, match="categories='within' needs all rows at once"):
        suffice.GenerativeClassifier(categories="within", covariance="tied").partial_fit(frame, kind)
    batches = iter([(frame, kind)])
    with pytest.raises(ValueError, match="categories='within' reads the rows twice"):
        suffice.GenerativeClassifier(categories="within", covariance="tied").fit(batches, kind)
