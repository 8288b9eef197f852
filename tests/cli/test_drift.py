"""drift OLD NEW: names, files and tables, exit codes, and what cannot be compared. The figures are
compared with NumPy and SciPy in tests/python/test_drift.py."""
import numpy as np
import pytest

from program import good, good_json, refused, run


def table(path, rng, n=400, shift=0.0, classes=("u", "v"), level="b", extra=False):
    names = ["x", "z", "c"] + (["w"] if extra else []) + ["y"]
    lines = [",".join(names)]
    for i in range(n):
        cells = [f"{rng.normal() + shift:.6f}", f"{rng.normal():.6f}", rng.choice(["a", level])]
        lines.append(",".join(cells + (["1"] if extra else []) + [classes[i % len(classes)]]))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drift")
    rng = np.random.default_rng(1)
    table(folder / "old.csv", rng)
    table(folder / "same.csv", rng)
    table(folder / "new.csv", rng, shift=0.6, level="c")
    for name in ["old", "same", "new"]:
        good("stats", f"{name}.csv", "--label", "y", "-o", f"{name}.stats", folder=folder)
    return folder


def test_names(files):
    found = good_json("drift", "old.stats", "new.stats", folder=files)
    assert set(found) >= {"found", "flagged", "joint", "columns", "classes", "missing", "levels",
                          "correlations"}
    assert set(found["joint"]) >= {"auc", "auc_quadratic", "d2", "p"}
    for column in found["columns"]:
        assert set(column) >= {"name", "auc", "effect", "p", "p_adjusted", "found", "flagged"}
    flagged = {column["name"] for column in found["columns"] if column["flagged"]}
    assert flagged == {"x", "c"} and found["flagged"] is True
    assert found["levels"] == [{"name": "c", "new": ["c"], "gone": ["b"]}]
    assert len(found["classes"]["densities"]) == 2


def test_no_change(files):
    found = good_json("drift", "old.stats", "same.stats", folder=files)
    assert found["flagged"] is False
    assert found["joint"]["auc"] < 0.55
    text = good("drift", "old.stats", "same.stats", folder=files)
    assert "No change" in text or "too small" in text


def test_files_and_tables_say_the_same(files):
    by_files = good_json("drift", "old.stats", "new.stats", folder=files)
    for words in [("old.csv", "new.csv"), ("old.stats", "new.csv"), ("old.csv", "new.stats")]:
        by_tables = good_json("drift", *words, "--label", "y", folder=files)
        assert by_tables["joint"]["d2"] == pytest.approx(by_files["joint"]["d2"], rel=1e-12)
        assert by_tables["classes"]["old"] == by_files["classes"]["old"]
    two = good_json("drift", "old.csv", "new.csv", "--label", "y", folder=files)
    assert two["columns"][0]["rank"]["found"] is True  # rows are at hand


def test_tables_without_a_label_compare_every_column(files):
    found = good_json("drift", "old.csv", "new.csv", folder=files)
    assert [column["name"] for column in found["columns"]] == ["x", "z", "c", "y"]
    assert found["classes"] is None


def test_a_reservoir_shows_shape(tmp_path):
    """Two points at ±1 against a normal: the same mean and deviation."""
    rng = np.random.default_rng(2)
    for name, values in [("a", rng.normal(size=1000)), ("b", rng.choice([-1.0, 1.0], 1000))]:
        values = (values - values.mean()) / values.std()
        (tmp_path / f"{name}.csv").write_text("x\n" + "\n".join(map(str, values)) + "\n")
        for more, ending in [([], "sums"), (["--reservoir", "500"], "rows")]:
            good("stats", f"{name}.csv", "--no-label", "--family", "x=gaussian", *more, "-o",
                 f"{name}.{ending}.stats", folder=tmp_path)
    sums = good_json("drift", "a.sums.stats", "b.sums.stats", folder=tmp_path)
    assert not sums["found"] and any("shape" in note for note in sums["notes"])
    rows = good_json("drift", "a.rows.stats", "b.rows.stats", folder=tmp_path)
    assert rows["columns"][0]["rank"]["flagged"] and rows["flagged"]


def test_rank_tests_of_tables_are_those_of_scipy(files):
    from scipy import stats

    def numbers(name):
        return np.genfromtxt(files / name, delimiter=",", names=True, usecols=(0, 1))
    found = good_json("drift", "old.csv", "new.csv", "--label", "y", folder=files)
    for column, name in zip(found["columns"], ["x", "z"]):
        a, b = numbers("old.csv")[name], numbers("new.csv")[name]
        distance = stats.ks_2samp(a, b).statistic
        root = np.sqrt(len(a) * len(b) / (len(a) + len(b)))
        assert column["rank"]["distance"] == pytest.approx(distance, rel=1e-12)
        expected = stats.kstwobign.sf((root + 0.12 + 0.11 / root) * distance)
        assert column["rank"]["p"] == pytest.approx(expected, rel=1e-6)


def test_exit_code_three(files):
    assert run("drift", "old.stats", "new.stats", "--fail-above", "0.6", folder=files).returncode == 3
    assert run("drift", "old.stats", "new.stats", "--fail-above", "0.95",
               folder=files).returncode == 0
    assert run("drift", "old.stats", "same.stats", "--fail-above", "0.5",
               folder=files).returncode in (0, 3)
    refused(run("drift", "old.stats", "new.stats", "--fail-above", "2", folder=files), 2,
            "--fail-above")


def test_same_bits_on_any_number_of_threads(files):
    one = good("drift", "old.stats", "new.stats", "--json", "--threads", "1", folder=files)
    assert one == good("drift", "old.stats", "new.stats", "--json", "--threads", "3", folder=files)


def test_other_columns(files, tmp_path):
    rng = np.random.default_rng(3)
    table(tmp_path / "more.csv", rng, extra=True)
    good("stats", "more.csv", "--label", "y", "-o", "more.stats", folder=tmp_path)
    old = files / "old.stats"
    refused(run("drift", old, "more.stats", folder=tmp_path), 1, "--common")
    common = good_json("drift", old, "more.stats", "--common", folder=tmp_path)
    assert [column["name"] for column in common["columns"]] == ["x", "z", "c"]
    refused(run("drift", files / "old.csv", "more.csv", "--label", "y", folder=tmp_path), 1, "'w'",
            "--common")
    good("drift", files / "old.csv", "more.csv", "--label", "y", "--common", folder=tmp_path)


def test_other_meanings(files):
    good("stats", "new.csv", "--label", "y", "--family", "z=categorical", "-o", "other.stats",
         folder=files)
    refused(run("drift", "old.stats", "other.stats", folder=files), 1, "z")
    good("stats", "new.csv", "--label", "y", "--covariance", "diag", "-o", "diag.stats",
         folder=files)
    diagonal = good_json("drift", "old.stats", "diag.stats", folder=files)
    assert diagonal["columns"][0]["flagged"]
    assert any("diagonal" in note for note in diagonal["notes"])


def test_bad_input(files, tmp_path):
    good("fit", files / "old.csv", "--label", "y", "--covariance", "tied", "-o", "m.suffice",
         folder=tmp_path)
    refused(run("drift", files / "old.stats", "m.suffice", folder=tmp_path), 1, "is a model")
    refused(run("drift", files / "old.stats", "nowhere.stats", folder=tmp_path), 1, "nowhere.stats")
    (tmp_path / "bad.stats").write_bytes((files / "old.stats").read_bytes()[:-9])
    refused(run("drift", files / "old.stats", "bad.stats", folder=tmp_path), 1, "bad.stats")
    refused(run("drift", files / "old.stats", folder=tmp_path), 2, "drift")
    refused(run("drift", "a.stats", "a.stats", folder=tmp_path), 2, "same file")
