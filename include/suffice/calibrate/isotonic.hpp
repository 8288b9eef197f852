#pragma once
// A monotone function of the log-likelihood ratio of two classes, found by pooling adjacent
// violators: the steps that fit the labels best among all functions that do not fall.

#include <span>

#include "suffice/models/calibration.hpp"

namespace suffice {

/// Adds knots and values to a calibration with scales and offsets. `ratios` are calibrated by these
/// already: the score of the first class minus that of the second; `labels` are 0 or 1, others have
/// no part. Empty weights are 1. The value of a step that has the shares a of all rows of the first
/// class and c of those of the second is log(a / c). A row of the first class (of weight 1) is
/// added at the lowest ratio and one of the second at the highest, so that no step is infinite.
/// Infinite ratios have no part and stay infinite. Throws InvalidArgument where sizes differ, or a
/// class has no rows.
Calibration with_isotonic(Calibration affine, std::span<const double> ratios,
                          std::span<const Index> labels, std::span<const double> weights = {});

}  // namespace suffice
