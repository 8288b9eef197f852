"""GenerativeClassifier on few rows, and with weights that are no counts."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris  # noqa: E402

from suffice import GenerativeClassifier  # noqa: E402

def two_levels(rows, seed):
    """Twelve categories of two levels each."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], rows)
    cells = rng.random((rows, 12)) < np.where(y == "yes", 0.7, 0.3)[:, None]
    return {f"v{j}": np.where(cells[:, j], "y", "n").astype(object) for j in range(12)}, y


@pytest.mark.parametrize("name", ["two levels", "penguins"])
def test_learning_curves_begin_with_ten_rows(example_data, name):
    pd = pytest.importorskip("pandas")
    from sklearn.model_selection import learning_curve
    if name == "penguins":
        table = pd.read_csv(example_data / "penguins.csv")
        X, y = table.drop(columns="species"), table["species"]
    else:
        columns, y = two_levels(400, 3)
        X = pd.DataFrame(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sizes, _, scores = learning_curve(GenerativeClassifier(n_jobs=1), X, y, train_sizes=[10, 20, 100], cv=5,
                                          scoring="neg_log_loss", shuffle=True, random_state=0, error_score="raise")
    assert np.isfinite(scores).all()
    assert scores[-1].mean() > scores[0].mean()


def test_weights_that_sum_to_one():
    X, y = load_iris(return_X_y=True)
    even = GenerativeClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        share = GenerativeClassifier().fit(X, y, sample_weight=np.full(len(y), 1 / len(y)))
    np.testing.assert_allclose(share.predict_proba(X), even.predict_proba(X), rtol=1e-6, atol=1e-9)
