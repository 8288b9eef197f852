#!/usr/bin/env python3
"""Writes evidence.json: Shapley values of log-likelihood ratios, by all sets of columns.

    python tests/reference/make_evidence.py

Each case has the parameters of a model (normal densities or Student's t; classes, or mixtures of
components), some rows, a few of them with missing values (null), and for each row the evidence of
every column and of nothing. Every set of columns has its exact marginal here, from NumPy's
determinants and solutions of linear equations; a column's evidence is

    Σ_S  |S|! (n − |S| − 1)! / n!  (v(S + column) − v(S))   over the sets S of the other n − 1 columns.
"""
import itertools
import json
from math import factorial, lgamma, log, pi
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def log_density(x, mean, covariance, dof):
    """Of normal x, or of Student's t whose scale matrix is (dof − 2)/dof times the covariance."""
    d = len(x)
    if d == 0:
        return 0.0
    scale = covariance if dof is None else covariance * (dof - 2) / dof
    apart = x - mean
    q = apart @ np.linalg.solve(scale, apart)
    log_det = np.linalg.slogdet(scale)[1]
    if dof is None:
        return -0.5 * (d * log(2 * pi) + log_det + q)
    return (lgamma((dof + d) / 2) - lgamma(dof / 2) - d / 2 * log(dof * pi) - log_det / 2
            - (dof + d) / 2 * np.log1p(q / dof))


def log_sum(values):
    most = max(values)
    return most + log(sum(np.exp(v - most) for v in values))


class Model:
    def __init__(self, random, d, components, dof, tied):
        """`components` is the number of them in each class."""
        self.label = [c for c, count in enumerate(components) for _ in range(count)]
        k = len(self.label)
        self.mean = random.normal(0, 1.5, (k, d)) + random.normal(0, 20, d)
        own = []
        for _ in range(1 if tied else k):
            a = random.normal(size=(d, d + 3)) + random.normal(size=(d, 1))
            own.append(a @ a.T / d)
        self.covariance = own * k if tied else own
        self.tied, self.dof = tied, dof
        self.weights = random.integers(5, 40, k).astype(float)
        self.class_weights = np.array([sum(w for w, c in zip(self.weights, self.label) if c == label)
                                       for label in range(len(components))])

    def score(self, label, x, kept):
        """log p(x_kept | label)."""
        terms = []
        for g, of in enumerate(self.label):
            if of != label:
                continue
            share = self.weights[g] / self.class_weights[label]
            terms.append(log(share) + log_density(x[kept], self.mean[g][kept],
                                                  self.covariance[g][np.ix_(kept, kept)], self.dof))
        return log_sum(terms)

    def ratio(self, x, kept, of, against):
        kept = list(kept)
        if against is not None:
            return self.score(of, x, kept) - self.score(against, x, kept)
        prior = self.class_weights / self.class_weights.sum()
        others = [c for c in range(len(prior)) if c != of]
        total = sum(prior[c] for c in others)
        return self.score(of, x, kept) - log_sum(
            [log(prior[c] / total) + self.score(c, x, kept) for c in others])


def shapley(worth, players, d):
    values = np.zeros(d)
    n = len(players)
    cache = {s: worth(s) for k in range(n + 1) for s in itertools.combinations(players, k)}
    for j in players:
        rest = [p for p in players if p != j]
        for k in range(n):
            share = factorial(k) * factorial(n - k - 1) / factorial(n)
            for s in itertools.combinations(rest, k):
                values[j] += share * (cache[tuple(sorted(s + (j,)))] - cache[s])
    return values, cache[()]


def case(name, seed, d, components, dof=None, tied=False, against=1, rows=3):
    random = np.random.default_rng(seed)
    model = Model(random, d, components, dof, tied)
    x = model.mean[random.integers(0, len(model.label), rows)] + random.normal(0, 1.5, (rows, d))
    missing = np.zeros((rows, d), bool)
    missing[-1, [0, d // 2]] = True
    answers = []
    for i in range(rows):
        players = [j for j in range(d) if not missing[i, j]]
        values, nothing = shapley(lambda s: model.ratio(x[i], s, 0, against), players, d)
        answers.append({"values": values.tolist(), "nothing": nothing})
    return {"name": name, "dof": dof, "tied": tied, "label": model.label,
            "weights": model.weights.tolist(), "class_weights": model.class_weights.tolist(),
            "mean": model.mean.tolist(),
            "covariance": [c.tolist() for c in model.covariance[:1 if tied else None]],
            "against": against, "evidence": answers,
            "rows": [[None if m else v for v, m in zip(r, g)] for r, g in zip(x, missing)]}


def main():
    cases = [
        case("full", 1, 10, (1, 1, 1)),
        case("full, against the others", 2, 8, (1, 1, 1), against=None),
        case("tied", 3, 9, (1, 1), tied=True),
        case("t", 4, 9, (1, 1), dof=3.5),
        case("t, tied", 5, 7, (1, 1, 1), dof=5.0, tied=True),
        case("mixtures", 6, 7, (2, 3)),
        case("mixtures, against the others", 7, 6, (2, 1, 2), against=None),
        case("mixtures, tied", 8, 6, (2, 2), tied=True),
        case("one component each", 9, 6, (1, 1, 3)),
    ]
    text = json.dumps({"numpy": np.__version__, "cases": cases}, separators=(",", ":"))
    (HERE / "evidence.json").write_text(text.replace('{"name"', '\n{"name"') + "\n")


if __name__ == "__main__":
    main()
