#pragma once
// --transform auto: columns are changed where a model of the changed ones predicts better.

#include <optional>
#include <string>

#include "cli/commands/training.hpp"
#include "cli/output/json.hpp"
#include "suffice/evaluate/choose.hpp"

namespace suffice::cli {

/// Compares other meanings of the columns on the rows that training kept. If one is better, rows
/// are read again (unless all of them were kept), a model is chosen again, and both arguments are
/// replaced. Without `chosen` the model is the one of the flags.
void find_better_columns(const Context& context, Training& training, std::optional<Choice>& chosen);

/// A line; empty where no column was changed.
std::string better_columns_in_words(const Training& training);
void add_better_columns(Json& json, const Training& training);

}  // namespace suffice::cli
