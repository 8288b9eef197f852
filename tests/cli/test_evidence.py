"""predict --output evidence and --reasons: against Shapley values that NumPy works out over all sets
of columns from the parameters that `show --json` prints, and against the columns of loglik and llr."""
import itertools
import json
import math

import numpy as np
import pytest

from program import good, good_json, refused, rows_of, run

PENGUINS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, data):
    """A function from flags of fit to a model of the penguins."""
    folder = tmp_path_factory.mktemp("evidence")
    models = {}

    def fit(*flags):
        if flags not in models:
            path = folder / f"{len(models)}.suffice"
            good("fit", data("penguins.csv.gz"), "--label", "species", "-o", path, "--quiet", *flags)
            models[flags] = path
        return models[flags]
    return fit


def evidence_of(model, table, *flags):
    rows = rows_of(good("predict", model, table, "--digits", "full", "-o", "-", "--quiet",
                        "--output", "loglik,llr,evidence", *flags))
    names = [name for name in rows[0] if name.startswith("evidence:")]
    return rows, names


def log_normal(x, mean, covariance):
    apart = x - mean
    return -0.5 * (len(x) * math.log(2 * math.pi) + np.linalg.slogdet(covariance)[1]
                   + apart @ np.linalg.solve(covariance, apart)) if len(x) else 0.0


def shapley(x, worth):
    """Over the numbers of x that are there; 0 for the others."""
    players = [j for j in range(len(x)) if not math.isnan(x[j])]
    n, values = len(players), np.zeros(len(x))
    for j in players:
        rest = [p for p in players if p != j]
        for size in range(n):
            share = math.factorial(size) * math.factorial(n - size - 1) / math.factorial(n)
            for s in itertools.combinations(rest, size):
                values[j] += share * (worth(sorted((*s, j))) - worth(list(s)))
    return values


@pytest.mark.parametrize("structure", ["full", "tied"])
def test_it_is_the_shapley_value_of_marginals(fitted, data, structure):
    model = fitted("--covariance", structure, "--features", ",".join(PENGUINS))
    block = good_json("show", model)["blocks"][0]
    mean, covariance = np.array(block["mean"]), np.array(block["covariance"])
    if structure == "tied":
        covariance = np.array([covariance.reshape(4, 4)] * 3)
    table = rows_of(good("predict", model, data("penguins.csv.gz"), "-o", "-", "--quiet",
                         "--keep", ",".join(PENGUINS)))
    rows, names = evidence_of(model, data("penguins.csv.gz"), "--between", "Gentoo,Adelie")
    assert names == [f"evidence:{name}" for name in PENGUINS] + ["evidence:offset"]
    for i in list(range(0, len(rows), 40)) + [3]:  # the fourth has nothing
        x = np.array([float(table[i][name] or "nan") for name in PENGUINS])
        expected = shapley(x, lambda s: log_normal(x[s], mean[2][s], covariance[2][np.ix_(s, s)])
                           - log_normal(x[s], mean[0][s], covariance[0][np.ix_(s, s)]))
        got = [float(rows[i][f"evidence:{name}"]) for name in PENGUINS]
        assert got == pytest.approx(list(expected), rel=1e-9, abs=1e-9)
        assert float(rows[i]["evidence:offset"]) == 0


MODELS = [("--covariance", "full"), ("--covariance", "diag"), ("--covariance", "tied", "--tails", "4"),
          ("--covariance", "full", "--categories", "within"),
          ("--covariance", "full", "--components", "2"), (), ("--covariance", "tied", "--discriminative"),
          ("--covariance", "full", "--family", "*=categorical")]


@pytest.mark.parametrize("flags", MODELS, ids=" ".join)
def test_columns_add_up_to_the_ratio(fitted, data, flags, tmp_path):
    model = fitted(*flags)
    calibrated = tmp_path / "calibrated.suffice"
    good("calibrate", model, data("penguins.csv.gz"), "-o", calibrated, "--quiet")
    for of in (model, calibrated):
        out = ["--output", "llr,evidence", "--digits", "full", "-o", "-", "--quiet"]
        rows = rows_of(good("predict", of, data("penguins.csv.gz"), "--for", "Chinstrap", *out))
        for row in rows:
            values = [float(v) for name, v in row.items() if name.startswith("evidence:")]
            total = float(row["llr:Chinstrap"])
            if math.isinf(total):
                assert total in values
                continue
            assert sum(values) == pytest.approx(total, abs=1e-11 * max(map(abs, [*values, 100])))
            assert row["against"] == "others"


def test_a_missing_value_has_no_evidence(fitted, data, tmp_path):
    table = tmp_path / "one.csv"
    table.write_text("species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,"
                     "year\n,Biscoe,,17,210,4500,,2008\n,,,,,,,\n")
    for flags in MODELS:
        rows = rows_of(good("predict", fitted(*flags), table, "--output", "evidence", "--between",
                            "Adelie,Gentoo", "--digits", "full", "-o", "-", "--quiet"))
        assert float(rows[0]["evidence:bill_length_mm"]) == 0
        assert float(rows[0]["evidence:sex"]) == 0
        assert all(float(value) == 0 for name, value in rows[1].items()
                   if name.startswith("evidence:") and name != "evidence:offset")


def test_by_default_it_is_the_decision_against_the_runner_up(fitted, data):
    model = fitted("--covariance", "full", "--features", ",".join(PENGUINS))
    rows = rows_of(good("predict", model, data("penguins.csv.gz"), "-o", "-", "--quiet", "--digits",
                        "full", "--output", "proba,loglik,evidence"))
    for row in rows:
        order = sorted(("Adelie", "Chinstrap", "Gentoo"), key=lambda c: -float(row[f"proba:{c}"]))
        assert row["label"] == order[0] and row["against"] == order[1]
        total = sum(float(v) for name, v in row.items() if name.startswith("evidence:"))
        ratio = float(row[f"loglik:{order[0]}"]) - float(row[f"loglik:{order[1]}"])
        assert total == pytest.approx(ratio, abs=1e-10)


def test_units_and_reasons(fitted, data):
    model = fitted("--covariance", "diag")
    sizes = {}
    for unit in ("nats", "bits", "db"):
        rows = rows_of(good("predict", model, data("penguins.csv.gz"), "-o", "-", "--quiet",
                            "--output", "evidence", "--digits", "full", "--unit", unit))
        sizes[unit] = float(rows[0]["evidence:bill_length_mm"])
    assert sizes["bits"] == pytest.approx(sizes["nats"] / math.log(2))
    assert sizes["db"] == pytest.approx(10 * sizes["nats"] / math.log(10))
    rows = rows_of(good("predict", model, data("penguins.csv.gz"), "-o", "-", "--quiet",
                        "--output", "evidence", "--reasons", "2", "--keep", "bill_length_mm,island"))
    for row in rows[:3]:
        values = {name[9:]: float(v) for name, v in row.items()
                  if name.startswith("evidence:") and name != "evidence:offset"}
        most = sorted(values, key=lambda name: -abs(values[name]))[:2]
        parts = row["reasons"].split(", ")
        assert [part.split("=")[0] for part in parts] == most
        for part, name in zip(parts, most):
            if name in ("bill_length_mm", "island"):
                assert part.split("=")[1].split(" ")[0] == row[name]
            assert float(part.split("(")[1].rstrip(")")) == pytest.approx(values[name], rel=0.06)


def test_json_has_numbers(fitted, data):
    model = fitted("--covariance", "diag")
    answers = json.loads(good("predict", model, data("penguins.csv.gz"), "-o", "-", "--json",
                              "--output", "evidence"))
    assert isinstance(answers["rows"][0][answers["columns"].index("evidence:island")], float)


@pytest.mark.parametrize("words, code, needles", [
    (["--between", "Adelie,Gentoo"], 2, ["--between", "--output evidence"]),
    (["--output", "evidence", "--between", "Adelie"], 2, ["two classes"]),
    (["--output", "evidence", "--between", "Adelie,Gentoo", "--for", "Adelie"], 2, ["--for"]),
    (["--output", "evidence", "--unit", "dits"], 2, ["nats"]),
    (["--output", "evidence", "--for", "Emperor"], 1, ["Emperor", "Adelie"]),
    (["--output", "evidence", "--between", "Adelie,Adelie"], 1, ["itself"]),
])
def test_what_cannot_be_compared(fitted, data, words, code, needles):
    refused(run("predict", fitted("--covariance", "diag"), data("penguins.csv.gz"), "-o", "-", *words),
            code, *needles)


def test_a_model_of_one_class(data, tmp_path):
    model = tmp_path / "one.suffice"
    good("fit", data("iris.csv.gz"), "--no-label", "--ignore", "species", "-o", model, "--quiet")
    refused(run("predict", model, data("iris.csv.gz"), "-o", "-", "--output", "evidence"), 1,
            "only one")
