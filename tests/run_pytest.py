"""Runs a folder of tests with pytest, by the Python of SUFFICE_PYTHON if it is set."""
import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77  # what ctest counts as skipped


def run_pytest(folder, program, arguments, modules, environment=None):
    """The exit code; SKIPPED, with the reason, where the Python lacks one of the modules."""
    python = os.environ.get("SUFFICE_PYTHON") or sys.executable
    found = subprocess.run([python, "-c", "import " + ", ".join(["pytest", *modules])], capture_output=True,
                           text=True)
    if found.returncode != 0:
        print(f"Skipped: {python} lacks a package ({found.stderr.strip().splitlines()[-1]}); "
              "script/test makes a Python that has all of them, or set SUFFICE_PYTHON to one")
        return SKIPPED
    cache = Path(__file__).resolve().parents[1] / "build" / "pycache"
    made = Path(program).absolute().parent / "test-data"  # where datasets.py writes
    return subprocess.run(
        [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-o", "tmp_path_retention_policy=failed",
         "-o", "tmp_path_retention_count=1", "--rootdir", folder, *arguments, folder],
        env=os.environ | {"SUFFICE_BINARY": str(Path(program).absolute()), "PYTHONPYCACHEPREFIX": str(cache),
                          "SUFFICE_TEST_DATA": os.environ.get("SUFFICE_TEST_DATA", str(made))}
        | (environment or {})).returncode
