"""Statistics as bytes, and many of them merged."""
from __future__ import annotations

import json

import numpy as np
import pytest

import suffice
from suffice import Schema, Statistics
from test_values_statistics import FAMILIES, assert_near, mixed, table


def test_bytes_are_those_of_the_file(tmp_path):
    X, y, w = table(100, missing=0.05)
    stats = mixed(X, y, w / 3)
    stats.save(tmp_path / "s.stats")
    assert stats.to_bytes() == (tmp_path / "s.stats").read_bytes()
    assert Statistics.from_bytes(stats.to_bytes()) == stats
    assert Statistics.from_bytes(bytearray(stats.to_bytes())) == stats


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_partitions_are_one_table(missing, covariance):
    """Whatever the cuts, to rounding; partitions without a class, and without any row, are there."""
    X, y, w = table(700, seed=5, missing=missing)
    order = np.argsort(y, kind="stable")  # so that most partitions lack a class
    X, y, w = X[order], y[order], w[order]
    whole = mixed(X, y, w, covariance=covariance)
    for cuts in ([0, 0, 100, 300, 700, 700], list(range(0, 701, 7)), [0, 700]):
        parts = [mixed(X[i:j], y[i:j], w[i:j], covariance=covariance)
                 for i, j in zip(cuts, cuts[1:])]
        states = [part.to_bytes() for part in parts]
        merged = Statistics.merge_many(states)
        assert_near(merged, whole)
        assert merged == Statistics.merge_many(states)  # the same bits again
        assert merged == Statistics.merge_many(parts)
        assert merged == Statistics.merge_many(iter(parts))


def test_one_state_is_copied():
    X, y, w = table(50)
    stats = mixed(X, y)
    alone = Statistics.merge_many([stats])
    assert alone == stats
    alone.update(X, y)
    assert alone != stats


def test_partitions_without_rows():
    none = Statistics(Schema(FAMILIES))
    assert Statistics.from_bytes(none.to_bytes()) == none
    assert Statistics.merge_many([none.to_bytes()] * 3) == none
    X, y, w = table(50)
    assert Statistics.merge_many([none, mixed(X, y), none]) == mixed(X, y)
    assert Statistics.merge_many([Statistics(), mixed(X, y)]) == mixed(X, y)


def test_many_states_keep_their_digits():
    """A left fold over 2**14 partitions would lose some 1e-13; neighbours first keep nearly all."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2**14, 2)) + 1e9
    y = np.zeros(len(X), int)
    merged = Statistics.merge_many(Statistics.of(X[i:i + 1], y[i:i + 1]) for i in range(len(X)))
    exact = X - 1e9  # without rounding: the numbers are multiples of 2**-23
    exact = exact - exact.mean(axis=0)
    scatter = exact.T @ exact
    scale = np.sqrt(np.outer(scatter.diagonal(), scatter.diagonal()))
    assert (abs(merged.blocks[0]["scatter"][0] - scatter) <= 1e-13 * scale).all()


def other_version(state: bytes) -> bytes:
    """The same state as of a format that does not exist yet."""
    length = int.from_bytes(state[:8], "little")
    header = json.loads(state[8:8 + length])
    header["__metadata__"]["suffice_version"] = "99"
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + state[8 + length:]


def test_another_version_is_refused():
    state = Statistics.of([[1.0], [2.0]], [0, 1]).to_bytes()
    with pytest.raises(suffice.FileError, match="newer Suffice .format version 99"):
        Statistics.from_bytes(other_version(state))
    with pytest.raises(suffice.FileError, match="^state 1: .*newer Suffice"):
        Statistics.merge_many([state, other_version(state)])


def test_what_cannot_be_merged():
    one = Statistics.of([[1.0], [2.0]], [0, 1])
    with pytest.raises(suffice.InvalidArgument, match="^state 2: cannot merge"):
        Statistics.merge_many([one, one, Statistics.of([[1.0, 2.0]], [0])])
    with pytest.raises(ValueError, match="no statistics to merge"):
        Statistics.merge_many([])
    with pytest.raises(TypeError, match="from_bytes takes bytes, not str"):
        Statistics.from_bytes("text")
    with pytest.raises(suffice.FileError, match="too short"):
        Statistics.from_bytes(b"")
    with pytest.raises(suffice.FileError):
        Statistics.from_bytes(one.to_bytes()[:-3])
    with pytest.raises(suffice.FileError, match="a model"):
        Statistics.from_bytes(Statistics.of(*table(50)[:2]).estimate()._core.to_bytes())
    with pytest.raises(ValueError, match="no schema yet"):
        Statistics().to_bytes()
