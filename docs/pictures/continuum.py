#!/usr/bin/env python3
"""Draws continuum.svg: the covariances of three iris species for shares of --towards-tied and --shrinkage.

  docs/pictures/continuum.py [--program build/suffice]

`suffice fit` makes the models and `suffice show --json` tells their means and covariances. Each ellipse
holds 90 % of its normal distribution. Needs nothing but Python.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT / "examples" / "data" / "iris.csv"
FEATURES = "sepal_length", "petal_length"
SHARES = 0, 0.5, 1
COLOURS = {"setosa": "#0072b2", "versicolor": "#d55e00", "virginica": "#009e73"}
DISTANCE = math.sqrt(-2 * math.log(1 - 0.9))  # of the ellipse in standard deviations

SIDE, GAP, LEFT, TOP = 200, 10, 70, 44  # of a panel and around them, in pixels
ORIGIN, UNITS = (2.6, 0.4), 7.0         # centimetres at a panel's lower left corner, and across it


def densities(program, towards_tied, shrinkage):
    """Pairs of a label and its (mean, covariance)."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.suffice"
        subprocess.run([program, "fit", DATA, "--label", "species", "--features", ",".join(FEATURES),
                        "--covariance", "full", "--target", "diag", "--shrinkage", str(shrinkage),
                        "--towards-tied", str(towards_tied), "-o", model, "--quiet"], check=True)
        shown = json.loads(subprocess.run([program, "show", model, "--json"], check=True,
                                          capture_output=True).stdout)
    block = shown["blocks"][0]
    return list(zip(shown["labels"], zip(block["mean"], block["covariance"])))


def ellipse(mean, covariance):
    """Centre, half axes and the angle of the long one, in the units of the data."""
    (a, b), (_, c) = covariance
    middle, half = (a + c) / 2, math.hypot((a - c) / 2, b)
    return (mean, DISTANCE * math.sqrt(middle + half), DISTANCE * math.sqrt(middle - half),
            math.degrees(math.atan2(2 * b, a - c)) / 2)


def at(x, y):
    """Where a row is in its panel."""
    return (x - ORIGIN[0]) * SIDE / UNITS, SIDE - (y - ORIGIN[1]) * SIDE / UNITS


def panel(left, top, classes):
    yield f'<g transform="translate({left} {top})">'
    yield f'<rect width="{SIDE}" height="{SIDE}" fill="#fff" stroke="#bbb"/><use href="#rows"/>'
    for label, density in classes:
        mean, long, short, angle = ellipse(*density)
        x, y = at(*mean)
        yield (f'<ellipse rx="{long * SIDE / UNITS:.2f}" ry="{short * SIDE / UNITS:.2f}" '
               f'fill="{COLOURS[label]}" fill-opacity=".12" stroke="{COLOURS[label]}" stroke-width="1.5" '
               f'transform="translate({x:.2f} {y:.2f}) rotate({-angle:.2f})"/>')
    yield "</g>"


def rows_in_a_panel():
    yield '<defs><g id="rows">'
    with open(DATA, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            x, y = at(*(float(row[name]) for name in FEATURES))
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.3" fill="{COLOURS[row["species"]]}" opacity=".55"/>'
    yield "</g></defs>"


def picture(program):
    width, height = LEFT + 3 * SIDE + 3 * GAP, TOP + 3 * SIDE + 3 * GAP + 30
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'font-family="sans-serif" font-size="13" fill="#333">')
    yield "<title>Class covariances from full to tied and to diagonal</title>"
    yield f'<rect width="{width}" height="{height}" fill="#fff"/>'
    yield from rows_in_a_panel()
    for i, towards_tied in enumerate(SHARES):
        x = LEFT + i * (SIDE + GAP)
        yield f'<text x="{x + SIDE / 2}" y="{TOP - 12}" text-anchor="middle">--towards-tied {towards_tied}</text>'
        for j, shrinkage in enumerate(SHARES):
            yield from panel(x, TOP + j * (SIDE + GAP), densities(program, towards_tied, shrinkage))
    for j, shrinkage in enumerate(SHARES):
        y = TOP + j * (SIDE + GAP) + SIDE / 2
        yield (f'<text transform="translate({LEFT - 14} {y}) rotate(-90)" text-anchor="middle">'
               f'--shrinkage {shrinkage}</text>')
    for i, (label, colour) in enumerate(COLOURS.items()):
        x = LEFT + i * (SIDE + GAP)
        yield f'<circle cx="{x + 6}" cy="{height - 22}" r="5" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="{height - 17}">{label}</text>'
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "suffice")
    program = parser.parse_args().program.absolute()
    (HERE / "continuum.svg").write_text("\n".join(picture(program)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
