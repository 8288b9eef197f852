#include "algebra/tridiagonal.hpp"

#include <algorithm>
#include <cmath>

#include "algebra/reflections.hpp"
#include "core/kernels.hpp"

namespace suffice::blas {
namespace {

/// Columns after which all that is left is changed at once, by products.
constexpr Index width = 32;

}  // namespace

// Householder's method (Golub and Van Loan 2013, section 8.3): the reflection P = I − t v vᵀ that
// clears a column below its second entry changes what is left to P A P = A − v wᵀ − w vᵀ, where
// w = p − ½ t (pᵀv) v and p = t A v. The vectors of several columns are collected first: each
// column, and A v, is then corrected for those that came before.
void make_tridiagonal(Index n, double* a, Index lda, double* diagonal, double* beside, double* t) {
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
      t[i] = reflection.t;
      std::copy_n(&column[next], below, a + i * lda + next);
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
      const double half = 0.5 * t[i] * t[i] * along;
      for (Index r = 0; r < below; ++r) w_k[r] = t[i] * w_k[r] - half * v_k[r];
    }
    const Index rest = n - last, count = last - first;
    const kernels::Factor of_all_v{&v(0, last), 1, n}, of_all_w{&w(0, last), 1, n};
    double* const left = a + last * lda + last;
    using enum kernels::Triangle;
    kernels::add_product(rest, rest, count, -1, of_all_v, of_all_w, left, lda, lower);
    kernels::add_product(rest, rest, count, -1, of_all_w, of_all_v, left, lda, lower);
  }
}

}  // namespace suffice::blas
