#pragma once
// Which candidate is best.

#include <vector>

#include "suffice/select/select.hpp"

namespace suffice {

/// √(Σ (x_f − x̄)² / (k − 1) / k) over the scores x_f of k folds; infinite where one is.
double standard_error(const std::vector<Score>& folds, double Score::*score);

/// The same between rows: √((Σ w x² / W − x̄²) / (n − 1)), from W, Σ w x and Σ w x². n is W, or the
/// number of rows where that is more: such weights are shares, not frequencies.
double standard_error(double weight, double sum, double squares, double rows = 0);

/// Sets `ranking` and `best`. Throws InvalidArgument, with the first reason, where no candidate
/// could be estimated.
void rank(Selection& selection, Criterion criterion, bool one_standard_error);

}  // namespace suffice
