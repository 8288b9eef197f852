#pragma once
// Eigenvalues and vectors of a diagonal matrix to which a matrix of rank one was added.

#include "suffice/core/matrix.hpp"

namespace suffice::blas {

/// D + rho z zᵀ, where D is diag(d), d ascends strictly and neither rho nor a z is 0 or of a size
/// whose square is no double; rho > 0. Row j of `vectors` becomes the unit vector of roots[j],
/// which ascend, too. Rows are orthogonal up to rounding, however close the roots are.
void diagonal_and_one(const Vector& d, const Vector& z, double rho, Vector& roots, Matrix& vectors);

}  // namespace suffice::blas
