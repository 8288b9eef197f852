#pragma once
// How strongly covariances are shrunk, from scatter matrices alone: the shares of regularised
// discriminant analysis and OAS, and the strength that a conjugate prior's evidence asks for.

#include <span>
#include <vector>

#include "suffice/estimate/estimate.hpp"

namespace suffice {

/// Covariances Σ with an inverse Wishart prior of the mean T, worth v rows (scale v T, ν = v + p +
/// 1 degrees of freedom, p × p), of which scatter matrices S with f degrees of freedom were seen.
struct SeenScatter {
  double dof = 0;       ///< f of each of them
  Index dimension = 1;  ///< p
  /// Those of T^-½ S T^-½: p for each scatter matrix that has these f and p, except those that are
  /// known to be 0.
  Vector eigenvalues;
  Index zeros = 0;  ///< how many these are
};

/// With e the eigenvalues, and without a term that does not depend on v, the sum over the scatter
/// matrices of
///   L(v) = ln Γ_p((ν + f)/2) − ln Γ_p(ν/2) + (ν p/2) ln v − ((ν + f)/2) Σ ln(v + e_i).
double log_evidence(std::span<const SeenScatter> seen, double rows);
/// v dL/dv.
double log_evidence_slope(std::span<const SeenScatter> seen, double rows);

/// The v ≥ 1 with the largest evidence, up to 10⁶ times the degrees of freedom.
double best_rows(std::span<const SeenScatter> seen);

/// The lower triangle of W S Wᵀ, W lower triangular; what is above it is undefined.
Matrix whitened_scatter(const Matrix& scatter, const Matrix& whitener);

/// The eigenvalues of W S Wᵀ: those of T^-½ S T^-½ where Wᵀ W = T⁻¹, W lower triangular.
Vector relative_eigenvalues(const Matrix& scatter, const Matrix& whitener);

/// A target and how many rows of its own diagonal went into it.
struct ShrunkScatter {
  Matrix covariance;  ///< (S + u D) / (f + u), D the diagonal of S / f
  double rows = 0;    ///< u
};
/// Of a pooled scatter with f > 0 degrees of freedom and positive diagonal; u by its evidence.
ShrunkScatter shrink_to_diagonal(const Matrix& scatter, double dof);
/// The target of class covariances, and the tied covariance itself: that, or D where there are
/// more features than f (then u is infinite).
ShrunkScatter class_target(const Matrix& scatter, double dof);

/// The same with a given share of T₀, the diagonal of S / f or its mean times the identity:
/// (1 − share) S / f + share T₀.
Matrix class_target(const Matrix& scatter, double dof, double share, Target target);

/// (1 − share) Σ + share T(Σ).
void shrink(Matrix& covariance, double share, Target target);
/// The share of Chen, Wiesel, Eldar and Hero (2010) as scikit-learn has it, for the covariance
/// divided by the number of rows.
double oas_share(const Matrix& covariance, double rows);

}  // namespace suffice
