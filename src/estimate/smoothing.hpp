#pragma once
// The pseudo-count of a discrete block: as given, or as its counts ask for.

#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// One α for all classes and features of a block, from about 1e-6 to 1e3; 1 where the sums say
/// nothing of it. Levels (0 and 1 of Bernoulli, words of documents): each value is as probable as
/// can be by the counts without it. Poisson and exponential: the largest evidence of the Gamma
/// prior worth α rows at the mean of all classes.
double best_pseudo_count(const BlockStatistics& statistics, Family family,
                         const EstimateOptions& options);

/// Of a block of a model that was estimated with these options; 0 for Gaussian ones.
double pseudo_count_of(const Model& model, const EstimateOptions& options, std::size_t block);

}  // namespace suffice
