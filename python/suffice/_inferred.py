"""Schemas that are inferred from a table, and warnings about columns that were taken wrongly."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import warn
from ._paths import FileStream
from ._schema import Schema, last_match


def inferred_schema(
    X: Any,
    y: Any,
    sample_weight: Any,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | None = None,
    folds: Any = None,
    groups: Any = None,
) -> Schema:
    """That of all columns of X but those that y, sample_weight, folds and groups name."""
    if y is None and isinstance(X, FileStream):
        y = X.own_label or None
    roles = {"label": y, "weight": sample_weight, "fold": folds, "group": groups}
    named = {role: name if isinstance(name, str) else None for role, name in roles.items()}
    return Schema._of(X, family, transforms, **named)


def families_chosen(schema: Schema, family: str | Mapping[str, str] | None) -> list[bool]:
    """For each column whether its family was given."""
    rules = {"*": family} if isinstance(family, str) else dict(family or {})
    return [last_match(rules, name) is not None for name in schema.columns]


def show_remarks(remarks: Sequence[tuple[str, str, list[str]]]) -> None:
    """Warns of columns that were probably not meant so."""
    for sentence, remedy, columns in remarks:
        if remedy == "leave_out":
            sentence += f"; leave the column '{columns[0]}' out"
        elif remedy == "categorical":
            shown = ", ".join(f"'{name}': 'categorical'" for name in columns[:3])
            more = ", …" if len(columns) > 3 else ""
            sentence += f"; if they are codes, use family={{{shown}{more}}}"
        elif remedy == "text":
            sentence += f"; use family={{'{columns[0]}': 'text'}}"
        warn(sentence)
