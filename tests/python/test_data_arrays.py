"""Arrays and sparse matrices of every layout and type give the statistics of plain doubles."""
from __future__ import annotations

import numpy as np
import pytest

import suffice
from suffice import Schema, Statistics
from suffice._data import slices_of, source_of

ROWS = 5000


@pytest.fixture(scope="module")
def rows():
    """Whole numbers, so that every type can hold them, and weights that are not whole."""
    rng = np.random.default_rng(0)
    return (rng.integers(0, 100, (ROWS, 6)).astype(float), rng.integers(0, 3, ROWS),
            rng.uniform(0, 2, ROWS))


@pytest.fixture(scope="module")
def expected(rows):
    return Statistics.of(*rows)


def strided(X):
    wide = np.full((3 * len(X), 2 * X.shape[1] + 1), np.nan)
    wide[::3, 1::2] = X
    return wide[::3, 1::2]


def read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


LAYOUTS = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "rows backwards": lambda X: X[::-1].copy()[::-1],
    "columns backwards": lambda X: X[:, ::-1].copy()[:, ::-1],
    "read-only": read_only,
    "transposed view": lambda X: X.T.copy().T,
    "big-endian": lambda X: X.astype(">f8"),
    "not aligned": lambda X: np.frombuffer(b"x" + X.tobytes(), offset=1).reshape(X.shape),
    "matrix": np.asmatrix,
    "lists": lambda X: X.tolist(),
    "tuples": lambda X: [tuple(row) for row in X.tolist()],
    "objects": lambda X: X.astype(object),
    "object integers": lambda X: X.astype(int).astype(object),
    "columns by name": lambda X: {f"x{j}": X[:, j] for j in range(X.shape[1])},
}
TYPES = ["float32", "float16", "longdouble", "int8", "int16", "int32", "int64", "uint8", "uint16",
         "uint32", "uint64"]


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(rows, expected, layout):
    X, y, w = rows
    assert Statistics.of(LAYOUTS[layout](X), y, w) == expected


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_types(rows, expected, dtype, order):
    X, y, w = rows
    assert Statistics.of(X.astype(dtype, order=order), y, w) == expected
    model = expected.estimate()
    np.testing.assert_array_equal(model.log_likelihood(X.astype(dtype, order=order)),
                                  model.log_likelihood(X))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8"])
def test_weights_and_labels_of_any_type(rows, dtype):
    X, y, _ = rows
    w = np.arange(ROWS) % 5
    stats = Statistics.of(X, y, w)
    assert Statistics.of(X, y, w.astype(dtype)) == stats
    assert Statistics.of(X, y, np.repeat(w, 2)[::2].astype(dtype)) == stats
    assert Statistics.of(X, np.repeat(y, 2)[::2], w) == stats


def test_a_memory_map(rows, expected, tmp_path):
    X, y, w = rows
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    assert Statistics.of(mapped, y, w) == expected


def test_anything_that_numpy_takes(rows, expected):
    X, y, w = rows

    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return X

    assert Statistics.of(Tensor(), y, w) == expected


def test_a_structured_array(rows, expected):
    X, y, w = rows
    packed = np.zeros(ROWS, dtype=[("pad", "i1")] + [(f"x{j}", "f8") for j in range(6)])
    for j in range(6):
        packed[f"x{j}"] = X[:, j]
    assert Statistics(expected.schema).update(packed, y, w) == expected


SPARSE = ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "csc_array", "lil_array",
          "dok_array", "bsr_array"]


@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.parametrize("family", ["gaussian", "multinomial", "poisson"])
def test_sparse_matrices(kind, family):
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(1)
    X = rng.poisson(0.3, (2000, 8)).astype(float)
    y, w = rng.integers(0, 3, 2000), rng.uniform(0, 2, 2000)
    stats = Statistics.of(X, y, w, family=family)
    S = getattr(sparse, kind)(X)
    near(Statistics.of(S, y, w, family=family), stats)
    model = stats.estimate(covariance="tied")
    np.testing.assert_allclose(model.log_likelihood(S), model.log_likelihood(X), rtol=1e-10)


def near(a, b):
    np.testing.assert_allclose(a.weights, b.weights, rtol=1e-13)
    for p, q in zip(a.blocks, b.blocks, strict=True):
        for key in ("mean", "scatter", "sum"):
            if key in q:
                np.testing.assert_allclose(p[key], q[key], rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "bool", "longdouble", "uint16"])
def test_sparse_types_and_long_indices(dtype):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_array((np.arange(300).reshape(100, 3) % 7 == 0).astype(dtype))
    y = np.arange(100) % 2
    stats = Statistics.of(X.toarray().astype(float), y, family="multinomial")
    assert Statistics.of(X, y, family="multinomial") == stats
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert Statistics.of(X, y, family="multinomial") == stats
    X.indptr = X.indptr.astype(np.int32)
    assert Statistics.of(X, y, family="multinomial") == stats


def test_sparse_rows_that_cannot_be():
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_array([[1.0, 0.0], [0.0, np.inf]])
    with pytest.raises(suffice.DataError, match="inf"):
        Statistics.of(X, [0, 1])
    with pytest.raises(ValueError, match="complex"):
        Statistics.of(sparse.csr_array([[1j]]), [0])
    with pytest.raises(ValueError, match="names"):
        Statistics.of(X, "label")


def test_booleans_are_names_or_numbers():
    X = np.array([[True, False], [True, True], [False, True]])
    y = [0, 0, 1]
    stats = Statistics.of(X, y)
    assert set(stats.schema.families.values()) == {"categorical"}
    assert stats.blocks[0]["levels"] == [["false", "true"]] * 2
    np.testing.assert_array_equal(stats.blocks[0]["count"], [[[0, 2], [1, 0]], [[1, 1], [0, 1]]])
    for other in (np.asfortranarray(X), X.astype(object), X.tolist(),
                  {"x0": X[:, 0], "x1": X[:, 1].astype(object)}):
        assert Statistics.of(other, y) == stats
    numbers = Statistics.of(X, y, family="bernoulli")
    assert numbers == Statistics.of(X.astype(float), y, family="bernoulli")
    assert numbers == Statistics.of(X.astype(object), y, family="bernoulli")
    both = Schema({"x0": "bernoulli", "x1": "categorical"})
    assert Statistics.of(X, y, schema=both).blocks[1]["levels"] == [["false", "true"]]


def test_strings():
    X = np.array([["a", "u"], ["b", "v"], ["a", "v"]])
    stats = Statistics.of(X, [0, 0, 1])
    assert stats.blocks[0]["levels"] == [["a", "b"], ["u", "v"]]
    np.testing.assert_array_equal(stats.blocks[0]["count"][0], [[1, 1], [1, 0]])
    others = [X.astype(object), X.tolist(), X.astype("S1").astype(str), X[::-1][::-1]]
    if hasattr(np.dtypes, "StringDType"):  # NumPy 2
        others.append(X.astype(np.dtypes.StringDType()))
    for other in others:
        assert Statistics.of(other, [0, 0, 1]) == stats
    with pytest.raises(ValueError, match="feature 'x0' is gaussian, but its column has strings"):
        Statistics.of(X, [0, 0, 1], family="gaussian")


def test_object_columns_of_several_kinds():
    X = np.array([[1, "a", True], [2.5, None, None], [None, "b", False]], dtype=object)
    stats = Statistics.of(X, [0, 1, 1])
    assert stats.schema.families == {"x0": "gaussian", "x1": "categorical", "x2": "categorical"}
    assert stats.missing == {"x0": 1, "x1": 1, "x2": 1}
    assert stats.blocks[1]["levels"] == [["a", "b"], ["false", "true"]]
    assert Statistics.of(X.tolist(), [0, 1, 1]) == stats
    nan = X.copy()
    nan[nan == None] = np.nan  # noqa: E711
    assert Statistics.of(nan, [0, 1, 1]) == stats


@pytest.mark.parametrize("cells, words", [
    ([1, "a"], "column 'x0' has values of different kinds, number (1) and str ('a' in row 1)"),
    (["a", 2.5], "column 'x0' has values of different kinds, str ('a') and number (2.5 in row 1)"),
    ([None, True, 2], "column 'x0' has values of different kinds, bool (True) and number (2"),
    ([1, {}], "number (1) and dict ({} in row 1)"),
    ([[1], [2]], "list"),
    ([1j, 2j], "complex"),
])
def test_object_columns_that_cannot_be(cells, words):
    X = np.empty((len(cells), 1), dtype=object)
    X[:, 0] = cells
    with pytest.raises(ValueError) as caught:
        Statistics.of(X, list(range(len(cells))))
    assert words in str(caught.value)


def test_kinds_are_compared_over_all_slices():
    X = np.zeros((140_000, 1), dtype=object)
    X[139_999, 0] = "a"
    with pytest.raises(ValueError, match="'a' in row 139999"):
        Statistics.of(X, np.zeros(len(X), int))


def test_decimals():
    from decimal import Decimal

    X = np.array([[Decimal("1.5")], [Decimal("2.25")], [None]], dtype=object)
    assert Statistics.of(X, [0, 0, 0]).blocks[0]["mean"].tolist() == [[1.875]]


def test_numbers_as_levels():
    X = np.array([[1.0, 0.5], [2.0, 0.5], [np.nan, 1.0]])
    stats = Statistics.of(X, [0, 1, 1], family="categorical")
    assert stats.blocks[0]["levels"] == [["1", "2"], ["0.5", "1"]]
    assert stats.missing == {"x0": 1, "x1": 0}
    assert Statistics.of(X.astype(object), [0, 1, 1], family="categorical") == stats
    assert Statistics.of(X.astype(np.float32), [0, 1, 1], family="categorical") == stats


def test_converted_slices_add_up_to_one_table():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(280_000, 3)).astype(np.float16)
    y = rng.integers(0, 2, len(X))
    assert Statistics.of(X, y) == Statistics.of(X.astype(float), y)


def test_nothing_is_copied(rows):
    X, y, _ = rows
    schema = Schema.of(X)
    for array in (X, np.asfortranarray(X), X[::2, ::3], X.astype("f4"), X.astype("i2"), X[::-1]):
        schema = Schema.of(array)
        assert len(list(slices_of(array, schema))) == 1
        assert np.shares_memory(source_of(array).column(0), array)
    half = np.tile(X.astype(np.float16), (50, 1))
    step = suffice._core.rows_per_block(schema._core, False)
    starts = [first for first, _ in slices_of(half, Schema.of(half))]
    assert starts == list(range(0, len(half), step)) and len(starts) > 1


def test_no_copy_of_the_input_to_fit():
    tracemalloc = pytest.importorskip("tracemalloc")
    X = np.zeros((400_000, 20), np.float32)
    y = np.arange(len(X)) % 3
    Statistics.of(X[:10], y[:10])
    tracemalloc.start()
    Statistics.of(X, y)
    Statistics.of(X[::-1], y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 4


@pytest.mark.parametrize("family", ["multinomial", "poisson", "gaussian"])
def test_sparse_rows_out_of_order_and_named_twice(family):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_array((np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 1, 1]),
                          np.array([0, 2, 4])), shape=(2, 3))
    assert not X.has_canonical_format
    dense = np.array([[2.0, 0.0, 1.0], [0.0, 7.0, 0.0]])
    near(Statistics.of(X, [0, 1], family=family), Statistics.of(dense, [0, 1], family=family))
    assert X.indices.tolist() == [2, 0, 1, 1]  # the caller's matrix is as it was


def test_some_rows_of_a_sparse_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_array(np.arange(40.0).reshape(10, 4) % 7)
    source, model = source_of(X), Statistics.of(X, [0, 1] * 5, family="multinomial").estimate()
    rows = suffice._core.Rows(3)
    source.add_to(rows, model.schema._by_position, 5, 8)
    np.testing.assert_array_equal(model._core.log_likelihood(rows)[0],
                                  model.log_likelihood(X.toarray()[5:8]))
