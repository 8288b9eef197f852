#!/usr/bin/env python3
"""Writes tails.json: SciPy's multivariate t of every covariance structure.

    python tests/reference/make_tails.py [DATA_DIR]      (default: ../shared/data)

The covariance of a class is NumPy's, in the form that the structure allows, and the shape matrix of
the t with ν degrees of freedom is (ν − 2)/ν times that. `scores` are log-densities of some rows,
`partial` those of the same rows without their second feature: the t of the others. `beyond` has
P(distance ≥ that of the row) in its own class, from F(d, ν).
"""
import csv
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import f as fisher, multivariate_t

HERE = Path(__file__).resolve().parent
DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / ".." / "shared" / "data"
SETS = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar")}
DOFS = (2.5, 8, 1e6)


def read(file, label):
    with gzip.open(DATA / file, "rt", encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    columns = [c for c in table[0] if c != label]
    return (np.array([[float(row[c]) for c in columns] for row in table]),
            np.array([row[label] for row in table]))


def covariances(x, y, labels):
    """By structure, one for each class; all divide by the number of rows."""
    own = [np.cov(x[y == c].T, bias=True) for c in labels]
    share = [np.mean(y == c) for c in labels]
    tied = sum(s * p for s, p in zip(own, share))
    d = len(tied)
    mean = lambda s: np.eye(d) * np.trace(s) / d
    return {"full": own, "tied": [tied] * len(own), "diag": [np.diag(np.diag(s)) for s in own],
            "tied-diag": [np.diag(np.diag(tied))] * len(own), "spherical": [mean(s) for s in own],
            "tied-spherical": [mean(tied)] * len(own)}


def of_set(x, y):
    labels = sorted(set(y))
    means = [x[y == c].mean(0) for c in labels]
    d = x.shape[1]
    rows = list(range(0, len(x), len(x) // 7))
    kept = [j for j in range(d) if j != 1]
    densities = []
    for structure, matrices in covariances(x, y, labels).items():
        for dof in DOFS:
            shapes = [s * (dof - 2) / dof for s in matrices]
            scores = [[multivariate_t.logpdf(x[i], m, s, df=dof) for m, s in zip(means, shapes)]
                      for i in rows]
            partial = [[multivariate_t.logpdf(x[i, kept], m[kept], s[np.ix_(kept, kept)], df=dof)
                        for m, s in zip(means, shapes)] for i in rows]
            beyond = []
            for i in rows:
                c = labels.index(y[i])
                delta = x[i] - means[c]
                beyond.append(fisher.sf(delta @ np.linalg.solve(shapes[c], delta) / d, d, dof))
            densities.append({"structure": structure, "dof": dof, "scores": scores,
                              "partial": partial, "beyond": beyond})
    return {"rows": rows, "densities": densities}


result = {"made_with": {"scipy": scipy.__version__, "numpy": np.__version__},
          "sets": {name: of_set(*read(*where)) for name, where in SETS.items()}}
(HERE / "tails.json").write_text(json.dumps(result, indent=1) + "\n")
