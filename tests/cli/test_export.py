"""Exported models give the answers of `suffice predict`, in the engines that they are for."""
import csv
import io
import json
import math
import os
import shutil
import subprocess

import numpy as np
import pytest

import exports
from program import content, good, good_json, refused, rows_of, run

# Labels and levels that are hard on quoting.
LABELS = ["a", "it's", 'say "x"', "Größe\t🐧"]
LEVELS = ["red", "RED", "o'clock", 'back\\slash "q"', "select", "--", "null", "line\nend"]
COLUMNS = {"size": "gaussian", "Weight (kg)": "gaussian", "income": "gaussian", "share": "gaussian",
           "flag": "bernoulli", "colour 'n\" size": "categorical", "order": "categorical",
           "visits": "poisson", "wait": "exponential", "word 1": "multinomial", "word 2": "multinomial",
           "word 3": "multinomial"}
MISSING = {"size", "Weight (kg)", "income", "share", "flag", "colour 'n\" size", "order", "visits", "wait"}


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


def write_table(path, lines):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return path


def read_table(path, most=None):
    import gzip
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))[:most]


def predicted(model, table, *words):
    """The answers of the program itself."""
    found = rows_of(good("predict", model, table, "--output", "loglik,proba", *words))
    labels = [name.removeprefix("proba:") for name in found[0] if name.startswith("proba:")]
    take = lambda prefix: [[float(row[f"{prefix}:{label}"]) for label in labels] for row in found]
    return exports.Answers([row["label"] for row in found], take("loglik"), take("proba")), labels


def near(found, expected, tolerance, undecided=(), relative=False):
    """Equal labels and numbers but for rows that have none. A label may differ where the two best
    classes are equally probable to rounding."""
    kept = [i for i in range(len(expected.labels)) if i not in undecided]
    for i in undecided:
        assert found.labels[i] is None and np.isnan(found.proba[i]).all() and np.isnan(found.loglik[i]).all()
    mine, theirs = found.loglik[kept], expected.loglik[kept]
    if relative:  # but for a number that all classes share
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
    assert np.max(np.abs(found.proba[kept] - expected.proba[kept]), initial=0) <= 100 * tolerance
    for i in kept:
        if found.labels[i] != expected.labels[i]:
            best = np.sort(expected.proba[i])[-2:]
            assert best[1] - best[0] <= 100 * tolerance, (i, found.labels[i], expected.labels[i])


def incomplete(description, rows):
    """Rows that lack some but not all values of a joint block."""
    found = set()
    for block in description["blocks"]:
        if block["terms"] not in ("joint", "linear") or "projection" in block:
            continue
        names = [description["columns"][j]["name"] for j in block["columns"]]
        for i, row in enumerate(rows.dictionaries()):
            if 0 < sum(row[name] is None for name in names) < len(names):
                found.add(i)
    return found


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A function that runs a script in a PostgreSQL server of our own, on a socket in a temporary
    folder."""
    import glob
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not folders or not shutil.which("psql"):
        pytest.skip("no PostgreSQL server (Debian: postgresql)")
    home = tmp_path_factory.mktemp("postgres")
    user = []
    if os.geteuid() == 0:  # the server refuses to run as root
        if subprocess.run(["id", "postgres"], capture_output=True).returncode:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        for folder in (home, *home.parents):
            if str(folder).startswith("/tmp/"):
                os.chmod(folder, 0o755)
        os.chmod(home, 0o777)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(home)}
    call = lambda *words: subprocess.run([*user, *words], check=True, capture_output=True, cwd=home, env=environment)
    call(f"{folders[-1]}/initdb", "-D", home / "data", "-U", "suffice", "-E", "UTF8", "-A", "trust", "-N")
    call(f"{folders[-1]}/pg_ctl", "-D", home / "data", "-w", "-l", home / "log",
         "-o", f"-c listen_addresses='' -c unix_socket_directories='{home}' -c fsync=off", "start")

    def script(text):
        result = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(home), "-U", "suffice",
                                 "postgres"], input=text, text=True, capture_output=True, timeout=120,
                                env=environment | {"PGCLIENTENCODING": "UTF8"})
        assert result.returncode == 0, result.stderr[:2000]
        return result.stdout
    script.folder = home
    yield script
    call(f"{folders[-1]}/pg_ctl", "-D", home / "data", "-m", "immediate", "stop")


class Case:
    def __init__(self, fit, most=60, targets="json js c duckdb sqlite postgres onnx", **keywords):
        self.fit, self.most, self.targets, self.decision = fit, most, targets.split(), ()
        self.__dict__.update(keywords)


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
    "tied-spherical": ["--ignore", "word *", "--covariance", "tied-spherical"],
    "bayes": [*ALL, *TRANSFORMS, "--estimate", "bayes"],
    "bayes diag": [*ALL, *TRANSFORMS, "--estimate", "bayes", "--covariance", "diag"],
    "bayes tied": [*ALL, "--estimate", "bayes", "--covariance", "tied"],
    "pca": [*ALL, *TRANSFORMS, "--pca", "2"],
    "lda": [*ALL, "--lda", "2", "--covariance", "tied"],
    "impossible": [*ALL, "--smoothing", "0", "--covariance", "diag"],
    "one number": ["--features", "size,flag", "--family", "flag=bernoulli"],
}


def check_targets(model, table, lines, folder, targets, postgres=None, tolerance=1e-12, decision=(),
                  relative=False):
    """Every target against the program."""
    words = [*decision, *(["--relative"] if relative else [])]
    expected, labels = predicted(model, table, *decision)
    text = good("export", model, "--to", "json", *words)
    rows = exports.Rows.of_csv(json.loads(text), lines)
    undecided = incomplete(json.loads(text), rows)
    assert len(undecided) < len(rows)
    check = dict(undecided=undecided, relative=relative)

    def near_scores(scores):
        scores = np.array(scores)
        labels_, proba = list(expected.labels), expected.proba.copy()  # which JSON does not have
        for i in undecided:
            labels_[i], proba[i] = None, np.nan
        near(exports.Answers(labels_, scores, proba), expected, tolerance, **check)
    if "json" in targets:
        near_scores(exports.json_in_python(text, rows))
    if "js" in targets and shutil.which("node"):
        near_scores(exports.json_in_javascript(text, rows, folder))
    if "c" in targets:
        for real in ("double", "float"):
            header = good("export", model, "--to", "c", "--name", "our_model", "--real", real, *words)
            c = exports.CModel(header, folder / real, "our_model", real)
            assert c.library.selftest() == 0
            assert c.labels == labels
            near(c.answers(rows.matrix()), expected, tolerance if real == "double" else 2e-4, **check)
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
