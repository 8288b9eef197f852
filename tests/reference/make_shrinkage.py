#!/usr/bin/env python3
"""Writes shrinkage.json: what scikit-learn, SciPy and mpmath say of shrinkage and of predictive
densities.

    python tests/reference/make_shrinkage.py [DATA_DIR]      (default: ../shared/data)

OAS is scikit-learn's, on the rows of a class, or on all rows less the means of their classes. The
strengths of the evidence are where SciPy finds the largest value of the formula as it is written in
include/suffice/estimate/estimate.hpp and src/estimate/shrinkage.hpp, term by term. Predictive densities
are SciPy's multivariate t, t, negative binomial and Dirichlet-multinomial.
"""
import csv
import gzip
import json
import sys
from pathlib import Path

import mpmath
import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, multigammaln
from scipy.stats import dirichlet_multinomial, multivariate_t, nbinom, t as student
from sklearn.covariance import OAS

HERE = Path(__file__).resolve().parent
DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / ".." / "shared" / "data"
SETS = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar"),
        "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis")}
mpmath.mp.dps = 50


def read(file, label):
    with gzip.open(DATA / file, "rt", encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    columns = [c for c in table[0] if c not in (label, "id")]
    return (np.array([[float(row[c]) for c in columns] for row in table]),
            np.array([row[label] for row in table]))


def log_evidence(v, scatter, f, target):
    """The formula of the issue: l are the eigenvalues of T^-1/2 (S/f) T^-1/2."""
    d = len(target)
    root = np.linalg.cholesky(np.linalg.inv(target)).T
    l = np.linalg.eigvalsh(root @ (scatter / f) @ root.T)
    nu = v + d + 1
    return (multigammaln((nu + f) / 2, d) - multigammaln(nu / 2, d) + nu * d / 2 * np.log(v)
            - (nu + f) / 2 * np.sum(np.log(v + f * np.maximum(l, 0))))


def best(terms):
    """The v >= 1 with the largest sum: a fine grid, then a search beside its best place."""
    def loss(log_v):
        return -sum(log_evidence(np.exp(log_v), *term) for term in terms)
    grid = np.linspace(0, 20, 400)
    k = int(np.argmin([loss(g) for g in grid]))
    low, high = grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)]
    found = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-12})
    return float(np.exp(found.x))


def of_set(x, y):
    unit = x.std(0)  # the evidence does not depend on units; SciPy's numbers are better in these
    z = x / unit
    labels = sorted(set(y))
    scatters = [np.cov(z[y == c].T, bias=True) * np.sum(y == c) for c in labels]
    weights = [int(np.sum(y == c)) for c in labels]
    f = len(y) - len(labels)
    pooled = sum(scatters)
    diagonal = np.diag(np.diag(pooled / f))
    u = best([(pooled, f, diagonal)])
    target = (pooled + u * diagonal) / (f + u)
    v = best([(s, w - 1, target) for s, w in zip(scatters, weights)])
    single = best([(s[j:j + 1, j:j + 1], w - 1, diagonal[j:j + 1, j:j + 1])
                   for s, w in zip(scatters, weights) for j in range(z.shape[1])])
    centred = np.concatenate([x[y == c] - x[y == c].mean(0) for c in labels])

    rows = sorted({int(i) for i in np.linspace(0, len(y) - 1, 8)})
    jacobian = -np.log(unit).sum()

    def joint(t, v):
        return [[multivariate_t.logpdf(z[i], z[y == c].mean(0),
                                       (1 + 1 / w) * (s + v * t) / (w + v + 1), df=w + v + 1)
                 + jacobian for c, s, w in zip(labels, scatters, weights)] for i in rows]

    tied = [[multivariate_t.logpdf(z[i], z[y == c].mean(0),
                                   (1 + 1 / w) * (pooled + diagonal) / (f + 3), df=f + 3)
             + jacobian for c, w in zip(labels, weights)] for i in rows]
    diag = [[student.logpdf(z[i], w + 2, z[y == c].mean(0),
                            np.sqrt((1 + 1 / w) * np.diag(s + diagonal) / (w + 2))).sum()
             + jacobian for c, s, w in zip(labels, scatters, weights)] for i in rows]
    return {"oas_full": [OAS().fit(x[y == c]).shrinkage_ for c in labels],
            "oas_tied": OAS(assume_centered=True).fit(centred).shrinkage_,
            "oas_covariance_00": [OAS().fit(x[y == c]).covariance_[0, 0] for c in labels],
            "target_rows": u, "full_rows": v, "diag_rows": single, "rows": rows,
            "bayes_auto_full": joint(target, v), "bayes_full": joint(diagonal, 1),
            "bayes_tied": tied, "bayes_diag": diag}


def gamma():
    values = []
    for a in (1e-3, 0.5, 1, 1.5, 7.25, 15.9, 16, 100.5, 1e4, 1e9):
        for h in (0, 0.5, 1, 2, 3.5, 15, 16, 50.5, 1e3, 1e6):
            A, H = mpmath.mpf(a), mpmath.mpf(h)
            excess = mpmath.loggamma(A + H) - mpmath.loggamma(A) - H * mpmath.log(A)
            difference = mpmath.digamma(A + H) - mpmath.digamma(A)
            values.append([a, h, float(excess), float(difference)])
    return values


def counts():
    shape, rate = 3.5, 1.75
    p = shape / (shape + rate)
    negative_binomial = [[x, float(nbinom.logpmf(x, shape, p))] for x in (0, 1, 2, 5, 30, 400)]
    probability, concentration = np.array([0.5, 0.2, 0.2, 0.1]), 12.5
    documents = []
    for x in ([0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 1, 0], [5, 3, 0, 1], [40, 1, 20, 7]):
        x = np.array(x)
        n = x.sum()
        coefficient = gammaln(n + 1) - gammaln(x + 1).sum()
        log_p = dirichlet_multinomial.logpmf(x, concentration * probability, n) if n else 0.0
        documents.append([x.tolist(), float(log_p - coefficient)])
    return {"shape": shape, "rate": rate, "negative_binomial": negative_binomial,
            "probability": probability.tolist(), "concentration": concentration,
            "documents": documents}


result = {"made_with": {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__,
                        "mpmath": mpmath.__version__},
          "gamma": gamma(), "counts": counts(),
          "sets": {name: of_set(*read(*where)) for name, where in SETS.items()}}
(HERE / "shrinkage.json").write_text(json.dumps(result, indent=1) + "\n")
