#pragma once
// Columns that get another meaning: transformed numbers, categories as indicators; and indicators
// of missing values.

#include <optional>

#include "fit/training.hpp"
#include "suffice/fit/fit.hpp"
#include "suffice/select/choose.hpp"

namespace suffice {

/// Categories::within: the statistics become those in which categorical columns are indicators.
/// Throws InvalidArgument where the rows would have to be read again, and cannot.
void put_categories_within(Training& training);

/// MissingIndicators::yes: the statistics become those in which each column with missing values has
/// an indicator. Throws as put_categories_within.
void add_missing_indicators(Training& training);

/// Compares other meanings of the columns on the sampled rows. If one is better, rows are read
/// again (unless the sample has all of them), a model is chosen again, and the statistics and the
/// choice are replaced. Without a choice the model is the one of the options.
std::optional<ColumnChanges> find_better_columns(Training& training, std::optional<Choice>& choice);

}  // namespace suffice
