#pragma once
// What projections need of statistics.

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The sums of a block that can be projected: Gaussian, with the whole scatter. Throws
/// InvalidArgument for any other.
const GaussianStatistics& require_projectable(const Statistics& statistics, Index block);

/// The least number of principal components, among `rank`, with that share of the variance.
Index components_for(double share, const Vector& explained, Index rank);

}  // namespace suffice
