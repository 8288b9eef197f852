"""suffice calibrate, fit --calibration and select --calibration: against NumPy and SciPy on the
log-likelihoods that predict writes, what they leave alone, and what they refuse."""
import csv
import gzip
import json

import numpy as np
import pytest

from program import content, good, good_json, refused, rows_of, run

optimize = pytest.importorskip("scipy.optimize")
special = pytest.importorskip("scipy.special")


def halves(path, folder):
    """The table's rows in two files, by turns."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    paths = []
    for part in (0, 1):
        paths.append(folder / f"part{part}.csv")
        with open(paths[-1], "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows[part::2]])
    return paths


def numbers(path, model, *columns, flags=()):
    """Columns of predict, per class."""
    text = good("predict", model, path, "--output", ",".join(columns), "--digits", "full", *flags)
    rows = rows_of(text)
    wanted = [name for name in rows[0] if name.split(":")[0] in columns]
    return np.array([[float(row[name]) for name in wanted] for row in rows])


def labels_of(path, column, labels):
    with open(path, encoding="utf-8", newline="") as file:
        return np.array([labels.index(row[column]) for row in csv.DictReader(file)])


def log_loss(scores, priors, truth):
    joint = scores + np.log(priors)
    return np.mean(special.logsumexp(joint, axis=1) - joint[np.arange(len(truth)), truth])


def minimum(scores, priors, truth, largest):
    """Scale and offsets that minimise the penalised loss, by SciPy."""
    classes = scores.shape[1]
    centred = scores - scores.max(axis=1, keepdims=True)

    def loss(x):
        return (len(truth) * log_loss(x[0] * centred + x[1:], priors, truth)
                + x[1:] @ x[1:] / 2 + (x[0] - 1) ** 2 / 2)

    def gradient(x):
        p = special.softmax(x[0] * centred + x[1:] + np.log(priors), axis=1)
        p[np.arange(len(truth)), truth] -= 1
        return np.concatenate([[(p * centred).sum() + x[0] - 1], p.sum(axis=0) + x[1:]])

    start = np.concatenate([[0.1], np.zeros(classes)])
    return optimize.minimize(loss, start, jac=gradient, method="L-BFGS-B",
                             bounds=[(0, largest)] + [(None, None)] * classes,
                             options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-8}).x


@pytest.fixture(scope="module")
def spam(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spam")
    train, own = halves(data("mail.csv.gz"), folder)
    label = "is_spam"
    model, calibrated = folder / "model.suffice", folder / "calibrated.suffice"
    good("fit", train, "--label", label, "--covariance", "diag", "-o", model)
    told = good_json("calibrate", model, own, "-o", calibrated)
    return {"train": train, "own": own, "label": label, "model": model, "calibrated": calibrated,
            "told": told, "folder": folder}


def test_scale_and_offsets_are_those_of_scipy(spam):
    told = spam["told"]
    truth = labels_of(spam["own"], spam["label"], told["labels"])
    priors = np.array(told["class_rows"]) / told["rows"]
    scores = numbers(spam["own"], spam["model"], "loglik")
    x = minimum(scores, priors, truth, None)
    assert told["calibration"]["scale"][0] == pytest.approx(x[0], rel=1e-4)
    assert told["calibration"]["offset"] == pytest.approx(x[1:], abs=1e-3)
    assert told["log_loss_before"] == pytest.approx(log_loss(scores, priors, truth), rel=1e-10)
    scale, offset = told["calibration"]["scale"][0], np.array(told["calibration"]["offset"])
    assert told["log_loss"] == pytest.approx(log_loss(scale * scores + offset, priors, truth), rel=1e-10)
    assert told["log_loss"] < told["frequency_log_loss"] < told["log_loss_before"]
    assert sum(told["calibration"]["offset"]) == pytest.approx(0, abs=1e-12)


def test_answers_follow_from_the_calibrated_scores(spam):
    scale, offset = (np.array(spam["told"]["calibration"][key]) for key in ("scale", "offset"))
    scores = numbers(spam["own"], spam["model"], "loglik") * scale[0] + offset
    labels = spam["told"]["labels"]
    for prior in ("uniform", f"{labels[0]}=0.9,{labels[1]}=0.1"):
        priors = np.array([0.5, 0.5] if prior == "uniform" else [0.9, 0.1])
        flags = ("--prior", prior)
        proba = numbers(spam["own"], spam["calibrated"], "proba", flags=flags)
        assert proba == pytest.approx(special.softmax(scores + np.log(priors), axis=1), abs=1e-9)
        llr = numbers(spam["own"], spam["calibrated"], "llr", flags=flags)
        assert llr[:, 0] == pytest.approx(scores[:, 0] - scores[:, 1], rel=1e-9, abs=1e-9)
        decided = rows_of(good("predict", spam["calibrated"], spam["own"], *flags))
        assert [row["label"] for row in decided] == [labels[c] for c in proba.argmax(axis=1)]


def test_densities_outliers_and_samples_are_left_alone(spam):
    for columns in ("loglik", "logpx", "outlier"):
        assert np.array_equal(numbers(spam["own"], spam["model"], columns),
                              numbers(spam["own"], spam["calibrated"], columns)), columns
    assert (good("sample", spam["model"], "-n", "20") == good("sample", spam["calibrated"], "-n", "20"))


def test_evaluate_shows_the_loss_with_and_without(spam):
    plain = good_json("evaluate", spam["model"], spam["own"])
    with_it = good_json("evaluate", spam["calibrated"], spam["own"])
    assert "uncalibrated" not in plain
    for key in ("log_loss", "error_rate", "brier"):
        assert with_it["uncalibrated"][key] == plain[key]
    assert with_it["log_loss"] < with_it["frequency_log_loss"] < plain["log_loss"]
    text = good("evaluate", spam["model"], spam["own"])
    assert "above the class frequencies alone" in text and "suffice calibrate" in text
    text = good("evaluate", spam["calibrated"], spam["own"])
    assert "above the class frequencies" not in text and "uncalibrated" in text


def test_show_and_files_know_the_calibration(spam):
    shown = good_json("show", spam["calibrated"])
    assert shown["calibration"] == spam["told"]["calibration"]
    assert "calibration" not in good_json("show", spam["model"])
    assert "Calibrated: log-likelihoods times" in good("show", spam["calibrated"])


def test_calibrating_again_replaces_the_calibration(spam):
    again = good_json("calibrate", spam["calibrated"], spam["own"], "-o", spam["folder"] / "again")
    assert {k: again[k] for k in again if k != "output"} == {
        k: v for k, v in spam["told"].items() if k != "output"}
    assert (spam["folder"] / "again").read_bytes() == spam["calibrated"].read_bytes()


def test_isotonic_is_a_rising_function_of_the_ratio(spam):
    out = spam["folder"] / "isotonic.suffice"
    told = good_json("calibrate", spam["model"], spam["own"], "--method", "isotonic", "-o", out)
    knots, values = told["calibration"]["knots"], told["calibration"]["values"]
    assert knots == sorted(set(knots)) and values == sorted(values)
    assert told["log_loss"] <= spam["told"]["log_loss"] + 2 / told["rows"]
    affine = numbers(spam["own"], spam["calibrated"], "llr")[:, 0]
    mapped = numbers(spam["own"], out, "llr")[:, 0]
    assert mapped == pytest.approx(np.interp(affine, knots, values), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("flags, folds", [
    (("--covariance", "tied", "--shrinkage", "0"), "loo"), (("--covariance", "full"), 5)])
def test_fit_calibrates_by_rows_it_has_not_seen(data, tmp_path, flags, folds):
    train, test = halves(data("glyphs.csv.gz"), tmp_path)
    label = "letter"
    plain = good_json("fit", train, "--label", label, *flags, "-o", tmp_path / "plain")
    told = good_json("fit", train, "--label", label, *flags, "--calibration", "auto",
                     "-o", tmp_path / "model")
    assert "calibration" not in plain
    found = told["calibration"]
    assert found["folds"] == folds and 0 <= found["scale"][0] <= 1 and len(found["offset"]) == 26
    assert found["log_loss"] <= found["log_loss_before"] < told["frequency_log_loss"]
    judged = good_json("evaluate", tmp_path / "model", test)
    assert judged["uncalibrated"]["log_loss"] == good_json("evaluate", tmp_path / "plain", test)["log_loss"]
    assert judged["log_loss"] < judged["uncalibrated"]["log_loss"]
    assert judged["log_loss"] == pytest.approx(found["log_loss"], rel=0.15)  # honest
    assert "Calibrated: " in good("fit", train, "--label", label, *flags, "--calibration", "auto",
                                  "--verbose", "-o", tmp_path / "model")


def test_select_calibrates_on_out_of_fold_scores(data, tmp_path):
    """Each fold's rows scored by a model of the others, then one fit of SciPy on all of them."""
    with gzip.open(data("wine.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    label = header.index("cultivar")
    rows = [row + [f"p{(5 * i) % 4}"] for i, row in enumerate(rows)]
    def write(name, part):
        with open(tmp_path / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header + ["part"], *part])
        return tmp_path / name
    whole = write("all.csv", rows)
    chosen = good_json("select", whole, "--label", "cultivar", "--fold-column", "part",
                       "--covariance", "diag,tied-diag", "--shrinkage", "0",
                       "-o", tmp_path / "best")
    assert chosen["criterion"] == "log-loss"
    labels = chosen["labels"]
    for candidate in chosen["candidates"]:
        scores, truth, shares = [], [], []
        for fold in candidate["folds"]:
            train = write("train.csv", [row for row in rows if row[-1] != fold["name"]])
            test = write("test.csv", [row for row in rows if row[-1] == fold["name"]])
            good("fit", train, "--label", "cultivar", "--ignore", "part", "--shrinkage", "0",
                 "--covariance", candidate["options"]["covariance"], "-o", tmp_path / "fold")
            scores.append(numbers(test, tmp_path / "fold", "loglik"))
            truth += [labels.index(row[label]) for row in rows if row[-1] == fold["name"]]
            seen = [row[label] for row in rows if row[-1] != fold["name"]]
            shares += [[seen.count(name) / len(seen) for name in labels]] * len(scores[-1])
        scores, truth = np.concatenate(scores), np.array(truth)
        frequencies = np.bincount(truth) / len(truth)
        x = minimum(scores, frequencies, truth, 1)
        assert candidate["calibration"]["scale"][0] == pytest.approx(x[0], rel=1e-4)
        assert candidate["calibration"]["offset"] == pytest.approx(x[1:], abs=1e-4)
        assert candidate["log_loss"] == pytest.approx(
            log_loss(x[0] * scores + x[1:], np.array(shares), truth), rel=1e-6)
        assert candidate["uncalibrated"]["log_loss"] == pytest.approx(
            log_loss(scores, np.array(shares), truth), rel=1e-9)
        assert candidate["log_loss"] <= candidate["uncalibrated"]["log_loss"] + 1e-3
    best = chosen["candidates"][chosen["best"]]
    assert good_json("show", tmp_path / "best")["calibration"] == best["calibration"]
    assert chosen["frequency_log_loss"] == pytest.approx(-(frequencies * np.log(frequencies)).sum())


def test_threads_give_the_same_bytes(spam):
    files = []
    for threads in ("1", "3"):
        files.append(spam["folder"] / f"threads{threads}")
        good("calibrate", spam["model"], spam["own"], "--threads", threads, "-o", files[-1])
    assert files[0].read_bytes() == files[1].read_bytes()


# ---- refused


@pytest.fixture
def two(tmp_path):
    """A model of classes a and b, and a way to write tables for it."""
    def write(text):
        (tmp_path / "rows.csv").write_text(text)
        return tmp_path / "rows.csv"
    (tmp_path / "train.csv").write_text("x,y\n" + "".join(
        f"{i % 7},{'ab'[i % 2]}\n" for i in range(40)))
    good("fit", tmp_path / "train.csv", "--label", "y", "--covariance", "full", "-o", tmp_path / "model")
    return tmp_path / "model", write


@pytest.mark.parametrize("text, needle", [
    ("x,y\n", "has no rows"),
    ("x,y\n1,\n2,\n", "no row has a label"),
    ("x,y\n1,a\n2,a\n", "all rows are of class 'a'"),
    ("x,y\n1,u\n2,v\n", "no row has a label that the model knows"),
    ("x\n1\n2\n", "has no column 'y'"),
    ("z,y\n1,a\n2,b\n", "x")])
def test_rows_that_cannot_calibrate_are_refused(two, tmp_path, text, needle):
    model, write = two
    rows = write(text)
    before = content(tmp_path)
    refused(run("calibrate", model, rows, "-o", tmp_path / "out"), 1, needle)
    assert content(tmp_path) == before


def test_unknown_and_missing_labels_are_left_out(two, tmp_path):
    model, write = two
    told = good_json("calibrate", model, write("x,y\n1,a\n2,b\n5,a\n3,\n4,lynx\n"), "-o", tmp_path / "out")
    assert (told["rows"], told["unlabelled_rows"], told["unknown_label_rows"]) == (3, 1, 1)
    assert "does not know" in told["warnings"][0]


def test_words_that_cannot_be(two, tmp_path):
    model, write = two
    rows = write("x,y\n1,a\n2,b\n")
    refused(run("calibrate", model, rows, "--method", "platt"), 2, "affine", "isotonic")
    refused(run("calibrate", model, rows, "-o", model), 2, "is also an input")
    refused(run("fit", rows, "--label", "y", "--calibration", "yes"), 2, "auto", "none")
    good("stats", rows, "--label", "y", "-o", tmp_path / "a.stats")
    refused(run("fit", tmp_path / "a.stats", "--covariance", "full", "--calibration", "auto"), 2, "--calibration auto", "rows")
    refused(run("fit", "-", "--label", "y", "--covariance", "full", "--calibration", "auto"), 2, "--calibration auto")


def test_a_fit_that_cannot_be_calibrated_says_so(tmp_path):
    (tmp_path / "few.csv").write_text("x,y\n1,a\n3,a\n7,b\n")
    told = good_json("fit", tmp_path / "few.csv", "--label", "y", "--covariance", "full", "--calibration", "auto",
                     "-o", tmp_path / "model")
    assert "calibration" not in told
    assert any("not calibrated" in warning for warning in told["warnings"])


def test_few_rows_make_few_folds(tmp_path):
    rows = "".join(f"{i * i % 7},{'ab'[i % 2]}\n" for i in range(6))
    (tmp_path / "few.csv").write_text("x,y\n" + rows)
    told = good_json("fit", tmp_path / "few.csv", "--label", "y", "--covariance", "full", "--calibration", "auto",
                     "-o", tmp_path / "model")
    assert told["calibration"]["folds"] == 3


def test_three_classes_have_no_isotonic_calibration(data, tmp_path):
    good("fit", data("iris.csv.gz"), "--label", "species", "-o", tmp_path / "model")
    refused(run("calibrate", tmp_path / "model", data("iris.csv.gz"), "--method", "isotonic",
                "-o", tmp_path / "out"), 1, "for two classes", "--method affine")
    assert json.loads(good("show", tmp_path / "model", "--json"))["kind"] == "model"
