"""The options of estimation: from Python's values to the engine's."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from . import _core

#: The engine's names, in its order; `pooling` only where a model is estimated from statistics.
NAMES = tuple(option["name"] for option in _core.estimate_options())


def engine_options(given: Mapping[str, Any]) -> dict[str, object]:
    """What the engine's estimate takes; None is left out. So is shrinkage "auto", which the engine
    takes where nothing is said and nothing else mixes the classes (towards_tied, pooling)."""
    options = {
        name: engine_value(name, value) for name, value in given.items() if value is not None
    }
    if options.get("shrinkage") == "auto":
        del options["shrinkage"]
    # The closed form is one for the spherical target, so there is no other to choose.
    if options.get("shrinkage") == "oas" and options.get("target") == "diag":
        options["target"] = "spherical"
    return options


def engine_grid(given: Mapping[str, Any]) -> dict[str, list[object]]:
    """Lists of values by name. A single value is a list of one; None is no list."""
    return {
        name: [None if value is None else engine_value(name, value) for value in listed(values)]
        for name, values in given.items()
        if values is not None
    }


def listed(values: Any) -> Iterable[Any]:
    if isinstance(values, np.ndarray):
        return list(values.ravel())
    is_single = isinstance(values, (str, Real)) or not isinstance(values, Iterable)
    return [values] if is_single else values


def engine_value(name: str, value: Any) -> object:
    """One value that is not None: texts and Python's own numbers."""
    if name == "pooling":
        return np.ascontiguousarray(value, dtype=np.float64)
    if isinstance(value, str) and name in ("pca", "shrinkage"):
        if value == "loo":
            raise ValueError(
                "shrinkage='loo' reads the rows a second time, which only "
                "GenerativeClassifier.fit does; choose 'auto', which needs none of them"
            )
        return str(value)
    if name == "lda":
        return _whole(name, value)
    if name == "pca":
        if isinstance(value, Integral):
            return str(_whole(name, value))
        return _number(name, value, "a number of components, a share such as 0.9, or '90%'")
    if name == "shrinkage":
        return _number(name, value, "'auto', 'oas', or a share from 0 to 1")
    if name in ("smoothing", "towards_tied"):
        return _number(name, value, "a number")
    return value


def value_of_text(text: str) -> int | float | str:
    """A number that the engine has written as a text, or another text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _whole(name: str, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise ValueError(f"{name}={value!r}: it must be a whole number")
    return int(value)


def _number(name: str, value: Any, kinds: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise ValueError(f"{name}={value!r}: it must be {kinds}")
    return float(value)
