#pragma once
// How a model was estimated, as JSON for programs.

#include "cli/output/json.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

/// Options by name; numbers as numbers.
Json options_json(const EstimateOptions& options);
/// The same with what the estimate found; an empty object for given parameters.
Json options_json(const Model& model);
/// How strongly covariances were shrunk: `asked`, and what there is of `rows`, `target_rows` and
/// `shares`.
Json shrinkage_json(const Model& model);

}  // namespace suffice::cli
