#!/usr/bin/env python3
"""Draws bisector.svg, bisector_prior.svg and bisector_tied.svg: the boundary of two classes that share
a spherical covariance, the same under another prior, and that of a covariance that is not spherical.

  docs/pictures/bisector.py [--program build/suffice]

Makes the rows, fits the models and draws them. Needs nothing but Python.
"""
import argparse
import pathlib
import random
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def rows():
    chance = random.Random(6)
    yield "u,v,kind"
    for i in range(160):
        x, y = chance.gauss(0, 1), chance.gauss(0, 1)
        u, v = x, 0.85 * x + 0.55 * y
        yield f"{u + (3 if i % 2 else 0):.3f},{v + (1 if i % 2 else 0):.3f},{'ab'[i % 2]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build" / "suffice", type=pathlib.Path)
    program = str(parser.parse_args().program.absolute())
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "rows.csv").write_text("\n".join(rows()) + "\n")
        for name, covariance, prior in (("bisector", "tied-spherical", "uniform"),
                                        ("bisector_prior", "tied-spherical", "a=0.95,b=0.05"),
                                        ("bisector_tied", "tied", "uniform")):
            subprocess.run([program, "fit", "rows.csv", "--label", "kind", "--covariance", covariance, "--shrinkage",
                            "0", "--quiet"], cwd=folder, check=True)
            subprocess.run([program, "plot", "model.suffice", "rows.csv", "--what", "regions", "--prior", prior, "-o",
                            str(HERE / f"{name}.svg")], cwd=folder, check=True)


if __name__ == "__main__":
    main()
