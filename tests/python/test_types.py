"""mypy --strict is content with the package as it is installed and with a program that uses it."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import suffice

HERE = Path(__file__).resolve().parent
pytest.importorskip("mypy")


def mypy(*arguments: object, folder: Path, config: str = os.devnull) -> subprocess.CompletedProcess[str]:
    """mypy's answer; its cache is where MYPY_CACHE_DIR says."""
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary",
                           "--config-file", config, *map(str, arguments)],
                          cwd=folder, capture_output=True, text=True)


def test_package(tmp_path):
    assert (Path(suffice.__file__).parent / "py.typed").exists(), "the package does not say that it is typed"
    result = mypy("-p", "suffice", folder=tmp_path, config=str(HERE.parents[1] / "pyproject.toml"))
    assert result.returncode == 0, result.stdout + result.stderr


def test_program(tmp_path):
    result = mypy(HERE / "typed_program.py", folder=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_wrong_types_are_seen(tmp_path):
    """The types say something: a wrong program is refused, line by line."""
    program = tmp_path / "wrong.py"
    program.write_text("import suffice\n"
                       "suffice.Schema(5)\n"
                       "suffice.Statistics().estimate(covariance='round')\n"
                       "model: suffice.Model = suffice.Statistics()\n", encoding="utf-8")
    result = mypy(program, folder=tmp_path)
    lines = {line.split(":")[1] for line in result.stdout.splitlines() if ": error:" in line}
    assert lines == {"2", "3", "4"}, result.stdout + result.stderr
