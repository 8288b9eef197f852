"""Answers and samples as frames, of the kind that went in."""
import builtins
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=60), "c": rng.choice(["u", "v"], 60), "y": ["p", "q", "r"] * 20},
                         index=np.arange(100, 160))
    return frame, suffice.Statistics.of(frame, "y").estimate()


@pytest.mark.parametrize("method", ["posterior", "log_posterior", "log_likelihood", "llr"])
def test_frames_have_the_classes_as_names(mixed, method):
    frame, model = mixed
    ask = getattr(model, method)
    expected = ask(frame)
    assert isinstance(expected, np.ndarray)
    answer = ask(frame, frame=True)
    assert isinstance(answer, pd.DataFrame) and list(answer.columns) == ["p", "q", "r"]
    assert answer.index.equals(frame.index)
    np.testing.assert_array_equal(answer.to_numpy(), expected)
    polars = ask(pl.from_pandas(frame), frame=True)
    assert isinstance(polars, pl.DataFrame) and polars.columns == ["p", "q", "r"]
    np.testing.assert_array_equal(polars.to_numpy(), expected)
    arrow = ask(pa.Table.from_pandas(frame), frame=True)
    assert isinstance(arrow, pa.Table) and arrow.column_names == ["p", "q", "r"]
    np.testing.assert_array_equal(np.column_stack([c.to_numpy() for c in arrow.columns]), expected)


def test_the_ratio_of_two_classes_says_which(mixed):
    frame, _ = mixed
    two = frame[frame.y != "r"]
    model = suffice.Statistics.of(two, "y").estimate()
    ratio = model.llr(two, frame=True)
    assert list(ratio.columns) == ["p/q"]
    np.testing.assert_array_equal(ratio["p/q"], model.llr(two)[:, 0])
    array = model.posterior(np.array([[0.5]]), frame=True) if model.schema._numbered else None
    assert array is None


def test_samples(mixed):
    _, model = mixed
    rows, labels = model.sample(50, seed=4)
    assert isinstance(rows, pd.DataFrame) and list(rows.columns) == ["x", "c"]
    assert rows["x"].dtype == float and set(rows["c"]) == {"u", "v"} and set(labels) == {"p", "q", "r"}
    objects, _ = model.sample(50, seed=4, frame=False)
    assert objects.dtype == object and objects[:, 0].tolist() == rows["x"].tolist()
    assert objects[:, 1].tolist() == rows["c"].tolist()
    # What was drawn can be scored, and the classes can be told from it.
    assert model.posterior(rows).shape == (50, 3)
    numbers = suffice.Statistics.of({"a": [1.0, 2, 5, 6], "b": [3.0, 1, 2, 2]}, list("ppqq")).estimate()
    drawn, _ = numbers.sample(4, seed=1)
    named, _ = numbers.sample(4, seed=1, frame=True)
    assert isinstance(drawn, np.ndarray) and list(named.columns) == ["a", "b"]
    np.testing.assert_array_equal(named.to_numpy(), drawn)


@pytest.mark.parametrize("absent,kind", [({"pandas"}, pl.DataFrame), ({"pandas", "polars"}, dict)])
def test_without_pandas(mixed, monkeypatch, absent, kind):
    _, model = mixed
    import suffice._frames as frames

    monkeypatch.setattr(frames, "available", lambda name: None if name in absent else sys.modules[name])
    rows, _ = model.sample(5, seed=1)
    assert isinstance(rows, kind)
    assert list(rows if kind is dict else rows.columns) == ["x", "c"] and len(rows["x"]) == 5
    assert model.posterior(rows).shape == (5, 3)


def test_only_what_is_public_is_shown():
    assert set(dir(suffice)) == set(suffice.__all__)
    assert not {"annotations", "importlib", "TYPE_CHECKING", "Any"} & set(dir(suffice))
    assert all(hasattr(suffice, name) for name in dir(suffice))
    assert not set(dir(builtins)) & set(suffice.__all__) - {"__version__"}
