"""predict --output typicality: tails per class, by SciPy's F and chi-squared."""
import gzip

import numpy as np
import pytest
from scipy import stats

from program import good, rows_of


@pytest.fixture(scope="module")
def iris(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("typicality")
    path = data("iris.csv.gz")
    rows = rows_of(gzip.open(path, "rt").read())
    names = [name for name in rows[0] if name != "species"]
    X = np.array([[float(row[name]) for name in names] for row in rows])
    y = np.array([row["species"] for row in rows])
    return folder, path, X, y


def typicality(folder, path, *flags):
    good("fit", path, "--label", "species", "--shrinkage", "0", *flags, "-o", "m", folder=folder)
    answers = rows_of(good("predict", "m", path, "--output", "typicality", "--digits", "full",
                           folder=folder))
    names = [name for name in answers[0] if name.startswith("typicality:")]
    return names, np.array([[float(row[name]) for name in names] for row in answers])


@pytest.mark.parametrize("normalize", ["mle", "unbiased"])
def test_tied_and_full_have_f_tails(iris, normalize):
    folder, path, X, y = iris
    classes = sorted(set(y))
    pooled = sum(np.cov(X[y == c].T) * 49 for c in classes) / 147
    for structure in ["tied", "full"]:
        names, got = typicality(folder, path, "--covariance", structure, "--normalize", normalize)
        assert names == [f"typicality:{c}" for c in classes]
        for k, c in enumerate(classes):
            of = X[y == c]
            S, free = (pooled, 147) if structure == "tied" else (np.cov(of.T), 49)
            apart = X - of.mean(0)
            d2 = np.einsum("ij,ij->i", apart @ np.linalg.inv(S), apart)
            f = 50 / 51 * (free - 3) / (4 * free) * d2
            expected = stats.f.sf(f, 4, free - 3)
            np.testing.assert_allclose(got[:, k], expected, rtol=1e-8)


def test_a_diagonal_covariance_has_chi_squared_tails(iris):
    folder, path, X, y = iris
    _, got = typicality(folder, path, "--covariance", "diag")
    of = X[y == "setosa"]
    d2 = (((X - of.mean(0)) / of.std(0)) ** 2).sum(1)
    np.testing.assert_allclose(got[:, 0], stats.chi2.sf(d2, 4), rtol=1e-9, atol=1e-300)
