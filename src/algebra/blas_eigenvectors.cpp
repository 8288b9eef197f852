#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "algebra/blas.hpp"
#include "algebra/eigenvectors.hpp"
#include "algebra/reflections.hpp"
#include "algebra/tridiagonal.hpp"
#include "suffice/core/error.hpp"

namespace suffice::blas {
namespace {

void require_finite(Index n, const double* a, Index lda) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      if (!std::isfinite(a[i * lda + j]))
        throw InvalidArgument("a matrix with numbers that are not finite has no eigenvalues");
}

/// Multiplies the lower triangle by a power of 2 so that its largest number is near 1: squares must
/// be neither infinite nor 0. Returns the exponent.
int scale_lower(Index n, double* a, Index lda) {
  double largest = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) largest = std::max(largest, std::abs(a[i * lda + j]));
  const int exponent = largest > 0 ? std::clamp(-std::ilogb(largest), -1000, 1000) : 0;
  const double factor = std::ldexp(1.0, exponent);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) a[i * lda + j] *= factor;
  return exponent;
}

/// Reflections that turn rows together, by products.
constexpr Index reflections_at_once = 64;

/// Rows of T = Qᵀ A Q become rows of A: each is multiplied by Qᵀ, of which `a` and t have the
/// reflections, as make_tridiagonal leaves them.
void turn_back(const double* a, Index lda, const Vector& t, Matrix& rows) {
  const Index n = rows.cols(), m = rows.rows(), all = n - 1;
  for (Index blocks = (all + reflections_at_once - 1) / reflections_at_once; blocks-- > 0;) {
    const Index first = blocks * reflections_at_once, from = first + 1, width = n - from;
    const Index count = std::min(reflections_at_once, all - first);
    Matrix v(count, width), along(m, count), change(m, count);
    for (Index i = 0; i < count; ++i)
      std::copy_n(a + (first + i) * lda + from + i, width - i, &v(i, i));
    const Matrix s =
        joined(v, Vector(std::span(t.data() + first, static_cast<std::size_t>(count))));
    gemm_nt(m, count, width, 1, rows.data() + from, n, v.data(), width, 0, along.data(), count);
    gemm_nt(m, count, count, 1, along.data(), count, s.data(), count, 0, change.data(), count);
    gemm(m, width, count, -1, change.data(), count, v.data(), width, 1, rows.data() + from, n);
  }
}

}  // namespace

void largest_eigenvectors(Index n, double* a, Index lda, double* values, Index count) {
  if (n == 0) return;
  require_finite(n, a, lda);
  count = std::min(std::max(count, least_packed), n);
  const int exponent = scale_lower(n, a, lda);
  Vector diagonal(n), beside(n), t(n);
  make_tridiagonal(n, a, lda, diagonal.data(), beside.data(), t.data());
  Matrix rows(count, n);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  {
    Matrix vectors(n, n);
    divide_tridiagonal(n, diagonal.data(), beside.data(), count, vectors.data(), n);
    std::ranges::stable_sort(order, {}, [&](Index i) { return diagonal[i]; });
    for (Index i = 0; i < count; ++i)
      std::ranges::copy(std::as_const(vectors).row(order[static_cast<std::size_t>(n - count + i)]),
                        rows.row(i).begin());
  }
  for (Index i = 0; i < n; ++i)
    values[i] = std::ldexp(diagonal[order[static_cast<std::size_t>(i)]], -exponent);
  turn_back(a, lda, t, rows);
  for (Index i = 0; i < count; ++i) {
    choose_sign(n, rows.row(i).data());
    std::ranges::copy(std::as_const(rows).row(i), a + (n - count + i) * lda);
  }
}

void eigh(Index n, double* a, Index lda, double* values) {
  largest_eigenvectors(n, a, lda, values, n);
}

void eigenvalues(Index n, double* a, Index lda, double* values) {
  if (n == 0) return;
  require_finite(n, a, lda);
  const int exponent = scale_lower(n, a, lda);
  Vector beside(n), t(n);
  make_tridiagonal(n, a, lda, values, beside.data(), t.data());
  tridiagonal_eigenvalues(n, values, beside.data());
  for (Index i = 0; i < n; ++i) values[i] = std::ldexp(values[i], -exponent);
}

}  // namespace suffice::blas
