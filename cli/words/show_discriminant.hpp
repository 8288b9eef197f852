#pragma once
// The functions behind the decisions of a model, for people.

#include <string>

#include "cli/verbs/context.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

/// A table where they are linear, one after the other where they are quadratic.
std::string discriminant_text(const Context& context, const Model& model);

}  // namespace suffice::cli
