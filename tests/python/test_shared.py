"""One object in several threads: sums of all updates, whole copies, no crash, forks that go on."""
from __future__ import annotations

import copy
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import suffice
from sklearn.naive_bayes import GaussianNB
from suffice import sklearn as drop_ins
from suffice.sklearn import GaussianNB as OurGaussianNB
from suffice.sklearn import LinearDiscriminantAnalysis

WRITERS, UPDATES = 4, 25


@pytest.fixture
def often() -> Any:
    """Threads take turns often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def table() -> tuple[Any, Any]:
    X = np.random.default_rng(5).normal(size=(3000, 60))
    return X, np.repeat([0, 1], 1500)


def in_threads(*works: Callable[[], None]) -> None:
    """Runs them at once; raises what one of them has raised."""
    errors: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def scatters(X: Any, y: Any) -> Any:
    """The textbook's: the scatter of each class about its mean, by NumPy."""
    centred = [X[y == c] - X[y == c].mean(0) for c in (0, 1)]
    return np.array([of.T @ of for of in centred])


def expect_whole(stats: suffice.Statistics, one: Any, rows: int) -> None:
    times = stats.weights[0] / rows
    assert times == int(times)
    np.testing.assert_allclose(stats.blocks[0]["scatter"], times * one, rtol=1e-9, atol=1e-6)


def repeated(times: int, work: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            work()

    return run


@pytest.mark.parametrize("batches", [False, True])
def test_updates_of_many_threads_are_the_sums_of_all(batches: bool) -> None:
    X, y = table()
    stats = suffice.Statistics({f"x{j}": "gaussian" for j in range(60)})

    def update() -> None:
        if batches:
            stats.update(((X[k::3], y[k::3]) for k in range(3)), n_jobs=1)
        else:
            stats.update(X, y, n_jobs=1)

    in_threads(*[repeated(UPDATES, update)] * WRITERS)
    assert stats.weights.tolist() == [1500 * WRITERS * UPDATES] * 2
    expect_whole(stats, scatters(X, y), 1500)


def test_readers_see_whole_updates() -> None:
    X, y = table()
    stats, one = suffice.Statistics.of(X, y), scatters(X, y)
    writing = threading.Event()
    writing.set()

    def write() -> None:
        repeated(80, lambda: stats.update(X, y))()
        writing.clear()

    def read() -> None:
        while writing.is_set():
            expect_whole(stats.copy(), one, 1500)
            expect_whole(pickle.loads(pickle.dumps(stats)), one, 1500)
            stats.estimate(covariance="full", shrinkage=0)
            assert stats == stats
            expect_whole(stats + stats, one, 1500)

    in_threads(write, read, read)


@pytest.mark.parametrize("kind", ["classes", "levels", "text"])
def test_new_names_may_arrive_while_others_read(kind: str) -> None:
    def rows(i: int) -> tuple[Any, list[str]]:
        n = 3000
        y = [f"c{i if kind == 'classes' else 0}_{k % 20}" for k in range(n)]
        if kind == "text":
            return pd.DataFrame({"t": [f"w{i}_{k} common w{k % 50}" for k in range(n)]}), y
        levels = [f"L{i if kind == 'levels' else 0}_{k % 200}" for k in range(n)]
        return pd.DataFrame({"g": levels, "x": np.arange(n) % 7.0}), y

    tables = [rows(i) for i in range(12)]
    family = {"t": "text"} if kind == "text" else None
    stats = suffice.Statistics.of(*tables[0], family=family)
    left = [2]

    def write(parts: list[tuple[Any, list[str]]]) -> None:
        for part in parts:
            stats.update(*part)
        left[0] -= 1

    def read() -> None:
        while left[0] > 0:
            assert stats.copy().weights.sum() % 3000 == 0
            assert len(pickle.loads(pickle.dumps(stats)).classes_) % 20 == 0
            repr(stats), stats.classes_, stats.blocks

    in_threads(lambda: write(tables[1:6]), lambda: write(tables[6:]), read, read, read)
    assert stats.weights.sum() == 3000 * 12


def test_partial_fit_of_many_threads_learns_all_rows() -> None:
    X, y = table()
    clf = suffice.GenerativeClassifier(covariance="full").partial_fit(X, y)
    in_threads(*[repeated(10, lambda: clf.partial_fit(X, y))] * 3, *[repeated(30, lambda: clf.predict_proba(X[:50]))] * 2)
    assert clf.statistics_.weights.sum() == 3000 * 31
    expect_whole(clf.statistics_, scatters(X, y), 1500)
    assert clf.model_ == clf.statistics_.estimate(covariance="full")


@pytest.mark.parametrize("drop_in", [OurGaussianNB, LinearDiscriminantAnalysis])
def test_drop_ins_learn_all_rows(drop_in: Any) -> None:
    X, y = table()
    clf = drop_in().partial_fit(X, y, classes=[0, 1])
    X2 = X[::2] + 1
    in_threads(*[repeated(20, lambda: clf.partial_fit(X2, y[::2]))] * 3)
    expected = GaussianNB().fit(np.vstack([X, *[X2] * 60]), np.hstack([y, *[y[::2]] * 60]))
    means = clf.theta_ if drop_in is OurGaussianNB else clf.means_
    np.testing.assert_allclose(means, expected.theta_, rtol=1e-9, atol=1e-9)


ESTIMATORS = [
    suffice.GenerativeClassifier(covariance="diag", shrinkage=0, n_jobs=1),
    suffice.GenerativeClassifier(covariance="full", n_jobs=1),
    drop_ins.GaussianNB(n_jobs=1),
    drop_ins.BernoulliNB(n_jobs=1),
    drop_ins.CategoricalNB(min_categories=20, n_jobs=1),
    drop_ins.MultinomialNB(n_jobs=1),
    drop_ins.ComplementNB(n_jobs=1),
    drop_ins.LinearDiscriminantAnalysis(n_jobs=1),
    drop_ins.QuadraticDiscriminantAnalysis(n_jobs=1),
]


def hesitant(estimator: Any) -> Any:
    """The estimator with a moment after each change of an attribute, in which other threads see
    what they should not."""

    def set_slowly(self: Any, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if name.endswith("_"):
            time.sleep(2e-4)

    kind = type(estimator)
    name = "Hesitant" + kind.__name__
    globals()[name] = type(name, (kind,), {"__setattr__": set_slowly, "__module__": __name__})
    return globals()[name](**estimator.get_params())


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_answers_are_of_one_state(estimator: Any, often: None) -> None:
    """Each batch turns the classes round, so that an answer that mixes two states is none of them."""
    estimator = hesitant(estimator)
    r = np.random.default_rng(1)
    X, y = r.poisson(3, size=(300, 6)).astype(float), np.repeat([0, 1, 2], 100)
    X[y == 1, 0] += 4
    X[y == 2, 1] += 4
    batches = [(X[k::10], (y[k::10] + k) % 3) for k in range(10)]
    alone, states = copy.deepcopy(estimator), []
    for k in range(30):
        alone.partial_fit(*batches[k % 10], classes=[0, 1, 2])
        states.append(alone.predict_proba(X[:7]))
    shared = copy.deepcopy(estimator).partial_fit(*batches[0], classes=[0, 1, 2])
    left = [1]

    def learn() -> None:
        try:
            for k in range(1, 30):
                shared.partial_fit(*batches[k % 10])
        finally:
            left[0] = 0

    def ask() -> None:
        while left[0]:
            for of in (shared, copy.deepcopy(shared), pickle.loads(pickle.dumps(shared))):
                answer = of.predict_proba(X[:7])
                assert np.abs(np.array(states) - answer).max(axis=(1, 2)).min() < 1e-9
                of.predict(X[:7])

    in_threads(learn, ask, ask)
    np.testing.assert_allclose(shared.predict_proba(X[:7]), states[-1], rtol=1e-9)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_no_batch_is_lost(estimator: Any, often: None) -> None:
    r = np.random.default_rng(2)
    X, y = r.poisson(3, size=(120, 4)).astype(float), np.repeat([0, 1, 2], 40)
    shared = copy.deepcopy(estimator)
    in_threads(*[repeated(15, lambda: shared.partial_fit(X, y, classes=[0, 1, 2]))] * 4)
    counted = getattr(shared, "statistics_", None) or shared._statistics
    assert counted.weights.tolist() == [40.0 * 60] * 3


def test_files_are_of_one_moment(tmp_path: Any) -> None:
    X, y = table()
    stats, one = suffice.Statistics.of(X, y), scatters(X, y)
    left = [1]

    def write() -> None:
        repeated(40, lambda: stats.update(X, y, n_jobs=1))()
        left[0] = 0

    def save() -> None:
        path = tmp_path / f"{threading.get_ident()}.stats"
        while left[0]:
            stats.save(path)
            expect_whole(suffice.Statistics.load(path), one, 1500)

    in_threads(write, save, save)


def test_a_refused_update_changes_nothing_for_readers(often: None) -> None:
    X, y = table()
    stats = suffice.Statistics.of(X, y)
    bad = X.copy()
    bad[-1, 0] = np.inf
    left = [2]

    def write(refused: bool) -> None:
        for _ in range(20):
            if refused:
                with pytest.raises(suffice.DataError):
                    stats.update(bad, [7] * len(y), n_jobs=1)
            else:
                stats.update(X, y, n_jobs=1)
        left[0] -= 1

    def read() -> None:
        while left[0]:
            assert stats.classes_.tolist() == [0, 1]

    in_threads(lambda: write(False), lambda: write(True), read)
    assert stats.weights.tolist() == [1500 * 21] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_finds_objects_free_and_whole() -> None:
    X, y = table()
    stats, one = suffice.Statistics.of(X, y), scatters(X, y)
    clf = suffice.GenerativeClassifier(covariance="tied").partial_fit(X, y)
    stop = threading.Event()

    def learn() -> None:
        while not stop.is_set():
            stats.update(X, y, n_jobs=1)
            clf.partial_fit(X, y)

    def fork() -> None:
        try:
            for _ in range(15):
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        import signal

                        signal.alarm(20)
                        expect_whole(stats.copy(), one, 1500)
                        stats.update(X, y, n_jobs=1)
                        clf.partial_fit(X, y)
                        expect_whole(stats, one, 1500)
                        code = 0
                    finally:
                        os._exit(code)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            stop.set()

    in_threads(learn, learn, fork)
