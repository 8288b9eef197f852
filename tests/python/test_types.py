"""mypy --strict accepts the installed package and a program that uses it."""
from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import suffice

HERE = Path(__file__).resolve().parent
pytest.importorskip("mypy")


def mypy(*arguments: object, folder: Path, config: str = os.devnull) -> subprocess.CompletedProcess[str]:
    """mypy's answer; its cache is where MYPY_CACHE_DIR says."""
    return subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", "--config-file", config,
                           *map(str, arguments)],
                          cwd=folder, capture_output=True, text=True)


def test_package(tmp_path):
    assert (Path(suffice.__file__).parent / "py.typed").exists(), "the package does not say that it is typed"
    result = mypy("-p", "suffice", folder=tmp_path, config=str(HERE.parents[1] / "pyproject.toml"))  # strict
    assert result.returncode == 0, result.stdout + result.stderr


def test_program(tmp_path):
    result = mypy("--strict", HERE / "typed_program.py", folder=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_wrong_types_are_seen(tmp_path):
    """The types say something: a wrong program is refused, line by line."""
    program = tmp_path / "wrong.py"
    program.write_text("import suffice\n"
                       "suffice.Schema(5)\n"
                       "suffice.Statistics().estimate(covariance=3)\n"
                       "model: suffice.Model = suffice.Statistics()\n", encoding="utf-8")
    result = mypy("--strict", program, folder=tmp_path)
    lines = {line.split(":")[1] for line in result.stdout.splitlines() if ": error:" in line}
    assert lines == {"2", "3", "4"}, result.stdout + result.stderr


def parameters(function: object) -> list[str]:
    """The names of a compiled function's parameters, from the signature that nanobind writes."""
    signature = function.__nb_signature__[0][0].partition("(")[2].rpartition(") ->")[0]
    while "[" in signature:
        signature = re.sub(r"\[[^\[\]]*\]", "", signature)
    return [re.match(r"\s*\*?(\w+)", part)[1] for part in signature.split(",") if part.strip()]


def test_stub_is_the_module():
    """The types of the compiled module are written by hand: its names and parameters are the module's."""
    from suffice import _core

    stub = ast.parse((Path(suffice.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
    compared = 0

    def compare(nodes, thing, path):
        nonlocal compared
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                compare(node.body, getattr(thing, node.name), f"{path}.{node.name}")
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
                compiled = getattr(thing, node.name)
                if hasattr(compiled, "__nb_signature__"):
                    compared += 1
                    written = [argument.arg for argument in node.args.args]
                    assert written == parameters(compiled), f"{path}.{node.name}"
        written = {getattr(node, "name", None) or getattr(getattr(node, "target", None), "id", None)
                   for node in nodes}
        absent = {name for name in vars(thing) if not name.startswith("_")} - written
        assert not absent, f"{path}: not in the stub: {absent}"

    compare(stub.body, _core, "_core")
    assert compared > 30
