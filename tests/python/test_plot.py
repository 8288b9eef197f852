"""suffice.plot: the pictures of the command line, in Python."""
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import suffice

X = np.random.default_rng(7).normal(size=(120, 3)) + np.repeat([[0, 0, 0], [3, 1, 0]], 60, axis=0)
y = ["a"] * 60 + ["b"] * 60


@pytest.fixture(scope="module")
def model():
    return suffice.Statistics.of(X, y).estimate(covariance="tied")


@pytest.mark.parametrize("kind", ["densities", "posteriors", "regions", "ellipses"])
def test_pictures_are_well_formed(model, kind, tmp_path):
    picture = getattr(suffice.plot, kind)(model, X, y)
    root = xml.fromstring(picture.svg)
    assert root.tag.endswith("svg")
    assert picture._repr_svg_() == picture.svg
    assert picture.title in picture.svg and picture.description
    assert picture.table
    picture.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8") == picture.svg


def test_correlations_are_those_of_the_model(model):
    covariance = model.blocks[0]["covariance"]
    deviation = np.sqrt(np.diag(covariance))
    expected = covariance / np.outer(deviation, deviation)
    rows = suffice.plot.correlations(model).table
    assert float(rows[0]["correlation"].replace("−", "-")) == pytest.approx(expected[0, 1], abs=2e-3)


def test_border_moves_with_the_prior():
    data = [[-1.0], [1.0], [1.0], [3.0]]
    model = suffice.Statistics.of(data, list("aabb")).estimate("tied", shrinkage=0)
    even = suffice.plot.regions(model, priors="uniform").table
    assert float(even[0]["to"]) == pytest.approx(1, abs=2e-3)
    # Means 0 and 2, variance 1: the border is at 1 + log(9) / 2.
    uneven = suffice.plot.regions(model, priors=[0.9, 0.1]).table
    assert float(uneven[0]["to"]) == pytest.approx(1 + np.log(9) / 2, abs=3e-3)


def test_a_classifier_is_drawn_as_its_model():
    pytest.importorskip("sklearn")
    classifier = suffice.GenerativeClassifier(covariance="tied").fit(X, y)
    drawn = suffice.plot.regions(classifier, features=["x0", "x1"])
    assert drawn.svg == suffice.plot.regions(classifier.model_, features=["x0", "x1"]).svg


def test_mistakes(model):
    with pytest.raises(ValueError, match="no feature 'z'"):
        suffice.plot.regions(model, features=["z"])
    with pytest.raises(ValueError, match="X and y together"):
        suffice.plot.regions(model, X)
    with pytest.raises(TypeError, match="Model"):
        suffice.plot.regions(object())
