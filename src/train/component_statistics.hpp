#pragma once
// Sums of some classes, under names of their own.

#include <span>
#include <vector>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Class i of the result is the class at `classes[i]`, called `names[i]`.
Statistics statistics_of_classes(const Statistics& statistics, std::span<const Index> classes,
                                 const Names& names);

/// For Gaussian blocks whose missing numbers are completed: the means and variances of the values
/// that are present, without correlations, where EM begins; of a feature that has no value in a
/// component those of its class. `classes` are the sums of the classes, `label` tells which.
Statistics without_correlations(const Statistics& components, const std::vector<bool>& completed,
                                const Statistics& classes, std::span<const Index> label);

}  // namespace suffice
