#pragma once
// Full and tied covariances from thin scatters, S_c = R_cᵀ R_c, without a d × d matrix. Whatever
// the options, a covariance is a mixture of scatters and a diagonal,
//   Σ_c = Σ_k b_ck R_kᵀ R_k + diag(a_c),
// which is what ThinCovariance keeps, with the rows √b_ck R_k.

#include <optional>

#include "estimate/estimate_gaussian.hpp"

namespace suffice {

/// Whether the covariances have fewer directions than features, apart from their diagonals.
/// Otherwise the dense way is as good.
bool is_thin_estimate(const GaussianInput& input);

/// As estimate_dense.
void estimate_thin(const GaussianInput& input, GaussianEstimate& result);

}  // namespace suffice
