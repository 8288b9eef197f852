"""A plugin of pytest that puts the estimators of suffice.sklearn in the place of scikit-learn's, before
any test is collected. Private names stay scikit-learn's.

`pytest -p drop_in_plugin FILE…` then runs test files of scikit-learn on our estimators.
"""
from __future__ import annotations

import pytest
import sklearn.discriminant_analysis
import sklearn.naive_bayes

import suffice.sklearn

MODULES = {sklearn.naive_bayes: ["GaussianNB", "BernoulliNB", "CategoricalNB", "MultinomialNB",
                                 "ComplementNB"],
           sklearn.discriminant_analysis: ["LinearDiscriminantAnalysis",
                                           "QuadraticDiscriminantAnalysis"]}

# Tests that are left out, each with the reason: those of private names, and those of what we do
# differently on purpose (docs/sklearn.md).
EXCEPTED = {
    "test_gnb_check_update_with_no_data": "calls the private GaussianNB._update_mean_variance",
}

for module, names in MODULES.items():
    for name in names:
        setattr(module, name, getattr(suffice.sklearn, name))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is excepted must exist, and what a test file calls by one of the seven names must be ours."""
    for module in {item.module for item in items}:
        for name in sum(MODULES.values(), []):
            if getattr(module, name, None) not in (None, getattr(suffice.sklearn, name)):
                raise pytest.UsageError(f"{module.__name__}.{name} is not the one of suffice.sklearn")
    excepted = [item for item in items if item.originalname in EXCEPTED]
    gone = set(EXCEPTED) - {item.originalname for item in excepted}
    if gone:
        raise pytest.UsageError(f"excepted, but no test of scikit-learn: {sorted(gone)}")
    config.hook.pytest_deselected(items=excepted)
    items[:] = [item for item in items if item.originalname not in EXCEPTED]
