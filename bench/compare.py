#!/usr/bin/env python3
"""Suffice beside scikit-learn: the same numbers, in the same run, by turns.

For each case the rows are made once, with NumPy, and written as raw binary files that build/bench_compare
reads into its memory. Then both sides fit and score in turns, several times each; the smallest time
counts. Both must give the same log-likelihood ratios and decisions, or the run fails.

The limit of a case is the longer of two times: the bytes that it must move at the measured rate of
reading memory, and the operations that it must do at the measured rate of matrix products.

  script/bench [--quick] [--case TEXT] [--repeats N] [--write]
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEVELS = 5  # of a categorical feature
WORDS = 50  # of a document


@dataclasses.dataclass
class Case:
    kind: str
    rows: int
    features: int
    classes: int
    wanted_fit: float
    wanted_score: float

    @property
    def name(self):
        def short(n):
            digits = f"{n:.0e}".replace("e+0", "e")
            return digits if n >= 10000 and float(digits) == n else str(n)

        return f"{self.kind} {short(self.rows)}×{short(self.features)}, {self.classes}"

    def moved(self):
        """Bytes that fit and score must at least move."""
        cell = 8
        rows, d, k = self.rows, self.features, self.classes
        table = rows * WORDS * (cell + 4) if self.kind == "multinomial" else rows * d * cell
        return table + rows * 8, table + rows * k * 8

    def operations(self):
        """Floating-point operations that fit and score must at least do (0: not worth counting)."""
        rows, d, k = self.rows, self.features, self.classes
        if self.kind == "naive":  # scores: a product of [x², x] with 2d × K weights
            return 0, 4 * rows * d * k
        if self.kind == "tied":  # fit: half of a symmetric product; scores: one product
            return rows * d * (d + 1), 2 * rows * d * k
        if self.kind == "full":  # scores: a triangular product a class
            return rows * d * (d + 1), rows * d * (d + 1) * k
        if self.kind == "bernoulli":
            return 0, 2 * rows * d * k
        return 0, 0


CASES = [
    Case("naive", 1_000_000, 20, 10, 55, 70),
    Case("naive", 200_000, 50, 100, 30, 80),
    Case("naive", 50_000, 784, 10, 22, 40),
    Case("tied", 1_000_000, 20, 10, 20, 3),
    Case("tied", 200_000, 50, 100, 20, 3),
    Case("tied", 50_000, 784, 10, 2.8, 2.2),
    Case("full", 1_000_000, 20, 10, 45, 35),
    Case("full", 50_000, 784, 10, 15, 3),
    Case("bernoulli", 200_000, 100, 10, 20, 15),
    Case("categorical", 200_000, 100, 10, 35, 20),
    Case("multinomial", 100_000, 50_000, 20, 8, 6),
]


def make_rows(case):
    """Overlapping classes, no singular covariance. Returns x (an array or CSR matrix) and y."""
    random = np.random.default_rng(1)
    n, d, k = case.rows, case.features, case.classes
    y = random.integers(0, k, n)
    y[:k] = np.arange(k)
    if case.kind == "multinomial":
        # One word from each of 50 parts of the vocabulary, early words more often.
        part = d // WORDS
        word = (part * random.random((n, WORDS)) ** 2).astype(np.int32)
        column = (word + 7 * y[:, None]) % part + part * np.arange(WORDS)
        counts = random.geometric(0.6, n * WORDS).astype(float)
        row_start = np.arange(0, n * WORDS + 1, WORDS, dtype=np.int32)
        return scipy.sparse.csr_matrix((counts, column.ravel().astype(np.int32), row_start), (n, d)), y
    if case.kind == "bernoulli":
        p = random.uniform(0.35, 0.65, (k, d))
        return (random.random((n, d)) < p[y]).astype(float), y
    if case.kind == "categorical":
        edges = random.dirichlet([20] * LEVELS, (k, d)).cumsum(axis=2)
        u = random.random((n, d))
        return sum((u > edges[y, :, level]).astype(np.int64) for level in range(LEVELS - 1)), y
    mean = random.normal(0, 2 / d**0.5, (k, d))
    scale = random.uniform(0.8, 1.25, (k, d))
    mix = np.eye(d) + random.normal(0, 0.3 / d**0.5, (d, d))
    x = random.standard_normal((n, d)) @ mix
    x *= scale[y]
    x += mean[y]
    return x, y


def peers(case):
    """The estimators of scikit-learn that do this work; the first is the default one."""
    return {
        "naive": [GaussianNB()],
        "tied": [LinearDiscriminantAnalysis(solver=s) for s in ("svd", "lsqr", "eigen")],
        "full": [QuadraticDiscriminantAnalysis(solver=s) for s in ("svd", "eigen")],
        "bernoulli": [BernoulliNB()],
        "categorical": [CategoricalNB()],
        "multinomial": [MultinomialNB()],
    }[case.kind]


def peer_scores(case, peer, x):
    return peer.decision_function(x) if case.kind in ("tied", "full") else peer.predict_joint_log_proba(x)


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


class Ours:
    """The running build/bench_compare."""

    def __init__(self, program, folder, case, x, y, threads):
        case_file = {"kind": case.kind, "rows": case.rows, "features": case.features,
                     "classes": case.classes, "threads": threads}
        (folder / "case.json").write_text(json.dumps(case_file))
        y.astype(np.int64).tofile(folder / "y.bin")
        if scipy.sparse.issparse(x):
            x.indptr.astype(np.int32).tofile(folder / "row_start.bin")
            x.indices.astype(np.int32).tofile(folder / "column.bin")
            x = x.data
        np.ascontiguousarray(x).tofile(folder / "x.bin")
        self.folder = folder
        self.process = subprocess.Popen([str(program), str(folder)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"bench_compare ended with {self.process.wait()} on '{command}'")
        return json.loads(answer)

    def scores(self, case):
        answer = self.ask("write")
        values = np.fromfile(self.folder / "scores.bin").reshape(case.rows, case.classes)
        weights = np.array(answer["weights"])
        return values + np.log(weights / weights.sum()), answer["labels"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def check_agreement(case, ours, theirs, labels, classes):
    """Ratios against the first class agree except for what the peer's own rounding and smoothing do."""
    if labels != [str(c) for c in classes]:
        raise SystemExit(f"{case.name}: classes differ: {labels}, {list(classes)}")
    ours, theirs = ours - ours[:, :1], theirs - theirs[:, :1]
    difference = np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())
    same = (ours.argmax(axis=1) == theirs.argmax(axis=1)).mean()
    if not (difference < 1e-6 and same > 0.9999):
        raise SystemExit(f"{case.name}: the answers differ: ratios by {difference:.1e} relative, "
                         f"{same:.4%} of the decisions are the same")
    return difference


def run_case(case, arguments, program):
    x, y = make_rows(case)
    candidates = peers(case)
    notes = []
    fits = [timed(lambda p=p: p.fit(x, y))[0] for p in candidates]
    if len(candidates) > 1:
        fits = [min(t, timed(lambda p=p: p.fit(x, y))[0]) for t, p in zip(fits, candidates)]
    # Of the linear discriminant the fastest solver; of the quadratic one what a user gets.
    peer = candidates[int(np.argmin(fits)) if case.kind == "tied" else 0]
    if len(candidates) > 1:
        times = ", ".join(f"{p.solver} {t:.3g} s" for p, t in zip(candidates, fits))
        notes.append(f"{case.name}: scikit-learn's solvers fit in {times}; compared with {peer.solver}")

    best = {"fit": [np.inf, np.inf], "score": [np.inf, np.inf]}
    memory = {"fit": 0, "score": 0}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        ours = Ours(program, pathlib.Path(name), case, x, y, arguments.threads)
        limits = ours.ask("limits")
        for _ in range(arguments.repeats):
            for work in ("fit", "score"):
                action = (lambda: peer.fit(x, y)) if work == "fit" else (lambda: peer_scores(case, peer, x))
                theirs = None  # its memory is free again before the next turn
                seconds, theirs = timed(action)
                best[work][0] = min(best[work][0], seconds)
                time.sleep(0.3)  # BLAS threads of the peer spin for a while after their work
                for _ in range(3):  # ours are short: more turns of them cost little
                    answer = ours.ask(work)
                    best[work][1] = min(best[work][1], answer["seconds"])
                    memory[work] = max(memory[work], answer["extra_bytes"])
        again = ours.ask("limits")
        for rate in ("read_bandwidth", "gemm_rate"):
            limits[rate] = max(limits[rate], again[rate])
        values, labels = ours.scores(case)
        difference = check_agreement(case, values, np.asarray(theirs), labels, peer.classes_)
        ours.close()

    lines = []
    for i, (work, wanted) in enumerate((("fit", case.wanted_fit), ("score", case.wanted_score))):
        their_seconds, our_seconds = best[work]
        moved, operations = case.moved()[i], case.operations()[i]
        by_memory, by_work = moved / limits["read_bandwidth"], operations / limits["gemm_rate"]
        if by_memory >= by_work:
            rate = f"{moved / our_seconds / 1e9:.1f} of {limits['read_bandwidth'] / 1e9:.0f} GB/s"
        else:
            rate = f"{operations / our_seconds / 1e9:.0f} of {limits['gemm_rate'] / 1e9:.0f} GF/s"
        ratio = their_seconds / our_seconds
        lines.append([case.name, work, f"{their_seconds:.4f}", f"{our_seconds:.4f}", f"{ratio:.1f}×",
                      f"≥ {wanted:g}×", "yes" if ratio >= wanted else "no", rate,
                      f"{max(by_memory, by_work) / our_seconds:.0%}",
                      f"{memory[work] / 2**20:.0f} MB"])
    notes.append(f"{case.name}: log-likelihood ratios agree to {difference:.0e}")
    return lines, notes, limits


def machine():
    model = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":")[1].strip()
            break
    return f"{model}, {len(os.sched_getaffinity(0))} CPUs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows and features: does it run?")
    parser.add_argument("--case", default="", help="only cases whose name has this text")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="ours; 0: the CPUs of this process")
    parser.add_argument("--folder", help="where the raw files are put for a while")
    parser.add_argument("--program", default=str(ROOT / "build/bench/bench_compare"))
    parser.add_argument("--write", action="store_true", help="also write bench/results.md")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")

    cases = [case for case in CASES if arguments.case in case.name]
    if not cases:
        parser.error(f"no case has '{arguments.case}' in its name")
    if arguments.quick:
        cases = [dataclasses.replace(
            c, rows=max(c.rows // 100, 2000), features=min(c.features, 100)) for c in cases]
        arguments.repeats = min(arguments.repeats, 2)

    table, notes, limits = [], [], None
    for case in cases:
        print(f"{case.name} …", file=sys.stderr, flush=True)
        lines, remarks, limits = run_case(case, arguments, arguments.program)
        table += lines
        notes += remarks

    heads = ["case (rows×features, classes)", "work", "scikit-learn s", "suffice s", "ratio", "wanted",
             "reached", "rate", "of limit", "extra memory"]
    text = [f"{machine()}; kernels for {limits['kernels']}, {limits['threads']} workers; scikit-learn "
            f"{sklearn.__version__}, NumPy {np.__version__}; {datetime.date.today()}"
            + ("; quick run, not to be quoted" if arguments.quick else ""), ""]
    text += ["| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *table]]
    text += ["", *(f"- {note}" for note in notes)]
    print("\n".join(text))
    if arguments.write:
        (ROOT / "bench/results.md").write_text("# Results\n\n" + "\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
