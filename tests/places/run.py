#!/usr/bin/env python3
"""Runs the tests of the scripts in other places with pytest, by the Python of SUFFICE_PYTHON if it is set.

usage: run.py PROGRAM [ARGUMENT OF PYTEST]...

Exit code 77, with the reason, if pytest is missing.
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from run_pytest import run_pytest  # noqa: E402

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(run_pytest(HERE, sys.argv[1], sys.argv[2:], []))
