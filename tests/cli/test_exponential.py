"""Waiting times through the whole program: every answer is worked out by hand, from
λ = (rows + α) / (sum + α · mean of all rows)."""
import math

import pytest

from program import good, good_json, refused, rows_of, run

ROWS = [(1, "a"), (3, "a"), (8, "b"), (4, "b"), (6, "b")]  # sums 4 and 18, the mean of all 4.4
RATES = [[3 / (4 + 4.4)], [4 / (18 + 4.4)]]


@pytest.fixture
def waits(tmp_path):
    path = tmp_path / "waits.csv"
    path.write_text("wait,kind\n" + "".join(f"{x},{label}\n" for x, label in ROWS))
    return path


@pytest.fixture
def model(waits, tmp_path):
    path = tmp_path / "model.suffice"
    good("fit", waits, "--label", "kind", "--family", "wait=exponential", "--smoothing", "1", "-o", path)
    return path


def log_density(x, rate):
    return math.log(rate) - rate * x


def near(found, expected):
    assert found == pytest.approx(expected, rel=1e-12)


def test_show(waits, model, tmp_path):
    block = good_json("show", model)["blocks"][0]
    assert (block["family"], block["features"]) == ("exponential", ["wait"])
    near(block["rate"][0], RATES[0])
    near(block["rate"][1], RATES[1])
    assert "exponential, 1 feature: rate" in good("show", model)
    sums = tmp_path / "waits.stats"
    good("stats", waits, "--label", "kind", "--family", "wait=exponential", "-o", sums)
    block = good_json("show", sums)["blocks"][0]
    assert (block["sum"], block["weight"]) == ([[4], [18]], [[2], [3]])
    assert "sum of the waiting times" in good("show", sums)
    assert good_json("show", "--discriminant", model)["linear"][0]["w"] == pytest.approx(
        [-RATES[0][0]], rel=1e-12)
    a, b = RATES[0][0], RATES[1][0]
    near(good_json("show", model)["separation"], [(a - b) ** 2 / (a * b)])


def test_scores(waits, model):
    found = rows_of(good("predict", model, waits, "--output", "loglik,outlier", "--digits", "full"))
    for (x, _), row in zip(ROWS, found):
        near(float(row["loglik:a"]), log_density(x, RATES[0][0]))
        near(float(row["loglik:b"]), log_density(x, RATES[1][0]))
        # Under the training frequencies every density falls: the tail from x on.
        tail = sum(share * math.exp(-rate[0] * x) for share, rate in zip((0.4, 0.6), RATES))
        assert float(row["outlier"]) == pytest.approx(tail, abs=5 * math.sqrt(tail / 20000))


def test_bayes_is_lomax(waits, tmp_path):
    path = tmp_path / "bayes.suffice"
    good("fit", waits, "--label", "kind", "--family", "wait=exponential", "--smoothing", "1", "--estimate", "bayes",
         "-o", path)
    block = good_json("show", path)["blocks"][0]
    assert block["shape"] == [[3], [4]]
    for (x, _), row in zip(ROWS, rows_of(good("predict", path, waits, "--output", "loglik"))):
        near(float(row["loglik:a"]), math.log(3 / 8.4) - 4 * math.log1p(x / 8.4))


def test_leave_one_out_in_select(waits, tmp_path):
    chosen = good_json("select", waits, "--label", "kind", "--family", "wait=exponential",
                       "--folds", "loo", "--smoothing", "0.5,2", "--calibration", "none",
                       folder=tmp_path)
    for candidate, alpha in zip(chosen["candidates"], (0.5, 2)):
        loss = 0
        for left, (x, truth) in enumerate(ROWS):
            rest = ROWS[:left] + ROWS[left + 1:]
            mean = sum(y for y, _ in rest) / 4
            joint = {}
            for label in "ab":
                own = [y for y, other in rest if other == label]
                rate = (len(own) + alpha) / (sum(own) + alpha * mean)
                joint[label] = len(own) / 4 * math.exp(log_density(x, rate))
            loss -= math.log(joint[truth] / sum(joint.values())) / len(ROWS)
        near(candidate["log_loss"], loss)


def test_samples(model):
    rows = rows_of(good("sample", model, "-n", "20000", "--seed", "1", "--prior", "a=1,b=0"))
    values = [float(row["wait"]) for row in rows]
    mean = 1 / RATES[0][0]
    assert sum(values) / len(values) == pytest.approx(mean, abs=5 * mean / math.sqrt(len(values)))


def test_refusals(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("wait,kind\n1,a\n-2,b\n")
    refused(run("fit", path, "--label", "kind", "--family", "wait=exponential", "-o",
                tmp_path / "m"), 1, "exponential waiting times are finite numbers from 0 on")
    path.write_text("wait,kind\n0,a\n2,b\n")
    refused(run("fit", path, "--label", "kind", "--family", "wait=exponential", "--smoothing", "0",
                "-o", tmp_path / "m"), 1, "'wait'", "'a'", "a rate is positive and finite")
