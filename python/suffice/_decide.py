"""Priors and costs: what the application brings to a decision."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import warn
from ._labels import ClassValues, labels_of, name_of

Array = NDArray[Any]
Floats = NDArray[np.float64]


class HasClasses(Protocol):
    """A model, statistics, priors or costs."""

    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def classes_(self) -> Array: ...


class HasWeights(HasClasses, Protocol):
    """A model or statistics."""

    @property
    def weights(self) -> Floats: ...


class Priors:
    """The probability of each class before a row is seen.

    Parameters
    ----------
    labels : sequence of class values, or anything that has classes (a Model, Statistics)
    probabilities : one for each class in the order of `labels`, a mapping by class, or a file
        A path is that of a CSV file with a line for each class, or of a JSON object; docs/cli.md
        shows the forms. Numbers that do not sum to 1 are scaled, with a warning.

    See Also
    --------
    Costs : What decisions cost.
    Model.estimate_priors : Finds the priors of rows without labels.

    Examples
    --------
    >>> import suffice
    >>> suffice.Priors(["ham", "spam"], {"spam": 0.1, "ham": 0.9})
    Priors({'ham': 0.9, 'spam': 0.1})
    """

    __slots__ = ("_labels", "_probabilities", "_values")

    def __init__(
        self,
        labels: Sequence[Any] | Array | HasClasses,
        probabilities: ArrayLike | Mapping[Any, float] | os.PathLike[str],
    ) -> None:
        given, self._labels, self._values = _classes(labels)
        if isinstance(probabilities, (str, os.PathLike)):
            by_name = dict(_core.read_prior_file(os.fspath(probabilities), list(self._labels)))
        else:
            by_name = _by_name(probabilities, given, "probabilities")
        numbers = _scaled(np.array([by_name[name] for name in self._labels]))
        _core.check_priors(list(self._labels), numbers)
        self._probabilities = _read_only(numbers)

    @classmethod
    def uniform(cls, of: HasClasses | Sequence[Any]) -> Priors:
        """The same probability for each class.

        >>> import suffice
        >>> suffice.Priors.uniform(["a", "b"])
        Priors({'a': 0.5, 'b': 0.5})
        """
        given, _, _ = _classes(of)
        return cls(of, np.full(len(given), 1 / len(given)))

    @classmethod
    def from_counts(
        cls, of: HasWeights, smoothing: float | Mapping[Any, float] = 0.0
    ) -> Priors:
        """The frequencies in training, with `smoothing` rows more for each class that has any.

        A mapping has the pseudo-counts of each class, also of those without rows: the result is
        the posterior mean under a Dirichlet prior (for two classes a Beta prior) with these
        parameters, and the posterior mode (MAP) under one whose parameters are larger by 1.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[0.0], [1.0], [1.0], [2.0]], ["a", "b", "b", "b"])
        >>> suffice.Priors.from_counts(stats)
        Priors({'a': 0.25, 'b': 0.75})
        >>> suffice.Priors.from_counts(stats, {"a": 2, "b": 2})
        Priors({'a': 0.375, 'b': 0.625})
        """
        if isinstance(smoothing, Mapping):
            return cls(of, _with_pseudo_counts(of, smoothing))
        return cls(of, _frequencies(of.weights, smoothing))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self._labels

    @property
    def classes_(self) -> Array:
        """The classes, in the order of `labels`."""
        return self._values.array(self._labels)

    @property
    def probabilities(self) -> Floats:
        """In the order of `labels`; read-only."""
        return self._probabilities

    def __getitem__(self, label: Any) -> float:
        return float(self._probabilities[_position(label, self._labels)])

    def __len__(self) -> int:
        return len(self._labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Priors):
            return NotImplemented
        return self._labels == other._labels and bool(
            np.array_equal(self._probabilities, other._probabilities)
        )

    def __hash__(self) -> int:
        return hash((self._labels, self._probabilities.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.classes_, np.array(self._probabilities))

    def __repr__(self) -> str:
        return f"Priors({dict(zip(self.classes_.tolist(), self._probabilities.tolist()))!r})"


class PriorsEstimate(NamedTuple):
    """The class shares of some rows, by `Model.estimate_priors`.

    `low` and `high` are bounds of each share, in the order of the model's classes; they know how
    few the `rows` are, not how wrong the densities may be.

    See Also
    --------
    Model.estimate_priors : Makes one.
    Priors : The shares alone, as decisions take them.

    Examples
    --------
    >>> import suffice
    >>> stats = suffice.Statistics.of([[0.0], [1.0], [8.0], [9.0]], list("aabb"))
    >>> found = stats.estimate(covariance="tied").estimate_priors([[0.5], [0.6], [8.5], [0.4]])
    >>> round(found.priors["a"], 3), found.rows
    (0.75, 4.0)
    """

    priors: Priors
    low: Floats
    high: Floats
    rows: float


class Costs:
    """What each decision costs: C(true, decided).

    Parameters
    ----------
    labels : sequence of class values, or anything that has classes (a Model, Statistics)
    costs : matrix true × decided in the order of `labels`, a mapping {(true, decided): cost}, or a
        file
        What is not named costs 1 for a mistake and 0 for a right decision. A path is that of a CSV
        file with a matrix or with the columns true, decided and cost, or of a JSON object of
        objects; docs/cli.md shows the forms.

    See Also
    --------
    Priors : The probabilities of the classes beforehand.
    Model.decide : Takes both.

    Examples
    --------
    >>> import suffice
    >>> suffice.Costs(["bad", "good"], {("bad", "good"): 5})
    Costs(['bad', 'good'], [[0.0, 5.0], [1.0, 0.0]])
    """

    __slots__ = ("_labels", "_matrix", "_values")

    def __init__(
        self,
        labels: Sequence[Any] | Array | HasClasses,
        costs: ArrayLike | Mapping[tuple[Any, Any], float] | os.PathLike[str],
    ) -> None:
        given, self._labels, self._values = _classes(labels)
        if isinstance(costs, (str, os.PathLike)):
            entries = _core.read_cost_file(os.fspath(costs), list(self._labels))
            costs = {(true, decided): cost for true, decided, cost in entries}
        if isinstance(costs, Mapping):
            matrix = 1.0 - np.eye(len(given))
            for pair, cost in costs.items():
                if not isinstance(pair, tuple) or len(pair) != 2:
                    raise ValueError(f"costs: {pair!r} is not a pair (true, decided)")
                matrix[_position(pair[0], given), _position(pair[1], given)] = cost
        else:
            matrix = np.array(costs, dtype=np.float64)
            if matrix.shape != (len(given), len(given)):
                raise ValueError(
                    f"costs have the shape {matrix.shape}; {len(given)} classes need "
                    f"{len(given)} × {len(given)}, true × decided"
                )
        order = [given.index(name) for name in self._labels]
        matrix = np.ascontiguousarray(matrix[np.ix_(order, order)])
        _core.check_costs(list(self._labels), matrix)
        self._matrix = _read_only(matrix)

    @classmethod
    def zero_one(cls, of: HasClasses | Sequence[Any]) -> Costs:
        """Every mistake costs 1.

        >>> import suffice
        >>> suffice.Costs.zero_one(["a", "b"])
        Costs(['a', 'b'], [[0.0, 1.0], [1.0, 0.0]])
        """
        return cls(of, {})

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self._labels

    @property
    def classes_(self) -> Array:
        """The classes, in the order of `labels`."""
        return self._values.array(self._labels)

    @property
    def matrix(self) -> Floats:
        """True × decided, in the order of `labels`; read-only."""
        return self._matrix

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        true, decided = pair
        return float(self._matrix[_position(true, self._labels), _position(decided, self._labels)])

    def __len__(self) -> int:
        return len(self._labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Costs):
            return NotImplemented
        return self._labels == other._labels and bool(np.array_equal(self._matrix, other._matrix))

    def __hash__(self) -> int:
        return hash((self._labels, self._matrix.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.classes_, np.array(self._matrix))

    def __repr__(self) -> str:
        return f"Costs({self.classes_.tolist()!r}, {self._matrix.tolist()!r})"


PriorsLike = Union[str, "os.PathLike[str]", Mapping[Any, float], ArrayLike, Priors]
CostsLike = Union[str, "os.PathLike[str]", Mapping[tuple[Any, Any], float], ArrayLike, Costs]


def priors_of(priors: PriorsLike, of: HasWeights) -> Floats:
    """The probabilities of the classes of a model, in their order."""
    if isinstance(priors, Priors):
        _require_same(priors.labels, of.labels, "priors")
        return priors.probabilities
    if isinstance(priors, str):
        if priors == "train":
            return _frequencies(of.weights, 0.0)
        if priors == "uniform":
            return np.full(len(of.labels), 1 / len(of.labels))
        if priors.startswith("train:"):
            return _smoothed_frequencies(priors.removeprefix("train:"), of)
        if not _names_a_file(priors):
            raise ValueError(
                f"priors='{priors}': give 'train', 'train:1' (with pseudo-counts), 'uniform', a "
                "mapping by class, an array in the order of classes_, the path of a file, or Priors"
            )
    return Priors(of, priors).probabilities


def costs_of(costs: CostsLike | None, of: HasClasses) -> Floats | None:
    """The costs over the classes of a model, in their order; None where every mistake costs 1."""
    if costs is None:
        return None
    if isinstance(costs, Costs):
        _require_same(costs.labels, of.labels, "costs")
        return costs.matrix
    return Costs(of, costs).matrix


def _names_a_file(text: str) -> bool:
    return "." in text or os.sep in text or os.path.isfile(text)


def _scaled(numbers: Floats) -> Floats:
    """Weights of classes, such as counts, as probabilities; what cannot be is left to the engine."""
    # Added up one by one, as the engine does; sum() has an order of its own.
    total = np.add.accumulate(numbers)[-1] if len(numbers) else 1.0
    if not (np.isfinite(numbers).all() and (numbers >= 0).all()) or abs(total - 1) <= 1e-9:
        return numbers
    if total == 0:
        raise ValueError("the priors sum to 0; give a class a prior above 0")
    warn(f"the priors sum to {total:g} and are scaled to sum to 1")
    return np.asarray(numbers / total)


def _frequencies(weights: Floats, smoothing: float) -> Floats:
    if not (smoothing >= 0 and np.isfinite(smoothing)):
        raise ValueError(f"smoothing={smoothing!r}: it must be finite and not negative")
    counts = np.where(weights > 0, weights + smoothing, 0.0)
    if not counts.any():
        raise ValueError("all classes have weight 0: there are no rows to take priors from")
    # Added up one by one, as the engine does; sum() has an order of its own.
    return np.asarray(counts / np.add.accumulate(counts)[-1])


def _with_pseudo_counts(of: HasWeights, counts: Mapping[Any, float]) -> Floats:
    by_name = _by_name(counts, of.labels, "pseudo-counts")
    for name, count in by_name.items():
        if not (count >= 0 and np.isfinite(count)):
            raise ValueError(
                f"the pseudo-count of class '{name}' is {count!r}: it must be finite and not negative"
            )
    numbers = of.weights + np.array([by_name[name] for name in of.labels])
    if not numbers.any():
        raise ValueError("all classes have weight 0: there are no rows to take priors from")
    return np.asarray(numbers / np.add.accumulate(numbers)[-1])


def _smoothed_frequencies(text: str, of: HasWeights) -> Floats:
    """What 'train:' goes on with: '1', or 'a=2,b=5'."""
    try:
        if "=" not in text:
            return _frequencies(of.weights, float(text))
        items = [item.rpartition("=") for item in text.split(",")]
        counts = {name.strip().strip('"'): float(number) for name, _, number in items}
    except ValueError as error:
        raise ValueError(f"priors='train:{text}': give a number, as in 'train:1', or one for each "
                         "class, as in 'train:a=2,b=5'") from error
    return _with_pseudo_counts(of, counts)


def _classes(labels: Any) -> tuple[list[str], tuple[str, ...], ClassValues]:
    """Names in the order given, in the engine's order, and the values behind them."""
    if hasattr(labels, "classes_"):
        names = list(labels.labels)
        return names, tuple(names), ClassValues.of(names, labels.classes_)
    found = labels_of(labels)
    given = [found.names[code] for code in found.codes]
    if len(found.names) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        raise ValueError(f"the class '{twice}' is named twice")
    if not given:
        raise ValueError("there are no classes")
    ordered = tuple(_core.sorted_names(given))
    return given, ordered, ClassValues.of(found.names, found.values)


def _by_name(numbers: Any, names: Sequence[str], what: str) -> dict[str, float]:
    if isinstance(numbers, Mapping):
        result = {names[_position(key, names)]: float(value) for key, value in numbers.items()}
        absent = [name for name in names if name not in result]
        if absent:
            raise ValueError(f"{what}: class '{absent[0]}' has none; name every class once")
        return result
    array = np.asarray(numbers, dtype=np.float64)
    if array.shape != (len(names),):
        raise ValueError(
            f"{what} have the shape {array.shape}; give one number for each of the "
            f"{len(names)} classes"
        )
    return dict(zip(names, array.tolist()))


def _position(label: Any, names: Sequence[str]) -> int:
    name = name_of(label)
    if name not in names:
        raise ValueError(f"there is no class {label!r}; the classes are {', '.join(names)}")
    return names.index(name)


def _require_same(given: tuple[str, ...], wanted: tuple[str, ...], what: str) -> None:
    if given != tuple(wanted):
        raise ValueError(
            f"{what} are over the classes {', '.join(given)}, but the model has "
            f"{', '.join(wanted)}"
        )


def _read_only(array: Floats) -> Floats:
    array.setflags(write=False)
    return array
