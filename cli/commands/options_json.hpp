#pragma once
// How a model was estimated, as JSON for programs.

#include <string>
#include <utility>
#include <vector>

#include "cli/output/json.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

/// Names and values; numbers as numbers.
Json options_json(const std::vector<std::pair<std::string, std::string>>& options);
/// How strongly covariances were shrunk: `asked`, and what there is of `rows`, `target_rows` and
/// `shares`.
Json shrinkage_json(const Model& model);

}  // namespace suffice::cli
