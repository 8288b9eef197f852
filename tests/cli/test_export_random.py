"""Random models and rows: every target gives the answers of `suffice predict`, or none where it has none.
SUFFICE_EXPORT_MODELS is the number of models, SUFFICE_EXPORT_SEED that of the first one."""
import json
import math
import os
import shutil

import numpy as np
import pytest

import exports
from datasets import write_table
from export_cases import incomplete
from program import good, rows_of, run

FIRST = int(os.environ.get("SUFFICE_EXPORT_SEED", "0"))
MODELS = int(os.environ.get("SUFFICE_EXPORT_MODELS", "20"))
LABELS = ["b", "it's", "Größe", 'say "x"', "1", "true"]
FAR = [1e6, -1e10, 1e15, -1e20, 1e100, 1e154, -1e155, 1e300, -1e300, 1.7976931348623157e308,
       -1.7976931348623157e308, 5e-324, 0.0, -0.0, math.inf, -math.inf]
STRANGE = ["unseen", "é", "lv0 ", "'; DROP TABLE data;--", '"', "TRUE", "True", "0", "1.0"]
ROUNDING = 2.0 ** -52


def random_table(r):
    """Columns by name, and labels."""
    classes, rows = int(r.integers(2, 5)), int(r.integers(40, 200))
    y = r.integers(0, classes, rows)
    y[:2 * classes] = np.repeat(np.arange(classes), 2)
    shift = lambda: r.normal(size=classes)[y] * r.choice([0.3, 1, 4])
    kinds = {
        "number": lambda: shift() + r.normal(size=rows),
        "tiny": lambda: 1e-12 * (shift() + r.normal(size=rows)),
        "offset": lambda: 1e6 + shift() + r.normal(size=rows),
        "heavy": lambda: shift() + r.standard_t(2, size=rows),
        "positive": lambda: np.exp(shift() + r.normal(size=rows)),
        "whole": lambda: r.poisson(np.exp(np.clip(shift(), -2, 3))),
        "constant": lambda: np.full(rows, float(r.choice([0, 1, -3.25]))),
        "binary": lambda: (r.random(rows) < 1 / (1 + np.exp(-shift()))).astype(int),
        "boolean": lambda: np.where(r.random(rows) < 1 / (1 + np.exp(-shift())), "true", "false"),
        "levels": lambda: np.array([f"lv{k}" for k in (np.abs(shift() + r.normal(size=rows)) * 2).astype(int)]),
    }
    chosen = ["number", *r.choice(list(kinds), int(r.integers(1, 6)))]
    columns = {f"c{j} {kind}": kinds[kind]() for j, kind in enumerate(chosen)}
    gaps = r.choice([0, 0.05, 0.3])
    cells = {name: ["" if r.random() < gaps else value.item() for value in column] for name, column in columns.items()}
    return cells, [LABELS[k] for k in y]


def random_flags(r, cells):
    structure = str(r.choice(["auto", "full", "tied", "diag", "tied-diag", "spherical", "tied-spherical"]))
    if structure == "auto":
        return []
    some = [["--tails", "5"], ["--estimate", "bayes"], ["--pca", "1"], ["--lda", "1"], ["--components", "2"],
            ["--calibration", "auto"], ["--categories", "within"], ["--smoothing", "0"],
            ["--discriminative", "--penalty", "1"], [], []]
    flags = some[int(r.integers(len(some)))]
    families = [["--family", f"{name}=poisson"] for name in cells if name.endswith("whole") and r.random() < 0.5]
    families += [["--family", f"{name}=bernoulli"] for name in cells if name.endswith("binary") and r.random() < 0.5]
    return ["--covariance", structure, *flags, *sum(families, [])]


def random_rows(r, model, cells, count=16):
    """Rows of the table with cells that are missing, far, infinite or unseen, as text and as the targets get them."""
    lines = []
    size = len(next(iter(cells.values())))
    for i in range(count):
        line = {name: column[int(r.integers(size))] for name, column in cells.items()}
        for column in model["columns"]:
            if i < 4 or r.random() > 0.35:
                continue
            strange = STRANGE if column["family"] == "categorical" else FAR
            line[column["name"]] = strange[int(r.integers(len(strange)))] if r.random() < 0.75 else ""
        lines.append(line)
    return lines


class Expected:
    """What `predict` says of each row; None: it refuses the row."""

    def __init__(self, model, lines, labels, folder, discriminative):
        self.proba, self.loglik, self.decided = [], [], []
        output = "proba" if discriminative else "proba,loglik"
        ask = lambda lines: run("predict", model, write_table(folder / "ask.csv", lines), "--output", output, "--digits",
                                "full")
        at_once = ask(lines)
        said = [at_once] if at_once.returncode == 0 else [ask([line]) for line in lines]
        for answer in said:
            if answer.returncode != 0:
                assert answer.returncode == 1 and b"the value is" in answer.stderr, answer.stderr
                rows = [None]
            else:
                rows = rows_of(answer.stdout.decode())
            for row in rows:
                take = lambda kind: None if row is None else np.array([float(row[f"{kind}:{c}"]) for c in labels])
                self.decided.append(row and row["label"])
                self.proba.append(take("proba"))
                self.loglik.append(None if discriminative else take("loglik"))

    def accepted(self):
        return [i for i, proba in enumerate(self.proba) if proba is not None]

    def where(self, kept):
        part = object.__new__(Expected)
        for name, answers in vars(self).items():
            setattr(part, name, [answers[i] for i in kept])
        return part


def compare(what, found, expected, rows, undecided, relative, most_linear=None):
    """`most_linear`: numbers beyond it may overflow in products, or just not, which have no rule."""
    for i, cells in enumerate(rows.dictionaries()):
        if most_linear and any(isinstance(x, float) and most_linear < abs(x) < math.inf for x in cells.values()):
            continue
        where = (what, i, cells, found.labels[i], found.proba[i].tolist(), expected.decided[i], expected.proba[i])
        if expected.proba[i] is None or i in undecided:
            assert found.labels[i] is None and np.isnan(found.proba[i]).all(), where
            continue
        assert found.labels[i] is not None and not np.isnan(found.proba[i]).any(), where
        loglik = expected.loglik[i]
        error = 1e-9
        if loglik is not None and not relative:
            finite = loglik > -1e300  # the last squares before the largest number overflow somewhere
            assert (finite == (found.loglik[i] > -1e300)).all(), (where, loglik, found.loglik[i])
            both = np.concatenate([loglik, found.loglik[i]])
            size = np.max(np.abs(both[both > -math.inf]), initial=0)
            if size == 0 and any("tied" in word for word in what[1] or ["tied"]):
                continue  # `predict` tells classes apart that share a covariance
            error_there = np.abs(found.loglik[i] - loglik)[finite]
            assert (error_there <= 1e-11 * np.maximum(1000, np.abs(loglik[finite]).max(initial=0))).all(), (
                where, loglik, found.loglik[i])
            # Posteriors are made of differences of log-likelihoods: what rounding leaves of them.
            error += 64 * ROUNDING * size
        if error > 0.1:
            continue
        assert np.abs(found.proba[i] - expected.proba[i]).max() <= error, where
        if found.labels[i] != expected.decided[i]:
            two = sorted(expected.proba[i])[-2:]
            assert two[1] - two[0] <= 2 * error, where


@pytest.mark.parametrize("seed", range(FIRST, FIRST + MODELS))
def test_random_models(seed, tmp_path):
    r = np.random.default_rng(seed)
    cells, y = random_table(r)
    flags = random_flags(r, cells)
    lines = [{**{name: column[i] for name, column in cells.items()}, "kind": y[i]} for i in range(len(y))]
    model = tmp_path / "model.suffice"
    fitted = run("fit", write_table(tmp_path / "rows.csv", lines), "--label", "kind", *flags, "--quiet", "-o", model)
    if fitted.returncode != 0:
        assert fitted.returncode in (1, 2) and fitted.stderr, fitted.stderr
        pytest.skip(f"no model: {fitted.stderr.decode()}")
    text = good("export", model, "--to", "json")
    described = json.loads(text)
    labels, discriminative = described["labels"], "logistic" in json.loads(good("show", model, "--json"))
    lines = random_rows(r, described, cells)
    rows = exports.Rows.of_csv(described, [{name: str(cell) for name, cell in line.items()} for line in lines])
    expected = Expected(model, lines, labels, tmp_path, discriminative)
    # The page's scorers leave it to their caller that a column can have the values, and JSON has no infinity.
    numbers = [[x for x in row.values() if isinstance(x, float)] for row in rows.dictionaries()]
    kept = [i for i in expected.accepted() if np.isfinite(numbers[i]).all()]
    accepted, of_accepted = rows.where(kept), expected.where(kept)
    for relative in ([], ["--relative"]):
        described = json.loads(good("export", model, "--to", "json", *relative))
        check = lambda what, found, rows=rows, expected=expected: compare(
            (seed, flags, what, *relative), found, expected, rows, incomplete(described, rows), bool(relative),
            1e150 if discriminative or relative else None)
        if kept:
            check("json", exports.json_in_python(json.dumps(described), accepted), accepted, of_accepted)
            if shutil.which("node"):
                check("js", exports.json_in_javascript(json.dumps(described), accepted, tmp_path), accepted, of_accepted)
        c = exports.CModel(good("export", model, "--to", "c", *relative), tmp_path, "model", "double")
        assert c.library.selftest() == 0, (seed, flags, relative)
        check("c", c.answers(rows.matrix()))
        check("sqlite", exports.in_sqlite(good("export", model, "--to", "sql", "--dialect", "sqlite", *relative), rows, labels))
        check("duckdb", exports.in_duckdb(good("export", model, "--to", "sql", *relative), rows, labels))
        good("export", model, "--to", "onnx", "-o", tmp_path / "model.onnx", *relative)
        check("onnx", exports.in_onnx((tmp_path / "model.onnx").read_bytes(), rows))
