#!/usr/bin/env python3
"""Runs the tests of pages in a browser with pytest, by the Python of SUFFICE_PYTHON if it is set.

usage: run.py PROGRAM [ARGUMENT OF PYTEST]...

Exit code 77, with the reason, if Playwright or Chromium is missing.
"""
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from run_pytest import SKIPPED, run_pytest  # noqa: E402


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    browser = os.environ.get("SUFFICE_CHROMIUM") or shutil.which("chromium")
    if not browser:
        print("Skipped: there is no Chromium; install it (script/install_dependencies browser), or "
              "set SUFFICE_CHROMIUM to the program")
        return SKIPPED
    return run_pytest(HERE, sys.argv[1], sys.argv[2:], ["numpy", "playwright"],
                      {"SUFFICE_CHROMIUM": browser})


if __name__ == "__main__":
    sys.exit(main())
