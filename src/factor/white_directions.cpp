#include "factor/white_directions.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "algebra/blas.hpp"
#include "factor/dependence.hpp"
#include "factor/whitener.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// T = Wᵀ with W the inverse Cholesky factor, where that shows every eigenvalue of the correlations
/// to be above the cutoff: none is below 1 / trace R⁻¹. Empty otherwise.
Matrix by_factor(const Matrix& covariance, const std::vector<Index>& used, double cutoff) {
  const Index n = std::ssize(used);
  Matrix factor;
  double log_norm = 0, trace = 0;
  if (whiten(covariance, used, factor, log_norm) < n) return {};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      trace += factor(i, j) * factor(i, j) * covariance(used[j], used[j]);
  if (!(cutoff * trace < 1)) return {};
  Matrix result(covariance.rows(), n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) result(used[j], i) = factor(i, j);
  return result;
}

/// T from the eigenvectors of the correlations whose eigenvalues are above the cutoff.
Matrix by_eigenvectors(const Matrix& covariance, const std::vector<Index>& used, double cutoff) {
  const Index n = std::ssize(used);
  Vector values(n), scale(n);
  Matrix vectors(n, n);  // first the correlations
  for (Index i = 0; i < n; ++i) {
    scale[i] = 1 / std::sqrt(covariance(used[i], used[i]));
    for (Index j = 0; j <= i; ++j)
      vectors(i, j) = covariance(used[i], used[j]) * scale[i] * scale[j];
  }
  blas::eigh(n, vectors.data(), n, values.data());
  const Index first = std::ranges::upper_bound(values, cutoff) - values.begin();
  Matrix result(covariance.rows(), n - first);
  for (Index i = 0; i < n; ++i)
    for (Index k = first; k < n; ++k)
      result(used[i], k - first) = vectors(k, i) * scale[i] / std::sqrt(values[k]);
  return result;
}

}  // namespace

WhiteDirections white_directions(const Matrix& covariance, double cutoff) {
  const Index d = covariance.rows();
  if (covariance.cols() != d)
    throw InvalidArgument("a covariance is square, and this one is " + std::to_string(d) + " × " +
                          std::to_string(covariance.cols()));
  std::vector<Index> used;
  for (Index j = 0; j < d; ++j)
    if (covariance(j, j) > 0) used.push_back(j);
  if (used.empty()) return {Matrix(d, 0), true};
  Matrix directions = by_factor(covariance, used, cutoff);
  if (!directions.empty()) return {std::move(directions), true};
  const Index n = std::ssize(used);
  directions = by_eigenvectors(covariance, used, std::max(cutoff, rounding_of_correlations(n)));
  const bool complete = directions.cols() == n;
  return {std::move(directions), complete};
}

}  // namespace suffice
