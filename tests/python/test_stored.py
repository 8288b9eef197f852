"""What stores Python objects, stores ours: pickle, joblib, cloudpickle and skops, fitted and not, alone
and within scikit-learn's own."""
from __future__ import annotations

import datetime
import io
import pickle

import numpy as np
import pytest

import suffice

sklearn = pytest.importorskip("sklearn")
import suffice.sklearn as drop_ins  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_iris, load_wine  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MinMaxScaler  # noqa: E402

X, y = load_iris(return_X_y=True)
X_float = X.astype(np.float32)
DROP_INS = [name for name in drop_ins.__all__ if name != "export"]


def by_pickle(thing):
    copies = [pickle.loads(pickle.dumps(thing, protocol))
              for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    return copies[-1]


def by_joblib(thing):
    joblib = pytest.importorskip("joblib")
    file = io.BytesIO()
    joblib.dump(thing, file)
    return joblib.load(io.BytesIO(file.getvalue()))


def by_cloudpickle(thing):
    return pickle.loads(pytest.importorskip("cloudpickle").dumps(thing))


def is_public(name):
    """Whether users import it under this name."""
    module, _, kind = name.rpartition(".")
    return module in ("suffice", "suffice.sklearn", "suffice.plot") and not kind.startswith("_")


def by_skops(thing):
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(thing)
    names = skops.get_untrusted_types(data=data)
    ours = [name for name in names if not name.startswith(("sklearn.", "datetime."))]
    assert ours and all(map(is_public, ours)), names
    return skops.loads(data, trusted=names)


STORES = pytest.mark.parametrize("store", [by_pickle, by_joblib, by_cloudpickle, by_skops],
                                 ids=lambda store: store.__name__.removeprefix("by_"))


def estimators():
    yield "GenerativeClassifier", suffice.GenerativeClassifier()
    yield "named", suffice.GenerativeClassifier(covariance="tied", priors="uniform",
                                                costs={(0, 1): 5.0})
    yield "mixture", suffice.GenerativeClassifier(covariance="diag", components=2)
    yield "discriminative", suffice.GenerativeClassifier(discriminative=True)
    for name in DROP_INS:
        yield name, getattr(drop_ins, name)()


ESTIMATORS = pytest.mark.parametrize("estimator", [
    pytest.param(estimator, id=name) for name, estimator in estimators()])


def same_answers(mine, other, rows):
    np.testing.assert_array_equal(mine.predict(rows), other.predict(rows))
    np.testing.assert_array_equal(mine.predict_proba(rows), other.predict_proba(rows))


@STORES
@ESTIMATORS
@pytest.mark.parametrize("rows", [X, X_float], ids=["double", "float"])
def test_fitted(estimator, rows, store):
    fitted = clone(estimator).fit(rows, y)
    other = store(fitted)
    assert type(other) is type(fitted)
    same_answers(other, fitted, rows)
    assert repr(other) == repr(fitted)


@STORES
@ESTIMATORS
def test_not_fitted(estimator, store):
    other = store(clone(estimator))
    assert repr(other) == repr(estimator)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        other.predict(X)
    same_answers(other.fit(X, y), clone(estimator).fit(X, y), X)


@STORES
@ESTIMATORS
def test_learning_goes_on(estimator, store):
    if not hasattr(estimator, "partial_fit"):
        pytest.skip("learns from all rows at once")
    try:
        first = clone(estimator).partial_fit(X[::2], y[::2], classes=[0, 1, 2])
    except ValueError as error:
        pytest.skip(str(error).partition("\n")[0])
    other = store(first).partial_fit(X[1::2], y[1::2])
    same_answers(other, first.partial_fit(X[1::2], y[1::2]), X)


@STORES
@ESTIMATORS
def test_within_a_pipeline(estimator, store):
    fitted = make_pipeline(MinMaxScaler(), clone(estimator)).fit(X, y)
    same_answers(store(fitted), fitted, X)


@STORES
def test_within_a_search(store):
    search = GridSearchCV(suffice.GenerativeClassifier(), {"covariance": ["tied", "diag"]}, cv=3)
    fitted = search.fit(X, y)
    other = store(fitted)
    assert other.best_params_ == fitted.best_params_
    same_answers(other, fitted, X)


@STORES
@pytest.mark.parametrize("classes", [
    ["low", "middle", "high"], [True, False, True], [1.5, 2.5, -1.0],
    [datetime.date(2026, 1, day) for day in (1, 2, 3)],
    list(np.array(["2026-01-01", "2026-02-01", "2026-03-01"], "datetime64[D]"))], ids=repr)
def test_classes_keep_their_kind(classes, store):
    kind = object if isinstance(classes[0], datetime.date) else None
    labels = np.array(classes, kind)[y]
    model = suffice.Statistics.of(X, labels).estimate()
    other = store(model)
    assert other == model and other.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(other.decide(X), model.decide(X))


def table():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(2)
    kind = random.integers(2, size=200)
    return pandas.DataFrame({
        "colour": np.where(random.random(200) < 0.3 + 0.4 * kind, "red", "blue"),
        "size": random.normal(size=200) + kind,
        "visits": random.poisson(1 + kind)}), np.array(["no", "yes"])[kind]


@STORES
@pytest.mark.parametrize("options", [{}, {"categories": "within", "covariance": "tied"}], ids=repr)
def test_tables_of_all_kinds(options, store):
    frame, kind = table()
    fitted = suffice.GenerativeClassifier(family={"visits": "poisson"}, **options).fit(frame, kind)
    other = store(fitted)
    same_answers(other, fitted, frame)
    assert other.schema_ == fitted.schema_
    assert other.model_.schema.indicators == fitted.schema_.indicators


def values():
    """(value, what it says) of every value type."""
    stats = suffice.Statistics.of(X, y)
    model = stats.estimate()
    frame, kind = table()
    within = suffice.Statistics.of(frame, kind, family={"visits": "poisson"})
    selection = suffice.select(X, y, covariance=["tied", "diag"], folds=3, predictions=True)
    yield stats, lambda value: value.to_bytes()
    yield within, lambda value: value.to_bytes()
    yield suffice.Statistics(covariance="diag"), repr
    yield model, lambda value: value.posterior(X).tobytes()
    yield model.schema, repr
    yield within.schema, lambda value: (repr(value), value.levels)
    yield suffice.Priors([0, 1, 2], [0.2, 0.3, 0.5]), repr
    yield suffice.Costs(["a", "b"], [[0, 1], [5, 0]]), repr
    yield suffice.fit(X, y), lambda value: (repr(value), value.model.posterior(X).tobytes())
    yield suffice.evaluate(model, X, y), lambda value: {k: repr(v) for k, v in value.items()}
    yield selection, lambda value: (repr(value), value.predictions["proba"].tobytes())
    yield suffice.Files("day-*.csv", na=["-9"]), repr
    yield model.estimate_priors(X), repr
    yield model.minimum_error(), repr
    yield suffice.Statistics.of(X[:, :1], y).estimate().boundary("x0")[0], repr
    yield suffice.report(model), lambda value: value.html
    yield suffice.plot.densities(model), lambda value: value.svg


@STORES
def test_values(store):
    for value, says in values():
        other = store(value)
        assert type(other) is type(value)
        assert says(other) == says(value), type(value)
        assert is_public(f"{type(value).__module__}.{type(value).__qualname__}"), type(value)


@ESTIMATORS
def test_answers_are_no_part_of_what_is_stored(estimator):
    """What was computed for an answer is computed again."""
    rows, kind = load_wine(return_X_y=True)
    fitted = clone(estimator).fit(rows, kind)
    fitted.predict(rows)  # attributes that are computed when they are first needed
    before = pickle.dumps(by_pickle(fitted))
    fitted.predict_proba(rows)
    copy = by_pickle(fitted)
    copy.predict_proba(rows)
    assert pickle.dumps(by_pickle(copy)) == before
    assert not {"_turn", "_cached"} & set(fitted.__getstate__())


def test_public_names():
    """Classes say that they are where users import them from, so that stored names last."""
    for module in (suffice, drop_ins):
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, type):
                assert is_public(f"{thing.__module__}.{thing.__qualname__}"), thing
                assert getattr(__import__(thing.__module__, fromlist=["x"]), thing.__qualname__) is thing
