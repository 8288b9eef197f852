"""select over families and transformations: each is its own selection, and the command line agrees."""
from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import suffice


@pytest.fixture(scope="module")
def table():
    draw = np.random.default_rng(4)
    y = np.arange(300) % 2
    return pd.DataFrame({
        "visits": draw.poisson(np.where(y, 3, 6)),
        "price": np.exp(draw.normal(1 + 0.8 * y, 1)).round(4),
        "y": np.array(["a", "b"])[y],
    })


OPTIONS = {"covariance": "diag", "shrinkage": [0, "auto"]}


def test_candidates_are_those_of_each_meaning(table, command_line, tmp_path):
    found = suffice.select(table, "y", family={"visits": ["gaussian", "poisson"]},
                           transforms={"price": ["none", "log"]}, predictions=True, **OPTIONS)
    assert len(found.candidates) == 8
    for family in ("gaussian", "poisson"):
        for transform in ("none", "log"):
            alone = suffice.select(table, "y", family={"visits": family}, transforms={"price": transform},
                                   **OPTIONS)
            same = [c for c in found.candidates if c["columns"] == {"visits": family, "price": transform}]
            assert [c["log_loss"] for c in same] == [c["log_loss"] for c in alone.candidates]
    losses = [c["log_loss"] for c in found.candidates]
    assert found.best == int(np.argmin(losses)) and found.ranking[0] == found.best
    columns = found.candidates[found.best]["columns"]
    assert found.model.schema.families["visits"] == columns["visits"]
    assert "price=log" in repr(found)
    truth = found.predictions["proba"][np.arange(len(table)), (table.y == "b").to_numpy().astype(int)]
    assert -np.log(truth).mean() == pytest.approx(min(losses))

    table.to_csv(tmp_path / "t.csv", index=False)
    by_line = command_line.good_json(
        "select", tmp_path / "t.csv", "--label", "y", "--family", "visits=gaussian|poisson", "--transform",
        "price=none|log", "--covariance", "diag", "--shrinkage", "0,auto", "-o", tmp_path / "m.suffice")
    assert [c["columns"] for c in by_line["candidates"]] == [c["columns"] for c in found.candidates]
    assert [c["log_loss"] for c in by_line["candidates"]] == pytest.approx(losses, rel=1e-9)
    assert by_line["ranking"] == found.ranking


def test_the_simplest_within_one_standard_error(table):
    found = suffice.select(table, "y", transforms={"price": ["none", "log"]}, one_se=True,
                           covariance=["full", "tied-diag"], shrinkage=0)
    best = found.candidates[found.best]
    first = found.candidates[found.ranking[0]]
    assert best["log_loss"] <= first["log_loss"] + first["log_loss_se"]
    assert best["parameters"] == min(
        c["parameters"] for c in found.candidates if c["log_loss"] <= first["log_loss"] + first["log_loss_se"])
