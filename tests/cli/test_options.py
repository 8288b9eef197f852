"""Options of estimates at the command line: what changes nothing or contradicts another is reported, and
so are rows that a projection cannot use."""
import os

import numpy as np
import pytest

from program import good, good_json, refused, rows_of, run

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
    (["--covariance", "full", "--normalize", "unbiased"], ["--normalize unbiased", "--shrinkage 0"]),
    (["--covariance", "full", "--normalize", "unbiased", "--estimate", "bayes", "--shrinkage", "0"],
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
    refused(done, 1, flags[0], "'pipe'", "to a file first")


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
    # Shares that sum to 1 are multiplied, so that they count the rows.
    said = run("fit", *words, "--covariance", "full", folder=folder)
    assert said.returncode == 0 and "Weights are multiplied by 40" in said.stderr.decode()
    good("fit", "t.csv", "--label", "y", "--covariance", "full", "-o", "counted", folder=folder)
    probabilities = [rows_of(good("predict", model, "t.csv", "--output", "proba", folder=folder))
                     for model in ("m", "counted")]
    for scaled, counted in zip(*probabilities):
        assert all(float(scaled[name]) == pytest.approx(float(counted[name]), rel=1e-9) for name in scaled if name != "label")
    (folder / "tiny.csv").write_text((folder / "shares.csv").read_text().replace(f"{1 / 40}", "1e-300"))
    refused(run("fit", "tiny.csv", *words[1:], folder=folder), 1, "the weights are too small", "multiply all of them")
    # The penalty of a calibration is worth some rows, so it does depend on what a weight means.
    flags = ["--folds", "loo", "--covariance", "tied", "--calibration", "none"]
    shares = good_json("select", *words, *flags, folder=folder)
    rows = good_json("select", "t.csv", "--label", "y", *flags, "-o", "m", folder=folder)
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


# ---- tails


def test_tails_are_in_the_model_and_said(folder):
    words = ["fit", "t.csv", "--label", "y", "--covariance", "diag"]
    good(*words, "-o", "normal", folder=folder)
    assert "Student's t with 8 degrees of freedom" in good(*words, "--tails", "8", "-o", "heavy",
                                                           folder=folder)
    normal, heavy = (good_json("show", name, folder=folder) for name in ("normal", "heavy"))
    assert heavy["options"]["tails"] == 8 and "tails" not in normal["options"]
    [plain], [block] = normal["blocks"], heavy["blocks"]
    assert block["covariance"] == plain["covariance"] and "dof" not in plain
    assert block["dof"] == [8, 8] and block["scale"] == [0.75, 0.75]
    text = good("show", "heavy", folder=folder)
    assert "mean ± deviation" in text and "degrees of freedom" in text
    refused(run("show", "heavy", "--discriminant", folder=folder), 1, "Student's t",
            "--tails normal")


def test_normal_tails_are_the_default_byte_for_byte(folder):
    words = ["fit", "t.csv", "--label", "y", "--covariance", "full"]
    good(*words, "-o", "default", folder=folder)
    good(*words, "--tails", "normal", "-o", "given", folder=folder)
    assert (folder / "default").read_bytes() == (folder / "given").read_bytes()


def test_heavy_tails_bound_the_evidence_of_an_outlying_row(folder):
    """Far away, log p falls like −½ (ν + d) log of the squared distance, not like the distance."""
    rows = "a,b\n0,0\n1e4,0\n1e6,0\n"
    (folder / "far.csv").write_text(rows)
    good("fit", "t.csv", "--label", "y", "--covariance", "full", "--tails", "3", "-o", "m", folder=folder)
    done = good("predict", "m", "far.csv", "--output", "loglik", folder=folder).splitlines()
    scores = [[float(value) for value in line.split(",")[1:]] for line in done[1:]]
    for near, far in zip(scores[1], scores[2]):
        assert near - far == pytest.approx(0.5 * (3 + 2) * 4 * 2.302585, rel=1e-3)


@pytest.mark.parametrize("flags, words", [
    (["--tails", "2"], ["--tails must be more than 2", "--tails normal"]),
    (["--tails", "-1"], ["--tails must be more than 2"]),
    (["--tails", "nan"], ["'nan'", "normal"]),
    (["--tails", "heavy"], ["'heavy'"]),
    (["--tails", "8", "--estimate", "bayes"], ["Student's t already", "--estimate plugin"])])
def test_tails_that_cannot_be(folder, flags, words):
    refused(run("fit", "t.csv", "--label", "y", *flags, "-o", "m", folder=folder), 2, *words)


@pytest.mark.parametrize("folds", ["3", "loo"])
def test_select_compares_tails(folder, folds):
    chosen = good_json("select", "t.csv", "--label", "y", "--tails", "normal,30,8,3",
                       "--covariance", "diag,tied", "--shrinkage", "0", "--folds", folds, "-o", "m",
                       folder=folder)
    tails = [candidate["options"].get("tails", "normal") for candidate in chosen["candidates"]]
    assert sorted(map(str, tails)) == sorted(["normal", "30", "8", "3"] * 2)
    losses = {candidate["uncalibrated"]["log_loss"] for candidate in chosen["candidates"]}
    assert len(losses) == 8


# ---- smoothing


def test_smoothing_by_the_counts_is_said_and_kept(folder):
    """Certain levels ask for hardly any pseudo-counts, mixed ones for more: one number a family."""
    rows = "".join(f"{'uv'[i % 2]},{'xyz'[i * i % 3]},{i % 5 * (i % 2)},{'pq'[i % 2]}\n"
                   for i in range(60))
    (folder / "levels.csv").write_text("a,b,n,y\n" + rows)
    words = ["fit", "levels.csv", "--label", "y", "--family", "n=poisson", "-o", "m"]
    summary = good_json(*words, "--smoothing", "auto", folder=folder)
    found = summary["options"]["pseudo_counts"]
    assert summary["options"]["smoothing"] == "auto" and len(found) == 2
    assert "Smoothing auto: pseudo-counts " in good("show", "m", folder=folder)
    shown = good_json("show", "m", folder=folder)
    assert shown["options"]["pseudo_counts"] == found
    block = next(block for block in shown["blocks"] if block["family"] == "categorical")
    [first, second] = [np.array(p) for p in block["probability"]]
    alpha = found[0] if shown["blocks"][0]["family"] == "categorical" else found[1]
    assert first == pytest.approx(np.array([[30 + alpha, alpha], [alpha, 30 + alpha]])
                                  / (30 + 2 * alpha))
    assert second.sum(axis=1) == pytest.approx(1)
    given = good_json(*words, "--smoothing", "0.5", folder=folder)
    assert "pseudo_counts" not in given["options"]


@pytest.mark.parametrize("folds", ["4", "loo"])
def test_select_compares_smoothing_by_the_counts(folder, folds):
    (folder / "levels.csv").write_text("a,y\n" + "".join(
        f"{'uvw'[i * i % 3 if i % 4 else 0]},{'pq'[i % 2]}\n" for i in range(48)))
    chosen = good_json("select", "levels.csv", "--label", "y", "--smoothing", "auto,1,0.01",
                       "--folds", folds, "-o", "m", folder=folder)
    assert [c["options"]["smoothing"] for c in chosen["candidates"]] == ["auto", 1, 0.01]
    assert len({c["log_loss"] for c in chosen["candidates"]}) == 3
