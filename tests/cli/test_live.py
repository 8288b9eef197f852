"""Live pages: what the program puts into them. Here the engine and the script are stand-ins;
tests/browser has the real ones."""
import base64
import csv
import gzip
import io
import json
import os
import random
import re

import pytest

from program import good, good_json, refused, run

ENGINE = bytes(random.Random(3).randrange(256) for _ in range(5000))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    web = folder / "web"
    web.mkdir()
    (web / "suffice.wasm").write_bytes(ENGINE)
    (web / "suffice.js").write_text("var glue = 1;")
    (web / "page.js").write_text("var page = 2;")
    (web / "page.css").write_text(".control{margin:0}")
    draw = random.Random(1)
    rows = ["x,y,kind,class"]
    for i in range(300):
        label = "</script><b>" if i % 3 else "b&w"
        rows.append(f"{draw.gauss(i % 3, 1)},{'' if i == 7 else draw.gauss(0, 1)},"
                    f"{'' if i == 9 else 'odd' if i % 2 else 'even'},{label}")
    (folder / "train.csv").write_text("\n".join(rows) + "\n")
    good("fit", "train.csv", "--label", "class", "--covariance", "tied", "-o", "m.suffice", folder=folder)
    return folder


def live(folder, *words):
    return good(*words, folder=folder, environment={"SUFFICE_WEB": str(folder / "web")})


class Page:
    """The elements of a live page, by a pattern that a browser's parser agrees with: the content of a
    script element ends at the first </script."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        scripts = re.findall(r"<script([^>]*)>(.*?)</script>", self.text, re.S)
        unpack = lambda body: gzip.decompress(base64.b64decode(body, validate=True))
        self.files = {re.search('data-file="([^"]*)"', head)[1]: unpack(body)
                      for head, body in scripts if "data-file" in head}
        self.engine = next(unpack(body) for head, body in scripts if 'id="suffice-engine"' in head)
        self.settings = next(json.loads(body) for head, body in scripts if 'id="suffice-page"' in head)
        self.code = [body for head, body in scripts if head == ""]


def test_a_live_report_carries_the_engine_the_model_and_the_rows(folder):
    live(folder, "report", "m.suffice", "train.csv", "--live", "-o", "live.html")
    page = Page(folder / "live.html")
    assert page.engine == ENGINE
    assert page.code == ["var glue = 1;", "var page = 2;"]
    assert ".control{margin:0}</style>" in page.text
    assert page.files["model.suffice"] == (folder / "m.suffice").read_bytes()
    # The rows are those of the table; order does not matter.
    with open(folder / "train.csv", newline="") as file:
        truth = sorted(tuple(row.values()) for row in csv.DictReader(file))
    carried = csv.DictReader(io.StringIO(page.files["rows.csv"].decode(), newline=""))
    assert carried.fieldnames == ["x", "y", "kind", "class"]
    number = lambda text: float(text) if text else None
    key = lambda row: (number(row[0]), number(row[1]) or 0, *row[2:])
    assert sorted(map(key, (tuple(row.values()) for row in carried))) == sorted(map(key, truth))
    # The statistics are those of the table under the model's schema.
    (folder / "carried.stats").write_bytes(page.files["statistics.stats"])
    good("stats", "train.csv", "--label", "class", "-o", "own.stats", folder=folder)
    assert good_json("show", "carried.stats", folder=folder) == good_json("show", "own.stats", folder=folder)
    settings = page.settings
    assert settings["labels"] == ["</script><b>", "b&w"] and settings["counts"] == {"rows": 300, "all": 300}
    assert settings["priors"] == pytest.approx([2 / 3, 1 / 3]) and settings["costs"] == []
    assert settings["shown"]["data"] == ["train.csv"]


def test_priors_and_costs_of_the_command_are_those_of_the_page(folder):
    live(folder, "report", "m.suffice", "train.csv", "--live", "-o", "live.html", "--prior", "uniform",
         "--cost", "b&w></script><b>=5")
    settings = Page(folder / "live.html").settings
    assert settings["prior_words"] == ["--prior", "uniform"] and settings["priors"] == [0.5, 0.5]
    assert settings["costs"] == [[1, 0, 5]]


def test_without_data_the_page_says_what_is_missing(folder):
    live(folder, "report", "m.suffice", "--live", "-o", "live.html")
    page = Page(folder / "live.html")
    assert set(page.files) == {"model.suffice"} and page.settings["rows"] == []
    assert "No rows" in page.settings["why"]


def test_a_large_table_is_sampled_with_weights(folder):
    draw = random.Random(2)
    with open(folder / "large.csv", "w") as file:
        file.write(",".join(f"x{j}" for j in range(30)) + ",class\n")
        for i in range(20000):
            file.write(",".join(f"{draw.random():.17f}" for _ in range(30)) + f",{'rare' if i % 50 == 0 else 'usual'}\n")
    good("fit", "large.csv", "--label", "class", "--covariance", "diag", "-o", "large.suffice", folder=folder)
    live(folder, "report", "large.suffice", "large.csv", "--live", "-o", "live.html")
    assert os.path.getsize(folder / "live.html") <= 2_500_000
    page = Page(folder / "live.html")
    rows = list(csv.DictReader(io.StringIO(page.files["rows.csv"].decode(), newline="")))
    assert page.settings["rows"] == ["rows.csv", "--label", "class", "--weight", "weight"]
    assert page.settings["counts"] == {"rows": len(rows), "all": 20000} and 100 < len(rows) <= 10000
    for label, count in (("rare", 400), ("usual", 19600)):
        assert sum(float(row["weight"]) for row in rows if row["class"] == label) == pytest.approx(count)


def test_a_page_to_play_with(folder):
    live(folder, "play", "-o", "play.html")
    page = Page(folder / "play.html")
    assert page.engine == ENGINE and page.settings == {"kind": "play", "data": ""} and page.files == {}
    live(folder, "play", "train.csv", "-o", "play.html")
    page = Page(folder / "play.html")
    assert page.settings["data"] == "train.csv"
    assert page.files["table"].decode() == (folder / "train.csv").read_text()


def test_what_is_missing_is_said(folder, tmp_path):
    without = {"SUFFICE_WEB": str(tmp_path)}
    refused(run("play", "-o", "no.html", folder=folder, environment=without), 1, "SUFFICE_WEB", "script/web")
    refused(run("report", "m.suffice", "train.csv", "--live", "-o", "no.html", folder=folder,
                environment=without), 1, "script/web")
    refused(run("report", "m.suffice", "m.suffice", "--live", "-o", "no.html", folder=folder,
                environment={"SUFFICE_WEB": str(folder / "web")}), 1, "one model")
    refused(run("play", "no.csv", "-o", "no.html", folder=folder,
                environment={"SUFFICE_WEB": str(folder / "web")}), 1, "no.csv")
    refused(run("play", "train.csv", "-o", "train.csv", folder=folder,
                environment={"SUFFICE_WEB": str(folder / "web")}), 2, "train.csv")
    assert not (folder / "no.html").exists()


def test_a_live_page_needs_two_classes(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,a\n4,a\n")
    good("fit", "t.csv", "--label", "y", "-o", "one", folder=tmp_path)
    refused(run("report", "one", "t.csv", "--live", "-o", "page.html", folder=tmp_path), 1,
            "two classes or more", "leave --live out")
    assert not (tmp_path / "page.html").exists()
