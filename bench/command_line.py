#!/usr/bin/env python3
"""The command line beside pandas and scikit-learn: whole processes, by turns, in one run.

The table (1e6 rows of 20 full-precision numbers and a label of 10 classes, as CSV and as Parquet) is
made once, in build/bench-data. A peer is what a person would write: a Python process that imports
pandas and scikit-learn, reads the file, fits, and in the second variant also predicts the same rows.
Ours is `suffice fit --shrinkage 0`, which is what the peers estimate, and `suffice evaluate`, which
reads the file a second time. The smallest wall time of several turns counts, with the largest peak of
resident memory. Both sides must get the same share of the rows wrong, or the run fails.

  script/bench --command-line [--quick] [--repeats N] [--write]
"""

# Nothing large is imported here: a child's peak of memory is never below that of the process that
# started it.
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEATURES, CLASSES = 20, 10

MAKE_TABLE = """
import sys
sys.path.insert(0, sys.argv[1])
import pyarrow, pyarrow.csv, pyarrow.parquet
from compare import Case, make_rows
rows, features, classes, csv, parquet = *map(int, sys.argv[2:5]), *sys.argv[5:]
x, y = make_rows(Case("full", rows, features, classes, 0, 0))
table = pyarrow.table({f"x{j}": x[:, j] for j in range(features)} | {"label": y})
pyarrow.csv.write_csv(table, csv, pyarrow.csv.WriteOptions(quoting_style="none"))
pyarrow.parquet.write_table(table, parquet)
"""

PEER = """
import sys
import pandas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
path, kind, score = sys.argv[1:]
table = pandas.read_csv(path)
y = table.pop("label").to_numpy()
x = table.to_numpy()
model = {"naive": GaussianNB, "linear": LinearDiscriminantAnalysis,
         "linear, lsqr": lambda: LinearDiscriminantAnalysis(solver="lsqr"),
         "quadratic": QuadraticDiscriminantAnalysis}[kind]().fit(x, y)
if score == "score":
    print((model.predict(x) != y).mean())
"""

# The time of the call alone, without imports.
PARSERS = {
    "pandas.read_csv": "import pandas; read = lambda: pandas.read_csv(path)",
    "pandas.read_csv, engine pyarrow": "import pandas; read = lambda: pandas.read_csv(path, engine='pyarrow')",
    "polars.read_csv": "import polars; read = lambda: polars.read_csv(path)",
    "pyarrow.csv.read_csv": "import pyarrow.csv; read = lambda: pyarrow.csv.read_csv(path)",
}
PARSE = """
import sys, time
path = sys.argv[1]
{imports}
begin = time.perf_counter()
read()
print(time.perf_counter() - begin)
"""

#        kind of the peer, our --covariance, wanted ratio of fit, of fit and score
MODELS = [("naive", "diag", 5, 4),
          ("linear", "tied", 8, 4),
          ("linear, lsqr", "tied", None, None),
          ("quadratic", "full", 8, 4)]


class Job:
    """One process or several in a row: the smallest time of all turns, the largest memory."""

    def __init__(self, *commands):
        self.commands = commands
        self.seconds, self.bytes, self.output = float("inf"), 0, ""

    def take_turn(self):
        total, self.output = 0, ""
        for command in self.commands:
            with tempfile.TemporaryFile("w+") as output:
                begin = time.perf_counter()
                process = subprocess.Popen(list(map(str, command)), stdout=output, stdin=subprocess.DEVNULL)
                _, status, usage = os.wait4(process.pid, 0)
                total += time.perf_counter() - begin
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode != 0:
                    raise SystemExit(f"exit code {process.returncode}: {' '.join(map(str, command))[:200]}")
                output.seek(0)
                self.output += output.read()
            self.bytes = max(self.bytes, usage.ru_maxrss * 1024)
        self.seconds = min(self.seconds, total)


class ParseJob(Job):
    """Counts the time that the process says."""

    def take_turn(self):
        best, self.seconds = self.seconds, float("inf")
        super().take_turn()
        self.seconds = min(best, float(self.output))


def make_tables(rows):
    """The paths of CSV and Parquet, the same numbers each time (make_rows has a fixed seed); files that
    are there are taken as they are."""
    folder = ROOT / "build/bench-data"
    folder.mkdir(parents=True, exist_ok=True)
    csv, parquet = (folder / f"rows-{rows}-{FEATURES}-{CLASSES}.{e}" for e in ("csv", "parquet"))
    if not (csv.exists() and parquet.exists()):
        print(f"Making {csv.name} and {parquet.name} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            parts = [pathlib.Path(name, path.name) for path in (csv, parquet)]
            subprocess.run([sys.executable, "-c", MAKE_TABLE, ROOT / "bench", str(rows), str(FEATURES),
                            str(CLASSES), *parts], check=True)
            for part in parts:
                part.rename(folder / part.name)
    return csv, parquet


def make_jobs(program, csv, parquet, models):
    """All jobs by name: (side, work, kind)."""
    jobs = {}

    def fit(table, covariance):
        return [program, "fit", table, "--label", "label", "--covariance", covariance, "--shrinkage", "0",
                "--quiet", "-o", models / f"{covariance}.suffice"]

    for kind, covariance, _, _ in MODELS:
        evaluate = [program, "evaluate", models / f"{covariance}.suffice", csv, "--json"]
        jobs["peer", "fit", kind] = Job([sys.executable, "-c", PEER, csv, kind, "fit"])
        jobs["peer", "score", kind] = Job([sys.executable, "-c", PEER, csv, kind, "score"])
        if ("ours", "fit", covariance) in jobs:
            continue
        jobs["ours", "fit", covariance] = Job(fit(csv, covariance))
        jobs["ours", "score", covariance] = Job(fit(csv, covariance), evaluate)
        jobs["ours", "parquet", covariance] = Job(fit(parquet, covariance))
        jobs["ours", "evaluate", covariance] = Job(evaluate)
    predict = [program, "predict", models / "full.suffice", csv, "--quiet", "-o", "/dev/null"]
    jobs["ours", "predict", "label"] = Job(predict)
    jobs["ours", "predict", "proba"] = Job([*predict, "--output", "proba"])
    four = fit(csv, "full")
    jobs["ours", "four", "full"] = Job([*four[:2], csv, csv, csv, *four[2:]])
    jobs["limit", "cat", ""] = Job(["sh", "-c", 'cat "$0" > /dev/null', csv])
    for name, imports in PARSERS.items():
        jobs["limit", "parse", name] = ParseJob([sys.executable, "-c", PARSE.format(imports=imports), csv])
    return jobs


def check_agreement(jobs):
    """Both sides get the same share of the rows wrong, except for what smoothing and W − K change."""
    notes = []
    for kind, covariance, _, _ in MODELS:
        theirs = float(jobs["peer", "score", kind].output)
        answer = json.loads(jobs["ours", "score", covariance].output)
        if not abs(theirs - answer["error_rate"]) <= 1e-4:
            raise SystemExit(f"{kind}: error rates differ: {theirs} and {answer['error_rate']}")
        notes.append(f"{kind}: error rates {theirs:.6f} (scikit-learn) and {answer['error_rate']:.6f} (suffice)")
    return notes


def markdown(heads, rows):
    return ["| " + " | ".join(map(str, cells)) + " |" for cells in [heads, ["---"] * len(heads), *rows]]


def megabytes(job):
    return f"{job.bytes / 2**20:.0f}"


def compared(work, theirs, ours, wanted):
    ratio = theirs.seconds / ours.seconds
    return [work, f"{theirs.seconds:.3f}", f"{ours.seconds:.3f}", f"{ratio:.1f}×",
            f"≥ {wanted:g}×" if wanted else "", ("yes" if ratio >= wanted else "no") if wanted else "",
            megabytes(theirs), megabytes(ours)]


def comparison_table(jobs):
    rows = []
    for work, name in (("fit", "fit"), ("score", "fit and score")):
        for kind, covariance, wanted_fit, wanted_score in MODELS:
            rows.append(compared(f"{name}, {kind}", jobs["peer", work, kind], jobs["ours", work, covariance],
                                 wanted_fit if work == "fit" else wanted_score))
    return markdown(["work", "pandas + scikit-learn s", "suffice s", "ratio", "wanted", "reached",
                     "their peak MB", "our peak MB"], rows)


def throughput_table(jobs, rows, size):
    lines = []
    for name, key, times in (("fit diag", ("fit", "diag"), 1), ("fit tied", ("fit", "tied"), 1),
                             ("fit full", ("fit", "full"), 1),
                             ("fit full, four times the rows", ("four", "full"), 4),
                             ("fit diag, Parquet", ("parquet", "diag"), 1),
                             ("fit tied, Parquet", ("parquet", "tied"), 1),
                             ("fit full, Parquet", ("parquet", "full"), 1),
                             ("evaluate diag", ("evaluate", "diag"), 1),
                             ("evaluate tied", ("evaluate", "tied"), 1),
                             ("evaluate full", ("evaluate", "full"), 1),
                             ("predict full", ("predict", "label"), 1),
                             ("predict full, probabilities", ("predict", "proba"), 1)):
        job = jobs[("ours", *key)]
        csv_rate = "" if "Parquet" in name else f"{times * size / job.seconds / 1e6:.0f}"
        lines.append([name, f"{job.seconds:.3f}", f"{times * rows / job.seconds / 1e6:.2f}", csv_rate, megabytes(job)])
    return markdown(["suffice", "s", "million rows/s", "MB/s of CSV", "peak MB"], lines)


def limits_table(jobs):
    lines = [["cat > /dev/null", f"{jobs['limit', 'cat', ''].seconds:.3f}", ""]]
    for name in PARSERS:
        job = jobs["limit", "parse", name]
        lines.append([name, f"{job.seconds:.3f}", megabytes(job)])
    return markdown(["reading the CSV alone, without imports", "s", "peak MB"], lines)


def start_up(program, turns=20):
    job = Job([program, "--version"])
    for _ in range(turns):
        job.take_turn()
    return f"Start-up (`suffice --version`, smallest of {turns}): {1000 * job.seconds:.1f} ms, wanted ≤ 10 ms."


def machine():
    names = [line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {len(os.sched_getaffinity(0))} CPUs"


def versions():
    code = ("import numpy, pandas, polars, pyarrow, sklearn; print(', '.join(m.__name__ + ' ' + m.__version__ "
            "for m in (sklearn, numpy, pandas, polars, pyarrow)))")
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, two turns: does it run?")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each job")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/suffice")
    parser.add_argument("--write", action="store_true", help="also write bench/command_line.md")
    arguments = parser.parse_args()
    rows, repeats = (100_000, 2) if arguments.quick else (1_000_000, arguments.repeats)

    csv, parquet = make_tables(rows)
    size = csv.stat().st_size
    with tempfile.TemporaryDirectory() as models:
        jobs = make_jobs(arguments.program.resolve(), csv, parquet, pathlib.Path(models))
        for turn in range(repeats):
            print(f"turn {turn + 1} of {repeats} …", file=sys.stderr, flush=True)
            for job in jobs.values():
                job.take_turn()
    notes = check_agreement(jobs)
    notes += [f"Parquet, {c}: {jobs['ours', 'fit', c].seconds / jobs['ours', 'parquet', c].seconds:.1f}× as fast "
              "as CSV, wanted ≥ 1×" for c in ("diag", "tied", "full")]

    text = [f"{machine()}; {versions()}; {datetime.date.today()}; CSV of {rows:,} rows, {FEATURES} numbers and a "
            f"label, {size / 1e6:.0f} MB; smallest of {repeats} turns, whole processes"
            + ("; quick run, not to be quoted" if arguments.quick else ""), ""]
    text += [*comparison_table(jobs), "", *throughput_table(jobs, rows, size), "", *limits_table(jobs), "",
             start_up(arguments.program.resolve()), "", *(f"- {note}" for note in notes)]
    print("\n".join(text))
    if arguments.write:
        (ROOT / "bench/command_line.md").write_text("# The command line\n\n" + "\n".join(text) + "\n",
                                                    encoding="utf-8")


if __name__ == "__main__":
    main()
