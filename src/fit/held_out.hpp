#pragma once
// What `fit` finds by scores of rows that had no part in estimating, in further passes: the
// strength of shrinkage, the threshold of shrunken means, a calibration.

#include <optional>

#include "fit/training.hpp"
#include "suffice/fit/fit.hpp"
#include "suffice/models/model.hpp"
#include "suffice/select/select.hpp"

namespace suffice {

/// Both passes of a selector over all rows, and those that its candidates take.
Selection selection_of(Training& training, Selector& selector);

/// Shrinkage "loo": the strength with the fewest errors where one row is left out at a time.
std::optional<LeaveOneOutShrinkage::Choice> chosen_strength(Training& training);

/// shrink_means "auto": the fewest parameters within one standard error of the fewest errors.
std::optional<FoundThreshold> chosen_threshold(Training& training, const EstimateOptions& given);

/// Calibrates a model that has no calibration, where that was asked for: one row is left out at a
/// time where that is exact and cheap, several otherwise.
std::optional<FoundCalibration> calibrate(Training& training, Model& model);

}  // namespace suffice
