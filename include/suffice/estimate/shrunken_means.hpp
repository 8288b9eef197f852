#pragma once
// Nearest shrunken centroids: which features survive, and the thresholds to choose among. The
// formula is in models/estimate_options.hpp (`shrink_means`).

#include <vector>

#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Positions in the schema, ascending, of the features of Gaussian blocks whose shrunken class
/// means differ; none where the means of a model were not shrunk.
std::vector<Index> surviving_features(const Model& model);

/// Thirty thresholds Δ in equal steps from 0: at the next one no feature would survive. Throws as
/// estimate.
std::vector<double> mean_thresholds(const Statistics& statistics, const EstimateOptions& options,
                                    const Execution& execution = {});

}  // namespace suffice
