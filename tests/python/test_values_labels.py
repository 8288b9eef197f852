"""Classes: from the caller's values to names, and back to `classes_`."""
from __future__ import annotations

import datetime

import numpy as np
import pytest

from suffice import Statistics
from suffice._encode import labels_at, sorted_codes
from suffice._labels import ClassValues, labels_of, name_of


def statistics(y, **options):
    return Statistics.of(np.arange(len(y), dtype=float)[:, None], y, **options)


def given_back(y):
    """What the classes are once y has gone through the engine, with the rows of each."""
    stats = statistics(y)
    return dict(zip(stats.classes_.tolist(), stats.weights.tolist()))


@pytest.mark.parametrize("y", [
    [3, 1, 1, -2],
    ["b", "a", "b"],
    [True, False, True],
    [0.5, 1.0, 0.5],
    [datetime.date(2024, 5, 1), datetime.date(2023, 1, 1)],
    [("a", 1), ("b", 2), ("a", 1)],
    np.array([300, 7, 7], np.uint16),
    np.array([2**63 + 5, 2**63, 2**63], np.uint64),
    np.array([-2**63, 2**63 - 1]),
    np.array([2.0, 1.0], np.float32),
    np.array(["x", "yy"]),
    np.array(["x", "yy"], dtype=object),
    *([np.array(["x", "yy"], dtype=np.dtypes.StringDType())] if hasattr(np.dtypes, "StringDType") else []),
    np.array([1, 0, 1], dtype=object),
    np.array([True, True]),
    np.array(["2024-01-01", "2023-01-01"], "datetime64[D]"),
])
def test_values_come_back_with_their_counts(y):
    values = y.tolist() if isinstance(y, np.ndarray) else y
    assert given_back(y) == {value: values.count(value) for value in values}


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "float32", "bool", "<U3", "object"])
def test_classes_keep_their_type(dtype):
    y = np.array([0, 1, 1]).astype(dtype)
    assert statistics(y).classes_.dtype == np.unique(y).dtype


def test_large_gaps_and_many_integers():
    y = np.array([10**12, 5, 10**12, -3])
    assert given_back(y) == {-3: 1, 5: 1, 10**12: 2}
    many = np.random.default_rng(0).integers(-50, 50, 10_000)
    values, counts = np.unique(many, return_counts=True)
    assert given_back(many) == dict(zip(values.tolist(), counts.tolist()))


def test_names():
    assert [name_of(v) for v in (1, 1.0, 0.1, True, np.int8(3), np.float32(0.5), "a", b"b")] == [
        "1", "1", "0.1", "true", "3", "0.5", "a", "b"]
    assert name_of(np.bool_(False)) == "false"


def test_order_is_by_value_for_numbers_and_by_bytes_for_text():
    assert statistics(["10", "9", "100"]).classes_.tolist() == ["9", "10", "100"]
    assert statistics([10, 9, 100]).classes_.tolist() == [9, 10, 100]
    assert statistics(["b", "10", "9"]).classes_.tolist() == ["10", "9", "b"]


@pytest.mark.parametrize("y, words", [
    ([1, "a"], "y has values of different kinds, number (1) and str ('a')"),
    (np.array([1, "a"], dtype=object), "different kinds"),
    ([True, 2], "different kinds"),
    (["a", None], "row 1: the label is missing"),
    ([1.0, np.nan, 2.0], "row 1: the label is missing"),
    (np.array(["a", np.nan, "b"], dtype=object), "row 1: the label is missing"),
    (np.array(["2024-01-01", "NaT"], "datetime64[D]"), "row 1: the label is missing"),
    ([1.0, np.inf], "row 1: the label is inf"),
    (np.array([1.0, -np.inf]), "row 1: the label is -inf"),
    (np.array([1j, 2]), "complex"),
    ([{}, {}], "hashable"),
    ([[1], [2]], "y must have one dimension, but it has 2"),
    (np.zeros((2, 1)), "y must have one dimension"),
    (np.float64(3), "y must have one dimension, but it has 0"),
    (5, "must be an array of labels"),
    ([(1, 2), "(1, 2)"], "different kinds"),
])
def test_labels_that_cannot_be(y, words):
    with pytest.raises(ValueError) as caught:
        labels_of(y)
    assert words in str(caught.value)


def test_two_values_of_one_name():
    class Odd:
        def __str__(self):
            return "same"

    with pytest.raises(ValueError, match="have the same name, 'same'"):
        labels_of([Odd(), Odd()])


def test_pandas_kinds():
    pandas = pytest.importorskip("pandas")
    for y in (
        pandas.Series(["b", "a", "b"]),
        pandas.Series(["b", "a", "b"], dtype="string"),
        pandas.Series(["b", "a", "b"], dtype=object),
        pandas.Series(["b", "a", "b"], dtype="category"),
        pandas.Categorical(["b", "a", "b"], categories=["never", "b", "a"]),
        pandas.Index(["b", "a", "b"]),
        pandas.Series(["b", "a", "b"], index=[7, 7, 1]),
    ):
        assert given_back(y) == {"a": 1, "b": 2}
    for y in (
        pandas.Series([2, 1, 2]),
        pandas.Series([2, 1, 2], dtype="Int64"),
        pandas.Series([2, 1, 2], dtype="category"),
    ):
        assert given_back(y) == {1: 1, 2: 2}
    assert given_back(pandas.Series([True, False], dtype="boolean")) == {False: 1, True: 1}
    dates = pandas.to_datetime(["2024-01-02", "2024-01-01"])
    assert len(given_back(pandas.Series(dates))) == 2
    for y in (
        pandas.Series(["a", None]),
        pandas.Series([1, None], dtype="Int64"),
        pandas.Categorical(["a", None]),
        pandas.Series(["a", pandas.NA], dtype=object),
        pandas.Series([dates[0], pandas.NaT]),
    ):
        with pytest.raises(ValueError, match="row 1: the label is missing"):
            labels_of(y)
    with pytest.raises(ValueError, match="different kinds"):
        labels_of(pandas.Series([1, "a"], dtype="category"))
    with pytest.raises(ValueError, match="one dimension"):
        labels_of(pandas.DataFrame({"a": [1]}))


def test_polars_kinds():
    polars = pytest.importorskip("polars")
    for dtype in (polars.String, polars.Categorical, polars.Enum(["b", "a", "never"])):
        assert given_back(polars.Series(["b", "a", "b"], dtype=dtype)) == {"a": 1, "b": 2}
    assert given_back(polars.Series([2, 1, 2], dtype=polars.Int8)) == {1: 1, 2: 2}
    assert given_back(polars.Series([True, False])) == {False: 1, True: 1}
    days = [datetime.date(2024, 5, 1), datetime.date(2023, 1, 1)]
    assert given_back(polars.Series(days)) == {day: 1 for day in days}
    for y in (polars.Series(["a", None]), polars.Series([1, None])):
        with pytest.raises(ValueError, match="row 1: the label is missing"):
            labels_of(y)
    with pytest.raises(ValueError, match="one dimension"):
        labels_of(polars.DataFrame({"a": [1]}))


def test_arrow_kinds():
    pyarrow = pytest.importorskip("pyarrow")
    text = pyarrow.array(["b", "a", "b"])
    for y in (
        text,
        text.cast(pyarrow.large_string()),
        text.cast(pyarrow.string_view()),
        text.dictionary_encode(),
        pyarrow.chunked_array([["b"], ["a", "b"]]),
        pyarrow.chunked_array([text.slice(0, 1).dictionary_encode(),
                               text.slice(1).dictionary_encode()]),
    ):
        assert given_back(y) == {"a": 1, "b": 2}
    assert given_back(pyarrow.array([2, 1, 2], pyarrow.int16())) == {1: 1, 2: 2}
    assert given_back(pyarrow.array([True, False])) == {False: 1, True: 1}
    assert given_back(pyarrow.array([2, 1]).dictionary_encode()) == {1: 1, 2: 1}
    for y in (pyarrow.array(["a", None]), pyarrow.array([1, None])):
        with pytest.raises(ValueError, match="row 1: the label is missing"):
            labels_of(y)


def test_classes_of_several_updates():
    stats = statistics(["a", "bb"]).update([[1.0]], ["a long name"])
    assert stats.classes_.tolist() == ["a", "a long name", "bb"]
    numbers = statistics(np.array([1], np.int8)).update([[1.0]], np.array([300]))
    assert numbers.classes_.tolist() == [1, 300]
    with pytest.raises(ValueError, match="different kinds"):
        numbers.update([[1.0]], ["a"])
    assert numbers.classes_.tolist() == [1, 300]
    with pytest.raises(ValueError, match="different kinds"):
        numbers.merge(stats)


def test_classes_from_a_file(tmp_path):
    for y, expected in (
        (["2", "10"], [2, 10]),  # the file has names only, and these are whole numbers
        ([2, 10], [2, 10]),
        (["02", "10"], ["02", "10"]),
        (["a", "b"], ["a", "b"]),
        ([0.5, 1.0], ["0.5", "1"]),
    ):
        statistics(y).save(tmp_path / "y.stats")
        assert Statistics.load(tmp_path / "y.stats").classes_.tolist() == expected
    # What is learned later decides what kind the values are.
    statistics(["1", "2"]).save(tmp_path / "y.stats")
    loaded = Statistics.load(tmp_path / "y.stats").update([[1.0]], ["3"])
    assert loaded.classes_.tolist() == ["1", "2", "3"]
    statistics(["a long name"]).save(tmp_path / "y.stats")
    loaded = Statistics.load(tmp_path / "y.stats").update([[1.0]], ["b"])
    assert loaded.classes_.tolist() == ["a long name", "b"]
    statistics(["1", "2"]).save(tmp_path / "y.stats")
    assert (Statistics.load(tmp_path / "y.stats") + statistics(["3"])).classes_.tolist() == [
        "1", "2", "3"]
    statistics(["a"]).save(tmp_path / "y.stats")
    loaded = Statistics.load(tmp_path / "y.stats")
    with pytest.raises(ValueError, match="'a' is known by its name only"):
        loaded.merge(statistics([1]))
    with pytest.raises(ValueError, match="'a' is known by its name only"):
        loaded.update([[1.0]], [1])
    assert loaded == statistics(["a"])


def test_declared_classes():
    stats = Statistics({"x": "gaussian"}, labels=[2, 1])
    assert stats.classes_.tolist() == [1, 2] and stats.weights.tolist() == [0, 0]
    stats.update([[1.0], [3.0]], [2, 5])
    assert stats.classes_.tolist() == [1, 2, 5] and stats.weights.tolist() == [0, 1, 1]
    assert Statistics(labels=["b", "a"]).labels == ("a", "b")


def test_classes_cannot_be_changed():
    classes = statistics([1, 2]).classes_
    with pytest.raises(ValueError, match="read-only"):
        classes[0] = 7


def test_join_keeps_objects():
    values = ClassValues.of(["a"], np.array(["a"], object))
    other = ClassValues.of(["b"], np.array(["b"]))
    assert values.joined(other).array(["a", "b"]).dtype == object


@pytest.mark.parametrize("y", [
    np.array([2, 0, 1, 1]),
    np.array([2, 0, 1, 1], np.uint8),
    np.array([2, 0, 1, 1], np.int16)[::-1],
    np.array([2, 0, 1, 1], ">i4"),
    np.array([0, 2, 2]),  # a gap
    np.array([1, 2, 1]),
    np.array([-1, 0, 1]),
    np.array([0, 1 << 40]),
    np.array([5]),
    np.array([0]),
])
def test_codes_are_those_of_numpy_unique(y):
    classes, codes = sorted_codes(y)
    expected, inverse = np.unique(y, return_inverse=True)
    assert classes.tolist() == expected.tolist()
    assert np.asarray(codes).tolist() == inverse.tolist()


@pytest.mark.parametrize("classes", [np.arange(3), np.arange(3, dtype=np.int8), np.array([5, 7, 9]),
                                     np.array(["a", "b", "c"])])
@pytest.mark.parametrize("places", [[2, 0, 1], [0, -1], []])
def test_labels_at_places_are_those_of_indexing(classes, places):
    places = np.array(places, np.int64)
    found = labels_at(classes, places)
    assert found.dtype == classes.dtype
    assert found.tolist() == classes[places].tolist()
