#include "models/gaussian_density.hpp"

#include "core/at.hpp"

namespace suffice {

std::vector<std::string> names_of(const GaussianDensity& density, const Schema& schema,
                                  const Block& block) {
  if (density.projection.empty()) return schema.names(block);
  std::vector<std::string> names;
  for (Index j = 0; j < density.projection.matrix.cols(); ++j)
    names.push_back("z" + std::to_string(j));
  return names;
}

Matrix covariance_of(const ThinCovariance& thin, Index c, std::span<const Index> features) {
  const auto n = static_cast<Index>(features.size());
  const Index first = thin.first_row(c);
  Matrix result(n, n);
  for (Index i = 0; i < n; ++i) {
    result(i, i) = thin.diagonal_of(c)[at(features[at(i)])];
    for (Index j = 0; j <= i; ++j) {
      for (Index k = first; k < first + thin.rows_of(c); ++k)
        result(i, j) += thin.factor(k, features[at(i)]) * thin.factor(k, features[at(j)]);
      result(j, i) = result(i, j);
    }
  }
  return result;
}

GaussianDensity without_thin(const GaussianDensity& density) {
  if (density.thin.empty()) return density;
  const bool tied = is_tied(density.structure);
  GaussianDensity result{.structure = tied ? Covariance::tied_diag : Covariance::diag,
                         .mean = density.mean,
                         .covariance = {density.thin.diagonal},
                         .constant = density.constant,
                         .dof = density.dof,
                         .scale = density.scale};
  for (Index c = 0; c < std::ssize(density.thin.rows); ++c) {
    const auto variance = result.covariance[0].row(c);
    const Index first = density.thin.first_row(c);
    for (Index k = first; k < first + density.thin.rows_of(c); ++k)
      for (Index j = 0; j < density.mean.cols(); ++j)
        variance[at(j)] += density.thin.factor(k, j) * density.thin.factor(k, j);
  }
  return result;
}

}  // namespace suffice
