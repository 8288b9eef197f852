"""Model.typicality: how typical a row is of each class."""
import numpy as np
from scipy import stats

import suffice


def test_rows_of_the_class_are_uniform():
    """Of rows that had no part in the estimate: what F is for, with few rows to estimate from."""
    rng = np.random.default_rng(1)
    tails = []
    for _ in range(1000):
        X = rng.normal(size=(12, 3)) + 1
        model = suffice.Statistics.of(X, ["a"] * 6 + ["b"] * 6).estimate(covariance="tied",
                                                                         shrinkage=0)
        tails.append(model.typicality(rng.normal(size=(1, 3)) + 1)[0, 0])
    assert stats.kstest(tails, "uniform").pvalue > 0.01
