"""Lines for people: what the repr of statistics and models says."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._schema import Schema

_MOST = 6  # classes, blocks and names that are shown


def table_of_classes(classes: NDArray[Any], weights: NDArray[Any]) -> list[str]:
    shown = [f"{value} ({weight:g})" for value, weight in zip(classes[:_MOST], weights)]
    more = f" and {len(classes) - _MOST} more" if len(classes) > _MOST else ""
    return [f"  classes (weight): {', '.join(shown)}{more}"]


def table_of_blocks(schema: Schema, notes: list[str] | None = None) -> list[str]:
    lines = []
    for position, (family, features) in enumerate(schema.blocks[:_MOST]):
        note = f" {notes[position]}" if notes and notes[position] else ""
        names = ", ".join(features[:_MOST])
        more = f" and {len(features) - _MOST} more" if len(features) > _MOST else ""
        lines.append(f"  {family}{note}: {names}{more}")
    if len(schema.blocks) > _MOST:
        lines.append(f"  and {len(schema.blocks) - _MOST} more blocks")
    return lines
