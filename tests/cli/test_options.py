"""Options of estimates at the command line: what changes nothing or contradicts another is reported, and
so are rows that a projection cannot use."""
import os

import pytest

from program import good, good_json, refused, run

TABLE = "a,b,y\n" + "".join(f"{i % 7}.5,{i * i % 11},{'pq'[i % 2]}\n" for i in range(40))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def warnings(folder, *words):
    return good_json(*words, folder=folder)["warnings"]


@pytest.mark.parametrize("flags, words", [
    (["--covariance", "diag", "--shrinkage", "0.1"], ["--shrinkage 0.1", "--covariance diag"]),
    (["--covariance", "tied-spherical", "--shrinkage", "1"], ["--shrinkage 1", "tied-spherical"]),
    (["--normalize", "unbiased"], ["--normalize unbiased", "--shrinkage 0"]),
    (["--normalize", "unbiased", "--estimate", "bayes", "--shrinkage", "0"],
     ["--normalize unbiased"])])
def test_what_changes_nothing_is_said(folder, flags, words):
    [warning] = warnings(folder, "fit", "t.csv", "--label", "y", *flags, "-o", "m")
    for word in words:
        assert word in warning


@pytest.mark.parametrize("flags", [
    [], ["--covariance", "tied-diag"], ["--covariance", "diag", "--shrinkage", "0"],
    ["--covariance", "diag", "--shrinkage", "0.5", "--target", "spherical"],
    ["--normalize", "unbiased", "--shrinkage", "0"],
    ["--normalize", "unbiased", "--covariance", "spherical"]])
def test_what_changes_something_is_not(folder, flags):
    assert warnings(folder, "fit", "t.csv", "--label", "y", *flags, "-o", "m") == []


@pytest.mark.parametrize("flags", [["--transform", "y=log"], ["--family", "y=categorical"],
                                   ["--transform", "b=log1p", "--weight", "b"]])
def test_the_label_and_the_weight_are_no_features(folder, flags):
    refused(run("fit", "t.csv", "--label", "y", *flags, "-o", "m", folder=folder), 2, flags[0],
            "is for features")


def test_flags_that_contradict_the_columns_taken_from_a_file(folder):
    words = ["stats", "t.csv", "--label", "y"]
    good(*words, "--transform", "b=log1p", "-o", "s.stats", folder=folder)
    good(*words, "--transform", "b=log1p", "--like", "s.stats", "-o", "t.stats", folder=folder)
    assert (folder / "s.stats").read_bytes() == (folder / "t.stats").read_bytes()
    refused(run(*words, "--transform", "b=sqrt", "--like", "s.stats", "-o", "u.stats", folder=folder),
            1, "--transform b=sqrt", "--like", "log1p")


def test_statistics_are_shown_under_the_names_of_what_was_summed_up(folder):
    good("stats", "t.csv", "--label", "y", "--transform", "b=log1p", "-o", "s.stats", folder=folder)
    assert "log1p(b)" in good("show", "s.stats", folder=folder)


@pytest.mark.parametrize("command", ["evaluate", "predict"])
def test_rows_that_lack_a_number_of_the_projection_are_counted(folder, command):
    lines = TABLE.splitlines(keepends=True)
    (folder / "lacking.csv").write_text("".join(
        [lines[0], ",3,p\n", "2,,q\n", *lines[1:]]))
    good("fit", "t.csv", "--label", "y", "--pca", "1", "-o", "m", folder=folder)
    done = run(command, "m", "lacking.csv", "-o" if command == "predict" else "--json",
               *(["p.csv"] if command == "predict" else []), folder=folder)
    assert done.returncode == 0
    assert "2 rows lack a number that the projection needs" in (done.stderr + done.stdout).decode()
    done = run(command, "m", "t.csv", "--quiet", folder=folder)
    assert done.returncode == 0 and b"lack" not in done.stderr


@pytest.mark.parametrize("flags", [["--shrinkage", "loo"], ["--training-error"]])
def test_a_pipe_is_not_read_twice(folder, flags):
    """A named pipe without a writer: the command must refuse it before it opens it."""
    os.mkfifo(folder / "pipe")
    done = run("fit", "pipe", "--format", "csv", "--label", "y", *flags, folder=folder)
    refused(done, 1, flags[0], "'pipe'", "write it to a file first")


def test_what_leave_one_out_chose_is_in_the_summary(folder):
    shrinkage = good_json("fit", "t.csv", "--label", "y", "--shrinkage", "loo", "-o", "m",
                          folder=folder)["shrinkage"]
    assert shrinkage["asked"] == "loo"
    assert good_json("show", "m", folder=folder)["shrinkage"]["rows"] == shrinkage["rows"]
    assert {"error_rate", "log_loss"} < set(shrinkage)


def test_a_class_with_one_row_under_leave_one_out_is_said(folder):
    with open(folder / "t.csv", "a") as file:
        file.write("1,2,alone\n")
    summary = good_json("fit", "t.csv", "--label", "y", "--shrinkage", "loo", "-o", "m",
                        folder=folder)
    assert summary["shrinkage"]["log_loss"] == "inf"
    assert "a single row" in summary["warnings"][-1]


def test_weights_that_do_not_count_rows(folder):
    lines = TABLE.splitlines()
    (folder / "shares.csv").write_text("\n".join(
        [lines[0] + ",w", *(f"{line},{1 / 40}" for line in lines[1:])]) + "\n")
    words = ["shares.csv", "--label", "y", "--weight", "w", "-o", "m"]
    refused(run("fit", *words, folder=folder), 1, "a weight is a number of rows", "shrinkage 0")
    shares = good_json("select", *words, "--folds", "loo", "--covariance", "tied", folder=folder)
    rows = good_json("select", "t.csv", "--label", "y", "--folds", "loo", "--covariance", "tied",
                     "-o", "m", folder=folder)
    [share], [row] = shares["candidates"], rows["candidates"]
    assert share["error_rate"] == pytest.approx(row["error_rate"], abs=1e-12)
    assert 0 < share["log_loss_se"] == pytest.approx(row["log_loss_se"], rel=1e-9)
    assert share["log_loss"] == pytest.approx(row["log_loss"], rel=1e-9)


@pytest.mark.parametrize("flags, words", [
    (["--folds", "100000000"], ["at most 10000"]),
    (["--shrinkage", "loo"], ["which only fit does", "--shrinkage auto"]),
    (["--folds", "loo", "--shrinkage", "auto"], ["auto", "Choose a number of folds"]),
    (["--transform", "b=logit"], ["t.csv:", "class 'p'", "logit"])])
def test_what_select_cannot_do(folder, flags, words):
    code = 2 if flags == ["--shrinkage", "loo"] else 1
    message = refused(run("select", "t.csv", "--label", "y", *flags, "-o", "m", folder=folder), code,
                      *words)
    assert "fold " not in message


def test_the_same_model_is_one_candidate(folder):
    chosen = good_json("select", "t.csv", "--label", "y", "--shrinkage", "0,0.5",
                       "--target", "diag,spherical", "-o", "m", folder=folder)
    assert len(chosen["candidates"]) == 3
    chosen = good_json("select", "t.csv", "--label", "y", "--normalize", "mle,unbiased", "-o", "m",
                       folder=folder)
    assert len(chosen["candidates"]) == 1
