"""A plugin of pytest that puts the estimators of suffice.sklearn in the place of scikit-learn's, before
any test is collected. Private names stay scikit-learn's.

`pytest -p drop_in_plugin FILE…` then runs test files of scikit-learn on our estimators.
"""
from __future__ import annotations

import sklearn.discriminant_analysis
import sklearn.naive_bayes

import suffice.sklearn

MODULES = {sklearn.naive_bayes: ["GaussianNB", "BernoulliNB", "CategoricalNB", "MultinomialNB",
                                 "ComplementNB"],
           sklearn.discriminant_analysis: ["LinearDiscriminantAnalysis",
                                           "QuadraticDiscriminantAnalysis"]}

for module, names in MODULES.items():
    for name in names:
        setattr(module, name, getattr(suffice.sklearn, name))


def pytest_collection_finish(session) -> None:
    """Whatever a test file calls by one of the seven names must be ours."""
    modules = {item.module for item in session.items}
    for module in modules:
        for name in sum(MODULES.values(), []):
            if hasattr(module, name) and getattr(module, name) is not getattr(suffice.sklearn, name):
                raise AssertionError(f"{module.__name__}.{name} is not the one of suffice.sklearn")
