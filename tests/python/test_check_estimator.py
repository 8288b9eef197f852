"""scikit-learn's checks for every estimator: the seven drop-ins and GenerativeClassifier."""
from __future__ import annotations

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import suffice.sklearn  # noqa: E402
from suffice import GenerativeClassifier  # noqa: E402

SINGULAR = "weights rows of which a class has too few different ones, or on one line: a full covariance is singular"

# The only checks that are expected to fail. Strict: one that passes is to be taken off.
WEIGHTED = dict.fromkeys(["check_sample_weights_shape", "check_sample_weights_not_overwritten",
                          "check_sample_weight_equivalence_on_dense_data"], SINGULAR)
EXPECTED = {
    "QuadraticDiscriminantAnalysis": WEIGHTED,
    "GenerativeClassifier": WEIGHTED | {"check_sample_weight_equivalence_on_sparse_data": SINGULAR},
}


APART = "has a number that differs between the classes and in none of them: no shrinkage helps"


def expected(estimator):
    if getattr(estimator, "shrinkage", 0) == "auto":
        return dict.fromkeys(["check_sample_weights_shape", "check_sample_weights_not_overwritten"], APART)
    return EXPECTED.get(type(estimator).__name__, {})


@parametrize_with_checks([getattr(suffice.sklearn, name)() for name in suffice.sklearn.__all__]
                         + [GenerativeClassifier(), GenerativeClassifier(shrinkage="auto")],
                         expected_failed_checks=expected,
                         xfail_strict=True)
def test_estimator(estimator, check):
    check(estimator)


def test_all_eight_are_checked():
    assert set(suffice.sklearn.__all__) == {
        "GaussianNB", "BernoulliNB", "CategoricalNB", "MultinomialNB", "ComplementNB",
        "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"}
