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
      row.for_each(rows + i * stride,
                   [&](Index, V x) HWY_ATTR { finite = hn::MulAdd(x, zero, finite); });
    }
  } else if (check == Check::zero_or_one) {
    for (Index i = 0; i < n; ++i) {
      row.for_each(rows + i * stride, [&](Index, V x) HWY_ATTR {
        // Not Ne, which is false for a NaN on some instruction sets.
        wrong = hn::Or(wrong, hn::Not(hn::Eq(x, hn::IfThenElseZero(hn::Eq(x, one), one))));
      });
    }
  } else if (check == Check::not_negative) {
    for (Index i = 0; i < n; ++i) {
      row.for_each(rows + i * stride, [&](Index, V x) HWY_ATTR {
        finite = hn::MulAdd(x, zero, finite);
        wrong = hn::Or(wrong, hn::Lt(x, zero));
      });
    }
  } else {
    for (Index i = 0; i < n; ++i) {
      row.for_each(rows + i * stride, [&](Index, V x) HWY_ATTR {
        finite = hn::MulAdd(x, zero, finite);
        wrong = hn::Or(wrong, hn::Or(hn::Lt(x, zero), hn::Ne(x, hn::Floor(x))));
      });
    }
  }
  return hn::AllTrue(tag, hn::Eq(finite, finite)) && hn::AllFalse(tag, wrong);
}

template <bool weighted>
HWY_INLINE void AddMoments(const double* rows, Index stride, Index n, Index d,
                           const std::int32_t* order, const std::int32_t* label,
                           const double* weight, const double* shift, double* sums,
                           double* squares) {
  const Index ahead = RowsAhead(stride);
  const D tag;
  const Row row(d);
  const Index width = padded(d);
  for (Index k = 0; k < n; ++k) {
    const Index i = order ? order[k] : k;
    const Index later = order ? order[std::min(k + ahead, n - 1)] : i + ahead;
    const double* next = rows + later * stride;
    const std::int32_t c = label ? label[i] : 0;
    if (c < 0) continue;
    const double* HWY_RESTRICT s = shift + c * width;
    double* HWY_RESTRICT sum = sums + c * width;
    double* HWY_RESTRICT square = squares + c * width;
    const V w = hn::Set(tag, weighted ? weight[i] : 1.0);
    row.for_each(rows + i * stride, [&](Index j, V x) HWY_ATTR {
      Fetch(next, j);
      // The lanes behind the last feature load as 0 and have shift 0.
      const V t = hn::Sub(x, hn::Load(tag, s + j));
      const V wt = weighted ? hn::Mul(w, t) : t;
      hn::Store(hn::Add(hn::Load(tag, sum + j), wt), tag, sum + j);
      hn::Store(hn::MulAdd(wt, t, hn::Load(tag, square + j)), tag, square + j);
    });
  }
}

void AccumulateMoments(const double* rows, Index stride, Index n, Index d,
                       const std::int32_t* order, const std::int32_t* label, const double* weight,
                       const double* shift, double* sums, double* squares) {
  if (weight) {
    AddMoments<true>(rows, stride, n, d, order, label, weight, shift, sums, squares);
  } else {
    AddMoments<false>(rows, stride, n, d, order, label, weight, shift, sums, squares);
  }
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
    row.for_each(rows + i * stride, [&](Index j, V x) HWY_ATTR {
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
  const Index vectors = (d + kLanes - 1) / kLanes * kLanes;  // columns in vectors of the row
  const V zero = hn::Zero(tag);
  V not_finite = zero;  // ±0, or a NaN; its bits are joined in one cycle, products in four
  for (Index i = 0; i < n; ++i) {
    if (place[i] < 0) continue;
    const double* HWY_RESTRICT s = shift + label[i] * shift_width;
    double* HWY_RESTRICT to = packed + place[i] * width;
    const double r = root_weight ? root_weight[i] : 1.0;
    const V rv = hn::Set(tag, r);
    const double* next = rows + (i + ahead) * stride;
    row.for_each(rows + i * stride, [&](Index j, V x) HWY_ATTR {
      Fetch(next, j);
      const V t = hn::Mul(rv, hn::Sub(x, hn::Load(tag, s + j)));
      not_finite = hn::Or(not_finite, hn::Mul(t, zero));
      hn::Store(t, tag, to + j);
    });
    for (Index j = vectors; j < width; j += kLanes) hn::Store(zero, tag, to + j);
    to[d] = r;
  }
  return hn::AllTrue(tag, hn::Eq(not_finite, not_finite));
}

// q[i0 … i0 + MR)[j0 … j0 + NV vectors) += the products of n packed rows. `next`: null, or a column
// of as many rows that is fetched.
template <int MR, int NV>
HWY_INLINE void ScatterTile(const double* HWY_RESTRICT packed, Index n, Index columns, Index i0,
                            Index j0, double* HWY_RESTRICT q, const double* next) {
  const D tag;
  const Index width = padded(columns);
  V acc[MR][NV];
#pragma GCC unroll 8
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) acc[i][v] = hn::Load(tag, q + (i0 + i) * width + j0 + v * kLanes);
  }
  const double *HWY_RESTRICT row = packed + i0, *HWY_RESTRICT vectors = packed + j0;
  for (Index k = 0; k < n; ++k, row += width, vectors += width) {
    if (next) __builtin_prefetch(next + k * columns, 0, 2);
    V column[NV];
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) column[v] = hn::Load(tag, vectors + v * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
      const V a = hn::Set(tag, row[i]);
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

// Of a row group the first tile fetches the columns of `next` that have its numbers, so that memory
// has something to do all the while.
template <int MR>
HWY_INLINE void ScatterRows(const double* packed, Index n, Index columns, Index i0, double* q,
                            const double* next) {
  const Index width = padded(columns);
  const double* fetch = next && i0 % lane_unit == 0 ? next + i0 : nullptr;
  Index j = i0 / kLanes * kLanes;
  for (; j + 3 * kLanes <= width; j += 3 * kLanes) {
    ScatterTile<MR, 3>(packed, n, columns, i0, j, q, fetch);
    fetch = nullptr;
  }
  if (j + 2 * kLanes <= width) {
    ScatterTile<MR, 2>(packed, n, columns, i0, j, q, fetch);
  } else if (j < width) {
    ScatterTile<MR, 1>(packed, n, columns, i0, j, q, fetch);
  }
}

// The last rows, at most MR, in one tile: several would wait for the results of their own products.
template <int MR>
HWY_INLINE void ScatterLast(const double* packed, Index n, Index columns, Index i0, double* q,
                            const double* next) {
  if (columns - i0 == MR) {
    ScatterRows<MR>(packed, n, columns, i0, q, next);
  } else if constexpr (MR > 1) {
    ScatterLast<MR - 1>(packed, n, columns, i0, q, next);
  }
}

void ScatterUpper(const double* packed, Index n, Index columns, double* q, const double* next) {
  Index i = 0;
  for (; i + kTileRows <= columns; i += kTileRows)
    ScatterRows<kTileRows>(packed, n, columns, i, q, next);
  ScatterLast<kTileRows - 1>(packed, n, columns, i, q, next);
}

#if HWY_NATIVE_FMA
// a + b = sum + error, exactly.
struct Two {
  V sum, error;
};
HWY_INLINE Two TwoSum(V a, V b) {
  const V sum = hn::Add(a, b), t = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, t)), hn::Sub(b, t))};
}
#endif

Index MergeMoments(const MomentsOf<double>& a, const MomentsOf<const double>& b, Index d) {
  Index j = 0;
#if HWY_NATIVE_FMA
  const D tag;
  const V zero = hn::Zero(tag);
  for (; j + kLanes <= d; j += kLanes) {
    const V w_a = hn::LoadU(tag, a.weight + j), w_b = hn::LoadU(tag, b.weight + j);
    const V high_a = hn::LoadU(tag, a.high + j), high_b = hn::LoadU(tag, b.high + j);
    const V low_a = hn::LoadU(tag, a.low + j), low_b = hn::LoadU(tag, b.low + j);
    const V square_a = hn::LoadU(tag, a.squares + j), square_b = hn::LoadU(tag, b.squares + j);
    const V weight = hn::Add(w_a, w_b);
    // The distance of the means, and the part of it by which that of a moves; as `difference` and
    // `moved` of stats/moments.cpp.
    const Two apart = TwoSum(high_b, hn::Neg(high_a));
    const Two delta = TwoSum(apart.sum, hn::Add(apart.error, hn::Sub(low_b, low_a)));
    const V product = hn::Mul(delta.sum, w_b);
    const V product_error = hn::MulSub(delta.sum, w_b, product);
    const V step = hn::Div(product, weight);
    const V remainder = hn::NegMulAdd(step, weight, product);
    const V rest =
        hn::Div(hn::Add(remainder, hn::Add(product_error, hn::Mul(delta.error, w_b))), weight);
    const Two moved = TwoSum(high_a, step);
    const Two mean = TwoSum(moved.sum, hn::Add(moved.error, hn::Add(low_a, rest)));
    const V between = hn::Mul(hn::Mul(delta.sum, delta.sum), hn::Mul(w_a, hn::Div(w_b, weight)));
    const V squares = hn::Add(square_a, hn::Add(square_b, between));
    // Where one of them has no weight, the other stays as it is.
    const M has_a = hn::Gt(w_a, zero), has_b = hn::Gt(w_b, zero);
    const auto put = [&](V merged, V of_a, V of_b, double* to) HWY_ATTR {
      merged = hn::IfThenElse(has_a, merged, of_b);
      hn::StoreU(hn::IfThenElse(has_b, merged, of_a), tag, to + j);
    };
    put(weight, w_a, w_b, a.weight);
    put(mean.sum, high_a, high_b, a.high);
    put(mean.error, low_a, low_b, a.low);
    put(squares, square_a, square_b, a.squares);
  }
#else
  static_cast<void>(a), static_cast<void>(b), static_cast<void>(d);
#endif
  return j;
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
HWY_EXPORT(MergeMoments);

bool all_pass(Check check, const double* rows, Index stride, Index n, Index d) {
  // Rows without gaps are one long row.
  if (stride == d) return HWY_DYNAMIC_DISPATCH(AllPass)(check, rows, 0, n > 0 ? 1 : 0, n * d);
  return HWY_DYNAMIC_DISPATCH(AllPass)(check, rows, stride, n, d);
}
void accumulate_moments(const double* rows, Index stride, Index n, Index d,
                        const std::int32_t* order, const std::int32_t* label, const double* weight,
                        const double* shift, double* sums, double* squares) {
  HWY_DYNAMIC_DISPATCH(AccumulateMoments)
  (rows, stride, n, d, order, label, weight, shift, sums, squares);
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
void scatter(const double* packed, Index n, Index columns, double* q, const double* next) {
  HWY_DYNAMIC_DISPATCH(ScatterUpper)(packed, n, columns, q, next);
}
Index merge_moments(const MomentsOf<double>& a, const MomentsOf<const double>& b, Index d) {
  return HWY_DYNAMIC_DISPATCH(MergeMoments)(a, b, d);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
