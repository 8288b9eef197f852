// Products of a matrix and a vector, which read the matrix once.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_vectors.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
#include <algorithm>

#include "core/kernels-inl.hpp"
#include "core/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

constexpr int kTogether = 4;  // rows that share what is loaded of the vectors

// R rows of the lower triangle, from `first` on: to the left of the diagonal each entry counts
// twice, once for its row and once for its column.
template <int R>
HWY_INLINE void SymmetricRows(const double* HWY_RESTRICT a, Index lda, Index first,
                              const double* HWY_RESTRICT x, double* HWY_RESTRICT y) {
  const D tag;
  const double* row[R];
  V factor[R], sum[R];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    row[r] = a + (first + r) * lda;
    factor[r] = hn::Set(tag, x[first + r]);
    sum[r] = hn::Zero(tag);
  }
  Index j = 0;
  for (; j + kLanes <= first; j += kLanes) {
    const V x_j = hn::LoadU(tag, x + j);
    V y_j = hn::LoadU(tag, y + j);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const V entries = hn::LoadU(tag, row[r] + j);
      sum[r] = hn::MulAdd(entries, x_j, sum[r]);
      y_j = hn::MulAdd(entries, factor[r], y_j);
    }
    hn::StoreU(y_j, tag, y + j);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    const Index i = first + r;
    double of_row = Sum(sum[r]);
    for (Index k = j; k < i; ++k) {
      of_row += row[r][k] * x[k];
      y[k] += row[r][k] * x[i];
    }
    y[i] += of_row + row[r][i] * x[i];
  }
}

void SymmetricTimes(Index n, const double* a, Index lda, const double* x, double* y) {
  std::fill_n(y, n, 0.0);
  Index i = 0;
  for (; i + kTogether <= n; i += kTogether) SymmetricRows<kTogether>(a, lda, i, x, y);
  for (; i < n; ++i) SymmetricRows<1>(a, lda, i, x, y);
}

template <int R>
HWY_INLINE void DotRows(Index n, const double* HWY_RESTRICT a, Index lda,
                        const double* HWY_RESTRICT x, double* HWY_RESTRICT out) {
  const D tag;
  V sum[R];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) sum[r] = hn::Zero(tag);
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    const V x_j = hn::LoadU(tag, x + j);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[r] = hn::MulAdd(hn::LoadU(tag, a + r * lda + j), x_j, sum[r]);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    out[r] = Sum(sum[r]);
    for (Index k = j; k < n; ++k) out[r] += a[r * lda + k] * x[k];
  }
}

void RowsTimes(Index m, Index n, const double* a, Index lda, const double* x, double* out) {
  Index i = 0;
  for (; i + kTogether <= m; i += kTogether) DotRows<kTogether>(n, a + i * lda, lda, x, out + i);
  for (; i < m; ++i) DotRows<1>(n, a + i * lda, lda, x, out + i);
}

// `Vectors` vectors of columns at a time, so that their sums do not wait for each other.
template <int Vectors>
HWY_INLINE void AddColumns(Index m, const double* HWY_RESTRICT a, Index lda,
                           const double* HWY_RESTRICT factor, double* HWY_RESTRICT y) {
  const D tag;
  V sum[Vectors];
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) sum[v] = hn::LoadU(tag, y + v * kLanes);
  for (Index i = 0; i < m; ++i) {
    const V f = hn::Set(tag, factor[i]);
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      sum[v] = hn::MulAdd(f, hn::LoadU(tag, a + i * lda + v * kLanes), sum[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[v], tag, y + v * kLanes);
}

void AddRows(Index m, Index n, const double* a, Index lda, const double* factor, double* y) {
  Index j = 0;
  for (; j + 4 * kLanes <= n; j += 4 * kLanes) AddColumns<4>(m, a + j, lda, factor, y + j);
  for (; j + kLanes <= n; j += kLanes) AddColumns<1>(m, a + j, lda, factor, y + j);
  for (; j < n; ++j)
    for (Index i = 0; i < m; ++i) y[j] += factor[i] * a[i * lda + j];
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(SymmetricTimes);
HWY_EXPORT(RowsTimes);
HWY_EXPORT(AddRows);

void symmetric_times(Index n, const double* a, Index lda, const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(SymmetricTimes)(n, a, lda, x, y);
}
void rows_times(Index m, Index n, const double* a, Index lda, const double* x, double* out) {
  HWY_DYNAMIC_DISPATCH(RowsTimes)(m, n, a, lda, x, out);
}
void add_rows(Index m, Index n, const double* a, Index lda, const double* factor, double* y) {
  HWY_DYNAMIC_DISPATCH(AddRows)(m, n, a, lda, factor, y);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
