#!/usr/bin/env python3
"""Runs the tests of pages in a browser with pytest, by the Python of SUFFICE_PYTHON where it is set.

usage: run.py PROGRAM [ARGUMENT OF PYTEST]...

Exit code 77, with the reason, where there is no Playwright or no Chromium.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    python = os.environ.get("SUFFICE_PYTHON") or sys.executable
    missing = subprocess.run([python, "-c", "import pytest, numpy, playwright"], capture_output=True,
                             text=True)
    if missing.returncode != 0:
        print(f"Skipped: {python} has no pytest, NumPy or Playwright "
              f"({missing.stderr.strip().splitlines()[-1]}); script/test makes a Python that has, or "
              "set SUFFICE_PYTHON to one")
        return SKIPPED
    browser = os.environ.get("SUFFICE_CHROMIUM") or shutil.which("chromium")
    if not browser:
        print("Skipped: there is no Chromium; install it (script/install_dependencies browser), or "
              "set SUFFICE_CHROMIUM to the program")
        return SKIPPED
    environment = os.environ | {"SUFFICE_BINARY": str(Path(sys.argv[1]).absolute()),
                                "SUFFICE_CHROMIUM": browser,
                                "PYTHONPYCACHEPREFIX": str(HERE.parents[1] / "build" / "pycache")}
    return subprocess.run([python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
                           "-o", "tmp_path_retention_policy=failed", "-o", "tmp_path_retention_count=1",
                           "--rootdir", HERE, *sys.argv[2:], HERE], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
