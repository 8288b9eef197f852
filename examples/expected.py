"""What the examples must print, worked out with NumPy alone: python3 examples/expected.py

The outlier score comes from other samples here, so it agrees to about 0.01; the made-up birds are not
among it.
"""

import csv
import math
import pathlib
import re

import numpy as np

here = pathlib.Path(__file__).parent


def log_normal(x, mean, covariance):
    """log N over the coordinates of x that are present."""
    there = ~np.isnan(x)
    if not there.any():
        return 0.0
    delta = (x - mean)[there]
    part = covariance[np.ix_(there, there)]
    _, log_det = np.linalg.slogdet(2 * math.pi * part)
    return -0.5 * (log_det + delta @ np.linalg.solve(part, delta))


def log_evidence(v, scatter, f, target):
    """Of a scatter of f degrees of freedom under a prior worth v rows of the target (docs/theory.md)."""
    d = len(target)
    nu = v + d + 1
    _, log_det_prior = np.linalg.slogdet(v * target)
    _, log_det = np.linalg.slogdet(v * target + scatter)
    gammas = sum(math.lgamma((nu + f - i) / 2) - math.lgamma((nu - i) / 2) for i in range(d))
    return gammas + nu / 2 * log_det_prior - (nu + f) / 2 * log_det


def best_rows(terms):
    """The v from 1 on with the largest sum of evidences: a grid, ever finer about its best place."""
    low, high = 0.0, 30.0
    for _ in range(12):
        grid = np.linspace(low, high, 200)
        k = int(np.argmax([sum(log_evidence(math.exp(g), *t) for t in terms) for g in grid]))
        low, high = grid[max(k - 1, 0)], grid[min(k + 1, 199)]
    return math.exp((low + high) / 2)


class Mixed:
    """One normal over the numbers, shrunk by the evidence, beside categoricals with one pseudo-count
    a level."""

    def __init__(self, numbers, names, species, tied):
        self.classes = sorted(set(species))
        species = np.array(species)
        complete = ~np.isnan(numbers).any(axis=1)
        self.mean, scatter, weight = [], [], []
        for c in self.classes:
            x = numbers[complete & (species == c)]
            self.mean.append(x.mean(axis=0))
            scatter.append((x - x.mean(axis=0)).T @ (x - x.mean(axis=0)))
            weight.append(len(x))
        pooled, dof = sum(scatter), sum(weight) - len(weight)
        diagonal = np.diag(np.diag(pooled)) / dof
        u = best_rows([(pooled, dof, diagonal)])
        target = (pooled + u * diagonal) / (dof + u)
        self.covariance = [target] * len(weight)
        if not tied:
            v = best_rows([(s, w - 1, target) for s, w in zip(scatter, weight)])
            self.covariance = [(s + v * target) / (w - 1 + v) for s, w in zip(scatter, weight)]
        self.tables = []
        for column in zip(*names):
            levels = sorted({v for v in column if v})
            count = {c: {v: 1 for v in levels} for c in self.classes}
            for c, v in zip(species, column):
                if v:
                    count[c][v] += 1
            self.tables.append(
                {c: {v: n / sum(count[c].values()) for v, n in count[c].items()} for c in count}
            )

    def log_likelihood(self, numbers, names):
        return np.array([
            [log_normal(x, self.mean[i], self.covariance[i])
             + sum(math.log(t[c][v]) for t, v in zip(self.tables, row) if v)
             for i, c in enumerate(self.classes)]
            for x, row in zip(numbers, names)])


def posterior(log_likelihood, prior):
    joint = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True)) * prior
    return joint / joint.sum(axis=1, keepdims=True)


def five_minutes():
    source = (here / "five_minutes.cpp").read_text()
    body = source[source.index("measured = "):]
    numbers = np.array([[float(v) for v in pair] for pair in
                        re.findall(r"\{([\d.]+), (\d+)\}", body[: body.index(";")])])
    island = re.findall(r'"(\w+)"', source[source.index("island = {"):source.index("species = {")])
    tail = source[source.index("species = {"):]
    species = re.findall(r'"(\w+)"', tail[: tail.index(";")])
    model = Mixed(numbers, [[v] for v in island], species, tied=True)
    birds = np.array([[45.0, 4000], [45.0, math.nan]])
    p = posterior(model.log_likelihood(birds, [["Dream"], ["Biscoe"]]), np.ones(3) / 3)
    cost = 1 - np.eye(3)
    cost[1, 2] = 20
    for i in range(2):
        text = "".join(f"  {c} {v:.3f}" for c, v in zip(model.classes, p[i]))
        print(f"bird {i + 1}:{text}  likely: {model.classes[p[i].argmax()]}, "
              f"cheapest: {model.classes[(p[i] @ cost).argmin()]}")


def penguins():
    rows = list(csv.DictReader((here / "data/penguins.csv").open()))
    columns = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    numbers = np.array([[float(r[c] or "nan") for c in columns] for r in rows])
    names = [[r["island"], r["sex"]] for r in rows]
    species = np.array([r["species"] for r in rows])
    train = [i for i in range(len(rows)) if i % 4 < 2]
    test = [i for i in range(len(rows)) if i % 4 >= 2]
    model = Mixed(numbers[train], [names[i] for i in train], species[train], tied=False)
    truth = np.array([model.classes.index(s) for s in species[test]])
    frequency = np.array([(species[train] == c).mean() for c in model.classes])
    cells = {c: int(np.isnan(numbers[train, j]).sum()) for j, c in enumerate(columns)}
    cells["sex"] = sum(not r[1] for r in [names[i] for i in train])
    print(len([names[i] for i in train]), frequency * len([names[i] for i in train]), cells)
    p = posterior(model.log_likelihood(numbers[test], [names[i] for i in test]), frequency)
    print("right:", (p.argmax(axis=1) == truth).sum(), "of", len(truth))
    bill = numbers[test].copy()
    bill[:, 1:] = math.nan
    likelihood = model.log_likelihood(bill, [["", ""]] * len(bill))
    rare = np.array([0.2, 0.1, 0.7])
    cost = 1 - np.eye(3)
    for prior, costs in ((frequency, cost), (rare, cost), (rare, cost + [[0] * 3, [0, 0, 9], [0] * 3])):
        decided = (posterior(likelihood, prior) @ costs).argmin(axis=1)
        print(np.bincount(decided, minlength=3), "right:", (decided == truth).sum())

    # P(p(X) ≤ p(x)) for the thirtieth bird, from 20000 birds of the model.
    random = np.random.default_rng(0)
    log_density = []
    for c in random.choice(3, 20000, p=frequency):
        label = model.classes[c]
        x = random.multivariate_normal(model.mean[c], model.covariance[c])
        row = [random.choice(list(t[label]), p=list(t[label].values())) for t in model.tables]
        log_density.append(model.log_likelihood(x[None], [row])[0])
    bird = model.log_likelihood(numbers[test][29:30], [names[test[29]]])[0]
    print(numbers[test][29], names[test[29]])
    mixture = np.exp(np.array(log_density)) @ frequency
    print("outlier score of the thirtieth bird:", (mixture <= np.exp(bird) @ frequency).mean())


def saved_model():
    """Normal densities with one covariance, by maximum likelihood; equally many rows of each class."""
    rows = list(csv.DictReader((here / "data/iris.csv").open()))
    numbers = np.array([[float(v) for name, v in r.items() if name != "species"] for r in rows])
    species = np.array([r["species"] for r in rows])
    classes = sorted(set(species))
    mean = [numbers[species == c].mean(axis=0) for c in classes]
    covariance = sum(np.cov(numbers[species == c].T, ddof=0) * (species == c).mean() for c in classes)
    flowers = [[5.0, 3.4, 1.5, 0.2], [6.2, 2.8, 4.8, 1.8], [6.2, 2.8, math.nan, math.nan]]
    scores = [[log_normal(np.array(x), m, covariance) for m in mean] for x in flowers]
    for i, p in enumerate(posterior(np.array(scores), np.ones(3) / 3)):
        text = "".join(f"  {c} {v:.3f}" for c, v in zip(classes, p))
        print(f"flower {i + 1}: {classes[p.argmax()]:<10} {text}")


five_minutes()
penguins()
saved_model()
