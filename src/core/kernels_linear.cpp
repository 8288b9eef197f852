// Kernels for linear scores: classes as lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_linear.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
#include <algorithm>

#include "core/kernels-inl.hpp"
#include "core/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

// The rows after those that are scored: the CPU itself does not ask for them in time.
struct NextRows {
  const double* values;
  Index stride;

  // Called for each of their values: asks for a line of one of R rows at a time, so that memory is
  // read while products are made.
  template <int R>
  HWY_INLINE void Fetch(Index j) const {
    static_assert(8 % R == 0, "a line has eight values");
    __builtin_prefetch(values + j % R * stride + j / R * R, 0, 2);
  }
};

// Scores of R rows for the classes of one vector: acc[r] = base + Σ_j x[r][j] table[j].
template <int R, class Tag>
HWY_INLINE void LinearRows(Tag tag, const double* HWY_RESTRICT x, Index x_stride, NextRows next,
                           Index d, const double* HWY_RESTRICT table, Index width,
                           const double* base, hn::Vec<Tag>* HWY_RESTRICT acc) {
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) acc[r] = hn::Load(tag, base);
  for (Index j = 0; j < d; ++j) {
    next.Fetch<R>(j);
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
                            NextRows next, Index d, const double* HWY_RESTRICT table, Index width,
                            const double* base, hn::Vec<Tag1>* HWY_RESTRICT acc1,
                            hn::Vec<Tag2>* HWY_RESTRICT acc2) {
  constexpr Index second = static_cast<Index>(hn::MaxLanes(Tag1()));
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    acc1[r] = hn::Load(tag1, base);
    acc2[r] = hn::Load(tag2, base + second);
  }
  for (Index j = 0; j < d; ++j) {
    next.Fetch<R>(j);
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
HWY_INLINE void LinearOne(Tag tag, const double* HWY_RESTRICT x, Index x_stride, NextRows next,
                          Index d, const double* table, Index width, const double* base,
                          Index classes, Index room, double* HWY_RESTRICT out, Index out_stride) {
  hn::Vec<Tag> acc[R];
  LinearRows<R>(tag, x, x_stride, next, d, table, width, base, acc);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    StoreScores(tag, acc[r], classes, room - r * out_stride, out + r * out_stride);
  }
}

// The same for the classes of two vectors.
template <int R, class Tag2>
HWY_INLINE void LinearTwo(Tag2 tag2, const double* HWY_RESTRICT x, Index x_stride, NextRows next,
                          Index d, const double* table, Index width, const double* base,
                          Index classes, Index room, double* HWY_RESTRICT out, Index out_stride) {
  const D tag;
  V first[R];
  hn::Vec<Tag2> second[R];
  LinearRows2<R>(tag, tag2, x, x_stride, next, d, table, width, base, first, second);
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
HWY_INLINE void LinearClasses(const double* HWY_RESTRICT x, Index x_stride, NextRows next, Index d,
                              Index classes, const double* table, const double* base, Index room,
                              double* out) {
  const D tag;
  const HalfD half;
  const Index width = padded(classes);
  const Index whole = (classes - 1) / (2 * kLanes) * (2 * kLanes);
  const Index left = classes - whole;
  const double* t = table + whole;
  const double* b = base + whole;
  if (left > kLanes + kHalfLanes) {
    LinearTwo<R>(tag, x, x_stride, next, d, t, width, b, left, room - whole, out + whole, classes);
  } else if (left > kLanes) {
    LinearTwo<R>(half, x, x_stride, next, d, t, width, b, left, room - whole, out + whole, classes);
  } else if (left > kHalfLanes || kHalfLanes == kLanes) {
    LinearOne<R>(tag, x, x_stride, next, d, t, width, b, left, room - whole, out + whole, classes);
  } else {
    LinearOne<R>(half, x, x_stride, next, d, t, width, b, left, room - whole, out + whole, classes);
  }
  for (Index c = 0; c < whole; c += 2 * kLanes) {
    LinearTwo<R>(tag, x, x_stride, {x, 0}, d, table + c, width, base + c, 2 * kLanes, room - c,
                 out + c, classes);
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
    const bool follow = count == R && i + 2 * R <= n;
    const NextRows next = follow ? NextRows{x + R * stride, stride} : NextRows{x, 0};
    if (center) {
      for (Index r = 0; r < count; ++r) {
        row.for_each(x + r * stride, [&](Index j, V value) HWY_ATTR {
          hn::Store(hn::Sub(value, hn::Load(tag, center + j)), tag, scratch + r * width + j);
        });
      }
      x = scratch;
      x_stride = width;
    }
    const Index room = (n - i) * classes;
    if (count == R) {
      LinearClasses<R>(x, x_stride, next, d, classes, table, base, room, out + i * classes);
    } else {
      LinearClasses<1>(x, x_stride, next, d, classes, table, base, room, out + i * classes);
    }
    i += count;
  }
}

template <int NV, class Tag>
HWY_INLINE void AddTableVectors(Tag tag, const double* HWY_RESTRICT table, Index width,
                                const std::int32_t* row, const std::int32_t* first,
                                const double* factor, Index n, Index known,
                                double* HWY_RESTRICT out) {
  constexpr Index ahead = 16;  // entries; tables of many features do not fit the caches
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Tag()));
  hn::Vec<Tag> acc[NV];
#pragma GCC unroll 4
  for (int v = 0; v < NV; ++v) acc[v] = hn::LoadU(tag, out + v * lanes);
  for (Index i = 0; i < n; ++i) {
    if (i + ahead < known && row[i + ahead] >= 0) {
      const double* next = table + (row[i + ahead] + (first ? first[i + ahead] : 0)) * width;
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) __builtin_prefetch(next + v * lanes);
    }
    if (row[i] < 0) continue;
    const double* HWY_RESTRICT entry = table + (row[i] + (first ? first[i] : 0)) * width;
    const auto f = hn::Set(tag, factor ? factor[i] : 1.0);
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) acc[v] = hn::MulAdd(f, hn::Load(tag, entry + v * lanes), acc[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < NV; ++v) hn::StoreU(acc[v], tag, out + v * lanes);
}

// A table that is narrower than the padding, 2 or 4 columns.
template <Index Width>
HWY_INLINE void AddNarrowRows(const double* table, const std::int32_t* row,
                              const std::int32_t* first, const double* factor, Index n, Index known,
                              double* out) {
  const hn::CappedTag<double, static_cast<std::size_t>(Width)> tag;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(decltype(tag)()));
  AddTableVectors<static_cast<int>(Width / lanes)>(tag, table, Width, row, first, factor, n, known,
                                                   out);
}

void AddTableRows(const double* table, Index width, const std::int32_t* row,
                  const std::int32_t* first, const double* factor, Index n, Index known,
                  double* out) {
  if (width == 2) return AddNarrowRows<2>(table, row, first, factor, n, known, out);
  if (width == 4) return AddNarrowRows<4>(table, row, first, factor, n, known, out);
  const D tag;
  Index k = 0;
  for (; k + 4 * kLanes <= width; k += 4 * kLanes) {
    AddTableVectors<4>(tag, table + k, width, row, first, factor, n, known, out + k);
  }
  if (k + 3 * kLanes <= width) {
    AddTableVectors<3>(tag, table + k, width, row, first, factor, n, known, out + k);
  } else if (k + 2 * kLanes <= width) {
    AddTableVectors<2>(tag, table + k, width, row, first, factor, n, known, out + k);
  } else if (k < width) {
    AddTableVectors<1>(tag, table + k, width, row, first, factor, n, known, out + k);
  }
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(ScoreLinear);
HWY_EXPORT(AddTableRows);
HWY_EXPORT(TargetName);

void score_linear(const double* rows, Index stride, Index n, Index d, const double* center,
                  Index classes, const double* table, const double* base, double* scratch,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(ScoreLinear)
  (rows, stride, n, d, center, classes, table, base, scratch, out);
}
void add_table_rows(const double* table, Index width, const std::int32_t* row,
                    const std::int32_t* first, const double* factor, Index n, Index known,
                    double* out) {
  HWY_DYNAMIC_DISPATCH(AddTableRows)(table, width, row, first, factor, n, known, out);
}
const char* target_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace suffice::kernels
#endif  // HWY_ONCE
