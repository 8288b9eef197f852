#pragma once
// Sums of the same rows with all weights multiplied by one number.

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Needs `by` above 0. Means stay as they are.
Statistics scaled(const Statistics& statistics, double by);

}  // namespace suffice
