"""stats --sql and --from-sql: sums that DuckDB, PostgreSQL and Spark compute are those of the rows."""
import csv
import io
import math

import numpy as np
import pandas
import pytest
from safetensors import safe_open

from datasets import data_folder, read_table
from exports import python_module
from program import good, good_json, refused, run

ENGINES = ["duckdb", "postgres"]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def type_of(column, real, text, boolean="BOOLEAN"):
    values = [v for v in column if v is not None]
    if all(isinstance(v, bool) for v in values):
        return boolean
    if all(isinstance(v, int) for v in values):
        return "BIGINT"
    return real if all(isinstance(v, (int, float)) for v in values) else text


class Engine:
    """Runs a query over a table of cells (None: NULL) and writes the answer to a file."""

    def __init__(self, name, request):
        self.name, self.server = name, None
        if name == "postgres":
            self.server = request.getfixturevalue("postgres")
        elif name == "spark":
            self.server = request.getfixturevalue("spark")
        else:
            python_module("duckdb", "run the query")

    def __call__(self, query, columns, path, table="data"):
        return {"duckdb": self.duckdb, "postgres": self.postgres, "spark": self.spark}[self.name](
            query, columns, path, table)

    def duckdb(self, query, columns, path, table):
        import duckdb
        import pyarrow
        connection = duckdb.connect()
        names = ", ".join(f"{quoted(n)} {type_of(v, 'DOUBLE', 'VARCHAR')}" for n, v in columns.items())
        connection.execute(f"CREATE TABLE {quoted(table)} ({names})")
        rows = pyarrow.table({f"c{i}": v for i, v in enumerate(columns.values())})  # noqa: F841
        connection.execute(f"INSERT INTO {quoted(table)} SELECT * FROM rows")
        query = query.rstrip().rstrip(";")
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT {path.suffix[1:]})")

    def postgres(self, query, columns, path, table):
        names = ", ".join(f"{quoted(n)} {type_of(v, 'DOUBLE PRECISION', 'TEXT')}" for n, v in columns.items())
        cell = lambda v: "\\N" if v is None else str(v).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
        lines = "".join("\t".join(map(cell, row)) + "\n" for row in zip(*columns.values()))
        printed = self.server(f"BEGIN;\nCREATE TEMPORARY TABLE {quoted(table)} ({names});\nCOPY {quoted(table)} FROM STDIN;\n"
                              f"{lines}\\.\n\\pset format csv\n{query}")
        path.write_text(printed[printed.index("class,part"):], encoding="utf-8", newline="")

    def spark(self, query, columns, path, table):
        from pyspark.sql.types import (BooleanType, DoubleType, LongType, StringType, StructField, StructType)
        kinds = {"BOOLEAN": BooleanType(), "BIGINT": LongType(), "DOUBLE": DoubleType(), "VARCHAR": StringType()}
        schema = StructType([StructField(n, kinds[type_of(v, "DOUBLE", "VARCHAR")]) for n, v in columns.items()])
        rows = [tuple(float(v) if isinstance(kind.dataType, DoubleType) and v is not None else v
                      for v, kind in zip(row, schema)) for row in zip(*columns.values())]
        self.server.createDataFrame(rows, schema).createOrReplaceTempView(table)
        answer = self.server.sql(query.rstrip().rstrip(";"))
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(answer.columns)
            writer.writerows(answer.collect())


@pytest.fixture(params=ENGINES)
def engine(request):
    return Engine(request.param, request)


def cell(text):
    """A cell of CSV as a database has it."""
    if text in ("", "NA", "?"):
        return None
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def columns_of(lines):
    return {name: [cell(line[name]) for line in lines] for name in lines[0]}


def write_csv(path, columns):
    written = lambda v: "" if v is None else str(v).lower() if isinstance(v, bool) else repr(v) if isinstance(v, float) else v
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([written(v) for v in row] for row in zip(*columns.values()))
    return path


def tensors(path):
    with safe_open(path, "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def assert_same_sums(path, expected):
    """Scatters to 1e-12 relative to √(S_ii S_jj), means in deviations; counts and names exactly."""
    shown, truth = good_json("show", path), good_json("show", expected)
    assert shown["labels"] == truth["labels"]
    assert shown["weights"] == truth["weights"]
    assert [b["features"] for b in shown["blocks"]] == [b["features"] for b in truth["blocks"]]
    for got, block in zip(shown["blocks"], truth["blocks"]):
        assert got["family"] == block["family"]
        if block["family"] != "gaussian":
            assert got.keys() == block.keys()
            for key in set(block) - {"sum"}:
                assert got[key] == block[key], key
            if "sum" in block:
                assert np.allclose(got["sum"], block["sum"], rtol=1e-13, atol=0)
            continue
        for k, weight in enumerate(truth["weights"]):
            scatter, mine = np.array(block["scatter"][k]), np.array(got["scatter"][k])
            squares = np.diag(scatter) if scatter.ndim == 2 else scatter
            size = np.sqrt(squares)
            allowed = np.outer(size, size) if scatter.ndim == 2 else squares
            assert (np.abs(mine - scatter) <= 1e-12 * allowed).all()
            away = np.abs(np.array(got["mean"][k]) - np.array(block["mean"][k]))
            assert (away <= 1e-12 * size / math.sqrt(weight or 1) + np.spacing(np.abs(block["mean"][k]))).all()
    mine, theirs = tensors(path), tensors(expected)
    assert np.allclose(mine["squared_weights"], theirs["squared_weights"], rtol=1e-13, atol=0)
    for name, numbers in theirs.items():
        if ".present.squares" in name:
            assert np.allclose(mine[name], numbers, rtol=1e-12, atol=0)
        elif ".present.mean" in name and not name.endswith("_low"):
            size = np.sqrt(theirs[name.replace("mean", "squares")])
            assert (np.abs(mine[name] - numbers) <= 1e-12 * size + np.spacing(np.abs(numbers))).all()
        elif ".present.weight" in name or name.endswith(".complete.weight"):
            assert np.allclose(mine[name], numbers, rtol=1e-13, atol=0)


def assert_near(got, expected):
    """The same JSON, with numbers to 1e-10."""
    if isinstance(expected, dict):
        assert got.keys() == expected.keys()
        got, expected = list(got.values()), list(expected.values())
    if isinstance(expected, list):
        assert len(got) == len(expected)
        for a, b in zip(got, expected):
            assert_near(a, b)
    elif isinstance(expected, float):
        assert got == pytest.approx(expected, rel=1e-10, abs=1e-300)
    else:
        assert got == expected


def check(engine, columns, folder, flags, ending=".csv"):
    table = write_csv(folder / "rows.csv", columns)
    good("stats", table, *flags, "-o", folder / "rows.stats")
    query = good("stats", table, *flags, "--sql", engine.name)
    engine(query, columns, folder / f"answer{ending}")
    good("stats", "--from-sql", folder / f"answer{ending}", "-o", folder / "sums.stats")
    assert_same_sums(folder / "sums.stats", folder / "rows.stats")


@pytest.mark.parametrize("name, flags, most", [
    ("penguins.csv.gz", ["--label", "species"], None),
    ("penguins.csv.gz", ["--label", "species", "--covariance", "diag"], None),
    ("census_train.csv.gz", ["--label", "income"], 10000),
    ("census_train.csv.gz", ["--label", "income", "--weight", "hours_per_week"], 5000),
    ("glyphs.csv.gz", ["--label", "letter"], None),
    ("glyphs.csv.gz", ["--label", "letter", "--covariance", "diag", "--family", "*=poisson"], 4000),
])
def test_data_sets(engine, name, flags, most, data, tmp_path):
    columns = columns_of(read_table(data(name), most))
    check(engine, columns, tmp_path, flags, ending=".parquet" if engine.name == "duckdb" else ".csv")


NIST = {  # certified mean and standard deviation, and the digits that a corrected two-pass sum reaches
    "PiDigits": (4.53480000000000, 2.86733906028871, 13), "Lottery": (518.958715596330, 291.699727470969, 13),
    "Lew": (-177.435000000000, 277.332168044316, 13), "Mavro": (2.00185600000000, 0.000429123454003053, 13),
    "Michelso": (299.852400000000, 0.0790105478190518, 13), "NumAcc1": (10000002, 1, 15),
    "NumAcc2": (1.2, 0.1, 14), "NumAcc3": (1000000.2, 0.1, 9.4), "NumAcc4": (10000000.2, 0.1, 8.2)}


def digits(got, certified):
    return 15 if got == certified else min(15, -math.log10(abs(got - certified) / abs(certified)))


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_nist(engine, covariance, data, tmp_path):
    """All sets at once, one class each."""
    columns = {"set": [], "x": []}
    for name in NIST:
        text = data(f"nist_strd/{name}.dat").read_text(encoding="latin-1").splitlines()
        begin = max(i for i, line in enumerate(text) if line.strip() and not line.strip(" -")) + 1
        values = [float(line) for line in text[begin:] if line.strip()]
        columns["set"] += [name] * len(values)
        columns["x"] += values
    query = good("stats", "--sql", engine.name, "--features", "x", "--label", "set", "--covariance", covariance)
    engine(query, columns, tmp_path / "answer.csv")
    good("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "nist.stats")
    shown = good_json("show", tmp_path / "nist.stats")
    assert shown["labels"] == sorted(NIST)
    for name, weight, mean, scatter in zip(shown["labels"], shown["weights"], shown["blocks"][0]["mean"],
                                           shown["blocks"][0]["scatter"]):
        certified_mean, deviation, enough = NIST[name]
        assert digits(mean[0], certified_mean) >= 14, name
        assert digits(math.sqrt(np.ravel(scatter)[0] / (weight - 1)), deviation) >= enough, name


def generated(rows=3000, seed=5):
    """All families, missing values, weights of 0, an offset of 1e9 and names of all kinds."""
    rng = np.random.default_rng(seed)
    gone = lambda values, share: [None if lost else v for v, lost in zip(values, rng.random(rows) < share)]
    classes = ["a", "it's", 'with "quotes"', "größer, 日本", "B", " two\nlines "]
    label = [classes[k] for k in rng.integers(0, len(classes), rows)]
    base = rng.normal(size=rows)
    return {
        "the label": gone(label, 0.02),
        "far": gone((1e9 + base + rng.normal(size=rows)).tolist(), 0.1),
        "x y": gone((base * 1e-7).tolist(), 0.05),
        "constant": [0.1] * rows,
        "price": gone(np.exp(rng.normal(size=rows)).tolist(), 0.03),
        'lev"el': gone([["null!", "-", "b'c", "\\", "%s :x"][k] for k in rng.integers(0, 5, rows)], 0.1),
        "yes": gone((rng.random(rows) < 0.3).tolist(), 0.1),
        "code": gone(rng.integers(0, 4, rows).tolist(), 0.1),
        "count": gone(rng.poisson(3, rows).tolist(), 0.1),
        "word_a": rng.poisson(1, rows).tolist(), "word_b": rng.poisson(2, rows).tolist(),
        "wait": gone(rng.exponential(2, rows).tolist(), 0.1),
        "times": rng.integers(0, 4, rows).tolist(),
    }


FLAGS = ["--label", "the label", "--family", "code=categorical", "--family", "yes=bernoulli", "--family",
         "count=poisson", "--family", "word*=multinomial", "--family", "wait=exponential", "--transform", "price=log"]


def reference(columns, folder, *flags):
    """Statistics of the rows, from Parquet."""
    pandas.DataFrame({n: pandas.array(v, dtype={"BOOLEAN": "boolean", "BIGINT": "Int64", "DOUBLE": "Float64",
                                                "VARCHAR": "string"}[type_of(v, "DOUBLE", "VARCHAR")])
                      for n, v in columns.items()}).to_parquet(folder / "rows.parquet", index=False)
    good("stats", folder / "rows.parquet", *flags, "-o", folder / "rows.stats")
    return folder / "rows.stats"


@pytest.mark.parametrize("flags", [[], ["--weight", "times"], ["--weight", "times", "--covariance", "diag"],
                                   ["--ignore", "times", "--features", "code,lev*"]])
def test_all_families(engine, flags, tmp_path):
    columns = generated()
    rows = reference(columns, tmp_path, *FLAGS, *flags) if "--features" not in flags else reference(
        columns, tmp_path, "--label", "the label", "--family", "code=categorical", *flags)
    query = good("stats", "--sql", engine.name, "--table", '"odd ""name"', "--like", rows,
                 *(flags[:2] if "--weight" in flags else []), *(flags[2:] if "diag" in flags else []))
    engine(query, columns, tmp_path / "answer.csv", 'odd "name')
    said = good_json("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "sums.stats")
    assert_same_sums(tmp_path / "sums.stats", rows)
    unlabelled = sum(1 for label, times in zip(columns["the label"], columns["times"])
                     if label is None and (times or "--weight" not in flags))
    assert any(f"{unlabelled} rows" in warning for warning in said["warnings"])
    # A model of the sums is that of the rows.
    shown = []
    for name in ("sums", "rows"):
        good("fit", tmp_path / f"{name}.stats", "--covariance", "diag", "-o", tmp_path / f"{name}.suffice")
        shown.append(good_json("show", tmp_path / f"{name}.suffice"))
    assert_near(*({key: model[key] for key in ("label", "labels", "weights", "blocks")} for model in shown))


def test_spark(request, tmp_path):
    engine = Engine("spark", request)
    columns = generated(400)
    for flags in ([], ["--weight", "times", "--covariance", "diag"]):
        rows = reference(columns, tmp_path, *FLAGS, *flags)
        engine(good("stats", "--sql", "spark", "--like", rows, *flags), columns, tmp_path / "answer.csv")
        good("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "sums.stats")
        assert_same_sums(tmp_path / "sums.stats", rows)


def test_names_of_numbers(engine, tmp_path):
    """1.0 is the class 1, as in every other table; 0.5 has its shortest digits."""
    columns = {"x": [1.0, 2.0, 4.0, 8.0, 3.0, 5.0], "y": [1.0, 1.0, 0.5, 0.5, 1e20, None],
               "z": [0.1, 10.0, None, -0.0, 10.0, 0.1]}
    rows = reference(columns, tmp_path, "--label", "y", "--family", "z=categorical")
    engine(good("stats", "--sql", engine.name, "--like", rows), columns, tmp_path / "answer.csv")
    good("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "sums.stats", "--quiet")
    assert_same_sums(tmp_path / "sums.stats", rows)
    assert good_json("show", tmp_path / "sums.stats")["labels"] == ["0.5", "1", "100000000000000000000"]


def test_words_are_names(engine, tmp_path):
    """In a database NULL is missing, and NA, null and an empty text are names as any other."""
    columns = {"c": ["NA", "?", "", None, "NA"], "y": ["NA", "null", "", "NA", None]}
    engine(good("stats", "--sql", engine.name, "--family", "c=categorical", "--label", "y"), columns,
           tmp_path / "answer.csv")
    good("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "sums.stats", "--quiet")
    shown = good_json("show", tmp_path / "sums.stats")
    assert shown["labels"] == ["", "NA", "null"] and shown["weights"] == [1, 2, 1]
    assert shown["blocks"][0]["levels"] == [["", "?", "NA"]]
    assert shown["blocks"][0]["count"] == [[[1, 0, 0], [0, 0, 1], [0, 1, 0]]]


def test_one_class_and_named_columns(engine, tmp_path):
    """Nothing is needed but the names of the columns; worked by hand."""
    columns = {"x": [1.0, 3.0, None], "n": [2, 0, 7], "c": ["u", "v", "u"]}
    query = good("stats", "--sql", engine.name, "--no-label", "--features", "x,n,c", "--family",
                 "n=poisson,c=categorical")
    engine(query, columns, tmp_path / "answer.csv")
    good("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "sums.stats")
    shown = good_json("show", tmp_path / "sums.stats")
    assert shown["labels"] == ["inlier"] and shown["weights"] == [3]
    gaussian, poisson, categorical = shown["blocks"]
    assert gaussian["mean"] == [[2]] and gaussian["scatter"] == [[[2]]]
    assert poisson["sum"] == [[9]]
    assert categorical["levels"] == [["u", "v"]] and categorical["count"] == [[[2, 1]]]


def test_many_columns(engine, tmp_path):
    """More sums than PostgreSQL has columns."""
    rng = np.random.default_rng(3)
    mixed = rng.normal(size=(200, 70)) @ rng.normal(size=(70, 70)) + 100
    columns = {"k": [i % 2 for i in range(200)], **{f"x{j}": mixed[:, j].tolist() for j in range(70)}}
    check(engine, columns, tmp_path, ["--label", "k"])


# ---- Bad input

@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """The lines of a good answer."""
    python_module("duckdb", "run the query")
    folder = tmp_path_factory.mktemp("answer")
    columns = {"x": [1.0, 2.0, 5.0, None, 3.0, 4.0], "z": [2.0, 1.0, 7.0, 1.0, 3.0, 8.0],
               "c": ["u", "v", "u", None, "v", "u"], "y": ["a", "a", "a", "b", "b", "b"]}
    query = good("stats", write_csv(folder / "rows.csv", columns), "--label", "y", "--sql", "duckdb")
    engine = Engine("duckdb", None)
    engine(query, columns, folder / "answer.csv")
    return (folder / "answer.csv").read_text(encoding="utf-8").splitlines()


def from_lines(lines, folder):
    (folder / "answer.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run("stats", "--from-sql", "answer.csv", "-o", "out.stats", folder=folder)


def test_the_order_of_rows_does_not_matter(answer, tmp_path):
    header, *lines = answer
    assert from_lines([header, *lines[::-1]], tmp_path).returncode == 0
    first = (tmp_path / "out.stats").read_bytes()
    assert from_lines(answer, tmp_path).returncode == 0
    assert (tmp_path / "out.stats").read_bytes() == first


def test_every_row_of_the_answer_is_needed(answer, tmp_path):
    """Whichever is missing, the file is refused: nothing is filled in. Only what no sum is made of may be
    missing."""
    def is_needed(line):
        _, part, kind, i, j, *_ = line.split(",")
        if part == "1":  # x and z are complete, so their weights are that of the group
            return kind not in ("rows", "first_bad") and not (kind == "weight" and i in ("0", "1"))
        if part == "0":  # the row of class b without x, column 0
            return kind not in ("rows", "first_bad") and (kind == "weight" or "0" not in (i, j))
        return True

    header, *lines = answer
    assert {line.split(",")[1] for line in lines} == {"", "0", "1"}
    for k, line in enumerate(lines):
        done = from_lines([header, *lines[:k], *lines[k + 1:]], tmp_path)
        assert (done.returncode != 0) == is_needed(line), line


def test_bad_answers(answer, tmp_path):
    header, *lines = answer
    refused(from_lines([header], tmp_path), 1, "answer.csv")
    refused(from_lines([header, *lines[-3:]], tmp_path), 1, "answer.csv", "description")
    refused(from_lines([header, *lines, *lines], tmp_path), 1, "answer.csv", "two")
    without_b = [line for line in lines if not line.startswith("'b'")]
    refused(from_lines([header, *without_b], tmp_path), 1, "groups", "the table has 3")
    refused(from_lines([header.replace("kind", "sort"), *lines], tmp_path), 1, "no column 'kind'", "--sql")
    newer = [line.replace("suffice,,,,1.0", "suffice,,,,9.0") for line in lines]
    assert newer != lines
    refused(from_lines([header, *newer], tmp_path), 1, "version 9")
    product = next(k for k, line in enumerate(lines) if line.startswith("'a',1,product,1,0"))
    null = [*lines[:product], lines[product].rpartition(",")[0] + ",", *lines[product + 1:]]
    refused(from_lines([header, *null], tmp_path), 1, "NULL", "class 'a'", "'z'")
    unquoted = [line.replace("'a'", "a") for line in lines]
    refused(from_lines([header, *unquoted], tmp_path), 1, "quotes")
    unknown = [*lines, "'a',1,median,0,,,1.0"]
    refused(from_lines([header, *unknown], tmp_path), 1, "median")
    level = [line for line in lines if not line.startswith("'a',,count,2,,'v'")]
    assert len(level) == len(lines) - 1
    refused(from_lines([header, *level], tmp_path), 1, "counts of levels", "'c'", "class 'a'")
    (tmp_path / "table.csv").write_text("x,y\n1,a\n")
    refused(run("stats", "--from-sql", "table.csv", "-o", "out.stats", folder=tmp_path), 1, "table.csv", "no column")


@pytest.mark.parametrize("family, value, words", [
    ("gaussian", "inf", ["infinite", "'x'", "2 rows"]), ("poisson", 0.5, ["whole", "'x'"]), ("bernoulli", 2.0, ["0 or 1"]),
    ("exponential", -1.0, ["from 0 on"]), ("multinomial", None, ["missing", "0 for a word"])])
def test_values_that_a_family_cannot_have(engine, family, value, words, tmp_path):
    columns = {"x": [1.0, float(value) if value is not None else None, 0.0, float(value or 0), 1.0],
               "y": ["a", "a", "b", "b", "b"]}
    if value is None:
        columns["x"][3] = 1.0
    query = good("stats", "--sql", engine.name, "--features", "x", "--label", "y", "--family", f"x={family}")
    engine(query, columns, tmp_path / "answer.csv")
    refused(run("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "out.stats"), 1, *words)


def test_other_bad_tables(engine, tmp_path):
    def answered(columns, *words):
        engine(good("stats", "--sql", engine.name, "--features", "x", "--label", "y", *words), columns,
               tmp_path / "answer.csv")
        return run("stats", "--from-sql", tmp_path / "answer.csv", "-o", tmp_path / "out.stats")
    x, y = [1.0, 2.0, 4.0], ["a", "b", "b"]
    refused(answered({"x": x, "y": y, "w": [1.0, -1.0, 1.0]}, "--weight", "w"), 1, "weight", "negative")
    refused(answered({"x": x, "y": y, "w": [1.0, None, 1.0]}, "--weight", "w"), 1, "weight", "missing")
    refused(answered({"x": x, "y": y, "w": [0, 0, 0]}, "--weight", "w"), 1, "no rows of a weight above 0")
    refused(answered({"x": [-1.0, 2.0, 3.0], "y": y}, "--transform", "x=log"), 1, "'log' cannot transform", "'x'")
    refused(answered({"x": x, "y": [None, None, None]}), 1, "no row of the table has a label")


@pytest.mark.parametrize("words, needles", [
    (["--sql", "oracle"], ["--sql", "duckdb"]),
    (["--sql", "duckdb"], ["--features", "--like"]),
    (["--sql", "duckdb", "--label", "y"], ["--features", "--like"]),
    (["--sql", "duckdb", "--features", "x"], ["--label"]),
    (["--sql", "duckdb", "--features", "x*", "--label", "y"], ["x*", "pattern"]),
    (["--sql", "duckdb", "--features", "x", "--label", "y", "--family", "z=poisson"], ["--family", "'z'", "'x'"]),
    (["--sql", "duckdb", "--features", "x", "--label", "y", "--transform", "z=log"], ["--transform", "'z'", "'x'"]),
    (["--sql", "duckdb", "--family", "x=poisson", "--label", "y", "--transform", "x=log"], ["'x' is poisson"]),
    (["--sql", "duckdb", "--like", "m.suffice", "--features", "x"], ["--like", "--features"]),
    (["--sql", "duckdb", "--like", "m.suffice", "--ignore", "x"], ["--like", "--ignore"]),
    (["--sql", "duckdb", "--like", "m.suffice", "--family", "x=poisson"], ["--like", "--family"]),
    (["--sql", "duckdb", "--like", "m.suffice", "--transform", "x=log"], ["--like", "--transform"]),
    (["--sql", "duckdb", "--features", "x", "--label", "y", "--json"], ["-o"]),
    (["--sql", "duckdb", "--features", "x", "--label", "y", "--reservoir", "5"], ["--reservoir"]),
    (["--table", "t", "rows.csv", "--label", "y", "-o", "o.stats"], ["--table", "--sql"]),
    (["-o", "o.stats"], ["DATA"]),
    (["--from-sql", "-o", "o.stats"], ["DATA"]),
    (["--from-sql", "answer.csv"], ["-o"]),
    (["--from-sql", "answer.csv", "--label", "y", "-o", "o.stats"], ["--label"]),
    (["--from-sql", "answer.csv", "--sql", "duckdb", "-o", "o.stats"], ["--sql"]),
])
def test_wrong_commands(words, needles, tmp_path):
    refused(run("stats", *words, folder=tmp_path), 2, *needles)


def test_what_a_query_cannot_do(tmp_path):
    words = ["stats", "--sql", "duckdb", "--label", "y"]
    refused(run(*words, "--features", ",".join(f"x{j}" for j in range(400))), 1, "sums", "--covariance diag")
    refused(run(*words, "--features", "x", "--table", "a..b"), 1, "a..b")
    refused(run(*words, "--features", "x", "--table", "suffice_rows"), 1, "suffice_rows")
    refused(run(*words, "--features", "x,y"), 1, "'y'", "label")
    assert "diagonal" in good(*words, "--features", ",".join(f"x{j}" for j in range(400)), "--covariance", "diag")
