"""Many states merged with little rounding and in little memory."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ._errors import placed

State = TypeVar("State")


def merged_in_pairs(
    states: Iterable[State], merge: Callable[[State, State], State]
) -> State | None:
    """All of them, neighbours first, then neighbours of these; None where there are none. What
    cannot be merged is placed at its number."""
    merged: list[tuple[int, int, State]] = []  # rank, first, sum of 2**rank states

    def join_last_two() -> None:
        (_, first, left), (rank, number, right) = merged[-2:]
        try:
            merged[-2:] = [(rank + 1, first, merge(left, right))]
        except ValueError as error:
            raise placed(error, f"state {number}") from None

    for number, state in enumerate(states):
        merged.append((0, number, state))
        while len(merged) > 1 and merged[-2][0] == merged[-1][0]:
            join_last_two()
    while len(merged) > 1:
        join_last_two()
    return merged[0][2] if merged else None
