"""Statistics that a database computes: queries are written and answers read by the engine; here
they are only run, on whatever connection the caller has."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from . import _core as engine
from ._errors import warn
from ._inferred import inferred_schema
from ._schema import Schema
from ._source import Columned, Kind, listed, require_distinct, unsupported

Row = Sequence[Any]


class Database:
    """A connection, and the dialect that it speaks."""

    def __init__(self, connection: Any) -> None:
        package = type(connection).__module__.partition(".")[0]
        self._connection = connection
        if package in ("duckdb", "_duckdb"):
            self._run, self.dialect = self._in_duckdb, "duckdb"
        elif package in ("psycopg", "psycopg2"):
            self._run, self.dialect = self._in_psycopg, "postgres"
        elif package == "sqlalchemy" and hasattr(connection, "dialect"):
            self._run, self.dialect = self._in_sqlalchemy, _named(connection.dialect.name)
        elif package == "pyspark" and hasattr(connection, "sql"):
            self._run, self.dialect = self._in_spark, "spark"
        else:
            raise ValueError(
                f"connection is a {type(connection).__module__}.{type(connection).__qualname__}; it "
                "must be a connection of DuckDB, psycopg or SQLAlchemy, or a session of Spark"
            )

    def run(self, query: str) -> tuple[list[str], list[Row]]:
        """The names of the columns, and the rows."""
        return self._run(query)

    def run_long(self, query: str) -> list[Row]:
        """The rows of a query with many sums. PostgreSQL would compile each of them, which takes
        longer than the work."""
        if self.dialect != "postgres":
            return self.run(query)[1]
        setting = "SELECT set_config('jit', {}, false)"
        _, [(before,)] = self.run("SELECT current_setting('jit')")
        self.run(setting.format("'off'"))
        try:
            return self.run(query)[1]
        finally:
            with suppress(Exception):  # a transaction that fails takes no query, and restores it itself
                self.run(setting.format(f"'{before}'"))

    def _in_duckdb(self, query: str) -> tuple[list[str], list[Row]]:
        result = self._connection.execute(query)
        return [column[0] for column in result.description], result.fetchall()

    def _in_psycopg(self, query: str) -> tuple[list[str], list[Row]]:
        # Nothing is passed beside the query, so a % in it is no placeholder.
        with self._connection.cursor(**_plain_rows(self._connection)) as cursor:
            cursor.execute(query)
            rows: list[Row] = cursor.fetchall()
            return [column[0] for column in cursor.description], rows

    def _in_sqlalchemy(self, query: str) -> tuple[list[str], list[Row]]:
        options = {"no_parameters": True}
        result = self._connection.exec_driver_sql(query, execution_options=options)
        return list(result.keys()), [tuple(row) for row in result]

    def _in_spark(self, query: str) -> tuple[list[str], list[Row]]:
        result = self._connection.sql(query.rstrip().rstrip(";"))
        return list(result.columns), [tuple(row) for row in result.collect()]


def _named(dialect: str) -> str:
    """Our name of a dialect of SQLAlchemy."""
    names = {"postgresql": "postgres", "duckdb": "duckdb"}
    if dialect not in names:
        raise ValueError(
            f"connection speaks the dialect {dialect}; sums can be computed by DuckDB and "
            "PostgreSQL, and rows of other databases can be read with Statistics.update"
        )
    return names[dialect]


def _plain_rows(connection: Any) -> dict[str, Any]:
    """What makes a cursor give tuples, whatever the connection's own cursors give."""
    if type(connection).__module__.partition(".")[0] == "psycopg":
        return {"row_factory": import_module("psycopg.rows").tuple_row}
    return {"cursor_factory": import_module("psycopg2.extensions").cursor}


@contextmanager
def database_of(connection: Any) -> Iterator[Database]:
    """The database of a connection; an engine of SQLAlchemy opens one for all queries."""
    package = type(connection).__module__.partition(".")[0]
    if package != "sqlalchemy" or hasattr(connection, "exec_driver_sql"):
        yield Database(connection)
        return
    with connection.connect() as opened:
        yield Database(opened)


class SqlTable(Columned):
    """The columns of a table and their types, without the rows."""

    def __init__(self, database: Database, table: str, ignore: Sequence[str]) -> None:
        names, _ = database.run(engine.columns_query(database.dialect, table))
        patterns = [ignore] if isinstance(ignore, str) else list(ignore)
        for pattern in patterns:
            if not any(engine.matches(pattern, name) for name in names):
                raise ValueError(f"ignore: there is no column '{pattern}'; there are {listed(names)}")
        kept = [
            name for name in names if not any(engine.matches(pattern, name) for pattern in patterns)
        ]
        self.names = require_distinct(kept)
        self.width = len(kept)
        _, rows = database.run(engine.types_query(database.dialect, table, kept))
        if not rows:
            raise ValueError(f"the table '{table}' has no rows")
        self._types = [str(cell) for cell in rows[0]]

    def kind(self, position: int) -> Kind:
        values = engine.values_of_sql_type(self._types[position])
        if values == "number":
            return "number"
        if values == "name":
            return "name"
        raise unsupported(self.column_names()[position], self._types[position])


def inferred_from(
    database: Database,
    table: str,
    label: str | None,
    weight: str | None,
    family: str | Mapping[str, str] | None,
    transforms: Mapping[str, str] | None,
    ignore: Sequence[str],
) -> Schema:
    """The schema of a table by the types of its columns."""
    columns = SqlTable(database, table, ignore)
    return inferred_schema(columns, label, weight, family, transforms)


def sums_in(
    database: Database,
    table: str,
    schema: Schema,
    label: str | None,
    weight: str | None,
    is_dense: bool,
) -> engine.Statistics:
    """The sums of a table, computed in the database."""
    core = schema._core if label is None else schema._core.with_label(label)
    query = engine.sums_query(core, database.dialect, table, weight or "", is_dense)
    statistics, unlabelled = engine.statistics_from_answer(database.run_long(query))
    if unlabelled:
        rows = "1 row has no label and is" if unlabelled == 1 else (
            f"{unlabelled:.0f} rows have no label and are")
        warn(f"{rows} left out")
    return statistics
