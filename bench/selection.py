#!/usr/bin/env python3
"""Choosing a model, measured: whole processes beside scikit-learn, by turns, in one run.

- The grid of a lecture on MNIST in 5 folds, {PCA 100, 50, 9, PCA 100 then LDA 9} × {full, tied, diag,
  tied-diag}. `select` combines every --pca with every --lda, so one command with all of them has 24
  cells; two commands have the sixteen. The peer is one Python process with scikit-learn's pipelines for
  the twelve cells that it has (no tied-diag), each timed by itself.
- The table of examples/mnist/table.py: sixteen fits from one statistics file, and sixteen evaluations.
- Exact leave-one-out beside plain scores (build/bench/engine_bench), and --shrinkage loo.
- What the default, --shrinkage auto, costs beside a fit without it.

The smallest wall time of several turns counts, with the largest peak of resident memory. Both sides
must get about the same share of the rows wrong (their folds are dealt differently), or the run fails.

  script/bench --selection [--quick] [--repeats N] [--write]
"""

# Nothing large is imported here: a child's peak of memory is never below that of the process that
# started it.
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from command_line import CLASSES, FEATURES, ROOT, Job, machine, make_tables, markdown, megabytes, versions

sys.path.insert(0, str(ROOT / "examples" / "mnist"))
import table as lecture  # noqa: E402  (examples/mnist/table.py)

STRUCTURES = {"full": "QuadraticDiscriminantAnalysis", "tied": "LinearDiscriminantAnalysis",
              "diag": "GaussianNB", "tied-diag": None}

PEER = """
import gzip, json, sys, time
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
images, labels, rows, turns = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
read = lambda path: (gzip.open if path.endswith(".gz") else open)(path, "rb").read()
y = np.frombuffer(read(labels), np.uint8, offset=8)[:rows]
x = np.frombuffer(read(images), np.uint8, offset=16).reshape(-1, 784)[:rows].astype(float)
seconds, errors = {}, {}
for _ in range(turns):
    for components, directions in (100, 0), (50, 0), (9, 0), (100, 9):
        for last in QuadraticDiscriminantAnalysis, LinearDiscriminantAnalysis, GaussianNB:
            between = [LinearDiscriminantAnalysis(n_components=directions)] if directions else []
            pipeline = make_pipeline(PCA(components), *between, last())
            begin = time.perf_counter()
            done = cross_validate(pipeline, x, y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
            taken = time.perf_counter() - begin
            name = f"PCA {components}" + (f", LDA {directions}" if directions else "") + " " + last.__name__
            seconds[name] = min(taken, seconds.get(name, taken))
            errors[name] = 1 - done["test_score"].mean()
print(json.dumps({"seconds": seconds, "errors": errors}))
"""

MAKE_ROWS = """
import sys
import numpy as np
folder, rows, features, classes = sys.argv[1], *map(int, sys.argv[2:])
random = np.random.default_rng(1)
y = np.arange(rows) % classes
x = (random.standard_normal((classes, features)) * .3)[y] + random.standard_normal((rows, features))
np.save(f"{folder}/x.npy", x @ (np.eye(features) + .5 * random.standard_normal((features, features)) / features ** .5))
np.save(f"{folder}/y.npy", y)
"""


def yes(reached):
    return "yes" if reached else "no"


class Grid:
    """The lecture's grid on rows in 5 folds."""

    def __init__(self, program, images, labels, model, allowed):
        self.allowed = allowed  # difference of error rates, in other folds
        select = [program, "select", images, "--labels", labels, "--covariance", ",".join(STRUCTURES),
                  "--shrinkage", "0", "--folds", "5", "--json", "-o", model]
        without = [*select, "--pca", "100,50,9"]
        after = [*select, "--pca", "100", "--lda", "9"]
        both = [*select, "--pca", "100,50,9", "--lda", "none,9"]
        self.jobs = {"--pca 100,50,9 (12 cells)": Job(without),
                     "--pca 100 --lda 9 (4 cells)": Job(after),
                     "both, one after the other (the sixteen)": Job(without, after),
                     "--pca 100,50,9 --lda none,9 (24 cells, the sixteen among them)": Job(both)}
        self.whole = list(self.jobs.values())[-1]

    def error_rates(self):
        rates = {}
        for candidate in json.loads(self.whole.output)["candidates"]:
            options = candidate["options"]
            directions = f", LDA {options['lda']}" if options.get("lda") else ""
            rates[f"PCA {options['pca']}{directions}", options["covariance"]] = candidate["error_rate"]
        return rates

    def report(self, peer, peer_job):
        ours, cells, total = self.error_rates(), [], 0
        for projection in lecture.PROJECTIONS:
            for structure, name in STRUCTURES.items():
                mine = ours[projection, structure]
                line = [projection, structure, "", "", f"{100 * mine:.2f}"]
                if name:
                    theirs = peer["errors"][f"{projection} {name}"]
                    seconds = peer["seconds"][f"{projection} {name}"]
                    total += seconds
                    line[2:4] = f"{seconds:.2f}", f"{100 * theirs:.2f}"
                    if abs(theirs - mine) > self.allowed:
                        raise SystemExit(f"{projection} {structure}: error rates {theirs} and {mine}")
                cells.append(line)
        text = markdown(["projection", "covariance", "scikit-learn s", "its error %", "our error %"], cells)
        text += ["", f"scikit-learn: {total:.1f} s for its twelve cells without reading and imports, at most "
                 f"{megabytes(peer_job)} MB. Suffice, whole commands with reading:", ""]
        lines = []
        for name, job in self.jobs.items():
            wanted = "sixteen" in name
            lines.append([f"`{name}`" if name.startswith("--") else name, f"{job.seconds:.2f}", megabytes(job),
                          f"{total / job.seconds:.1f}×" if wanted else "",
                          "≤ 5 s, ≥ 10×, ≤ 2048 MB" if wanted else "",
                          yes(job.seconds <= 5 and total / job.seconds >= 10 and job.bytes <= 2**31)
                          if wanted else ""])
        return text + markdown(["suffice select", "s", "peak MB", "their twelve cells / ours", "wanted", "reached"],
                               lines)


class Table:
    """Sixteen fits and evaluations from one statistics file, as many at a time as there are CPUs."""

    def __init__(self, program, statistics, train, test):
        self.arguments = program, statistics, *test
        lecture.sum_up(program, *train, statistics)
        self.seconds = float("inf")
        model = statistics.with_name("step.suffice")
        fit = [program, "fit", statistics, "--pca", "100", "--covariance", "full", "--shrinkage", "0",
               "--threads", "1", "--quiet", "-o", model]
        evaluate = [program, "evaluate", model, test[0], "--labels", test[1], "--threads", "1", "--json"]
        self.steps = {"one pass over the training images": Job(
            [program, "stats", train[0], "--labels", train[1], "--quiet", "-o", statistics.with_name("again.stats")]),
            "one fit from the file (PCA 100, full; one thread)": Job(fit),
            "one evaluation (one thread)": Job(evaluate)}

    def take_turn(self):
        for step in self.steps.values():
            step.take_turn()
        begin = time.perf_counter()
        lecture.error_rates(*self.arguments)
        self.seconds = min(self.seconds, time.perf_counter() - begin)

    def report(self):
        lines = [[name, f"{job.seconds:.3f}", megabytes(job), "", ""] for name, job in self.steps.items()]
        lines.append(["sixteen fits and sixteen evaluations", f"{self.seconds:.2f}", "", "≤ 3 s",
                      yes(self.seconds <= 3)])
        return markdown(["step", "s", "peak MB", "wanted", "reached"], lines)


def leave_one_out(program, repeats):
    """Milliseconds of plain and of leave-one-out scores, by structure: the smallest of all turns."""
    done = subprocess.run([program, "--benchmark_filter=58000x9x7", "--benchmark_min_time=0.2",
                           f"--benchmark_repetitions={repeats}", "--benchmark_enable_random_interleaving=true",
                           "--benchmark_format=json"], check=True, capture_output=True, text=True)
    smallest = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            work, _, structure = run["name"].split("/")[:3]
            smallest.setdefault(structure, {}).setdefault(work, []).append(run["real_time"])
    lines = []
    for structure in (*STRUCTURES, "spherical", "tied-spherical"):
        plain, without = (min(smallest[structure][work]) for work in ("plain", "leave_one_out"))
        lines.append([structure, f"{plain:.2f}", f"{without:.2f}", f"{without / plain:.1f}", "≤ 3",
                      yes(without / plain <= 3)])
    return markdown(["covariance", "plain scores ms", "leave-one-out ms", "ratio", "wanted", "reached"], lines)


def fit_jobs(program, data, labels, model, settings):
    return {(covariance, *flags): Job([program, "fit", data, *labels, "--covariance", covariance, *flags,
                                       "--quiet", "-o", model]) for covariance, *flags in settings}


def default_rows(name, jobs, plain):
    """Each job beside the one that it is compared with."""
    return [[name, " ".join(("--covariance", *key)), f"{job.seconds:.3f}", megabytes(job),
             f"{job.seconds / jobs[plain[key]].seconds:.2f}" if key in plain else ""] for key, job in jobs.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one turn, few rows for the peer: does it run?")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each job")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/suffice")
    parser.add_argument("--engine", type=pathlib.Path, default=ROOT / "build/bench/engine_bench")
    parser.add_argument("--data", type=pathlib.Path,
                        default=os.environ.get("SUFFICE_DATA") or ROOT / ".." / "shared" / "data",
                        help="the folder that has mnist/")
    parser.add_argument("--write", action="store_true", help="also write bench/selection.md")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]  # should be near 0: nothing else should run
    program, repeats = arguments.program.resolve(), 1 if arguments.quick else arguments.repeats
    train, test = lecture.files_of(pathlib.Path(arguments.data) / "mnist")
    csv, _ = make_tables(100_000 if arguments.quick else 1_000_000)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "m.suffice"
        subprocess.run([sys.executable, "-c", MAKE_ROWS, name, "7291", "256", "10"], check=True)
        grid = Grid(program, *train, model, allowed=.05 if arguments.quick else .005)
        table = Table(program, folder / "mnist.stats", train, test)
        zero, auto = ["--shrinkage", "0"], ["--shrinkage", "auto"]
        wide = fit_jobs(program, csv, ["--label", "label"], model,
                        [("full", *zero), ("full", *auto), ("tied", *zero), ("tied", *auto)])
        # Without any shrinkage MNIST has no inverse covariances: the share that is given costs nothing.
        some = ["--shrinkage", "0.1", "--target", "spherical"]
        deep = fit_jobs(program, train[0], ["--labels", train[1]], model,
                        [("full", *some), ("full", *auto), ("tied", *some), ("tied", *auto)])
        rows = fit_jobs(program, folder / "x.npy", ["--labels", folder / "y.npy"], model,
                        [("full", *zero), ("full", *auto), ("full", "--shrinkage", "loo")])
        peer_rows = 6000 if arguments.quick else 60_000
        peer_job = Job([sys.executable, "-c", PEER, *train, peer_rows, 1])
        peer = {"seconds": {}, "errors": {}}
        jobs = [*grid.jobs.values(), table, *wide.values(), *deep.values(), *rows.values()]
        for turn in range(repeats):
            print(f"turn {turn + 1} of {repeats} …", file=sys.stderr, flush=True)
            for job in jobs:
                job.take_turn()
            if turn >= 2:  # a turn of the peer takes most of a minute
                continue
            peer_job.take_turn()
            answer = json.loads(peer_job.output)
            peer["errors"] = answer["errors"]
            for cell, seconds in answer["seconds"].items():
                peer["seconds"][cell] = min(seconds, peer["seconds"].get(cell, seconds))
        loo = rows["full", "--shrinkage", "loo"]
        scores = leave_one_out(arguments.engine.resolve(), max(repeats, 3))

    pairs = lambda plain: {(c, *auto): (c, *plain) for c in ("full", "tied")}
    text = ["# Choosing a model", "",
            f"{machine()}; {versions()}; {datetime.date.today()}; smallest of {repeats} turns (scikit-learn: of "
            f"{min(repeats, 2)}), whole processes; load of the machine before the run {load:.1f}" + ("; quick run, not to be quoted" if arguments.quick else ""),
            "", "## The lecture's grid on MNIST, 60000 × 784, 5 folds", "", *grid.report(peer, peer_job),
            "", "## The table of training and test images, from one statistics file", "", *table.report(),
            "", "## Exact leave-one-out of 58000 × 9, 7 classes, in memory", "", *scores,
            "", f"`fit --shrinkage loo` of 7291 × 256, 10 classes, from an NPY file: {loo.seconds:.2f} s, wanted ≤ 1 s: "
            f"{yes(loo.seconds <= 1)}.",
            "", "## What the default costs", "",
            *markdown(["rows", "fit", "s", "peak MB", "ratio"],
                      default_rows(f"CSV, 1e6 × {FEATURES}, {CLASSES}", wide, pairs(zero))
                      + default_rows("MNIST, IDX, 60000 × 784, 10", deep, pairs(some))
                      + default_rows("NPY, 7291 × 256, 10", rows, {("full", *auto): ("full", *zero)}))]
    print("\n".join(text))
    if arguments.write:
        (ROOT / "bench/selection.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
