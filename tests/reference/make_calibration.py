#!/usr/bin/env python3
"""Writes calibration.json: what SciPy and scikit-learn say of calibrations.

    python tests/reference/make_calibration.py

`penalised` are minima of the formula in include/suffice/calibrate/fit_calibration.hpp, as it stands
there, found by SciPy (L-BFGS-B with bounds), then by Newton's method on what is not at a bound,
with derivatives added up row by row. `unpenalised` are
coefficients of scikit-learn's LogisticRegression without a penalty on the differences of two
classes' scores; rows of a huge weight make our penalty vanish. `isotonic` are the fitted values of
scikit-learn's IsotonicRegression.
"""
import json
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).resolve().parent


def loss(parameters, scores, labels, weights, log_priors):
    blocks = len(scores)
    beta, b = parameters[:blocks], parameters[blocks:]
    z = np.tensordot(beta, scores, 1) + b + log_priors
    picked = z[np.arange(len(labels)), labels] - logsumexp(z, axis=1)
    return -(weights * picked).sum() + b @ b / 2 + ((beta - 1) ** 2).sum() / 2


def derivatives(parameters, scores, labels, weights, log_priors):
    blocks, n, classes = scores.shape
    beta, b = parameters[:blocks], parameters[blocks:]
    p = softmax(np.tensordot(beta, scores, 1) + b + log_priors, axis=1)
    gradient = np.concatenate([beta - 1, b])
    hessian = np.eye(blocks + classes)
    for i in range(n):  # one row of the design per class: its scores, then a one
        design = np.hstack([scores[:, i, :].T, np.eye(classes)])
        gradient += weights[i] * (p[i] @ design - design[labels[i]])
        hessian += weights[i] * design.T @ (np.diag(p[i]) - np.outer(p[i], p[i])) @ design
    return gradient, hessian


def minimum(scores, labels, weights, log_priors, largest):
    data = (scores, labels, weights, log_priors)
    blocks, _, classes = scores.shape
    bounds = [(0, largest)] * blocks + [(None, None)] * classes
    start = np.concatenate([np.full(blocks, 0.5), np.zeros(classes)])
    x = minimize(loss, start, data, "L-BFGS-B", lambda *a: derivatives(*a)[0], bounds=bounds,
                 options={"maxiter": 10000, "ftol": 1e-15, "gtol": 1e-9}).x
    for _ in range(30):
        gradient, hessian = derivatives(x, *data)
        free = np.ones(len(x), bool)
        for j in range(blocks):
            if (x[j] == 0 and gradient[j] > 0) or (largest and x[j] == largest and gradient[j] < 0):
                free[j] = False
        x[free] -= np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
    gradient, _ = derivatives(x, *data)
    assert np.abs(gradient[free]).max() < 1e-9 * max(1, weights.sum()), gradient
    return x


def case(rng, n, classes, blocks, steepness, level, largest=1.0, weights=None, absent=()):
    """Scores of normal classes, made too steep and moved by wrong levels."""
    means = rng.normal(size=(blocks, classes, 3)) * 1.5
    names = [c for c in range(classes) if c not in absent]
    labels = np.array([names[i % len(names)] for i in range(n)])
    levels = rng.normal(size=classes) * level
    scores = np.empty((blocks, n, classes))
    for b in range(blocks):
        x = means[b][labels] + rng.normal(size=(n, 3))
        scores[b] = -0.5 * ((x[:, None] - means[b]) ** 2).sum(2) * steepness[b] + levels
    weights = np.ones(n) if weights is None else weights
    log_priors = np.log((np.bincount(labels, weights, classes) + 1e-3) / (weights.sum()))
    scores = np.round(scores, 6)
    x = minimum(scores, labels, weights, log_priors, largest)
    return {"scores": scores.tolist(), "labels": labels.tolist(), "weights": weights.tolist(),
            "log_priors": log_priors.tolist(), "largest": largest or "inf",
            "scale": x[:blocks].tolist(), "offset": x[blocks:].tolist()}


def unpenalised(rng, n):
    labels = np.arange(n) % 2
    difference = np.round(rng.normal(size=n) * 3 + np.where(labels == 0, 2.5, -1.0), 6)
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10000)
    fit.fit(difference[:, None], 1 - labels)
    return {"difference": difference.tolist(), "labels": labels.tolist(),
            "scale": float(fit.coef_[0, 0]), "difference_of_offsets": float(fit.intercept_[0])}


def isotonic(rng, n):
    labels = (rng.random(n) < 0.4).astype(int)
    x = np.round(rng.normal(size=n) + labels, 1)  # with ties
    weights = rng.integers(1, 4, size=n).astype(float)
    fit = IsotonicRegression().fit(x, labels, sample_weight=weights)
    return {"x": x.tolist(), "first": labels.tolist(), "weights": weights.tolist(),
            "probability": fit.predict(x).tolist()}


def main():
    rng = np.random.default_rng(20)
    result = {
        "numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__,
        "penalised": {
            "two classes": case(rng, 40, 2, 1, [2.0], 1.0),
            "three classes": case(rng, 60, 3, 1, [5.0], 3.0),
            "two blocks": case(rng, 60, 3, 2, [3.0, 0.7], 1.0),
            "at the bound": case(rng, 60, 3, 2, [0.4, 3.0], 1.0),
            "steeper": case(rng, 60, 3, 2, [0.4, 3.0], 1.0, largest=None),
            "weights": case(rng, 50, 4, 1, [3.0], 1.0,
                            weights=rng.integers(0, 4, size=50).astype(float)),
            "a class without rows": case(rng, 50, 4, 1, [3.0], 1.0, absent=(2,)),
            "huge scores": case(rng, 60, 3, 1, [1e5], 1e5),
        },
        "unpenalised": unpenalised(rng, 60),
        "isotonic": isotonic(rng, 40),
    }
    path = HERE / "calibration.json"
    path.write_text(json.dumps(result) + "\n")
    print(path, path.stat().st_size, {k: (v["scale"], v["offset"])
                                      for k, v in result["penalised"].items()})


main()
