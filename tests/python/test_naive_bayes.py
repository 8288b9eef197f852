"""The naive Bayes drop-ins: scikit-learn's numbers on public data, and the laws that it breaks."""
from __future__ import annotations

import copy
import csv
import gzip
import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

import scipy.sparse as sp  # noqa: E402
import sklearn.naive_bayes as reference  # noqa: E402
from datasets import word_counts  # noqa: E402
from numpy.testing import assert_allclose, assert_array_equal  # noqa: E402
from scipy.stats import norm  # noqa: E402
from sklearn.base import clone  # noqa: E402

import suffice.sklearn as drop_in  # noqa: E402
from suffice._encode import codes_in, sorted_codes  # noqa: E402

NAMES = ["GaussianNB", "BernoulliNB", "MultinomialNB", "CategoricalNB", "ComplementNB"]
DISCRETE = NAMES[1:]
ATTRIBUTES = ["classes_", "class_count_", "class_prior_", "class_log_prior_", "theta_", "var_",
              "feature_count_", "feature_all_", "category_count_", "n_categories_", "feature_log_prob_"]


def table(path, label):
    """The rows of a gzipped CSV as text without the label column, and the labels."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    at = header.index(label)
    return ([row[:at] + row[at + 1:] for row in rows], np.array([row[at] for row in rows]))


def numbers(data, name, label):
    rows, y = table(data(name), label)
    return np.array(rows, dtype=float), y


@pytest.fixture(scope="module")
def messages(data):
    counts, labels = word_counts(data("messages.csv.gz"))
    indptr = np.cumsum([0] + [len(row) for row in counts])
    indices = np.array([word for row in counts for word in row], dtype=np.int32)
    values = np.array([n for row in counts for n in row.values()], dtype=float)
    return sp.csr_matrix((values, indices, indptr)), np.array(labels)


@pytest.fixture(scope="module")
def census(data):
    """The eight categorical columns, each level as its number; an empty cell is a level too."""
    rows, y = table(data("census_train.csv.gz"), "income")
    columns = [c for c in zip(*rows) if not all(v.replace(".", "").isdigit() for v in c[:50] if v)]
    assert len(columns) == 8
    return np.column_stack([np.unique(c, return_inverse=True)[1] for c in columns]), y


def counts(seed=0, n=300, d=7, levels=5, classes=3):
    """Integer data that all five kinds take, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, d))
    return X, (X[:, 0] + X[:, 1] + rng.integers(0, 3, n)) % classes


def pair(name, **parameters):
    return getattr(reference, name)(**parameters), getattr(drop_in, name)(**parameters)


def assert_same_learned(ours, theirs, rtol=1e-10, atol=1e-12):
    for name in ATTRIBUTES:
        assert hasattr(ours, name) == hasattr(theirs, name), name
        if not hasattr(theirs, name):
            continue
        a, b = getattr(ours, name), getattr(theirs, name)
        if isinstance(b, list):
            assert len(a) == len(b)
            for x, y in zip(a, b):
                assert_allclose(x, y, rtol, atol, err_msg=name)
        elif b.dtype.kind in "fi":
            assert_allclose(a, b, rtol, atol, err_msg=name)
        else:
            assert_array_equal(a, b)
            assert a.dtype == b.dtype


def assert_same_answers(ours, theirs, X, rtol=1e-10):
    assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol)
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol, 1e-9)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), 1e-9, 1e-15)
    assert_array_equal(ours.predict(X), theirs.predict(X))


# scikit-learn's numbers.

@pytest.mark.parametrize("name, label", [("iris", "species"), ("wine", "cultivar"),
                                         ("breast_cancer_wdbc", "diagnosis"), ("mail", "is_spam")])
@pytest.mark.parametrize("smoothing", [1e-9, 1e-3])
def test_gaussian_as_scikit_learn(data, name, label, smoothing):
    X, y = numbers(data, name + ".csv.gz", label)
    theirs, ours = pair("GaussianNB", var_smoothing=smoothing)
    theirs.fit(X, y), ours.fit(X, y)
    assert_same_learned(ours, theirs)
    assert_allclose(ours.epsilon_, theirs.epsilon_, 1e-12)
    assert_same_answers(ours, theirs, X)
    priors = np.arange(1.0, len(ours.classes_) + 1)
    theirs, ours = (e.set_params(priors=priors / priors.sum()).fit(X, y) for e in (theirs, ours))
    assert_array_equal(ours.class_prior_, theirs.class_prior_)
    assert_same_answers(ours, theirs, X)


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.01}, {"fit_prior": False}, {"class_prior": [0.3, 0.7]}])
def test_discrete_as_scikit_learn_on_mail(data, name, parameters):
    X, y = numbers(data, "mail.csv.gz", "is_spam")
    X = X[:, :-3]  # without the lengths of runs, of which CategoricalNB would count thousands
    theirs, ours = (e.fit(X, y) for e in pair(name, **parameters))
    assert_same_learned(ours, theirs)
    assert_same_answers(ours, theirs, X)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_matrix])
def test_sparse_words_as_scikit_learn(messages, name, form):
    X, y = messages
    theirs, ours = (e.fit(form(X), y) for e in pair(name, alpha=0.1))
    assert_same_learned(ours, theirs)
    assert_same_answers(ours, theirs, form(X))


@pytest.mark.parametrize("norm", [False, True])
def test_complement_of_the_words(messages, norm):
    X, y = messages
    theirs, ours = (e.fit(X, y) for e in pair("ComplementNB", norm=norm))
    assert_same_learned(ours, theirs)
    assert_same_answers(ours, theirs, X)


def test_tf_idf_as_scikit_learn(messages):
    from sklearn.feature_extraction.text import TfidfTransformer
    X, y = TfidfTransformer().fit_transform(messages[0]), messages[1]
    for name in ["MultinomialNB", "ComplementNB"]:
        theirs, ours = (e.fit(X, y) for e in pair(name))
        assert_same_learned(ours, theirs)
        assert_same_answers(ours, theirs, X)


@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.5}, {"min_categories": 50}])
def test_categorical_as_scikit_learn_on_census(census, parameters):
    X, y = census
    theirs, ours = (e.fit(X, y) for e in pair("CategoricalNB", **parameters))
    assert_same_learned(ours, theirs)
    assert_same_answers(ours, theirs, X)


@pytest.mark.parametrize("name", NAMES)
def test_weights_as_scikit_learn(name):
    X, y = counts()
    weight = np.random.default_rng(1).uniform(0, 3, len(y))
    # Its smoothing does not look at the weights: with none, the rest is the same.
    parameters = {"var_smoothing": 0.0} if name == "GaussianNB" else {}
    theirs, ours = (e.fit(X, y, sample_weight=weight) for e in pair(name, **parameters))
    assert_same_learned(ours, theirs)
    assert_same_answers(ours, theirs, X)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", [
    lambda X: X.astype(np.float32), lambda X: X.astype(np.int8), lambda X: X.astype(np.uint64),
    lambda X: X.astype(np.float16), lambda X: X.astype(">f8"), lambda X: np.asfortranarray(X, float),
    lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3], lambda X: X[::-1, ::-1][::-1, ::-1],
    lambda X: X.tolist()], ids=["float32", "int8", "uint64", "float16", "swapped", "Fortran", "strided",
                                "reversed", "list"])
def test_any_array_of_the_same_numbers(name, form):
    X, y = counts()
    given = form(X)
    if isinstance(given, np.ndarray):
        given.setflags(write=False)
    expected, model = getattr(drop_in, name)().fit(X.astype(float), y), getattr(drop_in, name)().fit(given, y)
    rtol = 1e-5 if name == "GaussianNB" and getattr(given, "dtype", None) == np.float32 else 1e-12
    assert_same_learned(model, expected, rtol)
    assert_allclose(model.predict_proba(given), expected.predict_proba(X.astype(float)), rtol, 1e-12)
    assert_array_equal(model.predict(given), expected.predict(X.astype(float)))


def test_float32_has_float32_attributes_and_scores_of_all_digits():
    X, y = counts()
    theirs, ours = (e.fit(X.astype(np.float32), y) for e in pair("GaussianNB"))
    for name in ["class_count_", "class_prior_", "theta_", "var_"]:
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype == np.float32
    exact = drop_in.GaussianNB().fit(X.astype(float), y)
    assert_allclose(ours.predict_joint_log_proba(X.astype(np.float32)), exact.predict_joint_log_proba(X), 1e-14)
    again = pickle.loads(pickle.dumps(ours))
    assert_array_equal(again.predict_joint_log_proba(X), ours.predict_joint_log_proba(X))


# Laws.

@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_are_all_rows(name, weighted):
    X, y = counts()
    X = X + 0.25 if name == "GaussianNB" else X
    weight = np.random.default_rng(2).uniform(0.1, 3, len(y)) if weighted else np.ones(len(y))
    order = np.argsort(X[:, 0] + y, kind="stable")  # batches unlike each other
    X, y, weight = X[order], y[order], weight[order]
    whole = getattr(drop_in, name)().fit(X, y, sample_weight=weight if weighted else None)
    parts = getattr(drop_in, name)()
    for rows in np.array_split(np.arange(len(y)), 7):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=weight[rows])
    assert_same_learned(parts, whole, 1e-12)
    assert_allclose(parts.predict_proba(X), whole.predict_proba(X), 1e-10)
    if name == "GaussianNB":
        assert_allclose(parts.epsilon_, whole.epsilon_, 1e-12)
        assert_allclose(whole.epsilon_, 1e-9 * np.cov(X.T, aweights=weight, ddof=0).diagonal().max(), 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_copies(name):
    X, y = counts()
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    weighted = getattr(drop_in, name)().fit(X, y, sample_weight=weight)
    copies = getattr(drop_in, name)().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same_learned(weighted, copies, 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_threads_change_no_bit(name):
    X, y = counts(n=20000)
    one, two = (getattr(drop_in, name)(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert_same_learned(one, two, rtol=0, atol=0)
    assert_array_equal(one.predict_joint_log_proba(X), two.predict_joint_log_proba(X))


@pytest.mark.parametrize("name", ["BernoulliNB", "CategoricalNB"])
def test_many_blocks_of_converted_rows(name):
    X, y = counts(n=60000, d=9, levels=2)
    X = X + 0.5  # the whole part counts; above 1 is one
    parameters = {"binarize": 1.0} if name == "BernoulliNB" else {}
    theirs, ours = (e.fit(X, y) for e in pair(name, **parameters))
    assert_same_learned(ours, theirs)
    assert_same_answers(ours, theirs, X)


def test_an_offset_costs_no_digits():
    X, y = np.random.default_rng(4).normal(size=(500, 3)), np.arange(500) % 2
    plain, far = drop_in.GaussianNB().fit(X, y), drop_in.GaussianNB().fit(X + 2.0**30, y)
    assert_allclose(far.var_, plain.var_, 1e-6)  # the doubles of X + 2³⁰ have lost 30 bits
    assert_allclose(far.epsilon_, plain.epsilon_, 1e-6)


def test_a_class_without_rows_is_impossible():
    model = drop_in.GaussianNB(priors=[0.25, 0.25, 0.5])
    model.partial_fit([[0.0], [1], [5], [6]], [0, 0, 1, 1], classes=[0, 1, 2])
    assert_array_equal(model.predict_proba([[0.0], [5.0]])[:, 2], 0)
    joint = model.predict_joint_log_proba([[0.5]])
    expected = np.log(0.25) + norm.logpdf(0.5, model.theta_[:2, 0], np.sqrt(model.var_[:2, 0]))
    assert_allclose(joint[0, :2], expected)
    assert joint[0, 2] == -np.inf


# Where scikit-learn fails.

def test_a_level_unseen_in_training_counts_as_missing():
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
    theirs, ours = (e.fit(X, y) for e in pair("CategoricalNB"))
    with pytest.raises(IndexError):
        theirs.predict([[0, 5]])
    # P(x0 = 0 | c) = (2 + 1) / (2 + 2) and (0 + 1) / (2 + 2); the priors are equal.
    assert_allclose(ours.predict_proba([[0, 5]]), [[0.75, 0.25]])
    assert_array_equal(ours.predict([[0, 5], [1, 7]]), [0, 1])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_without_pseudo_counts_probabilities_are_exact(form):
    X, y = form(np.array([[1, 0, 2], [2, 0, 1], [0, 3, 1], [0, 1, 1]])), [0, 0, 1, 1]
    model = drop_in.MultinomialNB(alpha=0).fit(X, y)
    with np.errstate(divide="ignore"):
        assert_allclose(model.feature_log_prob_, np.log([[3 / 6, 0, 3 / 6], [0, 4 / 6, 2 / 6]]))
    assert_allclose(model.predict_proba(form([[1, 0, 0], [0, 1, 0], [0, 0, 1]])),
                    [[1, 0], [0, 1], [0.6, 0.4]])  # 3/6 against 2/6
    model = drop_in.BernoulliNB(alpha=0).fit(X, y)
    assert_allclose(model.predict_proba(form([[1, 0, 1], [0, 1, 1]])), [[1, 0], [0, 1]])
    assert not np.isnan(model.predict_joint_log_proba(form([[1, 1, 0]]))).any()
    model = drop_in.ComplementNB(alpha=0).fit(X, y)  # a word that no other class has decides
    assert_allclose(model.predict_proba(form([[1, 0, 0], [0, 1, 0]])), [[1, 0], [0, 1]])
    assert_array_equal(model.predict(form([[1, 0, 0], [0, 1, 0]])), [0, 1])


def test_a_level_that_a_class_never_had_is_impossible_without_pseudo_counts():
    model = drop_in.CategoricalNB(alpha=0).fit([[0], [0], [1], [1], [2]], [0, 0, 0, 1, 1])
    # P(1 | 0) P(0) = 1/3 · 3/5 = P(1 | 1) P(1) = 1/2 · 2/5
    assert_allclose(model.predict_proba([[0], [1], [2]]), [[1, 0], [0.5, 0.5], [0, 1]])


def test_pseudo_counts_by_feature_of_bernoulli():
    X, y = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 0]]), np.array([0, 0, 0, 1])
    alpha = np.array([0.5, 1.0, 2.0])
    model = drop_in.BernoulliNB(alpha=alpha).fit(X, y)
    expected = [(np.array([2, 2, 2]) + alpha) / (3 + 2 * alpha), alpha / (1 + 2 * alpha)]
    assert_allclose(np.exp(model.feature_log_prob_), expected)


def test_categories_of_all_batches_count():
    X, y = counts(n=40, levels=6)
    model = drop_in.CategoricalNB().partial_fit(X[X[:, 0] > 2], y[X[:, 0] > 2], classes=[0, 1, 2])
    model.partial_fit(X[X[:, 0] <= 2], y[X[:, 0] <= 2])  # scikit-learn: n_categories_ of this batch
    assert_array_equal(model.n_categories_, X.max(axis=0) + 1)


# Bad input.

@pytest.mark.parametrize("name, sparse", [(name, False) for name in NAMES] + [
    (name, True) for name in ("BernoulliNB", "MultinomialNB", "ComplementNB")])
@pytest.mark.parametrize("method", ["fit", "partial_fit", "predict", "predict_proba"])
@pytest.mark.parametrize("value, words", [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity"),
                                          (-np.inf, "infinity")])
def test_values_that_are_no_numbers(name, sparse, method, value, words):
    X, y = counts(n=500)
    form = sp.csr_matrix if sparse else np.asarray
    model = getattr(drop_in, name)().fit(form(X), y)
    before = model.predict_proba(form(X))
    bad = X.astype(float)
    bad[333, 5] = value
    with pytest.raises(ValueError, match=words) as caught:
        getattr(model, method)(form(bad), *([y] if "fit" in method else []))
    assert "row 333, feature 'x5'" in str(caught.value)
    assert_array_equal(model.predict_proba(form(X)), before)  # nothing has changed


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "CategoricalNB"])
@pytest.mark.parametrize("kind", [float, np.int32])
def test_negative_counts(name, kind):
    X, y = counts()
    X[7, 3] = -1
    with pytest.raises(ValueError, match=rf"Negative values in data passed to {name} \(input X\)"):
        getattr(drop_in, name)().fit(X.astype(kind), y)


def test_errors_name_the_callers_classes_and_features():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"width": [1.0, 2, 3, 3], "height": [0.0, 1, 0, np.inf]})
    y = ["narrow", "narrow", "wide", "wide"]
    with pytest.raises(ValueError, match="infinity.*\n.*row 3, feature 'height'"):
        drop_in.GaussianNB().fit(frame, y)
    frame.loc[3, "height"] = 1
    with pytest.raises(ValueError, match="class 'wide', feature 'width': the variance is 0.*var_smoothing"):
        drop_in.GaussianNB(var_smoothing=0).fit(frame, y).predict(frame)
    with pytest.raises(ValueError, match="row 1, class 'narrow', feature 'width': the value is 2"):
        drop_in.BernoulliNB(binarize=None).fit(frame, y)


def test_a_constant_feature_tells_nothing():
    X, y = counts()
    constant = np.hstack([X, np.full((len(X), 1), 3.0)])
    with_it = drop_in.GaussianNB(var_smoothing=0).fit(constant, y)
    assert_allclose(with_it.predict_proba(constant), drop_in.GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X))


def test_bernoulli_without_threshold_takes_only_zero_and_one():
    with pytest.raises(ValueError, match="0 or 1"):
        drop_in.BernoulliNB(binarize=None).fit([[0, 1], [2, 0]], [0, 1])
    X, y = counts(levels=2)
    theirs, ours = (e.fit(X, y) for e in pair("BernoulliNB", binarize=None))
    assert_same_answers(ours, theirs, X)


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_batch_leaves_the_sums(name):
    X, y = counts()
    model = getattr(drop_in, name)()
    with pytest.raises(ValueError, match="NaN"):  # refused before anything was learned
        model.partial_fit(np.full((2, 7), np.nan), [0, 1], classes=[0, 1, 2])
    model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"target label\(s\) \[3\] in y do not exist in the initial classes \[0 1 2\]"):
        model.partial_fit(X[:2], [0, 3])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.where(np.arange(7) == 6, np.nan, X), y)
    with pytest.raises(ValueError, match="0 sample"):
        model.partial_fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="expecting 7 features"):
        model.partial_fit(X[:, :3], y)
    model.partial_fit(X[:50], y[:50])
    assert_same_learned(model, getattr(drop_in, name)().fit(np.vstack([X, X[:50]]), np.append(y, y[:50])), 1e-12)


def test_a_refused_fit_leaves_no_mixture():
    X, y = counts()
    model = drop_in.GaussianNB(priors=[0.2, 0.3, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="Number of priors"):
        model.fit(X, y % 2)
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(X)
    model.set_params(priors=None).partial_fit(X, y % 2)
    assert_same_learned(model, drop_in.GaussianNB().fit(X, y % 2))


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_fit_leaves_what_was_learned(name):
    X, y = counts()
    model = getattr(drop_in, name)().fit(X, y)
    before = model.predict_proba(X)
    for bad, labels, words in [(np.full((3, 2), np.nan), [0, 1, 7], "NaN"), (X[:, :2], y + 0.5, "continuous")]:
        with pytest.raises(ValueError, match=words):
            model.fit(bad, labels)
        assert_array_equal(model.predict_proba(X), before)
    model.partial_fit(X, y)
    assert_same_learned(model, getattr(drop_in, name)().fit(np.vstack([X, X]), np.append(y, y)), 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_frames_are_matched_by_name(name):
    pandas = pytest.importorskip("pandas")
    X, y = counts()
    frame = pandas.DataFrame(X, columns=list("abcdefg"))
    model = getattr(drop_in, name)().fit(frame, pandas.Series(y).map({0: "x", 1: "y", 2: "z"}))
    assert_array_equal(model.feature_names_in_, list("abcdefg"))
    assert_array_equal(model.classes_, ["x", "y", "z"])
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame[list("gfedcba")])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")


# Labels.

@pytest.mark.parametrize("labels", [
    np.array([3, 1, 2, 1]), np.array([-(2**63), 2**63 - 1, 0, 0]), np.array([2**64 - 1, 2**64 - 3, 2**64 - 3], np.uint64),
    np.array([-128, 127, 5], np.int8), np.array([True, False, True]), np.array([1.0, -2.0, 1.0]),
    np.array([0.5, 1.5, 0.5]), np.array(["b", "a", "10", "9"]), np.array(["b", "aaa"], object),
    np.array([0, 1, 2, 1]), np.array([10**12, 5]), np.array(["2020-01-02", "2019-01-01"], "M8[D]"),
    np.array([b"b", b"a"]), np.array([1.5, -1.0], np.float16), np.array([3, 1, 300], ">i4"), np.arange(12)[::-3],
    np.array(["b", "a", "c", "a"])[::2], np.array([-(2**53) - 1, -(2**53) - 3, 2**53 + 1]), np.array([0.0, -0.0, 1e300]),
    np.random.default_rng(0).integers(-5, 60, 200000), np.random.default_rng(0).integers(0, 300, 200000).astype(float)],
    ids=lambda y: f"{y.dtype}-{y.size}")
def test_codes_are_those_of_unique(labels):
    values, positions = np.unique(labels, return_inverse=True)
    classes, codes = sorted_codes(labels)
    assert classes.dtype == values.dtype
    assert_array_equal(classes, values)
    assert_array_equal(codes, positions)
    assert_array_equal(codes_in(labels, values), positions)
    expected = np.where(positions == 0, -1, positions - 1)  # without the first class
    assert_array_equal(codes_in(labels, values[1:]), expected)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1.0, 1.0], [10, 9]])
def test_predictions_have_the_type_of_the_labels(labels):
    X, y = counts(classes=2)
    y = np.array(labels)[y]
    model = drop_in.GaussianNB().fit(X, y)
    assert_array_equal(model.classes_, np.unique(y))
    assert model.predict(X).dtype == y.dtype
    assert model.score(X, y) == reference.GaussianNB().fit(X, y).score(X, y) > 0.4


def test_labels_of_different_kinds_and_measurements():
    with pytest.raises(ValueError, match="int and str"):
        drop_in.GaussianNB().fit([[0.0], [1.0]], np.array([1, "a"], dtype=object))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        drop_in.GaussianNB().fit([[0.0], [1.0]], [0.5, 1.25])


# What surrounds an estimator.

@pytest.mark.parametrize("name", NAMES)
def test_pickles_and_copies_go_on_learning(name):
    X, y = counts()
    first = getattr(drop_in, name)().partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    others = [pickle.loads(pickle.dumps(first)), copy.deepcopy(first), copy.copy(first)]
    expected = first.predict_joint_log_proba(X)
    for other in others:
        assert_array_equal(other.predict_joint_log_proba(X), expected)
        other.partial_fit(X[100:], y[100:])
        assert_same_learned(other, getattr(drop_in, name)().fit(X, y), 1e-12)
    assert_array_equal(first.predict_joint_log_proba(X), expected)
    assert not hasattr(clone(first), "classes_")


def test_attributes_that_a_user_sets_are_used():
    X, y = counts()
    model, other = drop_in.GaussianNB().fit(X, y), reference.GaussianNB().fit(X, y)
    for e in (model, other):
        e.class_prior_ = np.array([0.1, 0.1, 0.8])
        e.theta_ = e.theta_ + 0.5
        e.var_[1] *= 3
    assert_same_answers(model, other, X)
    model, other = drop_in.BernoulliNB().fit(X, y), reference.BernoulliNB().fit(X, y)
    for e in (model, other):
        e.class_log_prior_[0] = -7.0
        e.feature_log_prob_[2] -= 0.25
    assert_same_answers(model, other, X)


@pytest.mark.parametrize("name", NAMES)
def test_within_scikit_learn(name):
    from sklearn import config_context
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import GridSearchCV, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    X, y = counts()
    for at, estimator in enumerate(pair(name)):
        parameter = "var_smoothing" if name == "GaussianNB" else "alpha"
        pipeline = make_pipeline(FunctionTransformer(), estimator)
        grid = {f"{name.lower()}__{parameter}": [1e-3, 0.5]}
        search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
        calibrated = CalibratedClassifierCV(estimator, cv=3).fit(X, y)
        with config_context(enable_metadata_routing=True):
            asked = estimator.set_fit_request(sample_weight=True)
            weighted = make_pipeline(asked).fit(X, y, sample_weight=y + 1.0)
        answers = [search.cv_results_["mean_test_score"], calibrated.predict_proba(X), weighted.predict_proba(X),
                   cross_val_predict(estimator, X, y, cv=3, method="predict_proba")]
        if at == 0:
            expected = answers
    for a, b in zip(answers, expected):
        assert_allclose(a, b, 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_same_parameters_and_one_more(name):
    theirs, ours = pair(name)
    given = ours.get_params()
    assert given.pop("n_jobs") is None
    assert given == theirs.get_params()
    missing = {m for m in dir(theirs) if not m.startswith("_")} - set(dir(ours))
    assert not missing


def test_bernoulli_rows_that_only_look_binary():
    """A value above the threshold hides among ones and zeros: it counts as one all the same."""
    random = np.random.default_rng(5)
    X, y = (random.random((1000, 6)) < 0.4).astype(float), random.integers(0, 3, 1000)
    X[997, 4], X[501, 2] = 2.5, -3
    ours, theirs = drop_in.BernoulliNB().fit(X, y), reference.BernoulliNB().fit(X, y)
    assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-12)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10)
    X[998, 1] = np.nan
    for work in (lambda: ours.fit(X, y), lambda: ours.predict(X)):
        with pytest.raises(ValueError, match="contains NaN"):
            work()
