"""fit --fold-column: rows that belong together are left out together."""
import csv
import random

import pytest

from program import good, good_json, refused, run


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Rows of 24 people who differ more than the classes: knowing a person gives the class away."""
    folder = tmp_path_factory.mktemp("groups")
    draw = random.Random(5)
    rows = []
    for person in range(24):
        label = "ab"[person % 2]
        centre = [draw.gauss(0, 3) + (1 if label == "b" else 0), draw.gauss(0, 3)]
        rows += [[draw.gauss(c, 0.3) for c in centre] + [f"p{person}", person % 10 + 1, label]
                 for _ in range(15)]
    draw.shuffle(rows)
    # Folds are dealt to groups in the order in which they are met.
    met = {}
    for row in rows:
        row[3] = met.setdefault(row[2], len(met) % 10 + 1)
    with open(folder / "people.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["x", "y", "person", "fold", "class"])
        writer.writerows(rows)
    return folder


COMMON = ("people.csv", "--label", "class", "--transform", "none", "--categories", "apart")


def test_figures_are_those_of_select_over_the_same_folds(people):
    chosen = good_json("fit", *COMMON, "--ignore", "fold", "--fold-column", "person", "-o", "m",
                       folder=people)["choice"]
    assert chosen["folds"] == 10 and chosen["rows"] == 360
    by_options = {str(c["options"]): c["log_loss"] for c in chosen["candidates"]}
    assert len(by_options) > 30
    for covariance in ("tied", "tied-diag"):
        selected = good_json("select", *COMMON[:3], "--ignore", "person", "--fold-column", "fold",
                             "--covariance", covariance, "-o", "s", folder=people)
        expected = selected["candidates"][0]["log_loss"]
        assert any(loss == pytest.approx(expected, rel=1e-9) for loss in by_options.values())


def test_single_rows_look_better_than_groups(people):
    groups = good_json("fit", *COMMON, "--ignore", "fold", "--fold-column", "person", "-o", "m",
                       folder=people)["choice"]
    rows = good_json("fit", *COMMON, "--ignore", "fold,person", "-o", "m", folder=people)["choice"]
    assert min(c["log_loss"] for c in rows["candidates"]) < min(
        c["log_loss"] for c in groups["candidates"])
    text = good("fit", *COMMON, "--ignore", "fold", "--fold-column", "person", "--verbose", "-o", "m",
                folder=people)
    assert "by 10 folds of 'person'" in text


def test_a_named_covariance_is_calibrated_by_groups(people):
    good("fit", *COMMON, "--ignore", "fold", "--covariance", "tied", "--calibration", "auto",
         "--fold-column", "person", "-o", "fit.suffice", folder=people)
    good("select", *COMMON[:3], "--ignore", "person", "--fold-column", "fold", "--covariance",
         "tied", "-o", "select.suffice", folder=people)
    of_fit, of_select = (good_json("show", f"{name}.suffice", folder=people)["calibration"]
                         for name in ("fit", "select"))
    assert of_fit["scale"] == pytest.approx(of_select["scale"], rel=1e-9)
    assert of_fit["offset"] == pytest.approx(of_select["offset"], rel=1e-9, abs=1e-12)


def test_what_is_refused(people):
    fit = ("fit", "people.csv", "--label", "class", "-o", "m")
    refused(run(*fit, "--fold-column", "z", folder=people), 1, "'z'")
    (people / "one.csv").write_text("x,g,class\n1,p,a\n2,p,a\n4,p,b\n5,p,b\n")
    refused(run("fit", "one.csv", "--label", "class", "--fold-column", "g", folder=people), 1,
            "one value")
    (people / "gap.csv").write_text("x,g,class\n1,p,a\n2,,a\n4,q,b\n5,p,b\n")
    refused(run("fit", "gap.csv", "--label", "class", "--fold-column", "g", folder=people), 1,
            "gap.csv:3", "--fold-column")
    refused(run(*fit, "--covariance", "tied", "--fold-column", "person", folder=people), 2,
            "chosen or calibrated")
    refused(run(*fit, "--transform", "auto", "--fold-column", "person", folder=people), 2,
            "name the transformations")
    good("stats", "people.csv", "--label", "class", "-o", "s.stats", folder=people)
    refused(run("fit", "s.stats", "--fold-column", "person", folder=people), 2, "sums")
    refused(run("fit", "-", "--label", "class", "--fold-column", "person", folder=people,
                input=b"x,person,class\n1,p,a\n"), 2, "--fold-column")
