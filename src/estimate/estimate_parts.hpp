#pragma once
// What an estimate makes of statistics, before it is a model: nothing was factorised.

#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Of resolved options without projections and without features to choose. Throws as estimate,
/// except for covariances that turn out to be singular.
Model::Parts estimate_parts(const Statistics& statistics, const EstimateOptions& options,
                            const Execution& execution);

}  // namespace suffice
