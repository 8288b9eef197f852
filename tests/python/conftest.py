"""Tests of the Python package as it is installed; `PYTHONPATH=python pytest tests/python` has those of
the source tree, where the compiled module lies in it.

The data sets and the command line are those of the tests of the command line; tests of absent files are
skipped, with the reason.
"""
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "cli"))

import program  # noqa: E402
from datasets import data_file  # noqa: E402


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """A function from a data set's file name to its path."""
    return data_file


@pytest.fixture(scope="session")
def command_line():
    """The module that runs the command line: good(words…), good_json(words…), run(words…)."""
    program.require_binary()
    return program


@pytest.fixture(scope="session")
def example_data() -> Path:
    """The folder with iris.csv and penguins.csv."""
    return ROOT / "examples" / "data"
