#!/usr/bin/env python3
"""Writes smoothing.json: where SciPy finds the best pseudo-count.

    python tests/reference/make_smoothing.py [DATA_DIR]      (default: ../shared/data)

What is maximised is written out as docs/theory.md has it: the probability of each value by the
counts without it for categories, words and zeros and ones; the evidence of Gamma-Poisson and
Gamma-exponential, with the mean of all classes. The maximum is looked for on a grid, then between
its neighbours.
"""
import csv
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

HERE = Path(__file__).resolve().parent
DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / ".." / "shared" / "data"


def read(file):
    with gzip.open(DATA / file, "rt", encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def left_out(counts, alpha):
    """Of one class: counts of all levels."""
    seen, total = counts[counts > 0], counts.sum()
    return (np.sum(seen * np.log(seen - 1 + alpha))
            - total * np.log(total - 1 + alpha * len(counts)))


def best(evidence):
    grid = np.linspace(np.log(2.0**-20), np.log(2.0**10), 200)
    i = int(np.argmax([evidence(np.exp(t)) for t in grid]))
    found = minimize_scalar(lambda t: -evidence(np.exp(t)), method="bounded",
                            bounds=(grid[max(i - 1, 0)], grid[min(i + 1, 199)]),
                            options={"xatol": 1e-10})
    return float(np.exp(found.x))


def categorical(table, label, columns):
    labels = sorted({row[label] for row in table})
    counts = []
    for column in columns:
        levels = sorted({row[column] for row in table})  # an empty cell is a level, too
        for c in labels:
            counts.append(np.array([sum(row[label] == c and row[column] == level for row in table)
                                    for level in levels], float))
    return best(lambda alpha: sum(left_out(n, alpha) for n in counts))


def by_class(table, label, columns):
    """For each class its rows, and the mean of all."""
    x = np.array([[float(row[column]) for column in columns] for row in table])
    y = np.array([row[label] for row in table])
    return [x[y == c] for c in sorted(set(y))], x.mean(0)


def digits():
    table = read("optdigits_train.csv.gz")
    parts, mean = by_class(table, "digit", [column for column in table[0] if column != "digit"])
    dark = mean > 0  # a rate of 0 has no prior
    r = mean[dark]

    def poisson(alpha):
        return sum(np.sum(alpha * r * np.log(alpha) - gammaln(alpha * r) + gammaln(s + alpha * r)
                          - (s + alpha * r) * np.log(len(part) + alpha))
                   for part in parts for s in [part.sum(0)[dark]])

    def bernoulli(alpha):
        ones = [(part > 0).sum(0) for part in parts]
        return sum(left_out(np.array([n, len(part) - n], float), alpha)
                   for part, counts in zip(parts, ones) for n in counts)

    return {"poisson": best(poisson), "bernoulli": best(bernoulli),
            "multinomial": best(lambda alpha: sum(left_out(part.sum(0), alpha) for part in parts))}


def spam():
    columns = [f"capital_run_length_{kind}" for kind in ("average", "longest", "total")]
    parts, mean = by_class(read("spambase.csv.gz"), "is_spam", columns)

    def exponential(alpha):
        return sum(np.sum(alpha * np.log(alpha * mean) - gammaln(alpha) + gammaln(len(part) + alpha)
                          - (len(part) + alpha) * np.log(part.sum(0) + alpha * mean))
                   for part in parts)

    return {"columns": columns, "exponential": best(exponential)}


result = {"made_with": {"scipy": scipy.__version__, "numpy": np.__version__},
          "penguins": categorical(read("penguins.csv.gz"), "species", ["island", "sex"]),
          "adult": categorical(read("adult_train.csv.gz"), "income",
                               ["workclass", "education", "occupation", "native_country"]),
          "digits": digits(), "spam": spam()}
(HERE / "smoothing.json").write_text(json.dumps(result, indent=1) + "\n")
