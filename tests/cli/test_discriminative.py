"""fit --discriminative: logistic regression of the form of a model."""
import json
import math
import signal
import time

import numpy as np
import pytest

from datasets import read_table, write_table
from program import good, good_json, refused, rows_of, run, start


def lines_of(rows=400, seed=5, missing=0.0):
    """Two numbers, a category and a weight, of three classes that overlap."""
    chance = np.random.default_rng(seed)
    lines = []
    for i in range(rows):
        k = i % 3
        line = {"u": f"{chance.normal(k):.6f}", "v": f"{chance.normal(-k, 1 + k):.6f}",
                "colour": "rgb"[min(2, chance.integers(0, 2) + (k == 2))], "w": str(1 + i % 2), "kind": "abc"[k]}
        lines.append({name: "" if name in "uv" and chance.random() < missing else cell for name, cell in line.items()})
    return lines


def fit(folder, *flags, files=("rows.csv",), model="m.suffice"):
    return run("fit", *files, "--label", "kind", "--weight", "w", "--discriminative", *flags, "-o", model, folder=folder)


@pytest.fixture
def folder(tmp_path):
    write_table(tmp_path / "rows.csv", lines_of())
    return tmp_path


def test_files_formats_and_threads_change_no_bit(folder):
    lines = lines_of()
    write_table(folder / "a.csv", lines[:150])
    write_table(folder / "b.csv", lines[150:])
    (folder / "rows.ndjson").write_text("".join(
        json.dumps({k: v if k in ("colour", "kind") else float(v) for k, v in line.items()}) + "\n" for line in lines))
    models = []
    for i, (files, flags) in enumerate([(["rows.csv"], []), (["a.csv", "b.csv"], []), (["rows.ndjson"], []),
                                        (["rows.csv"], ["--threads", "1"]), (["rows.csv"], ["--threads", "3"])]):
        result = fit(folder, *flags, files=files, model=f"{i}.suffice")
        assert result.returncode == 0, result.stderr
        models.append((folder / f"{i}.suffice").read_bytes())
    assert len(set(models)) == 1


def test_a_weight_is_a_row_several_times(folder):
    lines = lines_of()
    write_table(folder / "twice.csv", [{**line, "w": "1"} for line in lines for _ in range(int(line["w"]))])
    fit(folder, "--penalty", "1")
    fit(folder, "--penalty", "1", files=["twice.csv"], model="n.suffice")
    one, two = (good_json("show", name, folder=folder)["logistic"]["weights"] for name in ("m.suffice", "n.suffice"))
    assert np.allclose(one, two, atol=1e-7)


def test_show_has_weights_and_their_errors(folder):
    fit(folder, "--penalty", "1")
    text = good("show", "m.suffice", folder=folder)
    assert "Logistic regression (linear): 5 terms, penalty 1" in text and "±" in text
    found = good_json("show", "m.suffice", folder=folder)["logistic"]
    assert found["terms"] == ["u", "v", "colour=b", "colour=g", "colour=r"]
    assert np.shape(found["weights"]) == np.shape(found["errors"]) == (3, 5)


def test_priors_and_costs_come_last(folder):
    fit(folder, "--penalty", "1")
    ask = lambda *words: np.array([[float(row[f"proba:{c}"]) for c in "abc"] for row in rows_of(
        good("predict", "m.suffice", "rows.csv", "--output", "proba", "--digits", "full", *words, folder=folder))])
    train, uniform = ask(), ask("--prior", "uniform")
    weights = good_json("show", "m.suffice", folder=folder)["weights"]
    odds = train / np.array(weights)
    assert np.allclose(uniform, odds / odds.sum(axis=1, keepdims=True), atol=1e-12)


def test_missing_numbers_are_filled_in_and_counted(folder):
    lines = lines_of(missing=0.2)
    write_table(folder / "rows.csv", lines)
    result = fit(folder, "--penalty", "1")
    cells = sum(line[name] == "" for line in lines for name in "uv")
    assert f"{cells} missing values filled in" in result.stdout.decode()
    assert good_json("show", "m.suffice", folder=folder)["options"]["filled_values"] == cells
    assert good_json("evaluate", "m.suffice", "rows.csv", folder=folder)["error_rate"] < 0.5


def test_classes_that_can_be_told_apart(tmp_path):
    write_table(tmp_path / "rows.csv", [{"x": x, "gives": int(x > 4), "kind": "ab"[x > 4]} for x in range(9)])
    result = run("fit", "rows.csv", "--label", "kind", "--discriminative", "--penalty", "0", "-o", "m.suffice",
                 folder=tmp_path)
    assert result.returncode == 0 and b"grow without bound" in result.stderr
    weights = good_json("show", "m.suffice", folder=tmp_path)["logistic"]["weights"]
    assert all(math.isfinite(w) for row in weights for w in row)
    assert good_json("evaluate", "m.suffice", "rows.csv", folder=tmp_path)["error_rate"] == 0


@pytest.mark.parametrize("words, needle", [
    (["predict", "m.suffice", "rows.csv", "--output", "loglik"], "loglik"),
    (["predict", "m.suffice", "rows.csv", "--output", "logpx"], "logpx"),
    (["predict", "m.suffice", "rows.csv", "--output", "outlier"], "outlier"),
    (["predict", "m.suffice", "rows.csv", "--outlier", "0.01"], "outlier"),
    (["sample", "m.suffice", "-n", "3"], "sample"),
])
def test_what_needs_a_density_is_refused(folder, words, needle):
    fit(folder, "--penalty", "1")
    refused(run(*words, folder=folder), 1, needle, "density", "--discriminative")


@pytest.mark.parametrize("flags", [
    ["--components", "2"], ["--unlabelled", "use"], ["--calibration", "auto"], ["--covariance", "auto"],
    ["--tails", "auto"], ["--shrinkage", "loo"], ["--transform", "auto"], ["--categories", "auto"],
    ["--shrink-means", "2"], ["--penalty", "-1"], ["--penalty", "x"]], ids=" ".join)
def test_wrong_commands(folder, flags):
    refused(run("fit", "absent.csv", "--label", "kind", "--discriminative", *flags, folder=folder), 2, flags[0])


def test_other_wrong_commands(folder):
    refused(run("fit", "absent.csv", "--label", "kind", "--penalty", "1", folder=folder), 2, "--discriminative")
    refused(run("select", "absent.csv", "--label", "kind", "--penalty", "1,2", folder=folder), 2, "--discriminative")
    good("stats", "rows.csv", "--label", "kind", "-o", "rows.stats", folder=folder)
    refused(run("fit", "rows.stats", "--discriminative", folder=folder), 2, "needs the rows")
    write_table(folder / "one.csv", [{"x": x, "kind": "a"} for x in range(9)])
    refused(run("fit", "one.csv", "--label", "kind", "--discriminative", folder=folder), 1, "one class")
    write_table(folder / "inf.csv", [{"x": x if x else "inf", "kind": "ab"[x % 2]} for x in range(9)])
    refused(run("fit", "inf.csv", "--label", "kind", "--discriminative", folder=folder), 1, "inf.csv:2", "inf")
    assert not (folder / "model.suffice").exists()


def test_select_compares_both(folder):
    found = good_json("select", "rows.csv", "--label", "kind", "--weight", "w", "--covariance", "tied,diag",
                      "--discriminative", "no,yes", "--penalty", "1", "--folds", "3", "-o", "m.suffice", folder=folder)
    kinds = [(one["options"]["covariance"], one["options"].get("discriminative", "no")) for one in found["candidates"]]
    assert sorted(kinds) == [("diag", "no"), ("diag", "yes"), ("tied", "no"), ("tied", "yes")]
    assert all("error" not in one for one in found["candidates"])


def test_mixed_columns(data, folder):
    """Categories and numbers, some missing; scikit-learn's logistic regression makes 14.2 % errors here."""
    write_table(folder / "some.csv", read_table(data("census_train.csv.gz"), 4000))
    good("fit", "some.csv", "--label", "income", "--discriminative", "--penalty", "1", "-o", "m.suffice", folder=folder)
    assert good_json("evaluate", "m.suffice", data("census_test.csv.gz"), folder=folder)["error_rate"] < 0.155


def test_an_interrupt_between_passes(tmp_path):
    chance = np.random.default_rng(0)
    X = chance.normal(size=(40000, 25))
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", chance.integers(0, 12, 40000))
    process = start("fit", "x.npy", "--labels", "y.npy", "--discriminative", "--covariance", "full", "-o", "m.suffice",
                    folder=tmp_path)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert not (tmp_path / "m.suffice").exists()
