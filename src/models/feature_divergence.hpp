#pragma once
// How far apart two classes are in one feature by itself: Jeffreys' divergence, by the formulas of
// suffice/inspect/separation.hpp.

#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// Of the feature at position j of a block's density, in the rows a and b of the density.
double feature_divergence(const Density& density, Index a, Index b, Index j);

/// Per feature of the schema, averaged over all pairs of the classes of positive weight.
Vector feature_divergences(const Schema& schema, const Vector& weights,
                           const std::vector<Density>& densities);

}  // namespace suffice
