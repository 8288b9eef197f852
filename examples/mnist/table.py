#!/usr/bin/env python3
"""The MNIST table of a lecture, from one pass over the images.

  examples/mnist/table.py FOLDER [--program build/suffice]

FOLDER has the four files of MNIST (train-images-idx3-ubyte.gz and so on, also without .gz). `suffice
stats` reads the training images once; the sixteen models are fitted from the statistics file, and each
is evaluated on the test images. The error rates are printed beside those of the lecture: S. Cumani,
Generative Gaussian models. Classes have equal priors, covariances are maximum-likelihood estimates.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROJECTIONS = {"PCA 100": ["--pca", "100"], "PCA 50": ["--pca", "50"], "PCA 9": ["--pca", "9"],
               "PCA 100, LDA 9": ["--pca", "100", "--lda", "9"]}

# Error rates in per cent, in the order of PROJECTIONS.
LECTURE = {"tied-diag": (13.7, 14.4, 25.0, 12.3), "tied": (12.3, 12.6, 23.7, 12.3),
           "diag": (12.2, 12.3, 23.4, 11.4), "full": (4.3, 3.6, 12.2, 10.2)}


def files_of(folder):
    """The images and labels to train with and those to test with."""
    def file(name):
        for candidate in (folder / f"{name}.gz", folder / name):
            if candidate.exists():
                return candidate
        raise FileNotFoundError(f"no file {name} or {name}.gz in {folder}")
    return [(file(f"{part}-images-idx3-ubyte"), file(f"{part}-labels-idx1-ubyte"))
            for part in ("train", "t10k")]


def run(program, *words):
    done = subprocess.run([str(program), *map(str, words), "--threads", "1", "--json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def sum_up(program, images, labels, statistics):
    """The one pass over the training images."""
    subprocess.run([str(program), "stats", str(images), "--labels", str(labels), "-o", str(statistics),
                    "--quiet"], check=True)


def error_rates(program, statistics, images, labels):
    """In per cent, by covariance and projection: sixteen fits from one file, as many at a time as
    there are processors."""
    def cell(covariance, projection):
        model = statistics.with_name(f"{covariance}-{projection.replace(', ', '-').replace(' ', '')}.suffice")
        run(program, "fit", statistics, *PROJECTIONS[projection], "--covariance", covariance,
            "--shrinkage", "0", "-o", model)
        tested = run(program, "evaluate", model, images, "--labels", labels, "--prior", "uniform")
        return 100 * tested["error_rate"]

    cells = [(covariance, projection) for covariance in LECTURE for projection in PROJECTIONS]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return dict(zip(cells, pool.map(lambda names: cell(*names), cells)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "suffice")
    arguments = parser.parse_args()
    program = arguments.program.absolute()
    if not program.exists():
        sys.exit(f"no program {program}; script/build makes it, or name it with --program")
    try:
        train, test = files_of(arguments.folder)
    except FileNotFoundError as missing:
        sys.exit(str(missing))
    with tempfile.TemporaryDirectory() as folder:
        statistics = pathlib.Path(folder) / "mnist.stats"
        begin = time.monotonic()
        sum_up(program, *train, statistics)
        summed = time.monotonic()
        rates = error_rates(program, statistics, *test)
        end = time.monotonic()

    print("Error rates of the test images in %, and what the lecture has\n")
    print(f"{'':10}" + "".join(f"{projection:>18}" for projection in PROJECTIONS))
    for covariance, figures in LECTURE.items():
        cells = (f"{rates[covariance, projection]:.2f} ({figure:.1f})"
                 for projection, figure in zip(PROJECTIONS, figures))
        print(f"{covariance:10}" + "".join(f"{cell:>18}" for cell in cells))
    print(f"\n{summed - begin:.1f} s for the pass over the training images, "
          f"{end - summed:.1f} s for sixteen fits and evaluations")


if __name__ == "__main__":
    main()
