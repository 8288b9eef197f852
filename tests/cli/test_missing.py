"""fit --missing: rows that lack a number, for full and tied covariances."""
import math
import random

import numpy as np
import pytest

from datasets import read_table, write_table
from program import good, good_json, refused, rows_of, run


def emptied(rows, label, share, seed):
    """The same rows with cells emptied at random."""
    chance = random.Random(seed)
    return [{name: value if name == label or chance.random() >= share else "" for name, value in
             row.items()} for row in rows]


@pytest.fixture(scope="module")
def glyphs(data, tmp_path_factory):
    """8,000 glyphs with a fifth of the cells emptied to learn from, 4,000 whole ones to tell."""
    folder = tmp_path_factory.mktemp("missing")
    rows = read_table(data("glyphs.csv.gz"))
    random.Random(1).shuffle(rows)
    write_table(folder / "train.csv", emptied(rows[:8000], "letter", 0.2, 2))
    write_table(folder / "test.csv", rows[8000:])
    return folder


def small(folder, share=0.25, n=90):
    """Two correlated numbers of two classes."""
    chance = random.Random(3)
    rows = []
    for i in range(n):
        y, common = "ab"[i % 2], chance.gauss(0, 1)
        rows.append({"u": f"{common + chance.gauss(0, 0.3) + (y == 'b'):.6f}",
                     "v": f"{common + chance.gauss(0, 0.3) - (y == 'b'):.6f}", "y": y})
    write_table(folder / "small.csv", emptied(rows, "y", share, 4))
    return "small.csv"


def error_of(folder, *flags):
    good("fit", "train.csv", "--label", "letter", "-o", "m.suffice", "--quiet", *flags, folder=folder)
    return good_json("evaluate", "m.suffice", "test.csv", folder=folder)["error_rate"]


# Of 8,000 rows 244 are complete. Imputation by scikit-learn's IterativeImputer before QDA makes 29.2 %
# errors here, QDA of all numbers 15.9 %.
def test_glyphs_with_a_fifth_of_the_cells_emptied(glyphs):
    assert error_of(glyphs, "--covariance", "full") < 0.2
    assert error_of(glyphs, "--covariance", "full", "--missing", "complete") > 0.3


# Murray (1977): without correlation the likelihood has a saddle point, of −30.0333; the maxima have
# correlations of ±1/2, variances of 8/3 and −29.9743.
def test_em_leaves_a_saddle_point(tmp_path):
    cells = [(1, 1), (1, -1), (-1, 1), (-1, -1)] + 2 * [(2, ""), (-2, ""), ("", 2), ("", -2)]
    write_table(tmp_path / "murray.csv", [{"u": u, "v": v, "y": "a"} for u, v in cells])
    signs = set()
    for seed in range(6):
        good("fit", "murray.csv", "--label", "y", "--covariance", "full", "--shrinkage", "0", "--missing",
             "em", "--tolerance", "1e-12", "--seed", str(seed), "-o", "m.suffice", "--quiet", folder=tmp_path)
        (suu, suv), (_, svv) = good_json("show", "m.suffice", folder=tmp_path)["blocks"][0]["covariance"][0]
        assert suu == pytest.approx(8 / 3, rel=1e-4)
        assert svv == pytest.approx(8 / 3, rel=1e-4)
        assert abs(suv) == pytest.approx(4 / 3, rel=1e-4)
        signs.add(suv > 0)
    assert signs == {True, False}


def test_what_was_used_is_reported(tmp_path):
    table = small(tmp_path)
    rows = read_table(tmp_path / table)
    present = sum(row[name] != "" for row in rows for name in "uv")
    some = sum(row["u"] != "" or row["v"] != "" for row in rows)
    complete = sum(row["u"] != "" and row["v"] != "" for row in rows)
    fit = ("fit", table, "--label", "y", "--verbose", "--covariance")
    text = good(*fit, "tied", folder=tmp_path)
    assert f"; {some} of 90 rows used, {complete} of them complete\n" in text
    assert f"{some} of 90 rows used" in good("show", "model.suffice", folder=tmp_path)
    options = good_json("show", "model.suffice", folder=tmp_path)["options"]
    assert (options["used_rows"], options["complete_rows"]) == (some, complete)
    assert options["used_values"] == options["present_values"] == present
    assert options["em_passes"] >= 2
    text = good(*fit, "tied", "--missing", "complete", folder=tmp_path)
    assert f"Missing numbers: {complete} of 90 rows used, those that are complete\n" in text
    options = good_json("show", "model.suffice", folder=tmp_path)["options"]
    assert options["used_values"] == 2 * complete and "em_passes" not in options
    text = good(*fit, "diag", folder=tmp_path)
    assert f"Missing numbers: left out; all {present} numbers that are present are used\n" in text


def test_few_incomplete_rows_are_left_out_by_default(tmp_path):
    table = small(tmp_path, share=0.02)
    fit = ("fit", table, "--label", "y", "--verbose", "--covariance", "full")
    assert "those that are complete" in good(*fit, folder=tmp_path)
    assert "EM in" in good(*fit, "--missing", "em", folder=tmp_path)


def test_same_bytes_for_threads_and_files(glyphs):
    folder = glyphs
    lines = (folder / "train.csv").read_text().splitlines(keepends=True)
    (folder / "one.csv").write_text("".join(lines[:5000]))
    (folder / "two.csv").write_text(lines[0] + "".join(lines[5000:]))
    models = []
    for k, (files, threads) in enumerate([(["train.csv"], 1), (["train.csv"], 3),
                                          (["one.csv", "two.csv"], 2)]):
        good("fit", *files, "--label", "letter", "--covariance", "full", "--iterations", "3", "-o",
             f"{k}.suffice", "--quiet", "--threads", str(threads), folder=folder)
        models.append((folder / f"{k}.suffice").read_bytes())
    assert models[0] == models[1] == models[2]


def test_the_choice_uses_incomplete_rows(tmp_path):
    table = small(tmp_path, share=0.3, n=300)
    text = good("fit", table, "--label", "y", "--verbose", folder=tmp_path)
    assert "by 5 folds on 300 rows: error" in text and "(5 folds; class frequencies alone: " in text
    choice = good_json("fit", table, "--label", "y", folder=tmp_path)["choice"]
    assert choice["rows"] == 300


def test_statistics_alone_keep_the_moments_of_present_values(tmp_path):
    table = small(tmp_path)
    good("stats", table, "--label", "y", "-o", "t.stats", folder=tmp_path)
    result = run("fit", "t.stats", "--covariance", "full", "--shrinkage", "0", folder=tmp_path)
    assert result.returncode == 0
    assert "means and variances are those of all values present" in result.stderr.decode()
    shown = good_json("show", "model.suffice", folder=tmp_path)
    block, used = shown["blocks"][0], shown["options"]
    cells = [row[name] for row in read_table(tmp_path / table) for name in "uv"]
    assert used["used_values"] == used["present_values"] == sum(cell != "" for cell in cells)
    rows = [row for row in read_table(tmp_path / table) if row["y"] == "a"]
    whole = [row for row in rows if row["u"] and row["v"]]

    def moments(values):
        mean = math.fsum(values) / len(values)
        return mean, math.fsum((x - mean) ** 2 for x in values) / len(values)

    u, v = (moments([float(row[name]) for row in rows if row[name]]) for name in "uv")
    wu, wv = (moments([float(row[name]) for row in whole]) for name in "uv")
    product = math.fsum((float(r["u"]) - wu[0]) * (float(r["v"]) - wv[0]) for r in whole) / len(whole)
    correlation = product / math.sqrt(wu[1] * wv[1])
    assert block["mean"][0] == pytest.approx([u[0], v[0]], rel=1e-9)
    covariance = correlation * math.sqrt(u[1] * v[1])
    assert block["covariance"][0] == [pytest.approx([u[1], covariance], rel=1e-9),
                                      pytest.approx([covariance, v[1]], rel=1e-9)]


def test_a_pass_too_few_is_reported(tmp_path):
    table = small(tmp_path)
    result = run("fit", table, "--label", "y", "--covariance", "full", "--iterations", "2",
                 "--tolerance", "0", folder=tmp_path)
    assert result.returncode == 0
    assert "EM stopped after 2 passes before it converged; try more --iterations" in result.stderr.decode()
    result = run("fit", table, "--label", "y", "--iterations", "2", "--tolerance", "0", folder=tmp_path)
    assert "EM stopped after 2 passes" in result.stderr.decode()  # also where the model is chosen


def test_bad_input(tmp_path):
    table = small(tmp_path)
    fit = ("fit", table, "--label", "y")
    refused(run(*fit, "--missing", "some", folder=tmp_path), 2, "--missing has no value 'some'")
    refused(run(*fit, "--iterations", "0", folder=tmp_path), 2)
    refused(run(*fit, "--tolerance", "-1", folder=tmp_path), 2, "must not be negative")
    refused(run(*fit, "--missing", "complete", "--tolerance", "1", folder=tmp_path), 2, "is for EM")
    refused(run(*fit, "--missing", "em", "--covariance", "diag", folder=tmp_path), 2,
            "for full and tied covariances")
    good("stats", table, "--label", "y", "-o", "t.stats", folder=tmp_path)
    refused(run("fit", "t.stats", "--missing", "em", folder=tmp_path), 2, "have only their sums")
    refused(run("fit", "-", "--label", "y", "--missing", "em", folder=tmp_path), 2, "standard input")
    # All cells of a column are missing in one class.
    rows = [{**row, "u": "" if row["y"] == "b" else row["u"]} for row in read_table(tmp_path / table)]
    write_table(tmp_path / "gone.csv", rows)
    refused(run("fit", "gone.csv", "--label", "y", "--covariance", "full", folder=tmp_path), 1,
            "class 'b', column 'u': there is no value, so the mean is unknown")
    assert not (tmp_path / "model.suffice").exists()
    # Identical rows have no variance.
    write_table(tmp_path / "flat.csv", [{"u": "1", "v": "" if i < 4 else "2", "y": "ab"[i % 2]}
                                        for i in range(12)])
    refused(run("fit", "flat.csv", "--label", "y", "--covariance", "full", folder=tmp_path), 1)


# Maximum likelihood of few rows has no maximum: the covariance of a class becomes singular on the
# way, and nothing is written.
def test_a_covariance_that_collapses(tmp_path):
    rows = [{"u": "1", "v": "2", "w": "", "y": "a"}, {"u": "2", "v": "", "w": "1", "y": "a"},
            {"u": "", "v": "1", "w": "3", "y": "a"}] * 2
    rows += [{"u": str(i), "v": str(i * i), "w": str(5 - i), "y": "b"} for i in range(6)]
    write_table(tmp_path / "few.csv", rows)
    refused(run("fit", "few.csv", "--label", "y", "--covariance", "full", "--shrinkage", "0",
                "--missing", "em", "--iterations", "5000", "--tolerance", "0", folder=tmp_path), 1,
            "has no inverse", "--shrinkage auto")
    assert not (tmp_path / "model.suffice").exists()


def gaps(folder, rows=400, share=0.9, seed=1):
    """A reading that says nothing and is missing in a share of the rows of class a, in none of b."""
    chance = np.random.default_rng(seed)
    lines = [{"reading": "" if i % 2 == 0 and chance.random() < share else float(chance.normal()),
              "other": float(chance.normal()), "kind": "ab"[i % 2]} for i in range(rows)]
    return write_table(folder / "gaps.csv", lines)


def probability_of_a(model, folder):
    write_table(folder / "new.csv", [{"reading": "", "other": "0.1"}])
    return float(rows_of(good("predict", model, folder / "new.csv", "--output", "proba"))[0]["proba:a"])


def test_missing_cells_are_evidence(tmp_path):
    """By Bayes' rule an empty cell makes class a nearly certain; without indicators it says nothing."""
    table, model = gaps(tmp_path), tmp_path / "m.suffice"
    empty = sum(line["reading"] == "" for line in read_table(table))
    fit = lambda *words: good_json("fit", table, "--label", "kind", *words, "-o", model)
    fit("--covariance", "diag")
    assert probability_of_a(model, tmp_path) == pytest.approx(0.5, abs=0.03)
    told = fit("--covariance", "diag", "--missing-indicators", "yes")
    assert [column.get("missing_indicator") for column in told["columns"]] == [True, None]
    odds = (empty + 1) / (200 + 2) * (200 + 2) / 1  # one pseudo-count in each class
    assert probability_of_a(model, tmp_path) == pytest.approx(odds / (1 + odds), abs=0.002)
    fit()  # chosen by default
    assert probability_of_a(model, tmp_path) > 0.95
    assert "missing-indicators yes" in good("show", model)
    fit("--missing-indicators", "no")
    assert probability_of_a(model, tmp_path) == pytest.approx(0.5, abs=0.1)


def test_indicators_are_a_column_made_by_hand(tmp_path):
    table = gaps(tmp_path)
    lines = read_table(table)
    by_hand = write_table(tmp_path / "by_hand.csv", [
        {**line, "no reading": int(line["reading"] == "")} for line in lines])
    scores = []
    for file, words in ((table, ["--missing-indicators", "yes"]), (by_hand, ["--family", "no reading=bernoulli"])):
        good("fit", file, "--label", "kind", "--covariance", "tied", *words, "-o", tmp_path / "m.suffice")
        found = rows_of(good("predict", tmp_path / "m.suffice", file, "--output", "loglik,outlier", "--digits", "full"))
        scores.append([[float(row[name]) for name in ("loglik:a", "loglik:b", "outlier")] for row in found])
    assert np.array(scores[0]) == pytest.approx(np.array(scores[1]), rel=1e-12)


def test_select_compares_with_indicators(tmp_path):
    table, model = gaps(tmp_path), tmp_path / "m.suffice"
    words = ["select", table, "--label", "kind", "--covariance", "diag,tied", "--shrinkage", "0"]
    found = good_json(*words, "--missing-indicators", "auto", "-o", model)
    assert {candidate["columns"]["missing-indicators"] for candidate in found["candidates"]} == {"yes", "no"}
    assert len(found["candidates"]) == 4
    assert probability_of_a(model, tmp_path) > 0.95
    assert len(good_json(*words, "--missing-indicators", "yes", "-o", model)["candidates"]) == 2
    assert probability_of_a(model, tmp_path) > 0.95
    good(*words, "-o", model)
    assert probability_of_a(model, tmp_path) == pytest.approx(0.5, abs=0.1)


def test_samples_have_missing_cells(tmp_path):
    table, model = gaps(tmp_path), tmp_path / "m.suffice"
    good("fit", table, "--label", "kind", "--covariance", "diag", "--missing-indicators", "yes", "-o", model)
    drawn = rows_of(good("sample", model, "-n", "2000", "--prior", "uniform"))
    shares = [np.mean([row["reading"] == "" for row in drawn if row["kind"] == kind]) for kind in "ab"]
    assert shares[0] == pytest.approx(0.9, abs=0.05) and shares[1] < 0.02


def test_indicators_that_are_refused(tmp_path):
    table, model = gaps(tmp_path, 60), tmp_path / "m.suffice"
    fit = lambda file, *words: run("fit", file, *words, "-o", model)
    refused(fit(table, "--label", "kind", "--missing-indicators", "perhaps"), 2, "--missing-indicators", "auto")
    refused(fit(table, "--label", "kind", "--missing-indicators", "yes", "--keep", "1"), 2,
            "--missing-indicators", "--keep", "leave columns out by name")
    good("stats", table, "--label", "kind", "-o", tmp_path / "m.stats")
    refused(fit(tmp_path / "m.stats", "--missing-indicators", "yes"), 2, "needs the rows again")
    good("fit", table, "--label", "kind", "--missing-indicators", "yes", "-o", model)
    refused(fit(table, "--like", model, "--missing-indicators", "no"), 2, "--like")
