"""Priors and costs in the forms in which people and programs write them. Each form must decide as the
plain one does."""
import json

import numpy as np
import pandas
import pytest

from program import good, good_json, refused, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("priors")
    rng = np.random.default_rng(5)
    for name, classes in (("two", ["bad", "good"]), ("three", ["0", "1", "2"]), ("odd", ["a,b", "c>d=1"])):
        y = np.arange(150) % len(classes)
        table = pandas.DataFrame({"x": rng.normal(y, 1).round(3), "z": rng.normal(-y, 2).round(3),
                                  "y": np.array(classes, dtype=object)[y]})
        table.to_csv(folder / f"{name}.csv", index=False)
        good("fit", f"{name}.csv", "--label", "y", "--covariance", "tied", "-o", f"{name}.suffice", folder=folder)
    return folder


def report(folder, name, *flags):
    return good_json("evaluate", f"{name}.suffice", f"{name}.csv", *flags, folder=folder)


def test_priors_are_scaled_with_a_note(folder):
    counts = report(folder, "two", "--prior", "bad=3,good=1")
    assert counts == report(folder, "two", "--prior", "bad=0.75,good=0.25")
    assert counts["prior"] == [0.75, 0.25]  # 3 / 4 and 1 / 4
    assert counts == report(folder, "two", "--prior", "3,1")
    said = run("evaluate", "two.suffice", "two.csv", "--prior", "3,1", folder=folder).stderr.decode()
    assert "sum to 4" in said and "bad 0.75, good 0.25" in said
    said = run("evaluate", "two.suffice", "two.csv", "--prior", "0.75,0.25", folder=folder).stderr.decode()
    assert "sum to" not in said
    refused(run("evaluate", "two.suffice", "two.csv", "--prior", "0,0", folder=folder), 1, "sum to 0")
    refused(run("evaluate", "two.suffice", "two.csv", "--prior", "1,2,3", folder=folder), 1, "3 numbers", "2 classes",
            "bad, good")


PRIORS = {
    "header": "class,prior\nbad,3\ngood,1\n",
    "any_header": "Wetter;Anzahl\ngood;1\nbad;3\n",
    "no_header": "good,1\nbad,3\n",
    "numbers_first": "n,class\n1,good\n3,bad\n",
    "a_line": "good,bad\n1,3\n",
    "blanks": " class , prior \n good , 1 \n bad , 3 \n",
    "tabs": "class\tprior\ngood\t1\nbad\t3\n",
}


@pytest.mark.parametrize("form", PRIORS)
def test_files_of_priors(folder, form):
    (folder / f"{form}.csv").write_text(PRIORS[form])
    assert report(folder, "two", "--prior", f"{form}.csv") == report(folder, "two", "--prior", "bad=0.75,good=0.25")


def test_files_of_priors_by_other_programs(folder):
    counts = pandas.Series(["bad"] * 3 + ["good"], name="y").value_counts()
    counts.to_csv(folder / "pandas.csv")
    counts.reset_index().to_csv(folder / "index.csv")
    (folder / "p.json").write_text(json.dumps({"good": 0.25, "bad": 0.75}))
    for name in ("pandas.csv", "index.csv", "p.json"):
        assert report(folder, "two", "--prior", name)["prior"] == [0.75, 0.25], name


@pytest.mark.parametrize("text,needles", [
    ("class,prior\nbad,3\ngod,1\n", ["f.csv:3", "'god'", "'good'"]), ("class,prior\nbad,3\n", ["leaves out 'good'"]),
    ("bad,3\nbad,1\ngood,1\n", ["'bad' twice"]), ("bad,3\ngood,many\n", ["f.csv:2", "'many'"]),
    ("bad,3\ngood,-1\n", ["'good'", "negative"]), ("a,b,c\n1,2,3\n", ["3 columns"]), ("", ["empty"])])
def test_bad_files_of_priors(folder, text, needles):
    (folder / "f.csv").write_text(text)
    refused(run("evaluate", "two.suffice", "two.csv", "--prior", "f.csv", folder=folder), 1, *needles)


@pytest.mark.parametrize("text,needle", [("{", "not valid JSON"), ("[1, 2]", "JSON object"), ('{"bad": "3"}', "'bad'")])
def test_bad_json(folder, text, needle):
    (folder / "f.json").write_text(text)
    refused(run("evaluate", "two.suffice", "two.csv", "--prior", "f.json", folder=folder), 1, "f.json", needle)
    refused(run("evaluate", "two.suffice", "two.csv", "--prior", "absent.csv", folder=folder), 1, "absent.csv")


COSTS = {
    "matrix": ",bad,good\nbad,0,5\ngood,1,0\n",
    "other_order": ",good,bad\ngood,0,1\nbad,5,0\n",
    "corner": "true\\decided,bad,good\nbad,0,5\ngood,1,0\n",
    "prefix": "x,decided:good,decided:bad\ntrue_good,0,1\ntrue_bad,5,0\n",
    "header_only": "good,bad\n0,1\n5,0\n",
    "prefix_header_only": "pred.good,pred.bad\n0,1\n5,0\n",
    "numbers_only": "0,5\n1,0\n",
    "list": "true,decided,cost\nbad,good,5\n",
    "any_list": "Actual,Predicted,Loss\nbad,good,5\ngood,bad,1\n",
    "indexed_list": ",truth,decision,cost\n0,bad,good,5\n1,good,bad,1\n",
}


@pytest.mark.parametrize("form", COSTS)
def test_files_of_costs(folder, form):
    (folder / f"c_{form}.csv").write_text(COSTS[form])
    assert report(folder, "two", "--cost", f"c_{form}.csv") == report(folder, "two", "--cost", "bad>good=5")


def test_costs_of_numbered_classes(folder):
    matrix = np.array([[0, 2, 7], [1, 0, 3], [4, 1, 0]])
    plain = report(folder, "three", "--cost",
                   ",".join(f"{i}>{j}={matrix[i, j]}" for i in range(3) for j in range(3) if i != j))
    frame = pandas.DataFrame(matrix)
    frame.to_csv(folder / "named.csv")
    frame.to_csv(folder / "header.csv", index=False)
    frame.to_csv(folder / "plain.csv", index=False, header=False)
    frame.add_prefix("decided ").to_csv(folder / "prefix.csv", index=False)
    frame.stack().reset_index().set_axis(["truth", "decision", "price"], axis=1).to_csv(folder / "list.csv", index=False)
    (folder / "c.json").write_text(json.dumps({str(i): {str(j): int(matrix[i, j]) for j in range(3)} for i in range(3)}))
    for name in ("named.csv", "header.csv", "plain.csv", "prefix.csv", "list.csv", "c.json"):
        assert report(folder, "three", "--cost", name) == plain, name


@pytest.mark.parametrize("text,needles", [
    (",bad,goood\nbad,0,5\ngood,1,0\n", ["f.csv:1", "'goood'", "'good'"]),
    (",bad,good\nbad,0,5\ngoood,1,0\n", ["f.csv:3", "'goood'"]),
    ("Actual,Predicted,Loss\nbad,goood,5\n", ["f.csv:2", "'goood'"]),
    (",bad,good\nbad,0,much\ngood,1,0\n", ["f.csv:2", "'much'"]),
    (",bad,bad\nbad,0,5\ngood,1,0\n", ["f.csv:1", "twice"]),
    ("1,2,3\n4,5,6\n", ["2 lines", "3 cells"])])
def test_bad_files_of_costs(folder, text, needles):
    (folder / "f.csv").write_text(text)
    refused(run("evaluate", "two.suffice", "two.csv", "--cost", "f.csv", folder=folder), 1, *needles)


def test_names_with_separators(folder):
    """A name in quotes on the line decides as the same name in a file, where only CSV's rules hold."""
    (folder / "p.csv").write_text('class,prior\n"a,b",0.3\nc>d=1,0.7\n')
    (folder / "c.csv").write_text('true,decided,cost\n"a,b",c>d=1,7\n')
    line = report(folder, "odd", "--prior", '"a,b"=0.3,"c>d=1"=0.7', "--cost", '"a,b">"c>d=1"=7')
    assert line == report(folder, "odd", "--prior", "p.csv", "--cost", "c.csv")
    assert line["prior"] == [0.3, 0.7] and line["confusion"]["labels"] == ["a,b", "c>d=1"]


def test_every_verb_takes_them(folder):
    (folder / "p.csv").write_text("class,prior\nbad,0\ngood,2\n")
    (folder / "price.csv").write_text(COSTS["matrix"])
    assert set(good("predict", "two.suffice", "two.csv", "--prior", "p.csv", folder=folder).split()) == {"label", "good"}
    drawn = good("sample", "two.suffice", "-n", "20", "--prior", "p.csv", folder=folder).split()[1:]
    assert all(row.endswith("good") for row in drawn)
    good("select", "two.csv", "--label", "y", "--covariance", "tied", "--prior", "p.csv", "--cost", "price.csv",
         "--criterion", "cost", "-o", "s.suffice", folder=folder)
    refused(run("predict", "two.suffice", "two.csv", "--prior", "p.csv", "-o", "p.csv", folder=folder), 2, "p.csv")
