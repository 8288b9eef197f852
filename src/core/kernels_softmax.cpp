// Kernels for posteriors, rows as lanes, and for the best class of a row.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_softmax.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
#include "core/constants.hpp"
#include "core/kernels-inl.hpp"
#include "core/kernels.hpp"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

void Softmax(double* HWY_RESTRICT z, Index stride, Index classes, Index rows,
             double* HWY_RESTRICT log_sum) {
  const D tag;
  const V lowest = hn::Set(tag, -1000.0);  // exp of it is 0
  for (Index r = 0; r < rows; r += kLanes) {
    V largest = hn::LoadU(tag, z + r);
    for (Index k = 1; k < classes; ++k)
      largest = hn::Max(largest, hn::LoadU(tag, z + k * stride + r));
    V sum = hn::Zero(tag);
    for (Index k = 0; k < classes; ++k) {
      double* const at = z + k * stride + r;
      const V e = hn::Exp(tag, hn::Max(hn::Sub(hn::LoadU(tag, at), largest), lowest));
      hn::StoreU(e, tag, at);
      sum = hn::Add(sum, e);
    }
    const V factor = hn::Div(hn::Set(tag, 1.0), sum);
    for (Index k = 0; k < classes; ++k) {
      double* const at = z + k * stride + r;
      hn::StoreU(hn::Mul(hn::LoadU(tag, at), factor), tag, at);
    }
    hn::StoreU(hn::Add(largest, hn::Log(tag, sum)), tag, log_sum + r);
  }
}

template <bool Log>
HWY_INLINE void Normalise(double* HWY_RESTRICT z, Index stride, Index classes, Index rows,
                          double* HWY_RESTRICT largest_of_row) {
  const D tag;
  for (Index r = 0; r < rows; r += kLanes) {
    V largest = hn::LoadU(tag, z + r);
    M wrong = hn::IsNaN(largest);
    for (Index k = 1; k < classes; ++k) {
      const V value = hn::LoadU(tag, z + k * stride + r);
      wrong = hn::Or(wrong, hn::IsNaN(value));
      largest = hn::Max(largest, value);
    }
    hn::StoreU(hn::IfThenElse(wrong, hn::NaN(tag), largest), tag, largest_of_row + r);
    V sum = hn::Zero(tag);
    for (Index k = 0; k < classes; ++k) {
      double* const at = z + k * stride + r;
      const V difference = hn::Sub(hn::LoadU(tag, at), largest);
      const V e = hn::Exp(tag, difference);
      hn::StoreU(Log ? difference : e, tag, at);
      sum = hn::Add(sum, e);
    }
    const V by = Log ? hn::Log(tag, sum) : hn::Div(hn::Set(tag, 1.0), sum);
    for (Index k = 0; k < classes; ++k) {
      double* const at = z + k * stride + r;
      const V value = hn::LoadU(tag, at);
      hn::StoreU(Log ? hn::Sub(value, by) : hn::Mul(value, by), tag, at);
    }
  }
}

void Posteriors(double* z, Index stride, Index classes, Index rows, bool log, double* largest) {
  if (log)
    Normalise<true>(z, stride, classes, rows, largest);
  else
    Normalise<false>(z, stride, classes, rows, largest);
}

// Max would let a NaN through.
HWY_INLINE V Higher(V highest, V score) {
  return hn::IfThenElse(hn::Gt(score, highest), score, highest);
}

void BestOfRows(const double* HWY_RESTRICT scores, Index n, Index classes,
                const double* HWY_RESTRICT offset, Index* HWY_RESTRICT best) {
  const D tag;
  const Index whole = classes / kLanes * kLanes;
  const auto at = [&](const double* row, Index c) {
    const V score = hn::LoadU(tag, row + c);
    return offset ? hn::Add(score, hn::LoadU(tag, offset + c)) : score;
  };
  const auto one = [&](const double* row, Index c) { return offset ? row[c] + offset[c] : row[c]; };
  for (Index i = 0; i < n; ++i) {
    const double* row = scores + i * classes;
    double highest = -infinity;
    if (whole > 0) {
      V lanes = hn::Set(tag, highest);
      for (Index c = 0; c < whole; c += kLanes) lanes = Higher(lanes, at(row, c));
      highest = hn::GetLane(hn::MaxOfLanes(tag, lanes));
    }
    Index last = -1;  // the first of the largest behind whole vectors, if it is above these
    for (Index c = whole; c < classes; ++c) {
      if (one(row, c) > highest) {
        highest = one(row, c);
        last = c;
      }
    }
    const V wanted = hn::Set(tag, highest);
    if (last < 0 && highest > -infinity) {
      for (Index c = 0; last < 0; c += kLanes) {
        const std::intptr_t found = hn::FindFirstTrue(tag, hn::Eq(at(row, c), wanted));
        if (found >= 0) last = c + static_cast<Index>(found);
      }
    }
    best[i] = last;
  }
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(Softmax);
HWY_EXPORT(Posteriors);
HWY_EXPORT(BestOfRows);

void softmax(double* z, Index stride, Index classes, Index rows, double* log_sum) {
  HWY_DYNAMIC_DISPATCH(Softmax)(z, stride, classes, rows, log_sum);
}
void posteriors(double* z, Index stride, Index classes, Index rows, bool log, double* largest) {
  HWY_DYNAMIC_DISPATCH(Posteriors)(z, stride, classes, rows, log, largest);
}
void best_of_rows(const double* scores, Index n, Index classes, const double* offset, Index* best) {
  HWY_DYNAMIC_DISPATCH(BestOfRows)(scores, n, classes, offset, best);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
