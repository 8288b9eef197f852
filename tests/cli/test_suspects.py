"""suspects: labels that were changed on purpose are found, and others are not; what is written, and
where."""
import csv
import gzip
import json

import numpy as np
import pytest

from program import good, good_json, refused, rows_of, run


def text_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return file.read()


@pytest.fixture(scope="module")
def flipped(tmp_path_factory, data):
    """A function from a data set and a share to a table with wrong labels, and their row numbers."""
    folder = tmp_path_factory.mktemp("suspects")

    def make(name, label, share, seed=3):
        rows = rows_of(text_of(data(name)))
        random = np.random.default_rng(seed)
        classes = sorted({row[label] for row in rows})
        wrong = sorted(random.choice(len(rows), round(share * len(rows)), replace=False).tolist())
        for i in wrong:
            rows[i][label] = str(random.choice([c for c in classes if c != rows[i][label]]))
        path = folder / f"{name.split('.')[0]}{share}.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return path, [i + 1 for i in wrong]
    return make


def average_precision(wrong, ranked):
    """Of rows from the most suspect to the least: the mean precision where a wrong one stands."""
    hits, total = 0, 0.0
    for place, row in enumerate(ranked, 1):
        if row in wrong:
            hits += 1
            total += hits / place
    return total / len(wrong)


SETS = [("iris.csv.gz", "species"), ("penguins.csv.gz", "species"), ("wine.csv.gz", "cultivar")]


@pytest.mark.parametrize(("name", "label"), SETS)
def test_few_labels_are_suspect_where_all_are_right(data, name, label):
    found = good_json("suspects", data(name), "--label", label)
    assert found["flagged"] <= 0.01 * found["rows"]
    assert len(found["suspects"]) == found["flagged"]


@pytest.mark.parametrize(("name", "label"), SETS)
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
def test_changed_labels_are_found(flipped, tmp_path, name, label, share):
    path, wrong = flipped(name, label, share)
    out = tmp_path / "all.csv"
    good("suspects", path, "--label", label, "--all", "-o", out, "--quiet", "--digits", "full")
    rows = rows_of(out.read_text())
    assert [int(row["row"]) for row in rows] == list(range(1, len(rows) + 1))
    ranked = sorted(rows, key=lambda row: -float(row["score"]))
    assert average_precision(set(wrong), [int(row["row"]) for row in ranked]) > 0.9
    flagged = [int(row["row"]) for row in rows if row["flagged"] == "true"]
    assert len(set(flagged) & set(wrong)) >= 0.9 * len(flagged)
    assert len(set(flagged) & set(wrong)) >= 0.5 * len(wrong)


def test_the_table_of_suspects(flipped, tmp_path):
    path, wrong = flipped("penguins.csv.gz", "species", 0.05)
    out = tmp_path / "suspects.csv"
    text = good("suspects", path, "--label", "species", "--keep", "year", "--reasons", "2",
                "-o", out)
    assert "are suspect" in text and "looks like" in text
    rows = rows_of(out.read_text())
    assert list(rows[0]) == ["year", "row", "label", "looks_like", "probability", "score",
                             "flagged", "reasons"]
    assert [float(r["score"]) for r in rows] == sorted((float(r["score"]) for r in rows),
                                                       reverse=True)
    table = rows_of(path.read_text())
    for row in rows:
        original = table[int(row["row"]) - 1]
        assert row["flagged"] == "true"
        assert (row["label"], row["year"]) == (original["species"], original["year"])
        assert row["looks_like"] != row["label"]
        reasons = row["reasons"].split(", ")
        assert len(reasons) == 2
        column, _, rest = reasons[0].partition("=")
        value = rest.split(" ")[0]
        assert value == original[column] or float(value) == float(original[column])
    told = good_json("suspects", path, "--label", "species", "--keep", "year", "--reasons", "2")
    assert [(s["row"], s["label"], s["looks_like"], s["reasons"]) for s in told["suspects"]] == [
        (int(r["row"]), r["label"], r["looks_like"], r["reasons"]) for r in rows]
    assert all(isinstance(s["flagged"], bool) for s in told["suspects"])


def test_probability_and_score_are_of_the_same_two_classes(flipped):
    path, _ = flipped("iris.csv.gz", "species", 0.1)
    everything = good_json("suspects", path, "--label", "species", "--all")["suspects"]
    assert len(everything) == 150
    for row in everything:
        # the score is log (p / own), and own ≤ 1 − p
        assert row["probability"] * np.exp(-row["score"]) <= 1 - row["probability"] + 1e-9
        if row["flagged"]:
            assert row["score"] > 0 and row["probability"] > 0.5


def test_rows_without_a_label_keep_their_number(flipped, tmp_path):
    path, wrong = flipped("wine.csv.gz", "cultivar", 0.05)
    table = rows_of(path.read_text())
    for i in (0, 5):
        table[i]["cultivar"] = ""
    holes = tmp_path / "holes.csv"
    with open(holes, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    found = good_json("suspects", holes, "--label", "cultivar")
    assert (found["rows"], found["unlabelled_rows"]) == (176, 2)
    assert {s["row"] for s in found["suspects"]} <= set(wrong) - {1, 6}


def test_the_same_on_any_number_of_threads_and_from_standard_input(flipped):
    path, _ = flipped("penguins.csv.gz", "species", 0.1)
    one = good("suspects", path, "--label", "species", "--all", "--json", "--threads", "1")
    three = good("suspects", path, "--label", "species", "--all", "--json", "--threads", "3")
    piped = good("suspects", "-", "--label", "species", "--all", "--json", input=path.read_bytes())
    assert json.loads(one) == json.loads(three) == json.loads(piped)


def test_what_cannot_be(data, tmp_path):
    refused(run("suspects", data("iris.csv.gz")), 2, "--label")
    stats = tmp_path / "iris.stats"
    good("stats", data("iris.csv.gz"), "--label", "species", "-o", stats, "--quiet")
    refused(run("suspects", stats, "--label", "species"), 2, "only their sums")
    alone = tmp_path / "alone.csv"
    alone.write_text("x,y\n1,a\n2,a\n3,a\n")
    refused(run("suspects", alone, "--label", "y"), 1, "one class")
    taken = tmp_path / "taken.csv"
    taken.write_text("x,row,y\n" + "".join(f"{i},{i},{'ab'[i % 2]}\n" for i in range(20)))
    refused(run("suspects", taken, "--label", "y", "--keep", "row"), 1, "have a column 'row'")
