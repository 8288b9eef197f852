#pragma once
// The step of an estimate that shrinks the means of the classes towards that of all rows.

#include "estimate/estimate_gaussian.hpp"

namespace suffice {

/// Shrinks the means of a diagonal density, widens its variances and fills `deviation`, by the
/// formula of EstimateOptions::shrink_means. The means and variances of the used features are
/// there.
void shrink_means(const GaussianInput& input, GaussianDensity& density);

}  // namespace suffice
