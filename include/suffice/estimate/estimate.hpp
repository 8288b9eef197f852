#pragma once
// From statistics to a model: a pure function of the sums and the options.

#include "suffice/models/estimate_options.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Throws InvalidArgument (impossible options, no rows at all, diagonal statistics for a dense
/// structure), SingularError (a covariance without inverse: which class, its rank, the dependent
/// features).
Model estimate(const Statistics& statistics, const EstimateOptions& options = {},
               const Execution& execution = {});

}  // namespace suffice
