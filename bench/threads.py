#!/usr/bin/env python3
"""The command line on 1, 2, … all CPUs: whole processes, files in the page cache.

Tables are made once, in build/bench-data, and each work is done with every number of threads by
turns; the smallest wall time counts. NumPy is all that is needed, so it also runs on a machine that
has nothing but the program.

  script/bench --threads [--quick] [--repeats N] [--counts 1,4,16] [--write]
"""

import argparse
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def make_table(path, rows, features, classes):
    """Rows with a random mean per class, written block by block; labels beside them."""
    import numpy as np

    random = np.random.default_rng(1)
    means = random.normal(size=(classes, features)) * 0.7
    labels = path.with_suffix(".labels.npy")
    if labels.exists():
        return path, labels
    y = random.integers(0, classes, rows)
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f8", "fortran_order": False, "shape": (rows, features)})
        for first in range(0, rows, 65536):
            block = y[first:first + 65536]
            (means[block] + random.normal(size=(len(block), features))).tofile(file)
    np.save(labels, y)
    return path, labels


def make_csv(path, npy, labels, rows):
    """The first rows as text with 17 digits."""
    import numpy as np

    if path.exists():
        return path
    x, y = np.load(npy, mmap_mode="r")[:rows], np.load(labels)[:rows]
    part = path.with_suffix(".part")
    with open(part, "w") as file:
        file.write(",".join([f"x{j}" for j in range(x.shape[1])] + ["label"]) + "\n")
        for first in range(0, rows, 20000):
            for values, label in zip(x[first:first + 20000].tolist(), y[first:first + 20000].tolist()):
                file.write(",".join(map(repr, values)) + f",{label}\n")
    part.rename(path)
    return path


def works(program, folder, quick):
    """name → command; a fit stands before the evaluation of its model."""
    scale = 100 if quick else 1
    result = {}

    def add(name, table, labels, covariance, predict=False):
        model = folder / f"{table.stem}-{covariance}.suffice"
        source = [table, "--labels", labels] if labels else [table, "--label", "label"]
        result[f"fit {covariance}, {name}"] = [
            *program, "fit", *source, "--covariance", covariance, "--shrinkage", "0.01", "--quiet", "-o", model]
        result[f"evaluate {covariance}, {name}"] = [*program, "evaluate", model, table,
                                                   *(["--labels", labels] if labels else []), "--json"]
        if predict:
            result[f"predict {covariance}, {name}"] = [*program, "predict", model, table]
            result[f"predict {covariance} --output proba, {name}"] = [
                *program, "predict", model, table, "--output", "proba"]

    long = make_table(folder / f"long-{scale}.npy", 8_000_000 // scale, 20, 10)
    many = make_table(folder / f"many-{scale}.npy", 1_000_000 // scale, 50, 100)
    wide = make_table(folder / f"wide-{scale}.npy", 200_000 // scale, 784, 10)
    csv = make_csv(folder / f"long-{scale}.csv", *long, 2_000_000 // scale)
    for covariance in ("diag", "full"):
        add("8e6 × 20, 10 classes", *long, covariance)
    for covariance in ("diag", "full"):
        add("1e6 × 50, 100 classes", *many, covariance)
    add("CSV 2e6 × 20", csv, None, "diag", predict=True)
    add("2e5 × 784, 10 classes", *wide, "full")
    return result


def seconds(command, threads):
    begin = time.perf_counter()
    subprocess.run([*map(str, command), "--threads", str(threads)], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--counts", help="numbers of threads, separated by commas")
    parser.add_argument("--only", default="", help="works whose name has this text")
    parser.add_argument("--program", default=str(ROOT / "build/suffice"))
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "build/bench-data")
    parser.add_argument("--write", action="store_true", help="also into bench/threads.md")
    arguments = parser.parse_args()
    cpus = len(os.sched_getaffinity(0))
    counts = ([int(n) for n in arguments.counts.split(",")] if arguments.counts
              else [n for n in (1, 2, 4, 8, 16, 32, 64) if n < cpus] + [cpus])
    arguments.data.mkdir(parents=True, exist_ok=True)
    best = {}
    all_works = works(arguments.program.split(), arguments.data, arguments.quick)
    for name, command in all_works.items():
        if arguments.only not in name:
            continue
        for _ in range(arguments.repeats):
            for threads in counts:
                best[name, threads] = min(best.get((name, threads), 1e9), seconds(command, threads))
        print(name, *(f"{best[name, threads]:.3f}" for threads in counts), file=sys.stderr, flush=True)
    lines = [f"## {cpus} CPUs", "",
             f"{cpu_name()}; smallest of {arguments.repeats} turns; {datetime.date.today()}.", "",
             "| work | " + " | ".join(map(str, counts)) + " |", "| --- |" + " --- |" * len(counts)]
    for name in all_works:
        if (name, counts[0]) in best:
            lines.append(f"| {name} | " + " | ".join(f"{best[name, n]:.2f}" for n in counts) + " |")
    text = "\n".join(lines) + "\n\n"
    print(text)
    if arguments.write:
        write_section(ROOT / "bench/threads.md", lines[0], text)


def write_section(page, heading, text):
    """Replaces the section that has this heading, or adds one before the first section."""
    head, *sections = re.split(r"^(?=## )", page.read_text(), flags=re.MULTILINE)
    for i, section in enumerate(sections):
        if section.startswith(heading + "\n"):
            sections[i] = text
            break
    else:
        sections.insert(0, text)
    page.write_text(head + "".join(sections).rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
