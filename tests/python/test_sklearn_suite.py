"""scikit-learn's own tests of naive Bayes and discriminant analysis, from the installed scikit-learn and
with its conftest, on our estimators. drop_in_plugin.py puts them in place, and has the table of the
tests that are excepted."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sklearn = pytest.importorskip("sklearn")

HERE = Path(__file__).resolve().parent
FILES = ["test_naive_bayes.py", "test_discriminant_analysis.py"]


def test_suite():
    folder = Path(sklearn.__file__).parent
    search = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"SKLEARN_RUN_FLOAT32_TESTS": "1", "SCIPY_ARRAY_API": "1",
                                "PYTHONPATH": search}
    result = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider",
                             "-p", "no:xdist", "-p", "drop_in_plugin", "--tb=short",
                             *(str(folder / "tests" / file) for file in FILES)],
                            env=environment, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    count = re.search(r"(\d+) passed", result.stdout)
    assert count and int(count[1]) > 140, result.stdout
