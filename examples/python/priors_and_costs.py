"""Priors and costs after training.

A model of penguins knows log p(x | species) and nothing else. How frequent each species is and what a
mistake costs belong to the place where it is used: they are given when it decides, and nothing is
learnt again.
"""
from pathlib import Path

import numpy as np
import pandas as pd

import suffice

penguins = pd.read_csv(Path(__file__).parents[1] / "data" / "penguins.csv")
columns = ["bill_length_mm", "bill_depth_mm", "sex", "species"]
third = np.arange(len(penguins)) % 3 == 2
train, test = penguins.loc[~third, columns], penguins.loc[third, columns]

# Two numbers with a joint normal density beside a category; some cells are empty, and stay so.
statistics = suffice.Statistics.of(train, "species")
model = statistics.estimate(covariance="full")
print(model)
print("missing in training:", {name: int(count) for name, count in statistics.missing.items() if count})

truth = test["species"].to_numpy()


def confusion(decided):
    return pd.crosstab(truth, decided).rename_axis(index=None, columns="true \\ decided")


print("\nAs frequent as in training:")
print(confusion(model.decide(test)))

print("\nOn an island where nine of ten birds are Chinstraps:")
island = {"Adelie": 0.05, "Chinstrap": 0.9, "Gentoo": 0.05}
print(confusion(model.decide(test, priors=island)))

print("\nA Chinstrap taken for something else costs ten times as much as any other mistake:")
costs = suffice.Costs(model.labels, {("Chinstrap", "Adelie"): 10, ("Chinstrap", "Gentoo"): 10})
print(confusion(model.decide(test, costs=costs)))

print("\nAsking an expert costs a twentieth of a mistake:")
decided = model.decide(test, reject=0.05)
asked = np.array([d is None for d in decided])
print(f"{asked.sum()} of {len(test)} birds go to the expert; "
      f"mistakes among the others: {np.sum(truth[~asked] != decided[~asked])}")

# The ratio of two hypotheses, for those who have priors of their own: log p(x | Adelie) − log p(x | others).
bird = pd.DataFrame({"bill_length_mm": [41.5], "bill_depth_mm": [None], "sex": ["female"]})
print("\nA female with a bill of 41.5 mm, depth unknown:")
for label, ratio in zip(model.labels, model.llr(bird, priors="uniform")[0]):
    print(f"{label:10} log-likelihood ratio {ratio:7.2f}")

# The same as a scikit-learn estimator.
classifier = suffice.GenerativeClassifier(covariance="full").fit(
    train.drop(columns="species"), train["species"])
rows = test.drop(columns="species")
assert np.array_equal(classifier.predict(rows), model.decide(test))
assert np.array_equal(classifier.predict(rows, priors=island), model.decide(test, priors=island))
print("\nGenerativeClassifier.predict(X, priors=…) decides the same.")
