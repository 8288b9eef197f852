"""Text columns: every way in gives the same sums, new words come with partial_fit, and probabilities
are those of scikit-learn's pipelines."""

import pickle

import numpy as np
import pytest

import suffice

MESSAGES = ["Hi, see you at 5", "see you, see me", "WIN a prize, win CASH now", "cash prize 5 5 5", "ok"]
LABELS = ["ham", "ham", "spam", "spam", "ham"]


def counts(statistics):
    block = statistics.blocks[0]
    return {(label, word): value for label, row in zip(statistics.labels, block["count"][0])
            for word, value in zip(block["words"][0], row) if value}


def columns():
    """The messages as a list, NumPy, pandas, Polars and Arrow column."""
    yield {"message": MESSAGES}
    yield {"message": np.array(MESSAGES)}
    pandas = pytest.importorskip("pandas")
    yield pandas.DataFrame({"message": MESSAGES})
    yield pandas.DataFrame({"message": pandas.Series(MESSAGES, dtype="string")})
    yield pandas.DataFrame({"message": pandas.Categorical(MESSAGES)})
    pyarrow = pytest.importorskip("pyarrow")
    yield pyarrow.table({"message": MESSAGES})
    polars = pytest.importorskip("polars")
    yield polars.DataFrame({"message": MESSAGES})


def test_every_way_in_gives_the_same_sums():
    found = [counts(suffice.Statistics.of(X, LABELS, family={"message": "text"})) for X in columns()]
    assert found[0]["ham", "see"] == 3 and found[0]["spam", "win"] == 2 and len(found[0]) == 13
    assert all(other == found[0] for other in found)


def test_the_family_says_what_words_are():
    X = {"message": ["ab ab", "b"]}
    statistics = suffice.Statistics.of(X, ["x", "y"], family={"message": "text chars:2-2 presence"})
    assert counts(statistics) == {("x", "ab"): 1, ("x", "b "): 1, ("x", " a"): 1}
    assert statistics.schema.families == {"message": "text chars:2 presence"}
    assert pickle.loads(pickle.dumps(statistics.schema)) == statistics.schema
    with pytest.raises(ValueError, match="text cannot be cut into 'letters'"):
        suffice.Schema({"message": "text letters"})


def test_new_words_join_with_partial_fit():
    together = suffice.GenerativeClassifier({"message": "text"}, covariance="full").fit({"message": MESSAGES}, LABELS)
    apart = suffice.GenerativeClassifier({"message": "text"}, covariance="full")
    apart.partial_fit({"message": MESSAGES[:2]}, LABELS[:2], classes=["ham", "spam"])
    apart.partial_fit({"message": MESSAGES[2:]}, LABELS[2:])
    assert counts(apart.statistics_) == counts(together.statistics_)
    new = {"message": ["win cash", "see you"]}
    np.testing.assert_array_equal(apart.predict_proba(new), together.predict_proba(new))
    assert list(apart.predict(new)) == ["spam", "ham"]


def test_statistics_merge_subtract_and_travel():
    first = suffice.Statistics.of({"message": MESSAGES[:2]}, LABELS[:2], family={"message": "text"})
    second = suffice.Statistics.of({"message": MESSAGES[2:]}, LABELS[2:], family={"message": "text"})
    both = second + first if hasattr(second, "__add__") else suffice.Statistics.merge_many([second, first])
    whole = suffice.Statistics.of({"message": MESSAGES}, LABELS, family={"message": "text"})
    assert counts(both) == counts(whole)
    assert counts(pickle.loads(pickle.dumps(whole))) == counts(whole)
    model = whole.estimate()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.log_likelihood({"message": ["see"]}), again.log_likelihood({"message": ["see"]}))


def test_unknown_words_and_missing_documents():
    model = suffice.Statistics.of({"message": MESSAGES}, LABELS, family={"message": "text"}).estimate()
    with pytest.warns(UserWarning, match="2 words of 'message' are unknown"):
        scores = model.log_likelihood({"message": ["win never heard", None, ""]})
    assert (scores[1:] == 0).all()


def test_samples_are_documents():
    model = suffice.Statistics.of({"message": MESSAGES}, LABELS, family={"message": "text"}).estimate()
    rows, labels = model.sample(20, document_length=6)
    documents = list(rows["message"])
    assert len(labels) == 20 and all(len(document.split()) == 6 for document in documents)


def test_probabilities_are_those_of_a_pipeline():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    from sklearn.pipeline import make_pipeline

    new = ["see the cash prize", "win win win", "5 of you"]
    pipeline = make_pipeline(text.CountVectorizer(), naive_bayes.MultinomialNB()).fit(MESSAGES, LABELS)
    ours = suffice.GenerativeClassifier({"message": "text alnum min-length:2"}, covariance="full", smoothing=1,
                                        calibration="none").fit({"message": MESSAGES}, LABELS)
    found = ours.predict_proba({"message": new})
    with pytest.warns(UserWarning, match="unknown"):
        ours.predict_log_likelihood({"message": new})
    np.testing.assert_allclose(found, pipeline.predict_proba(new), rtol=1e-12)


def test_select_compares_tokens():
    rng = np.random.default_rng(5)
    words = {"a": ["red", "rose", "lily"], "b": ["rod", "nose", "lilt"]}
    labels = list("ab" * 30)
    X = {"message": [" ".join(rng.choice(words[label], 3)) for label in labels]}
    found = suffice.select(X, labels, family={"message": ["text", "text chars:3-3"]}, smoothing=[0.1, 1])
    assert len(found.candidates) == 4
