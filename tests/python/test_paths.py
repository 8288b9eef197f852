"""Tables in files: what the package reads must be what it reads from memory, bit for bit, and what the
command line reads."""
import gzip
import warnings

import numpy as np
import pandas as pd
import pytest

import suffice

pytestmark = pytest.mark.filterwarnings("ignore:column 'w':suffice.SufficeWarning",
                                        "ignore:the log-loss:suffice.SufficeWarning")

@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same rows in many files. The numbers have few digits, so that all writers keep them."""
    folder = tmp_path_factory.mktemp("paths")
    rng = np.random.default_rng(12)
    n = 9000
    frame = pd.DataFrame({
        "x": rng.normal(size=n).round(4), "w": rng.integers(1, 4, n).astype(float),
        "kind": rng.choice(["red", "green, blue", "Ж"], n), "z": rng.normal(size=n).round(4),
        "fold": rng.choice(["f", "g", "h"], n), "y": rng.choice(["no", "yes"], n)})
    frame.loc[5:60, "z"] = np.nan
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_csv(folder / "t.csv.gz", index=False)
    frame.to_csv(folder / "indexed.csv")
    frame.to_json(folder / "t.ndjson", orient="records", lines=True)
    frame.to_parquet(folder / "t.parquet")
    frame.to_feather(folder / "t.feather")
    (folder / "parts").mkdir()
    frame[:4001].to_csv(folder / "parts" / "a.csv", index=False)
    frame[4001:].iloc[:, ::-1].to_csv(folder / "parts" / "b.csv.gz", index=False)
    return folder, frame


FILES = ["t.csv", "t.csv.gz", "indexed.csv", "t.ndjson", "t.parquet", "t.feather", "parts", "parts/*.csv*"]


@pytest.mark.parametrize("name", FILES)
def test_statistics(folder, name):
    path, frame = folder
    columns = ["x", "w", "kind", "z", "fold"] if name == "indexed.csv" else None
    expected = suffice.Statistics.of(frame, "y")
    assert suffice.Statistics.of(str(path / name), "y") == expected
    assert suffice.Statistics.of(path / name, "y", n_jobs=1) == expected
    weighed = suffice.Statistics.of(frame, "y", "w", family={"kind": "categorical"}, covariance="diag")
    assert suffice.Statistics.of(path / name, "y", "w", family={"kind": "categorical"}, covariance="diag") == weighed
    assert columns is None or list(suffice.Schema.of(path / name, label="y").columns) == columns


@pytest.mark.parametrize("name", FILES)
def test_a_model_answers_for_files(folder, name):
    path, frame = folder
    file = path / name
    schema = suffice.Schema.of(frame.drop(columns=["w", "fold"]), label="y")
    model = suffice.Statistics(schema).update(file, "y").estimate(covariance="full")
    same = np.testing.assert_array_equal
    same(model.decide(file), model.decide(frame))
    same(model.decide(file, costs={("yes", "no"): 3}, reject=0.3), model.decide(frame, costs={("yes", "no"): 3}, reject=0.3))
    same(model.posterior(file), model.posterior(frame))
    same(model.log_likelihood(file), model.log_likelihood(frame))
    same(model.llr(file), model.llr(frame))
    same(model.log_density(file), model.log_density(frame))
    same(model.outlier_score(file, samples=500), model.outlier_score(frame, samples=500))
    assert suffice.evaluate(model, file, "y", "w").error_rate == suffice.evaluate(model, frame, "y", "w").error_rate
    same(model.calibrate(file, "y").calibration["scale"], model.calibrate(frame, "y").calibration["scale"])


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.ndjson"])
@pytest.mark.parametrize("folds", [3, "fold"])
def test_select(folder, name, folds):
    path, frame = folder
    told = []
    found = suffice.select(path / name, "y", folds=folds, covariance=["full", "tied", "diag"], progress=told.append)
    expected = suffice.select(frame, "y", folds=folds, covariance=["full", "tied", "diag"])
    assert [c["log_loss"] for c in found.candidates] == [c["log_loss"] for c in expected.candidates]
    assert found.model == expected.model and told == sorted(told)


def test_the_command_line_writes_the_same_file(folder, tmp_path, command_line):
    path, _ = folder
    suffice.Statistics.of(path / "t.csv", "y").save(tmp_path / "python.stats")
    command_line.good("stats", path / "t.csv", "--label", "y", "-o", tmp_path / "line.stats")
    assert (tmp_path / "python.stats").read_bytes() == (tmp_path / "line.stats").read_bytes()


def test_options_of_files(tmp_path):
    (tmp_path / "t.txt").write_text("1|-9|p|7\n2|3|q|7\n4|-9|p|7\n5|6|q|7\n")
    (tmp_path / "names.txt").write_text("u\nv\ny\nid\n")
    files = suffice.Files(tmp_path / "t.txt", header=False, separator="|", na=["-9"], ignore=["i?"],
                          names=tmp_path / "names.txt", format="csv")
    stats = suffice.Statistics.of(files, "y")
    assert stats.schema.columns == ["u", "v"] and stats.missing == {"u": 0, "v": 2}
    np.testing.assert_array_equal(stats.weights, [2, 2])
    with pytest.raises(ValueError, match="no column 'none'"):
        suffice.Statistics.of(suffice.Files(tmp_path / "t.txt", ignore=["none"]), "y")
    with pytest.raises(suffice.InvalidArgument, match="one character"):
        suffice.Statistics.of(suffice.Files(tmp_path / "t.txt", separator="||"), "y")
    with pytest.raises(ValueError, match="index_base"):
        suffice.Files("t", index_base=2)
    with pytest.raises(ValueError, match="path"):
        suffice.Files()


def test_libsvm_and_idx(tmp_path):
    """Sparse rows, and labels in a file of their own."""
    (tmp_path / "t.svm.gz").write_bytes(gzip.compress(b"1 1:2 3:1\n2 2:5\n1 3:4\n2 1:1 2:7\n"))
    dense = np.array([[2, 0, 1], [0, 5, 0], [0, 0, 4], [1, 7, 0]], float)
    stats = suffice.Statistics.of(tmp_path / "t.svm.gz")
    np.testing.assert_array_equal(stats.blocks[0]["mean"], [dense[::2].mean(0), dense[1::2].mean(0)])
    assert stats.classes_.tolist() == [1, 2]  # as after loading: numbers, since all names are whole ones
    np.save(tmp_path / "x.npy", dense)
    np.save(tmp_path / "y.npy", np.array([1, 2, 1, 2]))
    files = suffice.Files(tmp_path / "x.npy", labels=tmp_path / "y.npy")
    arrays = suffice.Statistics.of(files)
    np.testing.assert_array_equal(arrays.blocks[0]["scatter"], stats.blocks[0]["scatter"])
    model = arrays.estimate(covariance="tied-diag")
    np.testing.assert_array_equal(model.decide(tmp_path / "x.npy"), model.decide(dense))
    assert suffice.evaluate(model, files).rows == 4


def test_wrong_files(tmp_path, folder):
    path, frame = folder
    model = suffice.Statistics.of(frame[["x", "z", "y"]], "y").estimate()
    with pytest.raises(suffice.FileError, match="no file"):
        model.decide(tmp_path / "absent.csv")
    with pytest.raises(suffice.FileError, match="no file matches"):
        suffice.Statistics.of(str(tmp_path / "*.csv"), "y")
    with pytest.raises(ValueError, match="no column 'label'"):
        suffice.Statistics.of(path / "t.csv", "label")
    with pytest.raises(ValueError, match="name of one of its columns"):
        suffice.Statistics.of(path / "t.csv", list("ab"))
    with pytest.raises(ValueError, match="y is missing"):
        suffice.Statistics.of(path / "t.csv")
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n" * 10_500 + "word,b\n")
    before = suffice.Statistics()
    with pytest.raises(suffice.FileError) as caught:
        before.update(tmp_path / "t.csv", "y")
    assert caught.value.line == 10_502 and caught.value.filename == str(tmp_path / "t.csv")
    # Python's names, not flags.
    assert "family={'x': 'categorical'}" in str(caught.value) and "na=['word']" in str(caught.value)
    assert "--" not in str(caught.value) and before.labels == ()
    (tmp_path / "t.csv").write_text("x,y\n1,a\n-2,b\n")
    with pytest.raises(suffice.FileError, match=r"t\.csv:3.*'x'"):
        suffice.Statistics.of(tmp_path / "t.csv", "y", family="poisson")
    (tmp_path / "t.ndjson").write_text('{"x": 1, "when": [1], "y": "a"}\n')
    with pytest.raises(ValueError, match="'when' has the type list"):
        suffice.Statistics.of(tmp_path / "t.ndjson", "y")
    (tmp_path / "x").mkdir()
    frame.to_parquet(tmp_path / "x" / "a.parquet")
    frame.to_csv(tmp_path / "x" / "b.csv")
    with pytest.raises(ValueError, match="different formats"):
        suffice.Statistics.of(tmp_path / "x", "y")


def test_rows_without_a_label(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,\n3,a\n4,b\n8,?\n6,b\n")
    with pytest.warns(suffice.SufficeWarning, match="2 rows have no label"):
        stats = suffice.Statistics.of(tmp_path / "t.csv", "y")
    np.testing.assert_array_equal(stats.blocks[0]["mean"], [[2], [5]])


def test_without_pyarrow(folder, monkeypatch):
    path, _ = folder
    import suffice._optional as optional

    def absent(name):
        raise ImportError("none")

    monkeypatch.setattr(optional.importlib, "import_module", absent)
    with pytest.raises(ImportError, match="Parquet and Arrow files needs the package pyarrow"):
        suffice.Statistics.of(path / "t.parquet", "y")


def test_no_warning_without_a_reason(folder):
    path, _ = folder
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        suffice.Statistics.of(suffice.Files(path / "t.csv", ignore=["w"]), "y")
