"""How good a model's answers are on rows whose classes are known."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from . import _core
from ._data import in_memory, located, slices_of, training
from ._decide import CostsLike, PriorsLike, costs_of, priors_of
from ._model import Model
from ._threads import threads_of

__all__ = ["Report", "evaluate"]


class Report(Mapping[str, Any]):
    """Figures of an evaluation, by the names that `suffice evaluate --json` has: as members
    (`report.log_loss`) and as a mapping (`report["log_loss"]`). Figures of each class are arrays in
    the order of `confusion["labels"]`.

    See Also
    --------
    evaluate : Makes one.
    report : The figures as a page with pictures.

    Examples
    --------
    >>> import suffice
    >>> stats = suffice.Statistics.of([[1.0], [2.0], [4.0], [6.0]], list("aabb"))
    >>> report = suffice.evaluate(stats.estimate(covariance="tied"), [[1.5], [4.5]], ["a", "b"])
    >>> report["errors"], report.recall.tolist()
    (0.0, [1.0, 1.0])
    """

    def __init__(self, figures: dict[str, Any]) -> None:
        self._figures = figures

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._figures:
            raise AttributeError(
                f"the report has no {name!r}; it has {', '.join(self._figures)}"
                if not name.startswith("_")
                else name
            )
        return self._figures[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._figures]

    def __repr__(self) -> str:
        return (
            f"<Report of {self.rows:g} rows: error rate {self.error_rate:.4g}, "
            f"log-loss {self.log_loss:.4g}, {self.frequency_log_loss:.4g} by the class frequencies>"
        )


def evaluate(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    priors: PriorsLike = "train",
    costs: CostsLike | None = None,
    reject: float | None = None,
    outlier: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Report:
    """Compare a model's decisions and probabilities with known classes.

    Parameters
    ----------
    model : Model, or a fitted GenerativeClassifier
    X : array, frame or Arrow table
    y : array, or the name of a column of X
        Classes; by default the column that the model was trained with. Rows of a class that the
        model does not know are counted in `unknown_label_rows` and are part of no other figure.
    priors, costs, reject, outlier :
        As in `Model.decide`.

    Returns
    -------
    Report
        Error rate with its interval, log-loss, Brier score, confusion matrix, recall, precision and
        F1; AUC, Cllr and detection costs under `detection`; how the scores split into
        miscalibration, discrimination and uncertainty under `calibration`.

    Examples
    --------
    >>> import suffice
    >>> stats = suffice.Statistics.of([[1.0], [2.0], [4.0], [6.0]], list("aabb"))
    >>> report = suffice.evaluate(stats.estimate(covariance="tied"), [[1.5], [4.5]], ["a", "b"])
    >>> report.error_rate, report.confusion["matrix"].tolist()
    (0.0, [[1.0, 0.0], [0.0, 1.0]])
    """
    return Report(
        evaluator_of(
            model, X, y, sample_weight, priors, costs, reject=reject, outlier=outlier, seed=seed,
            n_jobs=n_jobs,
        ).finish()
    )


def evaluator_of(
    of: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    priors: PriorsLike,
    costs: CostsLike | None,
    *,
    reject: float | None = None,
    outlier: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> _core.Evaluator:
    """The engine's evaluator after all rows."""
    model = fitted_model(of)
    threads = threads_of(n_jobs)
    table = in_memory(X, "an evaluation", threads)
    data = training(table, y, sample_weight, model.schema.label or "")
    evaluator = _core.Evaluator(
        model._core, priors_of(priors, model), costs_of(costs, model), reject, outlier, seed
    )
    for first, rows in slices_of(table, model.schema, data.labels, data.weights):
        located(partial(evaluator.add, threads=threads), first, rows)
    return evaluator


def fitted_model(of: Any) -> Model:
    """A Model, or that of a fitted GenerativeClassifier."""
    model = of if isinstance(of, Model) else getattr(of, "model_", None)
    if not isinstance(model, Model):
        raise TypeError(f"give a Model or a fitted GenerativeClassifier, not a {type(of).__name__}")
    return model
