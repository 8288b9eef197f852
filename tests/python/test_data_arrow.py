"""Polars frames, Arrow tables and streams of record batches."""
from __future__ import annotations

import numpy as np
import pytest

import suffice._arrow
from suffice import Schema, Statistics
from suffice._data import is_stream, slices_of

pyarrow = pytest.importorskip("pyarrow")

ROWS = 3000


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(0)
    colour = np.array(["red", "green", "blue"], dtype=object)[rng.integers(0, 3, ROWS)]
    colour[rng.random(ROWS) < 0.1] = None
    flag = (rng.random(ROWS) < 0.3).astype(object)
    flag[rng.random(ROWS) < 0.1] = None
    size = rng.normal(size=ROWS)
    size[rng.random(ROWS) < 0.1] = np.nan
    count = rng.integers(0, 9, ROWS).astype(object)
    count[rng.random(ROWS) < 0.1] = None
    return {"size": size, "count": count, "colour": colour, "flag": flag,
            "y": np.array(["a", "b", "c"], dtype=object)[rng.integers(0, 3, ROWS)],
            "w": rng.integers(0, 3, ROWS)}


@pytest.fixture(scope="module")
def expected(columns):
    stats = Statistics.of(columns, "y", "w")
    assert all(stats.missing.values())
    return stats


@pytest.fixture(scope="module")
def table(columns):
    return pyarrow.table({k: pyarrow.array(v, from_pandas=True) for k, v in columns.items()})


def rechunked(table, size):
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=size))


def cast(table, **types):
    for name, kind in types.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return table


def encoded(table, *names):
    for name in names:
        position = table.column_names.index(name)
        table = table.set_column(position, name, table[name].dictionary_encode())
    return table


VARIANTS = {
    "as it is": lambda t: t,
    "chunks": lambda t: rechunked(t, 701),
    "large strings": lambda t: cast(t, colour=pyarrow.large_string(), y=pyarrow.large_string()),
    "string views": lambda t: cast(t, colour=pyarrow.string_view(), y=pyarrow.string_view()),
    "dictionaries": lambda t: encoded(t, "colour", "y"),
    "dictionaries of chunks": lambda t: pyarrow.concat_tables(
        encoded(t.slice(i, 100), "colour", "y") for i in range(0, ROWS, 100)),
    "small integers": lambda t: cast(t, count=pyarrow.int8(), w=pyarrow.uint16()),
    "floats": lambda t: cast(t, count=pyarrow.float32(), w=pyarrow.float64()),
    "half floats": lambda t: cast(t, count=pyarrow.float16()),
    "decimals": lambda t: cast(t, count=pyarrow.decimal128(30, 2)),
    "a slice": lambda t: pyarrow.concat_tables([t.slice(5, 9), t, t.slice(0, 3)])
    .combine_chunks().slice(9, ROWS),
    "a record batch": lambda t: t.combine_chunks().to_batches()[0],
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_tables(table, columns, expected, variant):
    data = VARIANTS[variant](table)
    assert Statistics.of(data, "y", "w") == expected
    model = expected.estimate(covariance="diag")
    np.testing.assert_array_equal(model.posterior(data), model.posterior(columns))


# A stream of pyarrow's has one type and one dictionary for all batches.
@pytest.mark.parametrize("variant", [variant for variant in VARIANTS if variant not in (
    "a record batch", "dictionaries of chunks")])
@pytest.mark.parametrize("size", [100, 1_000_000])
def test_readers(table, columns, expected, variant, size):
    data = VARIANTS[variant](table)

    def reader():
        return pyarrow.RecordBatchReader.from_batches(data.schema, data.to_batches(size))

    assert is_stream(reader()) and not is_stream(data)
    assert Statistics.of(reader(), "y", "w") == expected
    assert Statistics(expected.schema).update(reader(), sample_weight="w") == expected
    model = expected.estimate(covariance="diag")
    np.testing.assert_array_equal(model.posterior(reader()), model.posterior(columns))
    assert model.decide(reader()).tolist() == model.decide(columns).tolist()


class Exports:
    """Nothing but the protocol."""

    def __init__(self, data):
        self.data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self.data.__arrow_c_stream__(requested_schema)


def test_anything_that_exports_a_stream(table, expected):
    assert Statistics.of(Exports(rechunked(table, 999)), "y", "w") == expected


def test_chunks_change_no_bit():
    rng = np.random.default_rng(1)
    n = 280_000
    data = pyarrow.table({f"x{j}": rng.normal(size=n) for j in range(5)}
                         | {"t": np.array(["u", "v"])[rng.integers(0, 2, n)],
                            "y": rng.integers(0, 3, n)})
    whole = Statistics.of(data, "y")
    assert len(list(slices_of(data, whole.schema))) == 1
    for size in (7_777, 100_000):
        pieces = rechunked(data, size)
        assert Statistics.of(pieces, "y") == whole
        reader = pyarrow.RecordBatchReader.from_batches(pieces.schema, pieces.to_batches())
        assert Statistics.of(reader, "y") == whole
    polars = pytest.importorskip("polars")
    assert Statistics.of(polars.from_arrow(data), "y") == whole
    parts = polars.concat([polars.from_arrow(data.slice(i, 7_777)) for i in range(0, n, 7_777)],
                          rechunk=False)
    assert parts.n_chunks() > 1
    assert Statistics.of(parts, "y") == whole


def without_pyarrow(monkeypatch):
    monkeypatch.setattr(suffice._arrow, "available", lambda name: None)


def test_streams_without_pyarrow(table, columns, expected, monkeypatch):
    without_pyarrow(monkeypatch)
    stream = Exports(table.combine_chunks())
    assert Statistics.of(stream, "y", "w") == expected
    parts = Exports(rechunked(encoded(table, "colour"), 500))
    stats = Statistics.of(parts, "y", "w")
    assert stats.labels == ("a", "b", "c")
    np.testing.assert_array_equal(stats.weights, expected.weights)
    for count, other in zip(stats.blocks[1]["count"], expected.blocks[1]["count"], strict=True):
        np.testing.assert_array_equal(count, other)
    model = expected.estimate(covariance="diag")
    np.testing.assert_array_equal(model.posterior(Exports(rechunked(table, 500))),
                                  model.posterior(columns))
    integers = Exports(pyarrow.table({"x": [1.0, 2.0, 4.0], "y": [7, 7, 10]}))
    assert Statistics.of(integers, "y").classes_.tolist() == [7, 10]


def test_an_error_in_a_stream_changes_nothing(table, expected):
    cells = table["size"].to_numpy().copy()
    row = int(np.flatnonzero(table["w"].to_numpy())[-1])  # a row of weight 0 is absent
    cells[row] = np.inf
    bad = table.set_column(0, "size", pyarrow.array(cells))
    stats = expected.copy()
    reader = pyarrow.RecordBatchReader.from_batches(bad.schema, bad.to_batches(100))
    with pytest.raises(suffice.DataError, match=f"row {row}"):
        stats.update(reader, "y", "w")
    assert stats == expected

    many = pyarrow.concat_tables([table] * 50).combine_chunks()  # more than one block
    stream = pyarrow.concat_tables([many, bad]).to_reader()
    with pytest.raises(suffice.DataError, match=f"row {50 * ROWS + row}"):
        stats.update(stream, "y", "w")
    assert stats == expected

    def broken():
        yield from many.to_batches()
        raise RuntimeError("the connection is gone")

    with pytest.raises(Exception, match="the connection is gone"):
        stats.update(pyarrow.RecordBatchReader.from_batches(table.schema, broken()), "y", "w")
    assert stats == expected


def test_empty_tables_and_streams(table, expected):
    assert expected.copy().update(table.slice(0, 0), "y", "w") == expected
    nothing = pyarrow.RecordBatchReader.from_batches(table.schema, [])
    assert expected.copy().update(nothing, "y", "w") == expected
    model = expected.estimate(covariance="diag")
    assert model.posterior(table.slice(0, 0)).shape == (0, 3)
    nothing = pyarrow.RecordBatchReader.from_batches(table.schema, [])
    assert model.posterior(nothing).shape == (0, 3)


@pytest.mark.parametrize("kind", [pyarrow.date32(), pyarrow.timestamp("s"), pyarrow.binary(),
                                  pyarrow.list_(pyarrow.int8())])
def test_types_that_no_family_describes(kind):
    data = pyarrow.table({"x": [1.0, 2.0], "odd": pyarrow.nulls(2, kind)})
    with pytest.raises(ValueError, match="column 'odd' has the type .*leave it out"):
        Statistics.of(data, [0, 1])
    stats = Statistics.of(data.select(["x"]), [0, 1])
    assert Statistics(stats.schema).update(data, [0, 1]) == stats


def test_a_column_of_nulls_is_missing():
    data = pyarrow.table({"x": [1.0, 2.0], "n": pyarrow.nulls(2)})
    assert Statistics.of(data, [0, 1]).missing == {"x": 0, "n": 2}


def test_labels_and_names(table):
    with pytest.raises(ValueError, match="y for a stream of batches is the name"):
        Statistics.of(table.to_reader(), [1] * ROWS)
    with pytest.raises(ValueError, match="X has no column 'z'"):
        Statistics.of(table.to_reader(), "z")
    twice = pyarrow.Table.from_arrays([pyarrow.array([1.0])] * 2, names=["a", "a"])
    with pytest.raises(ValueError, match="two columns named 'a'"):
        Statistics.of(twice, [0])
    holes = table.set_column(4, "y", pyarrow.array(["a"] * 7 + [None] + ["b"] * (ROWS - 8)))
    with pytest.raises(ValueError, match="row 7: the label is missing"):
        Statistics.of(holes, "y")
    with pytest.raises(ValueError, match="sample_weight has missing values"):
        Statistics.of(table, "y", pyarrow.array([None] + [1] * (ROWS - 1)))


# ---- Polars ------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def frame(table):
    polars = pytest.importorskip("polars")
    return polars.from_arrow(table)


def test_polars_types(frame, columns, expected):
    import polars

    levels = polars.Enum(["unused", "blue", "green", "red"])
    parts = polars.concat([frame.slice(0, 1000), frame.slice(1000)], rechunk=False)
    variants = [
        frame,
        parts,
        frame.with_columns(polars.col("colour", "y").cast(polars.Categorical)),
        frame.with_columns(polars.col("colour").cast(levels)),
        frame.with_columns(polars.col("count").cast(polars.UInt8)),
        frame.with_columns(polars.col("count").cast(polars.Float32)),
        frame.with_columns(polars.col("count").cast(polars.Int128)),
        frame.with_columns(polars.col("count").cast(polars.Decimal(10, 2))),
        frame.with_columns(polars.col("count").cast(polars.Float16)),
        frame.reverse().reverse(),
    ]
    model = expected.estimate(covariance="diag")
    for variant in variants:
        assert Statistics.of(variant, "y", "w") == expected
        np.testing.assert_array_equal(model.posterior(variant), model.posterior(columns))
    turned = frame.select(reversed(frame.columns)).with_columns(extra=polars.lit("x"))
    np.testing.assert_array_equal(model.posterior(turned), model.posterior(columns))


def test_polars_series_as_labels_and_weights(frame, expected):
    X = frame.drop("y", "w")
    schema = Schema.of(frame, label="y", weight="w")
    assert Statistics(schema).update(X, frame["y"], frame["w"]) == expected
    with pytest.raises(ValueError, match="sample_weight has missing values"):
        Statistics(schema).update(X, frame["y"], frame["w"].cast(float).set(frame["w"] == 0, None))


def test_polars_lazy_frames_and_batches(frame, expected):
    lazy = frame.lazy()
    with pytest.raises(ValueError, match="LazyFrame"):
        Statistics.of(lazy, "y")
    stats = Statistics(expected.schema).update(frame.iter_slices(500), "y", "w")
    np.testing.assert_array_equal(stats.weights, expected.weights)
    batches = Statistics(expected.schema).update(lazy.collect_batches(), "y", "w")
    np.testing.assert_array_equal(batches.weights, expected.weights)


def test_polars_types_that_no_family_describes():
    polars = pytest.importorskip("polars")
    import datetime

    data = polars.DataFrame({"x": [1.0], "when": [datetime.date(2024, 1, 1)]})
    with pytest.raises(ValueError, match="column 'when' has the type Date"):
        Statistics.of(data, [0])
    assert Statistics.of(data, "when").classes_.tolist() == [datetime.date(2024, 1, 1)]
    assert Statistics.of(polars.DataFrame({"x": [1.0, 2.0], "n": [None, None]}),
                         [0, 1]).missing == {"x": 0, "n": 2}


def test_polars_numbers_are_views():
    polars = pytest.importorskip("polars")
    data = polars.DataFrame({f"x{j}": np.arange(100_000.0) + j for j in range(3)})
    assert len(list(slices_of(data, Schema.of(data)))) == 1
    y = np.arange(100_000) % 2
    assert Statistics.of(data, y) == Statistics.of(data.to_numpy(), y)
    assert Statistics.of(data.head(0), []) == Statistics()
