"""suffice priors: the class shares of rows without labels."""
import csv
import math
import random

import pytest

from datasets import write_table
from program import good, good_json, refused, run


def rows_with(shares, count, seed):
    """Normal numbers of the classes a, b, c about 0, 2 and 4."""
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        k = chance.choices(range(3), shares)[0]
        rows.append({"x": f"{2 * k + chance.gauss(0, 1):.6f}", "z": f"{chance.gauss(0, 1):.6f}", "y": "abc"[k]})
    return rows


@pytest.fixture(scope="module")
def shifted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("priors")
    write_table(folder / "train.csv", rows_with([1, 1, 1], 3000, 1))
    new = rows_with([0.7, 0.25, 0.05], 2000, 2)
    write_table(folder / "new.csv", [{k: v for k, v in row.items() if k != "y"} for row in new])
    write_table(folder / "labelled.csv", new)
    good("fit", "train.csv", "--label", "y", "--covariance", "tied", "-o", "m.suffice", folder=folder)
    return folder, [sum(row["y"] == c for row in new) / 2000 for c in "abc"]


def test_shares_of_new_rows_are_found(shifted):
    folder, truth = shifted
    found = good_json("priors", "m.suffice", "new.csv", folder=folder)
    assert found["labels"] == ["a", "b", "c"] and found["rows"] == 2000
    assert found["priors"] == pytest.approx(truth, abs=0.03)
    assert math.fsum(found["priors"]) == pytest.approx(1, abs=1e-12)
    for low, share, high in zip(found["low"], truth, found["high"]):
        assert low < share < high
    wider = good_json("priors", "m.suffice", "new.csv", "--confidence", "0.999", folder=folder)
    assert wider["high"][0] > found["high"][0] and wider["priors"] == found["priors"]


# The classical iteration, on the posteriors that predict writes: shares become the means of the
# posteriors under them.
def test_is_the_fixed_point_of_saerens(shifted):
    folder, _ = shifted
    found = good_json("priors", "m.suffice", "new.csv", folder=folder)
    text = good("predict", "m.suffice", "new.csv", "--output", "loglik", "--digits", "full", folder=folder)
    scores = [[float(row[f"loglik:{c}"]) for c in "abc"] for row in csv.DictReader(text.splitlines())]
    shares = [1 / 3] * 3
    for _ in range(3000):
        sums = [0.0] * 3
        for row in scores:
            parts = [p * math.exp(s - max(row)) for p, s in zip(shares, row)]
            for k in range(3):
                sums[k] += parts[k] / sum(parts)
        change = max(abs(s / len(scores) - p) for s, p in zip(sums, shares))
        shares = [s / len(scores) for s in sums]
        if change < 1e-9:
            break
    assert found["priors"] == pytest.approx(shares, abs=1e-6)


def test_the_file_is_one_for_prior(shifted):
    folder, truth = shifted
    text = good("priors", "m.suffice", "new.csv", "-o", "p.csv", folder=folder)
    assert "Class shares of 2,000 rows of new.csv" in text and "Wrote p.csv, for --prior" in text
    better = good_json("evaluate", "m.suffice", "labelled.csv", "--prior", "p.csv", folder=folder)
    before = good_json("evaluate", "m.suffice", "labelled.csv", folder=folder)
    assert better["log_loss"] < before["log_loss"]
    assert better["error_rate"] < before["error_rate"]
    with open(folder / "p.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["class"] for row in rows] == ["a", "b", "c"]


def test_same_answer_for_threads_files_and_weights(shifted):
    folder, _ = shifted
    lines = (folder / "new.csv").read_text().splitlines(keepends=True)
    (folder / "one.csv").write_text("".join(lines[:700]))
    (folder / "two.csv").write_text(lines[0] + "".join(lines[700:]))
    whole = good_json("priors", "m.suffice", "new.csv", "--threads", "1", folder=folder)
    parts = good_json("priors", "m.suffice", "one.csv", "two.csv", "--threads", "3", folder=folder)
    assert whole["priors"] == parts["priors"] and whole["high"] == parts["high"]
    (folder / "weighted.csv").write_text(
        lines[0].strip() + ",w\n" + "".join(line.strip() + ",2\n" for line in lines[1:]))
    twice = good_json("priors", "m.suffice", "weighted.csv", "--weight", "w", folder=folder)
    assert twice["rows"] == 4000
    assert twice["priors"] == pytest.approx(whole["priors"], abs=1e-9)
    assert twice["high"][0] < whole["high"][0]


def test_bad_input(shifted, tmp_path):
    folder, _ = shifted
    refused(run("priors", "m.suffice", "new.csv", "--confidence", "1", folder=folder), 2, "between 0 and 1")
    refused(run("priors", "m.suffice", folder=folder), 2)
    (folder / "empty.csv").write_text("x,z\n")
    refused(run("priors", "m.suffice", "empty.csv", folder=folder), 1, "has no rows")
    refused(run("priors", "m.suffice", "train.csv", "-o", "nowhere/p.csv", folder=folder), 1)
    good("fit", "train.csv", "--no-label", "--ignore", "y", "-o", "one.suffice", folder=folder)
    refused(run("priors", "one.suffice", "new.csv", folder=folder), 1, "one class only")
