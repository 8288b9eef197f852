"""Tables for the tests on clusters, and what they are compared with."""
from __future__ import annotations

import math
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd

import suffice

#: The digits of the standard deviation that a corrected two-pass algorithm in doubles reaches.
DIGITS = {"NumAcc4": 8.2, "NumAcc3": 9.4, "NumAcc2": 14.0}


def generated(rows: int = 3000, seed: int = 0, missing: float = 0.05) -> pd.DataFrame:
    """Numbers, strings and booleans, some missing; classes, whole weights, folds and an id."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, rows)
    table = pd.DataFrame({
        "u": rng.normal(y, 1 + y / 3),
        "v": rng.normal(1e6 - y, 1.5),
        "n": rng.poisson(2.0 + y).astype(np.int64),
        "colour": np.array(["red", "green", "blue"])[(rng.random(rows) * (1.5 + y / 2)).astype(int) % 3],
        "flag": rng.random(rows) < 0.2 + y / 8,
        "y": y,
        "w": rng.integers(0, 4, rows).astype(float),
        "fold": [f"part {k}" for k in rng.integers(0, 3, rows)],
        "id": np.arange(rows),
    })
    table.loc[rng.random(rows) < missing, "u"] = np.nan
    table["colour"] = table["colour"].astype(object).where(rng.random(rows) >= missing, None)
    return table


FEATURES = ["u", "v", "n", "colour", "flag"]


def census(data) -> pd.DataFrame:
    """The census rows; an empty cell is missing."""
    return pd.read_csv(data("census_train.csv.gz"))


def glyphs(data) -> pd.DataFrame:
    return pd.read_csv(data("glyphs.csv.gz"))


def nist(data) -> tuple[pd.DataFrame, dict[str, tuple[float, float]]]:
    """The univariate sets as classes of one table, and their certified means and deviations."""
    names, certified, frames = sorted(DIGITS) + ["Lew", "Lottery", "Mavro", "Michelso", "NumAcc1",
                                                 "PiDigits"], {}, []
    for name in names:
        text = Path(data(f"nist_strd/{name}.dat")).read_text()
        head, _, rows = text.rpartition("-----")
        values = {}
        for line in head.splitlines():
            words = line.replace("(exact)", "").split()
            if line.startswith("Sample Mean"):
                values["mean"] = float(words[-1])
            if line.startswith("Sample Standard Deviation"):
                values["deviation"] = float(words[-1])
        certified[name] = values["mean"], values["deviation"]
        frames.append(pd.DataFrame({"x": [float(word) for word in rows.split()], "set": name}))
    return pd.concat(frames, ignore_index=True), certified


def digits(got: float, certified: float) -> float:
    """Those that agree, at most 15."""
    return 15.0 if got == certified else min(15.0, -math.log10(abs(got - certified) / abs(certified)))


def assert_certified(statistics: suffice.Statistics, certified: dict[str, tuple[float, float]]) -> None:
    block = statistics.blocks[0]
    assert set(statistics.labels) == set(certified)
    for c, name in enumerate(statistics.labels):
        mean, deviation = certified[name]
        assert digits(block["mean"][c, 0], mean) >= 14, name
        got = math.sqrt(block["scatter"][c, 0, 0] / (statistics.weights[c] - 1))
        assert digits(got, deviation) >= DIGITS.get(name, 13.0), name


def assert_same_selection(found: suffice.Selection, expected: suffice.Selection) -> None:
    assert found.best_options == expected.best_options
    assert found.ranking == expected.ranking
    assert found.statistics.labels == expected.statistics.labels
    for a, b in zip(found.candidates, expected.candidates, strict=True):
        assert a["rows"] == b["rows"]
        assert a["error_rate"] == b["error_rate"]
        assert abs(a["log_loss"] - b["log_loss"]) < 1e-9 * abs(b["log_loss"])
        assert abs(a["log_loss_se"] - b["log_loss_se"]) < 1e-9
        assert [fold["name"] for fold in a["folds"]] == [fold["name"] for fold in b["folds"]]


def run_section(title: str, namespace: dict[str, object]) -> None:
    """Runs the Python code of a section of docs/scale.md."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        block = block.replace('"rows.parquet"', repr(os.path.abspath("rows.parquet")))
        exec(compile(block, f"docs/scale.md, {title}", "exec"), namespace)
