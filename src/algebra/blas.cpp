#include "algebra/blas.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels.hpp"

namespace suffice::blas {
namespace {

using kernels::Factor;
using kernels::Triangle;

/// Columns that a factorisation works on at a time; the rest is products.
constexpr Index block = 64;

Factor rows_of(const double* a, Index lda) { return {a, lda, 1}; }
Factor columns_of(const double* a, Index lda) { return {a, 1, lda}; }

void scale(Index m, Index n, double beta, double* c, Index ldc) {
  if (beta == 1) return;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) c[i * ldc + j] = beta == 0 ? 0 : beta * c[i * ldc + j];
}

void multiply(Index m, Index n, Index k, double alpha, const Factor& a, const Factor& b,
              double beta, double* c, Index ldc) {
  scale(m, n, beta, c, ldc);
  if (m >= least_packed && n >= least_packed)
    return kernels::add_product(m, n, k, alpha, a, b, c, ldc);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index p = 0; p < k; ++p)
        sum += a.data[i * a.row_step + p * a.term_step] * b.data[j * b.row_step + p * b.term_step];
      c[i * ldc + j] += alpha * sum;
    }
}

/// The columns of a block, by the textbook. Returns how many pivots are positive.
Index small_cholesky(Index n, double* a, Index lda) {
  for (Index j = 0; j < n; ++j) {
    double pivot = a[j * lda + j];
    for (Index p = 0; p < j; ++p) pivot -= a[j * lda + p] * a[j * lda + p];
    if (!(pivot > 0)) return j;
    const double root = a[j * lda + j] = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) {
      double sum = a[i * lda + j];
      for (Index p = 0; p < j; ++p) sum -= a[i * lda + p] * a[j * lda + p];
      a[i * lda + j] = sum / root;
    }
  }
  return n;
}

/// Row by row: x_i = −(Σ_{p < i} l_ip x_p) / l_ii, and 1 / l_ii on the diagonal.
void invert_small(Index n, double* a, Index lda) {
  std::vector<double> sum(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    double* const row = a + i * lda;
    std::fill_n(sum.begin(), i, 0.0);
    for (Index p = 0; p < i; ++p)
      for (Index j = 0; j <= p; ++j) sum[j] += row[p] * a[p * lda + j];
    const double inverse = 1 / row[i];
    for (Index j = 0; j < i; ++j) row[j] = -sum[j] * inverse;
    row[i] = inverse;
  }
}

/// A copy with zeros above the diagonal.
std::vector<double> lower_part(Index n, const double* a, Index lda) {
  std::vector<double> result(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i) std::copy_n(a + i * lda, i + 1, result.begin() + i * n);
  return result;
}

}  // namespace

void gemm(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
          Index ldb, double beta, double* c, Index ldc) {
  multiply(m, n, k, alpha, rows_of(a, lda), columns_of(b, ldb), beta, c, ldc);
}

void gemm_nt(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
             Index ldb, double beta, double* c, Index ldc) {
  multiply(m, n, k, alpha, rows_of(a, lda), rows_of(b, ldb), beta, c, ldc);
}

void gemm_tn(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
             Index ldb, double beta, double* c, Index ldc) {
  multiply(m, n, k, alpha, columns_of(a, lda), columns_of(b, ldb), beta, c, ldc);
}

void syrk_tn(Index n, Index k, const double* a, Index lda, double* c, Index ldc) {
  kernels::add_product(n, n, k, 1, columns_of(a, lda), columns_of(a, lda), c, ldc, Triangle::upper);
}

// A block of columns at a time: its own triangle L, the rows below times L⁻ᵀ, and what these take
// from the rest.
Index cholesky(Index n, double* a, Index lda) {
  for (Index j = 0; j < n; j += block) {
    const Index width = std::min(block, n - j), below = n - j - width;
    double* const corner = a + j * lda + j;
    if (const Index positive = small_cholesky(width, corner, lda); positive < width)
      return j + positive;
    if (below == 0) break;
    std::vector<double> inverse = lower_part(width, corner, lda);
    invert_small(width, inverse.data(), width);
    double* const panel = corner + width * lda;
    std::vector<double> rows(static_cast<std::size_t>(below * width));
    gemm_nt(below, width, width, 1, panel, lda, inverse.data(), width, 0, rows.data(), width);
    for (Index i = 0; i < below; ++i) std::copy_n(rows.begin() + i * width, width, panel + i * lda);
    const Factor factor = rows_of(rows.data(), width);
    kernels::add_product(below, below, width, -1, factor, factor, panel + width, lda,
                         Triangle::lower);
  }
  return n;
}

// [A 0; B C]⁻¹ = [A⁻¹ 0; −C⁻¹ B A⁻¹ C⁻¹]
void invert_lower(Index n, double* a, Index lda) {
  if (n <= block) return invert_small(n, a, lda);
  const Index half = (n / 2 + block - 1) / block * block, rest = n - half;
  double *const below = a + half * lda, *const corner = below + half;
  invert_lower(half, a, lda);
  invert_lower(rest, corner, lda);
  const std::vector<double> first = lower_part(half, a, lda), last = lower_part(rest, corner, lda);
  std::vector<double> product(static_cast<std::size_t>(rest * half));
  // Of the triangles only what is not 0: the rows from j on of a block of columns, and the columns
  // up to the last row of a block of rows.
  constexpr Index step = 2 * block;
  for (Index j = 0; j < half; j += step)
    gemm(rest, std::min(step, half - j), half - j, 1, below + j, lda, &first[j * half + j], half, 0,
         &product[j], half);
  for (Index i = 0; i < rest; i += step) {
    const Index rows = std::min(step, rest - i);
    gemm(rows, half, i + rows, -1, &last[i * rest], rest, product.data(), half, 0, below + i * lda,
         lda);
  }
}

}  // namespace suffice::blas
