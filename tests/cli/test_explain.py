"""explain and plot --what evidence: the numbers of predict --output evidence for one row."""
import math
import xml.etree.ElementTree

import pytest

from program import good, good_json, refused, rows_of, run


@pytest.fixture(scope="module")
def penguins(tmp_path_factory, data):
    model = tmp_path_factory.mktemp("explain") / "m.suffice"
    good("fit", data("penguins.csv.gz"), "--label", "species", "--covariance", "full",
         "--ignore", "year", "-o", model, "--quiet")
    return model, data("penguins.csv.gz")


@pytest.mark.parametrize("row", [1, 4, 300])
def test_it_is_the_evidence_of_that_row(penguins, row):
    model, table = penguins
    told = good_json("explain", model, table, "--row", row)
    all_rows = rows_of(good("predict", model, table, "--output", "proba,evidence", "--digits",
                            "full", "-o", "-", "--quiet"))
    of_row = all_rows[row - 1]
    assert (told["row"], told["label"], told["of"]) == (row, of_row["label"], of_row["label"])
    assert told["against"] == of_row["against"]
    for column in told["columns"]:
        assert column["evidence"] == pytest.approx(
            float(of_row[f"evidence:{column['column']}"]), rel=1e-9, abs=1e-12)
    assert told["offset"] == pytest.approx(float(of_row["evidence:offset"]), rel=1e-9, abs=1e-12)
    total = told["offset"] + math.fsum(c["evidence"] for c in told["columns"])
    assert told["ratio"] == pytest.approx(total, rel=1e-12)
    weights = [abs(c["evidence"]) for c in told["columns"]]
    assert weights == sorted(weights, reverse=True)


def test_values_and_what_is_usual(penguins):
    model, table = penguins
    told = good_json("explain", model, table, "--row", "4", "--between", "Gentoo,Adelie")
    assert (told["of"], told["against"]) == ("Gentoo", "Adelie")
    columns = {c["column"]: c for c in told["columns"]}
    assert columns["bill_length_mm"]["value"] is None  # this bird has no numbers
    assert columns["bill_length_mm"]["evidence"] == 0
    shown = good_json("show", model)
    gaussian = next(b for b in shown["blocks"] if b["family"] == "gaussian")
    j = gaussian["features"].index("bill_length_mm")
    usual = [gaussian["mean"][shown["labels"].index(c)][j] for c in ("Gentoo", "Adelie")]
    assert columns["bill_length_mm"]["usual"] == pytest.approx(usual, rel=1e-12)
    assert columns["island"]["usual"][0] == "Biscoe"


def test_the_table_for_a_person(penguins):
    model, table = penguins
    text = good("explain", model, table, "--row", "1", "--for", "Adelie", "--unit", "bits")
    assert "Evidence for Adelie against all others, in bits" in text
    assert "bill_length_mm" in text and "39.1" in text and "Torgersen" in text


def test_the_waterfall(penguins):
    model, table = penguins
    told = good_json("explain", model, table, "--row", "2")
    svg = good("plot", model, table, "--what", "evidence", "--row", "2")
    xml.etree.ElementTree.fromstring(svg)
    assert "bill_length_mm = 39.5" in svg and "together" in svg
    assert svg.count("<rect") >= sum(c["evidence"] != 0 for c in told["columns"]) + 1


def test_what_cannot_be(penguins):
    model, table = penguins
    refused(run("explain", model, table, "--row", "345"), 1, "344 rows")
    refused(run("explain", model, table, "--row", "0"), 2, "--row")
    refused(run("explain", model, table, "--for", "Emperor"), 1, "Emperor")
    refused(run("explain", model, table, "--between", "Adelie"), 2, "two classes")
    refused(run("plot", model, "--what", "evidence"), 2, "DATA")
    refused(run("plot", model, table, "--what", "regions", "--row", "2"), 2, "--row")
