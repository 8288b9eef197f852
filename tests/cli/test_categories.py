"""fit --categories: indicators of the levels of categorical columns, beside the numbers."""
import collections
import csv

import numpy as np
import pytest

from datasets import read_table, write_table
from program import good, good_json, refused, rows_of, run


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def encoded(lines, label):
    """The table with 0 and 1 for each level but the most frequent one; a missing cell is a level."""
    result = [{} for _ in lines]
    for name in lines[0]:
        cells = ["" if line[name] == "NA" else line[name] for line in lines]
        if name == label or all(is_number(cell) for cell in cells if cell):
            for to, cell in zip(result, cells):
                to[name] = cell
            continue
        counts = collections.Counter(cell for cell in cells if cell)
        most = max(counts.values())
        reference = min(level for level, count in counts.items() if count == most)
        for level in sorted(set(cells) - {reference}):
            for to, cell in zip(result, cells):
                to[f"{name} has {level}"] = int(cell == level)
    return result


def scores(model, table):
    found = rows_of(good("predict", model, table, "--output", "loglik,logpx,outlier", "--digits", "full"))
    return np.array([[float(cell) for name, cell in row.items() if name != "label"] for row in found])


@pytest.fixture
def passengers(data, tmp_path):
    lines = read_table(data("passengers.csv.gz"))
    for line in lines:
        for name in ("PassengerId", "Name", "Ticket", "Cabin"):
            del line[name]
    return write_table(tmp_path / "passengers.csv", lines), "Survived"


@pytest.fixture
def penguins(data, tmp_path):
    return write_table(tmp_path / "penguins.csv", read_table(data("penguins.csv.gz"))), "species"


@pytest.mark.parametrize("flags", [["--covariance", "tied", "--shrinkage", "0"], ["--covariance", "full", "--shrinkage", "20 rows"],
                                   ["--covariance", "diag", "--shrinkage", "3 rows"],
                                   ["--covariance", "tied", "--pca", "4"],
                                   ["--covariance", "tied", "--calibration", "auto"]],
                         ids=lambda flags: " ".join(flags))
@pytest.mark.parametrize("name", ["passengers", "penguins"])
def test_it_is_what_columns_made_by_hand_give(name, flags, request, tmp_path):
    table, label = request.getfixturevalue(name)
    by_hand = write_table(tmp_path / "by_hand.csv", encoded(read_table(table), label))
    common = ["--label", label, "--transform", "none", *flags]
    good("fit", table, *common, "--categories", "within", "-o", tmp_path / "within.suffice")
    good("fit", by_hand, *common, "-o", tmp_path / "by_hand.suffice")
    mine, theirs = scores(tmp_path / "within.suffice", table), scores(tmp_path / "by_hand.suffice", by_hand)
    assert mine[:, :-1] == pytest.approx(theirs[:, :-1], rel=1e-9, abs=1e-9)
    assert mine[:, -1] == pytest.approx(theirs[:, -1], abs=0.05)  # by samples, whose columns differ in order
    figures = [good_json("evaluate", tmp_path / f"{kind}.suffice", file)["log_loss"]
               for kind, file in (("within", table), ("by_hand", by_hand))]
    assert figures[0] == pytest.approx(figures[1], rel=1e-9)


def test_threads_files_and_formats_change_nothing(passengers, tmp_path):
    table, label = passengers
    words = ["--label", label, "--categories", "within", "--covariance", "auto"]
    good("fit", table, *words, "-o", tmp_path / "m.suffice")
    expected = (tmp_path / "m.suffice").read_bytes()
    lines = read_table(table)
    write_table(tmp_path / "part-1.csv", lines[:300])
    write_table(tmp_path / "part-2.csv", lines[300:])
    good("fit", tmp_path / "part-1.csv", tmp_path / "part-2.csv", *words, "--threads", "1", "-o",
         tmp_path / "m.suffice")
    assert (tmp_path / "m.suffice").read_bytes() == expected
    pandas = pytest.importorskip("pandas", reason="no pandas to write a Parquet file")
    pytest.importorskip("pyarrow", reason="no pyarrow to write a Parquet file")
    pandas.read_csv(table).to_parquet(tmp_path / "t.parquet")
    good("fit", tmp_path / "t.parquet", *words, "--threads", "3", "-o", tmp_path / "m.suffice")
    assert (tmp_path / "m.suffice").read_bytes() == expected


def test_what_fit_and_show_say(passengers, tmp_path):
    table, label = passengers
    model = tmp_path / "m.suffice"
    said = good_json("fit", table, "--label", label, "--categories", "within", "--covariance", "tied", "--missing",
                     "complete", "-o", model)
    columns = {column["name"]: column for column in said["columns"]}
    assert list(columns) == ["Pclass", "Sex", "Age", "SibSp", "Parch", "Fare", "Embarked"]
    assert columns["Sex"] == {"name": "Sex", "family": "gaussian", "missing": 0, "indicators": ["female"],
                              "reference": "male"}
    assert columns["Embarked"]["indicators"] == ["C", "Q", None]
    assert columns["Embarked"]["reference"] == "S" and columns["Embarked"]["missing"] == 2
    assert "gaussian, 3 indicators" in good("fit", table, "--label", label, "--categories", "within", "--verbose",
                                            "-o", tmp_path / "other.suffice")
    block, = good_json("show", model)["blocks"]
    assert block["features"] == ["Pclass", "Age", "SibSp", "Parch", "Fare", "Sex=female", "Embarked=C",
                                 "Embarked=Q", "Embarked is missing"]
    assert block["indicators"][:6] == [None] * 5 + [{"column": "Sex", "level": "female", "reference": "male"}]
    assert "not probabilities of categories" in good("show", model)
    assert "\nOptions: covariance tied, categories within\n" in good("show", model)
    drawn = rows_of(good("sample", model, "-n", "200"))
    assert {row["Sex"] for row in drawn} == {"male", "female"}
    assert {row["Embarked"] for row in drawn} <= {"S", "C", "Q", ""}
    assert list(drawn[0]) == [*columns, label]
    good("plot", model, "--what", "densities", "-o", tmp_path / "p.svg")
    good("plot", model, table, "--what", "regions", "--features", "Fare,Sex=female", "-o", tmp_path / "p.svg")
    statistics = tmp_path / "s.stats"
    good("stats", table, "--like", model, "-o", statistics)
    good("fit", statistics, "--covariance", "tied", "--missing", "complete", "-o",
         tmp_path / "again.suffice")
    assert (tmp_path / "again.suffice").read_bytes() == model.read_bytes()


def test_unknown_and_missing_names(penguins, tmp_path):
    table, label = penguins
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", label, "--categories", "within", "--covariance", "tied", "-o", model)
    line = dict(read_table(table)[0])
    reference = good_json("show", model)["blocks"][0]["indicators"]
    reference = next(of["reference"] for of in reference if of and of["column"] == "island")
    rows = write_table(tmp_path / "rows.csv", [line | {"island": reference}, line | {"island": "Atlantis"}])
    done = run("predict", model, rows, "--output", "loglik")
    assert done.returncode == 0
    _, first, second = done.stdout.splitlines()
    assert first == second
    assert f"count as '{reference}', the most frequent one" in done.stderr.decode()


def test_unknown_names_are_told_where_only_classes_are_written(tmp_path):
    """Of many numbers the most probable class is found without all scores."""
    random = np.random.default_rng(3)
    lines = [{"colour": "red" if i % 3 else "blue", "label": "ab"[i % 2]}
             | {f"x{j}": f"{random.normal() + i % 2:.3f}" for j in range(60)} for i in range(400)]
    table = write_table(tmp_path / "t.csv", lines)
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", "label", "--categories", "within", "--covariance", "full",
         "--calibration", "none", "-o", model)
    rows = write_table(tmp_path / "rows.csv", [lines[0] | {"colour": "green"}, lines[1]])
    assert "column 'colour' has 1 value that the model has not seen" in run("predict", model, rows).stderr.decode()


def test_auto_takes_them_where_they_predict_better(tmp_path):
    """The class is whether a group's number is high within the group: apart, neither tells it."""
    random = np.random.default_rng(3)
    lines = []
    for _ in range(600):
        group = random.choice(["low", "high"])
        kind = random.integers(2)
        x = (0 if group == "low" else 10) + 3 * kind + random.normal()
        lines.append({"group": group, "x": f"{x:.3f}", "kind": "ab"[kind]})
    table = write_table(tmp_path / "t.csv", lines)
    model = tmp_path / "m.suffice"
    words = ["fit", table, "--label", "kind", "--covariance", "auto", "-o", model]
    said = good_json(*words)
    assert any("indicators" in change for change in said["better_columns"]["changes"])
    assert said["choice"]["error_rate"] < 0.15
    assert [column.get("indicators") for column in said["columns"]] in ([["low"], None], [["high"], None])
    apart = good_json(*words, "--categories", "apart")
    assert "better_columns" not in apart and apart["choice"]["error_rate"] > 0.3
    # A structure that is named keeps columns as they are, unless it is asked.
    named = ["fit", table, "--label", "kind", "--covariance", "tied", "-o", model]
    assert "indicators" not in good_json(*named)["columns"][0]
    assert "indicators" in good_json(*named, "--categories", "auto")["columns"][0]
    # A pipe can be read once; all of these rows were kept.
    piped = ["fit", "-", "--label", "kind", "--categories", "within", "-o", model]
    refused(run(*piped, "--covariance", "tied", input=table.read_bytes()), 1,
            "--categories within reads the rows a second time")
    assert "indicators" in good_json(*piped, "--covariance", "auto", input=table.read_bytes())["columns"][0]


def test_strange_levels(tmp_path):
    random = np.random.default_rng(5)
    levels = ["a=b", 'say "x"', "it's", "=", "x is missing", "ü\n"]
    lines = [{"x": levels[random.integers(len(levels))], "x=a=b": f"{random.normal():.3f}", "one": "same",
              "id": f"name {i % 1000}", "kind": "ab"[i % 2]} for i in range(2000)]
    table = write_table(tmp_path / "t.csv", lines)
    done = run("fit", table, "--label", "kind", "--categories", "within", "--covariance", "tied", "-o",
               tmp_path / "m.suffice")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert "too many levels" in said and "'id'" in said
    assert "a single level" in said and "'one'" in said
    blocks = good_json("show", tmp_path / "m.suffice")["blocks"]
    features = [name for block in blocks for name in block["features"]]
    assert len(features) == len(set(features)) and {"id", "one", "x=a=b"} <= set(features)
    assert sum(name.startswith("x=") for name in features) == len(levels)
    assert len(rows_of(good("predict", tmp_path / "m.suffice", table))) == 2000


def test_what_is_refused(passengers, tmp_path):
    table, label = passengers
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", label, "-o", model)
    good("stats", table, "--label", label, "-o", tmp_path / "s.stats")
    words = ["fit", table, "--label", label]
    refused(run(*words, "--categories", "withn"), 2, "--categories", "within")
    refused(run("fit", table, "--categories", "within", "--like", model), 2, "--like")
    refused(run("fit", tmp_path / "s.stats", "--categories", "within"), 2, "--categories is for tables")
    refused(run(*words, "--categories", "auto", "--covariance", "tied", "--shrinkage", "loo"), 2,
            "choose apart or within")
    write_table(tmp_path / "empty.csv", [line | {"empty": ""} for line in read_table(table)])
    refused(run("fit", tmp_path / "empty.csv", "--label", label, "--family", "empty=categorical",
                "--categories", "within", "--covariance", "tied"), 1, "no value in any row")
