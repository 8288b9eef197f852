"""Wrong commands and bad files: the exit code of the contract, one message that says what, where and
what to do, and nothing left behind.

Exit code 2: the command is wrong, known before any file is opened. 1: everything else.
"""
import gzip
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from program import BINARY, content, good, refused, rows_of, run, start

ROWS = "a,b,y\n" + "".join(f"{i % 7}.5,{i * i % 11},{'pq'[i % 2]}\n" for i in range(40))


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with a good table, a model and statistics of it."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "good.csv").write_text(ROWS)
    good("fit", "good.csv", "--label", "y", "-o", "good.suffice", folder=folder)
    good("stats", "good.csv", "--label", "y", "-o", "good.stats", folder=folder)
    return folder


@pytest.fixture
def folder(tmp_path, template):
    """A copy of it."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path


def fails(folder, code, words, *needles, **keywords):
    """The command fails with this code and message, and the folder is as it was."""
    before = content(folder)
    message = refused(run(*words, folder=folder, **keywords), code, *needles)
    assert content(folder) == before, "files were written"
    return message


# ---- Tables

MANY = 20000
TABLES = {  # content, words of the message
    "empty": (b"", ["bad.csv", "empty"]),
    "blank_lines": (b"\n\n\n", ["bad.csv"]),
    "header_only": (b"a,b,y\n", ["bad.csv", "no rows"]),
    "short_row": (b"a,b,y\n1,2,p\n3,4\n5,6,q\n", ["bad.csv:3", "2", "3"]),
    "long_row": (b"a,b,y\n1,2,p\n3,4,q,7\n", ["bad.csv:3", "4", "3"]),
    "duplicate_names": (b"a,a,y\n1,2,p\n3,4,q\n", ["bad.csv:1", "'a'", "column 2"]),
    "no_such_label": (b"a,b,yy\n1,2,p\n3,4,q\n", ["'y'", "yy"]),
    "label_missing": (b"a,b,y\n1,2,\n3,4,NA\n", ["y"]),
    "infinity": (b"a,b,y\n1,2,p\n3,inf,q\n5,6,p\n", ["bad.csv:3", "b", "inf"]),
    "too_large": (b"a,b,y\n1,2,p\n3,1e999,q\n5,6,p\n", ["bad.csv:3", "b"]),
    "late_word": (ROWS.encode() + b"1,2,p\n" * MANY + b"3,oops,q\n",
                  [f"bad.csv:{MANY + 42}", "'b'", "'oops'", "--family", "categorical", "--na"]),
    "unclosed_quote": (b'a,b,y\n1,2,p\n3,"4,q\n5,6,p\n', ["bad.csv:3", "quot"]),
    "not_utf8": (b"a,b,y\n1,\xff\xfe,p\n3,\xe9t\xe9,q\n", ["bad.csv:2", "'b'", "UTF-8", "iconv"]),
    "header_not_utf8": (b"a,\xe9t\xe9,y\n1,2,p\n3,4,q\n", ["bad.csv:1", "UTF-8"]),
    "label_not_utf8": (b"a,b,y\n1,2,p\n3,4,\xe9t\xe9\n", ["bad.csv:3", "'y'", "UTF-8"]),
    "utf16": ("a,b,y\n1,2,p\n".encode("utf-16"), ["bad.csv", "UTF-16", "iconv"]),
    "nul_bytes": (b"a,b,y\n1,2,p\n3,\0\0,q\n", ["bad.csv", "bytes 0"]),
    "binary": (bytes(range(1, 256)) * 40, ["bad.csv"]),
    "program": (BINARY.read_bytes()[:100000] if BINARY.exists() else b"\x7fELF", ["bad.csv"]),
    "zip": (b"PK\x03\x04" + bytes(100), ["bad.csv", "zip"]),
    "truncated_gzip": (gzip.compress(ROWS.encode())[:-20], ["bad.csv", "gzip", "truncated"]),
    "damaged_gzip": (gzip.compress(ROWS.encode() * 50)[:60] + bytes(100)
                     + gzip.compress(ROWS.encode() * 50)[160:], ["bad.csv", "gzip", "damaged"]),
    "gzip_rubbish": (gzip.compress(ROWS.encode()) + b"rubbish", ["bad.csv", "gzip"]),
}


@pytest.mark.parametrize("verb", ["fit", "stats"])
@pytest.mark.parametrize("name", TABLES)
def test_bad_tables(folder, name, verb):
    text, needles = TABLES[name]
    (folder / "bad.csv").write_bytes(text)
    fails(folder, 1, [verb, "bad.csv", "--label", "y", "-o", "out"], *needles)


@pytest.mark.parametrize("name", ["empty", "short_row", "late_word", "unclosed_quote", "infinity",
                                  "truncated_gzip", "not_utf8"])
def test_bad_tables_to_predict(folder, name):
    """Nor is a half-written table of predictions left."""
    text, needles = TABLES[name]
    needles = [n for n in needles if not n.startswith("--")]
    if name == "not_utf8":
        needles = ["bad.csv:2", "'b'"]
    (folder / "bad.csv").write_bytes(text)
    fails(folder, 1, ["predict", "good.suffice", "bad.csv", "-o", "out.csv"], *needles[:2])
    fails(folder, 1, ["evaluate", "good.suffice", "bad.csv"], *needles[:2])


def test_advice_on_a_word_fits_the_verb(folder):
    """The family is the model's in predict and evaluate, and a weight has none."""
    (folder / "bad.csv").write_bytes(TABLES["late_word"][0])
    needles = ["'oops' is not a number; correct the cell; if this stands for a missing value, use --na oops"]
    fails(folder, 1, ["predict", "good.suffice", "bad.csv", "-o", "out.csv"], *needles)
    fails(folder, 1, ["evaluate", "good.suffice", "bad.csv"], *needles)
    fails(folder, 1, ["stats", "bad.csv", "--label", "y", "--like", "good.suffice", "-o", "out"], *needles)
    fails(folder, 1, ["fit", "bad.csv", "--label", "y", "--weight", "b", "-o", "out"], *needles)
    fails(folder, 1, ["fit", "bad.csv", "--label", "y", "-o", "out"], "--family 'b=categorical'", "--na oops")


def test_a_word_after_many_rows_can_be_accepted(folder):
    """What the message of the late word says does help."""
    (folder / "bad.csv").write_bytes(TABLES["late_word"][0])
    for flags in (["--family", "b=categorical"], ["--na", "oops"]):
        good("fit", "bad.csv", "--label", "y", *flags, "-o", "out", folder=folder)


def test_truncated_parquet_arrow_and_npy(folder):
    pyarrow = pytest.importorskip("pyarrow", reason="Arrow writes the files of this test")
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet
    table = pyarrow.csv.read_csv(folder / "good.csv")
    pyarrow.parquet.write_table(table, folder / "t.parquet")
    pyarrow.feather.write_feather(table, folder / "t.feather")
    np.save(folder / "t.npy", np.stack([table["a"].to_numpy(), table["b"].to_numpy()], axis=1))
    (folder / "y.csv").write_text("y\n" + "".join(f"{y}\n" for y in table["y"].to_pylist()))
    for name in ("t.parquet", "t.feather", "t.npy"):
        whole = (folder / name).read_bytes()
        for size in (len(whole) // 2, len(whole) - 3, 20, 0):
            (folder / name).write_bytes(whole[:size])
            label = ["--labels", "y.csv"] if name == "t.npy" else ["--label", "y"]
            fails(folder, 1, ["fit", name, *label, "-o", "out"], name)
        (folder / name).write_bytes(bytes(len(whole)))
        fails(folder, 1, ["fit", name, *label, "-o", "out"], name)


@pytest.mark.parametrize("damage", [b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8'  ",
                                    b"\x93NUMPY\x01\x00\xff\xff" + b"{" * 70000])
def test_damaged_npy(folder, damage):
    (folder / "t.npy").write_bytes(damage)
    (folder / "y.csv").write_text("y\np\nq\n")
    fails(folder, 1, ["fit", "t.npy", "--labels", "y.csv", "-o", "out"], "t.npy")


def test_objects_in_npy_are_refused(folder):
    """They are pickles: programs, not data."""
    np.save(folder / "t.npy", np.array([[1, "a"], [2, None]], dtype=object), allow_pickle=True)
    (folder / "y.csv").write_text("y\np\nq\n")
    fails(folder, 1, ["fit", "t.npy", "--labels", "y.csv", "-o", "out"], "t.npy")


@pytest.mark.parametrize("text,needles", [
    ("0 1:2\n1 2:x\n", ["t.libsvm:2"]),
    ("0 1:2\n1 2\n", ["t.libsvm:2"]),
    ("0 1:1 1:1\n1 1:1\n", ["t.libsvm:1", "twice"]),
    ("0 0:1\n1 1:1\n", ["t.libsvm:1", "--index-base"]),
    ("0 -3:1\n1 1:1\n", ["t.libsvm:1"]),
    ("", ["t.libsvm"]),
])
def test_bad_libsvm(folder, text, needles):
    (folder / "t.libsvm").write_text(text)
    fails(folder, 1, ["fit", "t.libsvm", "--family", "*=multinomial", "-o", "out"], *needles)


@pytest.mark.parametrize("labels,words", [("y\np\nq\n", ["fewer"]), ("y\n" + "p\nq\n" * 30, ["more"])])
def test_labels_of_another_length(folder, labels, words):
    (folder / "y.csv").write_text(labels)
    (folder / "x.csv").write_text("a,b\n" + "".join(f"{i % 7},{i * i % 5}\n" for i in range(40)))
    fails(folder, 1, ["fit", "x.csv", "--labels", "y.csv", "-o", "out"], "y.csv", *words)


def test_one_class(folder):
    (folder / "bad.csv").write_text("a,b,y\n" + "".join(f"{i % 5},{i % 3},p\n" for i in range(30)))
    message = fails(folder, 1, ["select", "bad.csv", "--label", "y", "-o", "out"], "'p'", "two classes")
    assert len(message.splitlines()) == 1


def test_a_column_without_values(folder):
    """A model that is named needs some; statistics of a part may lack them."""
    (folder / "bad.csv").write_text("a,b,y\n,1,p\n,2,q\n,3,p\n,4,q\n")
    fails(folder, 1, ["fit", "bad.csv", "--label", "y", "--covariance", "diag", "-o", "out"], "'a'", "no value", "--ignore")
    good("stats", "bad.csv", "--label", "y", "-o", "out", folder=folder)


def test_negative_weights(folder):
    (folder / "bad.csv").write_text("a,b,w,y\n1,2,1,p\n3,4,-2,q\n5,1,1,p\n")
    fails(folder, 1, ["stats", "bad.csv", "--label", "y", "--weight", "w", "-o", "out"],
          "bad.csv:3", "-2", "weight")
    (folder / "bad.csv").write_text("a,b,w,y\n1,2,1,p\n3,4,much,q\n5,1,1,p\n")
    fails(folder, 1, ["stats", "bad.csv", "--label", "y", "--weight", "w", "-o", "out"],
          "w", "much")
    fails(folder, 1, ["stats", "good.csv", "--label", "y", "--weight", "w", "-o", "out"], "'w'")


def test_counts_that_are_none(folder):
    (folder / "bad.csv").write_text("a,y\n1,p\n2.5,q\n3,p\n")
    fails(folder, 1, ["fit", "bad.csv", "--label", "y", "--family", "a=poisson", "-o", "out"],
          "bad.csv:3", "a", "2.5")
    fails(folder, 1, ["fit", "bad.csv", "--label", "y", "--family", "a=bernoulli", "-o", "out"],
          "bad.csv:3", "a", "2.5")


def test_singular_covariance(folder):
    (folder / "bad.csv").write_text("a,b,c,y\n" + "".join(
        f"{i % 5},{2 * (i % 5)},{i % 7},{'pq'[i % 2]}\n" for i in range(50)))
    message = fails(folder, 1, ["fit", "bad.csv", "--label", "y", "--covariance", "full", "--shrinkage", "0", "-o", "out"],
                    "rank", "--covariance", "--shrinkage auto")
    assert "b" in message
    good("fit", "bad.csv", "--label", "y", "-o", "out", folder=folder)  # shrinkage is the way out
    good("fit", "bad.csv", "--label", "y", "--covariance", "diag", "-o", "out", folder=folder)


def test_a_field_of_ten_megabytes(folder):
    """As text it is one more level; where a number belongs it is named in short."""
    big = "x" * 10_000_000
    (folder / "big.csv").write_text("a,y\n" + "u,p\nv,q\n" * 20 + f"{big},p\n")
    good("fit", "big.csv", "--label", "y", "-o", "out", folder=folder)
    (folder / "out").unlink()
    (folder / "big.csv").write_text(f"a,b,y\n1,2,p\n2,3,q\n3,{big},q\n")
    fails(folder, 1, ["fit", "big.csv", "--label", "y", "--family", "b=gaussian", "-o", "out"],
          "big.csv:4", "'b'")


def test_a_million_columns(folder):
    """A covariance would have 8 TB; a thin factor of two rows is no larger than the table."""
    header = ",".join(f"c{j}" for j in range(1_000_000)) + ",y\n"
    rows = [f"{'1,5,2,8,3,' * 200_000}p\n", f"{'7,1,2,2,9,' * 200_000}q\n"]
    (folder / "wide.csv").write_text(header + "".join(rows))
    good("stats", "wide.csv", "--label", "y", "-o", "thin.stats", folder=folder)
    assert (folder / "thin.stats").stat().st_size < 1e8
    good("stats", "wide.csv", "--label", "y", "--covariance", "diag", "-o", "out", folder=folder)


# ---- Files

def test_no_such_file(folder):
    fails(folder, 1, ["fit", "goud.csv", "--label", "y", "-o", "out"], "goud.csv", "good.csv")
    fails(folder, 1, ["fit", "nothing-*.csv", "--label", "y", "-o", "out"], "nothing-*.csv")
    fails(folder, 1, ["predict", "missing.suffice", "good.csv"], "missing.suffice")
    fails(folder, 1, ["show", "missing.suffice"], "missing.suffice")
    fails(folder, 1, ["merge", "good.stats", "missing.stats", "-o", "out"], "missing.stats")
    fails(folder, 1, ["evaluate", "good.suffice", "good.csv", "--cost", "missing.csv"], "missing.csv")


def test_a_folder_without_tables(folder):
    (folder / "sub").mkdir()
    fails(folder, 1, ["fit", "sub", "--label", "y", "-o", "out"], "'sub'", ".csv")
    (folder / "sub" / "notes.md").write_text("nothing")
    fails(folder, 1, ["fit", "sub", "--label", "y", "-o", "out"], "'sub'", ".csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_permissions(folder):
    (folder / "good.csv").chmod(0)
    refused(run("fit", "good.csv", "--label", "y", "-o", "out", folder=folder), 1, "good.csv")
    (folder / "good.csv").chmod(0o600)
    (folder / "shut").mkdir(mode=0o500)
    fails(folder, 1, ["fit", "good.csv", "--label", "y", "-o", "shut/out"], "shut/out")


def test_files_with_other_columns(folder):
    (folder / "other.csv").write_text("a,c,y\n1,2,p\n")
    fails(folder, 1, ["fit", "good.csv", "other.csv", "--label", "y", "-o", "out"], "other.csv", "'b'")
    fails(folder, 1, ["predict", "good.suffice", "other.csv"], "'b'")
    fails(folder, 1, ["evaluate", "good.suffice", "other.csv"], "'b'")
    (folder / "other.csv").write_text("a,b\n1,2\n")
    fails(folder, 1, ["evaluate", "good.suffice", "other.csv"], "'y'", "--label")
    good("predict", "good.suffice", "other.csv", folder=folder)


def test_a_model_where_statistics_belong_and_the_other_way_round(folder):
    fails(folder, 1, ["merge", "good.stats", "good.suffice", "-o", "out"], "good.suffice", "model")
    fails(folder, 1, ["subtract", "good.suffice", "good.stats", "-o", "out"], "good.suffice", "model")
    fails(folder, 1, ["predict", "good.stats", "good.csv"], "good.stats", "statistics", "fit")
    fails(folder, 1, ["evaluate", "good.stats", "good.csv"], "good.stats", "statistics")
    fails(folder, 1, ["sample", "good.stats", "-n", "3"], "good.stats", "statistics")
    fails(folder, 1, ["predict", "good.csv", "good.csv"], "good.csv")
    fails(folder, 1, ["show", "good.csv"], "good.csv")
    fails(folder, 1, ["predict", "good.suffice", "good.suffice"], "good.suffice", "table")
    os.rename(folder / "good.suffice", folder / "model.stats")
    fails(folder, 1, ["fit", "model.stats", "-o", "out"], "model.stats", "model")


@pytest.mark.parametrize("name", ["good.suffice", "good.stats"])
def test_damaged_files_of_our_own(folder, name):
    whole = (folder / name).read_bytes()
    damaged = bytearray(whole)
    damaged[-5] ^= 1
    for bad in (whole[:-1], whole[:100], whole[:8], b"", whole + b"\0", bytes(damaged)):
        (folder / name).write_bytes(bad)
        fails(folder, 1, ["show", name], name)
        verb = ["predict", name, "good.csv", "-o", "out"] if name == "good.suffice" else [
            "fit", name, "-o", "out"]
        fails(folder, 1, verb, name)


def test_statistics_that_do_not_fit(folder):
    (folder / "other.csv").write_text("a,c,y\n1,2,p\n3,4,q\n5,5,p\n")
    good("stats", "other.csv", "--label", "y", "-o", "other.stats", folder=folder)
    fails(folder, 1, ["merge", "good.stats", "other.stats", "-o", "out"], "other.stats")
    (folder / "more.csv").write_text(ROWS + "1,2,p\n" * 5)
    good("stats", "more.csv", "--label", "y", "-o", "more.stats", folder=folder)
    fails(folder, 1, ["subtract", "good.stats", "more.stats", "-o", "out"], "more.stats")
    good("stats", "good.csv", "--label", "y", "--covariance", "diag", "-o", "diag.stats", folder=folder)
    fails(folder, 1, ["fit", "diag.stats", "--covariance", "full", "-o", "out"], "diag")


# ---- Outputs

def test_output_that_cannot_be_written(folder):
    for words in (["fit", "good.csv", "--label", "y"], ["stats", "good.csv", "--label", "y"],
                  ["predict", "good.suffice", "good.csv"], ["sample", "good.suffice", "-n", "9"],
                  ["merge", "good.stats", "good.stats"]):
        fails(folder, 1, [*words, "-o", "no/such/folder/out"], "no/such/folder")
        fails(folder, 1, [*words, "-o", "/dev/full"], "/dev/full")
        fails(folder, 2, [*words, "-o", "."], "folder")


def test_standard_output_that_is_full(folder):
    for words in (["predict", "good.suffice", "good.csv"], ["show", "good.suffice"],
                  ["evaluate", "good.suffice", "good.csv"], ["sample", "good.suffice", "-n", "9"],
                  ["--help"]):
        with open("/dev/full", "wb") as full:
            process = start(*words, folder=folder, stdout=full)
            _, message = process.communicate(timeout=30)
        assert process.returncode == 1, (words, message)
        assert message.startswith(b"suffice: "), message


def test_a_disk_that_fills_up(folder):
    """Files may grow to 64 kB here, so a write fails in the middle as it does on a full disk."""
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = content(folder)
    for name in ("out.csv", "good.csv"):  # a new file, and one that is there and must stay
        process = start("sample", "good.suffice", "-n", "100000", "-o", name, folder=folder,
                        stdout=subprocess.PIPE, preexec_fn=small_files, restore_signals=False)
        out, message = process.communicate(timeout=30)
        assert process.returncode == 1 and out == b""
        assert message.startswith(b"suffice: ") and name.encode() in message
        assert message.count(b"\n") == 1
        assert content(folder) == before


def test_an_output_among_the_inputs(folder):
    (folder / "link.csv").symlink_to("good.csv")
    os.link(folder / "good.csv", folder / "hard.csv")
    for name in ("good.csv", "./good.csv", "link.csv", "hard.csv"):
        fails(folder, 2, ["fit", "good.csv", "--label", "y", "-o", name], name, "input")
        fails(folder, 2, ["predict", "good.suffice", "good.csv", "-o", name], name, "input")
    fails(folder, 2, ["predict", "good.suffice", "good.csv", "-o", "good.suffice"], "good.suffice")
    fails(folder, 2, ["merge", "good.stats", "good.stats", "-o", "good.stats"], "good.stats")
    (folder / "sub").mkdir()
    (folder / "sub" / "t.txt").write_text(ROWS)
    result = run("fit", "sub", "--label", "y", "-o", "sub/t.txt", folder=folder)
    assert result.returncode in (1, 2) and (folder / "sub" / "t.txt").read_bytes() == ROWS.encode()


def test_two_outputs(folder):
    fails(folder, 2, ["fit", "good.csv", "--label", "y", "-o", "one", "-o", "two"], "one", "two", "twice")


def test_a_failure_keeps_the_old_file(folder):
    (folder / "bad.csv").write_text("a,b,y\n1,2,p\n3\n")
    fails(folder, 1, ["fit", "bad.csv", "--label", "y", "-o", "good.suffice"], "bad.csv:3")
    fails(folder, 1, ["stats", "bad.csv", "--label", "y", "-o", "good.stats"], "bad.csv:3")


# ---- Commands

COMMANDS = [  # words, words of the message; exit code 2
    (["fitt", "good.csv"], ["fitt", "fit"]),
    (["fit"], ["DATA"]),
    (["fit", "good.csv"], ["--label"]),
    (["fit", "good.csv", "--labl", "y"], ["--labl", "--label"]),
    (["fit", "good.csv", "--label"], ["--label"]),
    (["fit", "good.csv", "--label", "--quiet"], ["--label", "--quiet"]),
    (["fit", "good.csv", "--label", "y", "--covariance", "tide"], ["--covariance", "tide", "tied"]),
    (["fit", "good.csv", "--label", "y", "--family", "a=gausian"], ["gausian", "gaussian"]),
    (["fit", "good.csv", "--label", "y", "--family", "gaussian"], ["--family", "COLUMN=FAMILY"]),
    (["fit", "good.csv", "--label", "y", "--smoothing", "-1"], ["--smoothing", "-1"]),
    (["fit", "good.csv", "--label", "y", "--smoothing", "x"], ["--smoothing", "'x'"]),
    (["fit", "good.csv", "--label", "y", "--normalize", "mlee"], ["--normalize", "mle"]),
    (["fit", "good.csv", "--label", "y", "--threads", "0"], ["--threads", "0"]),
    (["fit", "good.csv", "--label", "y", "--threads", "two"], ["--threads", "two"]),
    (["fit", "good.csv", "--label", "y", "--format", "xls"], ["--format", "xls", "csv"]),
    (["fit", "good.csv", "--label", "y", "--prior", "uniform"], ["--prior"]),
    (["fit", "good.csv", "--label", "y", "--weight", "y"], ["--weight", "y"]),
    (["fit", "good.csv", "good.stats", "--label", "y"], ["stats"]),
    (["fit", "good.stats", "--label", "y"], ["--label"]),
    (["stats", "good.csv", "--label", "y"], ["-o"]),
    (["stats", "good.csv", "--label", "y", "--covariance", "spherical", "-o", "out"], ["tied", "diag"]),
    (["predict", "good.suffice"], ["DATA"]),
    (["predict", "good.suffice", "good.csv", "--prior", "unifrom"], ["unifrom", "uniform"]),
    (["predict", "good.suffice", "good.csv", "--prior", "0.5,much"], ["--prior", "'much'"]),
    (["predict", "good.suffice", "good.csv", "--prior", "0.5,-1"], ["--prior", "-1", "negative"]),
    (["predict", "good.suffice", "good.csv", "--prior", "p=1.5,q=-0.5"], ["--prior", "-0.5"]),
    (["predict", "good.suffice", "good.csv", "--prior", "p=0.5,p=0.5"], ["p", "twice"]),
    (["predict", "good.suffice", "good.csv", "--cost", "p>q=much"], ["--cost", "p>q=much"]),
    (["predict", "good.suffice", "good.csv", "--reject", "-1"], ["--reject", "-1"]),
    (["predict", "good.suffice", "good.csv", "--outlier", "2"], ["--outlier", "2"]),
    (["predict", "good.suffice", "good.csv", "--output", "probs"], ["probs", "proba"]),
    (["predict", "good.suffice", "good.csv", "--cost", "x" * 700 + ">y"], ["TRUE>DECIDED=COST"]),
    (["merge", "good.stats"], ["-o"]),
    (["subtract", "good.stats", "-o", "out"], ["PART.stats"]),
    (["sample", "good.suffice"], ["-n"]),
    (["sample", "good.suffice", "-n", "-3"], ["-n", "-3"]),
    (["show", "good.suffice", "good.stats"], ["good.stats"]),
    (["select", "good.csv"], ["--label"]),
    (["fit", "good.csv", "--label", "y", "--shrinkage", "1.1"], ["--shrinkage", "1.1"]),
    (["fit", "good.csv", "--label", "y", "--lda", "0"], ["--lda", "0"]),
    (["fit", "good.csv", "--label", "y", "--pca", "2", "--lda", "3"], ["lda", "2 here, not 3"]),
    (["fit", "good.csv", "--label", "y", "--transform", "x=ln"], ["--transform", "ln", "log"]),
    (["fit", "good.csv", "--label", "y", "--transform", "x=log:2"], ["--transform", "log:2", "only signed-log"]),
    (["fit", "good.csv", "--label", "y", "--transform", "x=signed-log:0"], ["signed-log:0", "above 0"]),
    (["fit", "good.csv", "--label", "y", "--transform", "x=signed-log:two"], ["--transform", "two"]),
    (["--quiet", "fit"], ["--quiet"]),
]


@pytest.mark.parametrize("words,needles", COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_wrong_commands(folder, words, needles):
    fails(folder, 2, words, *needles)


def test_wrong_commands_open_no_file(folder):
    """Exit code 2 also where no file exists: it is known before any is opened."""
    for words, _ in COMMANDS:
        nowhere = [w.replace("good.", "nowhere.") for w in words]
        assert run(*nowhere, folder=folder).returncode == 2, nowhere


def test_wrong_threads_in_the_environment(folder):
    fails(folder, 2, ["show", "good.suffice"], "SUFFICE_THREADS", "many",
          environment={"SUFFICE_THREADS": "many"})


@pytest.mark.parametrize("prior", ["p=1", "p=0.5,q=0.25,r=0.25", "P=0.5,q=0.5"])
def test_priors_that_do_not_name_the_classes(folder, prior):
    named = {"p=1": "'q'", "p=0.5,q=0.25,r=0.25": "'r'", "P=0.5,q=0.5": "'P'"}[prior]
    for words in (["predict", "good.suffice", "good.csv"], ["evaluate", "good.suffice", "good.csv"],
                  ["sample", "good.suffice", "-n", "2"]):
        fails(folder, 1, [*words, "--prior", prior], named)


def test_costs_that_do_not_name_the_classes(folder):
    fails(folder, 1, ["evaluate", "good.suffice", "good.csv", "--cost", "p>r=5"], "'r'", "p, q")
    (folder / "cost.csv").write_text("true,decided,cost\np,r,5\n")
    fails(folder, 1, ["evaluate", "good.suffice", "good.csv", "--cost", "cost.csv"], "'r'")
    (folder / "cost.csv").write_text("true,decided,cost\np,q,much\n")
    fails(folder, 1, ["evaluate", "good.suffice", "good.csv", "--cost", "cost.csv"],
          "cost.csv:2", "much")


def test_columns_that_do_not_exist(folder):
    fails(folder, 1, ["fit", "good.csv", "--label", "Y", "-o", "out"], "'Y'", "'y'")
    fails(folder, 1, ["fit", "good.csv", "--label", "y", "--features", "a,bb", "-o", "out"], "bb", "b")
    fails(folder, 1, ["fit", "good.csv", "--label", "y", "--ignore", "zzz", "-o", "out"], "zzz")
    fails(folder, 1, ["fit", "good.csv", "--label", "y", "--family", "zzz=poisson", "-o", "out"], "zzz")
    fails(folder, 1, ["fit", "good.csv", "--label", "y", "--ignore", "*", "-o", "out"], "no column")


# ---- Being stopped

def ended(process, seconds=20):
    """Standard error of a process that must end by itself."""
    try:
        return process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def wait_until_it_listens(process):
    """Until the program handles the signal: on a busy machine that takes a while."""
    for _ in range(2000):
        caught = int(re.search(r"SigCgt:\s*(\w+)",
                               Path(f"/proc/{process.pid}/status").read_text()).group(1), 16)
        if caught >> (signal.SIGINT - 1) & 1:
            break
        assert process.poll() is None, "the file is too small for this test"
        time.sleep(0.01)
    time.sleep(0.2)
    assert process.poll() is None, "the file is too small for this test"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [["fit", "-", "--label", "y", "-o", "out"],
                                   ["predict", "good.suffice", "-", "-o", "out"]])
def test_stopped_while_waiting_for_standard_input(folder, words, how):
    before = content(folder)
    process = start(*words, folder=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    header, rows = ROWS.encode().split(b"\n", 1)
    process.stdin.write(header + b"\n" + rows * 2000)
    process.stdin.flush()
    wait_until_it_listens(process)
    process.send_signal(how)
    # Standard input stays open: the stop must not wait for it.
    process.wait(timeout=20)
    assert process.returncode == 130
    message = process.stderr.read().decode()
    assert message.startswith("suffice: ") and message.count("\n") == 1
    process.stdin.close()
    assert content(folder) == before


@pytest.mark.parametrize("words", [["fit", "large.csv", "--label", "y", "-o", "out"],
                                   ["predict", "good.suffice", "large.csv", "-o", "out"],
                                   ["stats", "large.csv", "--label", "y", "-o", "out"]])
def test_stopped_while_reading_a_large_file(folder, words):
    """A file that takes much longer than the signal: the same few bytes again and again, packed."""
    header, rows = ROWS.split("\n", 1)
    member = gzip.compress((rows * 20000).encode(), 1)
    with open(folder / "large.csv", "wb") as file:
        file.write(gzip.compress((header + "\n").encode()))
        for _ in range(150):
            file.write(member)
    before = sorted(p.name for p in folder.iterdir())
    process = start(*words, folder=folder, stdout=subprocess.PIPE)
    wait_until_it_listens(process)
    process.send_signal(signal.SIGINT)
    message = ended(process).decode()
    assert process.returncode == 130
    assert message.startswith("suffice: ") and message.count("\n") == 1
    assert sorted(p.name for p in folder.iterdir()) == before


def test_quiet_on_a_closed_pipe(folder):
    """suffice predict … | head -1"""
    (folder / "many.csv").write_text("a,b,y\n" + ROWS.split("\n", 1)[1] * 5000)
    for words in (["predict", "good.suffice", "many.csv"], ["sample", "good.suffice", "-n", "500000"]):
        process = start(*words, folder=folder, stdout=subprocess.PIPE)
        first = process.stdout.readline()
        process.stdout.close()
        message = process.stderr.read()
        process.wait(timeout=20)
        assert first == (b"label\n" if words[0] == "predict" else b"a,b,y\n")
        assert message == b""
        assert process.returncode == 0


def test_rows_that_come_one_by_one(folder):
    """A pipe that gives a line at a time: the answers are those of the file, in its order."""
    process = start("predict", "good.suffice", "-", folder=folder, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE)
    out = []
    reader = threading.Thread(target=lambda: out.append(process.stdout.read()))
    reader.start()
    for line in ROWS.splitlines(keepends=True):
        process.stdin.write(line.encode())
        process.stdin.flush()
    process.stdin.close()
    reader.join(20)
    process.wait(20)
    assert process.returncode == 0
    answers = rows_of(out[0].decode())
    assert len(answers) == 40
    assert answers == rows_of(good("predict", "good.suffice", "good.csv", folder=folder))
