"""pandas frames: matched by name, read where they lie, every type of column."""
from __future__ import annotations

import numpy as np
import pytest

from suffice import Schema, Statistics
from suffice._data import slices_of, source_of
from suffice._tables import as_it_lies

pandas = pytest.importorskip("pandas")

ROWS = 3000
CATEGORICAL = ["colour", "flag"]


@pytest.fixture(scope="module")
def columns():
    """Columns as NumPy arrays of objects and floats, with missing values: the reference."""
    rng = np.random.default_rng(0)
    colour = np.array(["red", "green", "blue"], dtype=object)[rng.integers(0, 3, ROWS)]
    colour[rng.random(ROWS) < 0.1] = None
    flag = (rng.random(ROWS) < 0.3).astype(object)
    flag[rng.random(ROWS) < 0.1] = None
    size = rng.normal(size=ROWS)
    size[rng.random(ROWS) < 0.1] = np.nan
    count = rng.integers(0, 9, ROWS).astype(float)
    count[rng.random(ROWS) < 0.1] = np.nan
    return {"size": size, "count": count, "colour": colour, "flag": flag}


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(1).integers(0, 3, ROWS)


@pytest.fixture(scope="module")
def expected(columns, y):
    stats = Statistics.of(columns, y)
    assert stats.schema.families == {"size": "gaussian", "count": "gaussian",
                                     "colour": "categorical", "flag": "categorical"}
    assert all(stats.missing.values())
    return stats


def has_arrow():
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


TYPES = {
    "as inferred": {},
    "nullable": {"size": "Float64", "count": "Int64", "colour": "string", "flag": "boolean"},
    "small nullable": {"count": "UInt8"},
    "categorical": {"colour": "category", "flag": "category"},
    "objects": {"size": object, "count": object, "colour": object, "flag": object},
    "python strings": {"colour": "string[python]"},
}
if has_arrow():
    TYPES["arrow"] = {"size": "double[pyarrow]", "count": "int16[pyarrow]",
                      "colour": "string[pyarrow]", "flag": "bool[pyarrow]"}


@pytest.mark.parametrize("types", TYPES)
def test_types(columns, y, expected, types):
    frame = pandas.DataFrame(columns).astype(TYPES[types])
    stats = Statistics.of(frame, y)
    assert stats == expected
    model = expected.estimate(covariance="diag")
    np.testing.assert_array_equal(model.posterior(frame), model.posterior(columns))
    assert Statistics.of(frame.assign(y=y), "y", schema=expected.schema) == expected
    assert Statistics.of(frame.set_index(np.arange(ROWS)[::-1]), y) == expected


def test_arrow_types_of_all_kinds(y):
    pyarrow = pytest.importorskip("pyarrow")
    text = np.array(["a", "b"])[y % 2]
    plain = pandas.DataFrame({"t": text, "d": y / 4, "n": y})
    frame = pandas.DataFrame({
        "t": pandas.Series(pandas.arrays.ArrowExtensionArray(
            pyarrow.array(text).dictionary_encode())),
        "d": pandas.Series(y / 4).astype(pandas.ArrowDtype(pyarrow.decimal128(9, 2))),
        "n": pandas.Series(y).astype(pandas.ArrowDtype(pyarrow.float32())),
    })
    assert Statistics.of(frame, y) == Statistics.of(plain, y)


def test_categories_of_numbers_and_unused_ones(y):
    column = pandas.Categorical(y, categories=[7, 2, 1, 0])
    frame = pandas.DataFrame({"c": column, "x": np.arange(ROWS) % 5})
    stats = Statistics.of(frame, y)
    assert stats.blocks[0]["levels"] == [["0", "1", "2"]]
    numbers = Statistics.of(frame, y, family="poisson")
    assert numbers.blocks[0]["sum"][:, 0].tolist() == [
        0.0, float((y == 1).sum()), 2.0 * (y == 2).sum()]
    words = pandas.DataFrame({"c": pandas.Categorical(["a", "b"])})
    with pytest.raises(ValueError, match="feature 'c' is gaussian, but its column has strings"):
        Statistics.of(words, [0, 1], family="gaussian")


def test_a_frame_of_one_type_is_a_view(y):
    X = np.random.default_rng(2).normal(size=(ROWS, 5))
    plain = Statistics.of(X, y)
    for values in (X, np.asfortranarray(X), X.astype("f4")):
        frame = pandas.DataFrame(values)
        assert np.shares_memory(source_of(frame).column(0), frame[0].to_numpy())
        assert len(list(slices_of(frame, Schema.of(frame)))) == 1
    assert Statistics.of(pandas.DataFrame(X), y) == plain
    named = pandas.DataFrame(X, columns=list("abcde"))
    assert Statistics.of(named, y).schema.names == list("abcde")


def test_columns_of_several_numeric_types_are_views(y):
    frame = pandas.DataFrame({"a": y, "b": y / 2, "c": (y * 3).astype("i2")})
    schema = Schema.of(frame)
    assert len(list(slices_of(frame, schema))) == 1
    source = source_of(frame)
    for j, name in enumerate(frame):
        assert np.shares_memory(source.column(j), frame[name].to_numpy())
    assert Statistics.of(frame, y) == Statistics(schema).update(frame.to_numpy(float), y)


@pytest.mark.parametrize("version", [np.__version__, "1.26.4"])
def test_a_frame_is_one_array_only_without_a_copy(version, monkeypatch):
    """Before NumPy 2 nothing says whether an array is a copy, so the columns are looked at."""
    rng = np.random.default_rng(5)
    whole = pandas.DataFrame(rng.normal(size=(50, 3)), columns=list("abc"))
    in_pieces = pandas.DataFrame({name: rng.normal(size=50) for name in "abc"}, copy=False)
    in_pieces["d"] = rng.normal(size=50)
    mixed = whole.assign(d=np.arange(50), e=True)
    monkeypatch.setattr(np, "__version__", version)
    assert np.shares_memory(as_it_lies(whole), whole["a"].to_numpy())
    for frame in (in_pieces, mixed, mixed[["d", "a"]], mixed[["a", "d"]]):
        with pytest.raises(ValueError):
            as_it_lies(frame)


def test_many_rows_are_converted_in_slices(y):
    n = 140_000
    rng = np.random.default_rng(4)
    frame = pandas.DataFrame({
        "x": pandas.array(rng.integers(0, 99, n), dtype="Int64"),
        "t": np.array(["u", "v", "w"])[rng.integers(0, 3, n)],
    })
    labels = rng.integers(0, 2, n)
    assert len(list(slices_of(frame, Schema.of(frame)))) > 1
    stats = Statistics.of(frame, labels)
    views = pandas.DataFrame({"x": frame["x"].to_numpy(float), "t": frame["t"].astype("category")})
    assert len(list(slices_of(views, Schema.of(views)))) == 1
    assert stats == Statistics.of(views, labels)


def test_frames_are_matched_by_name(columns, y, expected):
    frame = pandas.DataFrame(columns)
    turned = frame[["flag", "count", "colour", "size"]].assign(extra="text", when=pandas.NaT)
    assert Statistics(expected.schema).update(turned, y) == expected
    model = expected.estimate(covariance="diag")
    np.testing.assert_array_equal(model.posterior(turned), model.posterior(frame))
    with pytest.raises(ValueError, match="X has no column 'colour'; it has 'flag'"):
        model.posterior(turned.drop(columns="colour"))
    with pytest.raises(ValueError, match="X has two columns named 'size'"):
        Statistics.of(pandas.concat([frame, frame[["size"]]], axis=1), y)


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "boolean", "category", "string", "str"])
def test_a_single_column_keeps_its_kind(dtype):
    cells = ["u", "v", None] if dtype.startswith("str") else [1, 0, None]
    frame = pandas.DataFrame({"a": pandas.array(cells, dtype=dtype)})
    stats = Statistics.of(frame, [0, 1, 1])
    kind = "gaussian" if dtype in ("Float64", "Int64") else "categorical"
    assert stats.schema.families == {"a": kind} and stats.missing == {"a": 1}
    with pytest.raises(ValueError, match="X has no columns"):
        Statistics.of(frame[[]], [0, 1, 1])


def test_a_frame_without_names_is_an_array(y):
    X = np.random.default_rng(5).normal(size=(ROWS, 2))
    model = Statistics.of(X, y).estimate()
    np.testing.assert_array_equal(model.posterior(pandas.DataFrame(X)), model.posterior(X))
    np.testing.assert_array_equal(
        model.posterior(pandas.DataFrame(X, columns=["a", "b"])), model.posterior(X))
    assert Statistics.of(pandas.DataFrame(X, columns=[1990, 1991]), y).schema.names == ["x0", "x1"]
    mixed_names = pandas.DataFrame(X, columns=["a", 7])
    assert Statistics.of(mixed_names, y).schema.names == ["a", "7"]


@pytest.mark.parametrize("column, kind", [
    (["2024-01-01", "2024-01-02"], "datetime64"),
    ([1, 2], "timedelta64"),
])
def test_dates_are_refused_by_name(column, kind):
    values = (pandas.to_datetime(column) if kind == "datetime64"
              else pandas.to_timedelta(column, unit="D"))
    frame = pandas.DataFrame({"x": [1.0, 2.0], "when": values})
    with pytest.raises(ValueError, match=f"column 'when' has the type {kind}.*leave it out"):
        Statistics.of(frame, [0, 1])
    zoned = frame.assign(when=pandas.to_datetime(["2024-01-01", "2024-01-02"], utc=True))
    with pytest.raises(ValueError, match="column 'when' has the type"):
        Statistics.of(zoned, [0, 1])
    # As the label's column, or one that nobody asks for, it is welcome.
    assert len(Statistics.of(frame, "when").labels) == 2
    stats = Statistics.of(frame[["x"]], [0, 1])
    assert Statistics(stats.schema).update(frame, [0, 1]) == stats
    with pytest.raises(ValueError, match="column 'c' has the type complex"):
        Statistics.of(pandas.DataFrame({"c": [1j]}), [0])
    with pytest.raises(ValueError, match="column 'p' has the type period"):
        Statistics.of(pandas.DataFrame({"p": pandas.period_range("2024", periods=2, freq="D")}),
                      [0, 1])


def test_sparse_columns(y):
    values = (y == 1) * 2.0
    frame = pandas.DataFrame({"a": pandas.arrays.SparseArray(values), "b": y})
    assert Statistics.of(frame, y) == Statistics.of(pandas.DataFrame({"a": values, "b": y}), y)


def test_weights(columns, y, expected):
    frame = pandas.DataFrame(columns).assign(y=y, w=np.arange(ROWS) % 3)
    stats = Statistics.of(frame, "y", "w")
    arrays = Statistics.of(columns, y, np.arange(ROWS) % 3, schema=stats.schema)
    assert stats == arrays
    for kind in ("Int64", "Float64", "float32", "object"):
        assert Statistics.of(frame.astype({"w": kind}), "y", "w") == stats
    with pytest.raises(ValueError, match="weight"):
        Statistics.of(frame.assign(w=pandas.array([None] * ROWS, dtype="Float64")), "y", "w")


def test_batches_of_frames(columns, y):
    frame = pandas.DataFrame(columns).assign(y=y)
    stats = Statistics(Schema.of(frame, label="y"))
    stats.update(frame.iloc[i:i + 500] for i in range(0, ROWS, 500))
    assert stats.weights.tolist() == np.bincount(y).tolist()


def test_an_empty_frame_changes_nothing(columns, y, expected):
    frame = pandas.DataFrame(columns)
    assert expected.copy().update(frame.iloc[:0], y[:0]) == expected
    assert expected.estimate(covariance="diag").posterior(frame.iloc[:0]).shape == (0, 3)
