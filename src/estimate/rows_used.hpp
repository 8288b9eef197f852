#pragma once
// How much of the rows an estimate uses where numbers are missing.

#include <vector>

#include "suffice/models/estimate_found.hpp"
#include "suffice/models/estimate_options.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Whether rows were left out of the joint sums, since they lack a number.
bool is_incomplete(const GaussianStatistics& sums);

/// Per Gaussian block: the weight of the rows in the joint sums.
std::vector<double> joint_rows(const Statistics& statistics);

/// used_rows, complete_rows (of dense sums), used_values and present_values of an estimate with
/// that structure from the sums as they are; all empty where no number of a Gaussian block is
/// missing.
EstimateFound rows_used(const Statistics& statistics, Covariance covariance);

}  // namespace suffice
