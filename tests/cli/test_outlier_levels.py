"""--outlier of models whose scores are shares of sampled rows."""
import pytest

from program import good, good_json, refused, rows_of, run


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A category whose third level has one row in a thousand, beside a number."""
    folder = tmp_path_factory.mktemp("levels")
    lines = [f"{i % 10},{'r' if i % 1000 == 0 else 'pq'[i % 2]},{'ab'[i % 3 == 0]}" for i in range(6000)]
    (folder / "t.csv").write_text("\n".join(["x,kind,y", *lines]) + "\n", encoding="utf-8")
    (folder / "far.csv").write_text("x,kind\n4,p\n60,r\n", encoding="utf-8")
    good("fit", "t.csv", "--label", "y", "--covariance", "full", "-o", "m", folder=folder)
    return folder


def test_more_samples_where_the_level_asks_for_them(mixed):
    words = ("predict", "m", "far.csv", "--output", "outlier", "--digits", "full")
    usual = [float(row["outlier"]) for row in rows_of(good(*words, folder=mixed))]
    assert usual[1] == 1 / 20001  # none of 20,000 is as improbable
    low = rows_of(good(*words, "--outlier", "1e-5", folder=mixed))
    assert [row["status"] for row in low] == ["ok", "outlier"]
    assert float(low[1]["outlier"]) == 1 / 1000001
    high = rows_of(good(*words, "--outlier", "0.01", folder=mixed))
    assert [float(row["outlier"]) for row in high] == usual
    assert good_json("evaluate", "m", "t.csv", "--outlier", "1e-5", folder=mixed)["outliers"] == 0


def test_levels_that_would_take_too_many_are_refused(mixed):
    refused(run("predict", "m", "far.csv", "--outlier", "1e-9", folder=mixed), 1,
            "the outlier level is 1e-09", "use 1e-06 or more")
    good("fit", "t.csv", "--label", "y", "--ignore", "kind", "--covariance", "full", "-o", "n", folder=mixed)
    answers = rows_of(good("predict", "n", "far.csv", "--outlier", "1e-9", folder=mixed))
    assert [row["status"] for row in answers] == ["ok", "outlier"]
