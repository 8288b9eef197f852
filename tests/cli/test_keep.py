"""Feature selection: --keep and --keep-above against divergences worked out by NumPy from the rows,
and cross-validation against fits on the training rows of each fold."""
import itertools
import json
import math
import re

import numpy as np
import pytest

from datasets import read_table, write_table
from program import good, good_json, refused, rows_of, run


# ---- the divergence, feature by feature -----------------------------------------------------------

def mean_of_pairs(of_pair, classes):
    """The mean over all pairs of classes."""
    pairs = list(itertools.combinations(range(classes), 2))
    return sum(of_pair(a, b) for a, b in pairs) / len(pairs)


def of_shares(p, q):
    return float(np.sum((p - q) * np.log(p / q)))


def gaussian(x, y, classes, tied, worth=None):
    """Numbers; NaN is missing. Each class has a variance of its own, shrunk towards the pooled one
    that weighs as much as this number of rows, or they share one."""
    parts = [x[(y == c) & ~np.isnan(x)] for c in classes]
    mean = [part.mean() for part in parts]
    squares = [((part - part.mean()) ** 2).sum() for part in parts]
    rows = [len(part) for part in parts]
    if tied:
        variance = [sum(squares) / sum(rows)] * len(parts)
    else:
        pooled = sum(squares) / (sum(rows) - len(rows))
        variance = [(s + worth * pooled) / (n - 1 + worth) for s, n in zip(squares, rows)]
    if sum(squares) == 0:
        return 0.0
    return mean_of_pairs(
        lambda a, b: 0.5 * (variance[a] / variance[b] + variance[b] / variance[a] - 2
                            + (mean[a] - mean[b]) ** 2 * (1 / variance[a] + 1 / variance[b])),
        len(parts))


def categorical(x, y, classes):
    levels = sorted({value for value in x if value != ""})
    count = np.array([[np.sum((y == c) & (x == level)) for level in levels] for c in classes], float)
    share = (count + 1) / (count.sum(1, keepdims=True) + len(levels))
    return mean_of_pairs(lambda a, b: of_shares(share[a], share[b]), len(classes))


def bernoulli(x, y, classes):
    share = [((x[y == c]).sum() + 1) / (np.sum(y == c) + 2) for c in classes]
    both = [np.array([p, 1 - p]) for p in share]
    return mean_of_pairs(lambda a, b: of_shares(both[a], both[b]), len(classes))


def poisson(x, y, classes):
    rate = [(x[y == c].sum() + x.mean()) / (np.sum(y == c) + 1) for c in classes]
    return mean_of_pairs(lambda a, b: (rate[a] - rate[b]) * math.log(rate[a] / rate[b]), len(classes))


def exponential(x, y, classes):
    rate = [(np.sum(y == c) + 1) / (x[y == c].sum() + x.mean()) for c in classes]
    return mean_of_pairs(lambda a, b: rate[a] / rate[b] + rate[b] / rate[a] - 2, len(classes))


def multinomial(columns, y, classes):
    """Per column its term of the sum over words."""
    count = np.array([columns[y == c].sum(0) for c in classes]) + 1.0
    share = count / count.sum(1, keepdims=True)
    return [mean_of_pairs(lambda a, b: of_shares(share[a, j], share[b, j]), len(classes))
            for j in range(columns.shape[1])]


def ranked(names, divergence, count):
    order = sorted(range(len(names)), key=lambda j: (-divergence[j], j))[:count]
    return [names[j] for j in sorted(order)]


# ---- real tables ----------------------------------------------------------------------------------

def numbers_of(lines, names):
    return np.array([[float(line[name] or "nan") for name in names] for line in lines])


@pytest.fixture(scope="module")
def wdbc(data, tmp_path_factory):
    lines = read_table(data("breast_cancer_wdbc.csv.gz"))
    names = [name for name in lines[0] if name not in ("id", "diagnosis")]
    path = write_table(tmp_path_factory.mktemp("wdbc") / "wdbc.csv",
                       [{**{n: line[n] for n in names}, "diagnosis": line["diagnosis"]} for line in lines])
    return path, names, numbers_of(lines, names), np.array([line["diagnosis"] for line in lines])


@pytest.mark.parametrize("covariance", ["tied-diag", "tied", "tied-spherical", "diag", "full", "spherical"])
def test_wdbc(wdbc, tmp_path, covariance):
    path, names, x, y = wdbc
    classes, model = sorted(set(y)), tmp_path / "m.suffice"
    tied = covariance.startswith("tied")
    worth = None
    if not tied:  # tests of the default have the strength of shrinkage against its formula
        naive = good_json("fit", path, "--label", "diagnosis", "--covariance", "diag", "-o", model)
        worth = naive["shrinkage"]["rows"]
    divergence = [gaussian(x[:, j], y, classes, tied, worth) for j in range(len(names))]
    for count in (1, 5, 12):
        fitted = good_json("fit", path, "--label", "diagnosis", "--covariance", covariance,
                           "--keep", count, "-o", model)
        kept = ranked(names, divergence, count)
        assert fitted["kept"]["features"] == kept
        assert fitted["kept"]["of"] == 30
        least = sorted(divergence)[-count]
        assert fitted["kept"]["least_divergence"] == pytest.approx(least, rel=1e-10)
        assert fitted["kept"]["next_divergence"] == pytest.approx(sorted(divergence)[-count - 1], rel=1e-10)
        # The model is that of the columns alone.
        alone = tmp_path / "alone.suffice"
        good("fit", path, "--label", "diagnosis", "--covariance", covariance,
             "--features", ",".join(kept), "-o", alone)
        one, other = good_json("show", model), good_json("show", alone)
        assert [b["features"] for b in one["blocks"]] == [b["features"] for b in other["blocks"]]
        assert np.allclose(one["blocks"][0]["covariance"], other["blocks"][0]["covariance"], rtol=1e-9)
        assert np.allclose(one["separation"], other["separation"], rtol=1e-9)
    above = sorted(divergence)[-4] * (1 - 1e-9)
    fitted = good_json("fit", path, "--label", "diagnosis", "--covariance", covariance,
                       "--keep-above", above, "-o", model)
    assert fitted["kept"]["features"] == ranked(names, divergence, 4)


def test_penguins(data, tmp_path):
    """Numbers that are missing, and names, in one ranking."""
    lines = [line for line in read_table(data("penguins.csv.gz"))]
    label = "species"
    texts = ["island", "sex"]
    names = [name for name in lines[0] if name != label]
    path, model = write_table(tmp_path / "p.csv", lines), tmp_path / "m.suffice"
    y = np.array([line[label] for line in lines])
    classes = sorted(set(y))
    missing = ("", "NA")
    divergence = []
    for name in names:
        cells = np.array(["" if line[name] in missing else line[name] for line in lines])
        if name in texts:
            divergence.append(categorical(cells, y, classes))
        else:
            numbers = np.array([float(cell or "nan") for cell in cells])
            divergence.append(gaussian(numbers, y, classes, tied=True))
    for count in range(1, len(names) + 1):
        fitted = good_json("fit", path, "--label", label, "--covariance", "tied-diag", "--keep", count,
                           "-o", model)
        assert fitted["kept"]["features"] == ranked(names, divergence, count)
        assert fitted["kept"]["least_divergence"] == pytest.approx(sorted(divergence)[-count], rel=1e-10)
    assert "next_divergence" not in fitted["kept"]


def test_every_family(tmp_path):
    """Generated rows with features of all families, the words among them."""
    random = np.random.default_rng(5)
    n = 600
    y = np.array(list("abc"))[random.integers(0, 3, n)]
    code = np.searchsorted(list("abc"), y)
    shift = lambda *of: np.array(of)[code]
    columns = {
        "g0": random.normal(shift(0, .3, .6), 1), "g1": random.normal(0, shift(1, 1.4, .7)),
        "b0": (random.random(n) < shift(.2, .5, .6)) * 1, "b1": (random.random(n) < .5) * 1,
        "c0": np.array(["u", "v", "w"])[(random.random(n) * shift(2, 2.5, 3)).astype(int)],
        "p0": random.poisson(shift(1, 2, 4)), "p1": random.poisson(shift(3, 3, 3.2)),
        "e0": random.exponential(shift(1, 1.5, 2)), "e1": random.exponential(1, n),
    }
    for j, of in enumerate([(1, 2, 1), (3, 1, 1), (2, 2, 2), (1, 1, 3)]):
        columns[f"w{j}"] = random.poisson(shift(*of))
    lines = [{**{name: values[i] for name, values in columns.items()}, "kind": y[i]} for i in range(n)]
    path, model = write_table(tmp_path / "all.csv", lines), tmp_path / "m.suffice"
    flags = ["--label", "kind", "--covariance", "tied", "--family", "b*=bernoulli", "--family",
             "p*=poisson", "--family", "e*=exponential", "--family", "w*=multinomial"]
    classes = sorted(set(y))
    words = np.column_stack([columns[f"w{j}"] for j in range(4)])
    divergence = (
        [gaussian(columns[g], y, classes, tied=True) for g in ("g0", "g1")]
        + [bernoulli(columns[b], y, classes) for b in ("b0", "b1")]
        + [categorical(columns["c0"], y, classes)]
        + [poisson(columns[p], y, classes) for p in ("p0", "p1")]
        + [exponential(columns[e], y, classes) for e in ("e0", "e1")]
        + multinomial(words, y, classes))
    names = list(columns)
    for count in range(1, len(names)):
        fitted = good_json("fit", path, *flags, "--keep", count, "-o", model)
        assert fitted["kept"]["features"] == ranked(names, divergence, count)
        assert fitted["kept"]["least_divergence"] == pytest.approx(sorted(divergence)[-count], rel=1e-9)
    # The words that are left share their probabilities anew.
    fitted = good_json("fit", path, *flags, "--keep", len(names) - 1, "-o", model)
    shown = good_json("show", model)
    for block in shown["blocks"]:
        if block["family"] == "multinomial":
            counts = np.array([[columns[w][y == c].sum() for w in block["features"]] for c in classes]) + 1
            assert np.allclose(block["probability"], counts / counts.sum(1, keepdims=True), rtol=1e-12)
            assert np.allclose(np.sum(block["probability"], 1), 1)
    # And the rest of the program works with such a model on the whole table.
    assert len(rows_of(good("predict", model, path, "--output", "proba,outlier"))) == n
    assert good_json("evaluate", model, path)["rows"] == n
    for target in ("c", "sql", "onnx", "json"):
        good("export", model, "--to", target, *(["--table", "t"] if target == "sql" else []), "-o", tmp_path / "out")
    assert len(rows_of(good("sample", model, "-n", 7))) == 7
    assert "<svg" in good("plot", model, "--what", "densities")
    good("report", model, path, "-o", tmp_path / "r.html")


# ---- folds ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("flags", [("--covariance", "tied"), ("--covariance", "full", "--pca", "3"),
                                   ("--covariance", "diag", "--tails", "5")])
def test_folds_choose_by_their_own_rows(wdbc, tmp_path, flags):
    """`select --keep 5,10,none` is a fit on the training rows of each fold, and an evaluation."""
    path, names, x, y = wdbc
    lines = read_table(path)
    for i, line in enumerate(lines):
        line["fold"] = "pqr"[i * 7 % 3]
    table, model = write_table(tmp_path / "folds.csv", lines), tmp_path / "m.suffice"
    selection = good_json("select", table, "--label", "diagnosis", "--keep", "5,10,none", *flags,
                          "--fold-column", "fold", "--calibration", "none", "-o", tmp_path / "best.suffice")
    found = selection["candidates"]
    assert [c["options"].get("keep", "none") for c in found] == [5, 10, "none"]
    kept = set()
    for fold in "pqr":
        train = write_table(tmp_path / "train.csv", [l for l in lines if l["fold"] != fold])
        held = write_table(tmp_path / "held.csv", [l for l in lines if l["fold"] == fold])
        for candidate, keep in zip(found, ("5", "10", "none")):
            fitted = good_json("fit", train, "--label", "diagnosis", "--ignore", "fold", "--keep", keep,
                               *flags, "-o", model)
            if keep == "5":
                kept.add(tuple(fitted["kept"]["features"]))
            expected = good_json("evaluate", model, held)
            of_fold = next(f for f in candidate["folds"] if f["name"] == fold)
            assert of_fold["log_loss"] == pytest.approx(expected["log_loss"], rel=1e-8)
            assert of_fold["error_rate"] == pytest.approx(expected["error_rate"], rel=1e-12)
    print("kept in the folds:", kept)


def test_calibrated_and_chosen(wdbc, tmp_path):
    path, names, x, y = wdbc
    chosen, model = tmp_path / "chosen.suffice", tmp_path / "m.suffice"
    fitted = good_json("fit", path, "--label", "diagnosis", "--keep", 6, "-o", chosen)
    assert len(fitted["kept"]["features"]) == 6
    assert fitted["options"]["choice_folds"] == 5 and "calibration" in fitted
    assert {c["options"].get("keep") for c in fitted["choice"]["candidates"]} == {6}
    fitted = good_json("fit", path, "--label", "diagnosis", "--keep", 6, "--covariance", "full",
                       "--calibration", "auto", "-o", model)
    assert fitted["calibration"]["folds"] == 5
    # The calibration of a choice with one candidate is that of select.
    selection = good_json("select", path, "--label", "diagnosis", "--keep", "6", "--covariance", "full",
                          "-o", tmp_path / "s.suffice")
    assert selection["candidates"][0]["calibration"]["scale"] == pytest.approx(
        good_json("show", model)["calibration"]["scale"], rel=1e-9)


def test_rows_beside_the_sample(data, tmp_path):
    """Of a large table 2,000 rows are scored, by models of all others: what `fit` says of them holds
    for rows that it has never seen."""
    model = tmp_path / "m.suffice"
    fitted = good_json("fit", data("census_train.csv.gz"), "--label", "income", "--keep", 6, "-o", model)
    assert fitted["choice"]["rows"] == pytest.approx(2000)
    found = good_json("evaluate", model, data("census_test.csv.gz"))
    assert found["log_loss"] == pytest.approx(fitted["choice"]["log_loss"], rel=0.05)
    assert found["error_rate"] == pytest.approx(fitted["choice"]["error_rate"], rel=0.1)


@pytest.mark.parametrize("flags", [("--discriminative",), ("--components", "2", "--covariance", "full")])
def test_several_passes(wdbc, tmp_path, flags):
    path, names, x, y = wdbc
    model, alone = tmp_path / "m.suffice", tmp_path / "alone.suffice"
    kept = good_json("fit", path, "--label", "diagnosis", "--keep", 4, *flags, "-o", model)["kept"]["features"]
    good("fit", path, "--label", "diagnosis", "--features", ",".join(kept), *flags, "-o", alone)
    one = rows_of(good("predict", model, path, "--output", "proba", "--digits", "full"))
    other = rows_of(good("predict", alone, path, "--output", "proba", "--digits", "full"))
    for a, b in zip(one, other):
        assert float(a["proba:malignant"]) == pytest.approx(float(b["proba:malignant"]), rel=1e-6, abs=1e-9)


def test_missing_numbers(data, tmp_path):
    """EM completes the kept columns: as a fit of these columns does."""
    lines = read_table(data("breast_cancer_wdbc.csv.gz"))
    random = np.random.default_rng(3)
    names = [name for name in lines[0] if name not in ("id", "diagnosis")][:8]
    rows = [{**{n: "" if random.random() < .05 else line[n] for n in names}, "diagnosis": line["diagnosis"]}
            for line in lines]
    path, model, alone = write_table(tmp_path / "m.csv", rows), tmp_path / "m.suffice", tmp_path / "a.suffice"
    flags = ("--label", "diagnosis", "--covariance", "tied", "--tolerance", "1e-9")
    fitted = good_json("fit", path, *flags, "--keep", 3, "-o", model)
    assert fitted["options"]["em_passes"] > 1
    good("fit", path, *flags, "--missing", "em", "--features", ",".join(fitted["kept"]["features"]), "-o", alone)
    one, other = good_json("show", model)["blocks"][0], good_json("show", alone)["blocks"][0]
    assert np.allclose(one["covariance"], other["covariance"], rtol=1e-12)
    assert np.allclose(one["mean"], other["mean"], rtol=1e-12)


def test_wide(tmp_path):
    """More columns than rows: the signal is found, from thin sums and from those of a .stats file."""
    random = np.random.default_rng(11)
    n, d = 40, 500
    y = np.arange(n) % 2
    x = random.normal(size=(n, d))
    signal = [17, 205, 333, 480]
    x[:, signal] += 4 * y[:, None]
    names = [f"v{j}" for j in range(d)]
    path = write_table(tmp_path / "wide.csv",
                       [{**dict(zip(names, map(repr, map(float, row)))), "kind": "ab"[c]} for row, c in zip(x, y)])
    model, again = tmp_path / "m.suffice", tmp_path / "again.suffice"
    for covariance in ("tied", "full", "tied-diag", "diag"):
        fitted = good_json("fit", path, "--label", "kind", "--covariance", covariance, "--keep", 4, "-o", model)
        assert fitted["kept"]["features"] == [f"v{j}" for j in signal]
        good("stats", path, "--label", "kind", "-o", tmp_path / "w.stats")
        good("fit", tmp_path / "w.stats", "--covariance", covariance, "--keep", 4, "-o", again)
        assert np.allclose(good_json("show", model)["blocks"][0]["covariance"],
                           good_json("show", again)["blocks"][0]["covariance"], rtol=1e-9)
    fitted = good_json("fit", path, "--label", "kind", "--keep", 4, "-o", model)
    assert fitted["kept"]["of"] == d
    # Features of pure noise are no better than a guess where folds choose them themselves.
    noise = write_table(tmp_path / "noise.csv", [
        {**dict(zip(names, map(repr, map(float, row)))), "kind": "ab"[c]}
        for row, c in zip(random.normal(size=(n, d)), y)])
    found = good_json("select", noise, "--label", "kind", "--covariance", "tied-diag", "--keep", "10",
                      "--calibration", "none", "-o", model)["candidates"][0]
    assert found["error_rate"] > 0.25
    assert good_json("evaluate", model, noise)["error_rate"] < 0.1  # the rows that chose them


# ---- what is told, and what is refused ----------------------------------------------------------------

@pytest.fixture
def table(tmp_path):
    rows = [(0, 9, 1, "a"), (2, 11, 2, "a"), (3, 8, 1, "b"), (7, 12, 2, "b")]
    return write_table(tmp_path / "rows.csv", [dict(zip(("x", "y", "z", "kind"), row)) for row in rows])


def test_words(table, tmp_path):
    model = tmp_path / "m.suffice"
    flags = ("--label", "kind", "--covariance", "tied-diag", "-o", model)
    assert "Kept 1 of 3 features, divergence 6.4 and more (the next has 0): 'x'" in good(
        "fit", table, *flags, "--keep", 1)
    assert "Kept 1 of 3 features" in good("show", model)
    assert "Kept all 3 features: 'x', 'y', 'z'" in good("fit", table, *flags, "--keep", 100)
    assert json.loads(good("show", model, "--json"))["options"]["kept_features"] == 3
    # Other columns need not be there any more.
    good("fit", table, *flags, "--keep-above", 1)
    (tmp_path / "x.csv").write_text("x\n1\n9\n")
    assert [row["label"] for row in rows_of(good("predict", model, tmp_path / "x.csv"))] == ["a", "b"]


@pytest.mark.parametrize("words, code, needle", [
    (("--keep", "0"), 2, "at least 1"),
    (("--keep", "-3"), 2, "at least 1"),
    (("--keep", "half"), 2, "a whole number"),
    (("--keep-above", "-1"), 2, "at least 0"),
    (("--keep-above", "auto"), 2, "a number"),
    (("--keep", "2", "--keep-above", "1"), 2, "leave one of the two out"),
    (("--keep", "2", "--transform", "auto"), 2, "--transform auto"),
    (("--covariance", "tied-diag", "--keep-above", "7"), 1, "the largest divergence is 6.4"),
    (("--keep", "1", "--covariance", "tied", "--shrinkage", "loo"), 1, "kept features"),
])
def test_wrong_commands(table, tmp_path, words, code, needle):
    refused(run("fit", table, "--label", "kind", *words, "-o", tmp_path / "m.suffice"), code, needle)


def test_messages_of_folds(tmp_path):
    """What is wrong in a fold has the names of flags, and numbers for people."""
    table = write_table(tmp_path / "t.csv", [{"x": i * 7 % 11 + 5 * (i % 2), "y": i * i % 13, "kind": "ab"[i % 2]}
                                             for i in range(60)])
    out = ("-o", tmp_path / "m.suffice")
    wrong = run("fit", table, "--label", "kind", "--keep-above", "1e9", *out)
    refused(wrong, 1, "choose a smaller --keep-above")
    listed = good("select", table, "--label", "kind", "--covariance", "tied-diag",
                  "--keep-above", "0,1e9", "--folds", "3", *out)
    for said in (wrong.stderr.decode(), listed):
        assert "no feature separates the classes by more than" in said
        assert "smaller --keep-above" in said and "smaller keep_above" not in said
        divergence = re.search(r"the largest divergence is ([\d.]+), of", said).group(1)
        assert len(divergence) < 6
    assert "fold '1': no feature" in listed


def test_select_refuses(table, tmp_path):
    out = ("-o", tmp_path / "m.suffice")
    refused(run("select", table, "--label", "kind", "--keep", "1", "--folds", "loo", *out), 1, "number of folds")
    refused(run("select", table, "--label", "kind", "--keep", "1,2", "--keep-above", "0.5", *out), 2,
            "leave one of the two out")
    refused(run("fit", table, "--no-label", "--ignore", "kind", "--keep", "1", *out), 2, "--keep")


def test_text_columns_are_one_feature(tmp_path):
    lines = [{"note": "red apple" if i % 2 else "blue sky", "hint": "same words here",
              "kind": "ab"[i % 2]} for i in range(20)]
    path, model = write_table(tmp_path / "t.csv", lines), tmp_path / "m.suffice"
    fitted = good_json("fit", path, "--label", "kind", "--family", "*=text", "--keep", 1, "-o", model)
    assert fitted["kept"]["features"] == ["note"] and fitted["kept"]["of"] == 2
