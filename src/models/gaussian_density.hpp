#pragma once
// Questions to a Gaussian density, whatever its structure.

#include <span>
#include <string>
#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// What a Gaussian density is over: the features of its block, or their projections z0, z1, ….
std::vector<std::string> names_of(const GaussianDensity& density, const Schema& schema,
                                  const Block& block);

/// Σ_jj of a thin covariance.
inline double thin_variance(const ThinCovariance& thin, Index c, Index j) {
  double sum = thin.diagonal_of(c)[static_cast<std::size_t>(j)];
  const Index first = thin.first_row(c);
  for (Index i = 0; i < thin.rows_of(c); ++i)
    sum += thin.factor(first + i, j) * thin.factor(first + i, j);
  return sum;
}

/// Σ_c of some features of a thin covariance.
Matrix covariance_of(const ThinCovariance& thin, Index c, std::span<const Index> features);
/// A density with the same means and variances of single features, without their covariances. The
/// same density where those are whole matrices.
GaussianDensity without_thin(const GaussianDensity& density);

/// The variance of feature j of class c as the structure keeps it (of a Student's t without its
/// scale).
inline double diagonal_at(const GaussianDensity& density, Index c, Index j) {
  const Index row = is_tied(density.structure) ? 0 : c;
  if (!density.thin.empty()) return thin_variance(density.thin, row, j);
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
