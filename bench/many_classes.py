"""Time and memory of a scatter for each class beside one for all classes together.

    python3 bench/many_classes.py BINARY [ROWSxCOLUMNSxCLASSES] [--repeats N]

A table is generated (100000x768x100 by default), written as NPY and read by `stats`, `fit` and `select`
of the command line, each in a process of its own. Least seconds of processor time and of a clock, peak
memory, and the size of what was written. Prints a table in Markdown.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COMMANDS = (
    ("stats", "--covariance", "full"),
    ("stats", "--covariance", "tied"),
    ("fit", "--covariance", "tied"),
    ("select", "--covariance", "tied", "--shrinkage", "auto", "--folds", "5", "--calibration", "none"),
)


def write(folder, rows, columns, classes):
    random = np.random.default_rng(0)
    y = random.integers(0, classes, rows)
    means = random.standard_normal((classes, columns))
    mix = np.eye(columns) + 0.5 * random.standard_normal((columns, columns)) / columns**0.5
    X = np.lib.format.open_memmap(folder / "x.npy", "w+", "<f4", (rows, columns))
    for first in range(0, rows, 10000):
        part = y[first:first + 10000]
        X[first:first + 10000] = means[part] + random.standard_normal((len(part), columns)) @ mix
    X.flush()
    np.save(folder / "y.npy", y)


def measured(command, repeats):
    """Least processor time, with the clock's and the memory of that run."""
    best = None
    for _ in range(repeats):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            return None
        cell = used.ru_utime + used.ru_stime, time.perf_counter() - begin, used.ru_maxrss / 1024
        best = min(best, cell) if best else cell
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("shape", nargs="?", default="100000x768x100")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, *map(int, options.shape.split("x")))
        print("| command | processor time | clock | peak memory | file |\n|---|---|---|---|---|")
        for command in COMMANDS:
            out = folder / "out"
            output = [] if command[0] == "select" else ["-o", str(out)]
            cell = measured([options.binary, command[0], str(folder / "x.npy"), "--labels",
                             str(folder / "y.npy"), *command[1:], *output], options.repeats)
            size = f"{out.stat().st_size / 1e6:.1f} MB" if output and out.exists() else ""
            words = f"{cell[0]:.2f} s | {cell[1]:.2f} s | {cell[2]:.0f} MB" if cell else "fails | |"
            print(f"| `{' '.join(command)}` | {words} | {size} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
