"""Nearest shrunken centroids through the program. Rows, worked by hand: the class means of x are 1
and 5, and those of y and z are the same in both classes."""

import math

import pytest

from program import good, good_json, refused, rows_of, run

ROWS = [(0, 9, 1, "a"), (2, 11, 3, "a"), (3, 8, 1, "b"), (7, 12, 3, "b")]
DIAG = ("--covariance", "tied-diag")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y,z,kind\n" + "".join(f"{x},{y},{z},{k}\n" for x, y, z, k in ROWS))
    return path


def test_show(table, tmp_path):
    model = tmp_path / "m.suffice"
    fitted = good_json("fit", table, "--label", "kind", *DIAG, "--shrink-means", "0.5", "-o", model)
    assert fitted["shrunken_means"] == {"threshold": 0.5, "surviving": ["x"]}
    shown = good_json("show", model)
    assert shown["shrunken_means"]["surviving"] == ["x"]
    # Pooled variances 5, 5 and 2 over 4 − 2; their median deviation is √5.
    error = math.sqrt(0.5 - 0.25) * (math.sqrt(5) + math.sqrt(5))
    d = 2 / error - 0.5
    assert shown["blocks"][0]["deviation"][0] == pytest.approx([-d, 0, 0], rel=1e-12)
    assert shown["blocks"][0]["mean"][1] == pytest.approx([3 + error * d, 10, 2], rel=1e-12)
    text = good("show", model)
    assert "the class means differ in 1 of 3 columns" in text
    assert "deviation of the class means" in text
    assert shown["options"]["shrink_means"] == 0.5


def test_auto(tmp_path):
    path, model = tmp_path / "many.csv", tmp_path / "m.suffice"
    rows = [f"{i % 7 + 10 * (i % 2)},{i * 37 % 11},{'ab'[i % 2]}\n" for i in range(40)]
    path.write_text("signal,noise,kind\n" + "".join(rows))
    fitted = good_json("fit", path, "--label", "kind", *DIAG, "--shrink-means", "auto", "-o", model)
    found = fitted["shrunken_means"]
    assert (found["asked"], found["folds"], found["surviving"]) == ("auto", 5, ["signal"])
    assert found["error_rate"] == 0
    again = tmp_path / "again.suffice"
    good("fit", path, "--label", "kind", *DIAG, "--shrink-means", found["threshold"], "-o", again)
    assert again.read_bytes() == model.read_bytes()
    chosen = good_json("select", path, "--label", "kind", *DIAG, "--shrink-means", "none,0,1",
                       "-o", model)
    assert [c["options"].get("shrink_means", "none") for c in chosen["candidates"]] == ["none", 0, 1]


def test_predictions_of_exports_and_pictures(table, tmp_path):
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", "kind", *DIAG, "--shrink-means", "0.5", "-o", model)
    block = good_json("show", model)["blocks"][0]
    for row, answer in zip(ROWS, rows_of(good("predict", model, table, "--output", "loglik",
                                              "--digits", "full"))):
        for k, label in enumerate("ab"):
            expected = sum(
                -0.5 * (math.log(2 * math.pi * v) + (x - m) ** 2 / v)
                for x, m, v in zip(row, block["mean"][k], block["covariance"]))
            assert float(answer[f"loglik:{label}"]) == pytest.approx(expected, rel=1e-12)
    assert "<svg" in good("plot", model, "--what", "regions", "--features", "x,y")
    assert "deviation" not in good("export", model, "--to", "sql", "--table", "t")


@pytest.mark.parametrize("words, needle", [
    (("--shrink-means", "1"), "--covariance tied-diag"),
    (("--covariance", "full", "--shrink-means", "1"), "--covariance tied-diag"),
    ((*DIAG, "--shrink-means", "-1"), "at least 0"),
    ((*DIAG, "--shrink-means", "much"), "a number"),
    ((*DIAG, "--shrink-means", "1", "--pca", "1"), "--pca"),
    ((*DIAG, "--shrink-means", "1", "--estimate", "map"), "--estimate plugin"),
    ((*DIAG, "--shrink-means", "1", "--tails", "auto"), "--tails auto"),
    ((*DIAG, "--shrink-means", "1", "--transform", "auto"), "--transform auto"),
    ((*DIAG, "--shrink-means", "1", "--components", "2"), "components"),
])
def test_wrong_commands(table, tmp_path, words, needle):
    refused(run("fit", table, "--label", "kind", *words, "-o", tmp_path / "m.suffice"), 2, needle)


def test_auto_needs_rows(table, tmp_path):
    sums = tmp_path / "rows.stats"
    good("stats", table, "--label", "kind", "-o", sums)
    refused(run("fit", sums, *DIAG, "--shrink-means", "auto"), 2, "--shrink-means 2")
    refused(run("fit", "-", "--label", "kind", *DIAG, "--shrink-means", "auto"), 2, "second time")
    refused(run("select", table, "--label", "kind", *DIAG, "--shrink-means", "auto"), 2, "0,1,2,4")
    refused(run("select", table, "--label", "kind", *DIAG, "--shrink-means", "1", "--folds", "loo"),
            1, "number of folds")
