#pragma once
// A scatter Σ w (x − m)(x − m)ᵀ is positive semidefinite. Differences of sums are that up to their
// rounding only, which may be larger than what remains.

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Whether S + `slack` · diag(scale) has a Cholesky factor; features of scale 0 are left out.
bool is_semidefinite(const Matrix& scatter, const Vector& scale, double slack);

/// Whether the correlations are possible: their smallest eigenvalue is above −10⁻⁶. Every scatter
/// in a file must be so.
bool is_scatter(const Matrix& scatter);

/// Makes a scatter of one that is off by rounding of the size of `scale`: adds the smallest
/// multiple of diag(scale) that suffices. One for which is_scatter holds by far stays as it is.
void make_scatter(Matrix& scatter, const Vector& scale);

}  // namespace suffice
