"""A program of a user who checks types; test_types.py has mypy look at it."""
from __future__ import annotations

import numpy as np
import numpy.typing as npt

import suffice

Floats = npt.NDArray[np.float64]


def shares(X: Floats, y: list[str]) -> Floats:
    statistics = suffice.Statistics(suffice.Schema({"x0": "gaussian", "x1": "gaussian"}))
    statistics = statistics.update(X, y, sample_weight=np.ones(len(y)), n_jobs=1)
    both: suffice.Statistics = statistics + statistics
    model: suffice.Model = both.estimate(covariance="tied", normalize="unbiased")
    scores: Floats = model.log_likelihood(X)
    ratios: Floats = model.llr(X, priors={"a": 0.9, "b": 0.1})
    decisions = model.decide(X, priors="uniform", costs=suffice.Costs.zero_one(model))
    assert len(decisions) == len(scores) == len(ratios)
    model.save("model.suffice")
    return suffice.Model.load("model.suffice").posterior(X, priors=suffice.Priors.uniform(model))


def chosen(X: Floats, y: list[str]) -> Floats:
    found = suffice.select(X, y, covariance=["full", "tied"], shrinkage=[0, "auto"], folds="loo")
    assert isinstance(found.candidates[found.best]["error_rate"], float)
    model: suffice.Model = found.statistics.estimate(**found.best_options)
    return model.posterior(X)


def classifier(X: Floats, y: list[str]) -> Floats:
    from suffice.sklearn import LinearDiscriminantAnalysis

    fitted = suffice.GenerativeClassifier(covariance="tied").fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).partial_fit(X, y, classes=["a", "b"])
    proba: Floats = fitted.predict_proba(X) + lda.predict_proba(X)
    return proba
