#include "core/tridiagonal.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/eigenvectors.hpp"
#include "core/kernels.hpp"

namespace suffice::blas {
namespace {

/// Multiplies the lower triangle by a power of 2 so that its largest number is near 1: squares must
/// be neither infinite nor 0. Returns the exponent.
int scale(Index n, double* a, Index lda) {
  double largest = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) largest = std::max(largest, std::abs(a[i * lda + j]));
  const int exponent = largest > 0 ? std::clamp(-std::ilogb(largest), -1000, 1000) : 0;
  const double factor = std::ldexp(1.0, exponent);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) a[i * lda + j] *= factor;
  return exponent;
}

/// Columns after which all that is left is changed at once, by products.
constexpr Index width = 32;

/// Numbers whose squares are no more than this are 0 beside the largest number, which is near 1;
/// the digits of smaller squares would be lost.
constexpr double least_squares = 1e-280;

/// The reflection I − t v vᵀ that takes x to (e, 0, …, 0), where v_0 = 1; v replaces x.
struct Reflection {
  double t = 0, e = 0;

  Reflection(Index n, double* x) : e(x[0]) {
    double rest = 0;
    for (Index i = 1; i < n; ++i) rest += x[i] * x[i];
    if (rest > least_squares) {
      const double first = x[0];
      e = -std::copysign(std::sqrt(first * first + rest), first);
      t = (e - first) / e;
      for (Index i = 1; i < n; ++i) x[i] /= first - e;
    }
    x[0] = 1;
  }
};

}  // namespace

// Householder's method (Golub and Van Loan 2013, section 8.3): the reflection P = I − t v vᵀ that
// clears a column below its second entry changes what is left to P A P = A − v wᵀ − w vᵀ, where
// w = p − ½ t (pᵀv) v and p = t A v. The vectors of several columns are collected first: each
// column, and A v, is then corrected for those that came before.
void make_tridiagonal(Index n, double* a, Index lda, double* diagonal, double* beside) {
  Matrix v(width, n), w(width, n);
  Vector column(n), of_v(width), of_w(width);
  for (Index first = 0; first < n; first += width) {
    const Index last = std::min(first + width, n);
    for (Index i = first; i < last; ++i) {
      const Index k = i - first, below = n - i - 1;
      for (Index r = i; r < n; ++r) column[r] = a[r * lda + i];
      for (Index p = 0; p < k; ++p) of_v[p] = -w(p, i), of_w[p] = -v(p, i);
      kernels::add_rows(k, n - i, &v(0, i), n, of_v.data(), &column[i]);
      kernels::add_rows(k, n - i, &w(0, i), n, of_w.data(), &column[i]);
      diagonal[i] = column[i];
      if (below == 0) return;

      const Index next = i + 1;
      const Reflection reflection(below, &column[next]);
      beside[i] = reflection.e;
      double *const v_k = &v(k, next), *const w_k = &w(k, next);
      std::copy_n(&column[next], below, v_k);
      kernels::symmetric_times(below, a + next * lda + next, lda, v_k, w_k);
      kernels::rows_times(k, below, &w(0, next), n, v_k, of_v.data());
      kernels::rows_times(k, below, &v(0, next), n, v_k, of_w.data());
      for (Index p = 0; p < k; ++p) of_v[p] = -of_v[p], of_w[p] = -of_w[p];
      kernels::add_rows(k, below, &v(0, next), n, of_v.data(), w_k);
      kernels::add_rows(k, below, &w(0, next), n, of_w.data(), w_k);
      double along = 0;  // pᵀv / t
      kernels::rows_times(1, below, w_k, n, v_k, &along);
      const double t = reflection.t, half = 0.5 * t * t * along;
      for (Index r = 0; r < below; ++r) w_k[r] = t * w_k[r] - half * v_k[r];
    }
    const Index rest = n - last, count = last - first;
    const kernels::Factor of_all_v{&v(0, last), 1, n}, of_all_w{&w(0, last), 1, n};
    double* const left = a + last * lda + last;
    using enum kernels::Triangle;
    kernels::add_product(rest, rest, count, -1, of_all_v, of_all_w, left, lda, lower);
    kernels::add_product(rest, rest, count, -1, of_all_w, of_all_v, left, lda, lower);
  }
}

void eigenvalues(Index n, double* a, Index lda, double* values) {
  if (n == 0) return;
  require_finite(n, a, lda);
  const int exponent = scale(n, a, lda);
  Vector beside(n);
  make_tridiagonal(n, a, lda, values, beside.data());
  tridiagonal_eigenvalues(n, values, beside.data());
  for (Index i = 0; i < n; ++i) values[i] = std::ldexp(values[i], -exponent);
}

}  // namespace suffice::blas
