#pragma once
// What projections need of statistics.

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The sums of a block that can be projected: Gaussian, with the whole scatter. Throws
/// InvalidArgument for any other.
const GaussianStatistics& require_projectable(const Statistics& statistics, Index block);

}  // namespace suffice
