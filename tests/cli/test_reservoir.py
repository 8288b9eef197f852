"""stats --reservoir: rows in a statistics file, and what fit, merge, subtract and show do with them;
fit --calibration FILE."""
import csv
import gzip

import pytest
from safetensors import safe_open

from program import good, good_json, refused, run


def parts(path, folder, count):
    """The rows of a table dealt to several files."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    names = []
    for k in range(count):
        names.append(folder / f"part{k}.csv")
        with open(names[-1], "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows[k::count]])
    return names


def stats(path, label, output, *flags):
    return good_json("stats", path, "--label", label, "-o", output, *flags)


@pytest.mark.parametrize("name, label", [("wine.csv.gz", "cultivar"), ("penguins.csv.gz", "species"),
                                         ("glyphs.csv.gz", "letter")])
def test_fit_chooses_as_from_the_table(name, label, data, tmp_path):
    said = stats(data(name), label, tmp_path / "s.stats", "--reservoir", "2000")
    assert said["sampled_rows"] == min(2000, sum(said["weights"]))
    good("fit", tmp_path / "s.stats", "-o", tmp_path / "a.suffice")
    good("fit", data(name), "--label", label, "--transform", "none", "-o", tmp_path / "b.suffice")
    assert (tmp_path / "a.suffice").read_bytes() == (tmp_path / "b.suffice").read_bytes()


def test_the_sums_are_the_same(data, tmp_path):
    path = data("penguins.csv.gz")
    stats(path, "species", tmp_path / "plain.stats", "--covariance", "diag")
    stats(path, "species", tmp_path / "rows.stats", "--covariance", "diag", "--reservoir", "50")
    with safe_open(tmp_path / "plain.stats", "np") as plain, safe_open(tmp_path / "rows.stats", "np") as rows:
        assert not any(name.startswith("rows.") for name in plain.keys())
        for name in plain.keys():
            assert (plain.get_tensor(name) == rows.get_tensor(name)).all()
        assert len(rows.get_tensor("rows.weight")) == 50
    shown, plainly = (good_json("show", tmp_path / f"{name}.stats") for name in ("rows", "plain"))
    assert shown.pop("sampled_rows") == 50 and shown == plainly
    assert "50 rows of the data" in good("show", tmp_path / "rows.stats")
    assert b"50 rows of the data" in run("stats", path, "--label", "species", "--reservoir", "50", "-o",
                                         tmp_path / "rows.stats").stderr


def test_merged_rows_are_a_sample_of_all(data, tmp_path):
    whole = data("wine.csv.gz")
    stats(whole, "cultivar", tmp_path / "whole.stats", "--reservoir", "500")
    files = []
    for k, part in enumerate(parts(whole, tmp_path, 3)):
        files.append(tmp_path / f"{k}.stats")
        stats(part, "cultivar", files[-1], "--reservoir", "500")
    choices = []
    for order in (files, files[::-1]):
        assert good_json("merge", *order, "-o", tmp_path / "all.stats")["sampled_rows"] == 178
        choices.append(good_json("fit", tmp_path / "all.stats", "-o", tmp_path / "m")["choice"])
    choices.append(good_json("fit", tmp_path / "whole.stats", "-o", tmp_path / "m")["choice"])
    choices.append(good_json("fit", *files, "-o", tmp_path / "m")["choice"])
    for choice in choices:
        assert choice["rows"] == 178
        assert choice["log_loss"] == pytest.approx(choices[0]["log_loss"], rel=1e-6)
        assert choice["error_rate"] == pytest.approx(choices[0]["error_rate"], abs=1e-9)


def test_merging_keeps_to_the_number_of_rows(data, tmp_path):
    files = []
    for k, part in enumerate(parts(data("glyphs.csv.gz"), tmp_path, 2)):
        files.append(tmp_path / f"{k}.stats")
        stats(part, "letter", files[-1], "--reservoir", "300")
    said = good_json("merge", *files, "-o", tmp_path / "all.stats")
    assert 150 < said["sampled_rows"] <= 300


def test_rows_that_would_not_stand_for_all_are_dropped(data, tmp_path):
    one, two = parts(data("iris.csv.gz"), tmp_path, 2)
    stats(one, "species", tmp_path / "one.stats", "--reservoir", "100")
    stats(two, "species", tmp_path / "two.stats")
    said = good_json("merge", tmp_path / "one.stats", tmp_path / "two.stats", "-o", tmp_path / "all.stats")
    assert "sampled_rows" not in said and "no sampled rows" in said["warnings"][0]
    stats(two, "species", tmp_path / "two.stats", "--reservoir", "100")
    good("merge", tmp_path / "one.stats", tmp_path / "two.stats", "-o", tmp_path / "all.stats")
    said = good_json("subtract", tmp_path / "all.stats", tmp_path / "two.stats", "-o", tmp_path / "rest.stats")
    assert "sampled_rows" not in said and "dropped" in said["warnings"][-1]
    assert "sampled_rows" not in good_json("show", tmp_path / "rest.stats")


def test_rows_of_ones_own_calibrate(data, tmp_path):
    train, own = parts(data("glyphs.csv.gz"), tmp_path, 2)
    stats(train, "letter", tmp_path / "s.stats")
    good("fit", tmp_path / "s.stats", "--calibration", own, "-o", tmp_path / "a.suffice")
    good("fit", tmp_path / "s.stats", "-o", tmp_path / "plain.suffice")
    good("calibrate", tmp_path / "plain.suffice", own, "-o", tmp_path / "b.suffice")
    assert (tmp_path / "a.suffice").read_bytes() == (tmp_path / "b.suffice").read_bytes()
    (tmp_path / "none.csv").write_text(own.read_text().splitlines()[0] + "\n")
    refused(run("fit", tmp_path / "s.stats", "--calibration", tmp_path / "none.csv", "-o", tmp_path / "c"), 1,
            "has no rows")
    refused(run("fit", tmp_path / "s.stats", "--calibration", tmp_path / "gone.csv", "-o", tmp_path / "c"), 1,
            "gone.csv")


def test_words_that_cannot_be(data, tmp_path):
    path = data("iris.csv.gz")
    for number in ("0", "-3", "many"):
        refused(run("stats", path, "--label", "species", "--reservoir", number, "-o", tmp_path / "s"), 2,
                "--reservoir")
    stats(path, "species", tmp_path / "s.stats")
    refused(run("fit", tmp_path / "s.stats", "--covariance", "full", "--calibration", "auto"), 2,
            "--calibration auto", "rows")
