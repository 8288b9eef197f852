"""Weights, means and scatters of classes, and whitening on the correlation scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from .. import _core
from .._encode import Array

EPSILON = float(np.finfo(np.float64).eps)


@dataclass
class Moments:
    """What discriminant analysis needs of the rows: per class a weight, a mean and a scatter.

    A mean is the sum of two doubles, so that means of rows far from the origin can be told apart.
    A class of weight 0 has no mean. Diagonal statistics have no scatters but their diagonals.
    """

    weight: Array  # K
    mean: Array  # K × d
    mean_low: Array  # K × d
    squares: Array  # K × d, the diagonals of the scatters
    scatter: Array  # K × d × d

    @classmethod
    def of(cls, statistics: _core.Statistics) -> Moments:
        """The moments of the only block of `statistics`."""
        if statistics.scatter == "diagonal":
            parts = statistics.moments(0)
            squares, scatter = parts["squares"], np.empty((0, 0, 0))
        else:
            parts = statistics.gaussian(0)
            scatter = parts["scatter"]
            squares = np.einsum("kii->ki", scatter)
        return cls(statistics.weights, parts["mean"], parts["mean_low"], squares, scatter)

    @property
    def seen(self) -> Array:
        """Which classes have a weight."""
        return self.weight > 0

    @property
    def total(self) -> float:
        """The weight of all classes."""
        return float(self.weight.sum())

    @property
    def means(self) -> Array:
        """The means as doubles, K × d; NaN for a class without a weight."""
        means = self.mean + self.mean_low
        means[~self.seen] = np.nan
        return means

    def deviations(self) -> tuple[Array, Array]:
        """A reference point near the rows, and the means minus it (0 for a class without weight).

        The differences of the high words are nearly exact, so an offset common to all rows costs
        the deviations nothing.
        """
        first = int(np.argmax(self.seen))
        reference = self.mean[first]
        deviations = (self.mean - reference) + self.mean_low
        deviations[~self.seen] = 0
        return reference, deviations

    def pooled(self, shares: Array) -> Array:
        """Σ share_k scatter_k / weight_k over the classes that have a weight."""
        scale = np.divide(shares, self.weight, out=np.zeros_like(self.weight), where=self.seen)
        d = self.scatter.shape[-1]
        pooled: Array = (scale @ self.scatter.reshape(len(scale), d * d)).reshape(d, d)
        return pooled

    def covariance(self, index: int) -> Array:
        """The covariance of a class, with its weight as the divisor."""
        covariance: Array = self.scatter[index] / self.weight[index]
        return covariance

    def centre(self) -> tuple[Array, Array]:
        """The mean of all rows as two words."""
        reference, deviations = self.deviations()
        shift = (self.weight / self.total) @ deviations
        mean = reference + shift
        return mean, (reference - mean) + shift

    def between(self) -> Array:
        """The covariance of the class means: Σ W_k/W (m_k − m)(m_k − m)ᵀ."""
        _, deviations = self.deviations()
        shares = self.weight / self.total
        centred = (deviations - shares @ deviations) * np.sqrt(shares)[:, np.newaxis]
        between: Array = centred.T @ centred
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


def rounding_of_correlations(d: int) -> float:
    """The part of a correlation matrix of d features that may be rounding, as the engine has it."""
    return 10 * (d + 10) * EPSILON


def whitener(covariance: Array, cutoff: float = 0.0) -> tuple[Array, bool]:
    """T (d × r) with Tᵀ C T = I, and whether no direction was left out but features of variance 0.

    Works on the correlations R = D⁻¹ C D⁻¹. An inverse Cholesky factor will do where it shows that
    every eigenvalue of R is above the cutoff (none is below 1 / trace R⁻¹); otherwise the
    eigenvectors with larger eigenvalues are kept.
    """
    d = len(covariance)
    variance = covariance.diagonal()
    used = variance > 0
    some = not used.all()
    if not used.any():
        return np.zeros((d, 0)), True
    if some:
        covariance, variance = covariance[np.ix_(used, used)], variance[used]
    scale = 1 / np.sqrt(variance)
    correlation = covariance * scale
    correlation *= scale[:, np.newaxis]
    cutoff = max(cutoff, rounding_of_correlations(len(scale)))
    result, full = _inverse_factor(correlation, cutoff), True
    if result is None:
        values, vectors = np.linalg.eigh(correlation)
        kept = values > cutoff
        result, full = vectors[:, kept] / np.sqrt(values[kept]), bool(kept.all())
    result = result * scale[:, np.newaxis]
    if some:
        spread = np.zeros((d, result.shape[1]))
        spread[used] = result
        result = spread
    return result, full


def _inverse_factor(correlation: Array, cutoff: float) -> Array | None:
    """L⁻ᵀ with R = L Lᵀ, or None where an eigenvalue of R may be below the cutoff."""
    factor, failed = lapack.dpotrf(correlation.T, lower=1, clean=1)
    if failed:
        return None
    inverse, failed = lapack.dtrtri(factor, lower=1, overwrite_c=1)
    entries = inverse.ravel(order="K")
    if failed or not cutoff * float(entries @ entries) < 1:
        return None
    transposed: Array = inverse.T
    return transposed
