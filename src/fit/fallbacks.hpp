#pragma once
// What `fit` does where nobody names a model and the table has less than a density needs: there is
// an answer for every table.

#include <functional>
#include <optional>

#include "fit/training.hpp"
#include "suffice/models/model.hpp"
#include "suffice/select/choose.hpp"

namespace suffice {

/// Whether nothing of the model was named, so that any model will do.
bool takes_any_model(const FitOptions& options);

/// Puts into the sums what they lack for a density (stats/filled.hpp), and says so.
void fill_gaps(Training& training);

/// The model that `usual` makes. Where it cannot be estimated, one of each column by itself, with
/// one variance in all classes, or the class frequencies alone, and a note of it; `choice` becomes
/// that of the model, if there was any. Where the class frequencies predict the sampled rows better
/// by more than 5 %, although the model has seen them, it has less confidence, and a note says so.
Model any_model_of(Training& training, std::optional<Choice>& choice,
                   const std::function<Model()>& usual);

}  // namespace suffice
