#pragma once
// Coordinates in which a scatter matrix is diagonal and a target is the identity.

#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// B S Bᵀ = diag(λ) and B T Bᵀ = I. The quadratic form of S + v T is then Σ y_i² / (λ_i + v) with
/// y = B x, for any v.
struct ScatterBasis {
  Matrix vectors;  ///< B
  Vector values;   ///< λ ≥ 0
  Matrix means;    ///< B m of the given means, one per row

  /// `whitener` W is lower triangular with W T Wᵀ = I; null: T is the identity.
  static ScatterBasis of(const Matrix& scatter, const Matrix* whitener, const Matrix& means);
};

}  // namespace suffice
