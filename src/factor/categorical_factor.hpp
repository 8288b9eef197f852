#pragma once
// What scoring needs of a categorical block.

#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// Categorical: log p = Σ_j table(first[j] + level of x_j, c).
struct CategoricalFactor {
  std::vector<Index> first;  ///< per feature, and the total at the end
  Matrix table;              ///< levels of all features × K; may hold −inf
};

CategoricalFactor make_factor(const CategoricalDensity& density, const Vector& weights);

}  // namespace suffice
