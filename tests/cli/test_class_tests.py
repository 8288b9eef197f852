"""show --tests: the tables of a discriminant analysis. The figures are compared with R in
tests/reference; here are the names, and what is said where there is no figure."""

import numpy as np
import pytest

from program import good, good_json, refused, run

# Worked by hand: W = 2 + 14/3, B = 6 · 13²/6² · … ; R's aov and t.test say the same.
TABLE = "a,b,y\n1,5,u\n2,3,u\n3,4,u\n5,1,v\n6,2,v\n8,2,v\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    good("stats", "t.csv", "--label", "y", "-o", "t.stats", folder=tmp_path)
    return tmp_path


def test_names_and_shapes(folder):
    tests = good_json("show", "t.stats", "--tests", folder=folder)
    assert set(tests) >= {"manova", "eigenvalues", "canonical_correlations", "columns", "box_m",
                          "pairs", "standardized", "structure", "centroids"}
    assert set(tests["manova"]) == {"wilks", "pillai", "hotelling_lawley", "roy"}
    for test in tests["manova"].values():
        assert set(test) == {"statistic", "f", "df1", "df2", "p"}
    assert [column["name"] for column in tests["columns"]] == ["a", "b"]
    assert set(tests["columns"][0]) >= {"wilks", "f", "p", "eta2"}
    assert set(tests["box_m"]) >= {"m", "f", "chi2", "df", "p"}
    assert np.shape(tests["standardized"]) == np.shape(tests["structure"]) == (2, 1)
    assert np.shape(tests["centroids"]) == (2, 1)
    (pair,) = tests["pairs"]
    assert (pair["a"], pair["b"]) == ("u", "v") and pair["d2"] > 0


def test_figures_of_two_classes(folder):
    """SciPy's f_oneway of column a: F 16.9, p 0.014720593813730035; and with two classes all
    multivariate tests are Hotelling's, worked out here from the rows."""
    tests = good_json("show", "t.stats", "--tests", folder=folder)
    a = tests["columns"][0]
    assert a["f"] == pytest.approx(16.9, rel=1e-12)
    assert a["p"] == pytest.approx(0.014720593813730035, rel=1e-9)
    u, v = np.array([[1, 5], [2, 3], [3, 4.]]), np.array([[5, 1], [6, 2], [8, 2.]])
    pooled = (np.cov(u.T) * 2 + np.cov(v.T) * 2) / 4
    apart = u.mean(0) - v.mean(0)
    d2 = apart @ np.linalg.solve(pooled, apart)
    assert tests["pairs"][0]["d2"] == pytest.approx(d2, rel=1e-12)
    f = (6 - 2 - 1) / (2 * 4) * 3 * 3 / 6 * d2
    for test in tests["manova"].values():
        assert test["f"] == pytest.approx(f, rel=1e-10)
        assert (test["df1"], test["df2"]) == (2, 3)


def test_text_has_every_table(folder):
    text = good("show", "t.stats", "--tests", folder=folder)
    for title in ["each column by itself", "MANOVA", "discriminant functions", "structure",
                  "distances of classes", "one covariance"]:
        assert title in text


def test_diagonal_statistics_have_the_columns(folder):
    good("stats", "t.csv", "--label", "y", "--covariance", "diag", "-o", "d.stats", folder=folder)
    tests = good_json("show", "d.stats", "--tests", folder=folder)
    assert "manova" not in tests and len(tests["columns"]) == 2
    assert any("diagonal" in note for note in tests["notes"])
    assert "diagonal" in good("show", "d.stats", "--tests", folder=folder)


def test_what_cannot_be_tested(folder):
    good("stats", "t.csv", "--label", "y", "--features", "a", "--family", "a=categorical", "-o",
         "c.stats", folder=folder)
    refused(run("show", "c.stats", "--tests", folder=folder), 1, "no columns of numbers")
    good("stats", "t.csv", "--no-label", "--ignore", "y", "-o", "one.stats", folder=folder)
    refused(run("show", "one.stats", "--tests", folder=folder), 1, "one class")
    (folder / "single.csv").write_text("a,y\n1,u\n2,v\n")
    good("stats", "single.csv", "--label", "y", "-o", "single.stats", folder=folder)
    refused(run("show", "single.stats", "--tests", folder=folder), 1, "one row")
    good("fit", "t.csv", "--label", "y", "--covariance", "tied", "-o", "m.suffice", folder=folder)
    refused(run("show", "m.suffice", "--tests", folder=folder), 1, "is a model")
    refused(run("show", "t.stats", "--tests", "--discriminant", folder=folder), 2, "--tests")
    (folder / "bad.stats").write_bytes((folder / "t.stats").read_bytes()[:-5])
    refused(run("show", "bad.stats", "--tests", folder=folder), 1, "bad.stats")
