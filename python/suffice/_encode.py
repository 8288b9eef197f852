"""Labels as small whole numbers: the classes in order, and each row's position among them.

The engine encodes numbers and NumPy's strings; other objects go through a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[Any]

_MOST_COUNTED = 1 << 16  # classes; a table of this size stays in the cache


def sorted_codes(y: Array) -> tuple[Array, Array]:
    """The distinct values of ``y`` in rising order, and the position of each label among them.

    The codes are ``y`` itself where it already counts 0, 1, … without gaps.

    >>> classes, codes = sorted_codes(np.array(["b", "a", "b"]))
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if (counted := _counted(y)) is not None:
        return counted, y
    found = _by_engine(y)
    if found is None and y.dtype.kind in "OT":
        found = _by_dictionary(y)
    if found is None:
        classes, inverse = np.unique(y, return_inverse=True)
        return classes, inverse.reshape(-1)
    values, codes, order = found
    if np.array_equal(order, np.arange(len(order))):
        return values, codes
    position = np.empty(len(order), np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    return values[order], position[codes]


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
    result: Array = np.array(places, np.int32)[codes]
    return result


def labels_at(classes: Array, places: Array) -> Array:
    """The class at each place; ``places`` itself where the classes are these numbers.

    >>> labels_at(np.array(["a", "b"]), np.array([1, 0, 1])).tolist()
    ['b', 'a', 'b']
    """
    counted = classes.dtype == places.dtype and np.array_equal(classes, np.arange(len(classes)))
    if counted and places.size and places.min() >= 0:  # -1: the last, as in NumPy
        return places.view(classes.dtype)  # long and long long are the same, but shown differently
    result: Array = classes.take(places)
    return result


def first_seen(values: Iterable[Any], count: int) -> tuple[Array, list[Any]]:
    """The distinct objects in the order of their first appearance, and the position of each."""
    index: dict[Any, int] = {}
    codes = np.fromiter((index.setdefault(value, len(index)) for value in values), np.int32, count)
    return codes, list(index)


def _counted(y: Array) -> Array | None:
    """The classes 0, 1, … of integers without a gap; None for other labels."""
    if y.dtype.kind not in "iu" or not y.dtype.isnative:
        return None
    classes = _core.counted_classes(y, _MOST_COUNTED)
    return np.arange(classes, dtype=y.dtype) if classes else None


def _by_engine(y: Array) -> tuple[Array, Array, Array] | None:
    """Values, codes and the order of the values; None where the engine cannot read ``y``."""
    numbers = y
    if y.dtype.kind in "mM":
        numbers = y.view(np.int64)
    elif y.dtype.kind in "US" and y.size and y.dtype.itemsize:
        numbers = np.ascontiguousarray(y).view(np.uint8).reshape(y.size, y.dtype.itemsize)
    elif y.dtype.kind == "f" and y.dtype.itemsize == 2:
        numbers = y.astype(np.float32)
    if numbers.dtype.kind not in "biuf" or numbers.dtype.itemsize > 8 or not y.dtype.isnative:
        return None
    first_row, codes, unnamed = _core.encode(numbers, 1)  # n_jobs is for the sums
    if unnamed >= 0:
        return None
    values = y[first_row]
    return values, codes, np.argsort(values, kind="stable")


def _by_dictionary(y: Array) -> tuple[Array, Array, Array]:
    codes, distinct = first_seen(y.tolist(), y.size)
    try:
        order = sorted(range(len(distinct)), key=distinct.__getitem__)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in distinct})
        raise ValueError(
            f"labels of different kinds have no order: found {' and '.join(kinds)}; "
            "convert y to one type"
        ) from None
    values = np.empty(len(distinct), dtype=y.dtype)
    values[:] = distinct
    return values, codes, np.array(order, np.intp)
