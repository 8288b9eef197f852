"""Weights, means and covariances of classes, as the engine's sums have them."""

from __future__ import annotations

import numpy as np

from .. import _core
from .._encode import Array


class Moments:
    """What discriminant analysis needs of the rows, from the only block of `statistics`."""

    def __init__(self, statistics: _core.Statistics) -> None:
        self._statistics = statistics
        self.weight: Array = statistics.weights
        self.seen: Array = self.weight > 0
        self.total = float(self.weight.sum())
        self.shares: Array = self.weight / self.total
        self.words = statistics.moments(0)  # a mean is the sum of two doubles

    @property
    def means(self) -> Array:
        """K × d; NaN for a class without a weight."""
        means: Array = self.words["mean"] + self.words["mean_low"]
        means[~self.seen] = np.nan
        return means

    def centred(self, shares: Array) -> tuple[Array, Array]:
        """m = Σ share_k m_k, and the means minus it (0 for a class without a weight)."""
        centre, _, deviations = self._statistics.pooled_means(0, shares)
        return centre, deviations

    def centre(self) -> tuple[Array, Array]:
        """The mean of all rows as the sum of two doubles."""
        centre, low, _ = self._statistics.pooled_means(0, self.shares)
        return centre, low

    def pooled(self, shares: Array) -> Array:
        """Σ share_k C_k over the classes that have a weight, which is the divisor of C_k."""
        return self._statistics.pooled_covariance(0, shares)

    def covariance(self, index: int) -> Array:
        """C_k of one class."""
        return self.pooled(np.eye(1, len(self.weight), index)[0])

    def between(self) -> Array:
        """The covariance of the class means: Σ W_k/W (m_k − m)(m_k − m)ᵀ."""
        _, deviations = self.centred(self.shares)
        deviations *= np.sqrt(self.shares)[:, np.newaxis]
        between: Array = deviations.T @ deviations
        return between


def class_priors(priors: object, weights: Array) -> Array:
    """The given priors as a new array, or the shares of the class weights."""
    if priors is None:
        shares: Array = weights / weights.sum()
        return shares
    given = np.array(priors, dtype=np.float64)
    if given.shape != weights.shape:
        raise ValueError(
            f"priors has the shape {given.shape}, and there are {len(weights)} classes: "
            "Number of priors must match number of classes."
        )
    if not np.all(given >= 0):
        raise ValueError("priors must be non-negative")
    return given
