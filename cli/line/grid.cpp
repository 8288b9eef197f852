#include "cli/line/grid.hpp"

#include "cli/line/error.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {

std::vector<EstimateOptions> candidates_of(const ChoiceOptions& choice, const Schema& schema) {
  try {
    return suffice::candidates_of(choice.grid, schema, choice.folds == 0);
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
}

void require_candidates(const ChoiceOptions& choice) {
  try {
    suffice::require_candidates(choice.grid);
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace suffice::cli
