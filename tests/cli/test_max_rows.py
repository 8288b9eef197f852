"""fit --max-rows: the rows are drawn by the documented hash of the seed and the row's number, here in Python; the
model of these rows alone is the same to the last bit, whatever the format, the threads and the rows without a
label."""
import pytest

from datasets import read_table, write_table
from program import good, good_json, refused, run

WORDS = ("--label", "species")


def hash_of(seed, number):
    """The finaliser of MurmurHash3, twice."""
    def mixed(bits):
        for factor in (0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53):
            bits = ((bits ^ bits >> 33) * factor) % 2**64
        return bits ^ bits >> 33
    return mixed((mixed((seed + 0x9e3779b97f4a7c15) % 2**64) + number) % 2**64)


def drawn(lines, count, seed=0):
    order = sorted(range(len(lines)), key=lambda number: hash_of(seed, number))
    return [lines[number] for number in sorted(order[:count])]


@pytest.fixture
def birds(data):
    return read_table(data("penguins.csv.gz"))


@pytest.mark.parametrize("flags", [[], ["--covariance", "full"], ["--covariance", "tied", "--calibration", "auto"],
                                   ["--missing", "em"], ["--components", "2"], ["--covariance", "tied", "--discriminative"]],
                         ids=" ".join)
def test_it_is_the_model_of_the_rows_that_are_drawn(birds, data, tmp_path, flags):
    some = write_table(tmp_path / "some.csv", drawn(birds, 120))
    good("fit", some, *WORDS, *flags, "-o", "expected.suffice", folder=tmp_path)
    result = run("fit", data("penguins.csv.gz"), *WORDS, *flags, "--max-rows", "120", folder=tmp_path)
    assert result.returncode == 0 and b"120 of 344 rows, drawn at random" in result.stderr
    assert (tmp_path / "model.suffice").read_bytes() == (tmp_path / "expected.suffice").read_bytes()


def test_the_seed_draws_other_rows(birds, data, tmp_path):
    some = write_table(tmp_path / "some.csv", drawn(birds, 100, seed=17))
    words = (*WORDS, "--covariance", "diag", "--seed", "17")
    good("fit", some, *words, "-o", "expected.suffice", folder=tmp_path)
    said = good_json("fit", data("penguins.csv.gz"), *words, "--max-rows", "100", folder=tmp_path)
    assert said["rows"] == 100 and sum(said["weights"]) == 100
    assert (tmp_path / "model.suffice").read_bytes() == (tmp_path / "expected.suffice").read_bytes()


def test_threads_formats_and_rows_without_a_label_do_not_matter(birds, tmp_path):
    models = set()
    holes = [line | {"species": ""} for line in birds[:7]]
    tables = {"all.csv": birds, "holes.csv": [*holes[:3], *birds[:50], *holes[3:], *birds[50:]]}
    for name, lines in tables.items():
        write_table(tmp_path / name, lines)
        for threads in ("1", "3"):
            good("fit", name, *WORDS, "--max-rows", "90", "--threads", threads, folder=tmp_path)
            models.add((tmp_path / "model.suffice").read_bytes())
    good("fit", "-", "--format", "csv", *WORDS, "--max-rows", "90", folder=tmp_path,
         input=(tmp_path / "all.csv").read_bytes())
    models.add((tmp_path / "model.suffice").read_bytes())
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet
    parquet.write_table(csv.read_csv(tmp_path / "all.csv", convert_options=csv.ConvertOptions(
        null_values=[""], strings_can_be_null=True)), tmp_path / "all.parquet", row_group_size=50)
    assert arrow and good("fit", "all.parquet", *WORDS, "--max-rows", "90", folder=tmp_path)
    models.add((tmp_path / "model.suffice").read_bytes())
    assert len(models) == 1


def test_groups_stay_together(birds, tmp_path):
    lines = [line | {"nest": f"n{i % 7}"} for i, line in enumerate(birds)]
    write_table(tmp_path / "nests.csv", lines)
    write_table(tmp_path / "some.csv", drawn(lines, 150))
    words = (*WORDS, "--fold-column", "nest")
    expected = good_json("fit", "some.csv", *words, folder=tmp_path)
    said = good_json("fit", "nests.csv", *words, "--max-rows", "150", folder=tmp_path)
    assert said["options"] == expected["options"] and said["choice"]["folds"] == 7
    assert said["choice"]["log_loss"] == pytest.approx(expected["choice"]["log_loss"], rel=1e-9)


def test_more_than_there_are_is_all(birds, data, tmp_path):
    good("fit", data("penguins.csv.gz"), *WORDS, "-o", "all.suffice", folder=tmp_path)
    result = run("fit", data("penguins.csv.gz"), *WORDS, "--max-rows", "1000", folder=tmp_path)
    assert b"drawn" not in result.stderr
    assert (tmp_path / "model.suffice").read_bytes() == (tmp_path / "all.suffice").read_bytes()


def test_what_is_refused(data, tmp_path):
    table = data("penguins.csv.gz")
    refused(run("fit", table, *WORDS, "--max-rows", "0", folder=tmp_path), 2, "--max-rows must be at least 1")
    refused(run("fit", table, *WORDS, "--max-rows", "9", "--unlabelled", "use", folder=tmp_path), 2,
            "--unlabelled use and --max-rows")
    good("stats", table, *WORDS, "-o", "s.stats", folder=tmp_path)
    refused(run("fit", "s.stats", "--max-rows", "9", folder=tmp_path), 2, "--max-rows needs the rows")
    refused(run("stats", table, *WORDS, "--max-rows", "9", "-o", "t.stats", folder=tmp_path), 2, "it belongs to fit")
