"""Exported models in the engines that they are for. Each scorer takes rows and gives labels (None: no
decision), log-likelihoods and posteriors; an engine that is not installed is skipped, with a reason."""
import _ctypes
import ctypes
import json
import math
import re
import shutil
import sqlite3
import subprocess
import tempfile
import weakref
from pathlib import Path

import numpy as np
import pytest

from datasets import ROOT
from program import good

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wdouble-promotion", "-Werror"]


class Rows:
    """Cells of a table, by column: numbers (None: missing) or text."""

    def __init__(self, columns, cells, indicated=frozenset()):
        self.columns, self.cells = columns, cells  # the columns of the JSON description
        self.indicated = indicated  # positions of columns with indicators

    @classmethod
    def of_csv(cls, model, lines):
        """From dictionaries of text, as the CSV reader gives them."""
        cells = {}
        for column in model["columns"]:
            text = [line[column["name"]] for line in lines]
            number = column["family"] != "categorical"
            cells[column["name"]] = [None if cell in ("", "NA") else float(cell) if number else cell
                                     for cell in text]
        return cls(model["columns"], cells, indicated_columns(model))

    def __len__(self):
        return len(next(iter(self.cells.values())))

    def dictionaries(self):
        return [{name: cells[i] for name, cells in self.cells.items()} for i in range(len(self))]

    def where(self, kept):
        """Some of the rows, by their positions."""
        cells = {name: [cells[i] for i in kept] for name, cells in self.cells.items()}
        return Rows(self.columns, cells, self.indicated)

    def rounded(self):
        """The same rows with numbers of single precision."""
        cells = {name: [float(np.float32(c)) if isinstance(c, float) else c for c in cells]
                 for name, cells in self.cells.items()}
        return Rows(self.columns, cells, self.indicated)

    def lines(self):
        """As a table of text; an empty cell is missing."""
        return [{name: "" if cell is None else cell for name, cell in row.items()} for row in self.dictionaries()]

    def matrix(self):
        """Numbers; levels as their positions, NaN for what is missing or not a level, except that names of
        columns with indicators that are not a level have a number of their own."""
        matrix = np.full((len(self), len(self.columns)), np.nan)
        for j, column in enumerate(self.columns):
            for i, cell in enumerate(self.cells[column["name"]]):
                if cell is None:
                    continue
                if column["family"] != "categorical":
                    matrix[i, j] = cell
                elif (level := column.get("spellings", {}).get(cell, cell)) in column["levels"]:
                    matrix[i, j] = column["levels"].index(level)
                elif j in self.indicated:
                    matrix[i, j] = len(column["levels"])
        return matrix


def indicated_columns(model):
    """Positions of the columns of a JSON description that have indicators."""
    return {j for block in model["blocks"] for j, level in zip(block["columns"], block.get("indicators", []))
            if level is not None}


class Answers:
    def __init__(self, labels, loglik, proba):
        self.labels = [None if label in (None, "") else label for label in labels]
        self.loglik = np.asarray(loglik, float)
        self.proba = np.asarray(proba, float)


def description(model):
    return json.loads(good("export", model, "--to", "json"))


def code_of(page, language):
    """The first block of code in a language."""
    return re.search(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL).group(1)


def page():
    return (ROOT / "docs/export.md").read_text(encoding="utf-8")


def json_in_python(text, rows, **decision):
    """The scorer of the page; `decision`: log_prior, cost."""
    scope = {}
    exec(code_of(page(), "python"), scope)
    model = json.loads(text)
    found = [scope["predict"](model, row, **decision) for row in rows.dictionaries()]
    return Answers([label for _, _, label in found], [raw for raw, _, _ in found], [p for _, p, _ in found])


def json_in_javascript(text, rows, folder):
    node = shutil.which("node")
    if not node:
        pytest.skip("no node (Debian: nodejs) to run the scorer in JavaScript")
    (folder / "model.json").write_text(text, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps(rows.dictionaries()), encoding="utf-8")
    (folder / "score.js").write_text(code_of(page(), "javascript") + """
const fs = require("fs"), read = name => JSON.parse(fs.readFileSync(name));
const model = read("model.json"), write = list => list.map(v => Number.isFinite(v) ? v : String(v));
console.log(JSON.stringify(read("rows.json").map(row => {
  const [raw, posterior, label] = predict(model, row);
  return [write(raw), write(posterior), label];
})));
""", encoding="utf-8")
    result = subprocess.run([node, "score.js"], cwd=folder, capture_output=True, check=True)
    found = json.loads(result.stdout)
    numbers = lambda k: [[float(v) for v in row[k]] for row in found]
    return Answers([row[2] for row in found], numbers(0), numbers(1))


class CModel:
    """The header, compiled with all warnings and called through a shared library."""

    def __init__(self, header, folder, name, real):
        compiler = shutil.which("cc")
        if not compiler:
            pytest.skip("no C compiler cc")
        folder = Path(tempfile.mkdtemp(dir=folder))  # a library is loaded once for each path
        (folder / "model.h").write_text(header, encoding="utf-8")
        self.number = ctypes.c_double if real == "double" else ctypes.c_float
        (folder / "model.c").write_text(f"""#define {name}_SELFTEST
#include "model.h"
int columns(void) {{ return {name}_COLUMNS; }}
int classes(void) {{ return {name}_CLASSES; }}
const char *label(int c) {{ return {name}_labels[c]; }}
const char *column(int j) {{ return {name}_columns[j]; }}
int log_likelihood(const {name}_real *x, {name}_real *out) {{ return {name}_log_likelihood(x, out); }}
int posterior(const {name}_real *x, const {name}_real *p, {name}_real *out) {{ return {name}_posterior(x, p, out); }}
int decide(const {name}_real *x) {{ return {name}_decide(x); }}
int decide_with(const {name}_real *x, const {name}_real *p, const {name}_real *c) {{ return {name}_decide_with(x, p, c); }}
int selftest(void) {{ return {name}_selftest(); }}
""", encoding="utf-8")
        library = folder / "model.so"
        subprocess.run([compiler, *STRICT, "-O1", "-shared", "-fPIC", "model.c", "-o", library, "-lm"],
                       cwd=folder, check=True)
        self.library = ctypes.CDLL(str(library))
        # The system knows a loaded library by its inode, which a later file may get once this one is deleted:
        # it would then be given this library. So it is closed with the model.
        weakref.finalize(self, _ctypes.dlclose, self.library._handle)
        for function in ("label", "column"):
            getattr(self.library, function).restype = ctypes.c_char_p
        self.classes, self.columns = self.library.classes(), self.library.columns()
        self.labels = [self.library.label(c).decode() for c in range(self.classes)]

    def pointer(self, numbers):
        if numbers is None:
            return None
        return (self.number * np.size(numbers))(*np.ravel(numbers))

    def scores(self, x):
        """Statuses and scores."""
        out = (self.number * self.classes)()
        found = []
        for row in x:
            status = self.library.log_likelihood(self.pointer(row), out)
            found.append((status, list(out)))
        return found

    def answers(self, x, log_prior=None, cost=None):
        out, proba, labels = (self.number * self.classes)(), [], []
        log_prior, cost = self.pointer(log_prior), self.pointer(cost)
        for row in x:
            row = self.pointer(row)
            self.library.posterior(row, log_prior, out)
            proba.append(list(out))
            decided = (self.library.decide(row) if cost is None and log_prior is None
                       else self.library.decide_with(row, log_prior, cost))
            labels.append(None if decided < 0 else self.labels[decided])
        return Answers(labels, [scores for _, scores in self.scores(x)], proba)


def python_module(name, why):
    return pytest.importorskip(name, reason=f"no Python module {name} to {why}")


class SqlTable:
    """A table `data` of the rows, with their numbers in the column suffice_test_row."""

    def __init__(self, rows):
        self.rows = rows
        self.names = [column["name"] for column in rows.columns]
        self.numeric = [column["family"] != "categorical" for column in rows.columns]

    def definition(self, real, text, quote='"'):
        quoted = [quote + name.replace(quote, 2 * quote) + quote for name in self.names]
        return ", ".join(["suffice_test_row INTEGER"] + [
            f"{name} {real if numeric else text}" for name, numeric in zip(quoted, self.numeric)])

    def tuples(self):
        return [(i, *(self.rows.cells[name][i] for name in self.names)) for i in range(len(self.rows))]


def sql_answers(names, found, labels):
    """From the columns of a result and its rows, in any order."""
    found = sorted(found, key=lambda row: row[names.index("suffice_test_row")])
    k = len(labels)
    assert names[0] == "label"
    expected = [f"{prefix}_{label}" for prefix in ("loglik", "proba") for label in labels]
    lower = [name.lower() for name in expected]
    if len(set(lower)) == len(lower):
        assert names[1:1 + 2 * k] == expected
    number = lambda cell: math.nan if cell is None else float(cell)
    return Answers([row[0] for row in found],
                   [[number(cell) for cell in row[1:1 + k]] for row in found],
                   [[number(cell) for cell in row[1 + k:1 + 2 * k]] for row in found])


def in_duckdb(query, rows, labels):
    duckdb = python_module("duckdb", "run the query")
    connection = duckdb.connect()
    table = SqlTable(rows)
    connection.execute(f"CREATE TABLE data ({table.definition('DOUBLE', 'VARCHAR')})")
    connection.executemany(f"INSERT INTO data VALUES ({', '.join('?' * (len(table.names) + 1))})",
                           table.tuples())
    result = connection.execute(query)
    return sql_answers([column[0] for column in result.description], result.fetchall(), labels)


def in_sqlite(query, rows, labels):
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("SELECT ln(2)")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite was built without mathematical functions")
    table = SqlTable(rows)
    connection.execute(f"CREATE TABLE data ({table.definition('REAL', 'TEXT')})")
    connection.executemany(f"INSERT INTO data VALUES ({', '.join('?' * (len(table.names) + 1))})",
                           table.tuples())
    result = connection.execute(query)
    return sql_answers([column[0] for column in result.description], result.fetchall(), labels)


def in_postgres(server, query, rows, labels):
    """Through psql; the server is the fixture `postgres`."""
    table = SqlTable(rows)
    cell = lambda value: "\\N" if value is None else repr(value) if isinstance(value, float) else (
        str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r"))
    copied = "".join("\t".join(map(cell, row)) + "\n" for row in table.tuples())
    script = (f"BEGIN;\nCREATE TEMPORARY TABLE data ({table.definition('DOUBLE PRECISION', 'TEXT')});\n"
              f"COPY data FROM STDIN;\n{copied}\\.\n"
              f"CREATE TEMPORARY VIEW answers AS SELECT to_jsonb(array_agg(x)) FROM (SELECT 1) AS y(x);\n"
              "\\t on\n\\pset format csv\n\\pset tuples_only off\n\\pset null '<null>'\n" + query)
    printed = server(script)
    import csv
    import io
    lines = list(csv.reader(io.StringIO(printed, newline="")))
    lines = lines[next(i for i, line in enumerate(lines) if "suffice_test_row" in line):]
    names, *found = lines
    found = [[None if cell == "<null>" else cell for cell in row] for row in found if len(row) == len(names)]
    number = names.index("suffice_test_row")
    for row in found:
        row[number] = int(row[number])
    return sql_answers(names, found, labels)


def in_spark(session, query, rows, labels):
    """In Spark SQL; the session is the fixture `spark`."""
    from pyspark.sql.types import DoubleType, IntegerType, StringType, StructField, StructType
    table = SqlTable(rows)
    schema = StructType([StructField("suffice_test_row", IntegerType())] + [
        StructField(name, DoubleType() if numeric else StringType())
        for name, numeric in zip(table.names, table.numeric)])
    session.createDataFrame(table.tuples(), schema).createOrReplaceTempView("data")
    result = session.sql(query.rstrip().rstrip(";"))
    return sql_answers(result.columns, [tuple(row) for row in result.collect()], labels)


def in_onnx(data, rows, matrix=False, real="double", **inputs):
    """The graph checked and run; `inputs`: log_prior, cost."""
    onnx = python_module("onnx", "check the graph")
    runtime = python_module("onnxruntime", "run the graph")
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    kind = np.float64 if real == "double" else np.float32
    feed = {name: np.asarray(value, kind) for name, value in inputs.items()}
    if matrix:
        feed["input"] = rows.matrix().astype(kind)
    else:
        for column in rows.columns:
            cells = rows.cells[column["name"]]
            if column["family"] == "categorical":
                feed[column["name"]] = np.array([cell or "" for cell in cells], object)[:, None]
            else:
                feed[column["name"]] = np.array([np.nan if c is None else c for c in cells], kind)[:, None]
    return Answers(*session.run(["label", "log_likelihood", "posterior"], feed))
