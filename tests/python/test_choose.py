"""GenerativeClassifier() chooses the model: the command line's choice, from any kind of table."""
import pickle
import warnings

import numpy as np
import pandas
import pytest

import suffice

SETS = {"iris.csv.gz": "species", "penguins.csv.gz": "species", "glyphs.csv.gz": "letter"}


@pytest.mark.parametrize("name", SETS)
def test_the_choice_is_the_command_lines(name, data, command_line, tmp_path):
    path, label = data(name), SETS[name]
    said = command_line.good_json("fit", path, "--label", label, "-o", tmp_path / "m.suffice")
    frame = pandas.read_csv(path)
    clf = suffice.GenerativeClassifier().fit(frame, label)
    assert clf.choice_ == said["choice"]
    assert clf.model_ == suffice.Model.load(tmp_path / "m.suffice")


def test_batches_are_one_table(data):
    frame = pandas.read_csv(data("glyphs.csv.gz"))
    y = frame.pop("letter").to_numpy()
    X = frame.to_numpy(dtype=np.float64)
    whole = suffice.GenerativeClassifier(n_jobs=1).fit(X, y)
    again = suffice.GenerativeClassifier(n_jobs=2).fit(np.asfortranarray(X), y)
    assert whole.choice_ == again.choice_
    assert whole.model_ == again.model_


def test_what_is_given_stays(data):
    frame = pandas.read_csv(data("wine.csv.gz"))
    options = lambda clf: [candidate["options"] for candidate in clf.fit(frame, "cultivar").choice_["candidates"]]
    assert {one["pca"] for one in options(suffice.GenerativeClassifier(pca=3))} == {3}
    assert not any("pca" in one for one in options(suffice.GenerativeClassifier(pca="none")))
    normal = options(suffice.GenerativeClassifier(tails="normal"))
    assert {one.get("tails", "normal") for one in normal} == {"normal"} and len(normal) > 10
    assert {one["shrinkage"] for one in options(suffice.GenerativeClassifier(shrinkage="auto"))} == {"auto", 0}
    tied = options(suffice.GenerativeClassifier(covariance="tied", tails="auto"))
    assert {one["covariance"] for one in tied} == {"tied"} and len(tied) > 4


def test_a_named_covariance_is_estimated_as_it_is(data):
    frame = pandas.read_csv(data("wine.csv.gz"))
    for covariance in ("full", "tied", "diag"):
        clf = suffice.GenerativeClassifier(covariance=covariance).fit(frame, "cultivar")
        kept = "diag" if covariance == "diag" else "full"
        assert clf.model_ == suffice.Statistics.of(frame, "cultivar", covariance=kept).estimate(covariance)
        assert not hasattr(clf, "choice_")
    clf = suffice.GenerativeClassifier(calibration="none").fit(frame, "cultivar")
    assert clf.model_.calibration is None and len(clf.choice_["candidates"]) > 20


def test_a_fitted_one_can_be_pickled(data):
    frame = pandas.read_csv(data("wine.csv.gz"))
    clf = suffice.GenerativeClassifier().fit(frame, "cultivar")
    again = pickle.loads(pickle.dumps(clf))
    X = frame.drop(columns="cultivar")
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert again.choice_ == clf.choice_


def test_without_rows_there_is_no_choice(data):
    frame = pandas.read_csv(data("iris.csv.gz"))
    statistics = suffice.Statistics.of(frame, "species")
    clf = suffice.GenerativeClassifier.from_statistics(statistics)
    assert clf.model_ == statistics.estimate()
    assert not hasattr(clf, "choice_")
    X = frame.drop(columns="species").to_numpy()
    part = suffice.GenerativeClassifier().partial_fit(X, frame["species"])
    assert part.model_.options["covariance"] == "full"
    with pytest.raises(ValueError, match="covariance='auto' is chosen with rows"):
        statistics.estimate("auto")
    for wrong in ({"tails": "auto"}, {"calibration": "auto"}):
        with pytest.raises(ValueError, match="needs all rows at once"):
            suffice.GenerativeClassifier(**wrong).partial_fit(X, frame["species"])
        with pytest.raises(ValueError, match="needs rows"):
            suffice.GenerativeClassifier.from_statistics(statistics, **wrong)


@pytest.mark.parametrize("y", [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 5]])
def test_few_rows(y):
    X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 3.0], [5.0, 5.0], [6.0, 4.0], [7.5, 6.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # single rows
        clf = suffice.GenerativeClassifier().fit(X, y)
    assert clf.predict(X).shape == (6,)
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1, atol=1e-12)
    if len(set(y)) == 6:
        with pytest.raises(ValueError, match="row"):
            suffice.GenerativeClassifier(covariance="full", shrinkage=0).fit(X, y)
