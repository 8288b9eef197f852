// SVE and RISC-V vectors have no size at compile time, so arrays of them cannot be kept in
// registers as these kernels do; NEON serves there. The targets between SSE2 and AVX2 would gain
// nothing.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels.cpp"
#include "hwy/foreach_target.h"
//
#include <algorithm>
#include <cstring>

#include "core/kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(D()));
// AVX-512 and NEON have 32 registers, the others 16: how many rows of a tile fit.
constexpr int kTileRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 8 : 4;

// Calls body(column, vector) for the columns [0, d) of a row; the lanes behind the last column are
// 0.
struct Row {
  Index whole;  // columns in whole vectors
  Index rest;
  M tail;

  explicit Row(Index d)
      : whole(d / kLanes * kLanes),
        rest(d - whole),
        tail(hn::FirstN(D(), static_cast<std::size_t>(rest))) {}

  template <class Body>
  HWY_INLINE void for_each(const double* HWY_RESTRICT x, const Body& body) const {
    const D tag;
    for (Index j = 0; j < whole; j += kLanes) body(j, hn::LoadU(tag, x + j));
    if (rest == 0) return;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    body(whole, hn::MaskedLoad(tail, tag, x + whole));
#else
    // Elsewhere a masked load is a whole aligned one: it would read behind the row.
    HWY_ALIGN double last[kLanes] = {};
    for (Index k = 0; k < rest; ++k) last[k] = x[whole + k];
    body(whole, hn::Load(tag, last));
#endif
  }
};

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
                       const std::int32_t* label, const double* weight, const double* shift,
                       double* sums, double* squares) {
  const D tag;
  const Row row(d);
  const Index width = padded(d);
  const V zero = hn::Zero(tag);
  V finite = zero;  // NaN once a value was not
  for (Index i = 0; i < n; ++i) {
    const std::int32_t c = label[i];
    if (c < 0) continue;
    const double* HWY_RESTRICT s = shift + c * width;
    double* HWY_RESTRICT sum = sums + c * width;
    double* HWY_RESTRICT square = squares + c * width;
    const V w = hn::Set(tag, weight ? weight[i] : 1.0);
    row.for_each(rows + i * stride, [&](Index j, V x) {
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
  const D tag;
  const Row row(d);
  const Index width = padded(d);
  for (Index i = 0; i < n; ++i) {
    const std::int32_t c = label[i];
    if (c < 0) continue;
    double* HWY_RESTRICT sum = sums + c * width;
    const V w = hn::Set(tag, weight ? weight[i] : 1.0);
    row.for_each(rows + i * stride, [&](Index j, V x) {
      hn::Store(hn::MulAdd(w, x, hn::Load(tag, sum + j)), tag, sum + j);
    });
  }
}

bool PackCentered(const double* rows, Index stride, Index n, Index d, const std::int32_t* label,
                  const std::int32_t* place, const double* shift, const double* root_weight,
                  double* packed) {
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
    row.for_each(rows + i * stride, [&](Index j, V x) {
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

// Calls use(k, v, y) with the vectors of the I rows i … i + I of y = W x − offset (null: 0).
template <int I, class Use>
HWY_INLINE void LowerRows(const double* HWY_RESTRICT x, Index d, const double* HWY_RESTRICT w,
                          const double* HWY_RESTRICT offset, Index i, const Use& use) {
  const D tag;
  V acc[I][4];
#pragma GCC unroll 4
  for (int k = 0; k < I; ++k) {
    const V start = hn::Set(tag, offset ? -offset[i + k] : 0.0);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) acc[k][v] = start;
  }
  const auto add_column = [&](Index j, int from) {
    V column[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) column[v] = hn::Load(tag, x + j * rows_at_once + v * kLanes);
#pragma GCC unroll 4
    for (int k = from; k < I; ++k) {
      const V a = hn::Set(tag, w[(i + k) * d + j]);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) acc[k][v] = hn::MulAdd(a, column[v], acc[k][v]);
    }
  };
  for (Index j = 0; j <= i; ++j) add_column(j, 0);
    // The triangle at the end: column i + t concerns the rows from t on.
#pragma GCC unroll 4
  for (int t = 1; t < I; ++t) add_column(i + t, t);
#pragma GCC unroll 4
  for (int k = 0; k < I; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) use(k, v, acc[k][v]);
  }
}

void ScoreLower(const double* x, Index d, const double* w, const double* offset, double base,
                double* out) {
  const D tag;
  constexpr int I = kTileRows / 2;
  for (Index r = 0; r < rows_at_once; r += kGroup) {
    V total[4] = {hn::Zero(tag), hn::Zero(tag), hn::Zero(tag), hn::Zero(tag)};
    const auto add_square = [&](int, int v, V y) { total[v] = hn::MulAdd(y, y, total[v]); };
    Index i = 0;
    for (; i + I <= d; i += I) LowerRows<I>(x + r, d, w, offset, i, add_square);
    for (; i < d; ++i) LowerRows<1>(x + r, d, w, offset, i, add_square);
    const V minus_half = hn::Set(tag, -0.5), start = hn::Set(tag, base);
    for (int v = 0; v < 4; ++v) {
      hn::Store(hn::MulAdd(minus_half, total[v], start), tag, out + r + v * kLanes);
    }
  }
}

void MultiplyLower(const double* x, Index d, const double* w, double* out) {
  const D tag;
  constexpr int I = kTileRows / 2;
  for (Index r = 0; r < rows_at_once; r += kGroup) {
    Index i = 0;
    const auto store = [&](int k, int v, V y) {
      hn::Store(y, tag, out + (i + k) * rows_at_once + r + v * kLanes);
    };
    for (; i + I <= d; i += I) LowerRows<I>(x + r, d, w, nullptr, i, store);
    for (; i < d; ++i) LowerRows<1>(x + r, d, w, nullptr, i, store);
  }
}

// Scores of R rows for the classes of one vector: acc[r] = base + Σ_j x[r][j] table[j].
template <int R, class Tag>
HWY_INLINE void LinearRows(Tag tag, const double* HWY_RESTRICT x, Index x_stride, Index d,
                           const double* HWY_RESTRICT table, Index width, const double* base,
                           hn::Vec<Tag>* HWY_RESTRICT acc) {
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) acc[r] = hn::Load(tag, base);
  for (Index j = 0; j < d; ++j) {
    const auto t = hn::Load(tag, table + j * width);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      acc[r] = hn::MulAdd(hn::Set(tag, x[r * x_stride + j]), t, acc[r]);
    }
  }
}

// The same for two vectors, which share the values of the rows; the second may be a shorter one.
template <int R, class Tag1, class Tag2>
HWY_INLINE void LinearRows2(Tag1 tag1, Tag2 tag2, const double* HWY_RESTRICT x, Index x_stride,
                            Index d, const double* HWY_RESTRICT table, Index width,
                            const double* base, hn::Vec<Tag1>* HWY_RESTRICT acc1,
                            hn::Vec<Tag2>* HWY_RESTRICT acc2) {
  constexpr Index second = static_cast<Index>(hn::MaxLanes(Tag1()));
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    acc1[r] = hn::Load(tag1, base);
    acc2[r] = hn::Load(tag2, base + second);
  }
  for (Index j = 0; j < d; ++j) {
    const auto t1 = hn::Load(tag1, table + j * width);
    const auto t2 = hn::Load(tag2, table + j * width + second);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      acc1[r] = hn::MulAdd(hn::Set(tag1, x[r * x_stride + j]), t1, acc1[r]);
      acc2[r] = hn::MulAdd(hn::Set(tag2, x[r * x_stride + j]), t2, acc2[r]);
    }
  }
}

// A vector of half the size for the last few classes: their padding would cost as much as they do.
#if HWY_TARGET == HWY_SCALAR
using HalfD = D;
#else
using HalfD = hn::Half<D>;
#endif
constexpr Index kHalfLanes = static_cast<Index>(hn::MaxLanes(HalfD()));

// Puts the scores of a row into place with whole vectors, which may reach into the rows that follow
// and are written later; where there is no room for that, exactly.
template <class Tag>
HWY_INLINE void StoreScores(Tag tag, hn::Vec<Tag> scores, Index classes, Index room, double* out) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Tag()));
  if (lanes <= room) {
    hn::StoreU(scores, tag, out);
  } else {
    HWY_ALIGN double exact[lanes];
    hn::Store(scores, tag, exact);
    std::copy_n(exact, std::min(classes, lanes), out);
  }
}

// Scores of R rows for the classes of one vector; `room` is how many doubles there are from out on.
template <int R, class Tag>
HWY_INLINE void LinearOne(Tag tag, const double* HWY_RESTRICT x, Index x_stride, Index d,
                          const double* table, Index width, const double* base, Index classes,
                          Index room, double* HWY_RESTRICT out, Index out_stride) {
  hn::Vec<Tag> acc[R];
  LinearRows<R>(tag, x, x_stride, d, table, width, base, acc);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    StoreScores(tag, acc[r], classes, room - r * out_stride, out + r * out_stride);
  }
}

// The same for the classes of two vectors.
template <int R, class Tag2>
HWY_INLINE void LinearTwo(Tag2 tag2, const double* HWY_RESTRICT x, Index x_stride, Index d,
                          const double* table, Index width, const double* base, Index classes,
                          Index room, double* HWY_RESTRICT out, Index out_stride) {
  const D tag;
  V first[R];
  hn::Vec<Tag2> second[R];
  LinearRows2<R>(tag, tag2, x, x_stride, d, table, width, base, first, second);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    double* to = out + r * out_stride;
    hn::StoreU(first[r], tag, to);
    StoreScores(tag2, second[r], classes - kLanes, room - r * out_stride - kLanes, to + kLanes);
  }
}

// All classes of R rows. The last classes come first: what they write into the next rows is
// overwritten.
template <int R>
HWY_INLINE void LinearClasses(const double* HWY_RESTRICT x, Index x_stride, Index d, Index classes,
                              const double* table, const double* base, Index room, double* out) {
  const D tag;
  const HalfD half;
  const Index width = padded(classes);
  const Index whole = (classes - 1) / (2 * kLanes) * (2 * kLanes);
  const Index left = classes - whole;
  const double* t = table + whole;
  const double* b = base + whole;
  if (left > kLanes + kHalfLanes) {
    LinearTwo<R>(tag, x, x_stride, d, t, width, b, left, room - whole, out + whole, classes);
  } else if (left > kLanes) {
    LinearTwo<R>(half, x, x_stride, d, t, width, b, left, room - whole, out + whole, classes);
  } else if (left > kHalfLanes || kHalfLanes == kLanes) {
    LinearOne<R>(tag, x, x_stride, d, t, width, b, left, room - whole, out + whole, classes);
  } else {
    LinearOne<R>(half, x, x_stride, d, t, width, b, left, room - whole, out + whole, classes);
  }
  for (Index c = 0; c < whole; c += 2 * kLanes) {
    LinearTwo<R>(tag, x, x_stride, d, table + c, width, base + c, 2 * kLanes, room - c, out + c,
                 classes);
  }
}

void ScoreLinear(const double* rows, Index stride, Index n, Index d, const double* center,
                 Index classes, const double* table, const double* base, double* scratch,
                 double* out) {
  constexpr int R = kTileRows;
  const D tag;
  const Row row(d);
  const Index width = padded(d);
  for (Index i = 0; i < n;) {
    const Index count = i + R <= n ? R : 1;
    const double* x = rows + i * stride;
    Index x_stride = stride;
    // Rows of several pages are too long for the CPU to guess that the next ones will follow.
    for (Index r = count; r < 2 * count && d > 128 && i + r < n; ++r) {
      for (Index j = 0; j < d; j += 8) __builtin_prefetch(x + r * stride + j, 0, 2);
    }
    if (center) {
      for (Index r = 0; r < count; ++r) {
        row.for_each(x + r * stride, [&](Index j, V value) {
          hn::Store(hn::Sub(value, hn::Load(tag, center + j)), tag, scratch + r * width + j);
        });
      }
      x = scratch;
      x_stride = width;
    }
    const Index room = (n - i) * classes;
    if (count == R) {
      LinearClasses<R>(x, x_stride, d, classes, table, base, room, out + i * classes);
    } else {
      LinearClasses<1>(x, x_stride, d, classes, table, base, room, out + i * classes);
    }
    i += count;
  }
}

template <int NV>
HWY_INLINE void AddTableVectors(const double* HWY_RESTRICT table, Index width,
                                const std::int32_t* row, const double* factor, Index n, Index known,
                                double* HWY_RESTRICT out) {
  constexpr Index ahead = 16;  // entries; tables of many features do not fit the caches
  const D tag;
  V acc[NV];
#pragma GCC unroll 4
  for (int v = 0; v < NV; ++v) acc[v] = hn::LoadU(tag, out + v * kLanes);
  for (Index i = 0; i < n; ++i) {
    if (i + ahead < known && row[i + ahead] >= 0) {
      const double* next = table + row[i + ahead] * width;
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) __builtin_prefetch(next + v * kLanes);
    }
    if (row[i] < 0) continue;
    const double* HWY_RESTRICT entry = table + row[i] * width;
    const V f = hn::Set(tag, factor ? factor[i] : 1.0);
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) acc[v] = hn::MulAdd(f, hn::Load(tag, entry + v * kLanes), acc[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < NV; ++v) hn::StoreU(acc[v], tag, out + v * kLanes);
}

void AddTableRows(const double* table, Index width, const std::int32_t* row, const double* factor,
                  Index n, Index known, double* out) {
  Index k = 0;
  for (; k + 4 * kLanes <= width; k += 4 * kLanes) {
    AddTableVectors<4>(table + k, width, row, factor, n, known, out + k);
  }
  if (k + 3 * kLanes <= width) {
    AddTableVectors<3>(table + k, width, row, factor, n, known, out + k);
  } else if (k + 2 * kLanes <= width) {
    AddTableVectors<2>(table + k, width, row, factor, n, known, out + k);
  } else if (k < width) {
    AddTableVectors<1>(table + k, width, row, factor, n, known, out + k);
  }
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(AllPass);
HWY_EXPORT(AccumulateMoments);
HWY_EXPORT(AccumulateSums);
HWY_EXPORT(PackCentered);
HWY_EXPORT(ScatterUpper);
HWY_EXPORT(Transpose);
HWY_EXPORT(ScoreDiagonal);
HWY_EXPORT(ScoreLower);
HWY_EXPORT(MultiplyLower);
HWY_EXPORT(ScoreLinear);
HWY_EXPORT(AddTableRows);
HWY_EXPORT(TargetName);

bool all_pass(Check check, const double* rows, Index stride, Index n, Index d) {
  return HWY_DYNAMIC_DISPATCH(AllPass)(check, rows, stride, n, d);
}
bool accumulate_moments(const double* rows, Index stride, Index n, Index d,
                        const std::int32_t* label, const double* weight, const double* shift,
                        double* sums, double* squares) {
  return HWY_DYNAMIC_DISPATCH(AccumulateMoments)(rows, stride, n, d, label, weight, shift, sums,
                                                 squares);
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
void transpose(const double* from, Index from_stride, Index rows, Index cols, const double* center,
               double* to, Index to_stride) {
  HWY_DYNAMIC_DISPATCH(Transpose)(from, from_stride, rows, cols, center, to, to_stride);
}
void score_diagonal(const double* x, Index d, Index classes, const double* scale,
                    const double* offset, const double* base, double* out) {
  HWY_DYNAMIC_DISPATCH(ScoreDiagonal)(x, d, classes, scale, offset, base, out);
}
void score_lower(const double* x, Index d, const double* w, const double* offset, double base,
                 double* out) {
  HWY_DYNAMIC_DISPATCH(ScoreLower)(x, d, w, offset, base, out);
}
void multiply_lower(const double* x, Index d, const double* w, double* out) {
  HWY_DYNAMIC_DISPATCH(MultiplyLower)(x, d, w, out);
}
void score_linear(const double* rows, Index stride, Index n, Index d, const double* center,
                  Index classes, const double* table, const double* base, double* scratch,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(ScoreLinear)
  (rows, stride, n, d, center, classes, table, base, scratch, out);
}
void add_table_rows(const double* table, Index width, const std::int32_t* row, const double* factor,
                    Index n, Index known, double* out) {
  HWY_DYNAMIC_DISPATCH(AddTableRows)(table, width, row, factor, n, known, out);
}
const char* target_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace suffice::kernels
#endif  // HWY_ONCE
