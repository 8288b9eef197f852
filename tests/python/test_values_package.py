"""The package as a whole: what an import loads, threads, and packages that are absent."""
from __future__ import annotations

import subprocess
import sys

import pytest

import suffice
from suffice import _core
from suffice._optional import available, loaded, optional
from suffice._threads import threads_of


def python(program, **environment):
    import os

    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                           env=os.environ | environment)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_import_loads_numpy_only():
    others = "('scipy', 'sklearn', 'pandas', 'polars', 'pyarrow')"
    assert python(f"import sys, suffice; print([m for m in {others} if m in sys.modules])") == "[]"


def test_works_without_the_optional_packages():
    program = """
import sys
for name in ("scipy", "sklearn", "pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import suffice
stats = suffice.Statistics.of({"x": [1.0, 2.0, 6.0, 7.0], "t": list("abab")}, list("ppqq"))
print(stats.estimate().decide({"x": [1.5, 6.5], "t": ["a", "b"]}).tolist())
for name in ("GenerativeClassifier", "sklearn"):
    try:
        getattr(suffice, name)
    except ImportError as error:
        assert "scikit-learn" in str(error), error
    else:
        raise AssertionError(name)
"""
    assert python(program) == "['p', 'q']"


def test_lazy_names_are_listed():
    assert "GenerativeClassifier" in dir(suffice) and "sklearn" in dir(suffice)
    assert set(suffice.__all__) <= set(dir(suffice))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        suffice.nothing
    assert suffice.__version__ == _core.__version__


def test_absent_packages_are_named():
    with pytest.raises(ImportError, match="reading it needs the package no_such_thing: pip"):
        optional("no_such_thing", "reading it")
    assert available("no_such_thing") is None and loaded("no_such_thing") is None
    import numpy

    assert optional("numpy", "everything") is numpy is available("numpy") is loaded("numpy")


def test_threads(monkeypatch):
    cpus = _core.available_threads()
    for variable in ("SUFFICE_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(variable, raising=False)
    assert threads_of(None) == 0
    assert threads_of(3) == 3
    assert threads_of(-1) == cpus
    assert threads_of(-2) == max(1, cpus - 1)
    assert threads_of(-1000) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert threads_of(None) == 2
    monkeypatch.setenv("SUFFICE_THREADS", "5")
    assert threads_of(None) == 5 and threads_of(1) == 1
    monkeypatch.setenv("SUFFICE_THREADS", "many")
    assert threads_of(None) == 2
    for wrong in (0, 1.5, "2", True):
        with pytest.raises(ValueError, match="n_jobs="):
            threads_of(wrong)


def test_options_are_the_engines():
    import inspect

    signature = inspect.signature(suffice.Statistics.estimate).parameters
    for option in _core.estimate_options():
        given = signature[option["name"]].default
        if option["default"] == "none":
            assert given is None
        elif option["values"] == "no|yes":
            assert given is (option["default"] == "yes")
        else:
            assert given == type(given)(option["default"])
    assert {option["name"] for option in _core.estimate_options()} == (
        set(signature) - {"self", "n_jobs"})
