"""Tables in files: what the command line reads, and at its speed."""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._arrow import ArrowTable, Stream
from ._optional import optional
from ._source import Columned, Kind, Source, listed, unsupported

if TYPE_CHECKING:
    from ._schema import Schema

Path = Union[str, "os.PathLike[str]"]

_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")


class Files:
    """Tables in files, with what their reader must know. A path alone can be given as it is.

    Parameters
    ----------
    *paths : str or path
        Files, globs and folders, which are read as one table, columns matched by name: CSV and TSV,
        NDJSON, NPY, IDX and LIBSVM, plain or packed by gzip or zstd; Parquet and Arrow where pyarrow
        is installed.
    labels : path, optional
        A file of its own that has the labels, one for each row.
    format : str, optional
        "csv", "tsv", "ndjson", "parquet", "arrow", "npy", "idx" or "libsvm"; by default the name and
        the content of a file tell.
    header : bool
        Whether the first line has the names of the columns.
    separator : str, optional
        What stands between cells; found by default.
    na : sequence of str
        Further words for a missing value.
    ignore : sequence of str
        Columns, or patterns with * and ?, that are left out.
    index_base : {1, 0}
        The number of the first feature in a LIBSVM file.
    names : path, optional
        A file with the names of columns that have none, one per line.

    See Also
    --------
    Statistics.of : Takes them in the place of an array.
    Schema : What the columns mean.

    Examples
    --------
    >>> import suffice
    >>> suffice.Files("day-*.csv.gz", na=["-999"], ignore=["id"])
    Files('day-*.csv.gz', na=['-999'], ignore=['id'])
    """

    def __init__(
        self,
        *paths: Path,
        labels: Path | None = None,
        format: str | None = None,
        header: bool = True,
        separator: str | None = None,
        na: Sequence[str] = (),
        ignore: Sequence[str] = (),
        index_base: int = 1,
        names: Path | None = None,
    ) -> None:
        if not paths:
            raise ValueError("there is no path: give at least one")
        if index_base not in (0, 1):
            raise ValueError(f"index_base={index_base!r}: it must be 0 or 1")
        self.paths = tuple(os.fspath(path) for path in paths)
        self.labels = None if labels is None else os.fspath(labels)
        self.format = format
        self.header = header
        self.separator = separator
        self.na = [na] if isinstance(na, str) else list(na)
        self.ignore = [ignore] if isinstance(ignore, str) else list(ignore)
        self.index_base = index_base
        self.names = None if names is None else os.fspath(names)

    def __repr__(self) -> str:
        given = [repr(path) for path in self.paths]
        plain = Files(*self.paths)
        for name, value in vars(self).items():
            if name != "paths" and value != vars(plain)[name]:
                given.append(f"{name}={value!r}")
        return f"Files({', '.join(given)})"

    def _open(self, threads: int) -> _core.FileTable:
        return _core.FileTable(
            list(self.paths), self.labels or "", self.format or "", self.header,
            self.separator or "", self.na, self.index_base, self.names or "", threads,
        )

    def _is_arrow(self) -> bool:
        """Whether these are Parquet or Arrow files, which pyarrow reads."""
        if self.format is not None:
            return self.format in ("parquet", "arrow")
        return any(
            path.endswith(_PARQUET + _ARROW) for path in _core.expand_paths(list(self.paths))
        )

    def _dataset(self) -> Any:
        dataset = optional("pyarrow.dataset", "reading Parquet and Arrow files")
        files = _core.expand_paths(list(self.paths))
        is_parquet = self.format == "parquet" or files[0].endswith(_PARQUET)
        endings = _PARQUET if is_parquet else _ARROW
        if self.format is None and not all(path.endswith(endings) for path in files):
            raise ValueError(f"X: these files have different formats: {listed(files)}")
        return dataset.dataset(files, format="parquet" if is_parquet else "feather")

    def _columns(self, names: Sequence[str]) -> list[str]:
        """Those that are not left out."""
        for pattern in self.ignore:
            if not any(_core.matches(pattern, name) for name in names):
                raise ValueError(f"ignore: there is no column '{pattern}'; there are {listed(names)}")
        return [
            name
            for name in names
            if not _core.is_index_column(name)
            and not any(_core.matches(pattern, name) for pattern in self.ignore)
        ]


def is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike, Files))


def table_of_files(X: Path | Files, threads: int = 0) -> Columned:
    """Columns of files, whose rows are read when they are wanted."""
    files = X if isinstance(X, Files) else Files(X)
    if files._is_arrow():
        dataset = files._dataset()
        columns = files._columns(dataset.schema.names)
        return Stream(dataset.scanner(columns=columns).to_reader())
    return FileStream(files, threads)


def readable_twice(X: Path | Files, threads: int = 0) -> Source | FileStream:
    """The same where the rows are read more than once: Parquet and Arrow files in memory."""
    files = X if isinstance(X, Files) else Files(X)
    if files._is_arrow():
        dataset = files._dataset()
        return ArrowTable(dataset.to_table(columns=files._columns(dataset.schema.names)))
    return FileStream(files, threads)


class FileColumn:
    """A column of files, for labels, weights or folds."""

    def __init__(self, name: str) -> None:
        self.name = name


class FileStream(Columned):
    """Rows of files that the engine's own readers read, once or several times."""

    def __init__(self, files: Files, threads: int = 0) -> None:
        self._files = files
        self._threads = threads
        self._table: _core.FileTable | None = files._open(threads)
        self._found = {name: (kind, type) for name, kind, type in self._table.columns}
        self.own_label = self._table.own_label
        self.sparse = self._table.sparse
        self.names = tuple(files._columns(list(self._found)))
        self.width = len(self.names)
        #: The rows that the last reading left out so far, since they have no label.
        self.unlabelled = 0

    def kind(self, position: int) -> Kind:
        assert self.names is not None
        kind, type = self._found[self.names[position]]
        if kind == "unsupported":
            raise unsupported(self.names[position], type)
        return "name" if kind == "name" else "number"

    def column(self, position: int) -> FileColumn:
        assert self.names is not None
        return FileColumn(self.names[position])

    def slices(
        self,
        schema: Schema,
        labels: Any = None,
        weights: Any = None,
        folds: Any = None,
    ) -> Iterator[tuple[int, _core.Rows]]:
        """The rows, as many at a time as the engine sums up, with the number of the first."""
        table = self._table or self._files._open(self._threads)
        self._table = None
        names = [column.name if column else "" for column in (labels, weights, folds)]
        table.select(schema._core, *names)
        first = 0
        while (rows := table.next()) is not None:
            self.unlabelled = table.unlabelled
            yield first, rows
            first += rows.size
        self.unlabelled = table.unlabelled
