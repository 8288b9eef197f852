"""Tables as people have them: an id, the index of a data frame, booleans of several writers; answers
in the files that people carry on with."""
import shutil
import subprocess

import pytest
import program
from program import good, good_json, rows_of, run


def test_kept_columns_come_first(tmp_path):
    """Text as it is written, numbers of the model as numbers, missing cells empty."""
    (tmp_path / "t.csv").write_text("id,x,y,paid\n007,1,a,True\n,2.50,a,no\n\"x,9\",3,b,\n010,5,b,yes\n")
    good("fit", "t.csv", "--label", "y", "--features", "x", "--covariance", "tied", "-o", "m", folder=tmp_path)
    rows = rows_of(good("predict", "m", "t.csv", "--keep", "id,pai*,x", folder=tmp_path))
    assert list(rows[0]) == ["id", "x", "paid", "label"]
    assert [row["id"] for row in rows] == ["007", "", "x,9", "010"]
    assert [row["x"] for row in rows] == ["1", "2.5", "3", "5"]
    assert [row["paid"] for row in rows] == ["True", "no", "", "yes"]
    answer = good_json("predict", "m", "t.csv", "--keep", "id", folder=tmp_path)
    assert [row[0] for row in answer["rows"]] == ["007", None, "x,9", "010"]


def four_rows(folder):
    """A table of two classes, t.csv, and a model of it, m."""
    (folder / "t.csv").write_text("x,y\n1,a\n2,a\n3,b\n5,b\n")
    good("fit", "t.csv", "--label", "y", "--covariance", "tied", "-o", "m", folder=folder)


def test_digits(tmp_path):
    four_rows(tmp_path)
    full, three = [rows_of(good("predict", "m", "t.csv", "--output", "proba,logpx", "--digits", digits,
                                folder=tmp_path)) for digits in ("full", "3")]
    for row, short in zip(full, three):
        for name in ("proba:a", "proba:b", "logpx"):
            assert short[name] == f"{float(row[name]):.3g}"


def test_probabilities_have_six_digits_in_csv(tmp_path):
    four_rows(tmp_path)
    words = ["predict", "m", "t.csv", "--output", "proba,logpx,outlier"]
    full, short = [rows_of(good(*words, *more, folder=tmp_path)) for more in (["--digits", "full"], [])]
    exact = good_json(*words, folder=tmp_path)
    for row, brief, answer in zip(full, short, exact["rows"], strict=True):
        assert [float(cell) for cell in list(row.values())[1:]] == answer[1:]
        assert brief["logpx"] == row["logpx"]
        for name in ("proba:a", "proba:b", "outlier"):
            assert brief[name] == f"{float(row[name]):.6g}"


def test_the_ratio_of_two_classes_names_them(tmp_path):
    four_rows(tmp_path)
    words = ["predict", "m", "t.csv", "--output", "loglik,llr"]
    rows = rows_of(good(*words, folder=tmp_path))
    for row in rows:
        assert float(row["llr:a/b"]) == pytest.approx(float(row["loglik:a"]) - float(row["loglik:b"]))
    assert [row["llr"] for row in rows_of(good(*words, "--compat", folder=tmp_path))] == [
        row["llr:a/b"] for row in rows]


TABLE = "id,x,c,y\n007,1,u,a\n008,2,,a\n,3,v,b\n010,,u,b\n011,500,v,b\n"


def model_and_table(folder):
    (folder / "t.csv").write_text(TABLE)
    good("fit", "t.csv", "--label", "y", "--features", "x,c", "--covariance", "tied",
         "-o", "m", folder=folder)


def test_without_arrow_the_message_says_what_to_do(tmp_path):
    """The program alone, without the module beside it."""
    shutil.copy(program.BINARY, tmp_path / "suffice")
    model_and_table(tmp_path)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    for words, instead in ((["fit", "t.parquet", "--label", "y"], b"convert the file to CSV"),
                           (["predict", "m", "t.csv", "-o", "p.parquet"], b"write a CSV file")):
        result = subprocess.run([tmp_path / "suffice", *words], cwd=tmp_path, capture_output=True)
        assert result.returncode == 1
        assert b"was built without Arrow C++; " + instead + b", or run script/build" in result.stderr


def need_arrow(result):
    if b"built without Arrow" in result.stderr:
        pytest.skip("this program was built without Arrow")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("ending", ["csv.gz", "csv.zst"])
def test_answers_are_compressed_by_the_ending(tmp_path, ending):
    model_and_table(tmp_path)
    words = ["predict", "m", "t.csv", "--output", "proba"]
    good(*words, "-o", "p.csv", folder=tmp_path)
    good(*words, "-o", f"p.{ending}", folder=tmp_path)
    unpack = {"csv.gz": ["gzip", "-dc"], "csv.zst": ["zstd", "-dqc"]}[ending]
    if shutil.which(unpack[0]) is None:
        pytest.skip(f"there is no {unpack[0]} program")
    text = subprocess.run([*unpack, f"p.{ending}"], cwd=tmp_path, check=True, capture_output=True).stdout
    assert text == (tmp_path / "p.csv").read_bytes()


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather"])
def test_answers_in_typed_files(tmp_path, ending):
    """Read by pyarrow: names, types, missing cells, and every digit."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import feather, parquet
    model_and_table(tmp_path)
    words = ["predict", "m", "t.csv", "--output", "proba,logpx,outlier", "--keep", "id", "--outlier", "0.001"]
    need_arrow(run(*words, "-o", f"p.{ending}", folder=tmp_path))
    read = parquet.read_table if ending == "parquet" else feather.read_table
    table = read(tmp_path / f"p.{ending}")
    expected = good_json(*words, folder=tmp_path)
    assert table.column_names == expected["columns"]
    assert [table.schema.field(name).type for name in expected["columns"]] == [
        pyarrow.float64() if name.startswith(("proba", "logpx", "outlier")) else pyarrow.string()
        for name in expected["columns"]]
    assert [list(row.values()) for row in table.to_pylist()] == expected["rows"]
    assert table.column("id").null_count == 1


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow"])
def test_samples_can_be_read_back(tmp_path, ending):
    """The same rows in every format, the table that `stats` sees."""
    model_and_table(tmp_path)
    need_arrow(run("sample", "m", "-n", "20000", "--seed", "3", "-o", f"s.{ending}", folder=tmp_path))
    good("sample", "m", "-n", "20000", "--seed", "3", "-o", "plain.csv", folder=tmp_path)
    for name, path in (("a", f"s.{ending}"), ("b", "plain.csv")):
        good("stats", path, "--label", "y", "-o", name, folder=tmp_path)
    one, other = [good_json("show", name, folder=tmp_path) for name in ("a", "b")]
    one.pop("file", None), other.pop("file", None)
    assert one == other


def test_the_index_of_a_frame_is_left_out(tmp_path):
    """As pandas and R write it; a flag that names it takes it."""
    (tmp_path / "plain.csv").write_text("x,y\n1,a\n2,a\n3,b\n5,b\n")
    (tmp_path / "index.csv").write_text(",x,y\n0,1,a\n1,2,a\n2,3,b\n3,5,b\n")
    for name in ("plain", "index"):
        good("fit", f"{name}.csv", "--label", "y", "-o", name, folder=tmp_path)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "index").read_bytes()
    assert "1 column left out: 'Unnamed: 0'" in good("fit", "index.csv", "--label", "y", "-o", "m",
                                                   folder=tmp_path)
    good("fit", "index.csv", "--label", "y", "--features", "Unnamed: 0", "-o", "m", folder=tmp_path)
    assert good_json("show", "m", folder=tmp_path)["blocks"][0]["features"] == ["Unnamed: 0"]


def test_booleans_have_one_spelling(tmp_path):
    """Python writes True, R writes TRUE, typed files have true."""
    text = "f,y\n{t},a\n{t},a\n{f},b\n{t},b\n{f},b\n"
    for name, t, f in (("python", "True", "False"), ("r", "TRUE", "FALSE"), ("plain", "true", "false")):
        (tmp_path / f"{name}.csv").write_text(text.format(t=t, f=f))
        good("fit", f"{name}.csv", "--label", "y", "-o", name, folder=tmp_path)
        assert (tmp_path / name).read_bytes() == (tmp_path / "python").read_bytes()
    answers = [good("predict", "python", f"{name}.csv", "--output", "loglik", folder=tmp_path)
               for name in ("python", "r", "plain")]
    assert answers[0] == answers[1] == answers[2]
