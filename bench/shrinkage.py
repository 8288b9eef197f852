#!/usr/bin/env python3
"""What shrinkage does on real data: full and tied covariances with and without `--shrinkage auto`.

Every set of the data folder that has numbers is fitted by the command line with each of MODELS. Sets
with test rows of their own are measured on those; the others by cross-validation in 5 folds, the same
for all models, averaged over several seeds. A model that cannot be estimated is counted as refused.
`--shrinkage loo` is no candidate of `select`, so it is measured on test rows only. Ratios are to plain
maximum likelihood, over the sets that it can fit, as geometric means.

  bench/shrinkage.py [--program build/suffice] [--data ../shared/data] [--seeds 10] [--write]

prints the table; --write puts it into docs/selection.md. Needs nothing but Python.
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import data_sets
from data_sets import DATA, ROOT, labels_flag

PAGE = ROOT / "docs" / "selection.md"
MARKS = "<!-- the table of bench/shrinkage.py -->\n", "<!-- its end -->\n"

PLAIN = ("full", "0", "plugin")
MODELS = {"full, 0": PLAIN,
          "full, auto": ("full", "auto", "plugin"),
          "full, auto, bayes": ("full", "auto", "bayes"),
          "full, loo": ("full", "loo", "plugin"),
          "tied, 0": ("tied", "0", "plugin"),
          "tied, auto": ("tied", "auto", "plugin")}

SETS = [data_sets.IRIS, data_sets.PENGUINS, data_sets.PENGUIN_BILLS, data_sets.WINE, data_sets.BREAST_CANCER,
        data_sets.TITANIC, data_sets.SPAMBASE, data_sets.SPAMBASE_ESL, data_sets.SMS_50, data_sets.LETTER,
        data_sets.ADULT, data_sets.ADULT_NUMBERS, data_sets.OPTICAL_DIGITS, data_sets.MNIST]
MANY_ROWS = 10000  # from here on one seed says enough

Result = collections.namedtuple("Result", "error_rate log_loss")


class Program:
    def __init__(self, path):
        self.path = path

    def json(self, *words):
        """What --json prints, or None where the program refuses."""
        done = subprocess.run([self.path, *map(str, words), "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
        return json.loads(done.stdout) if done.returncode == 0 else None


def options_of(model):
    return [word for pair in zip(("--covariance", "--shrinkage", "--estimate"), model) for word in pair]


def by_folds(program, file, flags, seeds, folder):
    """Means over the seeds; None for a model that some fold refuses."""
    results = {name: [] for name in MODELS}
    for seed in range(seeds):
        chosen = program.json("select", file, *flags, "--covariance", "full,tied", "--shrinkage", "0,auto",
                              "--estimate", "plugin,bayes", "--calibration", "none", "--seed", seed, "-o", folder / "best.suffice")
        found = {(c["options"]["covariance"], str(c["options"]["shrinkage"]), c["options"]["estimate"]): c
                 for c in chosen["candidates"]}
        for name, model in MODELS.items():
            results[name].append(found.get(model))
        if chosen["rows"] >= MANY_ROWS:
            break
    mean = lambda runs, key: sum(run[key] for run in runs) / len(runs)
    return chosen["rows"], {
        name: None if any("error" in run for run in runs)
        else Result(mean(runs, "error_rate"), mean(runs, "log_loss"))
        for name, runs in results.items() if all(runs)}


def by_test_rows(program, train, test, flags, folder):
    """As measured on the rows of `test`. One pass over `train` serves all models but loo's."""
    program.json("stats", train, *labels_flag(train), *flags, "-o", folder / "train.stats")
    rows, results = 0, {}
    for name, model in MODELS.items():
        rows_needed = [train, *labels_flag(train), *flags] if "loo" in model else [folder / "train.stats"]
        fitted = program.json("fit", *rows_needed, *options_of(model), "-o", folder / "m.suffice")
        measured = fitted and program.json("evaluate", folder / "m.suffice", test, *labels_flag(test))
        results[name] = measured and Result(measured["error_rate"], measured["log_loss"])
        rows = measured["rows"] if measured else rows
    return rows, results


def measure(program, data, seeds):
    """Yields the name, the rows, how it was measured, and a result for each model."""
    for data_set in SETS:
        missing = data_set.missing(data)
        if missing:
            print(f"{data_set.name}: left out, no {', '.join(missing)}", file=sys.stderr)
            continue
        print(data_set.name, file=sys.stderr)
        with tempfile.TemporaryDirectory() as name:
            folder, flags = pathlib.Path(name), data_set.flags()
            if data_set.in_folds:
                table = data_sets.whole_table(data_set, data, folder)
                yield data_set.name, "in folds", *by_folds(program, table, flags, seeds, folder)
            else:
                (pair,) = data_sets.splits(data_set, data, folder)
                yield data_set.name, "test rows", *by_test_rows(program, *pair, flags, folder)


def ratios_in_words(name, plain, measured):
    """Geometric means over the sets that both models fit, in which half an error more on both sides
    makes a ratio of sets without errors."""
    both = [(rows, results[name], results[plain]) for *_, rows, results in measured
            if results.get(name) and results[plain]]
    mean = lambda ratios: math.exp(sum(map(math.log, ratios)) / len(ratios))
    errors = mean([(a.error_rate * rows + .5) / (b.error_rate * rows + .5) for rows, a, b in both])
    losses = mean([a.log_loss / b.log_loss for _, a, b in both])
    return f"{errors:.3f} · {losses:.3f} ({len(both)} sets)"


def table_of(measured):
    """Markdown: error rate and log-loss in a cell, and the means of their ratios."""
    lines = ["| set | rows | " + " | ".join(MODELS) + " |", "|---" * (2 + len(MODELS)) + "|"]
    for name, how, rows, results in measured:
        cell = lambda r: f"{100 * r.error_rate:.2f} % · {r.log_loss:.4g}" if r else "refused"
        cells = [cell(results[model]) if model in results else "" for model in MODELS]
        lines.append(f"| {name} | {rows:.0f} {how} | " + " | ".join(cells) + " |")
    refused = [sum(results.get(name, "") is None for *_, results in measured) for name in MODELS]
    lines.append("| **refused** | | " + " | ".join(map(str, refused)) + " |")
    plain = next(iter(MODELS))
    lines.append(f"| **ratio to `{plain}`** | | "
                 + " | ".join(ratios_in_words(name, plain, measured) for name in MODELS) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "suffice")
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    measured = list(measure(Program(arguments.program.absolute()), arguments.data, arguments.seeds))
    if not measured:
        sys.exit(f"no data sets in {arguments.data}")
    table = table_of(measured)
    print(table, end="")
    if arguments.write:
        before, _, after = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
        _, mark, after = after.partition(MARKS[1])
        assert mark, f"{PAGE} has no place for the table"
        PAGE.write_text(before + MARKS[0] + table + mark + after, encoding="utf-8")


if __name__ == "__main__":
    main()
