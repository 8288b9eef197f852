#include "factor/whitener.hpp"

#include <cmath>
#include <numeric>

#include "algebra/blas.hpp"
#include "core/constants.hpp"
#include "factor/dependence.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {
namespace {

/// The lower triangle of the correlations of the features at `kept`; `scale` gets 1/σ. Stops at the
/// first feature without a variance and returns how many there are before it.
Index correlations(const Matrix& covariance, std::span<const Index> kept, Matrix& result,
                   Vector& scale) {
  const auto n = static_cast<Index>(kept.size());
  result = Matrix(n, n);
  scale = Vector(n);
  for (Index i = 0; i < n; ++i) {
    const double* row = covariance.data() + kept[i] * covariance.cols();
    const double variance = row[kept[i]];
    if (!(variance > 0) || !std::isfinite(variance)) return i;
    scale[i] = 1 / std::sqrt(variance);
    for (Index j = 0; j < i; ++j) result(i, j) = row[kept[j]] * scale[i] * scale[j];
    result(i, i) = 1;
  }
  return n;
}

}  // namespace

Index whiten(const Matrix& covariance, std::span<const Index> kept, Matrix& whitener,
             double& log_norm) {
  const auto n = static_cast<Index>(kept.size());
  log_norm = 0;
  if (n == 0) {
    whitener = Matrix();
    return 0;
  }
  Matrix factor;
  Vector scale;
  const Index with_variance = correlations(covariance, kept, factor, scale);
  const Index positive = with_variance ? blas::cholesky(with_variance, factor.data(), n) : 0;
  double log_det = 0;
  for (Index i = 0; i < positive; ++i) log_det += std::log(factor(i, i)) - std::log(scale[i]);
  log_norm = -0.5 * static_cast<double>(n) * log_2pi - log_det;

  if (positive > 0) blas::invert_lower(positive, factor.data(), n);
  const double rounding = rounding_of_correlations(n);
  double trace = 0;
  for (Index i = 0; i < positive; ++i) {
    const double* row = factor.data() + i * n;
    trace += std::inner_product(row, row + i + 1, row, 0.0);
    if (!(rounding * trace < 1)) return i;
  }
  if (positive < n) return positive;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) factor(i, j) *= scale[j];
    for (Index j = i + 1; j < n; ++j) factor(i, j) = 0;
  }
  whitener = std::move(factor);
  return n;
}

void throw_dependent(const std::string& label, double weight, const Matrix& covariance,
                     std::span<const Index> used, Index first,
                     const std::vector<std::string>& names) {
  Dependence found = dependence(covariance, used);
  if (found.dependent.empty()) {  // both factorisations are at the edge of rounding and differ
    found.dependent.push_back(used[first]);
    --found.rank;
  }
  std::vector<std::string> features;
  for (Index j : found.dependent) features.push_back(names[j]);
  const bool one = features.size() == 1;
  // Too few rows are a reason of their own, and then no choice of features is to blame.
  const bool few_rows = weight <= static_cast<double>(used.size());
  const std::string sentence =
      std::string("the covariance") + (label.empty() ? " of all classes" : "") +
      " has no inverse: its rank is " + std::to_string(found.rank) + " of " +
      std::to_string(used.size()) +
      (few_rows ? ", since a weight of " + name_of(weight) + " is too little for that many features"
       : one    ? ", since this feature is constant or a linear combination of those before it"
             : ", since these features are constant or linear combinations of those before them");
  const Sentence advice = "use " + Option{"covariance", label.empty() ? "diag" : "tied"} + " or " +
                          Option{"covariance", "tied-diag"} + ", leave " +
                          (one ? "this feature" : "these features") + " out, or give more rows";
  throw SingularError({.label = label, .features = std::move(features)}, found.rank,
                      static_cast<Index>(used.size()), sentence, advice);
}

void whiten_shared(const Matrix& covariance, const std::vector<std::string>& names,
                   Matrix& whitener, double& log_norm) {
  std::vector<Index> all(names.size());
  std::iota(all.begin(), all.end(), Index{0});
  const Index rank = whiten(covariance, all, whitener, log_norm);
  if (rank < std::ssize(all)) throw_dependent({}, infinity, covariance, all, rank, names);
}

}  // namespace suffice
