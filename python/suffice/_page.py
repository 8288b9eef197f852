"""A page with figures and pictures of a model, for notebooks and files."""
from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import Any

from . import _core
from ._data import slices_of
from ._decide import CostsLike, PriorsLike, costs_of, priors_of
from ._evaluate import evaluator_of, fitted_model
from ._labels import labels_of

__all__ = ["ReportPage", "report"]


class ReportPage:
    """One HTML page that needs no network. It shows itself in a notebook; `save` writes it.

    See Also
    --------
    report : Makes one.
    evaluate : The figures alone.

    Examples
    --------
    >>> import suffice
    >>> model = suffice.Statistics.of([[1.0], [2.0], [4.0], [6.0]], list("aabb")).estimate("tied")
    >>> suffice.report(model).html.startswith("<!doctype html>")
    True
    """

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an HTML file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="800" '
            'style="border:0" title="Report"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<ReportPage of {len(self.html):,} characters; save(path) writes it>"


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    priors: PriorsLike = "train",
    costs: CostsLike | None = None,
    names: Sequence[str] | None = None,
    n_jobs: int | None = None,
) -> ReportPage:
    """How good a model's answers are, and what the model looks like, as one page.

    Parameters
    ----------
    model : Model or fitted GenerativeClassifier, or a pair of them
        Two models over the same classes stand side by side.
    X, y, sample_weight : as in `evaluate`; without them the page shows the model alone
    names : what the models are called on the page

    Examples
    --------
    >>> import suffice
    >>> X, y = [[1.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"]
    >>> page = suffice.report(suffice.Statistics.of(X, y).estimate("tied"), X, y)
    >>> page.save("report.html")  # doctest: +SKIP
    """
    models = [fitted_model(of) for of in (model if isinstance(model, (list, tuple)) else [model])]
    if not 1 <= len(models) <= 2:
        raise ValueError("a page shows one model, or two side by side")
    if any(of.labels != models[0].labels for of in models):
        raise ValueError("models side by side need the same classes")
    if X is None and y is not None:
        raise ValueError("give X and y together")
    called = list(names) if names is not None else ["model", "second model"][: len(models)]
    if len(called) != len(models):
        raise ValueError(f"names has {len(called)} names for {len(models)} models")
    evaluators: list[_core.Evaluator] = []
    reservoir = None
    if X is not None:
        evaluators = [
            evaluator_of(of, X, y, sample_weight, priors, costs, n_jobs=n_jobs) for of in models
        ]
        schemas = {tuple(of.schema.names) for of in models}
        if y is not None and not isinstance(y, str) and len(schemas) == 1:
            reservoir = _core.Reservoir(models[0].schema._core)
            for _, rows in slices_of(X, models[0].schema, labels_of(y)):
                reservoir.update(rows)
    return ReportPage(
        _core.page(
            [of._core for of in models],
            evaluators,
            called,
            [repr(of).splitlines() for of in models],
            reservoir,
            None if priors == "train" else priors_of(priors, models[0]),
            costs_of(costs, models[0]),
            "" if X is None else "labelled rows",
        )
    )
