"""The linear functions of discriminant analysis from class moments, in scikit-learn's three ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._core import white_directions
from .._encode import Array
from ._covariance import Covariances, TrainingRows
from ._moments import Moments

EPSILON = float(np.finfo(np.float64).eps)


@dataclass
class LinearRule:
    """score_k(x) = weights_k · x + offsets_k, and the axes that separate the classes.

    `weights` are those of the class means minus `centre`. `common` is Σ⁻¹ centre where the
    public coefficients contain it, as those of 'lsqr' and 'eigen' do; it adds the same to the score
    of each class, so decisions leave it out and lose nothing far from the origin.
    """

    weights: Array  # K × d
    offsets: Array  # K
    centre: Array  # d, the means weighted by the priors
    common: Array | None = None  # d
    covariance: Array | None = None  # d × d, pooled by the priors
    scalings: Array | None = None  # d × axes
    ratio: Array | None = None  # axes

    def public(self, means: Array, log_priors: Array) -> tuple[Array, Array]:
        """`coef_` and `intercept_`: per class, or the second minus the first of two."""
        if len(self.weights) == 2:
            return self.weights[1:] - self.weights[:1], self.offsets[1:] - self.offsets[:1]
        if self.common is None:
            return self.weights, self.offsets
        seen = np.isfinite(means[:, 0])
        coef = np.where(seen[:, np.newaxis], self.weights + self.common, 0.0)
        intercept = np.full(len(coef), -np.inf)
        intercept[seen] = log_priors[seen] - 0.5 * np.einsum("ij,ij->i", means[seen], coef[seen])
        return coef, intercept


def log_of(priors: Array, seen: Array) -> Array:
    """log of the priors; −inf for a class without a weight, whatever its prior."""
    with np.errstate(divide="ignore"):
        logs: Array = np.log(np.where(seen, priors, 0.0))
    return logs


def solve_svd(
    moments: Moments,
    priors: Array,
    tol: float,
    axes: int,
    rows: TrainingRows | None,
    *,
    store_covariance: bool,
) -> LinearRule:
    """Whiten by the within-class covariance, then rotate the means to their principal axes.

    Directions of the standardised rows with a deviation of at most `tol` are left out, and so are
    axes along which the means deviate at most `tol` times as much as along the first one.
    """
    _, centred = moments.centred(priors)
    if rows is not None and len(rows.codes) < centred.shape[1]:
        white = _whitening_of_rows(moments, rows, tol)
    else:
        white, _ = white_directions(moments.pooled(moments.shares), tol**2)
    if white.shape[1] == 0 and len(centred) > 1:
        raise np.linalg.LinAlgError(
            "no feature varies within a class, so the covariance within the classes is 0; give "
            "rows that differ within a class"
        )
    spread = np.sqrt(moments.total * priors / max(1, len(priors) - 1))
    _, lengths, directions = np.linalg.svd(
        (centred * spread[:, np.newaxis]) @ white, full_matrices=False
    )
    kept = lengths > tol * lengths[:1]
    rule = _rule(moments, priors, fix_signs(white @ directions[kept].T))
    rule.ratio = _shares(lengths**2)[:axes]
    rule.covariance = moments.pooled(priors) if store_covariance else None
    return rule


def _whitening_of_rows(moments: Moments, rows: TrainingRows, tol: float) -> Array:
    """T with Tᵀ C T = I, of fewer rows than features: n² d operations instead of d³."""
    words = moments.words
    variance = words["squares"].sum(axis=0) / moments.total
    inverse = np.divide(1, np.sqrt(variance), out=np.zeros_like(variance), where=variance > 0)
    standard = (rows.values - words["mean"][rows.codes]) - words["mean_low"][rows.codes]
    standard *= inverse
    weights = np.ones(len(standard)) if rows.weights is None else rows.weights
    standard *= np.sqrt(weights / moments.total)[:, np.newaxis]
    _, lengths, directions = np.linalg.svd(standard, full_matrices=False)
    kept = lengths > max(tol, 10 * (len(lengths) + 10) * EPSILON)
    white: Array = (directions[kept] * inverse / lengths[kept, np.newaxis]).T
    return white


def solve_lsqr(moments: Moments, priors: Array, covariances: Covariances) -> LinearRule:
    """The solution of least length of Σ w_k = m_k."""
    covariance = covariances.pooled(priors)
    white, complete = white_directions(covariance)
    if not complete:  # with P the projection on the range of Σ, P T Tᵀ P is the pseudo-inverse
        basis, _ = np.linalg.qr(covariance @ white)
        white = basis @ (basis.T @ white)
        white[covariance.diagonal() <= 0] = 0
    rule = _rule(moments, priors, white)
    rule.common, rule.covariance, rule.scalings = white @ (rule.centre @ white), covariance, None
    return rule


def solve_eigen(moments: Moments, priors: Array, axes: int, covariances: Covariances) -> LinearRule:
    """All axes of the covariance between the classes relative to the one within them."""
    covariance = covariances.pooled(priors)
    between = covariances.between(priors, covariance)
    white, complete = white_directions(covariance)
    flat = covariance.diagonal() <= 0
    if not complete or between.diagonal()[flat].any():
        raise np.linalg.LinAlgError(
            f"the covariance within the classes has no inverse: its rank is {white.shape[1]} "
            f"of {len(covariance)}; set shrinkage, or use solver='svd'"
        )
    values, vectors = np.linalg.eigh(white.T @ between @ white)
    rule = _rule(moments, priors, white)
    rule.common, rule.covariance = white @ (rule.centre @ white), covariance
    rule.scalings = fix_signs(white @ vectors[:, ::-1])
    rule.ratio = _shares(values[::-1])[:axes]
    return rule


def _rule(moments: Moments, priors: Array, scalings: Array) -> LinearRule:
    """w_k = T Tᵀ (m_k − m), where T Tᵀ is the inverse of Σ, or takes its place."""
    centre, centred = moments.centred(priors)
    projected = centred @ scalings
    weights = projected @ scalings.T
    offsets = log_of(priors, moments.seen) - 0.5 * np.einsum("ij,ij->i", projected, projected)
    return LinearRule(weights, offsets - weights @ centre, centre, scalings=scalings)


def _shares(values: Array) -> Array:
    total = values.sum()
    shares: Array = values / total if total != 0 else np.zeros_like(values)
    return shares


def fix_signs(axes: Array) -> Array:
    """Axes of which the largest entry is positive, so that equal rows give equal signs."""
    if axes.size:
        largest = np.abs(axes).argmax(axis=0)
        axes[:, axes[largest, np.arange(axes.shape[1])] < 0] *= -1
    return axes
