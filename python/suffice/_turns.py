"""One change of an object at a time, where several threads share it."""
from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


class Turn:
    """Held by the thread whose turn it is. Copies and pickles are new, and so is that of a forked
    child, where nobody is left to release it."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _turns.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Turn], tuple[()]]:
        return Turn, ()


_turns: weakref.WeakSet[Turn] = weakref.WeakSet()


def turn_of(estimator: Any) -> Turn:
    """The turn to change this estimator."""
    turn: Turn = vars(estimator).setdefault("_turn", Turn())
    return turn


def in_turn(method: Method) -> Method:
    """A method of an estimator that waits until no other thread changes it."""

    @functools.wraps(method)
    def waiting(self: Any, *arguments: Any, **options: Any) -> Any:
        with turn_of(self):
            return method(self, *arguments, **options)

    return cast(Method, waiting)


def asking(method: Method) -> Method:
    """A method that answers from many attributes: it sees them as they are between two changes."""

    @functools.wraps(method)
    def answering(self: Any, *arguments: Any, **options: Any) -> Any:
        return method(self._of_one_state(), *arguments, **options)

    return cast(Method, answering)


def _renew() -> None:
    for turn in list(_turns):
        turn._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
