"""predict --output set and evaluate --coverage: thresholds against quantiles that NumPy takes of
posteriors, coverage on rows that no model has seen, and what is refused."""
import csv

import numpy as np
import pytest

from program import good, good_json, refused, rows_of, run


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "kind"])
        writer.writerows(rows)
    return path


def overlapping(n, seed, names=("a", "b", "c"), shares=(0.5, 0.3, 0.2)):
    random = np.random.default_rng(seed)
    kind = random.choice(3, n, p=shares)
    x = random.normal(size=(n, 2)) + np.array([[0, 0], [2, 0], [0, 2]])[kind]
    return [(*map(repr, map(float, row)), names[k]) for row, k in zip(x, kind)]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    model = folder / "m.suffice"
    train = write(folder / "train.csv", overlapping(2000, 1))
    good("fit", train, "--label", "kind", "-o", model, "--quiet")
    return folder, model, write(folder / "test.csv", overlapping(4000, 2))


def posteriors(model, table, *flags):
    rows = rows_of(good("predict", model, table, "--output", "proba,set", "--digits", "full",
                        "-o", "-", "--quiet", *flags))
    labels = [name.removeprefix("proba:") for name in rows[0] if name.startswith("proba:")]
    return np.array([[float(r[f"proba:{c}"]) for c in labels] for r in rows]), labels, rows


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_coverage_and_size(tables, coverage):
    _, model, test = tables
    found = good_json("evaluate", model, test, "--coverage", coverage)["sets"]
    assert abs(found["coverage"] - coverage) < 0.025  # of 2000 and 4000 rows
    p, labels, rows = posteriors(model, test, "--coverage", coverage)
    truth = [row[2] for row in overlapping(4000, 2)]
    inside = [t in row["set"].split("|") for t, row in zip(truth, rows)]
    sizes = [len(row["set"].split("|")) for row in rows]
    assert np.mean(inside) == pytest.approx(found["coverage"], abs=1e-12)
    assert np.mean(sizes) == pytest.approx(found["mean_size"], abs=1e-12)
    # One threshold: a class is in the set where its posterior reaches it.
    members = np.array([[c in row["set"].split("|") for c in labels] for row in rows])
    assert p[members].min() > p[~members].max() or (members.sum(1) == 1).any()
    best = members.sum(1) > 1
    assert p[best][members[best]].min() > p[best][~members[best]].max()


def test_thresholds_of_a_calibration_are_quantiles_of_its_rows(tables):
    folder, model, _ = tables
    own = write(folder / "own.csv", overlapping(999, 3))
    calibrated = folder / "c.suffice"
    good("calibrate", model, own, "-o", calibrated, "--quiet")
    p, labels, _ = posteriors(calibrated, own, "--coverage", "0.9", "--allow-empty")
    truth = np.array([labels.index(row[2]) for row in overlapping(999, 3)])
    of_own = np.sort(p[np.arange(999), truth])
    stored = np.array(good_json("show", calibrated)["calibration"]["thresholds"])
    levels = [*(k / 100 for k in range(50, 100)), 0.995, 0.999]
    assert stored.shape == (4, len(levels))
    for j, level in enumerate(levels):
        k = int(np.floor(1000 * (1 - level) + 1e-9))
        assert stored[0, j] == pytest.approx(of_own[k - 1] if k else 0, abs=1e-12), level
    for c in range(3):
        own_c = np.sort(p[truth == c, c])
        k = int(np.floor((len(own_c) + 1) * 0.1 + 1e-9))
        assert stored[c + 1, levels.index(0.9)] == pytest.approx(own_c[k - 1], abs=1e-12)


def test_sets_per_class_hold_under_other_shares(tables):
    folder, model, _ = tables
    other = write(folder / "other.csv", overlapping(6000, 4, shares=(0.1, 0.2, 0.7)))
    found = good_json("evaluate", model, other, "--coverage", "0.9", "--per-class",
                      "--prior", "uniform")["sets"]
    assert found["per_class"] and len(found["class_coverage"]) == 3
    assert all(abs(share - 0.9) < 0.05 for share in found["class_coverage"])


def test_empty_sets_and_names_with_bars(tables):
    folder, _, _ = tables
    names = ("a|b", "c", "d")
    train = write(folder / "bars.csv", overlapping(600, 5, names))
    model = folder / "bars.suffice"
    good("fit", train, "--label", "kind", "-o", model, "--quiet")
    _, _, rows = posteriors(model, train, "--coverage", "0.5")
    assert all(row["set"] for row in rows)
    assert {part for row in rows for part in row["set"].replace("\\|", "/").split("|")} == {
        "a/b", "c", "d"}
    _, _, rows = posteriors(model, train, "--coverage", "0.5", "--allow-empty")
    assert any(row["set"] == "" for row in rows)


def test_what_cannot_be(tables):
    folder, model, test = tables
    named = folder / "named.suffice"
    good("fit", folder / "train.csv", "--label", "kind", "--covariance", "full", "-o", named,
         "--quiet")
    refused(run("predict", named, test, "--output", "set"), 1, "held out", "calibrate")
    for share in ("0", "1", "-1", "nan"):
        refused(run("predict", model, test, "--output", "set", "--coverage", share), 2, share)
    refused(run("predict", model, test, "--coverage", "0.9"), 2, "--output set")
    refused(run("evaluate", model, test, "--per-class"), 2, "--coverage")
    refused(run("predict", model, test, "--output", "set", "--prior", "uniform"), 2, "--per-class")
