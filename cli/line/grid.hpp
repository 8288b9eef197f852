#pragma once
// The candidates that `select` chooses among, with what is wrong about the flags as a UsageError.

#include <vector>

#include "cli/line/options.hpp"

namespace suffice::cli {

/// Those of suffice::candidates_of.
std::vector<EstimateOptions> candidates_of(const ChoiceOptions& choice, const Schema& schema);

/// The same before a schema is known, for what can be said against the command.
void require_candidates(const ChoiceOptions& choice);

}  // namespace suffice::cli
