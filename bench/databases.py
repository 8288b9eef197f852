"""Sums of a table in a database: computed there by the query of Statistics.from_sql, or from rows that are
handed out. Prints tables in Markdown.

usage: databases.py [--rows N] [--columns D] [--repeats N]

Needs the package with duckdb, psycopg and a PostgreSQL server (Debian: postgresql), which it starts itself.
Times are the best of several runs; nothing else should run meanwhile.
"""
import argparse
import io
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import psycopg
import pyarrow

import suffice
from suffice import Statistics

sys.path.append(str(Path(__file__).parents[1] / "tests" / "cli"))
import postgres  # noqa: E402


def best(work, repeats):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
    return min(times), result


def difference(a, b):
    """The largest difference of two scatters, relative to √(S_ii S_jj)."""
    largest = 0
    for s, t in zip(a.blocks[0]["scatter"], b.blocks[0]["scatter"]):
        size = np.sqrt(np.diag(t) if t.ndim == 2 else t)
        largest = max(largest, (np.abs(s - t) / (np.outer(size, size) if t.ndim == 2 else size**2)).max())
    return largest


def print_row(engine, what, covariance, seconds, statistics, truth):
    print(f"| {engine} | {what} | {covariance} | {seconds:.2f} | {difference(statistics, truth):.0e} |", flush=True)


def in_duckdb(table, repeats, truth):
    connection = duckdb.connect()
    connection.register("arrow", table)
    connection.execute("CREATE TABLE data AS SELECT * FROM arrow")
    for covariance in ("full", "diag"):
        seconds, sums = best(lambda: Statistics.from_sql(connection, "data", "y", covariance=covariance), repeats)
        print_row("DuckDB", "`from_sql`: the query", covariance, seconds, sums, truth[covariance])
        seconds, sums = best(lambda: Statistics.of(connection.table("data"), "y", covariance=covariance), repeats)
        print_row("DuckDB", "`of(relation)`: a stream of Arrow", covariance, seconds, sums, truth[covariance])


def copied(connection, folder, covariance):
    """All rows as CSV, then the sums of the file."""
    path = Path(folder) / "rows.csv"
    with connection.cursor() as cursor, open(path, "wb") as file:
        with cursor.copy("COPY data TO STDOUT (FORMAT csv, HEADER)") as rows:
            for block in rows:
                file.write(block)
    return Statistics.of(path, "y", covariance=covariance)


def fetched(connection, covariance, **cursor):
    """Blocks of rows, as objects of Python, then as arrays."""
    sums = Statistics(covariance=covariance)
    with connection.cursor(**cursor) as rows:
        rows.execute("SELECT * FROM data")
        names = [column[0] for column in rows.description]
        while block := rows.fetchmany(20_000):
            numbers = np.array(block)
            y = numbers[:, names.index("y")].astype(int)
            sums.update(np.ascontiguousarray(np.delete(numbers, names.index("y"), axis=1)), y)
    return sums


def in_postgres(table, repeats, truth):
    with postgres.server() as server, tempfile.TemporaryDirectory() as folder:
        host, user, name = (server.environment[k] for k in ("PGHOST", "PGUSER", "PGDATABASE"))
        connection = psycopg.connect(host=host, user=user, dbname=name)
        with connection.cursor() as cursor:
            columns = ", ".join(f"{n} {'integer' if n == 'y' else 'double precision'}" for n in table.column_names)
            cursor.execute(f"CREATE TABLE data ({columns})")
            text = io.BytesIO()
            import pyarrow.csv
            pyarrow.csv.write_csv(table, text)
            with cursor.copy("COPY data FROM STDIN (FORMAT csv, HEADER)") as rows:
                rows.write(text.getvalue())
            cursor.execute("ANALYZE data")
        connection.commit()
        for memory in ("4MB", "256MB"):
            connection.execute(f"SET work_mem = '{memory}'")
            for covariance in ("full", "diag"):
                seconds, sums = best(lambda: Statistics.from_sql(connection, "data", "y", covariance=covariance), repeats)
                print_row("PostgreSQL", f"`from_sql`: the query, `work_mem` {memory}", covariance, seconds, sums,
                          truth[covariance])
        for what, work in (("rows by `COPY … TO` as CSV", lambda: copied(connection, folder, "full")),
                           ("rows by a binary cursor of the server",
                            lambda: fetched(connection, "full", binary=True, name="rows")),
                           ("rows by `fetchmany`", lambda: fetched(connection, "full"))):
            seconds, sums = best(work, repeats)
            print_row("PostgreSQL", what, "full", seconds, sums, truth["full"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    y = random.integers(0, 10, options.rows)
    x = random.normal(size=(options.rows, options.columns)) + y[:, None]
    table = pyarrow.table({**{f"x{j}": x[:, j] for j in range(options.columns)}, "y": y})
    truth = {covariance: Statistics.of(table, "y", covariance=covariance) for covariance in ("full", "diag")}
    print(f"{options.rows:,} rows × {options.columns} numbers, 10 classes; DuckDB {duckdb.__version__}\n")
    print("| engine | how | covariance | seconds | difference |\n|---|---|---|---|---|")
    in_duckdb(table, options.repeats, truth)
    in_postgres(table, options.repeats, truth)


if __name__ == "__main__":
    assert suffice.__version__
    main()
