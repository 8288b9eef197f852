#pragma once
// The features that make a covariance singular.

#include <span>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

struct Dependence {
  Index rank = 0;
  /// Positions of the features that are linear combinations of the features before them, or have
  /// no variance.
  std::vector<Index> dependent;
};

/// The rank of the features at `kept` on the correlation scale, by a Cholesky factorisation in
/// natural order that skips a feature whose remaining variance is rounding.
Dependence dependence(const Matrix& covariance, std::span<const Index> kept);

/// Row i of the inverse Cholesky factor of the correlations has the squared length (1 + |β|²) / r:
/// r is the share of feature i's variance that its regression β on the features before it leaves
/// over. Correlations rounded by ε change r by about ε (1 + |β|²), so where ε times that length
/// reaches 1 nothing of r is left but rounding. The lengths add up to the trace of the inverse,
/// which no choice of fewer features makes larger.
double rounding_of_correlations(Index d);

}  // namespace suffice
