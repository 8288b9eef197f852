"""What the columns mean."""
from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from . import _core as engine
from ._data import columned
from ._source import Wanted, WantedColumns, listed


#: What names the columns that are no features.
_ARGUMENTS = {"label": "y", "weight": "sample_weight", "fold": "folds", "group": "groups"}


class Schema:
    """Which columns there are, and the family of each.

    Parameters
    ----------
    families : mapping of name to family
        The name of a family, such as "gaussian" or "categorical", in the order of the columns;
        docs/theory.md describes all families. "text" may say what the words of a document are:
        "text chars:3-5", "text words ngrams:1-2 case min-length:2 presence hash-bits:20".
    blocks : list of lists of names, optional
        Features that are modelled together, given the class independent of all others. Without it
        there is one block for each family.
    label : str, optional
        The column with the classes.
    levels : mapping of name to levels, optional
        Levels of categorical features that are known to exist, seen or not.
    transforms : mapping of name or pattern to transformation, optional
        What is done to Gaussian features before they are summed or scored: "log", "log1p", "sqrt",
        "logit" or "signed-log:s", which is sign(x) log(1 + |x| / s). Densities stay those of the
        numbers as they were.

    See Also
    --------
    Statistics : Sums of rows with these columns.
    Files : Tables in files, with what their reader must know.

    Examples
    --------
    >>> import suffice
    >>> schema = suffice.Schema({"age": "gaussian", "sex": "categorical"}, label="survived")
    >>> schema.blocks
    [('gaussian', ['age']), ('categorical', ['sex'])]
    >>> schema.label
    'survived'
    """

    __slots__ = ("_core", "_kept_of", "_positions")
    _core: engine.Schema
    #: Of a model that keeps some features: how many there were.
    _kept_of: int | None
    _positions: WantedColumns

    def __init__(
        self,
        families: Mapping[str, str],
        *,
        blocks: Sequence[Sequence[str]] | None = None,
        label: str | None = None,
        levels: Mapping[str, Iterable[str]] | None = None,
        transforms: Mapping[str, str] | None = None,
    ) -> None:
        known = {name: [str(level) for level in given] for name, given in (levels or {}).items()}
        for name in known:
            if name not in families:
                raise ValueError(f"levels: there is no feature '{name}'")
        features = [(name, family, known.get(name, [])) for name, family in families.items()]
        position = {name: j for j, name in enumerate(families)}
        if label is not None and label in position:
            raise ValueError(f"column '{label}' cannot be both a feature and the label")
        self._kept_of = None
        self._core = engine.Schema(
            features,
            None if blocks is None else _positions(blocks, position),
            label or "",
            _transforms(transforms or {}, list(families)),
        )

    @classmethod
    def of(
        cls,
        X: Any,
        family: str | Mapping[str, str] | None = None,
        *,
        label: str | None = None,
        weight: str | None = None,
        transforms: Mapping[str, str] | None = None,
    ) -> Schema:
        """The schema of a table: numbers are gaussian; strings, booleans and categoricals are
        categorical. Columns without names are x0, x1, ….

        `family` is one for all columns, or one for each column or pattern (with * and ?) that it
        names; the last that fits counts. `transforms` names the transformation of columns or
        patterns in the same way: log, log1p, sqrt, logit, signed-log:s (or none). The columns
        `label` and `weight` are left out.

        >>> import numpy as np, suffice
        >>> suffice.Schema.of(np.zeros((1, 3)), {"*": "poisson", "x2": "gaussian"})
        Schema({'x0': 'poisson', 'x1': 'poisson', 'x2': 'gaussian'})
        >>> table = {"price": [9.5, 12.0], "size": [1.0, 2.0]}
        >>> suffice.Schema.of(table, transforms={"price": "log"})
        Schema({'price': 'gaussian', 'size': 'gaussian'}, transforms={'price': 'log'})
        """
        return cls._of(X, family, transforms, label=label, weight=weight)

    @classmethod
    def _of(
        cls,
        X: Any,
        family: str | Mapping[str, str] | None,
        transforms: Mapping[str, str] | None,
        **beside: str | None,
    ) -> Schema:
        """The same; `beside` has the columns that are no features: label, weight, fold, group."""
        table = columned(X)
        kind = table.common_kind()
        taken = {name: role for role, name in beside.items() if name is not None}
        is_plain = not (taken or transforms or isinstance(family, Mapping))
        if kind and table.names is None and is_plain:
            family = family or ("gaussian" if kind == "number" else "categorical")
            return _numbered(table.width, family)
        names = table.column_names()
        for role, name in beside.items():
            if name is not None:
                table.position(name, _ARGUMENTS[role])
                if (other := taken[name]) != role:
                    raise ValueError(f"column '{name}' cannot be both the {role} and the {other}")
        rules = {"*": family} if isinstance(family, str) else dict(family or {})
        _require_used(rules, names, "family")
        families = {}
        for position, name in enumerate(names):
            if name not in taken:
                given = last_match(rules, name)
                if given is None:
                    given = "gaussian" if table.kind(position) == "number" else "categorical"
                families[name] = given
        if not families:
            raise ValueError(f"X has no column left to learn from beside {listed(names)}")
        return cls(families, label=beside.get("label"), transforms=transforms)

    @classmethod
    def _wrap(cls, core: engine.Schema, kept_of: int | None = None) -> Schema:
        schema = object.__new__(cls)
        schema._core = core
        schema._kept_of = kept_of
        return schema

    @property
    def names(self) -> list[str]:
        """The features, in order."""
        return self._core.names

    @property
    def families(self) -> dict[str, str]:
        """The family of each feature."""
        return dict(zip(self._core.names, self._core.families))

    @property
    def levels(self) -> dict[str, list[str]]:
        """The declared levels of the categorical features that have any."""
        return {n: levels for n, levels in zip(self._core.names, self._core.levels) if levels}

    @property
    def transforms(self) -> dict[str, str]:
        """The transformation of each feature that has one."""
        names = self._core.names
        return {names[j]: transform for j, transform in self._core.transforms.items()}

    @property
    def indicators(self) -> dict[str, tuple[str, str | None, str]]:
        """The features that are 1 where a column has a level and 0 elsewhere: the column, the level
        (None: where the value is missing) and the level at which all indicators of the column
        are 0."""
        names = self._core.names
        return {names[j]: indicator for j, indicator in self._core.indicators.items()}

    @property
    def columns(self) -> list[str]:
        """The columns that the features are read from, in order: the names of the features, except
        that several indicators are read from one column."""
        return self._core.columns

    @property
    def blocks(self) -> list[tuple[str, list[str]]]:
        """Family and features of each block."""
        names = self._core.names
        return [(family, [names[j] for j in features]) for family, features in self._core.blocks]

    @property
    def label(self) -> str | None:
        """The column with the classes, if it is known."""
        return self._core.label or None

    @property
    def _by_position(self) -> WantedColumns:
        """The columns of a table that is matched by position."""
        if not hasattr(self, "_positions"):
            core = self._core
            self._positions = WantedColumns(
                lambda: (
                    Wanted(j, name, family)
                    for j, (name, family) in enumerate(zip(core.columns, core.column_families))
                ),
                everything=True,
            )
        return self._positions

    @property
    def _numbered(self) -> bool:
        """The columns had no names."""
        return all(name == f"x{j}" for j, name in enumerate(self._core.columns))

    def __len__(self) -> int:
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        return self._core == other._core if isinstance(other, Schema) else NotImplemented

    def __hash__(self) -> int:
        return hash((tuple(self._core.names), tuple(self._core.families), self._core.label))

    def __getstate__(self) -> dict[str, Any]:
        core = self._core
        return {
            "names": core.names,
            "families": core.families,
            "levels": core.levels,
            "blocks": [features for _, features in core.blocks],
            "label": core.label,
            "transforms": core.transforms,
            "indicators": core.indicators,
            "kept_of": self._kept_of,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        features = list(zip(state["names"], state["families"], state["levels"]))
        self._kept_of = state["kept_of"]
        self._core = engine.Schema(
            features, state["blocks"], state["label"], state["transforms"], state["indicators"]
        )

    def __copy__(self) -> Schema:
        return self

    def __deepcopy__(self, memo: Any) -> Schema:
        return self

    def __repr__(self) -> str:
        families = self.families
        first = dict(list(families.items())[:8])
        text = repr(first)
        if len(families) > len(first):
            text = f"{text[:-1]}, … {len(families) - len(first)} more}}"
        by_family = [family for family, _ in self.blocks]
        if len(set(by_family)) < len(by_family):
            text += f", blocks={[names for _, names in self.blocks]!r}"
        if self.levels:
            text += f", levels={self.levels!r}"
        if self.transforms:
            text += f", transforms={self.transforms!r}"
        if self._core.indicators:
            text += f", indicators of {listed(list(dict.fromkeys(of[0] for of in self._core.indicators.values())))}"
        return f"Schema({text}" + (f", label={self.label!r})" if self.label else ")")


@lru_cache(maxsize=8)
def _numbered(count: int, family: str) -> Schema:
    """x0, x1, …; to check a hundred thousand names takes longer than to learn from some rows."""
    return Schema._wrap(engine.Schema.numbered(count, family))


def schema_of(schema: Schema | Mapping[str, str]) -> Schema:
    """A Schema, or families by name."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        return Schema(schema)
    raise ValueError(
        f"schema must be a Schema or a mapping of column to family, not {type(schema).__name__}"
    )


def _positions(blocks: Sequence[Sequence[str]], position: Mapping[str, int]) -> list[list[int]]:
    result = []
    for block in blocks:
        for name in block:
            if name not in position:
                raise ValueError(f"blocks: there is no feature '{name}'")
        result.append([position[name] for name in block])
    return result


def _pattern(text: str) -> re.Pattern[str]:
    # Of fnmatch's signs only * and ?, as on the command line; a [ is itself.
    return re.compile(fnmatch.translate(text.replace("[", "[[]")))


def _transforms(rules: Mapping[str, str], names: Sequence[str]) -> dict[int, str]:
    """The transformations by the positions of the features."""
    if not isinstance(rules, Mapping):
        raise ValueError(
            f"transforms must be a mapping of column or pattern to transformation, not {rules!r}"
        )
    _require_used(rules, names, "transforms")
    found = ((j, last_match(rules, name)) for j, name in enumerate(names)) if rules else ()
    return {j: transform for j, transform in found if transform is not None}


def _require_used(rules: Mapping[str, str], names: Sequence[str], what: str) -> None:
    for rule in rules:
        pattern = _pattern(rule)
        if rule not in names and not any(pattern.match(name) for name in names):
            raise ValueError(f"{what}: X has no column '{rule}'; it has {listed(names)}")


def last_match(rules: Mapping[str, str], name: str) -> str | None:
    found = None
    for rule, family in rules.items():
        if rule == name or ("*" in rule or "?" in rule) and _pattern(rule).match(name):
            found = family
    return found
