#pragma once
// What the decisions of a model are like before any row is seen: the error that none can avoid, and
// the points where they change.

#include <string>

#include "cli/output/json.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/decision.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

/// "Minimum error: 0.0213 …", as a line; nothing for one class, and where it cannot be known.
std::string minimum_error_text(const Context& context, const Model& model, const Priors& priors);
/// Null where it cannot be known.
Json minimum_error_json(const Context& context, const Model& model, const Priors& priors);

/// Of --feature. Throw InvalidArgument where there is no such number.
std::string boundary_text(const Context& context, const Model& model, const Decision& decision);
Json boundary_json(const Context& context, const Model& model, const Decision& decision);

}  // namespace suffice::cli
