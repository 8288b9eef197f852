"""Covariances of the classes: maximum likelihood, shrunk, or from an estimator of the user.

The first two come from the class moments alone. `shrinkage='auto'` needs fourth moments, and an
estimator needs rows: for these the rows are read a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from .._encode import Array
from ._moments import Moments

BLOCK = 1 << 16  # numbers that a block of the second reading holds


@dataclass
class TrainingRows:
    """The rows of `fit`, kept while it runs."""

    values: Array  # n × d, any kind of number
    codes: Array  # n, positions of the classes
    weights: Array | None  # n


class Covariances:
    """The covariance of each class and of all rows, as `shrinkage` or an estimator has it.

    Weights are frequencies: an estimator gets a row of weight 2 twice and one of weight 0 never.
    """

    def __init__(
        self,
        moments: Moments,
        shrinkage: object = None,
        estimator: Any = None,
        rows: TrainingRows | None = None,
    ) -> None:
        if estimator is not None and shrinkage is not None and shrinkage != 0:
            raise ValueError(
                "covariance_estimator and shrinkage parameters are not None. "
                "Only one of the two can be set."
            )
        self._moments = moments
        self._estimator = estimator
        self._auto = estimator is None and isinstance(shrinkage, str)
        self._rows = rows
        self._amount = float(shrinkage) if isinstance(shrinkage, Real) else 0.0
        self._fourth = self._class_fourth_moments() if self._auto else None

    def of_class(self, index: int) -> Array:
        """The covariance of a class that has a weight."""
        if self._estimator is not None:
            return self._estimated(index)
        covariance = self._moments.covariance(index)
        if self._fourth is None:
            return shrunk(covariance, self._amount)
        weight = float(self._moments.weight[index])
        return ledoit_wolf(covariance, weight, float(self._fourth[index]))

    def pooled(self, shares: Array) -> Array:
        """Σ share_k C_k over the classes that have a weight."""
        if self._estimator is None and self._fourth is None:
            return shrunk(self._moments.pooled(shares), self._amount)
        seen = np.flatnonzero(self._moments.seen)
        pooled: Array = shares[seen[0]] * self.of_class(int(seen[0]))
        for k in seen[1:]:
            pooled += shares[k] * self.of_class(int(k))
        return pooled

    def between(self, shares: Array, pooled: Array) -> Array:
        """The covariance of all rows, from around their mean, minus the pooled one."""
        moments = self._moments
        if self._estimator is None and self._fourth is None:
            within = moments.pooled(moments.shares - shares)
            return shrunk(moments.between() + within, self._amount)
        if self._estimator is not None:
            return self._estimated(None) - pooled
        covariance = moments.pooled(moments.shares) + moments.between()
        mean, low = moments.centre()
        rows = self._training_rows()
        everything = TrainingRows(rows.values, np.zeros(len(rows.codes), np.intp), rows.weights)
        fourth = fourth_moments(
            everything, mean[np.newaxis], low[np.newaxis], _deviations(covariance)[np.newaxis]
        )
        return ledoit_wolf(covariance, moments.total, float(fourth[0])) - pooled

    def _training_rows(self) -> TrainingRows:
        if self._rows is None:
            raise ValueError(
                "shrinkage='auto' and covariance_estimator read the rows a second time, which "
                "partial_fit no longer has; call fit, or give a number as shrinkage"
            )
        return self._rows

    def _class_fourth_moments(self) -> Array:
        moments = self._moments
        words = moments.words
        scale = np.ones_like(words["mean"])
        for k in np.flatnonzero(moments.seen):
            scale[k] = _deviations(moments.covariance(int(k)))
        return fourth_moments(self._training_rows(), words["mean"], words["mean_low"], scale)

    def _estimated(self, index: int | None) -> Array:
        """What a copy of the estimator finds for a class, or for all rows."""
        from sklearn.base import clone

        rows = self._training_rows()
        values, weights = rows.values, rows.weights
        if index is not None:
            chosen = rows.codes == index
            values = values[chosen]
            weights = weights if weights is None else weights[chosen]
        if weights is not None:
            values = np.repeat(values, _whole(weights), axis=0)
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        estimator = clone(self._estimator, safe=False)
        estimator.fit(values)
        if not hasattr(estimator, "covariance_"):
            raise ValueError(
                f"{type(estimator).__name__} does not have a covariance_ attribute, which a "
                "covariance_estimator needs after its fit"
            )
        return np.atleast_2d(np.asarray(estimator.covariance_, dtype=np.float64))


def shrunk(covariance: Array, amount: float) -> Array:
    """(1 − a) C + a trace(C)/d I."""
    if amount == 0:
        return covariance
    d = len(covariance)
    target = amount * float(np.trace(covariance)) / d
    result = (1 - amount) * covariance
    result.flat[:: d + 1] += target
    return result


def ledoit_wolf(covariance: Array, weight: float, fourth: float) -> Array:
    """C shrunk towards its diagonal by Ledoit and Wolf's amount for standardised rows.

    With R the correlations, μ = trace(R)/d and `fourth` = Σ w |z|⁴ over the standardised rows z:
    β = (fourth/W − |R|²) / (d W), δ = |R − μI|² / d, and the amount is min(β, δ) / δ.
    """
    d = len(covariance)
    if d == 1:  # one feature is its own target
        return covariance
    scale = _deviations(covariance)
    correlation = covariance / scale / scale[:, np.newaxis]
    trace = float(np.trace(correlation))
    mu = trace / d
    squares = float(np.vdot(correlation, correlation))
    delta = (squares - 2 * mu * trace + d * mu**2) / d
    beta = min((fourth / weight - squares) / (d * weight), delta)
    amount = 0.0 if beta == 0 else beta / delta
    result = (1 - amount) * covariance
    result.flat[:: d + 1] += amount * mu * scale**2
    return result


def fourth_moments(rows: TrainingRows, mean: Array, mean_low: Array, scale: Array) -> Array:
    """Σ w |z|⁴ per class, z = (x − mean) / scale: one more reading of the rows, block by block."""
    classes, d = mean.shape
    inverse = 1 / scale
    result = np.zeros(classes)
    step = max(1, BLOCK // d)
    for first in range(0, len(rows.codes), step):
        part = slice(first, first + step)
        codes = rows.codes[part]
        standard = rows.values[part] - mean[codes]  # double, whatever the rows are
        standard -= mean_low[codes]
        standard *= inverse[codes]
        squares = np.einsum("ij,ij->i", standard, standard)
        squares *= squares
        if rows.weights is not None:
            squares *= rows.weights[part]
        result += np.bincount(codes, squares, minlength=classes)
    return result


def _deviations(covariance: Array) -> Array:
    """Standard deviations; 1 for a feature without a variance."""
    variance = covariance.diagonal()
    deviations: Array = np.sqrt(np.where(variance > 0, variance, 1.0))
    return deviations


def _whole(weights: Array) -> Array:
    """Weights as numbers of rows."""
    counts = weights.astype(np.intp)
    if not np.array_equal(counts, weights):
        wrong = weights[counts != weights][0]
        raise ValueError(
            "covariance_estimator gets each row as often as its weight says, so sample_weight has "
            f"to be whole numbers; got {wrong!r}"
        )
    return counts
