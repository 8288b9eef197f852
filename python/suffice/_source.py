"""What every kind of table looks like to the rest of the package: columns with names and kinds, of
which some rows are handed to the engine at a time."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from . import _core
from ._cached import cached_property

# What a column holds: bool can be read as numbers or as the names "false" and "true".
Kind = Literal["number", "bool", "name"]


class Wanted(NamedTuple):
    """A column that a feature is read from."""

    position: int
    name: str
    family: str


class WantedColumns:
    """The columns of all features, in the schema's order. `everything` says that these are all
    columns as they stand: then a wide table need not look at them one by one."""

    def __init__(self, make: Callable[[], Iterable[Wanted]], *, everything: bool = False) -> None:
        self._make = make
        self.everything = everything

    @cached_property
    def features(self) -> Sequence[Wanted]:
        return tuple(self._make())

    def __iter__(self) -> Iterator[Wanted]:
        return iter(self.features)

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, position: int) -> Wanted:
        return self.features[position]


class Columned(ABC):
    """Columns with names, or without (then `names` is None)."""

    names: tuple[str, ...] | None
    width: int
    sparse: bool = False

    @abstractmethod
    def kind(self, position: int) -> Kind:
        """Raises ValueError, naming the column, for a type that no family describes."""

    def common_kind(self) -> Kind | None:
        """The kind of all columns, where one look tells."""
        return None

    def column_names(self) -> tuple[str, ...]:
        """The names, or x0, x1, … where there are none."""
        return self.names or tuple(f"x{j}" for j in range(self.width))

    def position(self, name: str, what: str) -> int:
        """Where the column `name` is; `what` says what it is wanted for ("y")."""
        if self.names is None:
            raise ValueError(f"{what}='{name}' names a column, but the columns of X have no names")
        if name not in self.names:
            raise ValueError(f"{what}: X has no column '{name}'; it has {listed(self.names)}")
        return self.names.index(name)


class Source(Columned):
    """A table in memory."""

    rows: int

    @abstractmethod
    def in_place(self, wanted: WantedColumns) -> bool:
        """Whether the engine can read these columns as they lie in memory."""

    @abstractmethod
    def add_to(self, rows: _core.Rows, wanted: WantedColumns, first: int, last: int) -> None:
        """The wanted columns, from row `first` to before `last`, as the next features of `rows`."""

    @abstractmethod
    def column(self, position: int) -> Any:
        """One column for labels or weights."""


def listed(names: Sequence[str], at_most: int = 5) -> str:
    """'a', 'b', 'c' and 7 more"""
    shown = ", ".join(f"'{name}'" for name in names[:at_most])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most} more"


def require_distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Columns are found by name, so a name can stand for one only."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"X has two columns named '{name}'; rename one of them")
        seen.add(name)
    return tuple(names)


def unsupported(column: str, kind: str) -> ValueError:
    return ValueError(
        f"column '{column}' has the type {kind}, which no family describes; leave it out, or "
        "convert it to numbers or strings"
    )


def not_numbers(column: str, family: str) -> ValueError:
    return ValueError(
        f"feature '{column}' is {family}, but its column has strings; give numbers, or make it "
        "categorical"
    )
