#pragma once
// What scoring needs of a Gaussian block.

#include <vector>

#include "core/parallel.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// log N(x; m_c, Σ_c) = log_norm[c] − ½ |W_c (x − center) − W_c (m_c − center)|²  with  W_cᵀ W_c =
/// Σ_c⁻¹. Centring first keeps the digits of data with a large offset. W = L⁻¹ D^-½, where D has
/// the variances and L is the Cholesky factor of the correlation matrix, so units do not matter.
/// Thin covariances Σ_c = diag(a_c) + F_cᵀ F_c. With L Lᵀ = I + F a⁻¹ Fᵀ and B = L⁻¹ F a⁻¹,
///   (x − m)ᵀ Σ⁻¹ (x − m) = Σ_j (x_j − m_j)² / a_j − |B (x − m)|².
struct ThinFactor {
  Matrix inverse;            ///< 1/a: K × used, or 1 × used where classes share a
  Matrix directions;         ///< the rows of B_0, B_1, … one below the other; tied: of one B
  std::vector<Index> rows;   ///< as in ThinCovariance
  Matrix means;              ///< K × the most rows of a class: B_c (m_c − center)
  std::vector<Matrix> gram;  ///< I + F a⁻¹ Fᵀ, for rows that lack a value

  bool empty() const noexcept { return inverse.empty(); }
};

struct GaussianFactor {
  std::vector<Index> used;  ///< positions in the block of the features that are not constant
  Vector center;            ///< per used feature: the mean of the means of the classes with weight
  Matrix mean;              ///< K × used: m_c − center
  /// full: K lower-triangular matrices W_c; tied: one. Empty for the other structures.
  std::vector<Matrix> whitener;
  /// diag and spherical: K × used, 1/σ; tied-diag and tied-spherical: 1 × used. Otherwise empty.
  Matrix inverse_deviation;
  Matrix whitened_mean;  ///< K × used: W_c (m_c − center), or (m_c − center)/σ
  Vector log_norm;       ///< K: −½ log det 2πΣ_c over the used features; log p_c(m_c)
  /// Tied structures only: up to a term that all classes share,
  /// log p(x | c) = linear_constant[c] + Σ_j linear(c, j) (x_j − center_j).
  Matrix linear;           ///< K × used: Σ⁻¹ (m_c − center)
  Vector linear_constant;  ///< K: −½ |whitened_mean_c|²  (no log_norm: it is shared)
  /// Student's t; empty for normal densities. With q = |…|² above, n features and the constant of t
  /// in log_norm: K × 1, log p = log_norm[c] − ½ (dof + n) log(1 + q / (dof spread[c])). K × used:
  /// a sum of such terms, one per feature (n = 1). There is no linear form.
  Matrix dof;
  /// K, with a whitener that classes share: their scale matrices over that of the whitener.
  /// inverse_deviation, by contrast, has one row per class.
  Vector spread;
  /// Of thin covariances, which have neither a whitener nor deviations; otherwise empty.
  ThinFactor thin;
};

/// Throws SingularError.
GaussianFactor make_factor(const GaussianDensity& density, const Model::Parts& parts,
                           const Block& block, Workers& workers);

}  // namespace suffice
