"""select --predictions: what models of the other folds say of each row; the notes below its table."""
import csv
import json
import math
import random

import pytest

from program import content, good, good_json, refused, rows_of, run


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Two classes that overlap, a column of folds, one row without a label and one of weight 0."""
    folder = tmp_path_factory.mktemp("folds")
    draw = random.Random(8)
    rows = []
    for i in range(120):
        label = "ab"[i % 2]
        x = draw.gauss(0, 1) + (1.2 if label == "b" else 0)
        rows.append([f"{x:.3f}", f"{x / 2 + draw.gauss(0, 1):.3f}", f"g{i % 7}", 1, label])
    rows[10][4] = ""
    rows[20][3] = 0
    write(folder / "t.csv", rows)
    return folder, rows


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["x", "y", "group", "w", "class"], *rows])


WORDS = ("--label", "class", "--weight", "w", "--fold-column", "group", "--covariance", "tied",
         "--shrinkage", "0")


def test_rows_are_answered_by_models_of_the_other_folds(table):
    folder, rows = table
    good("select", "t.csv", *WORDS, "--calibration", "none", "--predictions", "p.csv", "-o", "m",
         folder=folder)
    answers = rows_of((folder / "p.csv").read_text(encoding="utf-8"))
    assert list(answers[0]) == ["row", "class", "fold", "label", "proba:a", "proba:b"]
    numbers = [int(a["row"]) for a in answers]
    assert numbers == [i + 1 for i in range(120) if i not in (10, 20)]
    for number, answer in zip(numbers, answers):
        assert (answer["class"], answer["fold"]) == (rows[number - 1][4], rows[number - 1][2])
    for fold in {a["fold"] for a in answers}:
        write(folder / "train.csv", [r for r in rows if r[2] != fold])
        own = [a for a in answers if a["fold"] == fold]
        write(folder / "test.csv", [rows[int(a["row"]) - 1] for a in own])
        good("fit", "train.csv", "--label", "class", "--weight", "w", "--ignore", "group",
             "--covariance", "tied", "--shrinkage", "0", "-o", "f", folder=folder)
        expected = rows_of(good("predict", "f", "test.csv", "--output", "proba", folder=folder))
        assert [a["label"] for a in own] == [e["label"] for e in expected]
        for a, e in zip(own, expected):
            assert float(a["proba:a"]) == pytest.approx(float(e["proba:a"]), rel=2e-6)


@pytest.mark.parametrize("folds", [("--folds", "5"), ("--folds", "loo")])
def test_figures_are_those_of_the_predictions(table, folds):
    folder, _ = table
    words = ("t.csv", "--label", "class", "--ignore", "group,w", *folds, "--covariance", "full,tied",
             "--shrinkage", "0", "--predictions", "p.csv", "-o", "m")
    found = good_json("select", *words, folder=folder)
    best = found["candidates"][found["best"]]
    answers = rows_of((folder / "p.csv").read_text(encoding="utf-8"))
    losses = [-math.log(float(a["proba:" + a["class"]])) for a in answers]
    assert sum(losses) / len(losses) == pytest.approx(best["log_loss"], rel=1e-5)
    errors = [a["label"] != a["class"] for a in answers]
    assert sum(errors) / len(errors) == pytest.approx(best["error_rate"])
    assert {a["fold"] for a in answers} == ({""} if "loo" in folds else set("12345"))


def test_many_folds_and_few_are_the_same_work(table):
    """More than sixteen folds share sums: figures are those of refits."""
    folder, rows = table
    many = [[*row[:2], f"s{i // 4}", 1, row[4] or "a"] for i, row in enumerate(rows)]
    write(folder / "many.csv", many)
    good("select", "many.csv", *WORDS, "--calibration", "none", "--predictions", "p.csv", "-o", "m",
         folder=folder)
    answers = rows_of((folder / "p.csv").read_text(encoding="utf-8"))
    assert len({a["fold"] for a in answers}) == 30
    for fold in ("s0", "s13", "s29"):
        write(folder / "train.csv", [r for r in many if r[2] != fold])
        write(folder / "test.csv", [r for r in many if r[2] == fold])
        good("fit", "train.csv", "--label", "class", "--ignore", "group,w", "--covariance", "tied",
             "--shrinkage", "0", "-o", "f", folder=folder)
        expected = rows_of(good("predict", "f", "test.csv", "--output", "proba", folder=folder))
        own = [a for a in answers if a["fold"] == fold]
        assert [float(a["proba:b"]) for a in own] == pytest.approx(
            [float(e["proba:b"]) for e in expected], rel=2e-6)


def test_refused(table):
    folder, _ = table
    before = content(folder)
    words = ("select", "t.csv", "--label", "class", "-o", "m.suffice", "--predictions")
    refused(run(*words, "m.suffice", folder=folder), 2, "name the same file")
    refused(run(*words, "-", folder=folder), 2, "not standard output")
    refused(run(*words, "t.csv", folder=folder), 1, "is an input")
    refused(run(*words, "none/p.csv", folder=folder), 1, "there is no folder")
    assert content(folder) == before


def test_signs_and_notes(table):
    folder, _ = table
    words = ("t.csv", "--label", "class", "--ignore", "group,w", "--covariance", "tied", "-o", "m")
    text = good("select", *words, "--shrinkage", "0.9,0.95,1", folder=folder)
    assert "\n± is one standard error, by the differences between folds\n" in text
    found = good_json("select", *words, "--shrinkage", "0.2,0.4,0.8", folder=folder)
    chosen = found["candidates"][found["best"]]["options"]["shrinkage"]
    at_end = chosen in (0.2, 0.8)
    assert len(found["hints"]) == at_end
    if at_end:
        assert f"the best shrinkage, {chosen}, is the" in found["hints"][0]
    text = good("select", *words, "--shrinkage", "0", "--folds", "loo", folder=folder)
    assert "by the differences between rows" in text


def test_probabilities_that_are_worse_than_none_are_marked(tmp_path):
    """Noise that is copied twenty times: each copy counts as new evidence."""
    draw = random.Random(3)
    with open(tmp_path / "noise.csv", "w", encoding="utf-8") as file:
        file.write(",".join(f"x{j}" for j in range(20)) + ",y\n")
        for i in range(100):
            x = draw.gauss(0, 1)
            cells = [f"{x + draw.gauss(0, 0.01):.5f}" for _ in range(20)]
            file.write(",".join(cells) + f",{'ab'[i % 2]}\n")
    words = ("noise.csv", "--label", "y", "--covariance", "diag", "--shrinkage", "0", "-o", "m")
    plain = run("select", *words, "--calibration", "none", folder=tmp_path)
    text = plain.stdout.decode()
    assert "*†" in text and "† log-loss above that of the class frequencies alone, 0.693" in text
    assert "try --calibration auto" in text
    assert b"above that of the class frequencies alone" in plain.stderr
    found = good_json("select", *words, "--calibration", "none", folder=tmp_path)
    assert found["candidates"][0]["above_frequencies"] is True
    assert found["candidates"][0]["log_loss"] > found["frequency_log_loss"]
    shown = good("evaluate", "m", "noise.csv", folder=tmp_path)
    report = json.loads(good("evaluate", "m", "noise.csv", "--json", folder=tmp_path))
    assert (report["log_loss"] > report["frequency_log_loss"]) == ("above the class frequencies" in shown)
