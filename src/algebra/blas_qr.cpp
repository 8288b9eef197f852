#include <algorithm>
#include <cmath>
#include <vector>

#include "algebra/blas.hpp"
#include "algebra/reflections.hpp"
#include "core/kernels.hpp"

namespace suffice::blas {
namespace {

/// Columns whose reflections change the rest together, by products.
constexpr Index columns_at_once = 32;

/// Powers of 2 that bring the largest number of each column near 1: squares must be neither
/// infinite nor 0, and a column in small units keeps its digits.
std::vector<int> exponents_of(Index m, Index n, const double* a, Index lda) {
  Vector largest(n);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) largest[j] = std::max(largest[j], std::abs(a[i * lda + j]));
  std::vector<int> result;
  for (const double size : largest)
    result.push_back(size > 0 && std::isfinite(size) ? std::clamp(std::ilogb(size), -1000, 1000)
                                                     : 0);
  return result;
}

}  // namespace

// Householder's method: the columns of a block are reflected one after the other, as rows of V, and
// then all that lies to the right is, by (I − Vᵀ S V)ᵀ.
void qr(Index m, Index n, double* a, Index lda) {
  const std::vector<int> exponents = exponents_of(m, n, a, lda);
  Vector scale(n);
  for (Index j = 0; j < n; ++j) scale[j] = std::ldexp(1.0, -exponents[j]);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) a[i * lda + j] *= scale[j];
  for (Index first = 0; first < n; first += columns_at_once) {
    const Index count = std::min(columns_at_once, n - first), height = m - first;
    double* const corner = a + first * lda + first;
    Matrix v(count, height);
    Vector t(count), along(count);
    for (Index i = 0; i < height; ++i)
      for (Index j = 0; j < count; ++j) v(j, i) = corner[i * lda + j];
    for (Index k = 0; k < count; ++k) {
      for (Index i = 0; i < k; ++i) corner[i * lda + k] = std::exchange(v(k, i), 0.0);
      const Reflection reflection(height - k, &v(k, k));
      corner[k * lda + k] = reflection.e;
      t[k] = reflection.t;
      const Index later = count - k - 1;
      if (later == 0) break;
      kernels::rows_times(later, height - k, &v(k + 1, k), height, &v(k, k), along.data());
      for (Index j = 0; j < later; ++j) {
        const double factor = -t[k] * along[j];
        kernels::add_rows(1, height - k, &v(k, k), height, &factor, &v(k + 1 + j, k));
      }
    }
    const Index rest = n - first - count;
    if (rest == 0) break;
    const Matrix s = joined(v, t);
    Matrix products(count, rest), change(count, rest);
    gemm(count, rest, height, 1, v.data(), height, corner + count, lda, 0, products.data(), rest);
    gemm_tn(count, rest, count, 1, s.data(), count, products.data(), rest, 0, change.data(), rest);
    gemm_tn(height, rest, count, -1, v.data(), height, change.data(), rest, 1, corner + count, lda);
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) a[i * lda + j] = std::ldexp(a[i * lda + j], exponents[j]);
}

}  // namespace suffice::blas
