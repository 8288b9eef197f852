"""The names and shapes that other people's scripts rely on: help, exit codes, columns, JSON."""
import csv
import gzip
import json
import math
import random
import re
import shutil

import pytest

import program
from program import content, good, good_json, refused, rows_of, run

VERBS = ["fit", "predict", "evaluate", "select", "stats", "merge", "subtract", "show", "sample",
         "calibrate"]

# Worked by hand: class n has a ∈ {1, 2, 3}, class p has a ∈ {5, 7, 9}; levels u and v.
SMALL = "a,c,y\n1,u,n\n2,u,n\n3,v,n\n5,v,p\n7,v,p\n9,u,p\n"
PLAIN = ["--covariance", "full", "--shrinkage", "0"]  # maximum likelihood, for what is worked by hand
FIT = ["fit", "small.csv", "--label", "y", *PLAIN]


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with the small table, a model and statistics of it."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "small.csv").write_text(SMALL)
    good(*FIT, "-o", "m.suffice", folder=folder)
    good("stats", "small.csv", "--label", "y", "-o", "s.stats", folder=folder)
    return folder


@pytest.fixture
def folder(tmp_path, template):
    """A copy of it."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path


def normal(x, mean, variance):
    return -0.5 * (math.log(2 * math.pi * variance) + (x - mean) ** 2 / variance)


def by_hand(x, level):
    """log p(x, level | n) and … | p: variances by n, levels with a pseudo-count of 1."""
    return (normal(x, 2, 2 / 3) + math.log((3 if level == "u" else 2) / 5),
            normal(x, 7, 8 / 3) + math.log((2 if level == "u" else 3) / 5))


# ---- Help

def test_help_fits_a_screen():
    text = good("--help")
    assert text == good("-h")
    for verb in VERBS:
        assert re.search(rf"\b{verb}\b", text)
    assert len(text.splitlines()) <= 40 and max(map(len, text.splitlines())) <= 100
    assert len(re.findall(r"^  .*suffice (?:fit|evaluate|predict) ", text, re.MULTILINE)) == 3
    assert re.search(r"\d+\.\d+", good("--version"))
    refused(run(), 2, "suffice --help")


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_each_verb(verb):
    text = good(verb, "--help")
    assert f"suffice {verb}" in text and "--threads" in text and "--json" in text
    assert "\x1b" not in text


# ---- fit, predict, evaluate by hand

def test_fit_says_what_it_took(folder):
    result = run(*FIT, "-o", "again", "--verbose", folder=folder)
    text = (result.stdout + result.stderr).decode()
    assert result.returncode == 0
    for word in ("6 rows", "gaussian", "categorical", "full", "again"):
        assert word in text, text
    assert (folder / "again").read_bytes() == (folder / "m.suffice").read_bytes()
    quiet = run(*FIT, "-o", "again", "--quiet", folder=folder)
    assert quiet.stderr == b""


def test_fit_writes_model_suffice_by_default(folder):
    good(*FIT, folder=folder)
    assert (folder / "model.suffice").read_bytes() == (folder / "m.suffice").read_bytes()


def test_training_error(folder):
    report = good_json("fit", "small.csv", "--label", "y", "-o", "again", "--training-error",
                       folder=folder)
    assert report["training_error"] == 0
    assert good("fit", "small.csv", "--label", "y", "-o", "again", "--training-error", "--quiet",
                folder=folder).startswith("Training error 0 (0 of 6 rows), log-loss ")


def test_options_that_play_no_part_are_not_listed(folder):
    (folder / "names.csv").write_text("c,y\nu,n\nu,n\nv,p\n")
    (folder / "numbers.csv").write_text("a,y\n1,n\n2,n\n5,p\n7,p\n")
    for table, part, none in (("names.csv", "smoothing", "covariance"), ("numbers.csv", "covariance", "smoothing")):
        text = good("fit", table, "--label", "y", "--verbose", "-o", "again", folder=folder)
        options = next(line for line in text.splitlines() if line.startswith("Options: "))
        assert part in options and none not in options


def test_weights_are_called_weights(folder):
    (folder / "weighted.csv").write_text("a,y,w\n1,n,0.5\n2,n,1\n5,p,1\n7,p,2\n")
    (folder / "whole.csv").write_text("a,y,w\n1,n,1\n2,n,1\n5,p,1\n7,p,2\n")
    for table, sign, total in (("weighted.csv", "weight", "weight 4.5"), ("whole.csv", "rows", "5 rows")):
        text = good("fit", table, "--label", "y", "--weight", "w", "--verbose", "-o", "weighted", folder=folder)
        assert re.search(f"^class +{sign}$", text, re.M)
        assert total in good("show", "weighted", folder=folder)
        assert f"{total} of {table}" in good("evaluate", "weighted", table, "--weight", "w", folder=folder)


def test_predict_by_hand(folder):
    rows = rows_of(good("predict", "m.suffice", "small.csv", "--output",
                        "outlier,logpx,llr,loglik,proba", "--digits", "full", "--outlier", "0.001",
                        folder=folder))
    assert list(rows[0]) == ["label", "proba:n", "proba:p", "loglik:n", "loglik:p", "llr:n/p", "logpx",
                             "outlier", "status"]
    for row, line in zip(rows, SMALL.splitlines()[1:], strict=True):
        a, c, _ = line.split(",")
        n, p = by_hand(float(a), c)
        assert float(row["loglik:n"]) == pytest.approx(n, rel=1e-13)
        assert float(row["loglik:p"]) == pytest.approx(p, rel=1e-13)
        assert float(row["llr:n/p"]) == pytest.approx(n - p, rel=1e-12)
        total = math.log((math.exp(n) + math.exp(p)) / 2)
        assert float(row["logpx"]) == pytest.approx(total, rel=1e-12)
        assert float(row["proba:n"]) == pytest.approx(1 / (1 + math.exp(p - n)), rel=1e-12)
        assert float(row["proba:n"]) + float(row["proba:p"]) == pytest.approx(1, rel=1e-15)
        assert 0 < float(row["outlier"]) <= 1
        assert (row["label"], row["status"]) == ("n" if n > p else "p", "ok")


def test_priors_and_costs_move_the_decision(folder):
    """a = 4.4, level u: the ratio is worked out by hand; the model stays as it is."""
    before = (folder / "m.suffice").read_bytes()
    (folder / "x.csv").write_text("c,a\nu,4.4\n")
    n, p = by_hand(4.4, "u")
    ratio = n - p  # decide n where ratio + log(π_n C_np) > log(π_p C_pn)
    assert -3 < ratio < -0.1

    def label(*flags):
        return rows_of(good("predict", "m.suffice", "x.csv", *flags, folder=folder))[0]["label"]
    edge = 1 / (1 + math.exp(ratio))  # the prior of n at which both are equal
    assert label() == "p" and label("--prior", "uniform") == "p"
    for prior, expected in ((edge - 1e-6, "p"), (edge + 1e-6, "n")):
        assert label("--prior", f"n={prior!r},p={1 - prior!r}") == expected
    even = math.exp(-ratio)  # the cost of n>p at which both are equal
    for factor, expected in ((0.999999, "p"), (1.000001, "n")):
        assert label("--cost", f"n>p={even * factor!r}") == expected
        (folder / "cost.csv").write_text(f"true,decided,cost\nn,p,{even * factor!r}\np,n,1\n")
        assert label("--cost", "cost.csv") == expected
    assert (folder / "m.suffice").read_bytes() == before


def test_reject(folder):
    (folder / "x.csv").write_text("a,c\n4.4,u\n2,u\n")
    n, p = by_hand(4.4, "u")
    doubt = 1 / (1 + math.exp(p - n))
    for cost, status in ((doubt * 1.000001, "ok"), (doubt * 0.999999, "reject")):
        rows = rows_of(good("predict", "m.suffice", "x.csv", "--reject", repr(cost), folder=folder))
        assert list(rows[0]) == ["label", "status"]
        assert rows[0] == {"label": "p" if status == "ok" else "", "status": status}
        assert rows[1] == {"label": "n", "status": "ok"}


def test_columns_in_another_order_and_others_beside_them(folder):
    (folder / "turned.csv").write_text("extra,c,y,a\n" + "".join(
        "{3},{1},{2},{0}\n".format(*line.split(","), "junk") for line in SMALL.splitlines()[1:]))
    words = ["predict", "m.suffice", "--output", "loglik"]
    expected = good(*words, "small.csv", folder=folder)
    assert len(rows_of(expected)) == 6
    assert good(*words, "turned.csv", folder=folder) == expected


def test_missing_and_unknown_are_the_marginal(folder):
    (folder / "x.csv").write_text("a,c\n2,\n2,w\n,u\n,\n")
    result = run("predict", "m.suffice", "x.csv", "--output", "loglik", folder=folder)
    assert result.returncode == 0
    rows = rows_of(result.stdout.decode())
    only_a = (normal(2, 2, 2 / 3), normal(2, 7, 8 / 3))
    only_c = (math.log(3 / 5), math.log(2 / 5))
    for row, expected in zip(rows, [only_a, only_a, only_c, (0, 0)], strict=True):
        found = (float(row["loglik:n"]), float(row["loglik:p"]))
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-15)
    message = result.stderr.decode()
    assert "warning" in message and "'c'" in message and "1 value" in message
    assert run("predict", "m.suffice", "x.csv", "--quiet", folder=folder).stderr == b""


def test_evaluate_by_hand(folder):
    (folder / "test.csv").write_text("a,c,y\n2,u,n\n7,v,n\n7,v,p\n8,v,p\n1,u,new\n3,u,\n")
    result = run("evaluate", "m.suffice", "test.csv", "--json", folder=folder)
    assert result.returncode == 0
    report = json.loads(result.stdout)
    assert report["rows"] == 4
    assert report["unknown_label_rows"] == 1
    assert report["error_rate"] == 0.25
    assert report["confusion"] == {"labels": ["n", "p"], "matrix": [[1, 1], [0, 2]]}
    truth = [("u", 2, 0), ("v", 7, 0), ("v", 7, 1), ("v", 8, 1)]
    loss, brier = 0, 0
    for c, a, k in truth:
        scores = by_hand(a, c)
        loss += math.log(sum(map(math.exp, scores))) - scores[k]
        brier += 2 * (1 - math.exp(scores[k]) / sum(map(math.exp, scores))) ** 2
    assert report["log_loss"] == pytest.approx(loss / 4, rel=1e-12)
    assert report["brier"] == pytest.approx(brier / 4, rel=1e-12)
    # n: ratios of rows 1, 2; p: of rows 3, 4. Row 2 ties with row 3.
    assert report["auc"] == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert report["recall"] == [0.5, 1] and report["precision"] == pytest.approx([1, 2 / 3])
    # Clopper and Pearson for 1 of 4: beta quantiles, from R's binom.test(1, 4).
    assert report["error_interval"] == pytest.approx([0.006309463, 0.805879550], rel=1e-6)
    text = good("evaluate", "m.suffice", "test.csv", folder=folder)
    assert "25" in text and "new" in text


def test_evaluate_weights(folder):
    (folder / "test.csv").write_text("a,c,y,w\n2,u,n,3\n7,v,n,2\n7,v,p,0\n8,v,p,5\n")
    report = good_json("evaluate", "m.suffice", "test.csv", "--weight", "w", folder=folder)
    assert report["rows"] == 10 and report["error_rate"] == 0.2
    assert report["confusion"]["matrix"] == [[3, 2], [0, 5]]


# ---- JSON

@pytest.mark.parametrize("words", [
    ["fit", "small.csv", "--label", "y", "-o", "new"], ["evaluate", "m.suffice", "small.csv"],
    ["stats", "small.csv", "--label", "y", "-o", "new"], ["merge", "s.stats", "-o", "new"],
    ["subtract", "s.stats", "s.stats", "-o", "new"], ["show", "s.stats"], ["show", "m.suffice"],
    ["predict", "m.suffice", "small.csv", "-o", "new"], ["sample", "m.suffice", "-n", "3", "-o", "new"],
], ids=lambda w: " ".join(w[:2]))
def test_json_is_one_object_and_nothing_else(folder, words):
    result = run(*words, "--json", folder=folder)
    assert result.returncode == 0, result.stderr
    assert isinstance(json.loads(result.stdout), dict)
    assert all(line.startswith(("warning: ", "hint: ")) for line in result.stderr.decode().splitlines())


def test_show_statistics(folder):
    shown = good_json("show", "s.stats", folder=folder)
    assert shown["kind"] == "statistics"
    assert shown["labels"] == ["n", "p"] and shown["weights"] == [3, 3]
    gaussian, categorical = shown["blocks"]
    assert (gaussian["family"], gaussian["features"]) == ("gaussian", ["a"])
    assert gaussian["mean"] == [[2], [7]] and gaussian["scatter"] == [[[2]], [[8]]]
    assert (categorical["family"], categorical["features"]) == ("categorical", ["c"])
    assert categorical["levels"] == [["u", "v"]]
    assert categorical["count"] == [[[2, 1], [1, 2]]]
    good("stats", "small.csv", "--label", "y", "--covariance", "diag", "-o", "d.stats", folder=folder)
    assert good_json("show", "d.stats", folder=folder)["blocks"][0]["scatter"] == [[2], [8]]


def test_show_model(folder):
    shown = good_json("show", "m.suffice", folder=folder)
    assert shown["kind"] == "model"
    assert shown["labels"] == ["n", "p"] and shown["weights"] == [3, 3]
    gaussian, categorical = shown["blocks"]
    assert gaussian["structure"] == "full" and gaussian["mean"] == [[2], [7]]
    assert [c[0][0] for c in gaussian["covariance"]] == pytest.approx([2 / 3, 8 / 3], rel=1e-15)
    assert categorical["levels"] == [["u", "v"]]
    assert categorical["probability"][0][0] == pytest.approx([3 / 5, 2 / 5], rel=1e-15)
    assert categorical["probability"][0][1] == pytest.approx([2 / 5, 3 / 5], rel=1e-15)
    assert {"covariance": "full", "normalize": "mle", "smoothing": 1}.items() <= shown["options"].items()
    text = good("show", "m.suffice", folder=folder)
    for word in ("gaussian", "categorical", "n", "p"):
        assert word in text


def test_show_discriminant(folder):
    """log p(x|c) = xᵀAx + bᵀx + c for full covariances, wᵀx + b for a tied one."""
    (folder / "numbers.csv").write_text("".join(
        line.rsplit(",", 2)[0] + "," + line.rsplit(",", 1)[1] + "\n" for line in SMALL.splitlines()))
    for covariance in ("full", "tied"):
        good("fit", "numbers.csv", "--label", "y", "--covariance", covariance, "--shrinkage", "0", "-o", "m",
             folder=folder)
        shown = good_json("show", "m", "--discriminant", folder=folder)
        scores = {}
        for x in (0.0, 1.5, 4.0):
            if covariance == "full":
                forms = shown["quadratic"]
                value = lambda f: f["A"][0][0] * x * x + f["b"][0] * x + f["c"]
                expected = normal(x, 2, 2 / 3) - normal(x, 7, 8 / 3)
            else:
                forms = shown["linear"]
                value = lambda f: f["w"][0] * x + f["b"]
                expected = normal(x, 2, 10 / 6) - normal(x, 7, 10 / 6)
            scores = [value(f) for f in (forms.values() if isinstance(forms, dict) else forms)]
            assert scores[0] - scores[1] == pytest.approx(expected, rel=1e-12)
            odds = shown["log_odds"]
            square = odds["A"][0][0] * x * x if covariance == "full" else 0
            assert square + odds["w"][0] * x + odds["c"] == pytest.approx(expected, rel=1e-12)
        text = good("show", "m", "--discriminant", folder=folder)
        assert "log-odds of 'n' against 'p', for equal priors: " in text
        assert ("xᵀAx + wᵀx + c" in text) == (covariance == "full")
        assert f"{shown['log_odds']['w'][0]:.4g}" in text


def test_discriminants_show_the_columns_that_decide_most(tmp_path):
    """Of columns with standard deviation 1, units do not matter: 1000·b separates as b does, and more
    than a, although a has the largest weight per unit."""
    rng = random.Random(5)
    rows = [(label, rng.gauss(0, 1) / 1000 + shift / 1000, 1000 * (rng.gauss(0, 1) + 3 * shift),
             rng.gauss(0, 1)) for label, shift in (("n", 0), ("p", 1), ("q", 2)) for _ in range(200)]
    for classes in ("np", "npq"):
        (tmp_path / "t.csv").write_text("y,a,b,noise\n" + "".join(
            f"{y},{a!r},{b!r},{c!r}\n" for y, a, b, c in rows if y in classes))
        good("fit", "t.csv", "--label", "y", "--covariance", "tied-diag", "--shrinkage", "0", "-o", "m",
             folder=tmp_path)
        for top, expected in (("1", ["b"]), ("2", ["b", "a"])):
            text = good("show", "m", "--discriminant", "--top", top, folder=tmp_path)
            table = text[text.index("wᵀx + c"):].splitlines()[2:]
            assert [line.split()[0] for line in table[:len(expected) + 1]] == [*expected, "(c)"]
            assert f"{top} of 3 coefficients" in text


def test_wide_discriminants_are_folded(tmp_path):
    rng = random.Random(6)
    names = [f"a_rather_long_name_{j}" for j in range(9)]
    (tmp_path / "t.csv").write_text(",".join(["y", *names]) + "\n" + "".join(
        ",".join(["np"[i % 2], *(f"{rng.gauss(0, 1):.3f}" for _ in names)]) + "\n" for i in range(60)))
    good("fit", "t.csv", "--label", "y", "--covariance", "full", "-o", "m", folder=tmp_path)
    text = good("show", "m", "--discriminant", "--top", "0", folder=tmp_path)
    matrix = text[text.index("\nA "):]
    assert [name for line in matrix.splitlines() if line.startswith("A ")
            for name in line.split()[1:]] == names
    shown = good_json("show", "m", "--discriminant", folder=tmp_path)["log_odds"]["A"]
    assert matrix.splitlines()[2].split()[1] == f"{shown[0][0]:.4g}"
    assert max(map(len, matrix.splitlines())) <= 100
    assert all(matrix.count(f"\n{name} ") >= 2 for name in names)


# ---- Statistics

def test_fit_from_statistics(folder):
    good("fit", "s.stats", *PLAIN, "-o", "again", folder=folder)
    assert (folder / "again").read_bytes() == (folder / "m.suffice").read_bytes()
    assert rows_of(good("predict", "again", "small.csv", folder=folder)) == [
        {"label": line[-1]} for line in SMALL.splitlines()[1:]]


def test_merge_and_subtract(folder):
    good("merge", "s.stats", "s.stats", "-o", "two.stats", folder=folder)
    shown = good_json("show", "two.stats", folder=folder)
    assert shown["weights"] == [6, 6] and shown["blocks"][0]["scatter"] == [[[4]], [[16]]]
    good("subtract", "two.stats", "s.stats", "-o", "rest.stats", folder=folder)
    rest = good_json("show", "rest.stats", folder=folder)
    assert rest["weights"] == [3, 3] and rest["blocks"][1]["count"] == [[[2, 1], [1, 2]]]
    assert rest["blocks"][0]["mean"] == [[2], [7]]


def test_like(folder):
    """A part in which a column of words looks like numbers fits with the others."""
    (folder / "part.csv").write_text("a,c,y\n4,1,n\n5,2,p\n")
    good("stats", "part.csv", "--label", "y", "--like", "s.stats", "-o", "part.stats", folder=folder)
    good("merge", "s.stats", "part.stats", "-o", "all.stats", folder=folder)
    shown = good_json("show", "all.stats", folder=folder)
    assert shown["weights"] == [4, 4] and shown["blocks"][1]["levels"] == [["1", "2", "u", "v"]]


# ---- sample

def test_sample(folder):
    text = good("sample", "m.suffice", "-n", "2000", "--seed", "7", folder=folder)
    assert text == good("sample", "m.suffice", "-n", "2000", "--seed", "7", "--threads", "1",
                        folder=folder)
    assert text != good("sample", "m.suffice", "-n", "2000", folder=folder)
    rows = rows_of(text)
    assert list(rows[0]) == ["a", "c", "y"] and len(rows) == 2000
    n = [float(r["a"]) for r in rows if r["y"] == "n"]
    # Five standard errors: of the share, the mean and the level of class n.
    assert abs(len(n) / 2000 - 0.5) < 5 * math.sqrt(0.25 / 2000)
    assert abs(sum(n) / len(n) - 2) < 5 * math.sqrt(2 / 3 / len(n))
    u = sum(r["c"] == "u" for r in rows if r["y"] == "n") / len(n)
    assert abs(u - 0.6) < 5 * math.sqrt(0.24 / len(n))
    assert {r["y"] for r in rows_of(good("sample", "m.suffice", "-n", "50", "--class", "p",
                                         folder=folder))} == {"p"}
    assert {r["y"] for r in rows_of(good("sample", "m.suffice", "-n", "50", "--prior", "n=1,p=0",
                                         folder=folder))} == {"n"}
    # A sample is a table like any other.
    (folder / "drawn.csv").write_text(text)
    assert good_json("evaluate", "m.suffice", "drawn.csv", folder=folder)["rows"] == 2000


# ---- Words

def test_the_ending_chooses_how_text_is_written(folder):
    (folder / "small.csv").write_text(SMALL.replace(",n", ',"n,1"'))
    good(*FIT, "-o", "m.suffice", folder=folder)
    words = ["predict", "m.suffice", "small.csv", "--output", "proba"]
    text = good(*words, folder=folder)
    tabs = "".join("\t".join(row) + "\n" for row in csv.reader(text.splitlines()))
    assert "n,1\t" in tabs
    for name, expected in {"p.csv": text, "p.tsv": tabs, "p.tab": tabs, "p.TSV": tabs}.items():
        good(*words, "-o", name, folder=folder)
        assert (folder / name).read_text() == expected
        for packing in (".gz", ".GZ"):
            good(*words, "-o", name + packing, folder=folder)
            assert gzip.decompress((folder / (name + packing)).read_bytes()).decode() == expected
    good("sample", "m.suffice", "-n", "5", "-o", "rows.tsv.gz", folder=folder)
    assert good_json("evaluate", "m.suffice", "rows.tsv.gz", folder=folder)["rows"] == 5


def test_labels_keep_their_spelling(tmp_path):
    """Numbers sort as numbers and stay as written; one word among them and all sort as bytes."""
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(
        f"{i * 7 % 10},{y}\n{i * 3 % 11 + 1},{y}\n{i + 20},{y}\n"
        for i, y in enumerate(["10", "9", "-1", "2.50", "007"])))
    good("stats", "t.csv", "--label", "y", "-o", "s", folder=tmp_path)
    assert good_json("show", "s", folder=tmp_path)["labels"] == ["-1", "2.50", "007", "9", "10"]
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text(text + "1,ten\n2,ten\n")
    good("stats", "t.csv", "--label", "y", "-o", "s", folder=tmp_path)
    assert good_json("show", "s", folder=tmp_path)["labels"] == ["-1", "007", "10", "2.50", "9", "ten"]


def test_labels_that_need_quotes(tmp_path):
    labels = ['a,b', 'say "x"', "two\nlines", "größer"]
    cell = lambda text: '"' + text.replace('"', '""') + '"'
    rows = [f"{k * 10 + i % 3},{cell(label)}\n" for k, label in enumerate(labels) for i in range(6)]
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(rows))
    good("fit", "t.csv", "--label", "y", "-o", "m", folder=tmp_path)
    answers = rows_of(good("predict", "m", "t.csv", "--output", "proba", "--digits", "full", folder=tmp_path))
    assert list(answers[0]) == ["label"] + [f"proba:{c}" for c in sorted(labels, key=str.encode)]
    assert [a["label"] for a in answers] == [label for label in labels for _ in range(6)]


def test_identifiers_get_a_warning(tmp_path):
    (tmp_path / "t.csv").write_text("id,a,y\n" + "".join(
        f"k{i:05},{i % 9},{'pq'[i % 2]}\n" for i in range(300)))
    result = run("fit", "t.csv", "--label", "y", "-o", "m", folder=tmp_path)
    assert result.returncode == 0
    message = result.stderr.decode()
    assert "warning" in message and "'id'" in message and "--ignore" in message


def test_constant_columns_are_left_out_and_said(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(f"{i % 9},4,{'pq'[i % 2]}\n" for i in range(50)))
    result = run("fit", "t.csv", "--label", "y", "-o", "m", folder=tmp_path)
    text = (result.stdout + result.stderr).decode()
    assert result.returncode == 0 and "constant" in text and re.search(r"\bb\b", text)


def test_what_was_missing_is_said(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(
        f"{'' if i % 10 == 3 else i % 9},{i % 7},{'' if i % 50 == 9 else 'pq'[i % 2]}\n"
        for i in range(100)))
    result = run("fit", "t.csv", "--label", "y", "--verbose", "-o", "m", folder=tmp_path)
    text = (result.stdout + result.stderr).decode()
    assert result.returncode == 0
    assert "100 rows" in text and "2 rows without a label" in text
    assert re.search(r"^a +gaussian.* +10$", text, re.MULTILINE)


def test_output_is_plain_where_there_is_no_terminal(folder):
    for words in (["show", "m.suffice"], ["evaluate", "m.suffice", "small.csv"],
                  ["fit", "small.csv", "--label", "y", "-o", "x"]):
        result = run(*words, folder=folder)
        assert b"\x1b" not in result.stdout + result.stderr
        assert b"\r" not in result.stderr


NUMBERS = ["0.1", "-0.30000000000000004", "123456789.12345679", "5e-324", "2.2250738585072014e-308",
           "1.7976931348623157e100", "-1E-7", "+1.5", ".5", "5.", " 2 ", "1e5", "007", "-0",
           "9007199254740993", "0.1000000000000000055511151231257827021181583404541015625",
           "179769313486231570000000000000000000000000000000", '"3.25"', "1e-400"]


def test_numbers_come_out_as_they_went_in(tmp_path):
    """Through the CSV reader, the statistics file and JSON: Python's float is the judge. The mean of
    one row is the row."""
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{x},c{i:02}\n" for i, x in enumerate(NUMBERS)))
    good("stats", "t.csv", "--label", "y", "-o", "s", folder=tmp_path)
    block, = good_json("show", "s", folder=tmp_path)["blocks"]
    assert block["family"] == "gaussian"
    assert [m[0] for m in block["mean"]] == [float(x.strip('"')) for x in NUMBERS]


def test_predictions_have_the_shortest_digits(folder):
    rows = rows_of(good("predict", "m.suffice", "small.csv", "--output", "proba,loglik", "--digits", "full", folder=folder))
    assert len(rows) == 6
    for row in rows:
        digits = lambda text: len(text.split("e")[0].strip("-").replace(".", "").strip("0"))
        for key, text in row.items():
            if key != "label":
                assert digits(text) == digits(repr(float(text))), text


def test_a_header_without_rows(folder):
    (folder / "none.csv").write_text("a,c,y\n")
    for verb in ("predict", "evaluate"):
        refused(run(verb, "m.suffice", "none.csv", folder=folder), 1, "none.csv", "no rows")


def test_nothing_is_written_where_nothing_was_asked(folder):
    before = content(folder)
    for words in (["predict", "m.suffice", "small.csv"], ["evaluate", "m.suffice", "small.csv"],
                  ["show", "m.suffice"], ["sample", "m.suffice", "-n", "5"]):
        program.good(*words, folder=folder)
    assert content(folder) == before


@pytest.mark.parametrize("text, words", [
    ("x,c\n1,a\n2,a \n3,b\n4,b\n5,a\n", ["'a' and 'a '", "classes"]),
    ("x,c\n1,1\n2,1.0\n3,2\n4,2\n5,1\n", ["'1' and '1.0'", "classes"]),
    ("x,l,c\n1,u,a\n2, u,a\n3,v,b\n4,v,b\n5,u,a\n", ["' u' and 'u'", "levels"]),
    ("x;y;c\n1;1,5;a\n2;2,5;a\n3;1,5;b\n5;2,5;b\n", ["'y'", "comma"]),
    ("x,c\n" + "".join(f"{i * i % 17},{i % 30}\n" for i in range(90)), ["30 different labels in 90 rows"]),
])
def test_warnings_of_what_is_probably_a_mistake(tmp_path, text, words):
    """Likely mistakes are reported, and the file is written anyway."""
    (tmp_path / "t.csv").write_text(text)
    result = run("stats", "t.csv", "--label", "c", "-o", "t.stats", folder=tmp_path)
    assert result.returncode == 0
    for word in ["warning: ", *words]:
        assert word in result.stderr.decode()
    assert (tmp_path / "t.stats").exists()
    quiet = run("stats", "t.csv", "--label", "c", "-o", "t.stats", "--quiet", folder=tmp_path)
    assert quiet.stderr == b""


def test_a_table_in_place_of_a_model(folder):
    table = folder / "t.csv"
    table.write_text("x,c\n1,a\n")
    for verb in ("show", "merge", "sample", "evaluate"):
        more = {"merge": ["t.csv", "-o", "m.stats"], "sample": ["-n", 1], "evaluate": ["t.csv"]}
        refused(run(verb, "t.csv", *more.get(verb, []), folder=folder), 1, "'t.csv' is a table")
