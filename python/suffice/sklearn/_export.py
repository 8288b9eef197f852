"""A fitted estimator as C, SQL, ONNX or JSON."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._errors import InvalidArgument
from .._export import Dialect, Exported, Input, Real, Target, delivered, words_of
from .._labels import name_of
from ..classifier import GenerativeClassifier
from ._base import Base, names_of, numbered
from ._density import ModelClassifier
from ._lda import LinearDiscriminantAnalysis
from ._logistic import LogisticRegression
from ._multinomial_nb import MultinomialNB
from ._qda import QuadraticDiscriminantAnalysis

Array = NDArray[Any]


def export(
    estimator: Any,
    to: Target,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    table: str | None = None,
    dialect: Dialect | None = None,
    real: Real | None = None,
    input: Input | None = None,
    relative: bool = False,
    priors: Any = None,
    costs: Any = None,
) -> Exported:
    """Writes a fitted estimator as C, SQL, ONNX or JSON: Model.export for the estimators of this
    module and for GenerativeClassifier. The priors are those of the estimator unless others are
    given, by class or in the order of ``classes_``. Columns are ``feature_names_in_``, or x0, x1, ….

    >>> from suffice.sklearn import GaussianNB, export
    >>> nb = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> export(nb, "sql", table="rows").splitlines()[0]
    '-- Written by suffice export for DuckDB. The classes, in the order of the numbers below:'
    """
    words = words_of(name=name, table=table, dialect=dialect, real=real, input=input)
    if isinstance(estimator, GenerativeClassifier):
        return estimator.model_.export(
            to,
            path,
            relative=relative,
            priors=estimator._priors(priors),
            costs=estimator._costs(costs),
            **words,  # type: ignore[arg-type]
        )
    if not isinstance(estimator, Base):
        raise TypeError(
            f"export takes a GenerativeClassifier or an estimator of suffice.sklearn, not "
            f"{type(estimator).__name__}"
        )
    estimator._require_fitted()
    model, prior = _model_of(estimator)
    if priors is not None:
        prior = _in_order(priors, estimator.classes_)
    data = model.export(
        to,
        words,
        relative,
        prior,
        None if costs is None else np.asarray(costs, dtype=np.float64),
        [name_of(value) for value in estimator.classes_],
        [estimator._feature_name(j) for j in range(estimator.n_features_in_)],
    )
    return delivered(data, to, path)


def _in_order(priors: Any, classes: Array) -> Array:
    if isinstance(priors, str):
        if priors != "uniform":
            raise InvalidArgument(f"priors='{priors}': give 'uniform', a mapping by class or an array")
        return np.full(len(classes), 1 / len(classes))
    if isinstance(priors, Mapping):
        by_name = {name_of(key): value for key, value in priors.items()}
        priors = [by_name[name_of(value)] for value in classes]
    return np.asarray(priors, dtype=np.float64)


def _model_of(estimator: Base) -> tuple[_core.Model, Array]:
    """The engine's model with the classes "0", "1", …, and the priors."""
    if isinstance(estimator, ModelClassifier):
        prior = np.exp(estimator._log_prior())
        return estimator._model(), prior / prior.sum()
    if isinstance(estimator, LogisticRegression):
        model = estimator._model
        return model, _normal(model.weights)
    count = len(estimator.classes_)
    if isinstance(estimator, MultinomialNB):
        probability = np.exp(estimator.feature_log_prob_)
        density = {"probability": probability / probability.sum(axis=1, keepdims=True)}
        prior = np.exp(estimator.class_log_prior_)
        return _made(estimator, "multinomial", density, count), prior / prior.sum()
    if isinstance(estimator, QuadraticDiscriminantAnalysis):
        covariance = np.array(
            [r * s @ r.T for r, s in zip(estimator.rotations_, estimator.scalings_)]
        )
        density = {
            "structure": "full",
            "mean": np.asarray(estimator.means_, dtype=np.float64),
            "covariance": (covariance + covariance.transpose(0, 2, 1)) / 2,
        }
        return _made(estimator, "gaussian", density, count), _normal(estimator.priors_)
    if isinstance(estimator, LinearDiscriminantAnalysis):
        if not hasattr(estimator, "covariance_"):
            raise InvalidArgument(
                "the estimator has not kept its covariance; fit it with store_covariance=True"
            )
        shared = np.asarray(estimator.covariance_, dtype=np.float64)
        density = {
            "structure": "tied",
            "mean": np.asarray(estimator.means_, dtype=np.float64),
            "covariance": (shared + shared.T) / 2,
        }
        return _made(estimator, "gaussian", density, count), _normal(estimator.priors_)
    raise InvalidArgument(
        f"{type(estimator).__name__} has no density of the classes to write; use MultinomialNB"
    )


def _normal(prior: Array) -> Array:
    return np.asarray(prior / prior.sum(), dtype=np.float64)


def _made(estimator: Base, family: str, density: dict[str, Any], count: int) -> _core.Model:
    schema = numbered(estimator.n_features_in_, family)
    return _core.Model(schema, names_of(count), np.ones(count), [{"family": family, **density}])
