#!/usr/bin/env python3
"""The Python package beside scikit-learn, in one process: the same arrays, by turns.

The cases are those of bench/compare.py, and the engine itself (build/bench/bench_compare) takes its
turns in the same run, so that a ratio of the package can be read beside the engine's. Times have
everything in them that a call does: validation, conversion, labels. The smallest time counts.

  script/bench --python [--quick] [--case TEXT] [--repeats N] [--write]
"""

import argparse
import dataclasses
import datetime
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import timeit
import warnings

import numpy as np
import scipy.sparse
import sklearn
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes
from compare import CASES, ROOT, Ours, machine, make_rows, peer_scores, peers, timed

import suffice.sklearn

LESS = 0.85  # of the engine's ratio: what conversion and validation may cost
WORKS = ("fit", "predict", "predict_proba")
FLOATS = ("naive", "tied", "full", "bernoulli")  # kinds whose rows may come as float32
MEGABYTE = 2**20


def same_of_ours(peer):
    """Our estimator of the same name and with the same parameters."""
    return getattr(suffice.sklearn, type(peer).__name__)(**peer.get_params())


def choose_peer(case, x, y):
    """Of the linear discriminant the fastest solver; of the others what a user gets."""
    candidates = peers(case)
    if case.kind != "tied":
        return candidates[0]
    for peer in candidates:
        peer.fit(x, y)
    return candidates[int(np.argmin([timed(lambda p=p: p.fit(x, y))[0] for p in candidates]))]


def call(estimator, work, x, y):
    return estimator.fit(x, y) if work == "fit" else getattr(estimator, work)(x)


def turn_of(peer, ours, x, y):
    """One turn of each work: {work: (their seconds, our seconds)}. Ours are short, and have three."""
    seconds = {}
    for work in WORKS:
        theirs = timed(lambda: call(peer, work, x, y))[0]
        time.sleep(0.3)  # BLAS threads of the peer spin for a while after their work
        seconds[work] = np.array([theirs, min(timed(lambda: call(ours, work, x, y))[0] for _ in range(3))])
    return seconds


def smallest(turns):
    return {work: np.min([turn[work] for turn in turns], axis=0) for work in turns[0]}


def check_agreement(case, peer, ours, x):
    same = (peer.predict(x) == ours.predict(x)).mean()
    difference = np.abs(peer.predict_proba(x) - ours.predict_proba(x)).max()
    if not (same > 0.9999 and difference < 1e-6):
        raise SystemExit(f"{case.name}: the answers differ: {same:.4%} of the decisions are the same, "
                         f"probabilities differ by {difference:.1e}")


def run_case(case, arguments):
    """Rows of the table of doubles and of the one of floats."""
    x, y = make_rows(case)
    peer = choose_peer(case, x, y)
    ours = same_of_ours(peer)
    check_agreement(case, peer.fit(x, y), ours.fit(x, y), x)
    name = case.name + (f" ({peer.solver})" if case.kind == "tied" else "")
    turns, score = [], np.inf
    engine_seconds = {"fit": np.inf, "score": np.inf}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        engine = Ours(arguments.program, pathlib.Path(folder), case, x, y, threads=0)
        for _ in range(arguments.repeats):
            turns.append(turn_of(peer, ours, x, y))
            score = min(score, timed(lambda: peer_scores(case, peer, x))[0])
            time.sleep(0.3)
            for work in [*engine_seconds] * 3:
                engine_seconds[work] = min(engine_seconds[work], engine.ask(work)["seconds"])
        engine.close()
    best = smallest(turns)
    # The engine's scores are compared with the peer's scores, as in bench/results.md.
    of_engine = {"fit": best["fit"][0] / engine_seconds["fit"], "predict": score / engine_seconds["score"]}
    doubles = []
    for work, (theirs, mine) in best.items():
        ratio, wanted = theirs / mine, LESS * of_engine.get(work, 0)
        doubles.append([name, work, f"{theirs:.4f}", f"{mine:.4f}", f"{ratio:.1f}×"]
                       + ([f"{of_engine[work]:.1f}×", f"≥ {wanted:.1f}×", "yes" if ratio >= wanted else "no"]
                          if wanted else ["", "", ""]))
    if case.kind not in FLOATS:
        return doubles, []
    x = x.astype(np.float32)
    peer.fit(x, y), ours.fit(x, y)
    best = smallest([turn_of(peer, ours, x, y) for _ in range(max(2, arguments.repeats // 2))])
    return doubles, [[name, work, f"{theirs:.4f}", f"{mine:.4f}", f"{theirs / mine:.1f}×"]
                     for work, (theirs, mine) in best.items()]


def small_rows():
    """150 × 4, three classes: what a call costs where there is nothing to compute."""
    random = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 50)
    normal = random.standard_normal((150, 4)) + y[:, None]
    lines = []
    modules = (sklearn.naive_bayes, sklearn.discriminant_analysis, sklearn.linear_model)
    for name in sorted(set(suffice.sklearn.__all__) - {"export"}):
        module = next(module for module in modules if hasattr(module, name))
        x = {"BernoulliNB": (normal > 1).astype(float), "CategoricalNB": np.abs(normal).astype(int),
             "MultinomialNB": np.abs(normal).round(), "ComplementNB": np.abs(normal).round()}.get(name, normal)
        both = [getattr(module, name)(), getattr(suffice.sklearn, name)()]
        for work in WORKS:
            seconds = []
            for estimator in both:
                estimator.fit(x, y)
                timer = timeit.Timer(lambda: call(estimator, work, x, y))
                seconds.append(min(timer.repeat(repeat=9, number=50)) / 50)
            wanted = work != "predict_proba"
            ratio = seconds[0] / seconds[1]
            lines.append([name, work, *(f"{1e6 * s:.0f}" for s in seconds), f"{ratio:.2f}×",
                          "≥ 1×" if wanted else "", ("yes" if ratio >= 1 else "no") if wanted else ""])
    return lines


def peak_memory():
    """What this process has had at most, in bytes. (ru_maxrss would also have what its parent had.)"""
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)[1])


def extra_memory(folder, who, kind, solver):
    """In a process of its own: bytes above the input that a fit needs."""
    peer = next(p for p in peers(argparse.Namespace(kind=kind)) if getattr(p, "solver", "") == solver)
    estimator = peer if who == "theirs" else same_of_ours(peer)
    y = np.load(folder / "y.npy")
    if (folder / "indptr.npy").exists():
        parts = [np.load(folder / f"{part}.npy") for part in ("data", "indices", "indptr")]
        x = scipy.sparse.csr_matrix(tuple(parts), tuple(np.load(folder / "shape.npy")))
    else:
        x = np.load(folder / "x.npy")
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before = peak_memory()
    estimator.fit(x, y)
    return peak_memory() - before


def memory_rows(case, arguments):
    """Peak memory of a fit above its input, and what is wanted: 50 MB and three K × d × d matrices of
    doubles (sums, covariances, factors; K × d where features are independent)."""
    x, y = make_rows(case)
    lines = []
    for dtype in (np.float64, np.float32):
        if dtype == np.float32 and case.kind not in FLOATS:
            continue
        peer = choose_peer(case, x[:20_000], y[:20_000])
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            folder = pathlib.Path(name)
            np.save(folder / "y.npy", y)
            if scipy.sparse.issparse(x):
                parts = {"data": x.data, "indices": x.indices, "indptr": x.indptr, "shape": np.array(x.shape)}
            else:
                parts = {"x": x.astype(dtype) if case.kind in FLOATS else x}
            for part, values in parts.items():
                np.save(folder / f"{part}.npy", values)
            theirs, mine = (min(int(subprocess.run(
                [sys.executable, __file__, "--memory-of", name, who, case.kind, getattr(peer, "solver", "")],
                check=True, capture_output=True, text=True).stdout) for _ in range(2))
                for who in ("theirs", "ours"))
        joint = case.kind in ("tied", "full")
        wanted = 50 * MEGABYTE + 3 * 8 * case.classes * case.features ** (2 if joint else 1)
        lines.append([case.name, np.dtype(dtype).name if case.kind in FLOATS else "",
                      f"{theirs / MEGABYTE:.0f}", f"{mine / MEGABYTE:.0f}", f"≤ {wanted / MEGABYTE:.0f}",
                      "yes" if mine <= wanted else "no"])
    return lines


def markdown(heads, rows):
    return ["| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *rows]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows and features: does it run?")
    parser.add_argument("--case", default="", help="only cases whose name has this text")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", help="where the raw files are put for a while")
    parser.add_argument("--program", default=str(ROOT / "build/bench/bench_compare"))
    parser.add_argument("--write", action="store_true", help="also write bench/python.md")
    parser.add_argument("--memory-of", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    if arguments.memory_of:
        folder, *rest = arguments.memory_of
        print(extra_memory(pathlib.Path(folder), *rest))
        return

    cases = [case for case in CASES if arguments.case in case.name]
    if arguments.quick:
        cases = [dataclasses.replace(c, rows=max(c.rows // 100, 2000), features=min(c.features, 100))
                 for c in cases]
        arguments.repeats = min(arguments.repeats, 2)
    doubles, floats, memory = [], [], []
    print("150×4 …", file=sys.stderr, flush=True)
    small = small_rows()
    for case in cases:
        print(f"{case.name} …", file=sys.stderr, flush=True)
        memory += memory_rows(case, arguments)
        wide, narrow = run_case(case, arguments)
        doubles += wide
        floats += narrow
        for row in wide + narrow:
            print(*row, sep=" | ", file=sys.stderr, flush=True)

    text = [f"{machine()}; scikit-learn {sklearn.__version__}, NumPy {np.__version__}; {datetime.date.today()}; "
            f"smallest of {arguments.repeats} turns, one process, everything that a call does"
            + ("; quick run, not to be quoted" if arguments.quick else ""), ""]
    text += markdown(["case (rows×features, classes)", "work", "scikit-learn s", "suffice s", "ratio",
                      "engine's ratio", "wanted", "reached"], doubles)
    text += ["", "The engine's ratio beside `predict` is that of its scores, as in "
             "[results.md](results.md); wanted is that less 15 %.", "", "## float32", ""]
    text += markdown(["case", "work", "scikit-learn s", "suffice s", "ratio"], floats)
    text += ["", "## 150 rows of 4 features", ""]
    text += markdown(["estimator", "work", "scikit-learn µs", "suffice µs", "ratio", "wanted", "reached"], small)
    text += ["", "## Peak memory of a fit above its input", ""]
    text += markdown(["case", "rows as", "scikit-learn MB", "suffice MB", "wanted MB", "reached"], memory)
    print("\n".join(text))
    if arguments.write:
        (ROOT / "bench/python.md").write_text("# The Python package\n\n" + "\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
