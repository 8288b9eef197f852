"""Pictures of models: densities, posteriors, decision regions, as SVG.

>>> import suffice
>>> X = [[1.0, 2.0], [2.0, 1.0], [1.5, 1.0], [7.0, 8.0], [8.0, 7.0], [7.0, 6.5]]
>>> model = suffice.Statistics.of(X, ["low"] * 3 + ["high"] * 3).estimate(covariance="tied")
>>> picture = suffice.plot.regions(model, X, ["low"] * 3 + ["high"] * 3)
>>> picture.title
'Decision regions over x0 and x1'

A Picture shows itself in a notebook, and `save` writes it to a file. All functions take the model
(or a GenerativeClassifier that was fitted), rows and labels that are drawn on top, the features on
the axes by name, and the priors and costs of the decisions. Axes that are not drawn are features
that are not known: the exact marginal is shown.
"""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from . import _core
from ._data import slices_of
from ._decide import CostsLike, PriorsLike, costs_of, priors_of
from ._evaluate import evaluator_of, fitted_model
from ._labels import labels_of
from ._model import Model
from ._source import listed

__all__ = [
    "Picture",
    "bayes_error",
    "confusion",
    "correlations",
    "densities",
    "det",
    "ellipses",
    "posteriors",
    "ratios",
    "regions",
    "reliability",
    "roc",
]


class Picture:
    """An SVG picture, made by the functions of this module."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self._parts = parts

    @property
    def svg(self) -> str:
        """The picture as text."""
        return str(self._parts["svg"])

    @property
    def title(self) -> str:
        """What it shows."""
        return str(self._parts["title"])

    @property
    def description(self) -> str:
        """How to read it."""
        return str(self._parts["description"])

    @property
    def table(self) -> list[dict[str, str]]:
        """The numbers behind it, one dictionary per row."""
        columns = self._parts["columns"]
        return [dict(zip(columns, row)) for row in self._parts["rows"]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture: {self.title}>"


def densities(
    model: Any, X: Any = None, y: Any = None, *, features: Sequence[str] | None = None
) -> Picture:
    """p(x | class) of single features: curves of numbers, bars of categories and counts. By default
    the features that separate the classes best."""
    return _draw("densities", model, X, y, features, None, None)


def posteriors(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[str] | None = None,
    priors: PriorsLike | None = None,
    costs: CostsLike | None = None,
) -> Picture:
    """P(class | x) over one feature, or in the plane of two. By default the plane of the two
    discriminant directions where there are more than two numbers."""
    return _draw("posteriors", model, X, y, features, priors, costs)


def regions(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[str] | None = None,
    priors: PriorsLike | None = None,
    costs: CostsLike | None = None,
) -> Picture:
    """Where each class is decided, over one feature or in the plane of two."""
    return _draw("regions", model, X, y, features, priors, costs)


def ellipses(
    model: Any, X: Any = None, y: Any = None, *, features: Sequence[str] | None = None
) -> Picture:
    """The ellipses that hold 50 % and 95 % of each class, in the plane of two features."""
    return _draw("ellipses", model, X, y, features, None, None)


def correlations(model: Any, *, features: Sequence[str] | None = None) -> Picture:
    """Correlations of the numbers in each class (full covariances) or in all (tied)."""
    return _draw("correlations", model, None, None, features, None, None)


class _EvaluationPicture(Protocol):
    def __call__(
        self,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        priors: PriorsLike = "train",
        costs: CostsLike | None = None,
    ) -> Picture: ...


def _of_evaluation(kind: str, what: str) -> _EvaluationPicture:
    def draw(
        model: Any,
        X: Any,
        y: Any = None,
        *,
        priors: PriorsLike = "train",
        costs: CostsLike | None = None,
    ) -> Picture:
        return Picture(evaluator_of(model, X, y, None, priors, costs).picture(kind))

    draw.__name__ = draw.__qualname__ = kind
    draw.__doc__ = what
    return draw


confusion = _of_evaluation("confusion", "True classes against decisions.")
bayes_error = _of_evaluation(
    "bayes_error",
    "The error rate at every prior of a class, beside the least that a threshold could reach.",
)
det = _of_evaluation(
    "det", "Misses against false alarms at every threshold, on the scale of normal quantiles."
)
roc = _of_evaluation("roc", "Hits against false alarms at every threshold.")
reliability = _of_evaluation(
    "reliability",
    "Posteriors against the share of rows that have the class, by isotonic regression.",
)
ratios = _of_evaluation(
    "ratios", "Histograms of the log-likelihood ratios of a class's rows and of the others."
)


def _draw(
    kind: str,
    of: Any,
    X: Any,
    y: Any,
    features: Sequence[str] | None,
    priors: PriorsLike | None,
    costs: CostsLike | None,
) -> Picture:
    model = fitted_model(of)
    if (X is None) != (y is None):
        raise ValueError("give X and y together: rows are coloured by their class")
    reservoir = None
    if X is not None:
        labels = labels_of(y)
        reservoir = _core.Reservoir(model.schema._core)
        for _, rows in slices_of(X, model.schema, labels):
            reservoir.update(rows)
    parts = _core.plot(
        kind,
        model._core,
        reservoir,
        [_position(name, model) for name in features or ()],
        None if priors is None else priors_of(priors, model),
        costs_of(costs, model),
    )
    return Picture(parts)


def _position(name: str, model: Model) -> int:
    names = model.schema.names
    if name not in names:
        raise ValueError(f"there is no feature {name!r}; the features are {listed(names)}")
    return names.index(name)
