"""Parameters, the error that no decision can avoid, boundaries, and pseudo-counts of the classes."""
import numpy as np
import pytest
from scipy.stats import norm

import suffice


@pytest.fixture(scope="module")
def heights():
    chance = np.random.default_rng(3)
    x = np.r_[chance.normal(162, 6.8, 40), chance.normal(175, 7.3, 60)]
    return suffice.Statistics.of(x[:, None], np.repeat(["F", "M"], [40, 60]))


def test_parameters(heights):
    assert heights.estimate(covariance="full").parameters == 4
    assert heights.estimate(covariance="tied").parameters == 3
    assert isinstance(heights.estimate(covariance="tied").parameters, int)


def test_minimum_error(heights):
    model = heights.estimate(covariance="tied", shrinkage=0)
    block = model.blocks[0]
    (f,), (m,) = block["mean"]
    delta = (m - f) / np.sqrt(block["covariance"][0][0])
    found = model.minimum_error("uniform")
    assert found.value == pytest.approx(norm.cdf(-delta / 2), rel=1e-12)
    assert found.low == found.high == found.value
    sampled = heights.estimate(covariance="full", shrinkage=0).minimum_error(seed=2, samples=5000)
    assert sampled.low < sampled.value < sampled.high
    assert sampled.value == pytest.approx(norm.cdf(-delta / 2), abs=0.03)
    words = suffice.Statistics(suffice.Schema({"u": "multinomial", "v": "multinomial"}))
    words.update(np.array([[3.0, 1.0], [1.0, 4.0]]), ["a", "b"])
    with pytest.raises(ValueError, match="how long documents are"):
        words.estimate().minimum_error()


def test_boundary(heights):
    model = heights.estimate(covariance="full", shrinkage=0)
    for priors, costs in (("train", None), ({"F": 0.9, "M": 0.1}, None), ("uniform", {("F", "M"): 5.0, ("M", "F"): 1.0})):
        points = model.boundary("x0", priors, costs)
        assert len(points) == 2
        for point in points:
            around = model.decide([[point.x - 1e-6], [point.x + 1e-6]], priors, costs)
            assert around.tolist() == [point.left, point.right]
    ((x, left, right),) = heights.estimate(covariance="tied", shrinkage=0).boundary("x0", "uniform")
    assert x == pytest.approx(heights.estimate().blocks[0]["mean"].mean(), rel=1e-12)
    assert (left, right) == ("F", "M")
    with pytest.raises(ValueError, match="no feature 'height'"):
        model.boundary("height")


def test_classes_keep_their_values():
    model = suffice.Statistics.of([[0.0], [1.0], [4.0], [5.0]], [7, 7, 12, 12]).estimate(covariance="tied")
    (point,) = model.boundary("x0")
    assert (point.left, point.right) == (7, 12)


@pytest.mark.parametrize("priors,share", [("train:10", 50 / 120), ("train:0.5", 40.5 / 101), ("train:F=2,M=5", 42 / 107)])
def test_pseudo_counts(heights, priors, share):
    model = heights.estimate(covariance="full")
    x = np.array([[165.0], [170.0]])
    expected = model.posterior(x, priors={"F": share, "M": 1 - share})
    np.testing.assert_allclose(model.posterior(x, priors=priors), expected, rtol=1e-14)


def test_pseudo_counts_by_name(heights):
    assert suffice.Priors.from_counts(heights, {"F": 2, "M": 5})["F"] == pytest.approx(42 / 107, rel=1e-15)
    # One row, and a class that none was seen of: the mean under Beta(2, 2) is 3/5.
    one = suffice.Statistics.of([[1.0], [2.0]], ["a", "b"]) - suffice.Statistics.of([[2.0]], ["b"])
    assert suffice.Priors.from_counts(one, {"a": 2, "b": 2})["a"] == pytest.approx(0.6, rel=1e-15)
    for wrong in ({"F": 2}, {"F": 2, "M": -1}, {"F": 2, "M": 5, "X": 1}):
        with pytest.raises(ValueError):
            suffice.Priors.from_counts(heights, wrong)
    model = heights.estimate()
    for text in ("train:x", "train:F=2", "train:-1", "train:"):
        with pytest.raises(ValueError, match="train|pseudo-counts"):
            model.posterior([[170.0]], priors=text)
