"""Model.estimate_priors: the class shares of rows without labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import suffice


@pytest.fixture(scope="module")
def shifted():
    chance = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 300)
    X = chance.normal(size=(900, 2)) + np.repeat([[0, 0], [2, 0], [0, 2]], 300, axis=0)
    model = suffice.Statistics.of(X, y).estimate(covariance="tied")
    at = chance.choice(3, 800, p=[0.1, 0.6, 0.3])
    new = chance.normal(size=(800, 2)) + np.array([[0, 0], [2, 0], [0, 2]])[at]
    return model, new, np.bincount(at) / 800


def test_is_the_maximum_of_the_likelihood(shifted):
    model, new, truth = shifted
    found = model.estimate_priors(new)
    scores = model.log_likelihood(new)

    def loss(logits):
        shares = np.exp(logits - np.logaddexp.reduce(logits))
        return -np.log(np.exp(scores) @ shares).sum()

    best = minimize(loss, np.zeros(3), options={"gtol": 1e-8}).x
    expected = np.exp(best) / np.exp(best).sum()
    np.testing.assert_allclose(found.priors.probabilities, expected, atol=1e-5)
    assert np.all((found.low < truth) & (truth < found.high))
    assert found.rows == 800


def test_goes_where_priors_are_taken(shifted):
    model, new, _ = shifted
    found = model.estimate_priors(new)
    mean = model.posterior(new, priors=found.priors).mean(0)
    np.testing.assert_allclose(mean, found.priors.probabilities, atol=1e-9)
    frame = pd.DataFrame(new, columns=["x0", "x1"])
    assert model.estimate_priors(frame, n_jobs=1).priors == found.priors


def test_bad_input(shifted):
    model, new, _ = shifted
    with pytest.raises(ValueError, match="confidence is 2"):
        model.estimate_priors(new, confidence=2)
    with pytest.raises(ValueError, match="no rows"):
        model.estimate_priors(new[:0])
    one = suffice.Statistics.of(new, ["a"] * len(new)).estimate()
    with pytest.raises(ValueError, match="one class only"):
        one.estimate_priors(new)
