"""scikit-learn's checks for every estimator: the eight drop-ins and GenerativeClassifier."""
from __future__ import annotations

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import suffice.sklearn  # noqa: E402
from suffice import GenerativeClassifier  # noqa: E402

SINGULAR = "weights rows of which a class has too few different ones, or on one line: a full covariance is singular"

ROWS_AGAIN = "weights are found by going through all rows several times, so there is no partial_fit"
NO_DENSITY = "score_samples needs a density"
FOLDS = "the folds that choose the penalty are dealt by the row number"

# The only checks that are expected to fail. Strict: one that passes is to be taken off.
APART_CHECKS = ["check_sample_weights_shape", "check_sample_weights_not_overwritten"]
DENSE = "check_sample_weight_equivalence_on_dense_data"
SPARSE = "check_sample_weight_equivalence_on_sparse_data"
EXPECTED = {
    "QuadraticDiscriminantAnalysis()": dict.fromkeys([*APART_CHECKS, DENSE], SINGULAR),
    "GenerativeClassifier(discriminative=True)": {
        "check_fit_score_takes_y": ROWS_AGAIN, "check_n_features_in_after_fitting": ROWS_AGAIN,
        "check_estimators_partial_fit_n_features": ROWS_AGAIN, DENSE: FOLDS, SPARSE: FOLDS,
        "check_methods_sample_order_invariance": NO_DENSITY, "check_methods_subset_invariance": NO_DENSITY},
    "GenerativeClassifier(covariance='full', shrinkage=0)": dict.fromkeys([*APART_CHECKS, DENSE, SPARSE], SINGULAR),
}


def expected(estimator):
    return EXPECTED.get(repr(estimator), {})


DROP_INS = [name for name in suffice.sklearn.__all__ if name != "export"]


@parametrize_with_checks([getattr(suffice.sklearn, name)() for name in DROP_INS]
                         + [GenerativeClassifier(), GenerativeClassifier(covariance="full", shrinkage=0),
                            GenerativeClassifier(discriminative=True)],
                         expected_failed_checks=expected,
                         xfail_strict=True)
def test_estimator(estimator, check):
    check(estimator)


def test_all_are_checked():
    assert set(DROP_INS) == {
        "GaussianNB", "BernoulliNB", "CategoricalNB", "MultinomialNB", "ComplementNB",
        "LinearDiscriminantAnalysis", "LogisticRegression", "QuadraticDiscriminantAnalysis"}
