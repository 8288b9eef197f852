#pragma once
// The best class of a row without all of its scores. Distances in single precision bound each score
// from both sides (float_distances.hpp): a class whose upper bound is below the lower bound of
// another cannot win. Where only one class is left, it is the best; otherwise those that are left
// have their scores computed as all scores are, so decisions and ties are the same.

#include <optional>
#include <span>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// Whether it pays: one block of normal densities with full covariances and many features.
bool can_prune(const Model& model);

/// As best_class, calibrated where the model has a calibration; nothing where a row lacks a number,
/// or has an infinite one. `offset` has one for each class, or is empty. Throws Cancelled.
std::optional<std::vector<Index>> pruned_best_class(const Model& model, const RowBlock& rows,
                                                    std::span<const double> offset,
                                                    const Execution& execution);

}  // namespace suffice
