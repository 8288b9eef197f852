#!/usr/bin/env python3
"""Writes mixture.json: the EM of scikit-learn's GaussianMixture, and slow ones of our own.

    python tests/reference/make_mixture.py [DATA_DIR]      (default: ../shared/data)

`paths` has, by covariance structure, the log-likelihood of all 150 rows of iris before each of the
first passes, from the means START, equal shares and the covariance of all rows; and the means and
shares after them. `unlabelled` has the same of two classes of one Gaussian each, where the label of
all but every tenth row is unknown, and such a row counts WEIGHT; it begins with the estimate from
the labelled rows. `missing` is a mixture of two Gaussians for rows that lack some numbers: each
missing part is replaced by its conditional mean, and its conditional covariance is added.
"""
import csv
import gzip
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import sklearn
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

HERE = Path(__file__).resolve().parent
DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / ".." / "shared" / "data"
START = (0, 60, 120)
PASSES = 25
WEIGHT = 0.5


def iris():
    with gzip.open(DATA / "iris.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    columns = [c for c in table[0] if c != "species"]
    return (np.array([[float(row[c]) for c in columns] for row in table]),
            np.array([row["species"] for row in table]))


def precision_of(structure, covariance):
    inverse = np.linalg.inv(covariance)
    diagonal = 1 / np.diag(covariance)
    return {"full": np.stack([inverse] * 3), "tied": inverse, "diag": np.stack([diagonal] * 3),
            "spherical": np.full(3, 1 / np.mean(np.diag(covariance)))}[structure]


def path_of(x, structure):
    covariance = np.cov(x.T, bias=True)
    path = []
    for passes in range(1, PASSES + 1):
        model = GaussianMixture(
            3, covariance_type=structure, tol=0, reg_covar=0, max_iter=passes,
            weights_init=np.full(3, 1 / 3), means_init=x[list(START)],
            precisions_init=precision_of(structure, covariance))
        model.fit(x)
        path.append(model.lower_bound_ * len(x))
    return {"path": path, "means": model.means_.tolist(), "weights": model.weights_.tolist()}


def unlabelled(x, y):
    kept = y != "setosa"
    x, y = x[kept], y[kept]
    labels = sorted(set(y))
    known = np.arange(len(x)) % 10 == 0
    prior = np.array([np.mean(y[known] == c) for c in labels])
    responsibility = np.stack([(y == c) & known for c in labels], 1).astype(float)
    path = []
    for _ in range(PASSES):
        weight = responsibility.sum(0)
        means = responsibility.T @ x / weight[:, None]
        covariances = [(r[:, None] * (x - m)).T @ (x - m) / w
                       for r, m, w in zip(responsibility.T, means, weight)]
        score = np.stack([multivariate_normal(m, s).logpdf(x)
                          for m, s in zip(means, covariances)], 1)
        joint = score + np.log(prior)
        total = logsumexp(joint, 1)
        own = score[np.arange(len(x)), [labels.index(c) for c in y]]
        path.append(float(np.sum(np.where(known, own, WEIGHT * total))))
        responsibility = np.where(known[:, None], responsibility,
                                  WEIGHT * np.exp(joint - total[:, None]))
    return {"path": path, "means": (responsibility.T @ x / responsibility.sum(0)[:, None]).tolist()}


def missing(x, y):
    x = x[y != "setosa"].copy()
    for i in range(len(x)):
        for j in range(4):
            if (7 * i + 11 * j + i * j) % 5 == 0:
                x[i, j] = np.nan
    mean = x[[10, 60]].copy()
    mean[np.isnan(mean)] = np.broadcast_to(np.nanmean(x, 0), mean.shape)[np.isnan(mean)]
    begin = mean.tolist()
    covariance = [np.diag(np.nanvar(x, 0))] * 2
    share = np.array([0.5, 0.5])
    path = []
    for _ in range(PASSES):
        score = np.zeros((len(x), 2))
        filled = np.zeros((2,) + x.shape)
        spread = np.zeros((2, len(x), 4, 4))
        for i, row in enumerate(x):
            o, m = ~np.isnan(row), np.isnan(row)
            for g in range(2):
                s = covariance[g]
                if o.any():
                    score[i, g] = multivariate_normal(mean[g][o], s[np.ix_(o, o)]).logpdf(row[o])
                gain = s[np.ix_(m, o)] @ np.linalg.inv(s[np.ix_(o, o)])
                filled[g, i] = row
                filled[g, i, m] = mean[g][m] + gain @ (row[o] - mean[g][o])
                spread[g, i][np.ix_(m, m)] = s[np.ix_(m, m)] - gain @ s[np.ix_(o, m)]
        joint = score + np.log(share)
        total = logsumexp(joint, 1)
        path.append(float(total.sum()))
        r = np.exp(joint - total[:, None])
        share = r.mean(0)
        mean = np.stack([r[:, g] @ filled[g] / r[:, g].sum() for g in range(2)])
        covariance = [sum(r[i, g] * (np.outer(filled[g, i] - mean[g], filled[g, i] - mean[g]) +
                                     spread[g, i]) for i in range(len(x))) / r[:, g].sum()
                      for g in range(2)]
    return {"begin": begin, "variance": np.nanvar(x, 0).tolist(), "path": path,
            "means": mean.tolist(), "shares": share.tolist()}


def main():
    warnings.simplefilter("ignore")
    x, y = iris()
    result = {"made_by": f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}",
              "paths": {s: path_of(x, s) for s in ("full", "tied", "diag", "spherical")},
              "unlabelled": unlabelled(x, y), "missing": missing(x, y)}
    (HERE / "mixture.json").write_text(json.dumps(result, indent=1) + "\n")


main()
