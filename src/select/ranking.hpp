#pragma once
// Which candidate is best.

#include <vector>

#include "suffice/select/select.hpp"

namespace suffice {

/// √(Σ (x_f − x̄)² / (k − 1) / k) over the scores x_f of k folds; infinite where one is.
double standard_error(const std::vector<Score>& folds, double Score::*score);

/// Sets `ranking` and `best`. Throws InvalidArgument, with the first reason, where no candidate
/// could be estimated.
void rank(Selection& selection, Criterion criterion, bool one_standard_error);

}  // namespace suffice
