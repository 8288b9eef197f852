"""Exports: names that need quoting, commands and tables that are refused, and what is printed."""
import csv
import sqlite3

import numpy as np
import pytest

import exports
from datasets import write_table
from export_cases import check_targets, small  # noqa: F401
from program import content, good, good_json, refused, rows_of, run


def test_names_that_need_care(tmp_path, postgres_or_none):
    """Keywords, quotes, emoji, comment signs and names that differ only by case."""
    names = ["select", "a\"b'c", "📏 mm", "*/ --", "x;DROP TABLE data", "log_likelihoods", "\\"]
    random = np.random.default_rng(3)
    lines = [{**{name: round(random.normal() + (i % 3), 3) for name in names}, "kind": ["A", "a", "*/;'"][i % 3]}
             for i in range(60)]
    table = write_table(tmp_path / "t.csv", lines)
    good("fit", table, "--label", "kind", "--covariance", "diag", "--quiet", "-o", tmp_path / "m.suffice")
    check_targets(tmp_path / "m.suffice", table, lines, tmp_path,
                  ["json", "js", "c", "duckdb", "sqlite", "onnx", *(["postgres"] if postgres_or_none else [])],
                  postgres_or_none)


def test_columns_that_differ_by_case(tmp_path, postgres):
    lines = [{"a": i, "A": -i * i, "kind": "xy"[i % 2]} for i in range(20)]
    table = write_table(tmp_path / "t.csv", lines)
    good("fit", table, "--label", "kind", "--covariance", "diag", "--quiet", "-o", tmp_path / "m.suffice")
    for dialect in ("duckdb", "sqlite", "spark"):
        refused(run("export", tmp_path / "m.suffice", "--to", "sql", "--dialect", dialect), 1, "'a' and 'A'", "case")
    check_targets(tmp_path / "m.suffice", table, lines, tmp_path, ["c", "onnx", "postgres"], postgres)


@pytest.mark.parametrize("words, needles", [
    ([], ["--to"]), (["--to", "java"], ["--to", "java"]), (["--to", "c", "--table", "t"], ["--table", "sql"]),
    (["--to", "json", "--real", "float"], ["--real"]), (["--to", "sql", "--name", "x"], ["--name"]),
    (["--to", "c", "--name", "9lives"], ["9lives"]), (["--to", "c", "--name", "größe"], ["letters"]),
    (["--to", "sql", "--input", "matrix"], ["--input", "onnx"]), (["--to", "sql", "--table", ""], ["table"]),
    (["--to", "c", "--json"], ["-o"]),
])
def test_wrong_commands(words, needles, small):
    refused(run("export", small[0], *words), 2, *needles)


def test_refusals_leave_no_file(small, tmp_path):
    model, table, lines = small
    before = content(tmp_path)
    refused(run("export", model, "--to", "sql", "--table", "prior", "-o", tmp_path / "q.sql"), 1, "prior")
    refused(run("export", model, "--to", "sql", "--table", "a..b", "-o", tmp_path / "q.sql"), 1, "a..b")
    refused(run("export", model, "--to", "json", "--prior", "q=1", "-o", tmp_path / "q.json"), 1, "q")
    refused(run("export", table, "--to", "json", "-o", tmp_path / "q.json"), 1)
    assert content(tmp_path) == before
    lines = [{"cost": line["x"], "kind": line["kind"]} for line in lines]
    good("fit", write_table(tmp_path / "t.csv", lines), "--label", "kind", "--quiet", "-o", model)
    refused(run("export", model, "--to", "onnx", "-o", tmp_path / "q.onnx"), 1, "'cost'", "--input matrix")
    assert not (tmp_path / "q.onnx").exists()
    long = [{"x": i, "kind": ("y" * 70) + "ab"[i % 2]} for i in range(9)]
    good("fit", write_table(tmp_path / "t.csv", long), "--label", "kind", "--quiet", "-o", model)
    refused(run("export", model, "--to", "sql", "--dialect", "postgres"), 1, "63", "shorter")


def test_columns_of_the_table_that_the_query_has_too(small, tmp_path):
    """A column `label` of the table does not hide the answer; one called `rowid` does not mix up rows."""
    model, table, _ = small
    answers = [row["label"] for row in rows_of(good("predict", model, table))]
    source = list(csv.DictReader(table.open(newline="")))
    names = [name for name in source[0] if name != "kind"]
    columns = ", ".join(f'"{name}"' for name in names)
    cells = [[1, "wrong", *(row[name] or None for name in names)] for row in source]
    for dialect in ("sqlite", "duckdb"):
        query = good("export", model, "--to", "sql", "--dialect", dialect).strip().rstrip(";")
        if dialect == "sqlite":
            connection, real = sqlite3.connect(":memory:"), "REAL"
        else:
            connection, real = pytest.importorskip("duckdb").connect(), "DOUBLE"
        types = ", ".join(f'"{name}" {real}' for name in names)
        connection.execute(f"CREATE TABLE data (rowid INTEGER, label VARCHAR(9), {types})")
        connection.executemany(f"INSERT INTO data (rowid, label, {columns}) VALUES "
                               f"({', '.join('?' * (2 + len(names)))})", cells)
        found = connection.execute(f"SELECT label FROM ({query}) AS answers").fetchall()
        assert sorted(str(row[0]) for row in found) == sorted(answers)


@pytest.mark.parametrize("name", ["suffice_row", "suffice_source", "_rowid_"])
def test_columns_that_only_the_query_may_have(name, tmp_path):
    (tmp_path / "t.csv").write_text(f"{name},k\n1,a\n2,a\n5,b\n7,b\n")
    good("fit", tmp_path / "t.csv", "--label", "k", "--quiet", "-o", tmp_path / "m.suffice")
    refused(run("export", tmp_path / "m.suffice", "--to", "sql", "--dialect", "sqlite"), 1, name, "rename")


def test_numbers_too_large_for_float(tmp_path):
    lines = [{"x": i * 1e50, "kind": "ab"[i > 4]} for i in range(10)]
    good("fit", write_table(tmp_path / "t.csv", lines), "--label", "kind", "--quiet", "-o", tmp_path / "m.suffice")
    for target in ("c", "onnx"):
        refused(run("export", tmp_path / "m.suffice", "--to", target, "--real", "float"), 1, "float", "--real double")


def test_what_is_said(small, tmp_path):
    model, _, _ = small
    said = good_json("export", model, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert said == {"file": str(tmp_path / "m.onnx"), "to": "onnx", "bytes": (tmp_path / "m.onnx").stat().st_size,
                    "joint_columns": [["x", "y"]]}
    said = run("export", model, "--to", "c", "-o", tmp_path / "m.h").stderr.decode()
    assert "'x', 'y'" in said and "--covariance diag" in said and "suffice predict" in said
    assert run("export", model, "--to", "c", "--quiet", "-o", tmp_path / "m.h").stderr == b""
    assert good("export", model, "--to", "json") == good("export", model, "--to", "json", "--json")
    description = exports.description(model)
    assert (description["format"], description["version"]) == ("suffice-formula", 1)
    assert description["labels"] == ["a", "b", "c"]
