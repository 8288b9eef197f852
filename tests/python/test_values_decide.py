"""Priors and costs: the ways to give them, and what a decision makes of them."""
from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from suffice import Costs, Priors, Statistics


@pytest.fixture(scope="module")
def model():
    """P(x = 1 | a) = 3/4, P(x = 1 | b) = 1/4; a is four of six rows."""
    X = [[1], [1], [1], [0], [1], [0], [0], [0]]
    return Statistics.of(X, list("aaaabbbb"), [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5],
                         family="bernoulli").estimate(smoothing=0)


def posterior(prior_of_a, x):
    """Bayes' rule by hand."""
    a, b = prior_of_a * (0.75 if x else 0.25), (1 - prior_of_a) * (0.25 if x else 0.75)
    return a / (a + b)


@pytest.mark.parametrize("priors, of_a", [
    ("train", 4 / 6),
    ("uniform", 0.5),
    ({"a": 0.1, "b": 0.9}, 0.1),
    ({"b": 0.9, "a": 0.1}, 0.1),
    ([0.3, 0.7], 0.3),
    (np.array([0.3, 0.7], np.float32), 0.3),
    (Priors(["b", "a"], [0.2, 0.8]), 0.8),
    ({"a": 1, "b": 0}, 1.0),
])
def test_priors_of_every_form(model, priors, of_a):
    expected = [[posterior(of_a, x), 1 - posterior(of_a, x)] for x in (1, 0)]
    tolerance = 1e-7 if isinstance(priors, np.ndarray) else 1e-14
    np.testing.assert_allclose(model.posterior([[1], [0]], priors), expected, atol=tolerance)
    np.testing.assert_allclose(
        model.log_density([[1]], priors), np.log(of_a * 0.75 + (1 - of_a) * 0.25), atol=tolerance)


@pytest.mark.parametrize("priors, words", [
    ("training", "give 'train', 'train:1' (with pseudo-counts), 'uniform'"),
    ({"a": 1.0}, "class 'b' has none"),
    ({"a": 0.5, "b": 0.5, "c": 0.0}, "there is no class 'c'; the classes are a, b"),
    ([0.5, 0.25, 0.25], "have the shape (3,)"),
    ([0.0, 0.0], "sum to 0"),
    ([-0.5, 1.5], "-0.5"),
    ([np.nan, 1.0], "nan"),
    (Priors(["a", "c"], [0.5, 0.5]), "priors are over the classes a, c, but the model has a, b"),
])
def test_priors_that_cannot_be(model, priors, words):
    with pytest.raises(ValueError) as caught:
        model.posterior([[1]], priors)
    assert words in str(caught.value)


@pytest.mark.parametrize("costs", [
    [[0, 1], [4, 0]],
    {("b", "a"): 4},
    {("b", "a"): 4, ("a", "b"): 1, ("a", "a"): 0},
    Costs(["a", "b"], [[0, 1], [4, 0]]),
    Costs(["b", "a"], [[0, 4], [1, 0]]),
])
def test_costs_of_every_form(model, costs):
    # Deciding a costs 4 P(b | x), deciding b costs P(a | x): a only where its odds exceed 4.
    for priors in ({"a": 0.5, "b": 0.5}, {"a": 0.6, "b": 0.4}):
        expected = ["a" if posterior(priors["a"], x) > 0.8 else "b" for x in (1, 0)]
        assert model.decide([[1], [0]], priors, costs).tolist() == expected
    assert model.decide([[1]], {"a": 0.6, "b": 0.4}, costs).tolist() == ["a"]
    assert model.decide([[1]], "uniform").tolist() == ["a"]
    assert model.decide([[1]], "uniform", costs).tolist() == ["b"]


@pytest.mark.parametrize("costs, words", [
    ([[0, 1]], "have the shape (1, 2); 2 classes need 2 × 2"),
    ([[0, np.inf], [1, 0]], "inf"),
    ({"a": 3}, "'a' is not a pair (true, decided)"),
    ({("a", "z"): 3}, "there is no class 'z'"),
    (Costs.zero_one(["a", "c"]), "costs are over the classes a, c"),
])
def test_costs_that_cannot_be(model, costs, words):
    with pytest.raises(ValueError) as caught:
        model.decide([[1]], "uniform", costs)
    assert words in str(caught.value)


def test_rejection_and_status(model):
    decided, status = model.decide([[1], [0]], "uniform", reject=0.2, return_status=True)
    assert decided.tolist() == [None, None] and status.tolist() == ["reject", "reject"]
    decided, status = model.decide([[1], [0]], "uniform", reject=0.3, return_status=True)
    assert decided.tolist() == ["a", "b"] and status.tolist() == ["ok", "ok"]
    assert decided.dtype == object
    decided, status = model.decide([[1], [0]], return_status=True)
    assert decided.dtype.kind == "U" and status.tolist() == ["ok", "ok"]


def test_classes_keep_their_values():
    X = [[0.0], [1.0], [10.0], [11.0]]
    for y, kind in (([7, 7, 9, 9], "i"), ([0.5, 0.5, 2.0, 2.0], "f"),
                    ([True, True, False, False], "b")):
        model = Statistics.of(X, y).estimate(covariance="tied")
        decided = model.decide(X)
        assert decided.tolist() == y and decided.dtype.kind == kind
        low = y[0]
        assert model.decide(X, {y[0]: 0.0, y[-1]: 1.0}).tolist() == [y[-1]] * 4
        assert model.decide([[50.0]], reject=0.5, costs={(low, y[-1]): 2}).tolist() == [y[-1]]
        rows, labels = model.sample(5, low)
        assert labels.tolist() == [low] * 5 and rows.shape == (5, 1)
    tuples = Statistics.of(X, [("a", 1), ("a", 1), ("b", 2), ("b", 2)]).estimate()
    assert tuples.decide([[0.5], [10.5]]).tolist() == [("a", 1), ("b", 2)]
    with_objects = tuples.decide([[0.5], [10.5]], reject=0.4)
    assert with_objects.tolist() == [("a", 1), ("b", 2)]


def test_values():
    priors = Priors(["b", "a"], [0.2, 0.8])
    assert priors.labels == ("a", "b") and priors.probabilities.tolist() == [0.8, 0.2]
    assert priors["b"] == 0.2 and len(priors) == 2
    assert priors == Priors(["a", "b"], {"a": 0.8, "b": 0.2}) != Priors.uniform(["a", "b"])
    assert hash(priors) == hash(Priors(["a", "b"], [0.8, 0.2]))
    costs = Costs(["b", "a"], {("b", "a"): 3})
    assert costs.matrix.tolist() == [[0, 1], [3, 0]] and costs["b", "a"] == 3 and len(costs) == 2
    assert costs != Costs.zero_one(["a", "b"]) and hash(costs) == hash(copy.copy(costs))
    for value in (priors, costs, Priors([3, 10], [0.5, 0.5]), Costs.zero_one([3, 10])):
        for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert twin == value and twin.classes_.tolist() == value.classes_.tolist()
    with pytest.raises(ValueError, match="read-only"):
        priors.probabilities[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        costs.matrix[0, 0] = 1
    with pytest.raises(ValueError, match="'a' is named twice"):
        Priors(["a", "a"], [0.5, 0.5])
    with pytest.raises(ValueError, match="no class"):
        priors["z"]
    with pytest.raises(ValueError):
        Priors([], [])
    assert priors != 1 and costs != 1


def test_frequencies(model):
    assert Priors.from_counts(model).probabilities.tolist() == [4 / 6, 2 / 6]
    assert Priors.from_counts(model, smoothing=1).probabilities.tolist() == [5 / 8, 3 / 8]
    stats = Statistics({"x": "bernoulli"}, labels=["a", "never"]).update([[1]], ["a"])
    # A class without rows has prior 0 whatever the smoothing.
    assert Priors.from_counts(stats, smoothing=1).probabilities.tolist() == [1, 0]
    with pytest.raises(ValueError, match="no rows to take priors from"):
        Priors.from_counts(Statistics({"x": "bernoulli"}, labels=["a"]))
    with pytest.raises(ValueError, match="smoothing"):
        Priors.from_counts(stats, smoothing=-1)
    assert Priors.uniform(model) == Priors(model, [0.5, 0.5])


def test_a_row_that_no_class_can_have():
    stats = Statistics.of([[0], [0], [0]], ["a", "b", "b"], family="bernoulli")
    model = stats.estimate(smoothing=0)
    assert np.isneginf(model.log_likelihood([[1]])).all()
    np.testing.assert_allclose(model.posterior([[1]]), [[1 / 3, 2 / 3]])
    assert model.decide([[1]]).tolist() == ["b"]
    assert model.decide([[1]], {"a": 0.9, "b": 0.1}).tolist() == ["a"]
    assert model.decide([[1]], {"a": 0.9, "b": 0.1}, Costs.zero_one(model)).tolist() == ["a"]
