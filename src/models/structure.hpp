#pragma once
// The names of what a Gaussian density is over, and the features that make a covariance singular.

#include <span>
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

struct Dependence {
  Index rank = 0;
  /// Positions of the features that are linear combinations of the features before them, or have
  /// no variance.
  std::vector<Index> dependent;
};

/// The rank of the features at `kept` on the correlation scale, by a Cholesky factorisation in
/// natural order that skips a feature whose remaining variance is rounding.
Dependence dependence(const Matrix& covariance, std::span<const Index> kept);

}  // namespace suffice
