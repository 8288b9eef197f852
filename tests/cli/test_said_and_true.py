"""What fit says of new rows must be true of new rows. On noise no column knows the class, so that nobody can do better than the
frequencies of the classes; whatever a figure is below them was learnt from the rows that it was measured on."""
import math

import numpy as np
import pytest

from program import good, good_json, rows_of

KINDS = {  # rows, columns: what they are, and the share of empty cells
    "cities": (600, {"x1": ("normal", 0), "x2": ("normal", .2), "city": (150, 0)}),
    "gaps": (300, {**{f"x{j}": ("normal", .2) for j in range(12)}, "kind": (12, .1)}),
    "tails": (300, {"x1": ("heavy", .15), "x2": ("skewed", .15), "x3": ("skewed", 0), "kind": (40, 0)}),
    "levels": (600, {"x1": ("normal", 0), "a": (150, 0), "b": (40, .3)}),
    "lone": (60, {"x1": ("normal", 0), "x2": ("normal", 0), "city": (150, 0)}),
    "weights": (300, {"x1": ("normal", 0), "a": (150, 0), "b": (40, 0)}),
    "counts": (900, {"a": (3, 0), "b": (4, 0), "c": (12, .2)}),
    "sample": (3000, {**{f"x{j}": ("normal", .2) for j in range(6)}, "city": (150, 0)}),
}


def values(random, n, kind):
    if kind == "normal":
        return [f"{x:.6f}" for x in random.normal(size=n)]
    if kind == "heavy":
        return [f"{x:.6f}" for x in random.standard_t(2, size=n)]
    if kind == "skewed":
        return [f"{x:.6f}" for x in np.exp(1.5 * random.normal(size=n))]
    return [f"L{level}" for level in random.integers(kind, size=n)]


def write(path, rows):
    path.write_text("\n".join(",".join(row) for row in rows) + "\n")
    return path


def noise(path, random, n, columns, weights=""):
    cells = []
    for kind, empty in columns.values():
        column = np.array(values(random, n, kind), dtype=object)
        column[random.random(n) < empty] = ""
        cells.append(column)
    rows = list(zip(*cells, random.choice(["yes", "no"], size=n, p=[.4, .6])))
    header = [*columns, "class"]
    if weights == "counts":  # equal rows once, with their number
        rows = [(*row, str(rows.count(row))) for row in dict.fromkeys(rows)]
    elif weights:
        rows = [(*row, f"{random.uniform(.2, 3):.3f}") for row in rows]
    return write(path, [header + ["weight"] * bool(weights), *rows])


def said_and_true(folder, train, test, *flags):
    """What fit says, and the log-losses of new rows, worked out from what predict says of each."""
    choice = good_json("fit", train, "--label", "class", "-o", folder / "m.suffice", *flags)["choice"]
    answers = rows_of(good("predict", folder / "m.suffice", test, "--output", "proba", "--digits", "17"))
    truth = [row["class"] for row in rows_of(test.read_text())]
    losses = [-math.log(max(float(row["proba:" + name]), 1e-300)) for row, name in zip(answers, truth)]
    return choice, np.array(losses)


def test_noise_is_called_noise(tmp_path):
    ratios = []
    for kind, (n, columns) in KINDS.items():
        for seed in range(2):
            random = np.random.default_rng([seed, n, len(columns)])
            weights = kind if kind in ("weights", "counts") else ""
            train = noise(tmp_path / "train.csv", random, n, columns, weights)
            test = noise(tmp_path / "test.csv", random, 5000, columns)
            choice, losses = said_and_true(tmp_path, train, test, *(["--weight", "weight"] if weights else []))
            ratios.append(choice["log_loss"] / choice["prior_log_loss"])
            # The shares of two classes are as uncertain as n rows leave them.
            error = math.hypot(losses.std(), abs(math.log(.6 / .4)) * .5) / math.sqrt(n)
            assert abs(losses.mean() - choice["log_loss"]) < 4 * error, (kind, seed, choice, losses.mean())
    assert np.mean(ratios) > .98, ratios


@pytest.mark.parametrize("seed", range(2))
def test_rare_levels_and_gaps_of_passengers(seed, tmp_path):
    """Classes that two columns know, beside a column of ages with gaps and one of cabins that most rows lack."""
    random = np.random.default_rng(seed)

    def passengers(n):
        sex, deck = random.choice(["f", "m"], size=n, p=[.35, .65]), random.integers(1, 4, size=n)
        alive = random.random(n) < 1 / (1 + np.exp(-(2.5 * (sex == "f") - deck + .5)))
        age = [f"{x:.1f}" if random.random() > .2 else "" for x in random.gamma(6, 5, size=n)]
        cabin = [f"C{random.integers(400)}" if random.random() < .4 / k else "" for k in deck]
        fare = [f"{x:.2f}" for x in np.exp(random.normal(size=n) + 4 - deck)]
        rows = zip(sex, map(str, deck), age, fare, cabin, np.where(alive, "alive", "dead"))
        return [("sex", "deck", "age", "fare", "cabin", "class"), *rows]

    train, test = write(tmp_path / "train.csv", passengers(600)), write(tmp_path / "test.csv", passengers(5000))
    choice, losses = said_and_true(tmp_path, train, test)
    assert choice["log_loss"] < .85 * choice["prior_log_loss"]
    assert abs(losses.mean() - choice["log_loss"]) < 4 * losses.std() / math.sqrt(600)
