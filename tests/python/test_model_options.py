"""Projections, shrinkage, priors on parameters and transformations: the formulas by NumPy, SciPy
and scikit-learn, and the command line's files."""
from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats")
from scipy import linalg, optimize, special  # noqa: E402

pytest.importorskip("sklearn")

from sklearn.covariance import OAS  # noqa: E402
from sklearn.datasets import load_iris, load_wine  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # noqa: E402

import suffice  # noqa: E402
from suffice import GenerativeClassifier, Model, Schema, Statistics  # noqa: E402
from test_same_as_command_line import compare, read_csv  # noqa: E402


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def wine_stats(wine):
    return Statistics.of(*wine)


def scatters(X, y):
    """S_c, W_c of each class."""
    parts = [X[y == c] for c in np.unique(y)]
    return np.array([(p - p.mean(0)).T @ (p - p.mean(0)) for p in parts]), np.array(
        [float(len(p)) for p in parts])


# ---- projections


def test_pca_is_scikit_learns(wine, wine_stats):
    X, y = wine
    theirs = PCA(4, svd_solver="full").fit(X)
    model = wine_stats.estimate(pca=4, shrinkage=0)
    block, projection = model.blocks[0], model.projection
    assert wine_stats.estimate().projection is None
    np.testing.assert_allclose(projection["explained"], theirs.explained_variance_ratio_)
    np.testing.assert_allclose(projection["offset"], X.mean(axis=0))
    cosines = np.abs(np.sum(projection["matrix"] * theirs.components_.T, axis=0))
    np.testing.assert_allclose(cosines, 1)
    Z = (X - projection["offset"]) @ projection["matrix"]
    S, W = scatters(Z, y)
    np.testing.assert_allclose(block["covariance"], S / W[:, None, None], rtol=1e-8, atol=1e-8)
    assert block["mean"].shape == (3, 4) and len(block["features"]) == 13
    with pytest.raises(ValueError):
        projection["matrix"][0, 0] = 1


@pytest.mark.parametrize("share", ["99.9%", 0.999, np.float64(0.999)])
def test_a_share_of_the_variance(wine, wine_stats, share):
    wanted = PCA(0.999, svd_solver="full").fit(wine[0]).n_components_
    assert 1 < wanted < 13
    assert wine_stats.estimate(pca=share).blocks[0]["mean"].shape == (3, wanted)


def test_rows_go_through_the_projection(wine, wine_stats):
    X, y = wine
    model = wine_stats.estimate(pca=np.int64(6), lda=2, covariance="tied", shrinkage=0)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(
        PCA(6, svd_solver="full").fit_transform(X), y)
    Z = PCA(6, svd_solver="full").fit(X).transform(X)
    np.testing.assert_allclose(model.posterior(X), theirs.predict_proba(Z), atol=1e-8)
    np.testing.assert_allclose(model.blocks[0]["covariance"], np.eye(2), atol=1e-9)
    assert "tied, 2 projections" in repr(model)
    assert all(np.isnan(v) for v in model.separation().values())
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert same == model


def test_rows_that_cannot_be_projected_are_said(wine, wine_stats):
    X = wine[0][:3].copy()
    X[1, 4] = np.nan
    model = wine_stats.estimate(pca=3)
    with pytest.warns(UserWarning, match="1 rows lack a number that the projection needs"):
        scores = model.log_likelihood(X)
    assert (scores[1] == 0).all() and (scores[[0, 2]] != 0).all()
    np.testing.assert_allclose(model.posterior(X)[1], np.bincount(wine[1]) / 178)


# ---- shrinkage


@pytest.mark.parametrize("a, s, target", [
    (0, 0.3, "diag"), (0.4, 0, "diag"), (0.4, 0.3, "spherical")])
def test_the_continuum(wine, wine_stats, a, s, target):
    S, W = scatters(*wine)
    raw = ((1 - a) * S + a * S.sum(0)) / ((1 - a) * W + a * W.sum())[:, None, None]
    expected = []
    for C in raw:
        T = np.diag(np.diag(C)) if target == "diag" else np.trace(C) / 13 * np.eye(13)
        expected.append((1 - s) * C + s * T)
    model = wine_stats.estimate(shrinkage=s, target=target, towards_tied=a)
    np.testing.assert_allclose(model.blocks[0]["covariance"], expected, rtol=1e-9, atol=1e-9)


def test_oas_is_scikit_learns(wine, wine_stats):
    X, y = wine
    for options in (dict(shrinkage="oas"), dict(shrinkage="oas", target="spherical")):
        covariance = wine_stats.estimate(**options).blocks[0]["covariance"]
        for c in range(3):
            np.testing.assert_allclose(covariance[c], OAS().fit(X[y == c]).covariance_, rtol=1e-8)


def log_evidence(v, d, dof, eigenvalues):
    """L(v) of the capability's formula: a prior worth v rows, before rows with these eigenvalues of
    T^-1/2 (S/f) T^-1/2."""
    nu = v + d + 1
    return (special.multigammaln((nu + dof) / 2, d) - special.multigammaln(nu / 2, d)
            + nu * d / 2 * np.log(v) - (nu + dof) / 2 * np.log(v + dof * eigenvalues).sum())


def best_strength(of):
    """The v from 1 on with the highest evidence; `of` is that of one v."""
    grid = np.linspace(0, 15, 2001)
    near = grid[np.argmax([of(np.exp(t)) for t in grid])]
    found = optimize.minimize_scalar(lambda t: -of(np.exp(t)), method="bounded",
                                     bounds=(max(near - 0.02, 0), near + 0.02),
                                     options={"xatol": 1e-12})
    return np.exp(found.x)


def test_the_default_is_the_evidence(wine, wine_stats):
    """T is the pooled covariance shrunk to its diagonal by its own best strength; one strength for
    all classes then draws them towards T: Σ_c = (S_c + vT) / (f_c + v)."""
    S, W = scatters(*wine)
    d, dof = 13, W.sum() - 3
    D = np.diag(np.diag(S.sum(0)) / dof)

    def eigenvalues(scatter, dof, T):
        return linalg.eigh(scatter / dof, T, eigvals_only=True)

    u = best_strength(lambda v: log_evidence(v, d, dof, eigenvalues(S.sum(0), dof, D)))
    T = (S.sum(0) + u * D) / (dof + u)
    seen = [(f, eigenvalues(Sc, f, T)) for Sc, f in zip(S, W - 1)]
    v = best_strength(lambda v: sum(log_evidence(v, d, f, e) for f, e in seen))
    assert 1 < v < 1e4
    wanted = (S + v * T) / (W - 1 + v)[:, None, None]
    model = wine_stats.estimate()
    np.testing.assert_allclose(model.blocks[0]["covariance"], wanted, rtol=1e-5)
    assert model == wine_stats.estimate(shrinkage="auto") != wine_stats.estimate(shrinkage=0)
    np.testing.assert_allclose(wine_stats.estimate("tied").blocks[0]["covariance"], T, rtol=1e-5)
    np.testing.assert_allclose(wine_stats.estimate(shrinkage=0).blocks[0]["covariance"],
                               S / W[:, None, None], rtol=1e-9, atol=1e-9)
    assert GenerativeClassifier(covariance="full").fit(*wine).model_ == model


def test_the_default_beside_other_mixtures(wine, wine_stats):
    """What mixes the classes itself has no shrinkage unless a share of it is given."""
    S, W = scatters(*wine)
    half = (S + S.sum(0)) / (W + W.sum())[:, None, None]
    model = wine_stats.estimate(towards_tied=0.5)
    np.testing.assert_allclose(model.blocks[0]["covariance"], half, rtol=1e-9, atol=1e-9)
    assert model.options["shrinkage"] == 0
    assert model == wine_stats.estimate(towards_tied=0.5, shrinkage=0)
    assert model == GenerativeClassifier(covariance="full", towards_tied=0.5).fit(*wine).model_
    pooled = wine_stats.estimate("tied", pooling=[2, 1, 1])
    np.testing.assert_allclose(pooled.blocks[0]["covariance"],
                               np.tensordot([0.5, 0.25, 0.25], S / W[:, None, None], 1),
                               rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="target='spherical' is what a share"):
        wine_stats.estimate(target="spherical")


def test_auto_refuses_nothing():
    """More features than rows, and a class of one row."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(21, 40)), np.array([0] * 10 + [1] * 10 + [2])
    for covariance in ("full", "tied", "diag"):
        model = Statistics.of(X, y).estimate(covariance=covariance, shrinkage="auto")
        assert np.isfinite(model.log_likelihood(X)).all()
        assert model.options["shrinkage"] == "auto"


def test_auto_is_free_of_units(wine):
    X, y = wine
    scale = 10.0 ** np.linspace(-8, 8, 13)
    a = GenerativeClassifier(covariance="full", shrinkage="auto").fit(X, y).predict_proba(X)
    b = GenerativeClassifier(covariance="full", shrinkage="auto").fit(X * scale, y).predict_proba(X * scale)
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


def leave_one_out(X, y, T, strength):
    """Errors and log-loss with Σ_c = (S_c + vT) / (f_c + v), each row left out in turn; T is
    held."""
    errors = loss = 0.0
    classes = np.unique(y)
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        S, W = scatters(X[keep], y[keep])
        scores = []
        for c in range(len(classes)):
            covariance = (S[c] + strength * T) / (W[c] - 1 + strength)
            mean = X[keep & (y == classes[c])].mean(0)
            scores.append(np.log(W[c] / W.sum())
                          + stats.multivariate_normal.logpdf(X[i], mean, covariance))
        scores = np.array(scores) - np.logaddexp.reduce(scores)
        errors += scores.argmax() != np.searchsorted(classes, y[i])
        loss -= scores[np.searchsorted(classes, y[i])]
    return errors / len(y), loss / len(y)


def test_loo_has_the_fewest_errors():
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    clf = GenerativeClassifier(shrinkage="loo").fit(X, y)
    chosen = clf.model_.options["shrinkage"]
    assert chosen.endswith(" rows")
    strength = float(chosen.split()[0])
    assert clf.model_ == Statistics.of(X, y).estimate(shrinkage=chosen)
    S, W = scatters(X, y)
    T = ((W[0] - 1 + strength) * clf.model_.blocks[0]["covariance"][0] - S[0]) / strength
    grid = 2.0 ** np.arange(0, np.log2(256 * W.max()) + 1e-9)
    measured = {v: leave_one_out(X, y, T, v) for v in grid}
    assert strength in measured
    fewest = min(round(errors * len(y)) for errors, _ in measured.values())
    losses = {v: loss for v, (errors, loss) in measured.items() if round(errors * len(y)) == fewest}
    assert strength == min(losses, key=losses.get)


def test_loo_with_names_weights_and_frames():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(kind=y, w=1.0)
    by_name = GenerativeClassifier(shrinkage="loo").fit(frame, "kind", sample_weight="w")
    plain = GenerativeClassifier(shrinkage="loo").fit(X, y, sample_weight=np.ones(150))
    assert by_name.model_.options["shrinkage"] == plain.model_.options["shrinkage"]
    assert pickle.loads(pickle.dumps(plain)).model_ == plain.model_


def test_loo_needs_rows_twice(wine):
    X, y = wine
    with pytest.raises(ValueError, match="partial_fit"):
        GenerativeClassifier(shrinkage="loo").partial_fit(X, y)
    with pytest.raises(ValueError, match="second time"):
        Statistics.of(X, y).estimate(shrinkage="loo")
    with pytest.raises(ValueError, match="shrinkage='loo' needs rows"):
        GenerativeClassifier.from_statistics(Statistics.of(X, y), shrinkage="loo")
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.table({"x": X[:, 0], "y": y}).to_reader()
    with pytest.raises(ValueError, match="RecordBatchReader can be read only once"):
        GenerativeClassifier(shrinkage="loo").fit(reader, "y")


# ---- priors on parameters


def test_bayes_is_students_t(wine, wine_stats):
    """Without shrinkage, with v = 1 row of the pooled diagonal D: t with W_c + 2 degrees of freedom and the scale
    (1 + 1/W_c) (S_c + D) / (W_c + 2); map is (S_c + D) / (W_c + 2d + 2)."""
    X, y = wine
    S, W = scatters(X, y)
    D = np.diag(np.diag(S.sum(0)) / (W.sum() - 3))
    model = wine_stats.estimate(estimate="bayes", shrinkage=0)
    block = model.blocks[0]
    np.testing.assert_allclose(block["dof"], W + 2)
    got = model.log_likelihood(X)
    for c in range(3):
        scale = (1 + 1 / W[c]) * (S[c] + D) / (W[c] + 2)
        factor = block["scale"][c] if "scale" in block else 1
        np.testing.assert_allclose(factor * block["covariance"][c], scale, rtol=1e-9)
        wanted = stats.multivariate_t.logpdf(X, X[y == c].mean(0), scale, df=W[c] + 2)
        np.testing.assert_allclose(got[:, c], wanted, rtol=1e-9)
    assert "full, Student's t" in repr(model)
    most_probable = wine_stats.estimate(estimate="map", shrinkage=0).blocks[0]["covariance"]
    np.testing.assert_allclose(most_probable, (S + D) / (W + 2 * 13 + 2)[:, None, None], rtol=1e-9)


def test_bayes_for_one_feature_at_a_time(wine, wine_stats):
    X, y = wine
    model = wine_stats.estimate("diag", estimate="bayes", shrinkage=0)
    block = model.blocks[0]
    assert block["dof"].shape == (3, 13)
    S, W = scatters(X, y)
    D = np.diag(S.sum(0)) / (W.sum() - 3)
    got = model.log_likelihood(X[:5])
    for c in range(3):
        scale = np.sqrt((1 + 1 / W[c]) * (np.diag(S[c]) + D) / (W[c] + 2))
        wanted = stats.t.logpdf(X[:5], W[c] + 2, X[y == c].mean(0), scale).sum(axis=1)
        np.testing.assert_allclose(got[:, c], wanted, rtol=1e-9)


@pytest.mark.parametrize("structure", ["full", "tied", "diag", "tied-diag", "spherical",
                                       "tied-spherical"])
def test_tails_are_those_of_the_multivariate_t(wine, wine_stats, structure):
    """One t of all features, with ν degrees of freedom and the covariance of the normal model."""
    X, y = wine
    normal = wine_stats.estimate(structure, shrinkage=0).blocks[0]
    model = wine_stats.estimate(structure, shrinkage=0, tails=5)
    block = model.blocks[0]
    np.testing.assert_array_equal(block["covariance"], normal["covariance"])
    np.testing.assert_array_equal(block["dof"], [5, 5, 5])
    np.testing.assert_allclose(block["scale"], [0.6, 0.6, 0.6])
    got = model.log_likelihood(X)
    for c in range(3):
        covariance = normal["covariance"] if structure.startswith("tied") else normal["covariance"][c]
        if np.ndim(covariance) < 2:
            covariance = np.diag(np.full(13, covariance))
        wanted = stats.multivariate_t.logpdf(X, X[y == c].mean(0), covariance * 3 / 5, df=5)
        np.testing.assert_allclose(got[:, c], wanted, rtol=1e-9)
    assert f"{structure}, Student's t" in repr(model)
    assert model.options["tails"] == 5
    assert pickle.loads(pickle.dumps(model)) == model


def test_tails_of_the_classifier(wine):
    X, y = wine
    classifier = GenerativeClassifier("gaussian", tails=3).fit(X, y)
    assert classifier.get_params()["tails"] == 3
    assert classifier.model_.options["tails"] == 3
    assert GenerativeClassifier("gaussian", covariance="tied").fit(X, y).model_.options.get("tails", "normal") == "normal"
    with pytest.raises(ValueError, match="more than 2"):
        GenerativeClassifier("gaussian", tails=2).fit(X, y)
    with pytest.raises(ValueError, match="Student's t already"):
        Statistics.of(X, y).estimate(tails=8, estimate="bayes")


def test_smoothing_by_the_counts():
    """Where SciPy finds the words most probable, each by the counts without it."""
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b"], 50)
    X = rng.poisson(np.where(y[:, None] == "a", [1, 4, 0.2], [2, 0.5, 3.0]))
    counts = [X[y == c].sum(axis=0) for c in "ab"]

    def left_out(alpha):
        return sum(np.sum(n * np.log((n - 1 + alpha) / (n.sum() - 1 + 3 * alpha))) for n in counts)

    alpha = np.exp(optimize.minimize_scalar(lambda t: -left_out(np.exp(t)), bounds=(-8, 6)).x)
    model = Statistics.of(X, y, family="multinomial").estimate(smoothing="auto")
    assert model.options["smoothing"] == "auto"
    assert model.options["pseudo_counts"] == pytest.approx(alpha, rel=1e-4)
    found = model.options["pseudo_counts"]
    wanted = [(n + found) / (n.sum() + 3 * found) for n in counts]
    np.testing.assert_allclose(model.blocks[0]["probability"], wanted)
    classifier = GenerativeClassifier("multinomial", smoothing="auto", calibration="none").fit(X, y)
    assert classifier.model_.blocks[0]["probability"].tolist() == model.blocks[0]["probability"].tolist()


def test_bayes_of_counts():
    """Gamma(Σx + αr, W + α) makes Poisson counts negative binomial."""
    X, y = np.array([[0], [2], [1], [4], [7], [3]]), list("aaabbb")
    model = Statistics.of(X, y, family="poisson").estimate(estimate="bayes", smoothing=0.5)
    block, r = model.blocks[0], X.mean()
    shape = np.array([X[:3].sum(), X[3:].sum()]) + 0.5 * r
    np.testing.assert_allclose(block["shape"][:, 0], shape)
    np.testing.assert_allclose(block["rate"][:, 0], shape / 3.5)
    wanted = stats.nbinom.logpmf(np.arange(6)[:, None], shape, 3.5 / 4.5)
    np.testing.assert_allclose(model.log_likelihood(np.arange(6)[:, None]), wanted)


def test_bayes_of_words():
    X, y = np.array([[1, 2, 0], [0, 1, 1], [5, 0, 1]]), list("aab")
    model = Statistics.of(X, y, family="multinomial").estimate(estimate="bayes", smoothing=0.5)
    np.testing.assert_allclose(model.blocks[0]["concentration"], [5 + 1.5, 6 + 1.5])
    # One word has the probability that it has as a draw; the same again is likelier.
    one, two = np.exp(model.log_likelihood([[1, 0, 0], [2, 0, 0]]))
    np.testing.assert_allclose(one, [1.5 / 6.5, 5.5 / 7.5])
    np.testing.assert_allclose(two, [1.5 * 2.5 / 6.5 / 7.5, 5.5 * 6.5 / 7.5 / 8.5])


# ---- transformations


def test_transformed_numbers_keep_their_density():
    rng = np.random.default_rng(0)
    price, share = rng.lognormal(1, 0.5, 200), rng.beta(2, 3, 200)
    X = {"price": price, "share": share}
    made = Statistics.of(X, np.zeros(200, int), transforms={"price": "log", "s*": "logit"})
    assert made.schema.transforms == {"price": "log", "share": "logit"}
    model = made.estimate("diag", shrinkage=0)
    assert model.blocks[0]["transforms"] == ["log", "logit"]
    z = np.log(price), np.log(share / (1 - share))
    wanted = (stats.norm.logpdf(z[0], z[0].mean(), z[0].std()) - np.log(price)
              + stats.norm.logpdf(z[1], z[1].mean(), z[1].std()) - np.log(share * (1 - share)))
    np.testing.assert_allclose(model.log_likelihood(X)[:, 0], wanted, rtol=1e-10)


def test_transforms_of_a_schema():
    schema = Schema({"a": "gaussian", "b": "gaussian", "c": "poisson"}, label="y",
                    transforms={"*": "none", "a": "sqrt"})
    assert schema.transforms == {"a": "sqrt"}
    assert repr(schema).endswith("transforms={'a': 'sqrt'}, label='y')")
    assert eval(repr(schema)) == schema == pickle.loads(pickle.dumps(schema))
    assert schema != Schema({"a": "gaussian", "b": "gaussian", "c": "poisson"}, label="y")
    with pytest.raises(ValueError, match="only Gaussian"):
        Schema({"c": "poisson"}, transforms={"c": "log"})
    with pytest.raises(ValueError, match="cube"):
        Schema({"a": "gaussian"}, transforms={"a": "cube"})
    with pytest.raises(ValueError, match="no column 'z'"):
        Schema({"a": "gaussian"}, transforms={"z": "log"})
    with pytest.raises(suffice.DataError, match="row 1") as caught:
        Statistics.of({"a": [1.0, -1.0]}, [0, 0], transforms={"a": "log"})
    assert caught.value.feature == "a" and caught.value.row == 1


def test_the_classifier_transforms(wine):
    X, y = wine
    clf = GenerativeClassifier(transforms={"x*": "log1p", "x12": "log"}).fit(X, y)
    Z = np.column_stack([np.log1p(X[:, :12]), np.log(X[:, 12])])
    plain = GenerativeClassifier().fit(Z, y)
    np.testing.assert_allclose(clf.predict_proba(X), plain.predict_proba(Z), atol=1e-9)
    assert clf.schema_.transforms["x12"] == "log"
    assert not hasattr(clf, "transform")  # it is no transformer, and must not look like one


# ---- both edges


@pytest.mark.parametrize("words, options", [
    (["--pca", "2"], dict(pca=2)),
    (["--pca", "95%", "--lda", "1", "--covariance", "diag"],
     dict(pca=0.95, lda=1, covariance="diag")),
    (["--shrinkage", "auto"], dict(shrinkage="auto")),
    (["--shrinkage", "oas"], dict(shrinkage="oas")),
    (["--shrinkage", "0.25", "--target", "spherical", "--towards-tied", "0.5"],
     dict(shrinkage=0.25, target="spherical", towards_tied=0.5)),
    (["--estimate", "bayes", "--shrinkage", "auto"], dict(estimate="bayes", shrinkage="auto")),
    (["--estimate", "map", "--covariance", "tied"], dict(estimate="map", covariance="tied")),
])
@pytest.mark.parametrize("file", ["iris", "penguins"])
def test_fit_of_the_command_line(command_line, example_data, tmp_path, file, words, options):
    path = example_data / f"{file}.csv"
    if "covariance" not in options:
        words = [*words, "--covariance", "full"]
    command_line.good("fit", path, "--label", "species", *words, "-o", tmp_path / "m.suffice")
    model = Statistics.of(read_csv(path), "species").estimate(**options)
    assert Model.load(tmp_path / "m.suffice") == model
    shown = command_line.good_json("show", tmp_path / "m.suffice")
    assert ("projection" in shown) == (model.projection is not None)
    if model.projection is not None:
        compare(shown["projection"], model.projection)
    assert shown["options"] == model.options
    assert set(shown["shrinkage"]) == set(model.shrinkage)
    for key, value in model.shrinkage.items():
        compare(shown["shrinkage"][key], value)
    for block, ours in zip(shown["blocks"], model.blocks):
        assert set(block) == set(ours)
        for key in block:
            compare(block[key], ours[key])


@pytest.mark.parametrize("covariance", ["full", "tied"])
def test_loo_of_the_command_line(command_line, example_data, tmp_path, covariance):
    path = example_data / "iris.csv"
    command_line.good("fit", path, "--label", "species", "--shrinkage", "loo",
                      "--covariance", covariance, "-o", tmp_path / "m.suffice")
    clf = GenerativeClassifier(covariance=covariance, shrinkage="loo")
    clf.fit(read_csv(path), "species")
    ours, theirs = clf.model_, Model.load(tmp_path / "m.suffice")
    np.testing.assert_array_equal(ours.blocks[0]["covariance"], theirs.blocks[0]["covariance"])
    assert ours.options["shrinkage"] == theirs.options["shrinkage"]


def test_transforms_of_the_command_line(command_line, example_data, tmp_path):
    path = example_data / "iris.csv"
    command_line.good("stats", path, "--label", "species", "--transform", "petal_*=log",
                      "-o", tmp_path / "a.stats")
    made = Statistics.of(read_csv(path), "species", transforms={"petal_*": "log"})
    assert Statistics.load(tmp_path / "a.stats") == made


def test_what_cannot_be(wine_stats):
    for options, message in [
        (dict(pca=14), "14"),
        (dict(pca=0), "pca"),
        (dict(pca=1.5), "share"),
        (dict(pca="lots"), "lots"),
        (dict(pca=[1]), "pca="),
        (dict(lda=3), "3"),
        (dict(lda=True), "lda=True"),
        (dict(shrinkage=-0.1), "shrinkage"),
        (dict(shrinkage="much"), "much"),
        (dict(shrinkage=None, target="round"), "round"),
        (dict(towards_tied=2), "towards_tied"),
        (dict(towards_tied="half"), "towards_tied needs a number, not 'half'"),
        (dict(estimate="guess"), "guess"),
        (dict(estimate="map", shrinkage=0.5), "auto"),
        (dict(covariance=3), "covariance"),
    ]:
        with pytest.raises(ValueError, match=message):
            wine_stats.estimate(**options)
