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

/// Of Student's t: whether each feature has a t of its own (one t of one feature is neither).
inline bool is_one_each(const GaussianDensity& density) { return density.dof.cols() > 1; }
inline double dof_at(const GaussianDensity& density, Index c, Index j) {
  return density.dof(c, is_one_each(density) ? j : 0);
}
/// What the variance of feature j as the structure keeps it is multiplied by.
inline double scale_at(const GaussianDensity& density, Index c, Index j) {
  return density.scale.empty() ? 1 : density.scale(c, density.scale.cols() > 1 ? j : 0);
}

}  // namespace suffice
