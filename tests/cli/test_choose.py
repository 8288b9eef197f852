"""fit without a covariance, which is --covariance auto: what it chooses, that nothing but the rows decides, and what it says."""
import gzip
import json
import math

import pytest

from datasets import read_lines
from program import good, good_json, refused, run

SETS = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar"),
        "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis"), "glyphs": ("glyphs.csv.gz", "letter"),
        "penguins": ("penguins.csv.gz", "species")}


def fitted(path, label, folder, *flags):
    """What fit says, and the file it writes."""
    said = good_json("fit", path, "--label", label, "-o", folder / "m.suffice", *flags)
    return said, (folder / "m.suffice").read_bytes()


@pytest.mark.parametrize("name", SETS)
def test_the_choice_is_the_best_or_the_evidence_model(name, data, tmp_path):
    file, label = SETS[name]
    said, _ = fitted(data(file), label, tmp_path)
    choice = said["choice"]
    losses = [candidate["log_loss"] for candidate in choice["candidates"]]
    assert losses == sorted(losses) and len(losses) > 20
    assert choice["chosen"] in (0, choice["evidence"])
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
    path = data("glyphs.csv.gz")
    expected = fitted(path, "letter", tmp_path)
    header, rows = read_lines(path)
    folder = tmp_path / "parts"
    folder.mkdir()
    for k, cut in enumerate((0, 5, 6000)):
        with gzip.open(folder / f"{k}.csv.gz", "wt", encoding="utf-8", newline="") as part:
            part.writelines([header, *rows[cut:(5, 6000, len(rows))[k]]])
    for words in ((path, "--threads", "1"), (path, "--threads", "3"), (folder, "--threads", "2")):
        said = good_json("fit", *words, "--label", "letter", "-o", tmp_path / "m.suffice")
        assert said["choice"] == expected[0]["choice"]
        assert (tmp_path / "m.suffice").read_bytes() == expected[1]


def test_a_seed_takes_other_rows(data, tmp_path):
    path = data("glyphs.csv.gz")
    one, other = (fitted(path, "letter", tmp_path, "--seed", str(seed))[0]["choice"] for seed in (0, 1))
    assert one["rows"] == other["rows"] == 2000
    assert one["candidates"] != other["candidates"]


def test_given_flags_stay(data, tmp_path):
    said, _ = fitted(data("wine.csv.gz"), "cultivar", tmp_path, "--tails", "5")
    assert {candidate["options"]["tails"] for candidate in said["choice"]["candidates"]} == {5}
    said, _ = fitted(data("wine.csv.gz"), "cultivar", tmp_path, "--pca", "3")
    assert {candidate["options"]["pca"] for candidate in said["choice"]["candidates"]} == {3}


def test_people_are_told(data, tmp_path):
    words = ["fit", data("wine.csv.gz"), "--label", "cultivar", "-o", tmp_path / "m.suffice"]
    choice = good_json(*words)["choice"]
    line = (f"Chosen among {len(choice['candidates'])} models by leave-one-out on 178 rows: "
            f"error {choice['error_rate']:.4g}, log-loss {choice['log_loss']:.4g} "
            f"(class frequencies alone {choice['prior_error_rate']:.4g} and {choice['prior_log_loss']:.4g})")
    text = good(*words, "--verbose")
    assert line in text.splitlines() and text.count("covariance ") >= 10
    # Without the flag: the rows, the model, what to expect, and the file.
    assert good(*words).splitlines() == [
        f"178 rows of {data('wine.csv.gz')}, 3 classes of 'cultivar'",
        next(line for line in text.splitlines() if line.startswith("Quadratic discriminant analysis: ")),
        f"Expected on new rows: error {choice['error_rate']:.4g}, log-loss {choice['log_loss']:.4g} (leave-one-out; "
        f"class frequencies alone: error {choice['prior_error_rate']:.4g}, log-loss {choice['prior_log_loss']:.4g})",
        f"Wrote {tmp_path / 'm.suffice'}"]
    assert line in good("show", tmp_path / "m.suffice").splitlines()
    kept = good_json("show", tmp_path / "m.suffice")["options"]
    assert {"choice_" + name: kept["choice_" + name] for name in ("error_rate", "log_loss", "rows")} == {
        "choice_" + name: choice[name] for name in ("error_rate", "log_loss", "rows")}
    assert kept["choice_candidates"] == len(choice["candidates"])


def test_it_is_the_default(data, tmp_path):
    path = data("wine.csv.gz")
    said, written = fitted(path, "cultivar", tmp_path)
    for flags in (["--covariance", "auto"], ["--tails", "auto"], ["--calibration", "auto"]):
        assert fitted(path, "cultivar", tmp_path, *flags)[1] == written
    with gzip.open(path) as file:
        piped = json.loads(good("fit", "-", "--label", "cultivar", "-o", tmp_path / "m.suffice", "--json",
                                input=file.read()))
    assert piped["choice"] == said["choice"]
    assert (tmp_path / "m.suffice").read_bytes() == written


def test_a_covariance_that_is_named_is_estimated_as_it_is(data, tmp_path):
    path = data("wine.csv.gz")
    for covariance in ("full", "tied", "diag"):
        good("stats", path, "--label", "cultivar", "--covariance", "diag" if covariance == "diag" else "full",
             "-o", tmp_path / "wine.stats")
        said, written = fitted(path, "cultivar", tmp_path, "--covariance", covariance)
        assert "choice" not in said and "calibration" not in said
        good("fit", tmp_path / "wine.stats", "--covariance", covariance, "-o", tmp_path / "s.suffice")
        assert (tmp_path / "s.suffice").read_bytes() == written


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "tied-diag", "spherical"])
def test_tails_of_a_named_covariance_are_chosen(covariance, data, tmp_path):
    said, _ = fitted(data("breast_cancer_wdbc.csv.gz"), "diagnosis", tmp_path, "--covariance", covariance,
                     "--tails", "auto")
    candidates = [candidate["options"] for candidate in said["choice"]["candidates"]]
    assert {options["covariance"] for options in candidates} == {covariance}
    assert {options.get("tails", "normal") for options in candidates} == {"normal", 30, 8, 3}
    assert "calibration" in said
    strengths = {options["shrinkage"] for options in candidates}
    assert len(strengths) > 1 or covariance in ("tied-diag", "spherical")


def test_smoothing_is_found_unless_it_is_given(data, tmp_path):
    path = data("penguins.csv.gz")
    smoothing = lambda *flags: fitted(path, "species", tmp_path, *flags)[0]["options"]["smoothing"]
    assert smoothing() == "auto"
    assert smoothing("--smoothing", "0.5") == 0.5
    assert smoothing("--covariance", "tied") == 1  # as it is
    good("stats", path, "--label", "species", "-o", tmp_path / "p.stats")
    assert good_json("fit", tmp_path / "p.stats", "-o", tmp_path / "m.suffice")["options"]["smoothing"] == "auto"
    assert fitted(data("iris.csv.gz"), "species", tmp_path)[0]["options"]["smoothing"] == 1  # nothing to smooth


def test_units_are_mentioned_where_they_matter(data, tmp_path):
    words = ["fit", data("wine.csv.gz"), "--label", "cultivar", "-o", tmp_path / "m.suffice"]
    assert "depend on the units of the columns" in good(*words, "--pca", "3")
    assert "units of" not in good(*words, "--pca", "none", "--target", "diag")


def test_without_calibration(data, tmp_path):
    said, _ = fitted(data("wine.csv.gz"), "cultivar", tmp_path, "--calibration", "none")
    assert "calibration" not in said and len(said["choice"]["candidates"]) > 20
    assert good_json("show", tmp_path / "m.suffice").get("calibration") is None


def test_statistics_have_no_rows(data, tmp_path):
    good("stats", data("iris.csv.gz"), "--label", "species", "-o", tmp_path / "iris.stats")
    good("stats", data("iris.csv.gz"), "--label", "species", "--covariance", "diag", "-o", tmp_path / "diag.stats")
    for name, covariance in (("iris", "full"), ("diag", "diag")):
        result = run("fit", tmp_path / f"{name}.stats", "-o", tmp_path / "m.suffice")
        assert result.returncode == 0 and b"need rows" in result.stderr
        good("fit", tmp_path / f"{name}.stats", "-o", tmp_path / "plain.suffice", "--covariance", covariance)
        assert (tmp_path / "m.suffice").read_bytes() == (tmp_path / "plain.suffice").read_bytes()
    refused(run("fit", tmp_path / "iris.stats", "--covariance", "full", "--calibration", "auto"), 2,
            "--calibration auto", "rows")


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
    result = run("fit", table, "--label", "class", "-o", tmp_path / "m.suffice")
    if result.returncode == 0:
        assert len(good_json("show", tmp_path / "m.suffice")["labels"]) == classes
    else:
        refused(result, 1, "needs more than one row per class")


# ---- little to choose from


def table(folder, rows, header="x,class"):
    (folder / "t.csv").write_text(header + "\n" + "\n".join(rows) + "\n")
    return folder / "t.csv"


def test_rare_classes_of_a_large_table(tmp_path):
    """A class of one row among 5000 has no part in the choice, one of three has all its rows there."""
    rows = [f"{i * 37 % 101},{'ab'[i % 2]}" for i in range(5000)] + ["7,rare", "9,rare", "8,rare", "500,alone"]
    said, _ = fitted(table(tmp_path, rows), "class", tmp_path)
    assert said["labels"] == ["a", "alone", "b", "rare"] and said["weights"] == [2500, 1, 2500, 3]
    assert said["choice"]["rows"] == 1999
    assert len(said["calibration"]["offset"]) == 4


def test_more_classes_than_sampled_rows(tmp_path):
    rows = [f"{c + i / 7},c{c}" for c in range(2300) for i in range(2)]
    said, _ = fitted(table(tmp_path, rows), "class", tmp_path)
    assert len(said["labels"]) == 2300 and "choice" not in said and "calibration" not in said
    assert "more than 400 classes" in said["warnings"][-1]


def test_rows_that_are_all_alike(tmp_path):
    path = table(tmp_path, ["1,2,a", "1,2,a", "1,2,b", "1,2,b", "1,2,b"], "x,y,class")
    assert "no number has a part in the model" in run("fit", path, "--label", "class", "-o", tmp_path / "m.suffice").stderr.decode()
    refused(run("fit", path, "--label", "class", "--covariance", "full", "-o", tmp_path / "n.suffice"), 1, "constant")
    # With another column the two are left out, and the third decides.
    path = table(tmp_path, [f"1,2,{i % 5},{'ab'[i % 5 > 2]}" for i in range(20)], "x,y,z,class")
    said, _ = fitted(path, "class", tmp_path)
    assert said["constant"] == ["x", "y"]


def test_one_column_that_tells_nothing(tmp_path):
    """The log-loss of the frequencies is the best there is; calibrated scores stay near it."""
    rows = [f"{i * 7919 % 1000},{'ab'[i * 31 % 100 < 30]}" for i in range(1000)]
    choice = fitted(table(tmp_path, rows), "class", tmp_path)[0]["choice"]
    assert choice["log_loss"] == pytest.approx(choice["prior_log_loss"], abs=0.02)


def test_one_categorical_column(tmp_path):
    rows = [f"{'uvw'[i % 3]},{'ab'[i % 3 == 0]}" for i in range(30)]
    said, _ = fitted(table(tmp_path, rows), "class", tmp_path)
    assert len(said["choice"]["candidates"]) == 1 and said["choice"]["error_rate"] == 0


def test_calibration_rows_without_a_class_are_refused(data, tmp_path):
    fitted(data("iris.csv.gz"), "species", tmp_path)
    header, rows = read_lines(data("iris.csv.gz"))
    (tmp_path / "rows.csv").write_text(header + "".join(row.rsplit(",", 1)[0] + ",\n" for row in rows))
    refused(run("calibrate", tmp_path / "m.suffice", tmp_path / "rows.csv", "-o", tmp_path / "c.suffice"), 1,
            "no row has a label")
