"""fit --components and --unlabelled: classes that are mixtures, and rows without a label, by EM."""
import json
import math
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from datasets import read_table, write_table
from program import good, good_json, refused, rows_of, run, start

HUMPS = ("fit", "humps.csv", "--label", "y", "--quiet")


def humps(folder, n=600, seed=1, name="humps.csv", ring=False):
    """Class "a" has two humps, class "b" lies between them."""
    chance = random.Random(seed)
    lines = []
    for i in range(n):
        y = "b" if i % 3 == 2 else "a"
        x = 0 if y == "b" else (-4, 4)[i % 2]
        lines.append({"u": f"{x + chance.gauss(0, 1):.6f}", "v": f"{chance.gauss(0, 1 + (y == 'a')):.6f}", "y": y})
    return write_table(folder / name, lines)


def log_density(model, rows):
    """log p(x | c), worked out from what `show --json` tells of the components."""
    block, mixture = model["blocks"][0], model["mixture"]
    mean, covariance = np.array(block["mean"]), np.array(block["covariance"])
    if block["structure"] == "tied":
        covariance = np.stack([covariance] * len(mean))
    if block["structure"] == "diag":
        covariance = np.stack([np.diag(v) for v in covariance])
    x = np.array([[float(row[name]) for name in block["features"]] for row in rows])
    result = np.zeros((len(x), len(model["labels"])))
    for g, (name, share) in enumerate(zip(mixture["classes"], mixture["shares"])):
        z = x - mean[g]
        q = np.einsum("ij,jk,ik->i", z, np.linalg.inv(covariance[g]), z)
        _, log_determinant = np.linalg.slogdet(2 * np.pi * covariance[g])
        result[:, model["labels"].index(name)] += share * np.exp(-0.5 * (q + log_determinant))
    return np.log(result)


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
def test_scores_are_those_of_the_components(structure, tmp_path):
    humps(tmp_path)
    good(*HUMPS, "--covariance", structure, "--components", "2", folder=tmp_path)
    model = good_json("show", "model.suffice", folder=tmp_path)
    assert model["mixture"]["components"] == ["a/1", "a/2", "b/1", "b/2"]
    assert model["mixture"]["classes"] == ["a", "a", "b", "b"]
    assert model["options"]["components"] == 2 and model["options"]["mixture_passes"] >= 2
    weights = np.array(model["mixture"]["weights"])
    assert weights[:2].sum() == pytest.approx(400) and weights[2:].sum() == pytest.approx(200)
    np.testing.assert_allclose(model["mixture"]["shares"], weights / [400, 400, 200, 200], rtol=1e-12)
    rows = read_table(tmp_path / "humps.csv")
    found = rows_of(good("predict", "model.suffice", "humps.csv", "--output", "loglik,proba,logpx,outlier",
                         "--digits", "full", folder=tmp_path))
    expected = log_density(model, rows)
    loglik = np.array([[float(row["loglik:a"]), float(row["loglik:b"])] for row in found])
    np.testing.assert_allclose(loglik, expected, rtol=0, atol=1e-9)
    joint = expected + np.log([2 / 3, 1 / 3])
    log_p = np.logaddexp(*joint.T)
    np.testing.assert_allclose([float(row["proba:a"]) for row in found], np.exp(joint[:, 0] - log_p), atol=1e-9)
    np.testing.assert_allclose([float(row["logpx"]) for row in found], log_p, atol=1e-9)
    # Of rows of the model itself, a twentieth has an outlier score below 0.05.
    assert np.mean([float(row["outlier"]) < 0.05 for row in found]) == pytest.approx(0.05, abs=0.03)


def test_humps_are_found_and_help(tmp_path):
    humps(tmp_path)
    humps(tmp_path, seed=2, name="test.csv")
    error = {}
    for components in ("1", "2", "auto"):
        good(*HUMPS, "--covariance", "full", "--components", components, folder=tmp_path)
        error[components] = good_json("evaluate", "model.suffice", "test.csv", folder=tmp_path)["error_rate"]
    assert error["2"] < error["1"] - 0.01 and error["auto"] < error["1"] - 0.01
    model = good_json("show", "model.suffice", folder=tmp_path)
    assert [model["mixture"]["classes"].count(c) for c in "ab"] == [2, 1]
    text = good("show", "model.suffice", folder=tmp_path)
    assert "Components: a 2, b 1; EM in" in text and "components of the classes" in text
    fit = good_json("fit", "humps.csv", "--label", "y", "--covariance", "full", "--components", "auto", "--shrinkage",
                    "0", folder=tmp_path)["mixture"]
    assert fit["components"] == {"a": 2, "b": 1} and fit["converged"]
    tried = fit["tried"]["a"]
    assert [one["components"] for one in tried] == list(range(1, len(tried) + 1))
    assert tried[1]["held_out"] > tried[0]["held_out"] and tried[1]["bic"] < tried[0]["bic"]
    path = fit["log_likelihood"]
    assert all(b >= a - 1e-6 for a, b in zip(path[1:], path[2:]))


def test_samples_have_the_moments_of_their_class(tmp_path):
    humps(tmp_path)
    good(*HUMPS, "--covariance", "diag", "--components", "2", folder=tmp_path)
    good("sample", "model.suffice", "-n", "20000", "--class", "a", "-o", "drawn.csv", folder=tmp_path)
    drawn = np.array([[float(row["u"]), float(row["v"])] for row in read_table(tmp_path / "drawn.csv")])
    own = np.array([[float(row["u"]), float(row["v"])] for row in read_table(tmp_path / "humps.csv")
                    if row["y"] == "a"])
    np.testing.assert_allclose(drawn.mean(0), own.mean(0), atol=0.12)
    np.testing.assert_allclose(drawn.std(0), own.std(0), rtol=0.03)
    assert np.mean(np.abs(drawn[:, 0]) < 1) < 0.02  # nothing between the humps


def test_threads_and_files_change_no_bit(tmp_path):
    whole = (tmp_path / humps(tmp_path, n=3000).name).read_text().splitlines(keepends=True)
    for part in range(3):
        (tmp_path / f"part{part}.csv").write_text("".join(whole[:1] + whole[1 + 1000 * part:1001 + 1000 * part]))
    flags = ["--label", "y", "--covariance", "full", "--components", "3", "--iterations", "20", "--quiet"]
    bytes_of = {}
    for name, words in {"one": ["humps.csv", "--threads", "1"], "three": ["humps.csv", "--threads", "3"],
                        "parts": ["part0.csv", "part1.csv", "part2.csv", "--threads", "2"]}.items():
        good("fit", *words, *flags, "-o", f"{name}.suffice", folder=tmp_path)
        bytes_of[name] = (tmp_path / f"{name}.suffice").read_bytes()
    assert bytes_of["one"] == bytes_of["three"] == bytes_of["parts"]


def test_names_of_classes_do_not_matter(tmp_path):
    humps(tmp_path)
    lines = [{**row, "y": {"a": "z", "b": "c"}[row["y"]]} for row in read_table(tmp_path / "humps.csv")]
    write_table(tmp_path / "renamed.csv", lines)
    fit = ["--label", "y", "--covariance", "full", "--components", "2", "--quiet"]
    scores = {}
    for name, labels in {"humps": "ab", "renamed": "zc"}.items():
        good("fit", f"{name}.csv", *fit, "-o", f"{name}.suffice", folder=tmp_path)
        found = rows_of(good("predict", f"{name}.suffice", "humps.csv", "--output", "loglik", folder=tmp_path))
        scores[name] = [[float(row[f"loglik:{c}"]) for c in labels] for row in found]
    np.testing.assert_allclose(scores["humps"], scores["renamed"], rtol=1e-6, atol=1e-6)


def test_calibration_and_selection(tmp_path):
    humps(tmp_path, n=300)
    text = good("fit", "humps.csv", "--label", "y", "--covariance", "diag", "--components", "2",
                "--calibration", "auto", "--verbose", folder=tmp_path)
    assert "Log-loss before calibration" in text and "(5 folds; class frequencies alone: " in text
    assert len(good_json("show", "model.suffice", folder=tmp_path)["calibration"]["scale"]) == 1
    found = good_json("select", "humps.csv", "--label", "y", "--covariance", "diag", "--components", "1,2,auto",
                      "-o", "s.suffice", folder=tmp_path)
    by_components = {one["options"].get("components", 1): one["log_loss"] for one in found["candidates"]}
    assert by_components[2] < by_components[1] and by_components["auto"] < by_components[1]
    assert found["candidates"][found["best"]]["options"]["components"] in (2, "auto")
    assert good_json("show", "s.suffice", folder=tmp_path)["mixture"]["classes"].count("a") == 2
    # By groups of rows, too.
    lines = [{**row, "group": f"g{i % 12}"} for i, row in enumerate(read_table(tmp_path / "humps.csv"))]
    write_table(tmp_path / "groups.csv", lines)
    text = good("fit", "groups.csv", "--label", "y", "--covariance", "diag", "--components", "2", "--calibration",
                "auto", "--fold-column", "group", folder=tmp_path)
    assert "(10 folds; class frequencies alone: log-loss " in text


@pytest.mark.parametrize("flags", [["--pca", "1"], ["--lda", "1", "--covariance", "tied"], ["--tails", "5"],
                                   ["--shrinkage", "0.3"], ["--estimate", "bayes"], ["--towards-tied", "0.5"]],
                         ids=" ".join)
def test_other_options_are_those_of_a_component(flags, tmp_path):
    humps(tmp_path)
    covariance = [] if "--covariance" in flags else ["--covariance", "full"]
    good(*HUMPS, *covariance, "--components", "2", *flags, folder=tmp_path)
    model = good_json("show", "model.suffice", folder=tmp_path)
    assert model["options"]["components"] == 2 and len(model["mixture"]["components"]) == 4
    assert good_json("evaluate", "model.suffice", "humps.csv", folder=tmp_path)["error_rate"] < 0.2


def test_mixed_families_with_missing_cells(tmp_path):
    chance = random.Random(5)
    lines = []
    for i in range(600):
        kind, y = i % 2, "ab"[i % 3 == 0]
        lines.append({"u": f"{6 * kind + chance.gauss(0, 1):.5f}" if chance.random() > 0.2 else "",
                      "v": f"{chance.gauss(y == 'b', 1):.5f}" if chance.random() > 0.2 else "",
                      "colour": ["red", "blue"][kind if chance.random() < 0.9 else 1 - kind], "y": y})
    write_table(tmp_path / "mixed.csv", lines)
    good("fit", "mixed.csv", "--label", "y", "--covariance", "full", "--components", "2", "--quiet", folder=tmp_path)
    model = good_json("show", "model.suffice", folder=tmp_path)
    mean, red = model["blocks"][0]["mean"], model["blocks"][1]
    level = red["levels"][0].index("red")
    for c in "ab":  # the component with the small u is red: blocks depend on each other within a class
        g, h = [k for k, name in enumerate(model["mixture"]["classes"]) if name == c]
        low, high = (g, h) if mean[g][0] < mean[h][0] else (h, g)
        assert mean[low][0] == pytest.approx(0, abs=0.5) and mean[high][0] == pytest.approx(6, abs=0.5)
        assert red["probability"][0][low][level] > 0.8 > 0.2 > red["probability"][0][high][level]


# ---- rows without a label -------------------------------------------------------------------------


def few_labels(folder, labelled=8, n=900, weight=False):
    """Two classes far apart, of which few rows have their label; in the order of the rows."""
    chance = random.Random(6)
    lines = []
    for i in range(n):
        y = "ab"[i % 2]
        lines.append({"u": f"{3 * i % 2 * 0 + (3 if y == 'b' else 0) + chance.gauss(0, 1):.6f}",
                      "v": f"{chance.gauss(0, 1):.6f}", "y": y if i < labelled else ""})
    return write_table(folder / "few.csv", lines)


def test_rows_without_a_label_improve_the_densities(tmp_path):
    few_labels(tmp_path)
    fit = ("fit", "few.csv", "--label", "y", "--covariance", "tied")
    text = good(*fit, "--unlabelled", "use", folder=tmp_path)
    assert "Rows without a label: 892 used; EM in" in text
    used = good_json("show", "model.suffice", folder=tmp_path)
    assert used["weights"] == [4, 4] and used["options"]["unlabelled_rows"] == 892
    text = good(*fit, folder=tmp_path)
    assert "892 rows without a label left out" in text
    ignored = good_json("show", "model.suffice", folder=tmp_path)
    distance = lambda model: np.abs(np.array(model["blocks"][0]["mean"]) - [[0, 0], [3, 0]]).max()
    assert distance(used) < 0.15 < distance(ignored)
    good(*fit, "--unlabelled", "use", "--unlabelled-weight", "1e-9", "--quiet", folder=tmp_path)
    nearly = good_json("show", "model.suffice", folder=tmp_path)
    np.testing.assert_allclose(nearly["blocks"][0]["mean"], ignored["blocks"][0]["mean"], atol=1e-4)


def test_every_row_has_a_label(tmp_path):
    humps(tmp_path)
    result = run(*HUMPS[:-1], "--covariance", "full", "--unlabelled", "use", folder=tmp_path)
    assert result.returncode == 0 and b"every row has a label" in result.stderr
    assert "mixture" not in good_json("show", "model.suffice", folder=tmp_path)


def test_mixtures_of_rows_without_a_label(tmp_path):
    lines = read_table(humps(tmp_path))
    write_table(tmp_path / "few.csv", [{**row, "y": row["y"] if i < 60 else ""} for i, row in enumerate(lines)])
    good("fit", "few.csv", "--label", "y", "--covariance", "diag", "--components", "2", "--unlabelled", "use",
         "--quiet", folder=tmp_path)
    model = good_json("show", "model.suffice", folder=tmp_path)
    assert model["weights"] == [40, 20]
    mean = sorted(m[0] for m, c in zip(model["blocks"][0]["mean"], model["mixture"]["classes"]) if c == "a")
    assert mean == pytest.approx([-4, 4], abs=0.4)


# ---- what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize("flags, needles", [
    (["--components", "0"], ["--components", "at least 1"]),
    (["--components", "1.5"], ["--components", "whole number"]),
    (["--components", "many"], ["--components", "many"]),
    (["--restarts", "3"], ["--restarts is for --components"]),
    (["--components", "2", "--restarts", "0"], ["--restarts"]),
    (["--components", "2", "--discriminative"], ["--components", "logistic regression"]),
    (["--components", "2", "--shrinkage", "loo"], ["--shrinkage loo and --components"]),
    (["--unlabelled-weight", "2"], ["--unlabelled-weight is for --unlabelled use"]),
    (["--unlabelled", "use", "--unlabelled-weight", "0"], ["--unlabelled-weight must be positive"]),
    (["--unlabelled", "maybe"], ["--unlabelled", "maybe"]),
    (["--unlabelled", "use", "--calibration", "auto"], ["--calibration auto and --unlabelled use"])], ids=str)
def test_wrong_commands(flags, needles, tmp_path):
    covariance = [] if "loo" in flags or "--discriminative" in flags else ["--covariance", "full"]
    refused(run("fit", "no.csv", "--label", "y", *covariance, *flags, folder=tmp_path), 2, *needles)


def test_statistics_have_no_rows(tmp_path):
    humps(tmp_path)
    good("stats", "humps.csv", "--label", "y", "-o", "humps.stats", "--quiet", folder=tmp_path)
    for flags in (["--components", "2"], ["--unlabelled", "use"]):
        refused(run("fit", "humps.stats", *flags, folder=tmp_path), 2, "needs the rows again", "give the table")


@pytest.mark.parametrize("flags", [["--components", "2"], ["--components", "auto", "--seed", "3"],
                                   ["--components", "1", "--discriminative", "--covariance", "tied"]], ids=" ".join)
def test_rows_that_can_be_read_once_are_kept(flags, tmp_path):
    humps(tmp_path)
    words = ["--label", "y", *([] if "--discriminative" in flags else ["--covariance", "full"]), *flags]
    good("fit", "humps.csv", *words, "-o", "file.suffice", folder=tmp_path)
    good("fit", "-", *words, "--format", "csv", "-o", "pipe.suffice", folder=tmp_path,
         input=(tmp_path / "humps.csv").read_bytes())
    assert (tmp_path / "pipe.suffice").read_bytes() == (tmp_path / "file.suffice").read_bytes()


def test_a_class_has_fewer_rows_than_components(tmp_path):
    lines = read_table(humps(tmp_path))
    write_table(tmp_path / "rare.csv", [row for i, row in enumerate(lines) if row["y"] == "a" or i < 9])
    refused(run("fit", "rare.csv", "--label", "y", "--covariance", "full", "--components", "3", folder=tmp_path), 1,
            "class 'b'", "too few rows (3) for 3 components")
    assert not (tmp_path / "model.suffice").exists()


def test_identical_rows_have_one_component(tmp_path):
    lines = read_table(humps(tmp_path))
    write_table(tmp_path / "same.csv", [{**row, "u": "1", "v": "2"} if row["y"] == "b" else row for row in lines])
    good("fit", "same.csv", "--label", "y", "--components", "2", "--covariance", "full", "--quiet", folder=tmp_path)
    model = good_json("show", "model.suffice", folder=tmp_path)
    assert [model["mixture"]["classes"].count(c) for c in "ab"] == [2, 1]


def test_a_component_that_collapses_is_reported(tmp_path):
    lines = read_table(humps(tmp_path))
    write_table(tmp_path / "copies.csv", lines + [{"u": "40", "v": "40", "y": "a"}] * 30)
    words = ("fit", "copies.csv", "--label", "y", "--covariance", "full", "--shrinkage", "0", "--components", "3",
             "--restarts", "20")
    text = good(*words, folder=tmp_path)
    assert "met the lower bound of a covariance, a millionth of the class's" in text
    assert good_json(*words, folder=tmp_path)["mixture"]["bounded"] >= 1
    for row in good_json("show", "model.suffice", folder=tmp_path)["blocks"][0]["covariance"]:
        assert np.linalg.eigvalsh(row).min() > 0


def test_all_cells_of_a_column_missing_in_a_class(tmp_path):
    lines = read_table(humps(tmp_path))
    write_table(tmp_path / "gone.csv", [{**row, "v": "" if row["y"] == "b" else row["v"]} for row in lines])
    for structure in ("full", "diag"):
        refused(run("fit", "gone.csv", "--label", "y", "--covariance", structure, "--components", "2",
                    folder=tmp_path), 1, "class 'b'", "'v'")


@pytest.mark.parametrize("label", ["a", ""])
def test_an_infinite_value_has_its_line(label, tmp_path):
    lines = read_table(humps(tmp_path))
    lines[40] = {"u": "inf", "v": "1", "y": label}
    write_table(tmp_path / "infinite.csv", lines)
    refused(run("fit", "infinite.csv", "--label", "y", "--covariance", "full", "--components", "2", "--unlabelled",
                "use", folder=tmp_path), 1, "infinite.csv:42", "'u'", "inf")


def test_ctrl_c_between_passes(tmp_path):
    humps(tmp_path, n=60000)
    process = start("fit", "humps.csv", "--label", "y", "--covariance", "full", "--components", "5", "--iterations",
                    "100000", "--tolerance", "0", "-o", "m.suffice", folder=tmp_path)
    time.sleep(3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130, message
    assert sorted(path.name for path in Path(tmp_path).iterdir()) == ["humps.csv"]


# ---- missing numbers, in folds --------------------------------------------------------------------


def test_completed_sums_are_calibrated_and_compared(tmp_path):
    lines = read_table(humps(tmp_path))
    chance = random.Random(7)
    lines = [{**row, "v": f"{float(row['u']) + chance.gauss(0, 1):.5f}"} for row in lines]
    lines = [{k: "" if k != "y" and chance.random() < 0.3 else v for k, v in row.items()} for row in lines]
    write_table(tmp_path / "holes.csv", lines)
    text = good("fit", "holes.csv", "--label", "y", "--covariance", "full", "--calibration", "auto",
                "--verbose", folder=tmp_path)
    assert "EM in" in text and "(5 folds; class frequencies alone: " in text
    flags = ("select", "holes.csv", "--label", "y", "--covariance", "full,tied", "-o", "s.suffice")
    completed = good_json(*flags, folder=tmp_path)["candidates"][0]
    assert good_json("show", "s.suffice", folder=tmp_path)["options"]["em_passes"] >= 2
    plain = good_json(*flags, "--missing", "complete", folder=tmp_path)["candidates"][0]
    assert completed["log_loss"] != plain["log_loss"]
    refused(run(*flags, "--missing", "em", "--folds", "loo", folder=tmp_path), 2, "--folds loo")
    # Projections of completed sums.
    good("fit", "holes.csv", "--label", "y", "--covariance", "full", "--pca", "1", "--missing", "em", "--quiet",
         folder=tmp_path)
    assert good_json("show", "model.suffice", folder=tmp_path)["options"]["em_passes"] >= 2


def test_folds_of_completed_sums_are_those_of_refits(tmp_path):
    """The out-of-fold predictions of select are those of models that were fitted without the fold."""
    lines = read_table(humps(tmp_path, n=240))
    chance = random.Random(8)
    lines = [{k: "" if k in "uv" and chance.random() < 0.2 else v for k, v in row.items()} | {"fold": f"f{i % 4}"}
             for i, row in enumerate(lines)]
    write_table(tmp_path / "holes.csv", lines)
    em = ["--label", "y", "--covariance", "tied", "--missing", "em", "--tolerance", "1e-12", "--iterations", "5000",
          "--calibration", "none", "--quiet"]
    good("select", "holes.csv", *em, "--fold-column", "fold", "--predictions", "p.csv", "-o", "s.suffice",
         folder=tmp_path)
    predictions = read_table(tmp_path / "p.csv")
    for fold in ("f0", "f3"):
        write_table(tmp_path / "others.csv", [row for row in lines if row["fold"] != fold])
        write_table(tmp_path / "own.csv", [row for row in lines if row["fold"] == fold])
        good("fit", "others.csv", *em, "--ignore", "fold", folder=tmp_path)
        found = rows_of(good("predict", "model.suffice", "own.csv", "--output", "proba", folder=tmp_path))
        own = [row for row in predictions if row["fold"] == fold]
        np.testing.assert_allclose([float(row["proba:a"]) for row in found], [float(row["proba:a"]) for row in own],
                                   atol=3e-6)


def test_json_has_every_number(tmp_path):
    humps(tmp_path)
    good(*HUMPS, "--covariance", "full", "--components", "2", folder=tmp_path)
    description = json.loads(good("export", "model.suffice", "--to", "json", folder=tmp_path))
    shares = good_json("show", "model.suffice", folder=tmp_path)["mixture"]["shares"]
    assert description["version"] == 2 and description["mixture"]["classes"] == [0, 0, 1, 1]
    assert [math.exp(v) for v in description["mixture"]["log_share"]] == pytest.approx(shares, rel=1e-12)
