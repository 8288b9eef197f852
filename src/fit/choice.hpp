#pragma once
// Which model: the choice that `fit` makes, and the options where it makes none.

#include <optional>

#include "fit/training.hpp"
#include "suffice/select/choose.hpp"

namespace suffice {

/// The model that predicts best, by the sample or by groups of rows. Nothing where none is to be
/// chosen, and where there is nothing to choose with.
std::optional<Choice> chosen_model(Training& training);
/// Warns where the choice is not what was asked for.
void note_choice(Training& training, const Choice& choice);

/// The options of an estimate without a choice. Where no covariance is named, it is full, or tied
/// or diag where the statistics have no more, and what was not given is found in the sums.
EstimateOptions options_without_choice(const FitOptions& options, const Statistics& statistics);

}  // namespace suffice
