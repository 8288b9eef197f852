"""What the tests of exports have in common: models of all kinds, and the comparison of a target with
`suffice predict`."""
import json
import math
import shutil

import numpy as np
import pytest

import exports
from datasets import write_table
from program import good, rows_of

# Labels and levels that are hard on quoting.
LABELS = ["a", "it's", 'say "x"', "Größe\t🐧"]
LEVELS = ["red", "RED", "o'clock", 'back\\slash "q"', "select", "--", "null", "line\nend"]
COLUMNS = {"size": "gaussian", "Weight (kg)": "gaussian", "income": "gaussian", "share": "gaussian",
           "flag": "bernoulli", "colour 'n\" size": "categorical", "order": "categorical",
           "visits": "poisson", "wait": "exponential", "word 1": "multinomial", "word 2": "multinomial",
           "word 3": "multinomial"}
MISSING = {"size", "Weight (kg)", "income", "share", "flag", "colour 'n\" size", "order", "visits", "wait"}


FLOAT = 1e-5  # relative to log-likelihoods; rows are rounded to floats before
# Features that nearly determine each other: products of 1e3 and more cancel, and floats have 7 digits.
NEARLY_SINGULAR = {"wdbc": 1e-4, "census indicators": 1e-4}


def generated(seed=1, rows=300):
    """Lines of a table of all families, with missing values."""
    random = np.random.default_rng(seed)
    lines = []
    for i in range(rows):
        k = int(random.integers(len(LABELS)))
        base = random.normal(size=2)
        line = {"size": 5 + k + base[0], "Weight (kg)": 1000 + 20 * (base[0] + base[1]) - 15 * k,
                "income": math.exp(3 + 0.3 * k + 0.5 * random.normal()),
                "share": 1 / (1 + math.exp(-(0.5 * k - 1 + random.normal()))),
                "flag": int(random.random() < 0.2 + 0.2 * k),
                "colour 'n\" size": LEVELS[min(int(random.geometric(0.3 + 0.1 * k)) - 1, len(LEVELS) - 1)],
                "order": str(int(random.integers(1, 4 + k))), "visits": int(random.poisson(1 + 2 * k)),
                "wait": float(random.exponential(1 + k)), "word 1": int(random.poisson(2)),
                "word 2": int(random.poisson(1 + k)), "word 3": int(random.poisson(3))}
        for name in MISSING:
            if random.random() < 0.1:
                line[name] = ""
        line["kind"] = LABELS[k]
        lines.append(line)
    return lines


def predicted(model, table, *words):
    """The answers of the program itself. A discriminative model has scores up to what classes share."""
    ask = lambda output, *more: rows_of(good("predict", model, table, "--output", output, "--digits", "full", *more))
    discriminative = "logistic" in json.loads(good("show", model, "--json"))
    found = ask("proba" if discriminative else "loglik,proba", *words)
    labels = [name.removeprefix("proba:") for name in found[0] if name.startswith("proba:")]
    take = lambda rows, prefix: [[float(row[f"{prefix}:{label}"]) for label in labels] for row in rows]
    scores = np.log(take(ask("proba", "--prior", "uniform"), "proba")) if discriminative else take(found, "loglik")
    return exports.Answers([row["label"] for row in found], scores, take(found, "proba")), labels


def steepest(description):
    """The largest slope of a calibration: it multiplies the error of a log-likelihood ratio."""
    calibration = description.get("calibration") or {}
    knots, values = calibration.get("knots", []), calibration.get("values", [])
    return max([1.0, *(np.diff(values) / np.diff(knots))])


def near(found, expected, tolerance, undecided=(), relative=False, slope=1):
    """Equal labels and numbers, except for rows that have none. A label may differ where the two best
    classes are equally probable to rounding. `slope`: what an error of log p(x | c) is multiplied by
    before it is one of the posteriors."""
    kept = [i for i in range(len(expected.labels)) if i not in undecided]
    for i in undecided:
        assert found.labels[i] is None and np.isnan(found.proba[i]).all() and np.isnan(found.loglik[i]).all()
    mine, theirs = found.loglik[kept], expected.loglik[kept]
    if relative:  # up to a number that all classes share
        finite = np.isfinite(theirs)
        assert (finite == np.isfinite(mine)).all()
        shift = lambda x: x - np.max(np.where(finite, x, -np.inf), axis=1, keepdims=True)
        size = np.maximum(1, np.abs(theirs[finite]))
        mine, theirs = shift(mine), shift(theirs)
        assert np.max(np.abs(mine[finite] - theirs[finite]) / size, initial=0) <= 10 * tolerance
    else:
        finite = np.isfinite(theirs)
        assert (mine[~finite] == theirs[~finite]).all()
        error = np.abs(mine[finite] - theirs[finite]) / np.maximum(1, np.abs(theirs[finite]))
        assert np.max(error, initial=0) <= tolerance
    size = np.max(np.abs(expected.loglik[kept]), axis=1, where=np.isfinite(expected.loglik[kept]), initial=1)
    size = np.maximum(100, slope * size)
    assert (np.abs(found.proba[kept] - expected.proba[kept]) <= tolerance * size[:, None]).all()
    for i in kept:
        if found.labels[i] != expected.labels[i]:
            best = np.sort(expected.proba[i])[-2:]
            assert best[1] - best[0] <= 100 * slope * tolerance, (i, found.labels[i], expected.labels[i])


def incomplete(description, rows):
    """Rows that lack some but not all values of a joint block."""
    found = set()
    for block in description["blocks"]:
        levels = block.get("indicators", [None] * len(block["columns"]))  # indicators are never missing
        names = [description["columns"][j]["name"] for j, level in zip(block["columns"], levels) if level is None]
        for i, row in enumerate(rows.dictionaries()):
            if 0 < sum(row[name] is None for name in names) < block.get("skip", 1):
                found.add(i)
    return found


ALL = ["--family", "flag=bernoulli", "--family", "visits=poisson", "--family", "wait=exponential",
       "--family", "word *=multinomial", "--family", "order=categorical"]
TRANSFORMS = ["--transform", "income=log", "--transform", "share=logit"]
GENERATED = {
    "all families": [*ALL, *TRANSFORMS],
    "diag": [*ALL, *TRANSFORMS, "--covariance", "diag"],
    "spherical": [*ALL, "--covariance", "spherical"],
    "tied": [*ALL, *TRANSFORMS, "--covariance", "tied"],
    "tied-diag": [*ALL, "--transform", "income=sqrt", "--transform", "wait=log1p", "--family",
                  "wait=gaussian", "--covariance", "tied-diag"],
    "signed-log": [*ALL, "--transform", "income=signed-log:7.5,share=signed-log:0.1,size=signed-log",
                   "--transform", "Weight (kg)=log"],
    "signed-log diag": [*ALL, "--transform", "income=signed-log:0.3", "--covariance", "diag"],
    "tied-spherical": ["--ignore", "word *", "--covariance", "tied-spherical"],
    "bayes": [*ALL, *TRANSFORMS, "--estimate", "bayes"],
    "bayes diag": [*ALL, *TRANSFORMS, "--estimate", "bayes", "--covariance", "diag"],
    "bayes tied": [*ALL, "--estimate", "bayes", "--covariance", "tied"],
    "tails": [*ALL, *TRANSFORMS, "--tails", "5"],
    "tails diag": [*ALL, "--tails", "4.5", "--covariance", "diag"],
    "tails tied-spherical": [*ALL, "--tails", "3", "--covariance", "tied-spherical"],
    "tails lda": [*ALL, "--tails", "6", "--lda", "2", "--covariance", "tied"],
    "pca": [*ALL, *TRANSFORMS, "--pca", "2"],
    "lda": [*ALL, "--lda", "2", "--covariance", "tied"],
    "impossible": [*ALL, "--smoothing", "0", "--covariance", "diag"],
    "within": [*ALL, *TRANSFORMS, "--categories", "within", "--shrinkage", "5 rows"],
    "within diag": [*ALL, "--categories", "within", "--covariance", "diag", "--shrinkage", "5 rows"],
    "within tied": [*ALL, "--categories", "within", "--covariance", "tied"],
    "within pca": [*ALL, "--categories", "within", "--pca", "3"],
    "within tails": [*ALL, "--categories", "within", "--tails", "6", "--shrinkage", "5 rows"],
    "missing diag": [*ALL, *TRANSFORMS, "--missing-indicators", "yes", "--covariance", "diag"],
    "missing full": [*ALL, "--missing-indicators", "yes", "--shrinkage", "5 rows", "--calibration", "auto"],
    "missing within": [*ALL, "--missing-indicators", "yes", "--categories", "within", "--covariance", "tied"],
    "mixture": [*ALL, *TRANSFORMS, "--covariance", "full", "--components", "2"],
    "mixture diag": [*ALL, "--covariance", "diag", "--components", "3", "--smoothing", "0"],
    "mixture tied calibrated": [*ALL, "--covariance", "tied", "--components", "2", "--calibration", "auto"],
    "mixture pca tails": [*ALL, *TRANSFORMS, "--covariance", "full", "--pca", "2", "--tails", "5",
                          "--components", "2"],
    "mixture within": [*ALL, "--categories", "within", "--covariance", "tied", "--components", "auto"],
    "one number": ["--features", "size,flag", "--family", "flag=bernoulli"],
}
DISCRIMINATIVE = {
    "linear": [*ALL, *TRANSFORMS, "--penalty", "1"],
    "squares": [*ALL, *TRANSFORMS, "--covariance", "diag", "--penalty", "0.1"],
    "products": [*ALL, "--covariance", "full", "--penalty", "10"],
    "one number": ["--features", "size,flag", "--family", "flag=bernoulli", "--covariance", "full", "--penalty", "1"],
    "within": [*ALL, "--categories", "within", "--penalty", "1"],
    "missing": [*ALL, "--missing-indicators", "yes", "--penalty", "1"],
    "pca": [*ALL, "--pca", "2", "--covariance", "full", "--penalty", "1"],
    "no numbers": ["--features", "flag,order,visits", "--family", "flag=bernoulli,visits=poisson,order=categorical",
                   "--penalty", "0"],
}


def check_targets(model, table, lines, folder, targets, postgres=None, tolerance=1e-12, decision=(),
                  relative=False, single_tolerance=FLOAT):
    """Every target against the program."""
    words = [*decision, *(["--relative"] if relative else [])]
    expected, labels = predicted(model, table, *decision)
    text = good("export", model, "--to", "json", *words)
    rows = exports.Rows.of_csv(json.loads(text), lines)
    undecided = incomplete(json.loads(text), rows)
    assert len(undecided) < len(rows)
    check = dict(undecided=undecided, relative=relative, slope=steepest(json.loads(text)))
    if {"c", "onnx"} & set(targets):  # the rows as floats have them
        single = rows.rounded()
        expected_single, _ = predicted(model, write_table(folder / "single.csv", single.lines()), *decision)

    if "json" in targets:
        near(exports.json_in_python(text, rows), expected, tolerance, **check)
    if "js" in targets and shutil.which("node"):
        near(exports.json_in_javascript(text, rows, folder), expected, tolerance, **check)
    if "c" in targets:
        for real in ("double", "float"):
            header = good("export", model, "--to", "c", "--name", "our_model", "--real", real, *words)
            c = exports.CModel(header, folder, "our_model", real)
            assert c.library.selftest() == 0
            assert c.labels == labels
            if real == "double":
                near(c.answers(rows.matrix()), expected, tolerance, **check)
            else:
                near(c.answers(single.matrix()), expected_single, single_tolerance, **check)
    sql = {"duckdb": exports.in_duckdb, "sqlite": exports.in_sqlite,
           "postgres": lambda *w: exports.in_postgres(postgres, *w)}
    for dialect in sql:
        if dialect in targets:
            query = good("export", model, "--to", "sql", "--dialect", dialect, *words)
            near(sql[dialect](query, rows, labels), expected, tolerance, **check)
    if "onnx" in targets:
        for kind in ("columns", "matrix"):
            path = folder / f"{kind}.onnx"
            good("export", model, "--to", "onnx", "--input", kind, "-o", path, *words)
            near(exports.in_onnx(path.read_bytes(), rows, kind == "matrix"), expected, tolerance, **check)
        good("export", model, "--to", "onnx", "--real", "float", "-o", path, *words)
        near(exports.in_onnx(path.read_bytes(), single, real="float"), expected_single, single_tolerance, **check)


@pytest.fixture
def small(tmp_path):
    """A model of two columns, and its table."""
    lines = [{"x": x, "y": y, "kind": k} for x, y, k in
             [(1, 2, "a"), (2, 1, "a"), (1.5, 3, "a"), (2.5, 2, "a"), (6, 7, "b"), (7, 6, "b"), (8, 8, "b"),
              (5, 2, "c"), (6, 1, "c"), (7, 3, "c")]]
    table = write_table(tmp_path / "small.csv", lines)
    good("fit", table, "--label", "kind", "--covariance", "tied", "--tails", "normal", "--quiet",
         "-o", tmp_path / "small.suffice")
    return tmp_path / "small.suffice", table, lines
