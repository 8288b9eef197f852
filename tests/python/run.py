#!/usr/bin/env python3
"""Runs the tests of the Python package with pytest, against the package that is installed.

usage: run.py PYTHON [ARGUMENT OF PYTEST]...

PYTHON is an interpreter that has suffice, pytest, and the packages that the tests compare with. With
pytest-xdist the tests run on all CPUs.
"""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOK = """
import importlib.util, suffice
print(suffice.__file__)
print("xdist" if importlib.util.find_spec("xdist") else "")
"""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    python, arguments = sys.argv[1], sys.argv[2:]
    # Neither PYTHONPATH nor the current folder may put the source tree before the package.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    build = HERE.parents[1] / "build"
    environment |= {"PYTHONSAFEPATH": "1", "PYTHONPYCACHEPREFIX": str(build / "pycache"),
                    "MYPY_CACHE_DIR": str(build / "mypy-cache")}
    found = subprocess.run([python, "-c", LOOK], env=environment, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"{python} has no suffice; install it with: {python} -m pip install {HERE.parents[1]}\n"
                 + found.stderr)
    place, xdist = found.stdout.splitlines()
    if Path(place).is_relative_to(HERE.parents[1] / "python"):
        sys.exit(f"suffice is imported from the source tree ({place}), not as installed")
    print(f"suffice in {Path(place).parent}")
    parallel = ["-n", str(len(os.sched_getaffinity(0))), "--dist", "worksteal"] if xdist else []
    return subprocess.run([python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
                           "-o", "tmp_path_retention_policy=failed", "-o", "tmp_path_retention_count=1",
                           *parallel, "--rootdir", HERE, *arguments, HERE], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
