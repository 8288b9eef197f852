"""Mixtures within a class, and rows without a label: GenerativeClassifier and fit_mixture."""
import pickle

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.mixture import GaussianMixture

import suffice
from suffice import GenerativeClassifier


def humps(n=600, seed=1):
    """Class "a" has two humps, class "b" lies between them."""
    random = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 2, "b", "a")
    X = random.normal(size=(n, 2))
    X[:, 0] += np.where(y == "b", 0, np.where(np.arange(n) % 2, 4, -4))
    return X, y


def scores(model, X):
    """log p(x | c), worked out from the model's own dictionaries."""
    block, mixture = model.blocks[0], model.mixture
    result = []
    for c in range(len(model.classes_)):
        own = [g for g, label in enumerate(mixture["label"]) if label == c]
        result.append(logsumexp([multivariate_normal(block["mean"][g], block["covariance"][g]).logpdf(X)
                                 + np.log(mixture["shares"][g]) for g in own], axis=0))
    return np.stack(result, 1)


def test_the_path_is_that_of_scikit_learn():
    X, _ = humps()
    start = GaussianMixture(3, random_state=1, max_iter=1, reg_covar=0).fit(X)
    schema = suffice.Statistics.of(X, np.zeros(len(X), int)).schema
    core = suffice._core.Model(
        schema._core, ["0"], np.array([600.0]),
        [{"family": "gaussian", "structure": "full", "mean": start.means_, "covariance": start.covariances_}], 0,
        {"names": ["0/1", "0/2", "0/3"], "label": [0, 0, 0], "weights": start.weights_ * 600})
    model = suffice.fit_mixture(X, np.zeros(len(X), int), schema=schema, covariance="full", shrinkage=0, tol=0,
                                max_iter=30, start=suffice.Model._wrap(core, suffice.Statistics.of(X, np.zeros(600, int))._values))
    peer = GaussianMixture(3, tol=0, reg_covar=0, max_iter=30, weights_init=start.weights_, means_init=start.means_,
                           precisions_init=np.linalg.inv(start.covariances_)).fit(X)
    assert model.options["mixture_log_likelihood"] == pytest.approx(peer.lower_bound_ * 600, rel=1e-10)
    np.testing.assert_allclose(model.blocks[0]["mean"], peer.means_, atol=1e-8)
    np.testing.assert_allclose(model.mixture["shares"], peer.weights_, atol=1e-8)
    np.testing.assert_allclose(model.log_likelihood(X)[:, 0], peer.score_samples(X), atol=1e-8)


def test_classifier(tmp_path):
    X, y = humps()
    T, truth = humps(seed=2)
    clf = clone(GenerativeClassifier(covariance="full", components=2, shrinkage=0, max_iter=2000)).fit(X, y)
    plain = GenerativeClassifier(covariance="full").fit(X, y)
    assert clf.score(T, truth) > plain.score(T, truth) + 0.01
    assert clf.mixture_["components"] == {"a": 2, "b": 2} and clf.mixture_["converged"]
    path = clf.mixture_["log_likelihood"]
    assert len(path) == clf.n_iter_ and np.all(np.diff(path[1:]) > -1e-7)
    model = clf.model_
    assert model.mixture["names"] == ["a/1", "a/2", "b/1", "b/2"] and model.options["components"] == 2
    np.testing.assert_allclose(clf.predict_log_likelihood(T), scores(model, T), atol=1e-9)
    assert plain.model_.mixture is None
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict_proba(T), clf.predict_proba(T))
    model.save(tmp_path / "m.suffice")
    loaded = suffice.Model.load(tmp_path / "m.suffice")
    assert loaded == model and loaded.mixture["label"] == [0, 0, 1, 1]
    drawn, classes = clf.sample(5000, label="a", seed=1)
    assert set(classes) == {"a"} and np.mean(np.abs(drawn[:, 0]) < 1) < 0.02
    assert np.mean(clf.outlier_score(T) < 0.05) == pytest.approx(0.05, abs=0.03)
    with pytest.raises(ValueError, match="mixtures of several components"):
        model.discriminant("a")


def test_the_number_of_components_is_chosen():
    X, y = humps()
    clf = GenerativeClassifier(components="auto").fit(X, y)
    assert clf.mixture_["components"] == {"a": 2, "b": 1}
    tried = clf.mixture_["tried"]["a"]
    assert tried[1]["held_out"] > tried[0]["held_out"] and tried[1]["bic"] < tried[0]["bic"]
    assert "chosen" in clf.choice_
    one = GenerativeClassifier(components="auto").fit(X[y == "b"], np.arange(200) % 2)
    assert one.model_.mixture is None  # the model that was chosen


def test_calibration_by_folds():
    X, y = humps()
    clf = GenerativeClassifier(covariance="diag", components=2, calibration="auto").fit(X, y)
    assert clf.model_.calibration["scale"].shape == (1,)
    completed = X.copy()
    completed[::3, 1] = np.nan
    clf = GenerativeClassifier(covariance="full", missing="em", calibration="auto").fit(completed, y)
    assert clf.model_.options["em_passes"] > 1 and clf.model_.calibration is not None


def test_select():
    X, y = humps()
    found = suffice.select(X, y, covariance="diag", components=[1, 2])
    assert found.best_options["components"] == 2 and found.model.mixture is not None
    assert found.candidates[1]["log_loss"] < found.candidates[0]["log_loss"]
    X[::4, 1] = np.nan
    plain, completed = (suffice.select(X, y, covariance="full", missing=missing) for missing in ("complete", "auto"))
    assert "em_passes" in completed.model.options and "em_passes" not in plain.model.options


@pytest.mark.parametrize("mark", ["none", "nan", "minus one", "list"])
def test_rows_without_a_label(mark):
    random = np.random.default_rng(3)
    X = random.normal(size=(900, 2))
    truth = np.arange(900) % 2
    X[:, 0] += 3 * truth
    y = truth.copy()
    if mark == "none":
        y = y.astype(object)
        y[8:] = None
    elif mark == "nan":
        y = y.astype(float)
        y[8:] = np.nan
    else:
        y[8:] = -1
    if mark == "list":
        y = y.tolist()
    if mark in ("none", "nan"):
        with pytest.raises(ValueError, match="missing"):
            GenerativeClassifier(covariance="tied").fit(X, y)
    used = GenerativeClassifier(covariance="tied", unlabelled="use").fit(X, y)
    ignored = GenerativeClassifier(covariance="tied", unlabelled="ignore").fit(X, y)
    few = GenerativeClassifier(covariance="tied").fit(X[:8], truth[:8])
    assert used.classes_.tolist() == [0, 1] and used.statistics_.weights.tolist() == [4, 4]
    assert used.mixture_["unlabelled_rows"] == 892 and used.model_.weights.tolist() == [4, 4]
    np.testing.assert_array_equal(ignored.predict_proba(X), few.predict_proba(X))
    assert used.score(X, truth) > 0.92
    mean = used.model_.blocks[0]["mean"]
    np.testing.assert_allclose(mean, [[0, 0], [3, 0]], atol=0.15)
    nearly = GenerativeClassifier(covariance="tied", unlabelled="use", unlabelled_weight=1e-9).fit(X, y)
    np.testing.assert_allclose(nearly.model_.blocks[0]["mean"], few.model_.blocks[0]["mean"], atol=1e-4)


def test_frames_and_weights():
    pandas = pytest.importorskip("pandas")
    X, y = humps()
    frame = pandas.DataFrame({"u": X[:, 0], "v": X[:, 1], "y": y, "w": np.arange(600) % 2 + 1.0})
    frame.loc[100:, "y"] = None
    clf = GenerativeClassifier(covariance="full", unlabelled="use").fit(frame, "y", "w")
    assert clf.mixture_["unlabelled_rows"] == 250 + 500 and clf.statistics_.weights.sum() == 150
    copies = frame.loc[frame.index.repeat(frame["w"].astype(int))].drop(columns="w")
    same = GenerativeClassifier(covariance="full", unlabelled="use").fit(copies, "y")
    np.testing.assert_allclose(clf.predict_proba(frame), same.predict_proba(frame), atol=1e-6)


def test_minus_one_may_be_a_class():
    X, y = humps()
    signs = np.where(y == "a", 1, -1)
    assert GenerativeClassifier(covariance="full").fit(X, signs).classes_.tolist() == [-1, 1]
    objects = signs.astype(object)
    objects[300:] = None
    clf = GenerativeClassifier(covariance="full", unlabelled="use").fit(X, objects)
    assert clf.classes_.tolist() == [-1, 1] and clf.mixture_["unlabelled_rows"] == 300


def test_what_is_wrong():
    X, y = humps(60)
    for parameters, message in [({"components": 0}, "components"), ({"components": "many"}, "components"),
                                ({"unlabelled": "maybe"}, "unlabelled"),
                                ({"unlabelled": "use", "unlabelled_weight": 0}, "unlabelled_weight"),
                                ({"unlabelled": "use", "calibration": "auto"}, "calibration"),
                                ({"components": 30}, "too few rows")]:
        with pytest.raises(ValueError, match=message):
            GenerativeClassifier(covariance="full", **parameters).fit(X, y)
    with pytest.raises(ValueError, match="components needs all rows at once"):
        GenerativeClassifier(components=2).partial_fit(X, y)
    with pytest.raises(ValueError, match="components needs rows"):
        GenerativeClassifier.from_statistics(suffice.Statistics.of(X, y), components=2)
    with pytest.raises(ValueError, match="passes over rows"):
        suffice.Statistics.of(X, y).estimate(components=2)
    with pytest.raises(ValueError, match="no row of y has a label"):
        GenerativeClassifier(unlabelled="use").fit(X, np.full(60, -1))


def test_same_bits_on_any_number_of_threads():
    X, y = humps(5000)
    one, three = (suffice.fit_mixture(X, y, components=3, max_iter=20, n_jobs=n) for n in (1, 3))
    assert one == three
