"""The package and the command line are two edges of one engine: on the same rows they give the same
statistics, models and answers, to the last bit."""
from __future__ import annotations

import csv

import numpy as np
import pytest

import suffice
from suffice import Model, Schema, Statistics

# What is asked for together is worked out together. Posteriors and ratios by themselves leave out
# terms that all classes share, in the package as on the command line.
OUTPUTS = ["proba", "llr", "loglik,logpx,outlier"]


def text_of(value):
    """A cell of CSV that reads back as the same value; a missing one is empty."""
    if value is None or value != value:
        return ""
    return str(value) if isinstance(value, str) else repr(float(value))


def write_csv(path, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([text_of(cell) for cell in row] for row in zip(*columns.values()))
    return path


def read_csv(path):
    """Columns of numbers, or of strings with None where a cell is NA."""
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    columns = {}
    for name, cells in zip(header, zip(*rows)):
        cells = [None if cell in ("", "NA") else cell for cell in cells]
        try:
            columns[name] = np.array([np.nan if cell is None else float(cell) for cell in cells])
        except ValueError:
            columns[name] = np.array(cells, dtype=object)
    return columns


def mixed(rows, seed):
    """Every family, some cells missing, and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    a = rng.normal(y, 1 + y)
    a[rng.random(rows) < 0.1] = np.nan
    colour = np.array(["red", "green", "blue"], dtype=object)[
        np.minimum(rng.integers(0, 4, rows), rng.integers(0, 3, rows))]
    colour[rng.random(rows) < 0.05] = None
    return {
        "a": a,
        "b": rng.normal(1e6 + y, 2.0),
        "colour": colour,
        "hits": rng.poisson(1.0 + y).astype(float),
        "on": (rng.random(rows) < 0.2 + 0.2 * y).astype(float),
        "class": np.array(["low", "middle", "high"], dtype=object)[y],
        "w": rng.integers(0, 4, rows) / 2,
    }


FAMILIES = {"hits": "poisson", "on": "bernoulli"}


def check_answers(line, model_file, model, data_file, X):
    """Every number that predict writes, and its decisions."""
    loaded = Model.load(model_file)
    assert loaded == model
    numbers = {}
    for outputs in OUTPUTS:
        written = line.rows_of(line.good("predict", model_file, data_file, "--output", outputs, "--digits", "full", "--compat"))
        numbers |= {name: np.array([float(row[name]) for row in written])
                    for name in written[0] if name != "label"}

    def per_class(name):
        return np.column_stack([numbers[f"{name}:{label}"] for label in model.labels])

    np.testing.assert_array_equal(model.posterior(X), per_class("proba"))
    np.testing.assert_array_equal(model.log_likelihood(X), per_class("loglik"))
    if len(model.labels) == 2:
        np.testing.assert_array_equal(model.llr(X)[:, 0], numbers["llr"])
    else:
        np.testing.assert_array_equal(model.llr(X), per_class("llr"))
    np.testing.assert_array_equal(model.log_density(X), numbers["logpx"])
    np.testing.assert_array_equal(model.outlier_score(X), numbers["outlier"])
    assert model.decide(X).astype(str).tolist() == [row["label"] for row in written]


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "spherical"])
def test_iris(command_line, example_data, tmp_path, covariance):
    file = example_data / "iris.csv"
    columns = read_csv(file)
    command_line.good("stats", file, "--label", "species", "-o", tmp_path / "a.stats")
    stats = Statistics.of(columns, "species")
    assert Statistics.load(tmp_path / "a.stats") == stats
    command_line.good("fit", file, "--label", "species", "--covariance", covariance,
                      "--normalize", "unbiased", "-o", tmp_path / "a.suffice")
    # Of the rows themselves fit keeps what the structure needs.
    kept = "full" if covariance in ("full", "tied") else "diag"
    model = Statistics.of(columns, "species", covariance=kept).estimate(
        covariance=covariance, normalize="unbiased")
    check_answers(command_line, tmp_path / "a.suffice", model, file, columns)


def test_penguins_mixed_and_missing(command_line, example_data, tmp_path):
    file = example_data / "penguins.csv"
    columns = read_csv(file)
    command_line.good("stats", file, "--label", "species", "-o", tmp_path / "a.stats")
    stats = Statistics.of(columns, "species")
    assert Statistics.load(tmp_path / "a.stats") == stats
    assert stats.missing["sex"] > 0 and stats.missing["bill_length_mm"] > 0
    command_line.good("fit", file, "--label", "species", "--covariance", "tied",
                      "-o", tmp_path / "a.suffice")
    check_answers(command_line, tmp_path / "a.suffice", stats.estimate(covariance="tied"), file,
                  columns)


def family_flags(families):
    return [word for name, family in families.items() for word in ("--family", f"{name}={family}")]


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_every_family_with_weights(command_line, tmp_path, covariance):
    columns = mixed(3000, 1)
    file = write_csv(tmp_path / "mixed.csv", columns)
    command_line.good("stats", file, "--label", "class", "--weight", "w", *family_flags(FAMILIES),
                      "--covariance", covariance, "-o", tmp_path / "a.stats")
    stats = Statistics.of(columns, "class", "w", family=FAMILIES, covariance=covariance)
    assert Statistics.load(tmp_path / "a.stats") == stats
    stats.save(tmp_path / "b.stats")
    assert (tmp_path / "a.stats").read_bytes() == (tmp_path / "b.stats").read_bytes()
    command_line.good("fit", tmp_path / "b.stats", "--covariance", covariance, "--smoothing", "0.5",
                      "--missing", "complete", "-o", tmp_path / "a.suffice")
    model = stats.estimate(covariance=covariance, smoothing=0.5)
    check_answers(command_line, tmp_path / "a.suffice", model, file, columns)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_arrow_files(command_line, tmp_path, kind):
    pyarrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = mixed(140_000, 2)
    table = pyarrow.table({name: pyarrow.array(values, from_pandas=True)
                           for name, values in columns.items()})
    file = tmp_path / f"mixed.{kind}"
    if kind == "parquet":
        parquet.write_table(table, file, row_group_size=9999)
    else:
        feather.write_feather(table, str(file), chunksize=7777)
    command_line.good("stats", file, "--label", "class", "--weight", "w", *family_flags(FAMILIES),
                      "-o", tmp_path / "a.stats")
    from_file = Statistics.load(tmp_path / "a.stats")
    read = parquet.read_table(file) if kind == "parquet" else feather.read_table(str(file))
    assert from_file == Statistics.of(read, "class", "w", family=FAMILIES)
    assert from_file == Statistics.of(columns, "class", "w", family=FAMILIES)
    reader = pyarrow.RecordBatchReader.from_batches(read.schema, read.to_batches(1234))
    schema = Schema.of(read, FAMILIES, label="class", weight="w")
    assert from_file == Statistics(schema).update(reader, sample_weight="w")


def as_array(path, values):
    np.save(path, values)
    return path


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
@pytest.mark.parametrize("rows, width", [(120_000, 20), (3000, 784)])
def test_arrays(command_line, tmp_path, rows, width, dtype):
    rng = np.random.default_rng(rows)
    y = rng.integers(0, 4, rows)
    X = (rng.normal(size=(rows, width)) * 40 + 3 * y[:, None]).astype(dtype)
    file = as_array(tmp_path / "X.npy", X)
    labels = as_array(tmp_path / "y.npy", y)
    command_line.good("stats", file, "--labels", labels, "-o", tmp_path / "a.stats")
    schema = Schema({f"x{j}": "gaussian" for j in range(width)}, label="label")
    if width == 20:  # several blocks, which both must cut in the same places
        assert rows > suffice._core.rows_per_block(schema._core, False)
    stats = Statistics.of(X, y, schema=schema)
    from_file = Statistics.load(tmp_path / "a.stats")
    assert from_file == stats
    assert from_file.classes_.tolist() == [0, 1, 2, 3]
    command_line.good("fit", tmp_path / "a.stats", "--covariance", "tied",
                      "-o", tmp_path / "a.suffice")
    some = X[:500]
    check_answers(command_line, tmp_path / "a.suffice", stats.estimate(covariance="tied"),
                  as_array(tmp_path / "some.npy", some), some)


def test_weights_of_many_rows(command_line, tmp_path):
    rng = np.random.default_rng(3)
    y = np.array(["a", "b"])[rng.integers(0, 2, 120_000)]
    columns = {f"f{j}": rng.normal(size=120_000) for j in range(20)} | {
        "y": y, "w": rng.uniform(0, 2, 120_000)}
    file = write_csv(tmp_path / "many.csv", columns)
    command_line.good("stats", file, "--label", "y", "--weight", "w", "-o", tmp_path / "a.stats")
    assert Statistics.load(tmp_path / "a.stats") == Statistics.of(columns, "y", "w")


def test_sparse_rows(command_line, tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(4)
    X = sparse.random_array((40_000, 50), density=0.1, rng=rng, format="csr",
                            data_sampler=lambda size: rng.integers(1, 9, size).astype(float))
    X[0, 49] = 1.0  # the last column occurs, so that the file is as wide
    X = X.tocsr()
    y = rng.integers(1, 4, 40_000)
    with open(tmp_path / "X.libsvm", "w") as file:
        for i in range(X.shape[0]):
            cells = range(X.indptr[i], X.indptr[i + 1])
            words = [f"{X.indices[j] + 1}:{float(X.data[j])!r}" for j in cells]
            file.write(" ".join([str(y[i]), *words]) + "\n")
    command_line.good("stats", tmp_path / "X.libsvm", "--family", "*=multinomial",
                      "-o", tmp_path / "a.stats")
    from_file = Statistics.load(tmp_path / "a.stats")
    assert from_file == Statistics.of(X, y, schema=from_file.schema)
    assert from_file == Statistics.of(X.tocsc(), y, schema=from_file.schema)


def test_priors_costs_and_rejection(command_line, example_data, tmp_path):
    file = example_data / "iris.csv"
    columns = read_csv(file)
    model = Statistics.of(columns, "species").estimate()
    model.save(tmp_path / "iris.suffice")
    prior = {"setosa": 0.2, "versicolor": 0.5, "virginica": 0.3}
    written = command_line.rows_of(command_line.good(
        "predict", tmp_path / "iris.suffice", file, "--output", "proba", "--digits", "full",
        "--prior", ",".join(f"{name}={p}" for name, p in prior.items()),
        "--cost", "virginica>versicolor=5", "--reject", "0.05", "--outlier", "0.01"))
    decided, status = model.decide(columns, prior, {("virginica", "versicolor"): 5}, reject=0.05,
                                   outlier=0.01, return_status=True)
    assert [label or "" for label in decided] == [row["label"] for row in written]
    assert status.tolist() == [row["status"] for row in written]
    assert {"ok", "reject", "outlier"} == set(status)
    np.testing.assert_array_equal(
        model.posterior(columns, prior),
        [[float(row[f"proba:{label}"]) for label in model.labels] for row in written])


def test_samples(command_line, example_data, tmp_path):
    model = Statistics.of(read_csv(example_data / "iris.csv"), "species").estimate()
    model.save(tmp_path / "iris.suffice")
    command_line.good("sample", tmp_path / "iris.suffice", "-n", "50", "--seed", "7",
                      "-o", tmp_path / "rows.csv")
    written = read_csv(tmp_path / "rows.csv")
    X, y = model.sample(50, seed=7)
    np.testing.assert_array_equal(X, np.column_stack([written[n] for n in model.schema.names]))
    assert y.tolist() == written["species"].tolist()


def test_show_has_the_blocks(command_line, example_data, tmp_path):
    stats = Statistics.of(read_csv(example_data / "penguins.csv"), "species")
    for value, name in ((stats, "p.stats"), (stats.estimate(), "p.suffice")):
        value.save(tmp_path / name)
        shown = command_line.good_json("show", tmp_path / name)
        assert shown["labels"] == list(value.labels)
        assert shown["weights"] == value.weights.tolist()
        assert len(shown["blocks"]) == len(value.blocks)
        for block, ours in zip(shown["blocks"], value.blocks):
            assert set(block) == set(ours)
            for key in block:
                compare(block[key], ours[key])


def compare(shown, ours):
    if isinstance(shown, dict):
        assert set(shown) == set(ours)
        for key in shown:
            compare(shown[key], ours[key])
    elif isinstance(ours, np.ndarray):
        np.testing.assert_array_equal(np.array(shown, dtype=float), ours)
    elif isinstance(ours, list) and ours and isinstance(ours[0], np.ndarray):
        for a, b in zip(shown, ours, strict=True):
            compare(a, b)
    else:
        assert shown == ours


def test_a_model_file_is_not_statistics(tmp_path):
    stats = Statistics.of([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    stats.estimate().save(tmp_path / "m.suffice")
    stats.save(tmp_path / "s.stats")
    with pytest.raises(suffice.FileError, match="holds a model.*Model.load"):
        Statistics.load(tmp_path / "m.suffice")
    with pytest.raises(suffice.FileError, match="holds statistics.*Statistics.load"):
        Model.load(tmp_path / "s.stats")
