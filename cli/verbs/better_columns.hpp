#pragma once
// --transform auto and --categories: columns are changed where a model of the changed ones predicts
// better, or as asked.

#include <optional>
#include <string>

#include "cli/output/json.hpp"
#include "cli/verbs/training.hpp"
#include "suffice/select/choose.hpp"

namespace suffice::cli {

/// Compares other meanings of the columns on the rows that training kept. If one is better, rows
/// are read again (unless all of them were kept), a model is chosen again, and both arguments are
/// replaced. Without `chosen` the model is the one of the flags.
void find_better_columns(const Context& context, Training& training, std::optional<Choice>& chosen);

/// --categories within: replaces the training by one in which categorical columns are indicators.
/// Throws FileError where the rows would have to be read again, and cannot.
void put_categories_within(const Context& context, Training& training);

/// A line; empty where no column was changed.
std::string better_columns_in_words(const Training& training);
void add_better_columns(Json& json, const Training& training);

}  // namespace suffice::cli
