#pragma once
// fit --discriminative: the logistic regression of the form of a model.

#include "cli/line/verb.hpp"
#include "cli/verbs/training.hpp"
#include "suffice/train/logistic.hpp"

namespace suffice::cli {

/// Throws UsageError where it was asked for and cannot be done, and for a penalty without it.
void check_discriminative(const Command& command, bool from_statistics);

/// The rows of the training again and again: those that it kept, or from the files. Keeps
/// references to its arguments; the schema is that of the statistics.
RowPass rows_of_training(const Context& context, const Training& training, std::string what);

/// The twin of a model of the training. Warns of what a person should know.
LogisticFit fit_twin(const Context& context, const Training& training, const Model& generative);

}  // namespace suffice::cli
