"""Labels as small whole numbers: the classes in order, and each row's position among them.

Integers, booleans and whole floats are looked up in a table from the least to the greatest
value, so that a million of them take a few milliseconds and are never sorted; strings and other
objects go through a dictionary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_CHUNK = 1 << 16  # labels looked at together: they stay in the cache
_SPAN = 1 << 16  # a table of so many values is always worth having


def sorted_codes(y: Array) -> tuple[Array, Array]:
    """The distinct values of ``y`` in rising order, and the position of each label among them.

    The codes are ``y`` itself where it already counts 0, 1, … without gaps.

    >>> classes, codes = sorted_codes(np.array(["b", "a", "b"]))
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    kind = y.dtype.kind
    found = None
    if y.size and kind == "b":
        classes, codes = sorted_codes(y.view(np.uint8))
        return classes.astype(bool), codes
    if y.size and kind in "iuf":
        found = _by_table(y)
    elif kind in "OUST":
        found = _by_dictionary(y)
    if found is None:
        classes, inverse = np.unique(y, return_inverse=True)
        found = classes, inverse.reshape(-1)
    return found


def codes_in(y: Array, classes: Array) -> Array:
    """The position of each label among given classes; -1 for one that is not there.

    >>> codes_in(np.array([3, 1, 2]), np.array([1, 3])).tolist()
    [1, 0, -1]
    """
    values, codes = sorted_codes(y)
    position = {value: i for i, value in enumerate(classes.tolist())}
    places = [position.get(value, -1) for value in values.tolist()]
    if places == list(range(len(places))):
        return codes
    table = np.array(places, dtype=_smallest(len(classes)))
    result: Array = table[codes]
    return result


def _smallest(count: int) -> Any:
    """The smallest signed type for the codes of so many classes."""
    return np.int8 if count <= 127 else np.int16 if count <= 32767 else np.int32


def _integers(chunk: Array, low: int) -> Array | None:
    """``chunk - low`` as indices; None where a value is not whole."""
    if chunk.dtype.kind == "f":
        whole = chunk.astype(np.int64)
        if not np.array_equal(whole, chunk):
            return None
        return np.subtract(whole, low, out=whole)
    if low == 0:
        return chunk.astype(np.intp, copy=False)
    # Modulo 2⁶⁴ the difference is right also where one of the two is not an int64.
    return (chunk.astype(np.uint64) - np.uint64(low % 2**64)).astype(np.intp)


def _by_table(y: Array) -> tuple[Array, Array] | None:
    first, last = y.min(), y.max()
    if not (np.isfinite(first) and np.isfinite(last)):
        return None
    low = int(first)
    span = int(last) - low + 1
    if span > max(_SPAN, y.size) or (y.dtype.kind == "f" and max(abs(first), abs(last)) > 2**53):
        return None
    seen = np.zeros(span, dtype=bool)
    for start in range(0, y.size, _CHUNK):
        at = _integers(y[start : start + _CHUNK], low)
        if at is None:
            return None
        seen[at] = True
    steps = np.flatnonzero(seen)
    if low == 0 and steps.size == span and y.dtype.kind != "f":
        return steps.astype(y.dtype), y
    classes = (steps.astype(object) + low if abs(low) > 2**53 else steps + low).astype(y.dtype)
    table = np.cumsum(seen) - 1
    table = table.astype(_smallest(steps.size))
    codes = np.empty(y.size, dtype=table.dtype)
    for start in range(0, y.size, _CHUNK):
        codes[start : start + _CHUNK] = table[_integers(y[start : start + _CHUNK], low)]
    return classes, codes


def _by_dictionary(y: Array) -> tuple[Array, Array]:
    values: dict[Any, None] = {}
    for start in range(0, y.size, _CHUNK):
        values.update(dict.fromkeys(y[start : start + _CHUNK].tolist()))
    try:
        ordered = sorted(values)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values})
        raise ValueError(
            f"labels of different kinds have no order: found {' and '.join(kinds)}; "
            "convert y to one type"
        ) from None
    classes = np.empty(len(ordered), dtype=y.dtype)
    classes[:] = ordered
    position = {value: i for i, value in enumerate(ordered)}
    codes = np.empty(y.size, dtype=_smallest(len(ordered)))
    for start in range(0, y.size, _CHUNK):
        part = y[start : start + _CHUNK].tolist()
        codes[start : start + len(part)] = np.fromiter(
            map(position.__getitem__, part), dtype=codes.dtype, count=len(part)
        )
    return classes, codes
