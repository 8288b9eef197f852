"""suffice select: scores equal those of fit and evaluate on the folds, one after the other; the grid,
the choice, what is written, and what is refused."""
import csv
import gzip
import io
import math
import re

import pytest

import program
from program import content, refused


def uncalibrated(words):
    """These tests compare with fit and evaluate, which do not calibrate; test_calibrate.py has the
    default."""
    words = [str(word) for word in words]
    if words[0] == "select":
        for flag, value in (("--calibration", "none"), ("--criterion", "error")):
            if flag not in words:
                words += [flag, value]
    return words


def run(*words, **keywords):
    return program.run(*uncalibrated(words), **keywords)


def good(*words, **keywords):
    return program.good(*uncalibrated(words), **keywords)


def good_json(*words, **keywords):
    return program.good_json(*uncalibrated(words), **keywords)


def table(path):
    """Header and rows of a gzipped CSV."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    return header, rows


def write(path, header, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def with_folds(path, folder, count):
    """The table with a column 'part' that names folds, by a rule of our own."""
    header, rows = table(path)
    rows = [row + [f"p{(7 * i) % count}"] for i, row in enumerate(rows)]
    return write(folder / "parts.csv", header + ["part"], rows), header + ["part"], rows


FLAGS = {
    "covariance": "--covariance", "shrinkage": "--shrinkage", "pca": "--pca", "lda": "--lda",
    "estimate": "--estimate", "normalize": "--normalize", "smoothing": "--smoothing",
    "target": "--target", "towards_tied": "--towards-tied", "tails": "--tails"}


def flags_of(options):
    return [word for name, value in options.items() for word in (FLAGS[name], str(value))]


@pytest.mark.parametrize("file, label, grid", [
    ("iris.csv.gz", "species", ["--covariance", "full,tied,diag", "--pca", "none,2,90%",
                                "--shrinkage", "0,auto"]),
    ("wine.csv.gz", "cultivar", ["--covariance", "full,tied-diag", "--lda", "none,2",
                                 "--estimate", "plugin,bayes"]),
    ("penguins.csv.gz", "species", ["--covariance", "tied,diag", "--smoothing", "0.1,1"])])
def test_scores_are_those_of_fit_and_evaluate_on_each_fold(data, tmp_path, file, label, grid):
    path, header, rows = with_folds(data(file), tmp_path, 4)
    chosen = good_json("select", path, "--label", label, "--fold-column", "part", *grid,
                       "-o", tmp_path / "best.suffice")
    assert len(chosen["candidates"]) >= 4
    for candidate in chosen["candidates"]:
        errors, log_loss, total = 0, 0, 0
        for fold in candidate["folds"]:
            train = write(tmp_path / "train.csv", header, [r for r in rows if r[-1] != fold["name"]])
            test = write(tmp_path / "test.csv", header, [r for r in rows if r[-1] == fold["name"]])
            good("fit", train, "--label", label, "--ignore", "part", *flags_of(candidate["options"]),
                 "-o", tmp_path / "fold.suffice")
            slow = good_json("evaluate", tmp_path / "fold.suffice", test)
            assert fold["rows"] == slow["rows"]
            assert fold["error_rate"] == slow["error_rate"]
            assert fold["log_loss"] == pytest.approx(slow["log_loss"], abs=1e-9)
            errors += slow["errors"]
            log_loss += slow["log_loss"] * slow["rows"]
            total += slow["rows"]
        assert candidate["rows"] == total
        assert candidate["error_rate"] == pytest.approx(errors / total, abs=1e-12)
        assert candidate["log_loss"] == pytest.approx(log_loss / total, abs=1e-9)


@pytest.mark.parametrize("file, label", [("iris.csv.gz", "species"), ("wine.csv.gz", "cultivar")])
def test_leaving_out_one_row_is_a_fold_for_each(data, tmp_path, file, label):
    path, _, rows = with_folds(data(file), tmp_path, len(table(data(file))[1]))
    grid = ["--covariance", "full,tied,diag,tied-diag", "--estimate", "plugin,bayes",
            "--shrinkage", "0"]
    out = ["-o", tmp_path / "m.suffice", "--label", label]
    by_fold = good_json("select", path, *out, *grid, "--fold-column", "part")
    at_once = good_json("select", path, *out, *grid, "--ignore", "part", "--folds", "loo")
    for slow, fast in zip(by_fold["candidates"], at_once["candidates"]):
        assert slow["options"] == fast["options"]
        assert len(slow["folds"]) == len(rows) and fast["folds"] == []
        assert fast["error_rate"] == pytest.approx(slow["error_rate"], abs=1e-12)
        assert fast["log_loss"] == pytest.approx(slow["log_loss"], abs=1e-9)
        # Of n rows the deviation over √n, whichever way they come.
        assert fast["error_rate_se"] == pytest.approx(slow["error_rate_se"], abs=1e-9)
        assert fast["log_loss_se"] == pytest.approx(slow["log_loss_se"], abs=1e-7)


def test_the_best_is_written_as_fit_writes_it(data, tmp_path):
    chosen = good_json("select", data("wine.csv.gz"), "--label", "cultivar",
                       "-o", tmp_path / "best.suffice")
    best = chosen["candidates"][chosen["best"]]
    assert chosen["ranking"][0] == chosen["best"]
    assert best["error_rate"] == min(c["error_rate"] for c in chosen["candidates"])
    good("fit", data("wine.csv.gz"), "--label", "cultivar", *flags_of(best["options"]),
         "-o", tmp_path / "fit.suffice")
    written, fitted = (good_json("show", tmp_path / name) for name in ("best.suffice", "fit.suffice"))
    assert written["labels"] == fitted["labels"] and written["weights"] == fitted["weights"]
    for a, b in zip(written["blocks"], fitted["blocks"]):
        assert a["structure"] == b["structure"]
        for row, other in zip(a["mean"], b["mean"]):
            assert row == pytest.approx(other, rel=1e-12)


def test_default_grids(data, tmp_path):
    def options(*words):
        chosen = good_json("select", *words, "-o", tmp_path / "m.suffice")
        return [(c["options"]["covariance"], c["options"]["shrinkage"], c["options"]["smoothing"])
                for c in chosen["candidates"]]
    iris = [data("iris.csv.gz"), "--label", "species"]
    assert options(*iris) == [("full", 0, 1), ("full", "auto", 1), ("tied", 0, 1),
                              ("tied", "auto", 1), ("diag", 0, 1), ("diag", "auto", 1),
                              ("tied-diag", 0, 1)]
    words = write(tmp_path / "words.csv", ["a", "b", "y"],
                  [[x, z, y] for i, (x, z, y) in enumerate([("u", "v", 1), ("w", "v", 2)] * 10)])
    assert [s for _, _, s in options(words, "--label", "y")] == [0.01, 0.1, 1, 10]
    # What has no effect is not compared twice, and what cannot be is left out.
    assert len(options(*iris, "--covariance", "tied-diag", "--shrinkage", "0,auto")) == 1
    assert len(options(*iris, "--smoothing", "0.1,1")) == 1
    assert len(options(*iris, "--shrinkage", "0.5,auto", "--estimate", "plugin,map")) == 3


def test_a_table_for_people(data, tmp_path):
    text = good("select", data("iris.csv.gz"), "--label", "species", "--covariance", "full,tied",
                "--pca", "none,2,9", "-o", "m.suffice", folder=tmp_path)
    lines = text.splitlines()
    assert lines[0].endswith("3 classes, 5 folds")
    assert lines[2].split() == ["pca", "covariance", "error", "rate", "log-loss", "parameters", "time"]
    assert lines[3].startswith("*")
    rates = [float(line.split()[-9]) for line in lines[3:7]]
    assert rates == sorted(rates)
    assert "pca has at most 4 components, not 9" in text
    assert lines[-1] == "Wrote m.suffice"
    text = good("select", data("iris.csv.gz"), "--label", "species", "--shrinkage", "0", "--towards-tied", "0,0.5", "-o",
                "m.suffice", folder=tmp_path)
    assert text.splitlines()[2].split()[0] == "towards-tied"  # as the flag is called
    assert re.search(r"^\* towards-tied ", text, re.MULTILINE)


def test_candidates_that_cannot_be_have_an_error(data, tmp_path):
    chosen = good_json("select", data("iris.csv.gz"), "--label", "species", "--lda", "none,3",
                       "-o", tmp_path / "m.suffice")
    good_one, bad = chosen["candidates"]
    assert "error" not in good_one and chosen["best"] == 0
    assert "lda has at most 2, not 3" in bad["error"]
    assert "error_rate" not in bad and "folds" not in bad


def test_seed_threads_and_blocks(data, tmp_path):
    words = ["select", data("glyphs.csv.gz"), "--label", "letter", "--covariance", "tied,diag",
             "--pca", "8", "-o", tmp_path / "m.suffice"]
    def scores(*more):
        return [(c["error_rate"], c["log_loss"]) for c in good_json(*words, *more)["candidates"]]
    one = scores("--threads", "1")
    assert scores("--threads", "3") == one
    assert scores("--seed", "1") != one


def test_the_simplest_within_one_standard_error(data, tmp_path):
    chosen = good_json("select", data("iris.csv.gz"), "--label", "species", "--covariance",
                       "full,tied,diag,tied-diag", "--one-se", "-o", tmp_path / "m.suffice")
    candidates = chosen["candidates"]
    first = candidates[chosen["ranking"][0]]
    near = [c for c in candidates
            if c["error_rate"] <= first["error_rate"] + first["error_rate_se"]]
    assert candidates[chosen["best"]]["parameters"] == min(c["parameters"] for c in near)


def test_priors_and_costs(data, tmp_path):
    words = ["select", data("iris.csv.gz"), "--label", "species", "--covariance", "tied",
             "-o", tmp_path / "m.suffice"]
    plain, = good_json(*words)["candidates"]
    assert "cost" not in plain
    costly, = good_json(*words, "--cost", "virginica>versicolor=50", "--criterion", "cost")["candidates"]
    # Versicolor is decided only where virginica is very improbable: more errors, little cost.
    assert costly["error_rate"] > plain["error_rate"]
    assert costly["cost"] < 50 * plain["error_rate"]
    certain, = good_json(*words, "--prior", "setosa=1,versicolor=0,virginica=0")["candidates"]
    assert certain["error_rate"] == pytest.approx(100 / 150)
    assert certain["log_loss"] == "inf"


def test_a_class_in_one_fold_only_is_said(tmp_path):
    rows = [[i % 7 + 3 * (i % 2), i % 5, "ab"[i % 2]] for i in range(40)] + [[1, 2, "rare"]]
    path = write(tmp_path / "t.csv", ["x", "z", "y"], rows)
    result = run("select", path, "--label", "y", "--covariance", "tied", "--json",
                 "-o", tmp_path / "m.suffice")
    assert result.returncode == 0
    assert b"class 'rare' has rows in fold" in result.stderr
    for folds in ("5", "loo"):
        chosen = good_json("select", path, "--label", "y", "--covariance", "tied",
                           "--folds", folds, "-o", tmp_path / "m.suffice")
        assert chosen["candidates"][0]["log_loss"] == "inf"
        assert chosen["candidates"][0]["error_rate"] >= 1 / 41
        assert any("rare" in warning for warning in chosen["warnings"])


def test_weights_and_rows_without_a_label(tmp_path):
    rows = [[i * i % 11 + 2 * (i % 2), i % 5, "ab"[i % 2], 1 + i % 3] for i in range(60)]
    rows[7][2] = ""
    path = write(tmp_path / "t.csv", ["x", "z", "y", "w"], rows)
    chosen = good_json("select", path, "--label", "y", "--weight", "w", "--covariance", "diag",
                       "-o", tmp_path / "m.suffice")
    assert chosen["unlabelled_rows"] == 1
    assert chosen["candidates"][0]["rows"] == sum(r[3] for r in rows if r[2])


def test_standard_input_that_fits_into_memory(data, tmp_path):
    words = ["--label", "species", "--covariance", "tied", "-o", tmp_path / "m.suffice"]
    with gzip.open(data("iris.csv.gz")) as file:
        streamed = good_json("select", "-", *words, input=file.read())
    assert streamed["candidates"][0]["error_rate"] == \
        good_json("select", data("iris.csv.gz"), *words)["candidates"][0]["error_rate"]


def test_transformations(data, tmp_path):
    words = [data("wine.csv.gz"), "--label", "cultivar"]
    logs = ["--transform", "proline=log,color*=sqrt"]
    plain, = good_json("select", *words, "--covariance", "diag", "-o", tmp_path / "a")["candidates"]
    other, = good_json("select", *words, "--covariance", "diag", *logs,
                       "-o", tmp_path / "b")["candidates"]
    assert other["log_loss"] != plain["log_loss"]
    refused(run("fit", *words, "--transform", "prolin=log", "-o", tmp_path / "m"), 1,
            "--transform", "has no column 'prolin'")


@pytest.mark.parametrize("words, needles", [
    (["--folds", "1"], ["--folds must be at least 2"]),
    (["--folds", "five"], ["--folds needs a whole number"]),
    (["--folds", "5", "--fold-column", "x"], ["--folds and --fold-column"]),
    (["--shrinkage", "0,2"], ["--shrinkage must lie between 0 and 1, not 2"]),
    (["--shrinkage", "much"], ["--shrinkage has no value 'much'"]),
    (["--towards-tied", "-1"], ["--towards-tied must lie between 0 and 1"]),
    (["--pca", "0"], ["--pca", "not 0"]),
    (["--pca", "120%"], ["--pca"]),
    (["--lda", "0"], ["--lda must be at least 1"]),
    (["--covariance", "full,tide"], ["did you mean 'tied'?"]),
    (["--criterion", "auc"], ["error, log-loss, cost"]),
    (["--estimate", "map", "--shrinkage", "0.5"], ["nothing to choose among", "--estimate map"]),
    (["--training-error"], ["select has no flag --training-error; it belongs to fit"])])
def test_wrong_commands(tmp_path, words, needles):
    refused(run("select", "t.csv", "--label", "y", *words, folder=tmp_path), 2, *needles)
    assert content(tmp_path) == {}


def test_wrong_data(data, tmp_path):
    iris = [data("iris.csv.gz"), "--label", "species"]
    before = content(tmp_path)
    refused(run("select", *iris, "--folds", "51", folder=tmp_path), 1, "51 folds",
            "the largest class has 50 rows")
    refused(run("select", *iris, "--fold-column", "petal", folder=tmp_path), 1,
            "--fold-column", "has no column 'petal'")
    refused(run("select", *iris, "--lda", "3", folder=tmp_path), 1, "no candidate",
            "lda has at most 2")
    refused(run("select", "a.stats", folder=tmp_path), 2, "select scores rows")
    assert content(tmp_path) == before
    one = write(tmp_path / "one.csv", ["x", "y", "f"], [[i, "a", 1] for i in range(9)])
    refused(run("select", one, "--label", "y", folder=tmp_path), 1, "all rows are of class 'a'")
    two = write(tmp_path / "two.csv", ["x", "y", "f"], [[i, "ab"[i % 2], 1] for i in range(9)])
    refused(run("select", two, "--label", "y", "--fold-column", "f", folder=tmp_path), 1,
            "one name only, '1'")
    gap = write(tmp_path / "gap.csv", ["x", "y", "f"],
                [[i, "ab"[i % 2], "" if i == 5 else i % 3] for i in range(9)])
    refused(run("select", gap, "--label", "y", "--fold-column", "f", folder=tmp_path), 1,
            "gap.csv:7", "no value", "name a fold")


def test_fit_chooses_the_shrinkage_by_leaving_out_rows(data, tmp_path):
    words = ["fit", data("wine.csv.gz"), "--label", "cultivar", "-o", tmp_path / "m.suffice"]
    fitted = good_json(*words, "--shrinkage", "loo")
    strength = fitted["shrinkage"]["rows"]
    assert math.log2(strength) == round(math.log2(strength))
    text = good(*words, "--shrinkage", "loo", "--verbose")
    assert f"Shrinkage: towards the pooled covariance (weight {strength:g})" in text
    # The leave-one-out error that it says is at most that of no shrinkage.
    said = float(text.split("Expected on new rows: error ")[1].split(",")[0])
    plain = good_json("select", data("wine.csv.gz"), "--label", "cultivar", "--covariance", "full",
                      "--folds", "loo", "-o", tmp_path / "s.suffice")
    assert said <= plain["candidates"][0]["error_rate"]
    refused(run("fit", "-", "--label", "y", "--shrinkage", "loo", folder=tmp_path), 2,
            "--shrinkage loo reads the rows a second time")
    refused(run("fit", "a.stats", "--shrinkage", "loo", folder=tmp_path), 2,
            "--shrinkage loo needs the rows again")


def test_fit_says_what_shrinkage_auto_did(data, tmp_path):
    words = ["fit", data("wine.csv.gz"), "--label", "cultivar", "-o", tmp_path / "m.suffice"]
    for covariance, needle in [("full", "towards the pooled covariance (weight "),
                               ("tied", "towards its diagonal (weight "),
                               ("diag", "towards the pooled variances (weight ")]:
        text = good(*words, "--covariance", covariance, "--shrinkage", "auto", "--verbose")
        assert len([l for l in text.splitlines() if l.startswith("Shrinkage auto: ")]) == 1
        assert needle in text
    assert "Shrinkage" not in good(*words, "--covariance", "full", "--shrinkage", "0", "--verbose")


def test_show_projections_student_and_transformations(data, tmp_path):
    model = tmp_path / "m.suffice"
    good("fit", data("wine.csv.gz"), "--label", "cultivar", "--pca", "3", "--lda", "2",
         "--covariance", "full", "--shrinkage", "0", "--estimate", "bayes", "-o", model)
    shown = good_json("show", model)
    assert [len(shown["projection"]["matrix"]), len(shown["projection"]["matrix"][0])] == [13, 2]
    assert len(shown["projection"]["offset"]) == 13 and len(shown["projection"]["explained"]) == 2
    block, = shown["blocks"]
    # ν = f + v + 2 = (W − 1) + 1 + 2, and the class means are those of the projected rows.
    assert block["dof"] == pytest.approx([w + 2 for w in shown["weights"]])
    with gzip.open(data("wine.csv.gz"), "rt") as file:
        table_rows = list(csv.DictReader(file))
    rows = [[float(r[n]) for n in block["features"]] for r in table_rows
            if r["cultivar"] == shown["labels"][0]]
    matrix, offset = shown["projection"]["matrix"], shown["projection"]["offset"]
    for k in range(2):
        mean = sum(sum((x - o) * m[k] for x, o, m in zip(row, offset, matrix)) for row in rows)
        assert block["mean"][0][k] == pytest.approx(mean / len(rows), abs=1e-9)
    text = good("show", model)
    assert "2 projections: mean ± scale of Student's t" in text and "degrees of freedom" in text
    assert "3 principal components have 99.99 % of the variance" in text

    good("fit", data("wine.csv.gz"), "--label", "cultivar", "--transform", "proline=log",
         "--covariance", "diag", "-o", model)
    block, = good_json("show", model)["blocks"]
    assert block["transforms"][block["features"].index("proline")] == "log"
    assert set(block["transforms"]) == {"none", "log"}
    logs = [math.log(float(r["proline"])) for r in table_rows if r["cultivar"] == "class_0"]
    assert block["mean"][0][block["features"].index("proline")] == \
        pytest.approx(sum(logs) / len(logs), rel=1e-12)
    assert "log(proline)" in good("show", model, "--top", "0")
