"""Columns that were probably not meant as they were taken, and those that were."""
import datetime

import numpy as np
import pandas
import pytest

from datasets import IMAGES, data_file
from program import good, run

SILENT = {"iris": "species", "penguins": "species", "wine": "cultivar", "breast_cancer_wdbc": "diagnosis",
          "glyphs": "letter", "digits": "digit", "census_train": "income",
          "census_test": "income"}


def said(folder, frame, *flags):
    """What stats says on standard error of a table with the label y."""
    frame.to_csv(folder / "t.csv", index=False)
    done = run("stats", "t.csv", "--label", "y", "--covariance", "diag", "-o", "t.stats", *flags, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


@pytest.mark.parametrize("name", SILENT)
def test_no_false_alarm(tmp_path, name):
    file = data_file(f"{name}.csv.gz")
    label = next(c for c in pandas.read_csv(file, nrows=1).columns
                 if c in ("species", "cultivar", "class", "diagnosis", "letter", "digit", "income"))
    done = run("stats", file, "--label", label, "--covariance", "diag", "-o", tmp_path / "out.stats")
    assert done.returncode == 0
    assert b"hint" not in done.stderr and b"warning" not in done.stderr, done.stderr.decode()


def test_no_false_alarm_on_images(tmp_path):
    images, labels = map(data_file, IMAGES["test"])
    done = run("stats", images, "--labels", labels, "--covariance", "diag", "-o", tmp_path / "out.stats")
    assert done.returncode == 0 and b"hint" not in done.stderr and b"warning" not in done.stderr


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    n = 1200
    return pandas.DataFrame({"soil": rng.choice(rng.choice(np.arange(2702, 8777), 40, False), n),
                             "kind": rng.integers(0, 3, n), "height": rng.normal(2000, 90, n).round(),
                             "dose": rng.choice(np.arange(0, 500, 25), n), "year": rng.integers(2007, 2010, n),
                             "children": rng.choice([0, 1, 2, 3], n, p=[.7, .2, .05, .05]),
                             "flag": rng.integers(0, 2, n), "y": np.array(["a", "b"])[np.arange(n) % 2]})


def test_numbers_that_are_codes(tmp_path, table):
    text = said(tmp_path, table)
    hints = [line for line in text.splitlines() if line.startswith("hint:")]
    assert len(hints) == 1 and "'soil', 'kind'" in hints[0] and "--family 'soil=categorical'" in hints[0]
    one = said(tmp_path, table.drop(columns="kind"))
    assert "'soil' has 40 different whole numbers in 1,200 rows" in one
    assert f"({table.soil.min()} … {table.soil.max()})" in one
    # The flag that the hint names ends it, and so does a family that is given.
    assert "hint" not in said(tmp_path, table, "--family", "soil=categorical,kind=gaussian")
    assert said(tmp_path, table, "--quiet") == ""


def test_many_columns_are_one_line(tmp_path):
    rng = np.random.default_rng(4)
    wide = pandas.DataFrame(rng.integers(1, 6, (300, 64)), columns=[f"q{j}" for j in range(64)]).assign(y=list("ab") * 150)
    hint, = [line for line in said(tmp_path, wide).splitlines() if "hint" in line]
    assert "and 59 more" in hint and len(hint) < 250


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M"])
def test_dates_and_many_levels(tmp_path, form):
    days = [datetime.datetime(2024, 1, 1, 12) + datetime.timedelta(days=i % 365) for i in range(1095)]
    table = pandas.DataFrame({"x": np.arange(1095) % 7 + 0.5, "when": [day.strftime(form) for day in days],
                              "city": [f"c{i % 150}" for i in range(1095)], "version": [f"1.{i % 9}.2" for i in range(1095)],
                              "y": ["a", "b", "c"] * 365})
    text = said(tmp_path, table)
    assert "'when' has dates" in text and "--ignore 'when'" in text
    assert "'city' has 150 different values in 1,095 rows" in text and "version" not in text


def test_the_same_hints_in_every_format(tmp_path, table):
    expected = said(tmp_path, table)
    table.to_json(tmp_path / "t.ndjson", orient="records", lines=True)
    table.to_parquet(tmp_path / "t.parquet")
    for name in ("t.ndjson", "t.parquet"):
        done = run("stats", name, "--label", "y", "--covariance", "diag", "-o", "t.stats", folder=tmp_path)
        assert done.stderr.decode() == expected.replace("t.csv", name), name
    for threads in (1, 2):
        done = run("select", "t.csv", "--label", "y", "--covariance", "diag", "--threads", threads, "-o", "m",
                   folder=tmp_path)
        assert "'soil', 'kind'" in done.stderr.decode()
    assert good("stats", "t.csv", "--label", "y", "-o", "t.stats", "--json", folder=tmp_path).startswith("{")
