"""What is shown runs: the examples of every public docstring, the code of the pages, the programs in
examples/python."""
from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pydoc
import subprocess
import sys

import pytest

import pages

ROOT = pages.ROOT
PROGRAMS = sorted((ROOT / "examples/python").glob("*.py"))

pytest.importorskip("sklearn")


def public_names():
    """(module, name) of everything that a user imports."""
    for module in ("suffice", "suffice.sklearn"):
        names = importlib.import_module(module).__all__
        assert len(names) >= 5
        yield from ((module, name) for name in names)


def public_methods(thing):
    """The methods and properties that a class of ours defines, without those that it inherits from
    elsewhere."""
    for base in inspect.getmro(thing):
        if base.__module__.partition(".")[0] == "suffice":
            yield from ((name, value) for name, value in vars(base).items()
                        if not name.startswith("_")
                        and (callable(value) or isinstance(value, (property, classmethod, staticmethod))))


@pytest.mark.parametrize("module, name", list(public_names()))
def test_docstring(module, name, tmp_path, monkeypatch):
    """A public name says what it is, shows an example, and what its examples show is what they print."""
    monkeypatch.chdir(tmp_path)
    thing = getattr(importlib.import_module(module), name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return  # a submodule, a version
    assert thing.__doc__, f"{name} has no docstring"
    if inspect.isclass(thing):
        silent = [method for method, value in public_methods(thing) if not inspect.getdoc(value)
                  and not inspect.getdoc(getattr(thing, method))]
        assert not silent, f"methods of {name} without a docstring: {silent}"
    if not (inspect.isclass(thing) and issubclass(thing, Exception)):
        assert ">>>" in thing.__doc__, f"{name} shows no example"
    runner = doctest.DocTestRunner(
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.REPORT_NDIFF)
    report: list[str] = []
    examples = 0
    for test in doctest.DocTestFinder(exclude_empty=True).find(
            thing, name, module=inspect.getmodule(thing)):
        examples += len(test.examples)
        runner.run(test, out=report.append)
    assert not report, "\n".join(report)
    assert examples or issubclass(thing, Exception)


@pytest.mark.parametrize("page", pages.PAGES)
def test_page(page, tmp_path):
    pytest.importorskip("pandas"), pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    wrong, count = [], 0
    for match, printed in pages.run(page, tmp_path):
        count += 1
        if printed != (match["text"] or ""):
            wrong.append(f"```python\n{match['code']}```\nprints\n{printed}")
    assert count, f"{page} has no code in Python"
    if wrong:
        pytest.fail(f"{page} is out of date (tests/python/pages.py --write writes it)\n"
                    + "\n\n".join(wrong), pytrace=False)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path, tmp_path):
    """An example prints what the text file beside it has, and leaves nothing behind."""
    result = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True,
                            env=os.environ | {"TMPDIR": str(tmp_path)})
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    assert result.stdout == path.with_suffix(".txt").read_text(encoding="utf-8")
    assert not list(tmp_path.iterdir())


def test_examples_are_there():
    assert {path.stem for path in PROGRAMS} >= {"one_line_switch", "larger_than_memory",
                                                "priors_and_costs"}


@pytest.mark.parametrize("module, name", list(public_names()))
def test_sections(module, name):
    """A public class has examples and leads on to others, which exist."""
    thing = getattr(importlib.import_module(module), name)
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return
    words = inspect.getdoc(thing)
    assert "\nExamples\n--------\n" in words
    others = words.split("\nSee Also\n--------\n")[1].split("\n\n")[0]
    for line in others.splitlines():
        path, _, text = line.partition(" : ")
        own = path.startswith(("suffice.", "sklearn."))
        assert text.endswith(".") and pydoc.locate(path if own else f"suffice.{path}"), line
