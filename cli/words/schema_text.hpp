#pragma once
// Classes and features of a model or of statistics, for people.

#include <string>
#include <vector>

#include "cli/output/terminal.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/schema.hpp"

namespace suffice::cli {

/// "229 rows, 3 classes", the label's column, and the classes with their rows and shares.
std::string classes_text(const Terminal& terminal, const Schema& schema, const Names& labels,
                         const Vector& weights);

/// The features of a block as they are transformed: "log1p(price)".
std::vector<std::string> transformed_names(const Schema& schema, const Block& block);

/// What the indicators of categorical columns are, and what their densities are not; empty where
/// there are none.
std::string indicators_text(const Schema& schema);

}  // namespace suffice::cli
