"""What statistics and models hold for each block, under the names of `suffice show --json`."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

Floats = NDArray[np.float64]


def blocks_of_statistics(core: _core.Statistics) -> list[Mapping[str, Any]]:
    return [
        MappingProxyType({**begun, **_sums(core, position, begun["family"])})
        for position, begun in enumerate(_begun(core.schema))
    ]


def blocks_of_model(core: _core.Model) -> list[Mapping[str, Any]]:
    result: list[Mapping[str, Any]] = []
    for begun, density in zip(_begun(core.schema), core.densities()):
        projected = density.pop("projection", None) is not None
        block = {**begun, **density}
        if "constant" in block:
            names = begun["features"]
            if projected:
                names = [f"z{j}" for j in range(density["mean"].shape[1])]
            block["constant"] = [names[j] for j in density["constant"]]
        if block.get("structure") == "tied-spherical":
            block["covariance"] = float(np.ravel(block["covariance"])[0])
        result.append(MappingProxyType(_read_only(block)))
    return result


def projection_of_model(core: _core.Model) -> Mapping[str, Floats] | None:
    for density in core.densities():
        if "projection" in density:
            return MappingProxyType(_read_only(density["projection"]))
    return None


def _begun(schema: _core.Schema) -> list[dict[str, Any]]:
    names, transforms, indicators = schema.names, schema.transforms, schema.indicators
    result: list[dict[str, Any]] = []
    for family, features in schema.blocks:
        block: dict[str, Any] = {"family": family, "features": [names[j] for j in features]}
        if any(j in transforms for j in features):
            block["transforms"] = [transforms.get(j, "none") for j in features]
        if any(j in indicators for j in features):
            block["indicators"] = [
                dict(zip(("column", "level", "reference"), indicators[j])) if j in indicators else None
                for j in features
            ]
        result.append(block)
    return result


def _mean(part: Mapping[str, Floats]) -> Floats:
    """The mean as one double; NaN where there are no rows."""
    weight = part["weight"] if part["weight"].ndim == 2 else part["weight"][:, None]
    return np.where(weight > 0, part["mean"] + part["mean_low"], np.nan)


KEPT = ("scatter", "factor", "pooled", "squares")  # of the scatter, whatever is there


def _sums(core: _core.Statistics, block: int, family: str) -> dict[str, Any]:
    if family != "gaussian":
        return _read_only(core.sums(block))
    moments = core.moments(block)
    present = {
        "weight": moments["weight"],
        "mean": _mean(moments),
        "squares": moments["squares"],
    }
    if core.scatter == "diagonal":
        present["scatter"] = present.pop("squares")
        return _read_only(present)
    complete = core.gaussian(block)
    sums: dict[str, Any] = {
        "weight": complete["weight"],
        "mean": _mean(complete),
    }
    sums.update((kept, value) for kept, value in complete.items() if kept in KEPT)
    if (moments["weight"] != complete["weight"][:, None]).any():
        sums["present"] = MappingProxyType(_read_only(present))
    return _read_only(sums)


def _read_only(values: dict[str, Any]) -> dict[str, Any]:
    for value in values.values():
        arrays: Iterable[Any] = value if isinstance(value, list) else [value]
        for array in arrays:
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
    return values
