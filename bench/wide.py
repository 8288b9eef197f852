"""Time and memory of models of tables with more columns than rows: fit and predict of the command
line beside scikit-learn's LDA and QDA.

    python3 bench/wide.py BINARY [ROWSxCOLUMNS …] [--nci60 FOLDER] [--repeats N] [--threads N]

Tables are generated (10 classes; 64x6830 and 200x2000 by default), written as NPY and read by both.
FOLDER has NCI60data.npy and NCI60labs.csv, as in the package ISLP. A program runs in a process of its
own, and its peak memory is that of the process; the time of a Python peer is that of fit alone.
Minimum of N runs. Prints a table in Markdown.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

OURS = {"fit": (), "full": ("--covariance", "full"), "tied 0.3": ("--covariance", "tied", "--shrinkage", "0.3"),
        "pca 20": ("--covariance", "tied", "--pca", "20")}
# A fresh interpreter runs one command, so that its children are that command.
COMMAND = """
import resource, subprocess, sys, time
begin = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""
PEER = """
import resource, sys, time
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
model = eval(sys.argv[3])
begin = time.perf_counter()
model.fit(X, y)
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
PEERS = {"LDA lsqr 0.3": "LinearDiscriminantAnalysis(solver='lsqr', shrinkage=0.3)",
         "LDA svd": "LinearDiscriminantAnalysis(solver='svd')",
         "QDA 0.3": "QuadraticDiscriminantAnalysis(reg_param=0.3)"}


def generated(rows, columns):
    random = np.random.default_rng(1)
    y = np.arange(rows) % 10
    X = random.standard_normal((rows, columns)) + 0.3 * random.standard_normal((10, columns))[y]
    return X + random.standard_normal((rows, 5)) @ random.standard_normal((5, columns)), y


def nci60(folder):
    with open(folder / "NCI60labs.csv", encoding="utf-8", newline="") as file:
        labels = [row[-1] for row in list(csv.reader(file))[1:]]
    return np.load(folder / "NCI60data.npy"), np.unique(labels, return_inverse=True)[1]


def measured(command, repeats, limit=900):
    """Least seconds, and the megabytes of that run, as a command prints them; None where it fails."""
    best = None
    for _ in range(repeats):
        try:
            done = subprocess.run(command, capture_output=True, timeout=limit, check=True)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return None
        seconds, memory = map(float, done.stdout.split())
        if best is None or seconds < best[0]:
            best = seconds, memory
    return best


def run(name, X, y, binary, options):
    with tempfile.TemporaryDirectory() as folder:
        x_file, y_file, model = (str(Path(folder) / name) for name in ("x.npy", "y.npy", "m.suffice"))
        np.save(x_file, X)
        np.save(y_file, y)
        threads = ("--threads", str(options.threads), "--quiet")
        cells = []
        for flags in OURS.values():
            cells.append(measured([sys.executable, "-c", COMMAND, binary, "fit", x_file, "--labels", y_file,
                                   "-o", model, *flags, *threads], options.repeats))
            if not flags:
                size = os.path.getsize(model) / 1e6 if cells[-1] else None
        for expression in PEERS.values():
            cells.append(measured([sys.executable, "-c", PEER, x_file, y_file, expression],
                                  options.repeats if X.shape[1] < 20000 else 1))
    words = [f"{cell[0]:.2f} s, {cell[1]:.0f} MB" if cell else "fails" for cell in cells]
    print(f"| {name} | {size:.1f} MB | " + " | ".join(words) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("shapes", nargs="*", default=["64x6830", "200x2000"])
    parser.add_argument("--nci60", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print("| table | model | " + " | ".join(OURS) + " | " + " | ".join(PEERS) + " |")
    print("|---" * (2 + len(OURS) + len(PEERS)) + "|")
    if options.nci60:
        run("NCI60, 64 × 6830", *nci60(options.nci60), options.binary, options)
    for shape in options.shapes:
        rows, columns = map(int, shape.split("x"))
        run(f"{rows} × {columns}", *generated(rows, columns), options.binary, options)


if __name__ == "__main__":
    main()
