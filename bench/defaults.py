#!/usr/bin/env python3
"""How good is `suffice fit` without flags? Beside scikit-learn's generative models, on real data.

Each set of data_sets.py is fitted and evaluated by the command line, and by the models of peers.py on the
same rows: on its own test rows where it has some, otherwise in 10 stratified folds (sets of fewer than 1000
rows are dealt into folds three times, to count more errors). A cell has the error rate in % and the
log-loss in nats, over all test rows; ▲ marks a log-loss above log K: worse than knowing only the number of
classes. "best" is the least error rate and the least log-loss of scikit-learn's models, not necessarily of
the same one; naive Bayes of other families, for word counts, is shown but not counted there, because `fit`
takes the words as numbers, too: the summary has the means with it as well. A ratio of errors has half an
error more on both sides, because some sets have next to none.

  script/bench --defaults [--sets iris SMS] [--flags "--covariance full"] [--markdown]
  script/bench --defaults --times [--repeats N]     what the default costs beside plain QDA, in seconds
  bench/defaults.py --program build/suffice --skip-sklearn     needs nothing but Python

scikit-learn takes a quarter of an hour, so its results are kept in build/defaults-peers.json, by version
and set.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import data_sets
from command_line import Job, make_tables, markdown, megabytes
from data_sets import DATA, ROOT, labels_flag

SETS = [data_sets.IRIS, data_sets.WINE, data_sets.BREAST_CANCER, data_sets.PENGUINS, data_sets.TITANIC,
        data_sets.SPAMBASE, data_sets.LETTER_SPLIT, data_sets.ADULT, data_sets.OPTICAL_DIGITS,
        data_sets.MNIST, data_sets.SMS_50, data_sets.SMS_300]
PEERS = ["GaussianNB", "LDA", "LDA auto", "QDA cv", "PCA+QDA cv"]  # the columns that every set has
OF_COUNTS = ["MultinomialNB", "BernoulliNB"]
PLAIN = ["--covariance", "full", "--shrinkage", "0"]
# Plain QDA has no inverse covariances on MNIST; a share that is given costs nothing.
PLAIN_IMAGES = ["--covariance", "full", "--shrinkage", "0.1", "--target", "spherical"]

Result = collections.namedtuple("Result", "error_rate log_loss")


class Refused(Exception):
    pass


class Program:
    """The command line, with further flags for fit."""

    def __init__(self, path, flags):
        self.path, self.flags = path, flags

    def json(self, *words):
        done = subprocess.run([self.path, *map(str, words), "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 1):  # a wrong command
            sys.exit(done.stderr.strip())
        if done.returncode == 1:
            raise Refused(done.stderr.strip())
        return json.loads(done.stdout)

    def measure(self, data_set, pairs, folder):
        """The result over the test rows of all pairs, their number, and the number of classes."""
        model = folder / "m.suffice"
        rows = errors = log_loss = 0
        for train, test in pairs:
            self.json("fit", train, *labels_flag(train), *data_set.flags(), *self.flags, "-o", model)
            found = self.json("evaluate", model, test, *labels_flag(test))
            rows += found["rows"]
            errors += found["errors"]
            log_loss += found["log_loss"] * found["rows"]
        return Result(errors / rows, log_loss / rows), rows, len(found["confusion"]["labels"])


class Peers:
    """scikit-learn's results by set and model, measured once and kept in a file."""

    def __init__(self, path):
        try:
            import peers
        except ImportError as missing:
            raise Refused(f"scikit-learn is left out: {missing}; script/install_python installs it") from None
        self.peers, self.path = peers, path
        self.all = json.loads(path.read_text()) if path.exists() else {}
        self.known = self.all.setdefault(peers.VERSION, {})

    def measure(self, data_set, pairs):
        if data_set.name not in self.known:
            print(f"{data_set.name}: scikit-learn …", file=sys.stderr, flush=True)
            self.known[data_set.name] = self.peers.measure(data_set, pairs)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(self.all, indent=1) + "\n")
        return {name: Result(*found) if found else None for name, found in self.known[data_set.name].items()}


class Line:
    """A set, and what was measured on it; without our result, rows and classes are 0."""

    def __init__(self, data_set, ours, rows, classes, theirs):
        self.name, self.ours, self.rows, self.classes, self.theirs = data_set.name, ours, rows, classes, theirs
        self.how = "in folds" if data_set.in_folds else "test rows"

    def best(self, leave_out=OF_COUNTS):
        """The least of both figures; None without scikit-learn."""
        fitted = [found for name, found in self.theirs.items() if found and name not in leave_out]
        return Result(*map(min, zip(*fitted))) if fitted else None

    def ratios(self, leave_out=OF_COUNTS):
        """None without both sides."""
        best = self.best(leave_out)
        if not (self.ours and best):
            return None
        errors, least = (found.error_rate * self.rows + 0.5 for found in (self.ours, best))
        return Result(errors / least, self.ours.log_loss / best.log_loss)

    def above_log_k(self, result):
        return result.log_loss > math.log(self.classes)

    def cell(self, result):
        if result is None:
            return "refused"
        mark = " ▲" if self.classes and self.above_log_k(result) else ""
        return f"{100 * result.error_rate:.2f} · {short(result.log_loss)}{mark}"

    def cells(self):
        others = "; ".join(f"{name} {self.cell(found)}" for name, found in self.theirs.items()
                           if name not in PEERS)
        best, ratios = self.best(), self.ratios()
        return [self.name, f"{self.rows or ''} {self.how}".strip(), self.cell(self.ours),
                *(self.cell(self.theirs[name]) if name in self.theirs else "" for name in PEERS), others,
                f"{100 * best.error_rate:.2f} / {short(best.log_loss)}" if best else "",
                f"{ratios.error_rate:.2f} · {short(ratios.log_loss, 2)}" if ratios else ""]


def short(number, digits=3):
    return f"{number:.{digits}f}" if number < 1000 else f"{number:.2g}"


def measure(sets, data, program, peers):
    lines = []
    for data_set in sets:
        missing = data_set.missing(data)
        if missing:
            print(f"{data_set.name}: left out, no {', '.join(missing)}", file=sys.stderr)
            continue
        print(data_set.name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            pairs = data_sets.splits(data_set, data, folder)
            ours, rows, classes = None, 0, 0
            try:
                ours, rows, classes = program.measure(data_set, pairs, folder)
            except Refused as reason:
                print(f"{data_set.name}: {reason}", file=sys.stderr)
            deals = len(pairs) // data_sets.FOLDS if data_set.in_folds else 1
            theirs = peers.measure(data_set, pairs) if peers else {}
            lines.append(Line(data_set, ours, rows // deals, classes, theirs))
    return lines


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def summary(lines):
    """What is wanted of the default, and what was reached."""
    rows = []

    def add(what, value, wanted="", reached=None):
        rows.append([what, value, wanted, "" if reached is None else "yes" if reached else "no"])

    def means(ratios):
        return Result(*(geometric_mean(column) for column in zip(*ratios.values())))

    ratios = {line.name: line.ratios() for line in lines if line.ratios()}
    if ratios:
        errors, losses = means(ratios)
        add(f"ratio of error rates to the best, geometric mean of {len(ratios)} sets", f"{errors:.3f}", "≤ 0.98",
            errors <= 0.98)
        add(f"ratio of log-losses to the best, geometric mean of {len(ratios)} sets", f"{losses:.3f}", "≤ 0.75",
            losses <= 0.75)
        with_all = means({line.name: line.ratios(leave_out=[]) for line in lines if line.ratios()})
        add(f"both, if {' and '.join(OF_COUNTS)} of word counts are among the best",
            f"{with_all.error_rate:.3f} · {with_all.log_loss:.3f}")
        worst = max(ratios, key=lambda name: ratios[name].error_rate)
        add("worst ratio of error rates", f"{ratios[worst].error_rate:.2f} ({worst})", "≤ 1.1",
            ratios[worst].error_rate <= 1.1)
        worst = max(ratios, key=lambda name: ratios[name].log_loss)
        add("worst ratio of log-losses", f"{short(ratios[worst].log_loss, 2)} ({worst})")
    fitted = [line for line in lines if line.ours]
    above = [line.name for line in fitted if line.above_log_k(line.ours)]
    add("log-loss above log K", f"{len(above)} of {len(fitted)} sets", "0", not above)
    refused = [line.name for line in lines if not line.ours]
    add("refused", ", ".join(refused) or "none", "none", not refused)
    for line in fitted:
        if line.name == data_sets.MNIST.name:
            add("MNIST, error rate in %", f"{100 * line.ours.error_rate:.2f}", "≤ 3.5",
                line.ours.error_rate <= 0.035)
    return ["on these sets", "measured", "wanted", "reached"], rows


def times(program, data, repeats):
    """Whole processes by turns, the smallest time of each."""
    cases = []
    try:
        csv, _ = make_tables(1_000_000)
        cases.append(("CSV, 1e6 × 20, 10 classes", [csv, "--label", "label"], PLAIN, "≤ 1.5 ×"))
    except subprocess.CalledProcessError as failed:
        print(f"CSV of 1e6 rows: left out, NumPy or pyarrow is missing ({failed})", file=sys.stderr)
    for data_set, plain, wanted in ((data_sets.MNIST, PLAIN_IMAGES, "≤ 3 s more"),
                                    (data_sets.IRIS, PLAIN, "≤ 0.1 s more")):
        missing = data_set.missing(data)
        if missing:
            print(f"{data_set.name}: left out, no {', '.join(missing)}", file=sys.stderr)
            continue
        path = data / data_set.files[0]
        cases.append((data_set.name, [path, *labels_flag(path), *data_set.flags()], plain, wanted))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for what, words, plain, wanted in cases:
            fit = [program.path, "fit", *words, "--quiet", "-o", pathlib.Path(name, "m.suffice")]
            ours, theirs = Job([*fit, *program.flags]), Job([*fit, *plain])
            for _ in range(repeats):
                ours.take_turn()
                theirs.take_turn()
            ratio, more = ours.seconds / theirs.seconds, ours.seconds - theirs.seconds
            limit = float(wanted.split()[1])
            rows.append([what, " ".join(plain), f"{theirs.seconds:.3f}", f"{ours.seconds:.3f}", megabytes(ours),
                         f"{ratio:.2f}", f"{more:+.3f}", wanted,
                         "yes" if (ratio if "×" in wanted else more) <= limit else "no"])
    return ["rows", "beside", "its s", "fit s", "peak MB", "ratio", "s more", "wanted", "reached"], rows


def aligned(header, rows):
    table = [header, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=[""], metavar="NAME", help="a part of a name will do")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "suffice")
    parser.add_argument("--flags", default="", help='further flags for fit, for example "--covariance full"')
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build" / "defaults-peers.json",
                        help="the file that keeps scikit-learn's results")
    parser.add_argument("--skip-sklearn", action="store_true", help="our side alone")
    parser.add_argument("--markdown", action="store_true", help="tables for a page")
    parser.add_argument("--times", action="store_true", help="seconds instead of errors")
    parser.add_argument("--repeats", type=int, default=5, help="turns for --times")
    arguments = parser.parse_args()
    if not arguments.program.exists():
        sys.exit(f"{arguments.program}: there is no such program; script/build makes it")
    program = Program(arguments.program.absolute(), shlex.split(arguments.flags))
    layout = markdown if arguments.markdown else aligned

    if arguments.times:
        print(f"load average at the start: {os.getloadavg()[0]:.1f} (nothing else should run)\n")
        print("\n".join(layout(*times(program, arguments.data, arguments.repeats))))
        return
    sets = [found for found in SETS if any(part.lower() in found.name.lower() for part in arguments.sets)]
    peers = None
    if not arguments.skip_sklearn:
        try:
            peers = Peers(arguments.cache)
        except Refused as reason:
            print(reason, file=sys.stderr)
    lines = measure(sets, arguments.data, program, peers)
    if not lines:
        sys.exit(f"no such data sets in {arguments.data}")
    header = ["set", "rows", " ".join(["fit", *program.flags]), *PEERS, "other naive Bayes", "best", "ratios"]
    print("\n".join([*layout(header, [line.cells() for line in lines]), "", *layout(*summary(lines))]))


if __name__ == "__main__":
    main()
