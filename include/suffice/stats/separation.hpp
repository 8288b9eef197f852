#pragma once
// How far apart classes are for what they vary within: the scatter within and between classes,
//   W = Σ_c S_c,    B = Σ_c n_c (m_c − m)(m_c − m)ᵀ,    T = W + B,
// over the complete rows of a Gaussian block, and the eigenvalues of W⁻¹B. Discriminant analysis,
// multivariate tests and the comparison of two files are functions of these.

#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

class Statistics;

struct Separation {
  std::vector<Index> classes;  ///< positions of those that have complete rows: K of them
  Vector weight;               ///< per class, n_c
  Vector mean;                 ///< m
  Matrix deviations;           ///< K × d: m_c − m
  Matrix within;               ///< W, d × d
  Vector between;              ///< the diagonal of B
  /// P, d × r, with Pᵀ W P = I: the space in which rows vary within classes. r is the rank of W,
  /// judged on the scale of correlations.
  Matrix whitener;
  /// Whether classes differ in a direction in which none varies, so that an eigenvalue is infinite.
  /// Such directions have no part in the figures here.
  bool is_separated = false;
  Vector eigenvalues;  ///< of W⁻¹B in that space, descending: min(r, K − 1) of them
  /// d × eigenvalues: their vectors with vᵀ W v = 1, so that a coefficient for a column in units of
  /// its deviation within classes is √W_jj v_j. The first of these that is at least half as large
  /// as the largest is positive.
  Matrix directions;

  double rows() const;  ///< Σ n_c
  Index rank() const noexcept { return whitener.cols(); }
  Index features() const noexcept { return within.rows(); }
};

/// Throws InvalidArgument: no Gaussian block, a diagonal scatter, fewer than two classes with
/// complete rows, no more rows than classes, no feature that varies within a class.
Separation separation_of(const Statistics& statistics, Index block);

/// (m_a − m_b)ᵀ W⁻¹ (m_a − m_b) in the space in which rows vary; a and b are positions in
/// `classes`.
double squared_distance(const Separation& separation, Index a, Index b);

/// log det Pᵀ S P of some other d × d scatter; −inf where it is singular in that space.
double log_determinant(const Separation& separation, const Matrix& scatter);

}  // namespace suffice
