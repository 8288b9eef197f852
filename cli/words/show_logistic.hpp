#pragma once
// The weights of a discriminative model, for people.

#include <string>

#include "cli/verbs/context.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

/// "Logistic regression: linear in 4 terms, penalty 0.316 …", a line, and what else to know of the
/// fit, each on a line; nothing of a model with densities.
std::string logistic_in_words(const Model& model);

/// A table of the weights with their standard errors: of two classes the log-odds of the first,
/// otherwise a column per class.
std::string logistic_text(const Context& context, const Model& model);

}  // namespace suffice::cli
