#pragma once
// A model as text for people.

#include <string>

#include "cli/verbs/context.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

std::string model_text(const Context& context, const Model& model);

}  // namespace suffice::cli
