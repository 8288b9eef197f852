#pragma once
// What kind a covariance structure is, and which features make a covariance singular.

#include <span>
#include <string>
#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// A d × d matrix, which needs the scatter of complete rows.
inline bool is_dense(Covariance covariance) {
  return covariance == Covariance::full || covariance == Covariance::tied;
}
/// One variance for all features.
inline bool is_spherical(Covariance covariance) {
  return covariance == Covariance::spherical || covariance == Covariance::tied_spherical;
}

/// What a Gaussian density is over: the features of its block, or their projections z0, z1, ….
std::vector<std::string> names_of(const GaussianDensity& density, const Schema& schema,
                                  const Block& block);

/// A variance for each feature.
inline bool is_diagonal(Covariance covariance) {
  return covariance == Covariance::diag || covariance == Covariance::tied_diag;
}

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
