"""Sparse rows: LIBSVM files and CSR matrices against scikit-learn, time and peak memory of whole
processes. Writes sparse.md.

    build/venv-python/bin/python bench/sparse.py build/suffice [rows] [columns]
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TURNS = 2
PEER = """
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.naive_bayes import MultinomialNB, BernoulliNB
X, y = load_svmlight_file(sys.argv[1], zero_based=False, n_features=int(sys.argv[3]))
model = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB}[sys.argv[2]]().fit(X, y)
print((model.predict(X) != y).mean())
"""


def generate(path, rows, columns, entries, highest):
    import numpy as np

    random = np.random.default_rng(1)
    with open(path, "w", encoding="ascii") as out:
        for first in range(0, rows, 1000):
            count = min(1000, rows - first)
            y = random.integers(0, 2, count)
            index = (random.random((count, entries)) ** 3 * (columns - 40)).astype(int) + 1
            index += 37 * y[:, None]
            value = random.integers(1, highest + 1, (count, entries))
            for i in range(count):
                unique, at = np.unique(index[i], return_index=True)
                out.write(f"{y[i]} " + " ".join(
                    f"{j}:{x}" for j, x in zip(unique, value[i][at])) + "\n")


def measure(*words):
    """Seconds and megabytes, the smallest of several turns."""
    best = (1e9, 1e9)
    for _ in range(TURNS):
        begin = time.perf_counter()
        with subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
        if status:
            sys.exit(f"failed: {words}")
        best = min(best[0], time.perf_counter() - begin), min(best[1], usage.ru_maxrss / 1024)
    return best


def main():
    program = Path(sys.argv[1]).resolve()
    rows, columns = (int(word) for word in (sys.argv[2:4] or ("100000", "1000000")))
    lines = [
        "# Sparse rows", "",
        f"{rows:,} rows × {columns:,} columns with 50 entries per row, LIBSVM; smallest of {TURNS} "
        "turns, whole processes. scikit-learn reads the file with `load_svmlight_file`, fits and "
        "predicts in one process.", "",
        "| model | work | s | peak MB |", "| --- | --- | --- | --- |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, words, highest, peer in (
            ("multinomial", ("--family", "*=multinomial", "--smoothing", "1"), 5, "multinomial"),
            ("bernoulli", ("--family", "*=bernoulli", "--smoothing", "1"), 1, "bernoulli"),
            ("gaussian tied-diag", (), 5, None),
        ):
            data, model = Path(folder) / "rows.libsvm", Path(folder) / "m.suffice"
            generate(data, rows, columns, 50, highest)
            works = {
                "fit": ("fit", data, *words, "--covariance", "tied-diag", "-o", model),
                "predict": ("predict", model, data, "-o", Path(folder) / "answers.csv"),
                "evaluate": ("evaluate", model, data),
            }
            for work, line in works.items():
                seconds, memory = measure(program, *line, "--quiet")
                lines.append(f"| {name} | suffice {work} | {seconds:.2f} | {memory:.0f} |")
            if peer:
                seconds, memory = measure(sys.executable, "-c", PEER, data, peer, columns)
                lines.append(f"| {name} | scikit-learn, fit and predict | {seconds:.2f} | {memory:.0f} |")
    text = "\n".join(lines) + "\n"
    print(text)
    (Path(__file__).parent / "sparse.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
