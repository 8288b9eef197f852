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

template <class T>
constexpr Index kTile = sizeof(T) == sizeof(float) ? float_rows_at_once : rows_at_once;
template <class T>
constexpr Index kVector = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));

// Calls use(k, v, y) with the vectors of the I rows i … i + I of y = W x − offset (null: 0), N
// vectors each.
template <int I, int N, class T, class Use>
HWY_INLINE void LowerRows(const T* HWY_RESTRICT x, Index d, const T* HWY_RESTRICT w,
                          const T* HWY_RESTRICT offset, Index i, const Use& use) {
  const hn::ScalableTag<T> tag;
  using Lanes = hn::Vec<decltype(tag)>;
  Lanes acc[I][N];
#pragma GCC unroll 8
  for (int k = 0; k < I; ++k) {
    const Lanes start = hn::Set(tag, offset ? -offset[i + k] : T{0});
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) acc[k][v] = start;
  }
  const auto add_column = [&](Index j, int from) HWY_ATTR {
    Lanes column[N];
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) column[v] = hn::Load(tag, x + j * kTile<T> + v * kVector<T>);
#pragma GCC unroll 8
    for (int k = from; k < I; ++k) {
      const Lanes a = hn::Set(tag, w[(i + k) * d + j]);
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) acc[k][v] = hn::MulAdd(a, column[v], acc[k][v]);
    }
  };
  for (Index j = 0; j <= i; ++j) add_column(j, 0);
    // The triangle at the end: column i + t concerns the rows from t on.
#pragma GCC unroll 8
  for (int t = 1; t < I; ++t) add_column(i + t, t);
#pragma GCC unroll 8
  for (int k = 0; k < I; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) use(k, v, acc[k][v]);
  }
}

// finish(squares) makes of |W x_r − offset|² what goes to out[r], for N vectors of rows.
template <int N, class T, class Finish>
HWY_INLINE void SquaresOfLower(const T* HWY_RESTRICT x, Index d, const T* HWY_RESTRICT w,
                               const T* HWY_RESTRICT offset, T* out, const Finish& finish) {
  const hn::ScalableTag<T> tag;
  using Lanes = hn::Vec<decltype(tag)>;
  constexpr int I = kLowerRows;
  Lanes total[N];
  for (int v = 0; v < N; ++v) total[v] = hn::Zero(tag);
  const auto add_square = [&](int, int v, Lanes y)
                              HWY_ATTR { total[v] = hn::MulAdd(y, y, total[v]); };
  Index i = 0;
  for (; i + I <= d; i += I) LowerRows<I, N>(x, d, w, offset, i, add_square);
  for (; i + 2 <= d; i += 2) LowerRows<2, N>(x, d, w, offset, i, add_square);
  if (i < d) LowerRows<1, N>(x, d, w, offset, i, add_square);
  for (int v = 0; v < N; ++v) hn::Store(finish(total[v]), tag, out + v * kVector<T>);
}

void ScoreLower(const double* x, Index d, Index rows, const double* w, const double* offset,
                double base, double* out) {
  const D tag;
  const V minus_half = hn::Set(tag, -0.5), start = hn::Set(tag, base);
  const auto score = [&](V squares) HWY_ATTR { return hn::MulAdd(minus_half, squares, start); };
  for (Index r = 0; r < rows; r += kGroup) {
    if (rows - r <= kLanes) {
      SquaresOfLower<1>(x + r, d, w, offset, out + r, score);
    } else {
      SquaresOfLower<4>(x + r, d, w, offset, out + r, score);
    }
  }
}

void SquaresLower(const float* x, Index d, Index rows, const float* w, const float* offset,
                  float* out) {
  constexpr Index group = 4 * kVector<float>;
  const auto same = [](hn::Vec<hn::ScalableTag<float>> squares) HWY_ATTR { return squares; };
  for (Index r = 0; r < rows; r += group) SquaresOfLower<4>(x + r, d, w, offset, out + r, same);
}

void ScaleToFloat(const double* x, Index d, const double* scale, float* out, double* norm) {
  const D tag;
  const hn::Rebind<float, D> single;
  V squares[rows_at_once / kLanes];
  for (V& square : squares) square = hn::Zero(tag);
  for (Index j = 0; j < d; ++j) {
    const V factor = hn::Set(tag, scale[j]);
    for (Index v = 0; v < rows_at_once / kLanes; ++v) {
      const V y = hn::Mul(factor, hn::Load(tag, x + j * rows_at_once + v * kLanes));
      squares[v] = hn::MulAdd(y, y, squares[v]);
      hn::Store(hn::DemoteTo(single, y), single, out + j * float_rows_at_once + v * kLanes);
    }
  }
  for (Index v = 0; v < rows_at_once / kLanes; ++v)
    hn::Store(hn::Sqrt(squares[v]), tag, norm + v * kLanes);
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
  const double* const none = nullptr;
  constexpr int I = kLowerRows;
  for (Index r = 0; r < rows_at_once; r += kGroup) {
    Index i = 0;
    const auto store = [&](int k, int v, V y) HWY_ATTR {
      hn::Store(y, tag, out + (i + k) * rows_at_once + r + v * kLanes);
    };
    for (; i + I <= d; i += I) LowerRows<I, 4>(x + r, d, w, none, i, store);
    for (; i + 2 <= d; i += 2) LowerRows<2, 4>(x + r, d, w, none, i, store);
    if (i < d) LowerRows<1, 4>(x + r, d, w, none, i, store);
  }
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(Transpose);
HWY_EXPORT(ScoreDiagonal);
HWY_EXPORT(ScoreLower);
HWY_EXPORT(SquaresLower);
HWY_EXPORT(ScaleToFloat);
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
void squares_lower(const float* x, Index d, Index rows, const float* w, const float* offset,
                   float* out) {
  HWY_DYNAMIC_DISPATCH(SquaresLower)(x, d, rows, w, offset, out);
}
void scale_to_float(const double* x, Index d, const double* scale, float* out, double* norm) {
  HWY_DYNAMIC_DISPATCH(ScaleToFloat)(x, d, scale, out, norm);
}
void student_from_normal(double factor, double slope, double base, double* scores) {
  HWY_DYNAMIC_DISPATCH(StudentFromNormal)(factor, slope, base, scores);
}
void multiply_lower(const double* x, Index d, const double* w, double* out) {
  HWY_DYNAMIC_DISPATCH(MultiplyLower)(x, d, w, out);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
