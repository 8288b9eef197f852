"""Statistics.from_sql on connections of DuckDB, psycopg, SQLAlchemy and Spark, and streams of DuckDB."""
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import suffice

sys.path.append(str(Path(__file__).parents[1] / "cli"))
import postgres as postgres_server  # noqa: E402

duckdb = pytest.importorskip("duckdb", reason="no Python module duckdb")


@pytest.fixture(scope="module")
def server():
    try:
        with postgres_server.server() as running:
            yield running
    except postgres_server.NoServer as reason:
        pytest.skip(str(reason))


def rows(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    gone = lambda values, share: [None if lost else v for v, lost in zip(values, rng.random(n) < share)]
    base = rng.normal(size=n)
    return {
        "far": (1e9 + base + rng.normal(size=n)).tolist(),
        "x%s": gone((base + rng.normal(size=n)).tolist(), 0.1),
        "word": gone(rng.choice(["a:b", "c'd", "é"], n).tolist(), 0.1),
        "flag": (rng.random(n) < 0.5).tolist(),
        "n": rng.poisson(3, n).tolist(),
        "w": rng.integers(0, 3, n).tolist(),
        "kind": rng.integers(1, 4, n).tolist(),
    }


@pytest.fixture(scope="module")
def table():
    return rows()


def in_duckdb(table):
    import pyarrow
    connection = duckdb.connect()
    data = pyarrow.table(table)
    connection.register("arrow", data)
    connection.execute('CREATE TABLE "some.rows" AS SELECT * FROM arrow')
    return connection


TYPES = {"far": "double precision", "x%s": "real", "word": "text", "flag": "boolean", "n": "integer",
         "w": "numeric", "kind": "smallint"}


def in_postgres(server, table):
    psycopg = pytest.importorskip("psycopg", reason="no Python module psycopg")
    environment = server.environment
    connection = psycopg.connect(host=environment["PGHOST"], user=environment["PGUSER"],
                                 dbname=environment["PGDATABASE"])
    names = ", ".join(f'"{name}" {kind}' for name, kind in TYPES.items())
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE TEMPORARY TABLE "some.rows" ({names})'.replace("real", "double precision"))
        columns = ", ".join("%s" for _ in TYPES)
        cursor.executemany(f'INSERT INTO "some.rows" VALUES ({columns})', list(zip(*table.values())))
    connection.commit()  # SQLAlchemy begins with a rollback
    return connection


def assert_same(got, expected):
    """To 1e-12 relative to √(S_ii S_jj); means in deviations beyond their rounding."""
    assert got.labels == expected.labels and got.schema == expected.schema
    assert np.array_equal(got.classes_, expected.classes_)
    assert np.array_equal(got.weights, expected.weights)
    assert got.missing == expected.missing
    for a, b in zip(got.blocks, expected.blocks):
        assert a["family"] == b["family"] and a.keys() == b.keys()
        if a["family"] == "gaussian" and "pooled" in b:
            size = np.sqrt(np.diag(b["pooled"]))
            assert (np.abs(a["pooled"] - b["pooled"]) <= 1e-12 * np.outer(size, size)).all()
            assert (np.abs(a["squares"] - b["squares"]) <= 1e-12 * size**2).all()
            assert (np.abs(a["mean"] - b["mean"]) <= 1e-12 * size + np.spacing(np.abs(b["mean"]))).all()
        elif a["family"] == "gaussian":
            for k in range(len(got.labels)):
                s = b["scatter"][k]
                size = np.sqrt(np.diag(s) if s.ndim == 2 else s)
                assert (np.abs(a["scatter"][k] - s) <= 1e-12 * (np.outer(size, size) if s.ndim == 2 else size**2)).all()
                assert (np.abs(a["mean"][k] - b["mean"][k]) <= 1e-12 * size + np.spacing(np.abs(b["mean"][k]))).all()
        elif a["family"] == "categorical":
            assert [list(x) for x in a["levels"]] == [list(x) for x in b["levels"]]
            assert all(np.array_equal(x, y) for x, y in zip(a["count"], b["count"]))
        else:
            assert np.array_equal(a["sum"], b["sum"])


def check(connection, table):
    import pyarrow
    data = pyarrow.table(table)
    name = '"some.rows"'
    whole = {"family": {"n": "poisson"}}
    assert_same(suffice.Statistics.from_sql(connection, name, "kind", "w", **whole),
                suffice.Statistics.of(data, "kind", "w", **whole))
    assert_same(suffice.Statistics.from_sql(connection, name, "kind", ignore=["w", "f*"], covariance="diag"),
                suffice.Statistics.of(data.drop_columns(["w", "far", "flag"]), "kind", covariance="diag"))
    assert_same(suffice.Statistics.from_sql(connection, name, "kind", "w", covariance="tied", **whole),
                suffice.Statistics.of(data, "kind", "w", covariance="tied", **whole))
    schema = suffice.Schema({"x%s": "gaussian", "far": "gaussian", "word": "categorical"},
                            blocks=[["word"], ["far"], ["x%s"]], label="kind")
    assert_same(suffice.Statistics.from_sql(connection, name, schema=schema),
                suffice.Statistics(schema).update(data))


def test_duckdb(table):
    check(in_duckdb(table), table)


def test_psycopg(server, table):
    with in_postgres(server, table) as connection:
        check(connection, table)
        connection.row_factory = sys.modules["psycopg"].rows.dict_row
        check(connection, table)


def with_setting(connection):
    """A table whose column is the setting of jit while it is read."""
    connection.execute("CREATE TEMPORARY VIEW t AS SELECT current_setting('jit') AS jit, x, 'a' AS y "
                       "FROM (VALUES (1), (3)) AS v(x)")
    connection.commit()


def test_jit_is_off_while_sums_are_computed(server, table):
    """Also through an engine, whose connections end with a rollback; the setting is restored, also
    after an error that no transaction undoes."""
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="no Python module sqlalchemy")
    connection = in_postgres(server, table)
    with_setting(connection)
    connection.execute("SET jit = on")
    connection.commit()
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: connection)
    setting = lambda: connection.execute("SELECT current_setting('jit')").fetchone()[0]
    for given in (connection, engine):
        stats = suffice.Statistics.from_sql(given, "t", "y", ignore="x")
        assert [list(levels) for levels in stats.blocks[0]["levels"]] == [["off"]]
        assert setting() == "on"
    connection.commit()
    connection.autocommit = True
    connection.execute("CREATE TEMPORARY VIEW wrong AS SELECT 1 / (x - 3) AS x, y FROM t")
    with pytest.raises(sys.modules["psycopg"].errors.DivisionByZero):
        suffice.Statistics.from_sql(connection, "wrong", "y")
    assert setting() == "on"


def test_sqlalchemy(server, table):
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="no Python module sqlalchemy")
    connection = in_postgres(server, table)
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: connection)
    with engine.connect() as opened:
        check(opened, table)
        check(engine, table)
    with sqlalchemy.create_engine("sqlite://").connect() as opened:
        with pytest.raises(ValueError, match="sqlite"):
            suffice.Statistics.from_sql(opened, "t", "y")


def test_rows_without_a_label_are_counted():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1.0, 'a'), (3.0, 'a'), (7.0, NULL)) AS t(x, y)")
    with pytest.warns(suffice.SufficeWarning, match="^1 row has no label and is left out"):
        stats = suffice.Statistics.from_sql(connection, "t", "y")
    assert stats.blocks[0]["mean"] == [[2]] and stats.blocks[0]["scatter"] == [[[2]]]


def test_a_relation_is_streamed(table):
    """The relation hands out Arrow batches; NULL labels are refused there as in every stream."""
    connection = in_duckdb(table)
    streamed = suffice.Statistics.of(connection.table('"some.rows"'), "kind", "w")
    import pyarrow
    assert streamed == suffice.Statistics.of(pyarrow.table(table), "kind", "w")
    chosen = connection.sql('SELECT far, n, kind FROM "some.rows" WHERE flag')
    assert streamed.weights.sum() > suffice.Statistics.of(chosen, "kind").weights.sum() > 0


def test_the_sums_can_be_merged(table):
    """A database and rows that came later."""
    connection = in_duckdb(table)
    later = rows(500, seed=2)
    import pyarrow
    both = suffice.Statistics.from_sql(connection, '"some.rows"', "kind") + suffice.Statistics.of(
        pyarrow.table(later), "kind")
    whole = pyarrow.concat_tables([pyarrow.table(table), pyarrow.table(later)])
    assert_same(both, suffice.Statistics.of(whole, "kind"))


def test_scores_in_the_database(table):
    """Sums, a model of them, and its query, without a row leaving the database."""
    connection = in_duckdb(table)
    connection.execute('CREATE VIEW birds AS SELECT far, n, flag, kind FROM "some.rows"')
    model = suffice.Statistics.from_sql(connection, "birds", "kind").estimate("tied")
    query = model.export("sql", dialect="duckdb", table="birds")
    query = query.decode() if isinstance(query, bytes) else query
    found = connection.sql(f"SELECT far, n, flag, label FROM ({query.rstrip().rstrip(';')})").to_arrow_table()
    expected = model.decide(found.drop_columns(["label"]))
    assert [str(v) for v in found["label"].to_pylist()] == [str(v) for v in expected]


@pytest.mark.parametrize("change, message", [
    ({"connection": object()}, "must be a connection"),
    ({"label": "nothing"}, "no column 'nothing'"),
    ({"sample_weight": "nothing"}, "no column 'nothing'"),
    ({"ignore": ["z*"]}, "no column 'z"),
    ({"family": {"zz": "poisson"}}, "no column 'zz'"),
    ({"covariance": "spherical"}, "full"),
    ({"schema": {"x": "gaussian"}, "family": "poisson"}, "inferred"),
    ({"schema": {"x": "gaussian"}, "label": None}, "label"),
    ({"table": "a..b"}, "a..b"),
    ({"table": "empty"}, "no rows"),
    ({"table": "times"}, "'at' has the type"),
    ({"family": {"x": "poisson"}}, "whole"),
])
def test_mistakes(change, message):
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1.5, 'a'), (3.0, 'a')) AS t(x, y)")
    connection.execute("CREATE TABLE empty (x DOUBLE, y VARCHAR)")
    connection.execute("CREATE TABLE times AS SELECT now() AS at, 'a' AS y")
    words = {"connection": connection, "table": "t", "label": "y"} | change
    with pytest.raises(ValueError, match=message), warnings.catch_warnings():
        suffice.Statistics.from_sql(words.pop("connection"), words.pop("table"), **words)


def test_spark(table):
    pytest.importorskip("pyspark", reason="no Python module pyspark to run Spark SQL; script/install_spark installs it")
    import shutil
    if not shutil.which("java"):
        pytest.skip("no java (Debian: default-jre-headless) to run Spark SQL")
    import pyarrow
    from pyspark.sql import SparkSession
    some = {name: values[:300] for name, values in table.items()}
    before = SparkSession.getActiveSession()
    session = before or (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
               .config("spark.sql.shuffle.partitions", "1").getOrCreate())
    try:
        session.createDataFrame(list(zip(*some.values())), list(some)).createOrReplaceTempView("rows")
        assert_same(suffice.Statistics.from_sql(session, "rows", "kind", "w"),
                    suffice.Statistics.of(pyarrow.table(some), "kind", "w"))
    finally:
        if not before:
            session.stop()
