#pragma once
// Directions in which a covariance is the identity, for covariances that need not have an inverse.

#include "suffice/core/matrix.hpp"

namespace suffice {

struct WhiteDirections {
  Matrix matrix;         ///< T, d × r, with Tᵀ C T = I; 0 for features of variance 0
  bool complete = true;  ///< r is the number of features whose variance is not 0
};

/// Works on the correlations R of the features whose variance is not 0. Directions with an
/// eigenvalue of R up to `cutoff`, or of no more than rounding, are left out. Throws
/// InvalidArgument where the covariance is not square or not finite.
WhiteDirections white_directions(const Matrix& covariance, double cutoff = 0);

}  // namespace suffice
