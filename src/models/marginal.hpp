#pragma once
// The model of some of the features: what a model says when the others are not known.

#include <span>
#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// Leaves the features out that are flagged, one flag per feature of the schema. Word counts cannot
/// be left out, and something must remain. Classes that the mixture gives 0 get the weight 0, so
/// that nothing is worked out for them.
Model marginal(const Model& model, const std::vector<bool>& missing,
               std::span<const double> mixture);

/// The same model of rows that have indicators as columns of numbers.
Model with_indicators_as_columns(const Model& model);

/// Whether some density is about transformed or projected features, or indicators.
bool has_maps(const Model& model);
/// The model of what its densities are about: features that are transformed and projected already.
/// They come block by block, and their names are numbers.
Model without_maps(const Model& model);

}  // namespace suffice
