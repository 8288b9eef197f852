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

void RowMasses(const double* HWY_RESTRICT score, Index classes, Index rows,
               const double* HWY_RESTRICT log_prior, double* HWY_RESTRICT mass,
               double* HWY_RESTRICT largest_of_row, double* HWY_RESTRICT best_of_row,
               double* HWY_RESTRICT others_of_row) {
  const D tag;
  for (Index r = 0; r < rows; r += kLanes) {
    V largest = hn::Set(tag, -infinity), best = hn::Zero(tag);
    M wrong = hn::IsNaN(largest);
    for (Index k = 0; k < classes; ++k) {
      const V z = hn::Add(hn::LoadU(tag, score + k * rows_at_once + r), hn::Set(tag, log_prior[k]));
      const M higher = hn::Gt(z, largest);
      wrong = hn::Or(wrong, hn::IsNaN(z));
      largest = hn::IfThenElse(higher, z, largest);
      best = hn::IfThenElse(higher, hn::Set(tag, static_cast<double>(k)), best);
    }
    V others = hn::Zero(tag);
    for (Index k = 0; k < classes; ++k) {
      const V z = hn::Add(hn::LoadU(tag, score + k * rows_at_once + r), hn::Set(tag, log_prior[k]));
      const V e = hn::Exp(tag, hn::Sub(z, largest));
      const M is_best = hn::Eq(best, hn::Set(tag, static_cast<double>(k)));
      hn::StoreU(e, tag, mass + k * rows_at_once + r);
      others = hn::Add(others, hn::IfThenZeroElse(is_best, e));
    }
    hn::StoreU(hn::IfThenElse(wrong, hn::NaN(tag), largest), tag, largest_of_row + r);
    hn::StoreU(best, tag, best_of_row + r);
    hn::StoreU(others, tag, others_of_row + r);
  }
}

void RowLosses(const double* HWY_RESTRICT score, const double* HWY_RESTRICT mass, Index classes,
               Index rows, const double* HWY_RESTRICT log_prior,
               const double* HWY_RESTRICT largest_of_row, const double* HWY_RESTRICT others_of_row,
               const double* HWY_RESTRICT truth_of_row, double* HWY_RESTRICT log_loss,
               double* HWY_RESTRICT brier) {
  const D tag;
  for (Index r = 0; r < rows; r += kLanes) {
    const V truth = hn::LoadU(tag, truth_of_row + r);
    V of_truth = hn::Zero(tag), wrong = hn::Zero(tag), squares = hn::Zero(tag);
    for (Index k = 0; k < classes; ++k) {
      const M is_truth = hn::Eq(truth, hn::Set(tag, static_cast<double>(k)));
      const V z = hn::Add(hn::LoadU(tag, score + k * rows_at_once + r), hn::Set(tag, log_prior[k]));
      const V other = hn::IfThenZeroElse(is_truth, hn::LoadU(tag, mass + k * rows_at_once + r));
      of_truth = hn::IfThenElse(is_truth, z, of_truth);
      wrong = hn::Add(wrong, other);
      squares = hn::MulAdd(other, other, squares);
    }
    const V others = hn::LoadU(tag, others_of_row + r);
    const V total = hn::Add(hn::Set(tag, 1.0), others);
    const V difference = hn::Sub(of_truth, hn::LoadU(tag, largest_of_row + r));
    hn::StoreU(hn::Sub(hn::Log1p(tag, others), difference), tag, log_loss + r);
    hn::StoreU(hn::Div(hn::MulAdd(wrong, wrong, squares), hn::Mul(total, total)), tag, brier + r);
  }
}

void RowRatios(const double* HWY_RESTRICT score, const double* HWY_RESTRICT mass, Index classes,
               Index rows, const double* HWY_RESTRICT log_others,
               const double* HWY_RESTRICT largest_of_row, const double* HWY_RESTRICT best_of_row,
               const double* HWY_RESTRICT others_of_row, double* HWY_RESTRICT out) {
  const D tag;
  for (Index r = 0; r < rows; r += kLanes) {
    const V largest = hn::LoadU(tag, largest_of_row + r);
    const V best = hn::LoadU(tag, best_of_row + r);
    const V others = hn::LoadU(tag, others_of_row + r);
    const V total = hn::Add(hn::Set(tag, 1.0), others);
    for (Index k = 0; k < classes; ++k) {
      // The best class has no mass of its own in `others`, where a difference would lose digits.
      const M is_best = hn::Eq(best, hn::Set(tag, static_cast<double>(k)));
      const V own = hn::LoadU(tag, mass + k * rows_at_once + r);
      const V rest = hn::IfThenElse(is_best, others, hn::Sub(total, own));
      const V a = hn::LoadU(tag, score + k * rows_at_once + r);
      const V b = hn::Sub(hn::Add(largest, hn::Log(tag, rest)), hn::Set(tag, log_others[k]));
      hn::StoreU(hn::IfThenZeroElse(hn::Eq(a, b), hn::Sub(a, b)), tag, out + k * rows_at_once + r);
    }
  }
}

// Max would let a NaN through.
HWY_INLINE V Higher(V highest, V score) {
  return hn::IfThenElse(hn::Gt(score, highest), score, highest);
}

// Scores as they are, and with an offset for each class.
struct PlainScores {
  V At(const double* row, Index c) const { return hn::LoadU(D(), row + c); }
  double One(const double* row, Index c) const { return row[c]; }
};
struct ShiftedScores {
  const double* offset;
  V At(const double* row, Index c) const {
    return hn::Add(hn::LoadU(D(), row + c), hn::LoadU(D(), offset + c));
  }
  double One(const double* row, Index c) const { return row[c] + offset[c]; }
};

template <class Scores>
HWY_INLINE void BestOf(const Scores& of, const double* HWY_RESTRICT scores, Index n, Index classes,
                       Index* HWY_RESTRICT best) {
  const D tag;
  const Index whole = classes / kLanes * kLanes;
  for (Index i = 0; i < n; ++i) {
    const double* row = scores + i * classes;
    double highest = -infinity;
    if (whole > 0) {
      V lanes = hn::Set(tag, highest);
      for (Index c = 0; c < whole; c += kLanes) lanes = Higher(lanes, of.At(row, c));
      highest = hn::GetLane(hn::MaxOfLanes(tag, lanes));
    }
    Index last = -1;  // the first of the largest behind whole vectors, if it is above these
    for (Index c = whole; c < classes; ++c) {
      if (of.One(row, c) > highest) {
        highest = of.One(row, c);
        last = c;
      }
    }
    if (last < 0 && highest > -infinity) {
      const V wanted = hn::Set(tag, highest);
      for (Index c = 0; last < 0 && c < whole; c += kLanes) {
        const std::intptr_t found = hn::FindFirstTrue(tag, hn::Eq(of.At(row, c), wanted));
        if (found >= 0) last = c + static_cast<Index>(found);
      }
    }
    best[i] = last;
  }
}

void BestOfRows(const double* HWY_RESTRICT scores, Index n, Index classes,
                const double* HWY_RESTRICT offset, Index* HWY_RESTRICT best) {
  if (offset)
    BestOf(ShiftedScores{offset}, scores, n, classes, best);
  else
    BestOf(PlainScores(), scores, n, classes, best);
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(Softmax);
HWY_EXPORT(Posteriors);
HWY_EXPORT(RowMasses);
HWY_EXPORT(RowLosses);
HWY_EXPORT(RowRatios);
HWY_EXPORT(BestOfRows);

void softmax(double* z, Index stride, Index classes, Index rows, double* log_sum) {
  HWY_DYNAMIC_DISPATCH(Softmax)(z, stride, classes, rows, log_sum);
}
void posteriors(double* z, Index stride, Index classes, Index rows, bool log, double* largest) {
  HWY_DYNAMIC_DISPATCH(Posteriors)(z, stride, classes, rows, log, largest);
}
void row_masses(const double* score, Index classes, Index rows, const double* log_prior,
                double* mass, const RowLanes& of) {
  HWY_DYNAMIC_DISPATCH(RowMasses)
  (score, classes, rows, log_prior, mass, of.largest, of.best, of.others);
}
void row_losses(const double* score, const double* mass, Index classes, Index rows,
                const double* log_prior, const RowLanes& of, const double* truth, double* log_loss,
                double* brier) {
  HWY_DYNAMIC_DISPATCH(RowLosses)
  (score, mass, classes, rows, log_prior, of.largest, of.others, truth, log_loss, brier);
}
void row_ratios(const double* score, const double* mass, Index classes, Index rows,
                const double* log_others, const RowLanes& of, double* out) {
  HWY_DYNAMIC_DISPATCH(RowRatios)
  (score, mass, classes, rows, log_others, of.largest, of.best, of.others, out);
}
void best_of_rows(const double* scores, Index n, Index classes, const double* offset, Index* best) {
  HWY_DYNAMIC_DISPATCH(BestOfRows)(scores, n, classes, offset, best);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
