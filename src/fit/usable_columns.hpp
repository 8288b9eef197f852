#pragma once
// Columns with too few values to learn from, which `fit` leaves out as it does constants.

#include "fit/training.hpp"

namespace suffice {

/// Leaves out columns with fewer than three values, unless no other would remain, and says so:
/// sums, sample and source are without them from then on. Sums that cannot be made anew are
/// diagonal.
void leave_out_empty_columns(Training& training);

}  // namespace suffice
