#pragma once
// Questions to a Gaussian density, whatever its structure.

#include <string>
#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// What a Gaussian density is over: the features of its block, or their projections z0, z1, ….
std::vector<std::string> names_of(const GaussianDensity& density, const Schema& schema,
                                  const Block& block);

/// The variance of feature j of class c as the structure keeps it (of a Student's t without its
/// scale).
inline double diagonal_at(const GaussianDensity& density, Index c, Index j) {
  const Index row = is_tied(density.structure) ? 0 : c;
  if (is_dense(density.structure)) return density.covariance[row](j, j);
  return density.covariance[0](row, is_spherical(density.structure) ? 0 : j);
}

}  // namespace suffice
