#include "factor/conditional.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "algebra/blas.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

Matrix precision_of(const Matrix& whitener) {
  const Index n = whitener.rows();
  Matrix result(n, n);
  blas::gemm_tn(n, n, n, 1, whitener.data(), n, whitener.data(), n, 0, result.data(), n);
  return result;
}

bool is_safe(const Matrix& precision, const Matrix& covariance, std::span<const Index> features) {
  for (Index j = 0; j < precision.rows(); ++j) {
    const Index k = features[static_cast<std::size_t>(j)];
    if (!(precision(j, j) * covariance(k, k) <= 1e6)) return false;
  }
  return true;
}

Conditional::Conditional(const Matrix& precision, std::vector<Index> missing)
    : precision_(precision), missing_(std::move(missing)), factor_(count(), count()) {
  const Index m = count();
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) factor_(i, j) = precision(missing_[i], missing_[j]);
  if (m > 0 && blas::cholesky(m, factor_.data(), m) != m)
    throw SingularError(
        {}, 0, m, "a covariance is too close to a singular one to complete rows",
        "leave out features that follow from others, or use " + Option{"shrinkage", "auto"});
  for (Index i = 0; i < m; ++i) half_log_det_ += std::log(factor_(i, i));
}

void Conditional::complete(double* deviation) const {
  const Index m = count(), n = precision_.rows();
  Vector solved(m);
  for (Index i = 0; i < m; ++i) {
    const double* of = precision_.row(missing_[i]).data();
    double sum = std::inner_product(of, of + n, deviation, 0.0);
    for (Index j = 0; j < i; ++j) sum -= factor_(i, j) * solved[j];
    solved[i] = sum / factor_(i, i);
  }
  for (Index i = m; i-- > 0;) {
    double sum = solved[i];
    for (Index j = i + 1; j < m; ++j) sum -= factor_(j, i) * solved[j];
    solved[i] = sum / factor_(i, i);
  }
  for (Index i = 0; i < m; ++i) deviation[missing_[i]] = -solved[i];
}

void Conditional::add_covariance(double weight, Matrix& to) const {
  const Index m = count();
  if (m == 0) return;
  Matrix inverse = factor_;
  blas::invert_lower(m, inverse.data(), m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) {
      double sum = 0;
      for (Index k = i; k < m; ++k) sum += inverse(k, i) * inverse(k, j);
      to(missing_[i], missing_[j]) += weight * sum;
      if (i != j) to(missing_[j], missing_[i]) += weight * sum;
    }
}

}  // namespace suffice
