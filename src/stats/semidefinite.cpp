#include "stats/semidefinite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra/blas.hpp"

namespace suffice {
namespace {

constexpr double possible = 1e-6;  // below 0, for an eigenvalue of correlations

/// S_ij / √(scale_i scale_j), the lower triangle; 0 in features of scale 0.
Matrix scaled(const Matrix& scatter, const Vector& scale) {
  const Index d = scatter.rows();
  Vector root(d);
  for (Index i = 0; i < d; ++i) root[i] = std::sqrt(scale[i]);
  Matrix result(d, d);
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j)
      if (scale[i] > 0 && scale[j] > 0)
        result(i, j) = i == j ? scatter(i, i) / scale[i] : scatter(i, j) / root[i] / root[j];
  return result;
}

Vector diagonal_entries(const Matrix& scatter) {
  Vector result(scatter.rows());
  for (Index i = 0; i < scatter.rows(); ++i) result[i] = scatter(i, i);
  return result;
}

/// A feature that does not vary has no covariances.
bool covaries_with_a_constant(const Matrix& scatter) {
  for (Index i = 0; i < scatter.rows(); ++i)
    if (scatter(i, i) == 0 && std::ranges::any_of(scatter.row(i), [](double s) { return s != 0; }))
      return true;
  return false;
}

}  // namespace

bool is_semidefinite(const Matrix& scatter, const Vector& scale, double slack) {
  const Index d = scatter.rows();
  Matrix factor = scaled(scatter, scale);
  for (Index i = 0; i < d; ++i) factor(i, i) += slack;
  return d == 0 || blas::cholesky(d, factor.data(), d) == d;
}

bool is_scatter(const Matrix& scatter) {
  return !covaries_with_a_constant(scatter) &&
         is_semidefinite(scatter, diagonal_entries(scatter), possible);
}

void make_scatter(Matrix& scatter, const Vector& scale) {
  const Index d = scatter.rows();
  if (d == 0 || is_semidefinite(scatter, diagonal_entries(scatter), possible / 2)) return;
  Matrix lost = scaled(scatter, scale);
  Vector values(d);
  blas::eigenvalues(d, lost.data(), d, values.data());
  const double rounding = 8 * static_cast<double>(d) * std::numeric_limits<double>::epsilon() *
                          std::max(-values[0], values[d - 1]);
  const double lift = std::max(-values[0], 0.0) + rounding;
  for (Index i = 0; i < d; ++i)
    if (scatter(i, i) > 0) scatter(i, i) += lift * scale[i];
}

}  // namespace suffice
