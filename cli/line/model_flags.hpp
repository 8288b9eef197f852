#pragma once
// The flags that say how a model is estimated, and what contradicts itself among them.

#include "cli/line/flag.hpp"

namespace suffice::cli {

/// One value each, for fit.
FlagGroup estimate_flags();
/// Lists of them, for select.
FlagGroup grid_flags();
/// What stats keeps of the covariances.
FlagGroup scatter_flag();

/// Throws UsageError where no statistics could be estimated like some candidate of select.
void check_grid(const ChoiceOptions& choice);

}  // namespace suffice::cli
