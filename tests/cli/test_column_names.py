"""Names for columns that have none, and LIBSVM files under each of their endings."""
import gzip

import numpy as np
import pytest

from program import good, good_json, refused, run

LINES = "+1 1:0.5 3:2\n-1 2:1\n+1 1:0.25 3:1\n-1 2:2 1:-1\n"
MORE = LINES + LINES.replace(":2", ":2.5").replace("0.5", "0.75") + "+1 1:1 3:3\n-1 2:0.5 1:-0.5\n"


@pytest.mark.parametrize("name", ["t.svm", "t.libsvm", "t.svm.gz", "t.libsvm.gz"])
def test_libsvm_needs_no_label(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(LINES.encode()) if name.endswith(".gz") else LINES.encode())
    good("stats", name, "-o", "s", folder=tmp_path)
    good("fit", name, "--covariance", "diag", "-o", "m", folder=tmp_path)
    assert sorted(good_json("show", "s", folder=tmp_path)["labels"]) == ["+1", "-1"]
    assert good("predict", "m", name, folder=tmp_path).split()[1:] == ["+1", "-1", "+1", "-1"]
    (tmp_path / name).write_bytes(gzip.compress(MORE.encode()) if name.endswith(".gz") else MORE.encode())
    assert good_json("select", name, "--covariance", "diag", "--folds", "2", "-o", "m2", folder=tmp_path)["candidates"]


def test_names_of_sparse_features(tmp_path):
    (tmp_path / "t.svm").write_text(LINES)
    (tmp_path / "names.txt").write_text("alpha\r\n beta gamma \ndelta\nnever\n\n")
    good("fit", "t.svm", "--names", "names.txt", "--covariance", "diag", "-o", "m", folder=tmp_path)
    block, = good_json("show", "m", folder=tmp_path)["blocks"]
    assert [*block["features"]][:3] == ["alpha", "beta gamma", "delta"]
    named = good("predict", "m", "t.svm", "--names", "names.txt", folder=tmp_path)
    good("fit", "t.svm", "--covariance", "diag", "-o", "plain", folder=tmp_path)
    assert named == good("predict", "plain", "t.svm", folder=tmp_path)
    # Without names none of the model's columns is there; absent columns are 0, but not all of them.
    refused(run("predict", "m", "t.svm", folder=tmp_path), 1, "none of the model's columns", "--names")
    # The names make it the same table as CSV.
    (tmp_path / "t.csv").write_text("alpha,beta gamma,delta,never\n0.5,0,2,0\n0,1,0,0\n0.25,0,1,0\n-1,2,0,0\n")
    assert good("predict", "m", "t.csv", folder=tmp_path) == named


def test_names_of_arrays_and_plain_lines(tmp_path):
    np.save(tmp_path / "t.npy", np.array([[1.0, 5, 0], [2, 6, 1], [4, 8, 0], [3, 9, 1]]))
    (tmp_path / "t.csv").write_text("1,5,0\n2,6,1\n4,8,0\n3,9,1\n")
    (tmp_path / "names.txt").write_text("u\nv\ny\n")
    for words in (["t.npy"], ["t.csv", "--no-header"]):
        good("stats", *words, "--names", "names.txt", "--label", "y", "-o", "s", folder=tmp_path)
        shown = good_json("show", "s", folder=tmp_path)
        assert shown["blocks"][0]["features"] == ["u", "v"] and shown["blocks"][0]["mean"] == [[2.5, 6.5], [2.5, 7.5]]


@pytest.mark.parametrize("names,needles", [
    ("a\nb\n", ["4 columns", "2"]), ("a\nb\na\nc\n", ["names.txt:3", "'a'", "line 1"]), ("", ["names.txt", "no names"]),
    ("a\n\nb\nc\n", ["names.txt:2", "empty"])])
def test_bad_names(tmp_path, names, needles):
    (tmp_path / "t.csv").write_text("1,5,0,p\n2,6,1,q\n")
    (tmp_path / "names.txt").write_text(names)
    refused(run("stats", "t.csv", "--no-header", "--names", "names.txt", "--label", "c", "-o", "s", folder=tmp_path), 1,
            *needles)


def test_names_for_what_has_names(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,p\n2,q\n")
    (tmp_path / "names.txt").write_text("u\nv\n")
    refused(run("stats", "t.csv", "--names", "names.txt", "--label", "y", "-o", "s", folder=tmp_path), 1,
            "names of its own")
    (tmp_path / "t.svm").write_text(LINES)
    (tmp_path / "few.txt").write_text("u\n")
    refused(run("stats", "t.svm", "--names", "few.txt", "-o", "s", folder=tmp_path), 1, "t.svm:1",
            "the index 3 has no name", "--names has 1")
