#pragma once
// The best class of a row without all of its scores. The squared distance of a row is a sum of
// squares in the coordinates that a class whitens it to, so a part of the sum already bounds the
// score from above: a class whose bound is below the complete score of another cannot win. The
// bound holds in floating point too, since adding squares and rounding are monotone, so decisions
// and ties are those of all scores.

#include <optional>
#include <span>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// Whether it pays: one block of normal densities with full covariances, many features, more than
/// two classes.
bool can_prune(const Model& model);

/// As best_class, calibrated where the model has a calibration; nothing where a row lacks a number,
/// or has an infinite one. `offset` has one for each class, or is empty. Throws Cancelled.
std::optional<std::vector<Index>> pruned_best_class(const Model& model, const RowBlock& rows,
                                                    std::span<const double> offset,
                                                    const Execution& execution);

}  // namespace suffice
