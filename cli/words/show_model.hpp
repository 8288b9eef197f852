#pragma once
// A model as text for people.

#include <string>

#include "cli/verbs/context.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

/// `minimum_error` is a line about it, or empty.
std::string model_text(const Context& context, const Model& model,
                       const std::string& minimum_error = {});

}  // namespace suffice::cli
