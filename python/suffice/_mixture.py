"""Classes that are mixtures, and rows without a label, by EM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._fit import fit
from ._model import Model
from ._options import MODEL_OPTIONS, default_of, require_known, with_options
from ._schema import Schema

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ModelOptions


def _default_of(name: str) -> float | str | bool | None:
    return 2 if name == "components" else default_of(name)


@with_options(MODEL_OPTIONS, default=_default_of)
def fit_mixture(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    schema: Schema | Mapping[str, str] | None = None,
    family: str | Mapping[str, str] | None = None,
    transforms: Mapping[str, str] | None = None,
    unlabelled: str | None = None,
    unlabelled_weight: float = 1.0,
    missing: str = "auto",
    max_iter: int = 200,
    tol: float = 1e-6,
    n_init: int = 5,
    seed: int = 0,
    start: Model | None = None,
    progress: Callable[[float], object] | None = None,
    n_jobs: int | None = None,
    **options: Unpack[ModelOptions],
) -> Model:
    """A model whose classes are mixtures of several densities each, found by EM.

    Parameters
    ----------
    X, y, sample_weight
        A table in memory or files, its classes and weights, as Statistics.of takes them.
    schema, family, transforms
        What the columns mean, as for Statistics.of.
    unlabelled : {"use", "ignore"} or None
        What is done with rows of a table in memory that have no label: None, NaN or null in y, or
        -1 in an array of integers, as scikit-learn marks them. "use" has them improve the
        densities, "ignore" leaves them out, and None raises DataError.
    unlabelled_weight : float
        How much a row without a label counts, compared with one that has a label.
    missing : {"auto", "em", "complete"}
        "complete" leaves rows that lack a number out of full and tied covariances; otherwise what
        is missing is replaced by its expectation, given the other numbers of the row.
    max_iter, tol
        Passes at most, and the change of the log-likelihood per row at which they end.
    n_init : int
        Starts that are tried on a sample of the rows.
    seed : int
        Of the sample and the starts.
    start : Model, optional
        A mixture of the same classes and columns to begin with; then no other start is tried, and
        the number of components is that of `start`.
    progress : callable, optional
        Called a few times per second with the fraction done. What it raises ends the call.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    {options}

    Examples
    --------
    >>> import numpy as np, suffice
    >>> random = np.random.default_rng(0)
    >>> X = np.concatenate([random.normal(c, 1, (200, 1)) for c in (-6, 6, 0)])
    >>> y = ["outside"] * 400 + ["inside"] * 200
    >>> model = suffice.fit_mixture(X, y, components="auto")
    >>> model.mixture["names"], model.mixture["shares"].round(2)
    (['inside/1', 'outside/1', 'outside/2'], array([1. , 0.5, 0.5]))
    >>> model.decide([[-6.0], [0.0], [6.0]]).tolist()
    ['outside', 'inside', 'outside']
    """
    require_known(options, MODEL_OPTIONS, "fit_mixture")
    given: dict[str, Any] = {"covariance": "full", "components": 2, **options}
    if start is not None:
        given["components"] = 1  # those of the start
    return fit(
        X, y, sample_weight, schema=schema, family=family, transforms=transforms,
        calibration="none", missing=missing, unlabelled=unlabelled,
        unlabelled_weight=unlabelled_weight, max_iter=max_iter, tol=tol, n_init=n_init, seed=seed,
        start=start, progress=progress and (lambda what, share: progress(share)), n_jobs=n_jobs,
        **given,
    ).model
