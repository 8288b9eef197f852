"""fit --covariance auto: what it chooses, that nothing but the rows decides, and what it says."""
import gzip
import math

import pytest

from datasets import read_lines
from program import good, good_json, refused, run

SETS = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar"),
        "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis"), "letter": ("letter.csv.gz", "letter"),
        "penguins": ("penguins.csv.gz", "species")}


def fitted(path, label, folder, *flags):
    """What fit says, and the file it writes."""
    said = good_json("fit", path, "--label", label, "--covariance", "auto", "-o", folder / "m.suffice",
                     *flags)
    return said, (folder / "m.suffice").read_bytes()


@pytest.mark.parametrize("name", SETS)
def test_the_choice_is_the_best_or_the_default(name, data, tmp_path):
    file, label = SETS[name]
    said, _ = fitted(data(file), label, tmp_path)
    choice = said["choice"]
    losses = [candidate["log_loss"] for candidate in choice["candidates"]]
    assert losses == sorted(losses) and len(losses) > 20
    assert choice["chosen"] in (0, choice["default"])
    chosen = choice["candidates"][choice["chosen"]]
    assert (chosen["log_loss"], chosen["error_rate"]) == (choice["log_loss"], choice["error_rate"])
    assert chosen["options"].items() <= said["options"].items()
    shares = [weight / sum(said["weights"]) for weight in said["weights"]]
    rows = sum(said["weights"])
    if rows <= 2000:  # all of them were scored
        assert choice["rows"] == rows
        assert choice["prior_log_loss"] == pytest.approx(-sum(p * math.log(p) for p in shares))
        assert choice["prior_error_rate"] == pytest.approx(1 - max(shares))
    assert choice["log_loss"] < choice["prior_log_loss"]


def test_its_flags_give_the_same_densities(data, tmp_path):
    for name in ("wdbc", "penguins"):
        file, label = SETS[name]
        said, _ = fitted(data(file), label, tmp_path)
        flags = []
        for option, value in said["choice"]["candidates"][said["choice"]["chosen"]]["options"].items():
            if option not in ("normalize",):
                flags += ["--" + option.replace("_", "-"), str(value)]
        for column in said["columns"]:
            flags += ["--transform", f"{column['name']}={column.get('transform', 'none')}"]
        good("fit", data(file), "--label", label, *flags, "-o", tmp_path / "again.suffice")
        blocks = [good_json("show", tmp_path / model)["blocks"] for model in ("m.suffice", "again.suffice")]
        assert blocks[0] == blocks[1]


def test_threads_files_and_packing_change_nothing(data, tmp_path):
    path = data("letter.csv.gz")
    expected = fitted(path, "letter", tmp_path)
    header, rows = read_lines(path)
    folder = tmp_path / "parts"
    folder.mkdir()
    for k, cut in enumerate((0, 5, 6000)):
        with gzip.open(folder / f"{k}.csv.gz", "wt", encoding="utf-8", newline="") as part:
            part.writelines([header, *rows[cut:(5, 6000, len(rows))[k]]])
    for words in ((path, "--threads", "1"), (path, "--threads", "3"), (folder, "--threads", "2")):
        said = good_json("fit", *words, "--label", "letter", "--covariance", "auto", "-o",
                         tmp_path / "m.suffice")
        assert said["choice"] == expected[0]["choice"]
        assert (tmp_path / "m.suffice").read_bytes() == expected[1]


def test_a_seed_takes_other_rows(data, tmp_path):
    path = data("letter.csv.gz")
    one, other = (fitted(path, "letter", tmp_path, "--seed", str(seed))[0]["choice"] for seed in (0, 1))
    assert one["rows"] == other["rows"] == 2000
    assert one["candidates"] != other["candidates"]


def test_given_flags_stay(data, tmp_path):
    said, _ = fitted(data("wine.csv.gz"), "cultivar", tmp_path, "--tails", "5")
    assert {candidate["options"]["tails"] for candidate in said["choice"]["candidates"]} == {5}
    said, _ = fitted(data("wine.csv.gz"), "cultivar", tmp_path, "--pca", "3")
    assert {candidate["options"]["pca"] for candidate in said["choice"]["candidates"]} == {3}


def test_people_are_told(data, tmp_path):
    text = good("fit", data("wine.csv.gz"), "--label", "cultivar", "--covariance", "auto", "-o",
                tmp_path / "m.suffice", "--verbose")
    assert "by leaving out one row at a time (178 of 178 rows)" in text
    assert "Leave-one-out error" in text and "class frequencies alone" in text
    assert text.count("covariance ") >= 10


def test_statistics_have_no_rows(data, tmp_path):
    good("stats", data("iris.csv.gz"), "--label", "species", "-o", tmp_path / "iris.stats")
    result = run("fit", tmp_path / "iris.stats", "--covariance", "auto", "-o", tmp_path / "m.suffice")
    assert result.returncode == 0 and b"need rows" in result.stderr
    good("fit", tmp_path / "iris.stats", "-o", tmp_path / "plain.suffice", "--covariance", "full")
    assert (tmp_path / "m.suffice").read_bytes() == (tmp_path / "plain.suffice").read_bytes()


def test_select_has_no_auto(data, tmp_path):
    refused(run("select", data("iris.csv.gz"), "--label", "species", "--covariance", "auto,full", "-o",
                tmp_path / "m.suffice"), 2, "--covariance auto is chosen with rows")


@pytest.mark.parametrize("rows, classes", [
    ("1,a 2,a 3,a 7,b 8,b 9,b 5,c", 3),      # a class with a single row
    ("1,a 2,a 3,b 4,b", 2),                  # two rows each
    ("1,a 2,b", 2),                          # nothing is left without a row
])
def test_few_rows(rows, classes, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,class\n" + "\n".join(rows.split()) + "\n")
    result = run("fit", table, "--label", "class", "--covariance", "auto", "-o", tmp_path / "m.suffice")
    if result.returncode == 0:
        assert len(good_json("show", tmp_path / "m.suffice")["labels"]) == classes
    else:
        refused(result, 1, "needs more than one row per class")
