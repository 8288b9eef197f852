"""LIBSVM tables through the program: in one reading, from standard input, and as sparse rows that give
the answers of the same rows in a CSV file."""

import csv
import io
import json
import random

import pytest

from program import good, good_json, refused, rows_of, run

COLUMNS = 12


def table(seed, rows, counts):
    source = random.Random(seed)
    result = []
    for i in range(rows):
        label = "ab"[i % 2]
        row = [0.0] * COLUMNS
        for j in source.sample(range(COLUMNS), 4):
            shift = 2 if (label == "b") == (j % 2 == 0) else 0
            row[j] = source.randint(1, 4 + shift) if counts else source.gauss(shift, 1) + 0.5
        result.append((label, row))
    return result


def as_libsvm(rows):
    return "".join(
        f"{label} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row) if x) + "\n"
        for label, row in rows
    )


def as_csv(rows):
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["label", *(f"x{j}" for j in range(COLUMNS))])
    out.writerows([label, *row] for label, row in rows)
    return text.getvalue()


MODELS = [
    (False, ("--covariance", "diag")),
    (False, ("--covariance", "tied-diag")),
    (False, ("--covariance", "spherical")),
    (False, ("--covariance", "tied-diag", "--tails", "5")),
    (True, ("--family", "*=multinomial")),
    (True, ("--family", "*=poisson")),
]


@pytest.mark.parametrize("counts, words", MODELS)
def test_answers_are_those_of_dense_rows(tmp_path, counts, words):
    rows = table(1, 80, counts)
    sparse, dense = tmp_path / "rows.libsvm", tmp_path / "rows.csv"
    sparse.write_text(as_libsvm(rows))
    dense.write_text(as_csv(rows))
    found = {}
    for path in (sparse, dense):
        model = path.with_suffix(path.suffix + ".suffice")
        good("fit", path, "--label", "label", *words, "--smoothing", "1", "-o", model)
        answers = rows_of(good("predict", model, path, "--output", "loglik", "--digits", "full"))
        found[path] = [float(row[f"loglik:{c}"]) for row in answers for c in "ab"]
        figures = good_json("evaluate", model, path)
        found[path] += [figures["error_rate"], figures["log_loss"]]
    assert found[sparse] == pytest.approx(found[dense], rel=1e-10)


def test_standard_input(tmp_path):
    rows = tmp_path / "rows.libsvm"
    text = as_libsvm(table(2, 60, True))
    rows.write_text(text)
    words = ("--format", "libsvm", "--family", "*=multinomial", "--covariance", "diag")
    piped, whole = tmp_path / "piped.suffice", tmp_path / "whole.suffice"
    good("fit", "-", *words, "-o", piped, input=text.encode())
    good("fit", rows, *words, "-o", whole)
    assert piped.read_bytes() == whole.read_bytes()
    assert good("predict", whole, "-", "--format", "libsvm", input=text.encode()) == good(
        "predict", whole, rows)
    piped_figures = good_json("evaluate", whole, "-", "--format", "libsvm", input=text.encode())
    assert piped_figures["confusion"] == good_json("evaluate", whole, rows)["confusion"]
    good("stats", "-", "--format", "libsvm", "--family", "*=multinomial", "-o",
         tmp_path / "piped.stats", input=text.encode())


def test_every_verb_that_trains_takes_standard_input(tmp_path):
    """The same bytes as from a file, also of values that are no whole numbers."""
    rows = tmp_path / "rows.libsvm"
    text = as_libsvm(table(3, 300, False))
    rows.write_text(text)
    for words in (("--covariance", "tied-diag"), ("--covariance", "tied"), ()):
        found = []
        for path, given in ((rows, None), ("-", text.encode())):
            model = tmp_path / "m.suffice"
            good("fit", path, "--format", "libsvm", *words, "-o", model, input=given)
            found.append(model.read_bytes())
        assert found[0] == found[1], words
    names = ("--format", "libsvm", "--covariance", "diag,tied-diag", "--json", "-o", model)
    from_file, piped = (json.loads(good("select", path, *names, input=given))["candidates"]
                        for path, given in ((rows, None), ("-", text.encode())))
    assert len(from_file) == len(piped) == 2
    for one, other in zip(from_file, piped):
        assert (one["log_loss"], one["error_rate"]) == (other["log_loss"], other["error_rate"])


def test_columns_that_the_model_does_not_know(tmp_path):
    model, new = tmp_path / "m.suffice", tmp_path / "new.libsvm"
    train = tmp_path / "train.libsvm"
    train.write_text("a 1:2 2:1\nb 2:3\na 1:1\nb 2:2 3:1\n")
    good("fit", train, "--family", "*=multinomial", "--covariance", "diag", "-o", model)
    new.write_text("a 1:2 900:5\nb 70:1\n")
    answer = run("predict", model, new)
    assert answer.returncode == 0
    assert "2 values in columns that the model does not have" in answer.stderr.decode()
    known = tmp_path / "known.libsvm"
    known.write_text("a 1:2\nb\n")
    assert good("predict", model, known) == answer.stdout.decode()


@pytest.mark.parametrize("text, family, needles", [
    ("a 1:1\nb 2:1 1:1 2:3\n", "multinomial", [":2:11:", "comes twice"]),
    ("a 1:1\nb 2:-1\n", "multinomial", [":2", "'x1'", "-1"]),
    ("a 1:1\nb 2:1.5\n", "poisson", [":2", "'x1'", "1.5"]),
    ("a 1:1\nb 2:2\n", "bernoulli", [":2", "'x1'", "2"]),
    ("a 1:1\nb 2:nan\n", "multinomial", [":2", "'x1'"]),
    ("a 1:1\nb 2:inf\n", "gaussian", [":2", "'x1'"]),
    ("a 0:1\nb 2:1\n", "gaussian", [":1:1", "--index-base 0"]),
    ("a 1:1\nb -2:1\n", "gaussian", [":2:3", "not between"]),
    ("a 1:1\nb 2:1 3:", "gaussian", [":2:9", "index 3", "not a number"]),
    ("a 1:1\nb 2:1 3", "gaussian", [":2:7", "index:value"]),
    ("a 1:1\nb 99999999999999999999:1\n", "gaussian", [":2:3"]),
])
def test_bad_values(tmp_path, text, family, needles):
    path = tmp_path / "rows.libsvm"
    path.write_text(text)
    refused(run("fit", path, "--family", f"*={family}", "--covariance", "diag", "-o",
                tmp_path / "m.suffice"), 1, *needles)
    assert not (tmp_path / "m.suffice").exists()


def test_order_does_not_matter_and_nan_is_missing(tmp_path):
    straight, mixed = tmp_path / "a.libsvm", tmp_path / "b.libsvm"
    straight.write_text("a 1:1 2:nan\na 1:2 2:4\nb 1:5 2:1\nb 2:3\n")
    mixed.write_text("a 2:nan 1:1\na 2:4 1:2\nb 2:1 1:5\nb 2:3\n")
    shown = []
    for path in (straight, mixed):
        sums = path.with_suffix(".stats")
        good("stats", path, "--covariance", "diag", "-o", sums)
        shown.append(good_json("show", sums))
    assert shown[0] == shown[1]
    assert shown[0]["blocks"][0]["weight"] == [[2, 1], [2, 2]]
    assert shown[0]["blocks"][0]["mean"] == [[1.5, 4], [2.5, 2]]


@pytest.mark.parametrize("text, columns", [
    ("a 3:1 7:1 2:1\nb 5:1\n", 7),  # not in order
    ("a 3:1 # 9:1\nb 2:1 # 8:1", 3),  # comments are none, nor is the end of a file one
    ("a qid:12 2:1\nb qid:13 1:1\n", 2),
    ("a 0000000000000000004:1\nb\t2:1\r\n", 4),
    ("a 1:1\n\nb 2:0\n", 2),
])
def test_the_largest_index_is_the_number_of_columns(tmp_path, text, columns):
    """Rows are kept, parsed, until the largest index is known."""
    path, sums, piped = tmp_path / "rows.libsvm", tmp_path / "a.stats", tmp_path / "b.stats"
    path.write_bytes(text.encode())
    good("stats", path, "--family", "*=multinomial", "-o", sums)
    assert good_json("show", sums)["blocks"][0]["features"] == [f"x{j}" for j in range(columns)]
    good("stats", "-", "--format", "libsvm", "--family", "*=multinomial", "-o", piped,
         input=text.encode())
    assert piped.read_bytes() == sums.read_bytes()


def test_names(tmp_path):
    names, rows, model = tmp_path / "names.txt", tmp_path / "rows.libsvm", tmp_path / "m.suffice"
    names.write_text("cat\ndog\nbird\n")
    rows.write_text("a 1:2 2:1\nb 2:3\n")
    words = ("--names", names)
    good("fit", rows, *words, "--family", "*=multinomial", "--covariance", "diag", "-o", model)
    assert good_json("show", model)["blocks"][0]["features"] == ["cat", "dog", "bird"]
    good("predict", model, rows, *words)
    beyond = tmp_path / "beyond.libsvm"
    beyond.write_text("a 1:1\nb 4:1\n")
    for work in (("predict", model, beyond), ("stats", beyond, "-o", tmp_path / "out.stats")):
        refused(run(*work, *words), 1, "beyond.libsvm:2", "the index 4 has no name")
    refused(run("predict", model, rows), 1, "--names")


def test_the_default_model_of_a_wide_file(tmp_path):
    """A sample of a few rows cannot choose: a model that needs no choice, and a hint."""
    source = random.Random(5)
    rows = tmp_path / "wide.libsvm"
    rows.write_text("".join(
        f"{'ab'[i % 2]} " + " ".join(
            f"{j}:{source.randint(1, 9)}" for j in sorted(source.sample(range(1, 600_001), 20)))
        + "\n" for i in range(300)))
    fitted = run("fit", rows, "-o", tmp_path / "m.suffice", "--json", timeout=300)
    assert fitted.returncode == 0, fitted.stderr
    assert "multinomial" in fitted.stdout.decode() + fitted.stderr.decode()
