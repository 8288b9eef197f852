#!/usr/bin/env python3
"""Draws mixture.svg: a class that lies around another one, as a mixture of several normal densities.

  docs/pictures/mixture.py [--program build/suffice]

Makes the rows, fits the model with --components auto and draws it. Needs nothing but Python.
"""
import argparse
import math
import pathlib
import random
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def rows():
    chance = random.Random(4)
    yield "u,v,kind"
    for i in range(400):
        if i % 2:
            t = math.pi * (chance.uniform(0.15, 0.85) + (i % 4 == 3))
            yield f"{3 * math.cos(t) + chance.gauss(0, 0.35):.3f},{3 * math.sin(t) + chance.gauss(0, 0.35):.3f},around"
        else:
            yield f"{chance.gauss(0, 0.8):.3f},{chance.gauss(0, 0.8):.3f},inside"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build" / "suffice", type=pathlib.Path)
    program = str(parser.parse_args().program.absolute())
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "rows.csv").write_text("\n".join(rows()) + "\n")
        subprocess.run([program, "fit", "rows.csv", "--label", "kind", "--covariance", "full", "--components", "auto"],
                       cwd=folder, check=True)
        subprocess.run([program, "plot", "model.suffice", "rows.csv", "--what", "ellipses", "-o",
                        str(HERE / "mixture.svg")], cwd=folder, check=True)


main()
