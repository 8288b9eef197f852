// Kernels for one pass over labelled rows.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_statistics.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
#include <algorithm>

#include "core/kernels-inl.hpp"
#include "core/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

// What is read soon is asked for line by line, beside the work: a CPU guesses neither rows that are
// no neighbours nor what lies in the next page.
constexpr Index kDoublesAhead = 1024;
HWY_INLINE Index RowsAhead(Index stride) {
  return std::max<Index>(1, kDoublesAhead / std::max<Index>(1, stride));
}
HWY_INLINE void Fetch(const double* next, Index column) {
  if (column % lane_unit == 0) __builtin_prefetch(next + column, 0, 2);
}

bool AllPass(Check check, const double* rows, Index stride, Index n, Index d) {
  const D tag;
  const Row row(d);
  const V zero = hn::Zero(tag), one = hn::Set(tag, 1.0);
  // x · 0 is NaN for infinities and NaN; a wrong value sets `wrong`.
  V finite = zero;
  M wrong = hn::Ne(zero, zero);
  if (check == Check::finite) {
    for (Index i = 0; i < n; ++i) {
      row.for_each(rows + i * stride, [&](Index, V x) { finite = hn::MulAdd(x, zero, finite); });
    }
  } else if (check == Check::zero_or_one) {
    for (Index i = 0; i < n; ++i) {
      row.for_each(rows + i * stride, [&](Index, V x) {
        // Not Ne, which is false for a NaN on some instruction sets.
        wrong = hn::Or(wrong, hn::Not(hn::Eq(x, hn::IfThenElseZero(hn::Eq(x, one), one))));
      });
    }
  } else if (check == Check::not_negative) {
    for (Index i = 0; i < n; ++i) {
      row.for_each(rows + i * stride, [&](Index, V x) {
        finite = hn::MulAdd(x, zero, finite);
        wrong = hn::Or(wrong, hn::Lt(x, zero));
      });
    }
  } else {
    for (Index i = 0; i < n; ++i) {
      row.for_each(rows + i * stride, [&](Index, V x) {
        finite = hn::MulAdd(x, zero, finite);
        wrong = hn::Or(wrong, hn::Or(hn::Lt(x, zero), hn::Ne(x, hn::Floor(x))));
      });
    }
  }
  return hn::AllTrue(tag, hn::Eq(finite, finite)) && hn::AllFalse(tag, wrong);
}

bool AccumulateMoments(const double* rows, Index stride, Index n, Index d,
                       const std::int32_t* order, const std::int32_t* label, const double* weight,
                       const double* shift, double* sums, double* squares) {
  const Index ahead = RowsAhead(stride);
  const D tag;
  const Row row(d);
  const Index width = padded(d);
  const V zero = hn::Zero(tag);
  V finite = zero;  // NaN once a value was not
  for (Index k = 0; k < n; ++k) {
    const Index i = order ? order[k] : k;
    const Index later = order ? order[std::min(k + ahead, n - 1)] : i + ahead;
    const double* next = rows + later * stride;
    const std::int32_t c = label[i];
    if (c < 0) continue;
    const double* HWY_RESTRICT s = shift + c * width;
    double* HWY_RESTRICT sum = sums + c * width;
    double* HWY_RESTRICT square = squares + c * width;
    const V w = hn::Set(tag, weight ? weight[i] : 1.0);
    row.for_each(rows + i * stride, [&](Index j, V x) {
      Fetch(next, j);
      // The lanes behind the last feature load as 0 and have shift 0.
      const V t = hn::Sub(x, hn::Load(tag, s + j));
      const V wt = hn::Mul(w, t);
      finite = hn::MulAdd(t, zero, finite);
      hn::Store(hn::Add(hn::Load(tag, sum + j), wt), tag, sum + j);
      hn::Store(hn::MulAdd(wt, t, hn::Load(tag, square + j)), tag, square + j);
    });
  }
  return hn::AllTrue(tag, hn::Eq(finite, finite));
}

void AccumulateSums(const double* rows, Index stride, Index n, Index d, const std::int32_t* label,
                    const double* weight, double* sums) {
  const Index ahead = RowsAhead(stride);
  const D tag;
  const Row row(d);
  const Index width = padded(d);
  for (Index i = 0; i < n; ++i) {
    const std::int32_t c = label[i];
    if (c < 0) continue;
    double* HWY_RESTRICT sum = sums + c * width;
    const V w = hn::Set(tag, weight ? weight[i] : 1.0);
    const double* next = rows + (i + ahead) * stride;
    row.for_each(rows + i * stride, [&](Index j, V x) {
      Fetch(next, j);
      hn::Store(hn::MulAdd(w, x, hn::Load(tag, sum + j)), tag, sum + j);
    });
  }
}

bool PackCentered(const double* rows, Index stride, Index n, Index d, const std::int32_t* label,
                  const std::int32_t* place, const double* shift, const double* root_weight,
                  double* packed) {
  const Index ahead = RowsAhead(stride);
  const D tag;
  const Row row(d);
  const Index shift_width = padded(d), width = padded(d + 1);
  const V zero = hn::Zero(tag);
  V finite = zero;
  for (Index i = 0; i < n; ++i) {
    if (place[i] < 0) continue;
    const double* HWY_RESTRICT s = shift + label[i] * shift_width;
    double* HWY_RESTRICT to = packed + place[i] * width;
    const double r = root_weight ? root_weight[i] : 1.0;
    const V rv = hn::Set(tag, r);
    const double* next = rows + (i + ahead) * stride;
    row.for_each(rows + i * stride, [&](Index j, V x) {
      Fetch(next, j);
      const V t = hn::Mul(rv, hn::Sub(x, hn::Load(tag, s + j)));
      finite = hn::MulAdd(t, zero, finite);
      hn::Store(t, tag, to + j);
    });
    for (Index j = d; j < width; ++j) to[j] = 0;
    to[d] = r;
  }
  return hn::AllTrue(tag, hn::Eq(finite, finite));
}

// q[i0 … i0 + MR)[j0 … j0 + NV vectors) += the products of n packed rows.
template <int MR, int NV>
HWY_INLINE void ScatterTile(const double* HWY_RESTRICT packed, Index n, Index width, Index i0,
                            Index j0, double* HWY_RESTRICT q) {
  const D tag;
  V acc[MR][NV];
#pragma GCC unroll 8
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) acc[i][v] = hn::Load(tag, q + (i0 + i) * width + j0 + v * kLanes);
  }
  for (Index k = 0; k < n; ++k) {
    const double* HWY_RESTRICT x = packed + k * width;
    V column[NV];
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) column[v] = hn::Load(tag, x + j0 + v * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
      const V a = hn::Set(tag, x[i0 + i]);
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) acc[i][v] = hn::MulAdd(a, column[v], acc[i][v]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) hn::Store(acc[i][v], tag, q + (i0 + i) * width + j0 + v * kLanes);
  }
}

template <int MR>
HWY_INLINE void ScatterRows(const double* packed, Index n, Index width, Index i0, double* q) {
  Index j = i0 / kLanes * kLanes;
  for (; j + 3 * kLanes <= width; j += 3 * kLanes) ScatterTile<MR, 3>(packed, n, width, i0, j, q);
  if (j + 2 * kLanes <= width) {
    ScatterTile<MR, 2>(packed, n, width, i0, j, q);
  } else if (j < width) {
    ScatterTile<MR, 1>(packed, n, width, i0, j, q);
  }
}

void ScatterUpper(const double* packed, Index n, Index columns, double* q) {
  const Index width = padded(columns);
  Index i = 0;
  for (; i + kTileRows <= columns; i += kTileRows) ScatterRows<kTileRows>(packed, n, width, i, q);
  if (kTileRows == 8 && i + 4 <= columns) {
    ScatterRows<4>(packed, n, width, i, q);
    i += 4;
  }
  if (i + 2 <= columns) {
    ScatterRows<2>(packed, n, width, i, q);
    i += 2;
  }
  if (i < columns) ScatterRows<1>(packed, n, width, i, q);
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(AllPass);
HWY_EXPORT(AccumulateMoments);
HWY_EXPORT(AccumulateSums);
HWY_EXPORT(PackCentered);
HWY_EXPORT(ScatterUpper);

bool all_pass(Check check, const double* rows, Index stride, Index n, Index d) {
  // Rows without gaps are one long row.
  if (stride == d) return HWY_DYNAMIC_DISPATCH(AllPass)(check, rows, 0, n > 0 ? 1 : 0, n * d);
  return HWY_DYNAMIC_DISPATCH(AllPass)(check, rows, stride, n, d);
}
bool accumulate_moments(const double* rows, Index stride, Index n, Index d,
                        const std::int32_t* order, const std::int32_t* label, const double* weight,
                        const double* shift, double* sums, double* squares) {
  return HWY_DYNAMIC_DISPATCH(AccumulateMoments)(rows, stride, n, d, order, label, weight, shift,
                                                 sums, squares);
}
void accumulate_sums(const double* rows, Index stride, Index n, Index d, const std::int32_t* label,
                     const double* weight, double* sums) {
  HWY_DYNAMIC_DISPATCH(AccumulateSums)(rows, stride, n, d, label, weight, sums);
}
bool pack_centered(const double* rows, Index stride, Index n, Index d, const std::int32_t* label,
                   const std::int32_t* place, const double* shift, const double* root_weight,
                   double* packed) {
  return HWY_DYNAMIC_DISPATCH(PackCentered)(rows, stride, n, d, label, place, shift, root_weight,
                                            packed);
}
void scatter(const double* packed, Index n, Index columns, double* q) {
  HWY_DYNAMIC_DISPATCH(ScatterUpper)(packed, n, columns, q);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
