#include "factor/gaussian_factor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "factor/gram.hpp"
#include "factor/whitener.hpp"
#include "models/gaussian_density.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// A structure that spreads a variance of 0 over more features or classes.
Sentence remedy(Covariance structure) {
  const Covariance wider =
      structure == Covariance::diag ? Covariance::tied_diag : Covariance::tied_spherical;
  if (is_tied(structure) && is_spherical(structure)) return {};
  return "use " + Option{"covariance", std::string(to_string(wider))} + ", ";
}

[[noreturn]] void throw_no_variance(Covariance structure, const std::string& label,
                                    const std::vector<Index>& flat, Index dimension,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> features;
  for (Index j : flat) features.push_back(names[j]);
  const Sentence advice = remedy(structure) + "leave " +
                          (features.size() == 1 ? "this feature" : "these features") +
                          " out, or give more rows";
  throw SingularError({.label = label, .features = std::move(features)},
                      dimension - static_cast<Index>(flat.size()), dimension,
                      std::string("the variance") + (label.empty() ? " of all classes" : "") +
                          " is 0, so the density has no finite value there",
                      advice);
}

/// One thin covariance: its rows of `directions` from `first` on, and −½ log det 2πΣ.
void factor_thin(const ThinCovariance& covariance, Index c, GaussianFactor& factor,
                 double& log_norm, Workers& workers) {
  const auto n = static_cast<Index>(factor.used.size());
  const Index first = covariance.first_row(c), r = covariance.rows_of(c);
  const auto diagonal = covariance.diagonal_of(c);
  ThinFactor& thin = factor.thin;
  double log_det = 0;
  for (Index j = 0; j < n; ++j) {
    const double a = diagonal[at(factor.used[j])];
    thin.inverse(c, j) = 1 / a;
    log_det += 0.5 * std::log(a);
  }
  Matrix scaled(r, n);
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < n; ++j)
      scaled(i, j) = covariance.factor(first + i, factor.used[j]) * std::sqrt(thin.inverse(c, j));
  Matrix lower = gram(scaled, workers);
  for (Index i = 0; i < r; ++i) lower(i, i) += 1;
  thin.gram[at(c)] = lower;
  blas::cholesky(r, lower.data(), r);
  for (Index i = 0; i < r; ++i) log_det += std::log(lower(i, i));
  blas::invert_lower(r, lower.data(), r);
  for (Index i = 0; i < r; ++i)
    for (Index j = i + 1; j < r; ++j) lower(i, j) = 0;
  double* out = thin.directions.data() + first * n;
  multiply_wide(lower, scaled.data(), n, out, workers);
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < n; ++j) out[i * n + j] *= std::sqrt(thin.inverse(c, j));
  log_norm = -0.5 * static_cast<double>(n) * log_2pi - log_det;
}

/// B (m − center) of each class, and of tied covariances the linear form, Σ⁻¹ (m − center).
void thin_means(GaussianFactor& factor, const Vector& weights, bool tied, Workers& workers) {
  ThinFactor& thin = factor.thin;
  const Index classes = factor.mean.rows(), n = std::ssize(factor.used);
  const bool linear = tied && factor.dof.empty();
  thin.means = Matrix(classes, *std::ranges::max_element(thin.rows));
  if (linear) factor.linear = Matrix(classes, n);
  workers.run(classes, [&](Index c, int) {
    if (!(weights[c] > 0)) return;
    const Index of = tied ? 0 : c;
    const Index first = std::accumulate(thin.rows.begin(), thin.rows.begin() + of, Index{0});
    const Index r = thin.rows[at(of)];
    const auto mean = factor.mean.row(c);
    double squares = 0;
    if (linear)
      for (Index j = 0; j < n; ++j) {
        factor.linear(c, j) = mean[j] * thin.inverse(of, j);
        squares += mean[j] * factor.linear(c, j);
      }
    for (Index i = 0; i < r; ++i) {
      const auto row = thin.directions.row(first + i);
      const double y = std::inner_product(row.begin(), row.end(), mean.begin(), 0.0);
      thin.means(c, i) = y;
      squares -= y * y;
      for (Index j = 0; linear && j < n; ++j) factor.linear(c, j) -= row[j] * y;
    }
    if (linear) factor.linear_constant[c] = -0.5 * squares;
  });
}

/// W (m − center), −½|…|² and, for one W for all classes, Σ⁻¹ (m − center) = Wᵀ W (m − center).
void whiten_means(GaussianFactor& factor, const Vector& weights, bool tied, Workers& workers) {
  const Index classes = factor.mean.rows();
  const auto n = static_cast<Index>(factor.used.size());
  const bool dense = !factor.whitener.empty();
  const bool linear = tied && factor.dof.empty();
  factor.whitened_mean = Matrix(classes, n);
  if (linear) factor.linear = Matrix(classes, n);
  workers.run(classes, [&](Index c, int) {
    if (!(weights[c] > 0)) return;
    const auto mean = factor.mean.row(c);
    const auto whitened = factor.whitened_mean.row(c);
    double squares = 0;
    if (dense) {
      const Matrix& w = factor.whitener[tied ? 0 : at(c)];
      for (Index i = 0; i < n; ++i) {
        const auto row = w.row(i);
        whitened[i] = std::inner_product(row.begin(), row.begin() + i + 1, mean.begin(), 0.0);
        squares += whitened[i] * whitened[i];
        if (!linear) continue;
        for (Index j = 0; j <= i; ++j) factor.linear(c, j) += row[j] * whitened[i];
      }
    } else {
      const auto inverse =
          factor.inverse_deviation.row(factor.inverse_deviation.rows() == 1 ? 0 : c);
      for (std::size_t j = 0; j < inverse.size(); ++j) {
        whitened[j] = mean[j] * inverse[j];
        squares += whitened[j] * whitened[j];
        if (linear) factor.linear(c, static_cast<Index>(j)) = whitened[j] * inverse[j];
      }
    }
    if (linear) factor.linear_constant[c] = -0.5 * squares;
  });
}

/// The normal density's parts become those of Student's t, whose constant is the normal one's times
/// Γ((ν + n)/2) / Γ(ν/2) / (ν/2)^(n/2).
void make_student(GaussianFactor& factor, const GaussianDensity& density, const Vector& weights) {
  const Index classes = density.mean.rows();
  const Index n = std::ssize(factor.used);
  const bool joint = !is_one_each(density);
  const bool dense = is_dense(density.structure);
  factor.dof = Matrix(classes, joint ? 1 : n);
  factor.spread = Vector(dense ? classes : 0);
  if (!dense && factor.inverse_deviation.rows() != classes) {
    const Matrix shared = std::move(factor.inverse_deviation);
    factor.inverse_deviation = Matrix(classes, n);
    for (Index c = 0; c < classes; ++c)
      std::ranges::copy(shared.row(0), factor.inverse_deviation.row(c).begin());
  }
  for (Index c = 0; c < classes; ++c) {
    if (!(weights[c] > 0)) continue;
    if (dense) {
      factor.spread[c] = scale_at(density, c, 0);
      factor.log_norm[c] -= 0.5 * static_cast<double>(n) * std::log(factor.spread[c]);
    } else {
      for (Index j = 0; j < n; ++j) {
        const double scale = scale_at(density, c, factor.used[j]);
        factor.inverse_deviation(c, j) /= std::sqrt(scale);
        factor.log_norm[c] -= 0.5 * std::log(scale);
      }
    }
    for (Index j = 0; j < factor.dof.cols(); ++j) {
      const double dof = factor.dof(c, j) = dof_at(density, c, joint ? 0 : factor.used[j]);
      factor.log_norm[c] += log_gamma_excess(dof / 2, joint ? static_cast<double>(n) / 2 : 0.5);
    }
  }
}

}  // namespace

GaussianFactor make_factor(const GaussianDensity& density, const Model::Parts& parts,
                           const Block& block, Workers& workers) {
  const Vector& weights = parts.weights;
  const Index classes = parts.labels.size();
  const Index d = density.mean.cols();
  const bool tied = is_tied(density.structure);

  GaussianFactor factor;
  for (Index j = 0; j < d; ++j)
    if (!std::ranges::binary_search(density.constant, j)) factor.used.push_back(j);
  const auto n = static_cast<Index>(factor.used.size());
  const auto seen =
      static_cast<double>(std::ranges::count_if(weights, [](double weight) { return weight > 0; }));

  factor.center = Vector(n);
  factor.mean = Matrix(classes, n);
  factor.log_norm = Vector(classes);
  if (tied && density.dof.empty()) factor.linear_constant = Vector(classes);
  for (Index j = 0; j < n; ++j) {
    for (Index c = 0; c < classes; ++c)
      if (weights[c] > 0) factor.center[j] += density.mean(c, factor.used[j]) / seen;
    for (Index c = 0; c < classes; ++c)
      if (weights[c] > 0) factor.mean(c, j) = density.mean(c, factor.used[j]) - factor.center[j];
  }

  const bool student = !density.dof.empty();
  const auto label_of = [&](Index c) { return tied ? std::string() : parts.labels[c]; };
  const Index covariances = tied ? 1 : classes;
  const bool dense = is_dense(density.structure), thin = !density.thin.empty();
  if (thin)
    factor.thin = {Matrix(covariances, n),
                   Matrix(density.thin.factor.rows(), n),
                   density.thin.rows,
                   {},
                   std::vector<Matrix>(at(covariances))};
  else if (dense)
    factor.whitener.resize(at(covariances));
  else
    factor.inverse_deviation = Matrix(covariances, n);
  Vector log_norm(covariances);
  for (Index c = 0; thin && c < covariances; ++c)
    if (tied || weights[c] > 0) factor_thin(density.thin, c, factor, log_norm[c], workers);
  workers.run(thin ? 0 : covariances, [&](Index c, int) {
    if (!tied && !(weights[c] > 0)) {
      if (dense) factor.whitener[c] = Matrix(n, n);
      return;
    }
    if (dense) {
      const Matrix& covariance = density.covariance[c];
      const Index rank = whiten(covariance, factor.used, factor.whitener[c], log_norm[c]);
      if (rank < n)
        throw_dependent(label_of(c), tied ? infinity : weights[c], covariance, factor.used, rank,
                        names_of(density, parts.schema, block));
      return;
    }
    const Matrix& variances = density.covariance[0];
    const bool one_number = is_spherical(density.structure);
    std::vector<Index> flat;
    double log_det = 0;
    for (Index j = 0; j < n; ++j) {
      const double variance = variances(c, one_number ? 0 : factor.used[j]);
      if (!(variance > 0)) flat.push_back(factor.used[j]);
      factor.inverse_deviation(c, j) = 1 / std::sqrt(variance);
      log_det += 0.5 * std::log(variance);
    }
    if (!flat.empty())
      throw_no_variance(density.structure, label_of(c), flat, n,
                        names_of(density, parts.schema, block));
    log_norm[c] = -0.5 * static_cast<double>(n) * log_2pi - log_det;
  });
  for (Index c = 0; c < classes; ++c)
    if (weights[c] > 0) factor.log_norm[c] = log_norm[tied ? 0 : c];
  if (student) make_student(factor, density, weights);
  if (thin)
    thin_means(factor, weights, tied, workers);
  else
    whiten_means(factor, weights, tied, workers);
  return factor;
}

}  // namespace suffice
