"""Model: densities against SciPy and formulas worked by hand, answers, files, copies."""
from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import suffice
from suffice import Model, Schema, Statistics

stats = pytest.importorskip("scipy.stats")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    mix = rng.normal(size=(3, 4, 4))
    X = np.einsum("ij,ijk->ik", rng.normal(size=(400, 4)), mix[y]) + 2 * y[:, None]
    return X, np.array(["u", "v", "w"])[y]


def covariances(X, y, structure, normalize):
    """The textbook's formulas, per class."""
    classes = np.unique(y)
    scatters = [(len(Z), (Z - Z.mean(axis=0)).T @ (Z - Z.mean(axis=0)))
                for Z in (X[y == c] for c in classes)]
    if structure.startswith("tied"):
        n, S = sum(n for n, _ in scatters), sum(S for _, S in scatters)
        made = [S / (n - (len(classes) if normalize == "unbiased" else 0))] * len(classes)
    else:
        made = [S / (n - (normalize == "unbiased")) for n, S in scatters]
    if structure.endswith("diag"):
        made = [np.diag(np.diag(C)) for C in made]
    elif structure.endswith("spherical"):
        made = [np.eye(len(C)) * np.trace(C) / len(C) for C in made]
    return made


@pytest.mark.parametrize("normalize", ["mle", "unbiased"])
@pytest.mark.parametrize("structure", ["full", "tied", "diag", "tied-diag", "spherical",
                                       "tied-spherical"])
def test_gaussians_are_those_of_scipy(rows, structure, normalize):
    X, y = rows
    model = Statistics.of(X, y).estimate(
        covariance=structure, normalize=normalize, shrinkage=0)
    expected = np.column_stack([
        stats.multivariate_normal(X[y == c].mean(axis=0), C).logpdf(X)
        for c, C in zip(np.unique(y), covariances(X, y, structure, normalize))])
    np.testing.assert_allclose(model.log_likelihood(X), expected, rtol=1e-10)
    share = np.array([(y == c).mean() for c in np.unique(y)])
    joint = expected + np.log(share)
    density = np.logaddexp.reduce(joint, axis=1)
    np.testing.assert_allclose(model.log_density(X), density, rtol=1e-10)
    np.testing.assert_allclose(model.posterior(X), np.exp(joint - density[:, None]), atol=1e-10)
    np.testing.assert_allclose(model.log_posterior(X), joint - density[:, None], atol=1e-8)
    assert model.decide(X).tolist() == np.unique(y)[joint.argmax(axis=1)].tolist()
    others = [np.delete(np.arange(3), c) for c in range(3)]
    ratios = np.column_stack([
        expected[:, c] - np.logaddexp.reduce(joint[:, o], axis=1) + np.log(share[o].sum())
        for c, o in enumerate(others)])
    np.testing.assert_allclose(model.llr(X), ratios, atol=1e-8)


def test_pooling_weights(rows):
    X, y = rows
    model = Statistics.of(X, y).estimate(covariance="tied", pooling=[2, 1, 1])
    parts = covariances(X, y, "full", "mle")
    np.testing.assert_allclose(model.blocks[0]["covariance"],
                               0.5 * parts[0] + 0.25 * parts[1] + 0.25 * parts[2], rtol=1e-10)


def test_exponential_waiting_times():
    stats = suffice.Statistics.of([[1.0], [3.0], [8.0]], ["a", "a", "b"], family="exponential")
    assert stats.blocks[0]["sum"].tolist() == [[4], [8]]
    assert stats.estimate(smoothing=0).blocks[0]["rate"].tolist() == [[0.5], [0.125]]
    model = stats.estimate(estimate="bayes")  # Gamma(3, 8) and Gamma(2, 12)
    block = model.blocks[0]
    assert (block["family"], block["rate"].tolist()) == ("exponential", [[3 / 8], [2 / 12]])
    assert block["shape"].tolist() == [[3], [2]]
    found = model.log_likelihood([[2.0], [np.nan]])
    expected = [np.log(3 / 8) - 4 * np.log1p(2 / 8), np.log(2 / 12) - 3 * np.log1p(2 / 12)]
    np.testing.assert_allclose(found, [expected, [0, 0]], rtol=1e-14)
    assert pickle.loads(pickle.dumps(model)) == model


def test_discrete_families():
    X = np.array([[1, 0, 2, 0], [1, 3, 0, 1], [0, 1, 1, 1], [1, 1, 1, 2.0]])
    y = ["a", "a", "b", "b"]
    schema = Schema({"on": "bernoulli", "hits": "poisson", "level": "categorical", "k": "poisson"})
    model = Statistics.of(X, y, schema=schema).estimate(smoothing=1)
    bernoulli, poisson, categorical = model.blocks
    np.testing.assert_allclose(bernoulli["probability"], [[3 / 4], [2 / 4]])
    # α rows at the rate of all classes: (Σx + r) / (W + 1) with r = 5/4 and 4/4.
    np.testing.assert_allclose(poisson["rate"], [[(3 + 1.25) / 3, (1 + 1) / 3],
                                                 [(2 + 1.25) / 3, (3 + 1) / 3]])
    assert categorical["levels"] == [["0", "1", "2"]]
    np.testing.assert_allclose(categorical["probability"][0], [[2 / 5, 1 / 5, 2 / 5],
                                                               [1 / 5, 3 / 5, 1 / 5]])
    expected = [np.log(b * c) + stats.poisson(r[0]).logpmf(2) + stats.poisson(r[1]).logpmf(0)
                for b, r, c in zip([3 / 4, 2 / 4], poisson["rate"], [1 / 5, 3 / 5])]
    np.testing.assert_allclose(model.log_likelihood([[1, 2, 1, 0]]), [expected])


def test_multinomial_is_a_language_model():
    model = Statistics.of([[3, 1], [0, 2]], ["a", "b"], family="multinomial").estimate(smoothing=1)
    np.testing.assert_allclose(model.blocks[0]["probability"], [[4 / 6, 2 / 6], [1 / 4, 3 / 4]])
    np.testing.assert_allclose(model.log_likelihood([[2, 1]]),
                               [[2 * np.log(4 / 6) + np.log(2 / 6),
                                 2 * np.log(1 / 4) + np.log(3 / 4)]])


def test_missing_values_are_left_out(rows):
    X, y = rows
    model = Statistics.of(X, y).estimate(normalize="unbiased", shrinkage=0)
    gaps = X[:20].copy()
    gaps[::2, 1] = np.nan
    gaps[::3, 3] = np.nan
    gaps[7] = np.nan
    expected = np.zeros((20, 3))
    for k, (c, C) in enumerate(zip(np.unique(y), covariances(X, y, "full", "unbiased"))):
        mean = X[y == c].mean(axis=0)
        for i, row in enumerate(gaps):
            there = ~np.isnan(row)
            if there.any():
                expected[i, k] = stats.multivariate_normal(
                    mean[there], C[np.ix_(there, there)]).logpdf(row[there])
    np.testing.assert_allclose(model.log_likelihood(gaps), expected, rtol=1e-9)
    np.testing.assert_array_equal(model.log_likelihood(gaps[7:8]), [[0, 0, 0]])


def test_unknown_levels_count_as_missing_and_are_said():
    model = Statistics.of({"c": ["a", "b", "b"]}, [0, 0, 1]).estimate()
    with pytest.warns(UserWarning, match="2 cells of 'c' have a level"):
        scores = model.log_likelihood({"c": ["z", "y", "a"]})
    assert scores[:2].tolist() == [[0, 0], [0, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.log_likelihood({"c": ["a", None]})


def test_outliers():
    model = Statistics.of([[-1.0], [1.0]], ["a", "a"]).estimate(shrinkage=0)
    X = np.array([[0.0], [1.0], [3.0]])
    np.testing.assert_allclose(model.outlier_score(X), 2 * stats.norm.sf(X[:, 0]), rtol=1e-10)
    two = Statistics.of([[-1.0], [1.0], [9.0], [11.0]], list("aabb")).estimate()
    decided, status = two.decide([[0.0], [5.0], [99.0]], outlier=0.001, return_status=True)
    assert decided.tolist() == ["a", None, None] and status.tolist() == ["ok", "outlier", "outlier"]
    again = two.outlier_score([[2.0]], seed=5, samples=1000)
    assert again == two.outlier_score([[2.0]], seed=5, samples=1000)


def test_samples_follow_the_model(rows):
    X, y = rows
    model = Statistics.of(X, y).estimate()
    drawn, labels = model.sample(40_000, priors={"u": 0.5, "v": 0.25, "w": 0.25}, seed=3)
    assert drawn.shape == (40_000, 4)
    for c, share in zip("uvw", (0.5, 0.25, 0.25)):
        assert abs((labels == c).mean() - share) < 0.02
        mean, covariance = X[y == c].mean(axis=0), np.cov(X[y == c].T, ddof=0)
        error = (drawn[labels == c].mean(axis=0) - mean) / np.sqrt(np.diag(covariance))
        assert abs(error).max() < 0.05
    assert set(model.sample(10, "v")[1]) == {"v"}
    np.testing.assert_array_equal(model.sample(5, seed=1)[0], model.sample(9, seed=1)[0][:5])
    with pytest.raises(ValueError, match="zebra"):
        model.sample(5, "zebra")


def test_samples_of_mixed_columns_are_rows():
    columns = {"x": [1.0, 2.0, 5.0, 6.0], "c": ["p", "q", "p", "p"]}
    first = Statistics.of(columns, [0, 0, 1, 1])
    X, y = first.estimate().sample(50, seed=2)
    assert list(X.columns) == ["x", "c"] and set(X["c"]) == {"p", "q"} and X["x"].dtype == float
    again = Statistics(first.schema).update(X, y)
    assert again.weights.sum() == 50
    documents = Statistics.of([[3, 1], [1, 2]], [0, 1], family="multinomial").estimate()
    assert (documents.sample(7, document_length=12)[0].sum(axis=1) == 12).all()


def test_discriminants_and_separation(rows):
    X, y = rows
    tied = Statistics.of(X, y).estimate(covariance="tied")
    g = tied.discriminant("u", "v")
    L = tied.log_likelihood(X)
    assert g["A"] is None and g["columns"] == ["x0", "x1", "x2", "x3"]
    np.testing.assert_allclose(X @ g["w"] + g["c"], L[:, 0] - L[:, 1], atol=1e-9)
    full = Statistics.of(X, y).estimate()
    f = full.discriminant("w")
    L = full.log_likelihood(X)
    np.testing.assert_allclose(
        np.einsum("ij,jk,ik->i", X, f["A"], X) + X @ f["w"] + f["c"], L[:, 2], atol=1e-8)
    two = Statistics.of([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [4.0, 2.0]], list("aabb"))
    # Means 2 apart at standard deviation 1, and not apart at all.
    separation = two.estimate(covariance="tied-diag").separation()
    assert separation == pytest.approx({"x0": 4.0, "x1": 0.0})
    with pytest.raises(ValueError, match="zebra"):
        tied.discriminant("zebra")


def test_parameters_under_their_names(rows):
    X, y = rows
    statistics = Statistics.of(X, y)
    shapes = {"full": (3, 4, 4), "tied": (4, 4), "diag": (3, 4), "tied-diag": (4,),
              "spherical": (3,), "tied-spherical": ()}
    for structure, shape in shapes.items():
        model = statistics.estimate(covariance=structure, smoothing=0.5)
        block = model.blocks[0]
        assert (block["family"], block["structure"]) == ("gaussian", structure)
        assert np.shape(block["covariance"]) == shape
        np.testing.assert_allclose(block["mean"], [X[y == c].mean(axis=0) for c in "uvw"])
        assert model.options["covariance"] == structure
        assert model.options["smoothing"] == 0.5
        assert model.labels == ("u", "v", "w") and model.classes_.tolist() == ["u", "v", "w"]
        np.testing.assert_array_equal(model.weights, statistics.weights)
    with pytest.raises(ValueError, match="read-only"):
        statistics.estimate().blocks[0]["mean"][0, 0] = 3
    with pytest.raises(TypeError):
        statistics.estimate().blocks[0]["mean"] = 3


def test_a_constant_feature_is_left_out():
    model = Statistics.of([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]], [0, 0, 0]).estimate()
    assert model.blocks[0]["constant"] == ["x1"]


def test_files_pickles_and_copies(rows, tmp_path):
    X, y = rows
    model = Statistics.of(X, y).estimate()
    model.save(tmp_path / "m.suffice")
    twins = [Model.load(tmp_path / "m.suffice"), pickle.loads(pickle.dumps(model)),
             copy.copy(model), copy.deepcopy(model), model.copy()]
    for twin in twins:
        assert twin == model
        np.testing.assert_array_equal(twin.posterior(X), model.posterior(X))
    assert model != Statistics.of(X, y).estimate(shrinkage=0) and model != 1
    assert model == Statistics.of(X, y).estimate(normalize="unbiased")  # no choice beside a prior
    numbers = Statistics.of(X, y == "u").estimate()
    assert pickle.loads(pickle.dumps(numbers)).classes_.tolist() == [False, True]
    with pytest.raises(TypeError):
        hash(model)
    with pytest.raises(TypeError, match="Statistics.estimate"):
        Model()
    with pytest.raises(AttributeError):
        model.weights = 3
    with pytest.raises(AttributeError):
        model.anything = 3


def test_a_file_of_a_newer_version(rows, tmp_path):
    X, y = rows
    Statistics.of(X, y).estimate().save(tmp_path / "m.suffice")
    old = (tmp_path / "m.suffice").read_bytes()
    version = b'"suffice_version":"1"'
    assert old.count(version) == 1
    length = int.from_bytes(old[:8], "little")  # of the header, which may end with blanks
    header = old[8 : 8 + length].replace(version, b'"suffice_version":"99"') + b" " * 7
    new = len(header).to_bytes(8, "little") + header + old[8 + length :]
    (tmp_path / "new.suffice").write_bytes(new)
    with pytest.raises(suffice.FileError, match="newer Suffice"):
        Model.load(tmp_path / "new.suffice")


def test_rows_that_do_not_fit(rows):
    X, y = rows
    model = Statistics.of(X, y).estimate()
    with pytest.raises(ValueError, match="X has 3 columns, but the schema has 4 features"):
        model.posterior(X[:, :3])
    with pytest.raises(ValueError, match="two dimensions"):
        model.decide(X[0])
    bad = X.copy()
    bad[5, 2] = -np.inf
    for ask in (model.posterior, model.decide, model.log_density, model.llr, model.outlier_score,
                model.log_likelihood, model.log_posterior):
        with pytest.raises(suffice.DataError, match="inf") as caught:
            ask(bad)
        assert (caught.value.row, caught.value.feature) == (5, "x2")
    for ask in (model.posterior, model.llr, model.log_likelihood, model.log_posterior):
        assert ask(X[:0]).shape == (0, 3)
    for ask in (model.decide, model.log_density, model.outlier_score):
        assert ask(X[:0]).shape == (0,)
    with pytest.raises(ValueError, match="X must be a table"):
        model.decide(iter([X]))


def test_options_that_cannot_be(rows):
    X, y = rows
    statistics = Statistics.of(X, y)
    for options, words in (
        ({"covariance": "round"}, "round"),
        ({"normalize": "max"}, "max"),
        ({"smoothing": -1}, "smoothing"),
        ({"covariance": "tied", "pooling": [1, 2]}, "pooling"),
    ):
        with pytest.raises(ValueError, match=words):
            statistics.estimate(**options)
    with pytest.raises(ValueError, match="no schema yet"):
        Statistics().estimate()
    with pytest.raises(ValueError):
        Statistics({"x": "gaussian"}).estimate()
    with pytest.raises(suffice.SingularError) as caught:
        Statistics.of(np.column_stack([X[:, 0], 2 * X[:, 0]]), y).estimate(shrinkage=0)
    assert (caught.value.label, caught.value.rank, caught.value.dimension) == ("u", 1, 2)
    assert caught.value.features == ["x1"]
    assert "; use shrinkage='auto' (the default); otherwise use covariance='tied'" in str(caught.value)
    with pytest.raises(suffice.SingularError) as caught:
        Statistics.of([[1.0], [1.0], [2.0], [2.0]], list("aabb")).estimate()
    assert "auto" not in str(caught.value)


def test_repr_is_for_people(rows):
    X, y = rows
    text = repr(Statistics.of(X, y).estimate(covariance="tied"))
    assert "4 features and 3 classes" in text and "gaussian tied: x0, x1, x2, x3" in text
    assert f"u ({(y == 'u').sum()})" in text
