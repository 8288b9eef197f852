#pragma once
// Clusters of a few rows, where a mixture begins: k-means with k-means++ seeds.

#include <cstdint>
#include <vector>

#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// Rows as points: numbers in units of their deviations, a missing one at its mean, and for each
/// level of a category a coordinate that is √½ where the row has it.
Matrix points_of(const Schema& schema, const RowBlock& rows);

/// The cluster of each row; as many as `count`, or fewer where points are equal. Each try has
/// random numbers of its own.
std::vector<Index> clusters_of(const Matrix& points, std::span<const double> weights, Index count,
                               std::uint64_t seed, std::uint64_t attempt);

}  // namespace suffice
