"""Statistics: the sums against NumPy's, and the laws that they obey."""
from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import suffice
from suffice import Schema, Statistics

FAMILIES = {"x0": "gaussian", "x1": "gaussian", "x2": "poisson", "x3": "bernoulli",
            "x4": "categorical"}


def table(rows, seed=0, missing=0.0):
    """Numbers for FAMILIES, classes and whole weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = np.column_stack([
        rng.normal(y, 1 + y),
        rng.normal(1e3 - y, 0.1),
        rng.poisson(2.0 + y),
        rng.random(rows) < 0.5,
        rng.integers(0, 4, rows),
    ]).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, rng.integers(0, 4, rows)


def mixed(X, y, w=None, **options):
    return Statistics.of(X, y, w, schema=FAMILIES, **options)


def assert_near(a, b, tolerance=1e-12):
    """Equal to rounding: scatters relative to √(S_ii S_jj), all else relative."""
    assert a.labels == b.labels
    np.testing.assert_allclose(a.weights, b.weights, rtol=tolerance)
    for p, q in zip(a.blocks, b.blocks, strict=True):
        assert p.keys() == q.keys()
        for key in set(p) - {"family", "features", "levels", "scatter", "present", "transforms"}:
            for u, v in zip(np.atleast_1d(p[key]) if not isinstance(p[key], list) else p[key],
                            np.atleast_1d(q[key]) if not isinstance(q[key], list) else q[key],
                            strict=True):
                np.testing.assert_allclose(u, v, rtol=tolerance, atol=1e-300)
        if "scatter" in p:
            diagonal = np.einsum("kii->ki", q["scatter"]) if q["scatter"].ndim == 3 else None
            scale = (q["scatter"] if diagonal is None
                     else np.sqrt(diagonal[:, :, None] * diagonal[:, None, :]))
            assert (abs(p["scatter"] - q["scatter"]) <= tolerance * scale).all()


def test_sums_are_those_of_numpy():
    X, y, w = table(500)
    stats = mixed(X, y, w)
    assert stats.labels == ("0", "1", "2")
    gaussian, poisson, bernoulli, categorical = stats.blocks
    for c in range(3):
        mine, weight = X[y == c], w[y == c].astype(float)
        assert stats.weights[c] == weight.sum()
        mean = np.average(mine[:, :2], axis=0, weights=weight)
        np.testing.assert_allclose(gaussian["mean"][c], mean, rtol=1e-13)
        scatter = weight.sum() * np.cov(mine[:, :2].T, aweights=weight, ddof=0)
        np.testing.assert_allclose(gaussian["scatter"][c], scatter, rtol=1e-9)
        assert poisson["sum"][c] == weight @ mine[:, 2]
        assert bernoulli["sum"][c] == weight @ mine[:, 3]
        assert categorical["levels"] == [["0", "1", "2", "3"]]
        np.testing.assert_array_equal(
            categorical["count"][0][c], [weight[mine[:, 4] == v].sum() for v in range(4)])
    assert [block["family"] for block in stats.blocks] == [
        "gaussian", "poisson", "bernoulli", "categorical"]
    assert gaussian["features"] == ["x0", "x1"]


def test_diagonal_statistics():
    X, y, _ = table(300)
    stats = mixed(X, y, covariance="diag")
    assert stats.covariance == "diag"
    scatter = stats.blocks[0]["scatter"]
    assert scatter.shape == (3, 2)
    for c in range(3):
        deviation = X[y == c, :2] - X[y == c, :2].mean(axis=0)
        np.testing.assert_allclose(scatter[c], (deviation**2).sum(axis=0), rtol=1e-9)
    with pytest.raises(suffice.InvalidArgument, match="diag"):
        stats.estimate(covariance="full")
    with pytest.raises(ValueError, match="'full', 'tied' or 'diag'"):
        Statistics(covariance="spherical")


def test_missing_values_are_counted():
    X, y, _ = table(400, missing=0.1)
    stats = mixed(X, y)
    assert stats.missing == dict(zip(FAMILIES, np.isnan(X).sum(axis=0).astype(float)))
    block = stats.blocks[0]
    complete = ~np.isnan(X[:, :2]).any(axis=1)
    for c in range(3):
        mine = (y == c)
        assert block["weight"][c] == (complete & mine).sum()
        np.testing.assert_allclose(block["mean"][c], X[complete & mine, :2].mean(axis=0))
        np.testing.assert_allclose(block["present"]["mean"][c], np.nanmean(X[mine, :2], axis=0))
        assert stats.weights[c] == mine.sum()


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_laws(missing, covariance):
    X, y, w = table(700, seed=5, missing=missing)
    whole = mixed(X, y, w, covariance=covariance)
    # Weights are duplicates, and weight 0 is absence.
    assert_near(whole, mixed(np.repeat(X, w, axis=0), np.repeat(y, w), covariance=covariance))
    # Merging is one table; the order does not matter.
    a = mixed(X[:250], y[:250], w[:250], covariance=covariance)
    b = mixed(X[250:], y[250:], w[250:], covariance=covariance)
    assert_near(a + b, whole)
    assert_near(b + a, whole)
    assert_near(sum([a, b]), whole)
    order = np.random.default_rng(1).permutation(len(X))
    assert_near(mixed(X[order], y[order], w[order], covariance=covariance), whole)
    # Updating is merging.
    both = a.copy().update(X[250:], y[250:], w[250:])
    assert_near(both, whole)
    # Taking out what was put in leaves the rest.
    assert_near(whole - b, a, 1e-7)


def test_threads_change_no_bit():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50_000, 30)), rng.integers(0, 5, 50_000)
    one = Statistics.of(X, y, n_jobs=1)
    for n_jobs in (2, 3, 8, -1, None):
        assert Statistics.of(X, y, n_jobs=n_jobs) == one
    model = one.estimate(n_jobs=1)
    assert model == one.estimate(n_jobs=2)
    np.testing.assert_array_equal(model.posterior(X, n_jobs=1), model.posterior(X, n_jobs=3))


def test_rows_of_batches():
    X, y, w = table(600)
    whole = mixed(X, y, w)
    schema = Schema(FAMILIES)
    parts = [(X[i:i + 100], y[i:i + 100], w[i:i + 100]) for i in range(0, 600, 100)]
    assert_near(Statistics(schema).update(iter(parts)), whole)
    one_by_one = Statistics(schema)
    for part in parts:
        assert one_by_one.update(*part) is one_by_one
    assert Statistics(schema).update(part for part in parts) == one_by_one
    tables = ({**{f"x{j}": p[:, j] for j in range(5)}, "y": q, "w": r} for p, q, r in parts)
    assert Statistics(schema).update(tables, "y", "w") == one_by_one


def test_an_empty_batch_changes_nothing():
    X, y, w = table(60)
    stats = mixed(X, y)
    before = stats.copy()
    assert stats.update(X[:0], y[:0]) is stats
    assert stats.update(iter([])) == before
    assert stats.update([(X[:0], y[:0]), (X[:0], [])].__iter__()) == before
    new = Statistics()
    new.update(np.empty((0, 2)), [])
    assert new.labels == () and new == Statistics()
    new.update([[1.0, 2.0, 3.0]], ["a"])
    assert new.schema.names == ["x0", "x1", "x2"]


def test_an_error_changes_nothing():
    X, y, w = table(60)
    stats = mixed(X, y)
    before = stats.copy()
    bad = X.copy()
    bad[7, 0] = np.inf
    with pytest.raises(suffice.DataError) as caught:
        stats.update(bad, y)
    assert (caught.value.row, caught.value.feature) == (7, "x0")
    assert stats == before

    def batches():
        yield X, y
        yield X, np.where(y == 2, 9, y)
        yield bad, y

    with pytest.raises(suffice.DataError):
        stats.update(batches())
    assert stats == before and stats.classes_.tolist() == [0, 1, 2]
    with pytest.raises(KeyError):
        stats.update(({}["batch"] for _ in range(2)))
    assert stats == before
    negative = w - 9
    with pytest.raises(suffice.DataError):
        stats.update(X, y, negative)
    assert stats == before
    new = Statistics()
    with pytest.raises(suffice.DataError):
        new.update(bad, y)
    assert new == Statistics()


def test_the_row_of_an_error_counts_from_the_beginning():
    rows = 140_000  # objects are converted in slices, which are shorter
    X = np.zeros((rows, 2), dtype=object)
    X[:, 0] = np.arange(rows) % 7
    X[139_123, 1] = np.inf
    stats = Statistics.of(X[:1000], np.arange(1000) % 2)
    before = stats.copy()
    with pytest.raises(suffice.DataError, match="row 139123") as caught:
        stats.update(X, np.arange(rows) % 2)
    assert caught.value.row == 139_123
    assert stats == before  # though the first slice was good


def test_an_error_without_a_row_in_a_later_slice():
    X = np.zeros((140_000, 1), dtype=object)
    X[-2:, 0] = [1e200, -1e200]  # their squares are beyond a double
    with pytest.raises(suffice.DataError, match="beyond what a double can hold") as caught:
        Statistics.of(X, np.zeros(len(X), int))
    assert caught.value.row is None
    assert caught.value.label == "0"


@pytest.mark.parametrize("X, y, w, words", [
    ([1.0, 2.0], [0, 1], None, "X must have two dimensions, but it has 1: X.reshape(-1, 1)"),
    (np.zeros((2, 2, 2)), [0, 1], None, "X must have two dimensions, but it has 3"),
    (3.0, [0], None, "X must have two dimensions, but it has 0"),
    (None, [0], None, "X must be a table"),
    (b"file.csv", [0], None, "X must be a table"),
    ([[1.0], [2.0]], [0], None, "X has 2 rows, but y has 1 labels"),
    ([[1.0], [2.0]], None, None, "y is missing"),
    ([[1.0], [2.0]], "label", None, "the columns of X have no names"),
    ({"a": [1.0]}, "b", None, "y: X has no column 'b'; it has 'a'"),
    ({"a": [1.0], "b": [1]}, "b", "c", "sample_weight: X has no column 'c'"),
    ({"a": [1.0], "b": [1]}, "b", "b", "cannot be both the label and the weight"),
    ({"b": [1]}, "b", None, "no column left to learn from"),
    ({"a": [1.0], "b": [1.0, 2.0]}, [1], None, "column 'b' has 2 values"),
    ({}, [1], None, "X has no columns"),
    ([[1.0], [2.0]], [0, 1], [1.0], "one number for each of the 2 rows"),
    ([[1.0], [2.0]], [0, 1], [[1.0], [1.0]], "one number for each of the 2 rows"),
    ([[1.0], [2.0]], [0, 1], ["a", "b"], "sample_weight must be numbers"),
    ([[1j]], [0], None, "complex"),
    ([["2024-01-01"]], None, None, "y is missing"),
    (np.array([["2024-01-01"]], "datetime64[D]"), [0], None, "datetime64[D]"),
    ([[1.0], [2.0]], [0, 1], [1.0, np.nan], "weight"),
    ([[1.0], [2.0]], [0, 1], [1.0, -1.0], "weight"),
])
def test_what_cannot_be_learned_from(X, y, w, words):
    with pytest.raises(ValueError) as caught:
        Statistics.of(X, y, w)
    assert words in str(caught.value)


def test_wrong_columns():
    stats = Statistics.of({"a": [1.0, 2.0], "b": [3.0, 4.0]}, [0, 1])
    with pytest.raises(ValueError, match="X has 3 columns, but the schema has 2 features: 'a'"):
        stats.update(np.zeros((1, 3)), [0])
    with pytest.raises(ValueError, match="X has no column 'b'; it has 'a', 'c'"):
        stats.update({"a": [1.0], "c": [1.0]}, [0])
    with pytest.raises(ValueError, match="X lacks 2 of the schema's 2 columns, 'a', 'b'; it has"):
        stats.update({"c": [1.0]}, [0])
    with pytest.raises(ValueError, match="a batch is a table"):
        stats.update(iter([([[1.0]], [0])]), [0])
    with pytest.raises(ValueError, match="feature 'a' is gaussian, but its column has strings"):
        stats.update({"a": ["u"], "b": [1.0]}, [0])


def test_columns_in_another_order():
    a = {"a": [1.0, 2.0, 5.0], "b": [3.0, 4.0, 8.0]}
    turned = {"b": a["b"], "extra": ["x", "y", "z"], "a": a["a"]}
    stats = Statistics.of(a, [0, 0, 1])
    assert Statistics(stats.schema).update(turned, [0, 0, 1]) == stats


def test_label_and_weight_columns():
    columns = {"a": [1.0, 2.0, 5.0], "c": ["u", "u", "v"], "w": [1.0, 2.0, 3.0]}
    stats = Statistics.of(columns, "c", "w")
    assert stats.schema.names == ["a"] and stats.schema.label == "c"
    assert dict(zip(stats.labels, stats.weights)) == {"u": 3.0, "v": 3.0}
    # The schema knows the label's column.
    assert Statistics(stats.schema).update(columns, sample_weight="w") == stats
    arrays = Statistics(stats.schema).update([[1.0], [2.0], [5.0]], columns["c"], columns["w"])
    assert arrays == stats


def test_families_by_name_and_pattern():
    columns = {"hits_a": [1, 2], "hits_b": [0, 1], "size": [0.5, 1.5], "sex": ["f", "m"]}
    stats = Statistics.of(columns, [0, 1], family={"*": "gaussian", "hits_*": "poisson",
                                                   "s?x": "categorical"})
    assert stats.schema.families == {"hits_a": "poisson", "hits_b": "poisson",
                                     "size": "gaussian", "sex": "categorical"}
    with pytest.raises(ValueError, match="family: X has no column 'colour'"):
        Statistics.of(columns, [0, 1], family={"colour": "categorical"})
    with pytest.raises(ValueError, match="famil"):
        Statistics.of(columns, [0, 1], family="normal")
    with pytest.raises(ValueError, match="give a schema instead"):
        Statistics.of(columns, [0, 1], schema=stats.schema, family="poisson")


def test_subtraction_says_what_is_lost_and_what_cannot_be():
    a = Statistics.of([[0.0], [1.0], [2.0]], [0, 0, 0])
    b = Statistics.of([[0.0], [1.0]], [0, 0])
    assert (a - b).weights.tolist() == [1]
    with pytest.raises(suffice.DataError):
        b - a
    far = Statistics.of([[1e12], [-1e12]], [0, 0])
    with pytest.warns(RuntimeWarning, match="digits"):
        (far + b) - far
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert a - Statistics() == a


def test_merging_needs_the_same_columns():
    a = Statistics.of([[0.0], [1.0]], [0, 0])
    with pytest.raises(suffice.InvalidArgument, match="merge"):
        a + Statistics.of([[0.0, 1.0]], [0])
    assert a + Statistics() == a == Statistics() + a
    assert (a + Statistics(labels=[7])).labels == ("0", "7")
    assert (Statistics(labels=[7]) + Statistics(labels=[3])).classes_.tolist() == [3, 7]
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(TypeError):
        a - 1
    with pytest.raises(TypeError, match="merge takes Statistics"):
        a.merge(3)


def test_projection_is_that_of_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    matrix, offset = rng.normal(size=(4, 2)), rng.normal(size=4)
    projected = Statistics.of(X, y).project(matrix, offset, names=["u", "v"])
    direct = Statistics.of({"u": (X - offset) @ matrix[:, 0], "v": (X - offset) @ matrix[:, 1]}, y)
    assert projected.schema == direct.schema
    assert_near(projected, direct, 1e-10)
    assert Statistics.of(X, y).project(matrix).schema.names == ["z0", "z1"]
    with pytest.raises(suffice.InvalidArgument):
        Statistics.of(X, y).project(matrix[:3])


def test_copies_are_equal_and_apart():
    X, y, w = table(100)
    stats = mixed(X, y, w)
    for twin in (copy.copy(stats), copy.deepcopy(stats), stats.copy(),
                 pickle.loads(pickle.dumps(stats))):
        assert twin == stats and twin is not stats
        assert twin.classes_.dtype == stats.classes_.dtype
        twin.update(X, y)
        assert twin != stats
    assert pickle.loads(pickle.dumps(Statistics(labels=["a"]))) == Statistics(labels=["a"])
    assert stats != 3
    assert mixed(X, y.astype(str), w) != stats  # other classes, though their names are the same
    with pytest.raises(TypeError):
        hash(stats)


def test_files_keep_every_bit(tmp_path):
    X, y, w = table(100, missing=0.05)
    stats = mixed(X, y, w / 3)
    stats.save(tmp_path / "s.stats")
    assert Statistics.load(tmp_path / "s.stats") == stats
    assert Statistics.load(str(tmp_path / "s.stats")) == stats
    with pytest.raises(OSError, match="nowhere"):
        Statistics.load(tmp_path / "nowhere.stats")
    (tmp_path / "broken.stats").write_bytes((tmp_path / "s.stats").read_bytes()[:-9])
    with pytest.raises(suffice.FileError):
        Statistics.load(tmp_path / "broken.stats")
    with pytest.raises(ValueError, match="no schema yet"):
        Statistics().save(tmp_path / "none.stats")


def test_arrays_cannot_be_changed():
    X, y, w = table(50)
    block = mixed(X, y, w).blocks[0]
    with pytest.raises(ValueError, match="read-only"):
        block["mean"][0, 0] = 1.0
    with pytest.raises(TypeError):
        block["mean"] = 1.0
    stats = mixed(X, y, w)
    stats.weights[:] = 7
    assert stats == mixed(X, y, w)


def test_repr_is_for_people():
    X, y, w = table(50)
    text = repr(mixed(X, y))
    assert "5 features, 3 classes" in text
    assert "gaussian: x0, x1" in text and "categorical: x4" in text
    for c in range(3):
        assert f"{c} ({(y == c).sum()})" in text
    assert "no rows" in repr(Statistics())
    many = repr(Statistics.of(np.zeros((50, 40)), np.arange(50)))
    assert "and 44 more" in many and "and 34 more" in many
