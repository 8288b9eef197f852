"""GenerativeClassifier(covariance="auto"): the command line's choice, from any kind of table."""
import pickle

import numpy as np
import pandas
import pytest

import suffice

SETS = {"iris.csv.gz": "species", "penguins.csv.gz": "species", "letter.csv.gz": "letter"}


@pytest.mark.parametrize("name", SETS)
def test_the_choice_is_the_command_lines(name, data, command_line, tmp_path):
    path, label = data(name), SETS[name]
    said = command_line.good_json("fit", path, "--label", label, "--covariance", "auto", "-o",
                                  tmp_path / "m.suffice")
    frame = pandas.read_csv(path)
    clf = suffice.GenerativeClassifier(covariance="auto").fit(frame, label)
    assert clf.choice_ == said["choice"]
    assert clf.model_ == suffice.Model.load(tmp_path / "m.suffice")


def test_batches_are_one_table(data):
    frame = pandas.read_csv(data("letter.csv.gz"))
    y = frame.pop("letter").to_numpy()
    X = frame.to_numpy(dtype=np.float64)
    whole = suffice.GenerativeClassifier(covariance="auto", n_jobs=1).fit(X, y)
    again = suffice.GenerativeClassifier(covariance="auto", n_jobs=2).fit(np.asfortranarray(X), y)
    assert whole.choice_ == again.choice_
    assert whole.model_ == again.model_


def test_what_is_given_stays(data):
    frame = pandas.read_csv(data("wine.csv.gz"))
    clf = suffice.GenerativeClassifier(covariance="auto", pca=3).fit(frame, "cultivar")
    assert {candidate["options"]["pca"] for candidate in clf.choice_["candidates"]} == {3}


def test_a_fitted_one_can_be_pickled(data):
    frame = pandas.read_csv(data("wine.csv.gz"))
    clf = suffice.GenerativeClassifier(covariance="auto").fit(frame, "cultivar")
    again = pickle.loads(pickle.dumps(clf))
    X = frame.drop(columns="cultivar")
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert again.choice_ == clf.choice_


def test_without_rows_there_is_no_choice(data):
    frame = pandas.read_csv(data("iris.csv.gz"))
    statistics = suffice.Statistics.of(frame, "species")
    clf = suffice.GenerativeClassifier.from_statistics(statistics, covariance="auto")
    assert clf.model_ == statistics.estimate()
    assert not hasattr(clf, "choice_")
    X = frame.drop(columns="species").to_numpy()
    part = suffice.GenerativeClassifier(covariance="auto").partial_fit(X, frame["species"])
    assert part.model_.options["covariance"] == "full"
    with pytest.raises(ValueError, match="covariance='auto' is chosen with rows"):
        statistics.estimate("auto")


@pytest.mark.parametrize("y", [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 5]])
def test_few_rows(y):
    X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 3.0], [5.0, 5.0], [6.0, 4.0], [7.5, 6.0]])
    clf = suffice.GenerativeClassifier(covariance="auto")
    if len(set(y)) == 6:
        with pytest.raises(ValueError, match="more than one row per class"):
            clf.fit(X, y)
    else:
        assert clf.fit(X, y).predict(X).shape == (6,)
