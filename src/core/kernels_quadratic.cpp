// Kernels for Gaussian scores: rows as lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_quadratic.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
#include <algorithm>

#include "core/kernels-inl.hpp"
#include "core/kernels.hpp"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

void Transpose(const double* from, Index from_stride, Index rows, Index cols, const double* center,
               double* to, Index to_stride) {
  Index i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  {
    const hn::CappedTag<double, 4> four;
    for (; i + 4 <= rows; i += 4) {
      const double* a = from + i * from_stride;
      Index j = 0;
      for (; j + 4 <= cols; j += 4) {
        auto r0 = hn::LoadU(four, a + j), r1 = hn::LoadU(four, a + from_stride + j);
        auto r2 = hn::LoadU(four, a + 2 * from_stride + j),
             r3 = hn::LoadU(four, a + 3 * from_stride + j);
        if (center) {
          const auto c = hn::LoadU(four, center + j);
          r0 = hn::Sub(r0, c), r1 = hn::Sub(r1, c), r2 = hn::Sub(r2, c), r3 = hn::Sub(r3, c);
        }
        const auto t0 = hn::InterleaveLower(four, r0, r1), t1 = hn::InterleaveUpper(four, r0, r1);
        const auto t2 = hn::InterleaveLower(four, r2, r3), t3 = hn::InterleaveUpper(four, r2, r3);
        double* b = to + j * to_stride + i;
        hn::StoreU(hn::ConcatLowerLower(four, t2, t0), four, b);
        hn::StoreU(hn::ConcatLowerLower(four, t3, t1), four, b + to_stride);
        hn::StoreU(hn::ConcatUpperUpper(four, t2, t0), four, b + 2 * to_stride);
        hn::StoreU(hn::ConcatUpperUpper(four, t3, t1), four, b + 3 * to_stride);
      }
      for (; j < cols; ++j) {
        const double c = center ? center[j] : 0;
        for (Index r = 0; r < 4; ++r) to[j * to_stride + i + r] = a[r * from_stride + j] - c;
      }
    }
  }
#endif
  for (; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      to[j * to_stride + i] = from[i * from_stride + j] - (center ? center[j] : 0);
    }
  }
}

// Four vectors of rows at a time, and C classes that share the loaded values.
constexpr Index kGroup = 4 * kLanes;
static_assert(rows_at_once % kGroup == 0 || kGroup % rows_at_once == 0);

template <int C>
HWY_INLINE void DiagonalClasses(const double* HWY_RESTRICT x, Index d,
                                const double* HWY_RESTRICT scale, const double* HWY_RESTRICT offset,
                                const double* base, double* out) {
  const D tag;
  V acc[C][4];
#pragma GCC unroll 4
  for (int c = 0; c < C; ++c) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) acc[c][v] = hn::Zero(tag);
  }
  for (Index j = 0; j < d; ++j) {
    V column[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) column[v] = hn::Load(tag, x + j * rows_at_once + v * kLanes);
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) {
      const V s = hn::Set(tag, scale[c * d + j]), o = hn::Set(tag, offset[c * d + j]);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        const V t = hn::MulSub(column[v], s, o);
        acc[c][v] = hn::MulAdd(t, t, acc[c][v]);
      }
    }
  }
  const V minus_half = hn::Set(tag, -0.5);
#pragma GCC unroll 4
  for (int c = 0; c < C; ++c) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      hn::Store(hn::MulAdd(minus_half, acc[c][v], hn::Set(tag, base[c])), tag,
                out + c * rows_at_once + v * kLanes);
    }
  }
}

void ScoreDiagonal(const double* x, Index d, Index classes, const double* scale,
                   const double* offset, const double* base, double* out) {
  for (Index r = 0; r < rows_at_once; r += kGroup) {
    Index c = 0;
    for (; c + 2 <= classes; c += 2) {
      DiagonalClasses<2>(x + r, d, scale + c * d, offset + c * d, base + c,
                         out + c * rows_at_once + r);
    }
    if (c < classes) {
      DiagonalClasses<1>(x + r, d, scale + c * d, offset + c * d, base + c,
                         out + c * rows_at_once + r);
    }
  }
}

// Rows of W that are worked on together: with four vectors of rows each, what fits the registers.
constexpr int kLowerRows = kTileRows == 8 ? 6 : 2;

// Calls use(k, v, y) with the vectors of the I rows i … i + I of y = W x − offset (null: 0).
template <int I, class Use>
HWY_INLINE void LowerRows(const double* HWY_RESTRICT x, Index d, const double* HWY_RESTRICT w,
                          const double* HWY_RESTRICT offset, Index i, const Use& use) {
  const D tag;
  V acc[I][4];
#pragma GCC unroll 8
  for (int k = 0; k < I; ++k) {
    const V start = hn::Set(tag, offset ? -offset[i + k] : 0.0);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) acc[k][v] = start;
  }
  const auto add_column = [&](Index j, int from) {
    V column[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) column[v] = hn::Load(tag, x + j * rows_at_once + v * kLanes);
#pragma GCC unroll 8
    for (int k = from; k < I; ++k) {
      const V a = hn::Set(tag, w[(i + k) * d + j]);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) acc[k][v] = hn::MulAdd(a, column[v], acc[k][v]);
    }
  };
  for (Index j = 0; j <= i; ++j) add_column(j, 0);
    // The triangle at the end: column i + t concerns the rows from t on.
#pragma GCC unroll 8
  for (int t = 1; t < I; ++t) add_column(i + t, t);
#pragma GCC unroll 8
  for (int k = 0; k < I; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) use(k, v, acc[k][v]);
  }
}

void ScoreLower(const double* x, Index d, Index rows, const double* w, const double* offset,
                double base, double* out) {
  const D tag;
  constexpr int I = kLowerRows;
  for (Index r = 0; r < rows_at_once; r += kGroup) {
    V total[4] = {hn::Zero(tag), hn::Zero(tag), hn::Zero(tag), hn::Zero(tag)};
    const auto add_square = [&](int, int v, V y) { total[v] = hn::MulAdd(y, y, total[v]); };
    Index i = 0;
    for (; i + I <= rows; i += I) LowerRows<I>(x + r, d, w, offset, i, add_square);
    for (; i + 2 <= rows; i += 2) LowerRows<2>(x + r, d, w, offset, i, add_square);
    if (i < rows) LowerRows<1>(x + r, d, w, offset, i, add_square);
    const V minus_half = hn::Set(tag, -0.5), start = hn::Set(tag, base);
    for (int v = 0; v < 4; ++v) {
      hn::Store(hn::MulAdd(minus_half, total[v], start), tag, out + r + v * kLanes);
    }
  }
}

void StudentFromNormal(double factor, double slope, double base, double* scores) {
  const D tag;
  for (Index r = 0; r < rows_at_once; r += kLanes) {
    const V t = hn::Mul(hn::Set(tag, factor), hn::Load(tag, scores + r));
    const V score = hn::MulAdd(hn::Set(tag, slope), hn::Log1p(tag, t), hn::Set(tag, base));
    // The logarithm does not know of ∞ and NaN.
    hn::Store(hn::IfThenElse(hn::IsFinite(t), score, hn::Neg(t)), tag, scores + r);
  }
}

void MultiplyLower(const double* x, Index d, const double* w, double* out) {
  const D tag;
  constexpr int I = kLowerRows;
  for (Index r = 0; r < rows_at_once; r += kGroup) {
    Index i = 0;
    const auto store = [&](int k, int v, V y) {
      hn::Store(y, tag, out + (i + k) * rows_at_once + r + v * kLanes);
    };
    for (; i + I <= d; i += I) LowerRows<I>(x + r, d, w, nullptr, i, store);
    for (; i + 2 <= d; i += 2) LowerRows<2>(x + r, d, w, nullptr, i, store);
    if (i < d) LowerRows<1>(x + r, d, w, nullptr, i, store);
  }
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(Transpose);
HWY_EXPORT(ScoreDiagonal);
HWY_EXPORT(ScoreLower);
HWY_EXPORT(StudentFromNormal);
HWY_EXPORT(MultiplyLower);

void transpose(const double* from, Index from_stride, Index rows, Index cols, const double* center,
               double* to, Index to_stride) {
  HWY_DYNAMIC_DISPATCH(Transpose)(from, from_stride, rows, cols, center, to, to_stride);
}
void score_diagonal(const double* x, Index d, Index classes, const double* scale,
                    const double* offset, const double* base, double* out) {
  HWY_DYNAMIC_DISPATCH(ScoreDiagonal)(x, d, classes, scale, offset, base, out);
}
void score_lower(const double* x, Index d, Index rows, const double* w, const double* offset,
                 double base, double* out) {
  HWY_DYNAMIC_DISPATCH(ScoreLower)(x, d, rows, w, offset, base, out);
}
void student_from_normal(double factor, double slope, double base, double* scores) {
  HWY_DYNAMIC_DISPATCH(StudentFromNormal)(factor, slope, base, scores);
}
void multiply_lower(const double* x, Index d, const double* w, double* out) {
  HWY_DYNAMIC_DISPATCH(MultiplyLower)(x, d, w, out);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
