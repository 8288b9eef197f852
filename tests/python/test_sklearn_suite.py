"""scikit-learn's own tests of naive Bayes and discriminant analysis, from the installed scikit-learn and
with its conftest, on our estimators (drop_in_plugin.py puts them in place)."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sklearn = pytest.importorskip("sklearn")

HERE = Path(__file__).resolve().parent

# Tests that are left out, each with the reason: those of private names, and those of what we do
# differently on purpose (docs/sklearn.md).
EXCEPTED = {
    "test_naive_bayes.py": {
        "test_gnb_check_update_with_no_data": "calls the private GaussianNB._update_mean_variance",
    },
    "test_discriminant_analysis.py": {},
}


def run_suite(file: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SKLEARN_RUN_FLOAT32_TESTS": "1", "SCIPY_ARRAY_API": "1",
                                "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, [
                                    os.environ.get("PYTHONPATH")])])}
    path = Path(sklearn.__file__).parent / "tests" / file
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider",
                           "-p", "no:xdist", "-p", "drop_in_plugin", "--tb=short", str(path),
                           *arguments],
                          env=environment, cwd=path.parent.parent, capture_output=True, text=True)


@pytest.mark.parametrize("file", EXCEPTED)
def test_suite(file):
    listed = run_suite(file, "--collect-only")
    assert listed.returncode == 0, listed.stdout + listed.stderr
    found = {match[1]: match[0] for match in re.findall(r"^(\S+::(test_\w+))", listed.stdout, re.M)}
    assert len(found) > 20, listed.stdout
    gone = set(EXCEPTED[file]) - set(found)
    assert not gone, f"excepted, but no longer among scikit-learn's tests: {sorted(gone)}"

    # The identifiers are as pytest prints them; --deselect takes the beginning of one.
    without = [word for name in EXCEPTED[file] for word in ("--deselect", found[name].partition("[")[0])]
    result = run_suite(file, *without)
    assert result.returncode == 0, result.stdout + result.stderr
    count = re.search(r"(\d+) passed", result.stdout)
    assert count and int(count[1]) > 20, result.stdout
