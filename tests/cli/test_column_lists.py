"""select --family and --transform with lists: each meaning of a column is compared."""
import math
import random

import pytest

from program import good, good_json, refused, rows_of, run


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Counts of events, and prices whose logarithms are normal."""
    folder = tmp_path_factory.mktemp("meanings")
    draw = random.Random(2)
    lines = ["visits,price,y"]
    for i in range(300):
        mean = 3 if i % 2 else 6
        visits = sum(draw.random() < mean / 100 for _ in range(100))
        price = math.exp(draw.gauss(1 if i % 2 else 1.8, 1))
        lines.append(f"{visits},{price:.4f},{'ab'[i % 2]}")
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


WORDS = ("select", "t.csv", "--label", "y", "--covariance", "diag", "--shrinkage", "0")


def test_each_meaning_is_that_of_its_own_selection(table):
    found = good_json(*WORDS, "--family", "visits=gaussian|poisson", "--transform", "price=none|log|sqrt",
                      "-o", "m", folder=table)
    meanings = [candidate["columns"] for candidate in found["candidates"]]
    assert meanings == [{"visits": family, "price": transform} for family in ("gaussian", "poisson")
                        for transform in ("none", "log", "sqrt")]
    for candidate in found["candidates"]:
        columns = candidate["columns"]
        alone = good_json(*WORDS, "--family", f"visits={columns['visits']}", "--transform",
                          f"price={columns['price']}", "-o", "alone", folder=table)
        assert candidate["log_loss"] == alone["candidates"][0]["log_loss"]
        assert candidate["folds"] == alone["candidates"][0]["folds"]
    losses = [candidate["log_loss"] for candidate in found["candidates"]]
    assert found["best"] == losses.index(min(losses))
    assert found["ranking"] == sorted(range(6), key=losses.__getitem__)


def test_the_best_is_written_and_predicts(table):
    text = good(*WORDS, "--transform", "price=none|log", "--predictions", "p.csv", "-o", "m", folder=table)
    _, _, head, best, other, *_ = text.splitlines()
    assert head.split() == ["columns", "covariance", "error", "rate", "log-loss", "parameters", "time"]
    assert best.startswith("*  price=log ") and other.startswith("   price=none ")  # as they were drawn
    assert "\n* price=log, covariance diag: the best by log-loss; " in text
    good(*WORDS, "--transform", "price=log", "--predictions", "q.csv", "-o", "n", folder=table)
    assert (table / "m").read_bytes() == (table / "n").read_bytes()
    assert (table / "p.csv").read_bytes() == (table / "q.csv").read_bytes()
    assert len(rows_of((table / "p.csv").read_text(encoding="utf-8"))) == 300


def test_refused(table):
    refused(run(*WORDS, "--family", "visits=gaussian|poison", folder=table), 2, "did you mean 'poisson'")
    refused(run(*WORDS, "--transform", "price=auto|log", folder=table), 2, "auto cannot stand in a list")
    refused(run(*WORDS, "--family", "visit=gaussian|poisson", folder=table), 1, "no column 'visit'")
    many = [word for j in range(7) for word in ("--transform", f"x{j}=none|log")]
    refused(run(*WORDS, *many, folder=table), 2, "more than 64 combinations")
    refused(run("fit", "t.csv", "--label", "y", "--family", "visits=gaussian|poisson", folder=table), 2,
            "gaussian|poisson")
