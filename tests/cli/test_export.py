"""Exported models give the answers of `suffice predict`, in the engines that they are for."""
import json
import math
import re
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest

import exports
from datasets import read_table, write_table
from export_cases import (
    ALL,
    check_targets,
    DISCRIMINATIVE,
    FLOAT,
    generated,
    GENERATED,
    incomplete,
    LABELS,
    near,
    NEARLY_SINGULAR,
    predicted,
    small)  # noqa: F401
from program import good, refused, run


@pytest.mark.parametrize("case", GENERATED)
def test_generated(case, tmp_path, postgres):
    lines = generated()
    table = write_table(tmp_path / "rows.csv", lines)
    model = tmp_path / "model.suffice"
    good("fit", table, "--label", "kind", *GENERATED[case], "-o", model)
    lines = lines[:80]
    some = write_table(tmp_path / "some.csv", lines)
    check_targets(model, some, lines, tmp_path, "json js c duckdb sqlite postgres onnx".split(), postgres,
                  tolerance=1e-11 if "bayes" in case else 2e-12)


@pytest.mark.parametrize("case", DISCRIMINATIVE)
def test_discriminative(case, tmp_path, postgres_or_none):
    lines = generated()
    table = write_table(tmp_path / "rows.csv", lines)
    model = tmp_path / "model.suffice"
    good("fit", table, "--label", "kind", "--discriminative", *DISCRIMINATIVE[case], "-o", model)
    lines = lines[:80]
    some = write_table(tmp_path / "some.csv", lines)
    targets = ["json", "js", "c", "duckdb", "sqlite", "onnx", *(["postgres"] if postgres_or_none else [])]
    for decision in ([], ["--prior", "uniform", "--cost", "a>it's=3"]):
        check_targets(model, some, lines, tmp_path, targets, postgres_or_none, tolerance=1e-11, relative=True,
                      decision=decision, single_tolerance=1e-4)


def test_calibrated_discriminative(tmp_path):
    lines = [line for line in generated(seed=7, rows=600) if line["kind"] in LABELS[:2]]
    table = write_table(tmp_path / "rows.csv", lines[:150])
    good("fit", table, "--label", "kind", "--discriminative", *ALL, "--penalty", "0.1", "--quiet", "-o",
         tmp_path / "plain.suffice")
    other = write_table(tmp_path / "other.csv", lines[150:])
    model = tmp_path / "model.suffice"
    good("calibrate", tmp_path / "plain.suffice", other, "-o", model, "--quiet")
    plain, _ = predicted(tmp_path / "plain.suffice", other)
    calibrated, _ = predicted(model, other)
    assert np.abs(plain.proba - calibrated.proba).max() > 1e-3
    rows = exports.Rows.of_csv(exports.description(model), lines[150:])
    undecided = incomplete(exports.description(model), rows)
    for found in (exports.json_in_python(good("export", model, "--to", "json"), rows),
                  exports.in_duckdb(good("export", model, "--to", "sql"), rows, LABELS[:2]),
                  exports.CModel(good("export", model, "--to", "c"), tmp_path, "model", "double").answers(rows.matrix())):
        kept = [i for i in range(len(rows)) if i not in undecided]
        assert np.abs(found.proba[kept] - calibrated.proba[kept]).max() < 1e-10


PASSENGERS = ["--label", "Survived", "--features", "Pclass,Sex,Age,SibSp,Parch,Fare,Embarked"]
SETS = {  # data set, flags of fit, rows, targets
    "penguins": ("penguins.csv.gz", ["--label", "species"], 344, "json js c duckdb sqlite postgres onnx"),
    "penguins bayes": ("penguins.csv.gz", ["--label", "species", "--estimate", "bayes"], 100, "json js c duckdb onnx"),
    "census": ("census_train.csv.gz", ["--label", "income", "--covariance", "full"], 300,
              "json js c duckdb sqlite postgres onnx"),
    "census indicators": ("census_train.csv.gz", ["--label", "income", "--covariance", "tied", "--categories", "within"],
                         300, "json js c duckdb sqlite onnx"),
    "passengers diag": ("passengers.csv.gz", [*PASSENGERS, "--covariance", "diag"], 300,
                     "json js c duckdb sqlite postgres onnx"),
    "passengers full": ("passengers.csv.gz", [*PASSENGERS, "--covariance", "full"], 300, "json js c duckdb onnx"),
    "wdbc": ("breast_cancer_wdbc.csv.gz", ["--label", "diagnosis"], 100, "json js c duckdb sqlite postgres onnx"),
    "wdbc log1p pca": ("breast_cancer_wdbc.csv.gz", ["--label", "diagnosis", "--transform", "*=log1p",
                                                     "--pca", "5"], 100, "json js c duckdb sqlite postgres onnx"),
    "digits": ("digits.csv.gz", ["--label", "digit"], 40, "json js c duckdb sqlite onnx"),
    "digits lda": ("digits.csv.gz", ["--label", "digit", "--lda", "9", "--covariance", "tied"],
                      40, "json js c duckdb sqlite postgres onnx"),
    "digits counts": ("digits.csv.gz", ["--label", "digit", "--family", "*=poisson"], 40,
                         "json js c duckdb sqlite postgres onnx"),
    "digits words": ("digits.csv.gz", ["--label", "digit", "--family", "*=multinomial",
                                                   "--estimate", "bayes"], 40, "json js c onnx"),
}


@pytest.mark.parametrize("case", SETS)
def test_data_sets(case, data, tmp_path, postgres_or_none):
    file, flags, most, targets = SETS[case]
    model = tmp_path / "model.suffice"
    good("fit", data(file), *flags, "-o", model, "--quiet")
    lines = read_table(data(file), most)
    some = write_table(tmp_path / "some.csv", lines)
    targets = [t for t in targets.split() if t != "postgres" or postgres_or_none]
    check_targets(model, some, lines, tmp_path, targets, postgres_or_none, tolerance=1e-11,
                  single_tolerance=NEARLY_SINGULAR.get(case, FLOAT))


@pytest.mark.parametrize("decision", [["--prior", "uniform"], ["--prior", "a=0.5,b=0.5,c=0"],
                                      ["--cost", "a>b=50,b>a=-1,c>a=3.5"],
                                      ["--prior", "a=0.8,b=0.1,c=0.1", "--cost", "a>b=0.01,a>c=0.02"]])
def test_priors_and_costs(decision, small, tmp_path, postgres_or_none):
    model, table, lines = small
    check_targets(model, table, lines, tmp_path,
                  ["json", "js", "c", "duckdb", "sqlite", "onnx", *(["postgres"] if postgres_or_none else [])],
                  postgres_or_none, decision=decision)


def test_priors_and_costs_of_the_caller(small, tmp_path):
    """C and ONNX take them as arguments; the same file serves all."""
    model, table, lines = small
    rows = exports.Rows.of_csv(exports.description(model), lines)
    prior, cost = [0.7, 0.1, 0.2], [[0, 9, 1], [1, 0, 5], [2, 2, 0]]
    flags = ["--prior", "a=0.7,b=0.1,c=0.2", "--cost", "a>b=9,b>c=5,c>a=2,c>b=2"]
    expected, _ = predicted(model, table, *flags)
    plain, _ = predicted(model, table, "--prior", "a=0.7,b=0.1,c=0.2")
    c = exports.CModel(good("export", model, "--to", "c"), tmp_path, "model", "double")
    near(c.answers(rows.matrix(), np.log(prior), cost), expected, 1e-12)
    near(c.answers(rows.matrix(), np.log(prior)), plain, 1e-12)
    graph = tmp_path / "m.onnx"
    good("export", model, "--to", "onnx", "-o", graph)
    near(exports.in_onnx(graph.read_bytes(), rows, log_prior=np.log(prior), cost=cost), expected, 1e-12)
    near(exports.in_onnx(graph.read_bytes(), rows, log_prior=np.log(prior)), plain, 1e-12)
    text = good("export", model, "--to", "json")
    near(exports.json_in_python(text, rows, log_prior=np.log(prior).tolist(), cost=cost), expected, 1e-12)


@pytest.mark.parametrize("kind", ["tied", "full", "counts"])
def test_relative(kind, small, tmp_path, postgres_or_none):
    model, table, lines = small
    if kind != "tied":
        flags = ["--family", "*=poisson"] if kind == "counts" else ["--covariance", "full", "--tails", "normal"]
        lines = [{**line, "x": round(line["x"])} for line in lines]
        table = write_table(tmp_path / "whole.csv", lines)
        good("fit", table, "--label", "kind", *flags, "--quiet", "-o", model)
    terms = json.loads(good("export", model, "--to", "json", "--relative"))["blocks"][0]["classes"][0]
    assert [name for name, _ in terms] == ["constant", "normal" if kind == "full" else "linear"]
    check_targets(model, table, lines, tmp_path, ["json", "js", "c", "duckdb", "sqlite", "onnx"],
                  relative=True)


@pytest.mark.parametrize("structure", ["tied-diag", "tied-spherical"])
def test_relative_scores_of_features_that_are_missing(structure, small, tmp_path, postgres_or_none):
    """A missing value has no term, so that a row with a gap is decided as predict decides it."""
    model, table, _ = small
    good("fit", table, "--label", "kind", "--covariance", structure, "--tails", "normal", "--quiet", "-o", model)
    lines = [{"x": x, "y": y} for x in ("", 1, 4.5, 8, 1e3) for y in ("", 0, 2.5, 7, -1e3)]
    some = write_table(tmp_path / "gaps.csv", lines)
    described = json.loads(good("export", model, "--to", "json", "--relative"))
    assert not incomplete(described, exports.Rows.of_csv(described, lines))
    assert run("export", model, "--to", "sql", "--relative").stderr == b""
    check_targets(model, some, lines, tmp_path,
                  ["json", "js", "c", "duckdb", "sqlite", "onnx", *(["postgres"] if postgres_or_none else [])],
                  postgres_or_none, relative=True, tolerance=1e-9, single_tolerance=1e-3)


@pytest.mark.parametrize("categories", ["apart", "within"])
def test_spellings_of_booleans(categories, tmp_path, postgres_or_none):
    """pandas writes True and R writes TRUE: predict takes them for true, and so does every target."""
    r = np.random.default_rng(3)
    lines = [{"b": ["false", "true"][r.random() < (0.2, 0.9)[k % 2]], "x": k % 2 + r.normal(), "kind": "ab"[k % 2]}
             for k in range(200)]
    model = tmp_path / "model.suffice"
    good("fit", write_table(tmp_path / "rows.csv", lines), "--label", "kind", "--covariance", "tied",
         "--categories", categories, "--quiet", "-o", model)
    lines = [{"b": b, "x": 0.4} for b in ("true", "True", "TRUE", "false", "False", "FALSE", "tRUE")]
    some = write_table(tmp_path / "some.csv", lines)
    expected, _ = predicted(model, some)
    assert (expected.proba[0] == expected.proba[2]).all() and (expected.proba[0] != expected.proba[3]).all()
    check_targets(model, some, lines, tmp_path,
                  ["json", "js", "duckdb", "sqlite", "onnx", *(["postgres"] if postgres_or_none else [])],
                  postgres_or_none)
    (tmp_path / "model.h").write_text(good("export", model, "--to", "c", "--name", "model"))
    (tmp_path / "level.c").write_text(
        '#include <stdio.h>\n#include "model.h"\nint main(int n, char **name) {\n'
        '  for (int i = 1; i < n; ++i) printf("%g ", (double)model_level(0, name[i]));\n}\n')
    subprocess.run(["cc", "-std=c99", "-o", "level", "level.c", "-lm"], cwd=tmp_path, check=True)
    told = subprocess.run(["./level", *(line["b"] for line in lines)], cwd=tmp_path, check=True,
                          capture_output=True, text=True).stdout.split()
    assert told[:6] == ["1", "1", "1", "0", "0", "0"] and told[6] in ("nan", "-nan", "2")


@pytest.mark.parametrize("method", ["affine", "isotonic"])
def test_calibration(method, tmp_path, postgres_or_none):
    """Posteriors and decisions are the calibrated ones, log-likelihoods are not touched."""
    lines = [line for line in generated(seed=7, rows=600) if line["kind"] in LABELS[:2]]
    table = write_table(tmp_path / "rows.csv", lines[:150])
    good("fit", table, "--label", "kind", *ALL, "--smoothing", "0", "--covariance", "diag", "--quiet", "-o",
         tmp_path / "plain.suffice")
    other = write_table(tmp_path / "other.csv", lines[150:])
    model = tmp_path / "model.suffice"
    good("calibrate", tmp_path / "plain.suffice", other, "--method", method, "-o", model, "--quiet")
    description = exports.description(model)
    assert (description["calibration"]["knots"] != []) == (method == "isotonic")
    assert all(block["scale"] != 1 for block in description["blocks"])
    plain, _ = predicted(tmp_path / "plain.suffice", other)
    calibrated, _ = predicted(model, other)
    assert np.abs(plain.proba - calibrated.proba).max() > 1e-3
    targets = ["json", "js", "c", "duckdb", "sqlite", "onnx", *(["postgres"] if postgres_or_none else [])]
    for decision in ([], ["--prior", "uniform", "--cost", "a>it's=3"]):
        check_targets(model, other, lines[150:], tmp_path, targets, postgres_or_none, tolerance=2e-12,
                      decision=decision)


def edited(query, stage, numbers):
    """The query with other numbers in one of its first stages."""
    begin = query.index(f"{stage} AS (")
    end = query.index("\n-- " if stage == "prior" else "),\n", begin)
    text = query[begin:end]
    for name, value in numbers.items():
        text, count = re.subn(rf"CAST\(\S+ AS ([A-Z ]+)\) AS {name}\b", rf"CAST({value}e0 AS \1) AS {name}", text)
        assert count == 1
    return query[:begin] + text + query[end:]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_queries_whose_priors_and_costs_are_edited(dialect, small, tmp_path, postgres_or_none):
    """One query serves all priors and costs."""
    if dialect == "postgres" and not postgres_or_none:
        pytest.skip("no PostgreSQL server")
    model, _, _ = small
    lines = [{"x": x, "y": y} for x in (2, 3, 4, 4.5, 5, 6) for y in (1, 2, 3, 4, 5)]
    table = write_table(tmp_path / "between.csv", lines)
    rows = exports.Rows.of_csv(exports.description(model), lines)
    engine = {"duckdb": exports.in_duckdb, "sqlite": exports.in_sqlite,
              "postgres": lambda *words: exports.in_postgres(postgres_or_none, *words)}[dialect]
    query = good("export", model, "--to", "sql", "--dialect", dialect)
    labels = ["a", "b", "c"]
    prior = {"p_0": 0.7, "p_1": 0.1, "p_2": 0.2}
    other = edited(query, "prior", prior)
    near(engine(other, rows, labels), predicted(model, table, "--prior", "a=0.7,b=0.1,c=0.2")[0], 1e-12)
    costly = edited(other, "cost", {"cost_0_1": 9, "cost_1_2": 5, "cost_2_0": 2, "cost_2_1": 2})
    expected, _ = predicted(model, table, "--prior", "a=0.7,b=0.1,c=0.2", "--cost", "a>b=9,b>c=5,c>a=2,c>b=2")
    near(engine(costly, rows, labels), expected, 1e-12)
    decisions = [predicted(model, table, *words)[0].labels for words in ([], ["--prior", "a=0.7,b=0.1,c=0.2"])]
    assert expected.labels not in decisions and decisions[0] != decisions[1]


def test_priors_that_are_all_zero(small, tmp_path):
    """No class can be: no decision."""
    model, _, lines = small
    text = good("export", model, "--to", "json")
    rows, none = exports.Rows.of_csv(json.loads(text), lines), [-math.inf] * 3
    c = exports.CModel(good("export", model, "--to", "c"), tmp_path, "model", "double")
    good("export", model, "--to", "onnx", "-o", tmp_path / "m.onnx")
    queries = {dialect: edited(good("export", model, "--to", "sql", "--dialect", dialect), "prior",
                               {"p_0": 0, "p_1": 0, "p_2": 0}) for dialect in ("duckdb", "sqlite")}
    for found in (c.answers(rows.matrix(), none), exports.json_in_python(text, rows, log_prior=none),
                  exports.in_onnx((tmp_path / "m.onnx").read_bytes(), rows, log_prior=none),
                  exports.in_duckdb(queries["duckdb"], rows, ["a", "b", "c"]),
                  exports.in_sqlite(queries["sqlite"], rows, ["a", "b", "c"])):
        assert found.labels == [None] * len(rows) and np.isnan(found.proba).all()
        assert np.isfinite(found.loglik).all()


@pytest.mark.parametrize("flags", [["--estimate", "bayes", "--covariance", "diag"],
                                   ["--estimate", "bayes", "--covariance", "full"],
                                   ["--tails", "4", "--covariance", "tied"], ["--covariance", "full"],
                                   ["--covariance", "diag"], ["--tails", "5", "--pca", "1"]], ids=" ".join)
def test_numbers_whose_squares_overflow(flags, small, tmp_path, postgres_or_none):
    """A distance that is infinite: log p(x | c) is -inf, and where that holds for all classes, the posteriors
    are the priors."""
    model, table, lines = small
    tails = [] if "--tails" in flags else ["--tails", "normal"]
    good("fit", table, "--label", "kind", *flags, *tails, "--quiet", "-o", model)
    far = [{"x": x, "y": y} for x in (2.0, 1e140, -1e160, 1e200, -1e300) for y in (1.0, 1e140, 3e200, -1e300)]
    some = write_table(tmp_path / "far.csv", far)
    expected, labels = predicted(model, some)
    assert np.isneginf(expected.loglik).all(1).sum() >= 8 and np.isfinite(expected.loglik[0]).all()
    assert (expected.proba[-1] == [0.4, 0.3, 0.3]).all()
    text = good("export", model, "--to", "json")
    rows = exports.Rows.of_csv(json.loads(text), far)
    near(exports.json_in_python(text, rows), expected, 1e-12)
    if shutil.which("node"):
        near(exports.json_in_javascript(text, rows, tmp_path), expected, 1e-12)
    c = exports.CModel(good("export", model, "--to", "c"), tmp_path, "model", "double")
    near(c.answers(rows.matrix()), expected, 1e-12)
    good("export", model, "--to", "onnx", "-o", tmp_path / "m.onnx")
    near(exports.in_onnx((tmp_path / "m.onnx").read_bytes(), rows), expected, 1e-12)
    query = lambda dialect: good("export", model, "--to", "sql", "--dialect", dialect)
    near(exports.in_duckdb(query("duckdb"), rows, labels), expected, 1e-12)
    near(exports.in_sqlite(query("sqlite"), rows, labels), expected, 1e-12)
    if postgres_or_none:
        near(exports.in_postgres(postgres_or_none, query("postgres"), rows, labels), expected, 1e-12)


@pytest.mark.parametrize("covariance", ["full", "tied", "diag"])
def test_a_class_without_rows(covariance, small, tmp_path):
    """Its rows were taken out again: it is never decided for."""
    model, table, lines = small
    gone = write_table(tmp_path / "gone.csv", [line for line in lines if line["kind"] == "b"])
    for name, path in (("all", table), ("gone", gone)):
        good("stats", path, "--label", "kind", "--quiet", "-o", tmp_path / f"{name}.stats")
    good("subtract", tmp_path / "all.stats", tmp_path / "gone.stats", "--quiet", "-o", tmp_path / "rest.stats")
    good("fit", tmp_path / "rest.stats", "--covariance", covariance, "--quiet", "-o", model)
    assert np.isneginf(predicted(model, table)[0].loglik[:, 1]).all()
    check_targets(model, table, lines, tmp_path, ["json", "js", "c", "duckdb", "sqlite", "onnx"])


def test_sqlite_numbers_that_are_text(small):
    """As `.import` leaves them: text that is a number counts as one, empty text is missing."""
    model, table, _ = small
    good("fit", table, "--label", "kind", "--covariance", "diag", "--tails", "normal", "--quiet", "-o", model)
    cells = [("1.5", "2"), (" 1.5", "2e0"), (1.5, 2), ("", 2), (None, 2), ("1.5x", 2), ("x", 2), (b"1.5", 2),
             ("1.5", "0x2")]
    for kind in ("TEXT", "REAL", ""):
        connection = sqlite3.connect(":memory:")
        connection.execute(f"CREATE TABLE data (x {kind}, y {kind})")
        connection.executemany("INSERT INTO data VALUES (?, ?)", cells)
        found = connection.execute(good("export", model, "--to", "sql", "--dialect", "sqlite")).fetchall()
        answers = [row[:7] for row in found]
        assert answers[0] == answers[1] == answers[2] and answers[0][0] == "a"
        assert answers[3] == answers[4] and answers[3][0] == "a" and answers[3][1] != answers[0][1]
        assert all(answer == (None,) * 7 for answer in answers[5:])


def test_ties_and_rows_that_are_impossible_everywhere(tmp_path):
    """Two classes with the same rows: the first one wins. A level that no class has: the priors."""
    lines = [{"colour": c, "kind": k} for k in "abc" for c in ("red", "blue")] + [
        {"colour": "green", "kind": "z"}]
    table = write_table(tmp_path / "t.csv", lines)
    good("fit", table, "--label", "kind", "--smoothing", "0", "--quiet", "-o", tmp_path / "m.suffice")
    asked = [{"colour": "red"}, {"colour": "green"}, {"colour": ""}]
    some = write_table(tmp_path / "some.csv", asked)
    # A prior of 0 for the only class that has green: impossible everywhere.
    decision = ["--prior", "a=0.3,b=0.3,c=0.4,z=0"]
    expected, _ = predicted(tmp_path / "m.suffice", some, *decision)
    assert expected.labels == ["c", "c", "c"] and expected.proba[1].tolist() == [0.3, 0.3, 0.4, 0]
    check_targets(tmp_path / "m.suffice", some, asked, tmp_path, ["json", "js", "c", "duckdb", "sqlite", "onnx"],
                  decision=decision)
    expected, _ = predicted(tmp_path / "m.suffice", some, "--prior", "uniform")
    assert expected.labels[0] == "a"
    check_targets(tmp_path / "m.suffice", some, asked, tmp_path, ["json", "js", "c", "duckdb", "sqlite", "onnx"],
                  decision=["--prior", "uniform"])


def test_values_that_a_column_cannot_have(tmp_path):
    """No scores and no decision, instead of wrong ones."""
    lines = [{"n": n, "flag": n % 2, "price": 1 + n, "kind": "ab"[n > 3]} for n in range(8)]
    table = write_table(tmp_path / "t.csv", lines)
    good("fit", table, "--label", "kind", "--family", "n=poisson", "--family", "flag=bernoulli",
         "--transform", "price=log", "--quiet", "-o", tmp_path / "m.suffice")
    model = exports.description(tmp_path / "m.suffice")
    bad = [{"n": 1.5}, {"n": -1.0}, {"flag": 2.0}, {"price": 0.0}, {"price": -3.0}, {"n": math.inf},
           {"price": math.inf}]
    fine = {"n": 2.0, "flag": 1.0, "price": 3.0}
    rows = [fine, *[{**fine, **change} for change in bad]]
    cells = {name: [row[name] for row in rows] for name in fine}
    rows = exports.Rows(model["columns"], cells)
    expected, _ = predicted(tmp_path / "m.suffice", write_table(tmp_path / "s.csv", [fine]))
    expected = exports.Answers(expected.labels * 8, np.repeat(expected.loglik, 8, 0), np.repeat(expected.proba, 8, 0))
    wrong = set(range(1, 8))
    c = exports.CModel(good("export", tmp_path / "m.suffice", "--to", "c"), tmp_path, "model", "double")
    near(c.answers(rows.matrix()), expected, 1e-12, undecided=wrong)
    assert [status for status, _ in c.scores(rows.matrix())] == [0] + 7 * [2]
    good("export", tmp_path / "m.suffice", "--to", "onnx", "-o", tmp_path / "m.onnx")
    near(exports.in_onnx((tmp_path / "m.onnx").read_bytes(), rows), expected, 1e-12, undecided=wrong)
    labels = model["labels"]
    query = good("export", tmp_path / "m.suffice", "--to", "sql", "--dialect", "duckdb")
    near(exports.in_duckdb(query, rows, labels), expected, 1e-12, undecided=wrong)
    query = good("export", tmp_path / "m.suffice", "--to", "sql", "--dialect", "sqlite")
    near(exports.in_sqlite(query, rows, labels), expected, 1e-12, undecided=wrong)


def test_missing_status_of_a_joint_block(small, tmp_path):
    model, _, _ = small
    c = exports.CModel(good("export", model, "--to", "c"), tmp_path, "model", "double")
    found = c.scores([[1.0, 2.0], [math.nan, 2.0], [math.nan, math.nan]])
    assert [status for status, _ in found] == [0, 1, 0]
    assert all(math.isnan(score) for score in found[1][1]) and found[2][1] == [0, 0, 0]


@pytest.mark.parametrize("flags, math_needed", [([], False), (["--transform", "x=log"], True)])
def test_c_compiles_everywhere(flags, math_needed, small, tmp_path):
    """Without a warning, freestanding, as C++, and twice in one program."""
    _, table, _ = small
    model = tmp_path / "m.suffice"
    good("fit", table, "--label", "kind", "--covariance", "full", "--tails", "normal", *flags, "--quiet", "-o", model)
    cc, cxx = shutil.which("cc"), shutil.which("c++")
    if not cc or not cxx:
        pytest.skip("no C and C++ compilers cc and c++")
    for real in ("double", "float"):
        good("export", model, "--to", "c", "--name", "first", "--real", real, "-o", tmp_path / "first.h")
        good("export", model, "--to", "c", "--name", "second", "--real", real, "--cost", "a>b=7",
             "-o", tmp_path / "second.h")
        (tmp_path / "two.c").write_text('#include "first.h"\n#include "second.h"\n#include "first.h"\n'
                                        "int main(void) { first_real x[2] = {1, 2}; return first_decide(x) + "
                                        "second_decide(x); }\n")
        subprocess.run([cc, *exports.STRICT, "-O2", "two.c", "-lm", "-o", "two"], cwd=tmp_path, check=True)
        for standard in ("c++11", "c++14", "c++17", "c++20"):
            (tmp_path / "two.cpp").write_text('#define first_SELFTEST\n#include "first.h"\n'
                                              "int main() { return first_selftest(); }\n")
            subprocess.run([cxx, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "two.cpp",
                            "-o", "two++"], cwd=tmp_path, check=True)
            subprocess.run(["./two++"], cwd=tmp_path, check=True)  # the digits of both kinds are the same
        (tmp_path / "bare.c").write_text('#define first_NO_POSTERIOR\n#include "first.h"\n'
                                         "int decide(const first_real *x) { return first_decide(x); }\n")
        result = subprocess.run([cc, *exports.STRICT, "-ffreestanding", "-nostdinc" if not math_needed else "-O1",
                                 "-c", "bare.c", "-o", "bare.o"], cwd=tmp_path)
        assert result.returncode == 0
        fast = subprocess.run([cc, "-std=c99", "-ffast-math", "-c", "two.c", "-o", "fast.o"], cwd=tmp_path,
                              capture_output=True, text=True)
        assert fast.returncode != 0 and "a missing value is NaN" in fast.stderr
        if not math_needed:  # nothing is needed from any library
            symbols = subprocess.run(["nm", "-u", "bare.o"], cwd=tmp_path, capture_output=True, text=True)
            assert symbols.stdout.replace("_GLOBAL_OFFSET_TABLE_", "").split() == []


@pytest.mark.parametrize("covariance", ["tied", "full"])
def test_images(covariance, data, tmp_path):
    """784 × 10: C and ONNX. SQL takes the linear form, and refuses what is too long for it."""
    from datasets import IMAGES, read_idx
    files = [data(name) for name in IMAGES["train"]]
    model = tmp_path / "m.suffice"
    good("fit", files[0], "--labels", files[1], "--covariance", covariance, "--quiet", "-o", model, timeout=300)
    images = read_idx(data(IMAGES["test"][0]))[:10].astype(float)
    table = tmp_path / "some.npy"
    np.save(table, images)
    expected, labels = predicted(model, table)
    columns = [{"name": f"x{j}", "family": "gaussian"} for j in range(784)]
    rows = exports.Rows(columns, {f"x{j}": images[:, j].tolist() for j in range(784)})
    c = exports.CModel(good("export", model, "--to", "c"), tmp_path, "model", "double")
    assert c.library.selftest() == 0
    near(c.answers(images), expected, 1e-11)
    good("export", model, "--to", "onnx", "--input", "matrix", "-o", tmp_path / "m.onnx")
    near(exports.in_onnx((tmp_path / "m.onnx").read_bytes(), rows, True), expected, 1e-11)
    if covariance == "tied":
        for dialect, engine in (("duckdb", exports.in_duckdb), ("sqlite", exports.in_sqlite)):
            query = good("export", model, "--to", "sql", "--dialect", dialect, "--relative")
            near(engine(query, rows, labels), expected, 1e-11, relative=True)
    else:
        refused(run("export", model, "--to", "sql"), 1, "numbers", "joint normal density", "--covariance")


def test_words(data, tmp_path):
    """Messages: a language model of thousands of words, from a sparse file."""
    from datasets import libsvm_line, word_counts
    counts, labels = word_counts(data("messages.csv.gz"))
    path = tmp_path / "sms.libsvm"
    path.write_text("".join(libsvm_line(*line) for line in zip(labels, counts)))
    good("fit", path, "--family", "*=multinomial", "--quiet", "-o", tmp_path / "m.suffice")
    model = exports.description(tmp_path / "m.suffice")
    path.write_text("".join(libsvm_line(*line) for line in list(zip(labels, counts))[:20]))
    expected, found = predicted(tmp_path / "m.suffice", path)
    x = np.zeros((20, len(model["columns"])))
    for i, document in enumerate(counts[:20]):
        for word, count in document.items():
            x[i, word] = count
    rows = exports.Rows(model["columns"], {c["name"]: x[:, j].tolist() for j, c in enumerate(model["columns"])})
    c = exports.CModel(good("export", tmp_path / "m.suffice", "--to", "c"), tmp_path, "model", "double")
    near(c.answers(x), expected, 1e-12)
    good("export", tmp_path / "m.suffice", "--to", "onnx", "--input", "matrix", "-o", tmp_path / "m.onnx")
    near(exports.in_onnx((tmp_path / "m.onnx").read_bytes(), rows, True), expected, 1e-12)
    refused(run("export", tmp_path / "m.suffice", "--to", "sql", "--dialect", "postgres"), 1, "1600", "--dialect")


@pytest.mark.parametrize("case", ["all families", "diag", "bayes tied", "tails diag", "pca", "impossible"])
def test_spark(case, spark, tmp_path):
    lines = generated()
    model = tmp_path / "model.suffice"
    good("fit", write_table(tmp_path / "rows.csv", lines), "--label", "kind", *GENERATED[case], "-o", model)
    some = write_table(tmp_path / "some.csv", lines[:40])
    for decision in ([], ["--prior", "uniform", "--cost", "a>it's=3"]):
        expected, labels = predicted(model, some, *decision)
        description = exports.description(model)
        rows = exports.Rows.of_csv(description, lines[:40])
        query = good("export", model, "--to", "sql", "--dialect", "spark", *decision)
        near(exports.in_spark(spark, query, rows, labels), expected, 1e-11, undecided=incomplete(description, rows))


def test_spark_with_large_numbers_and_edited_costs(spark, small, tmp_path):
    model, table, lines = small
    good("fit", table, "--label", "kind", "--estimate", "bayes", "--covariance", "full", "--quiet", "-o", model)
    lines = [{"x": x, "y": y} for x in (2.0, 4.5, 1e140, -1e200) for y in (1.0, 3.5, 3e200)]
    expected, labels = predicted(model, write_table(tmp_path / "far.csv", lines), "--cost", "a>b=9,b>c=5,c>a=2")
    rows = exports.Rows.of_csv(exports.description(model), lines)
    query = edited(good("export", model, "--to", "sql", "--dialect", "spark"), "cost",
                   {"cost_0_1": 9, "cost_1_2": 5, "cost_2_0": 2})
    near(exports.in_spark(spark, query, rows, labels), expected, 1e-12)
