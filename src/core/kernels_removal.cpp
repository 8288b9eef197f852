// Kernels for scores without a row: features as lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_removal.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
#include <algorithm>

#include "core/kernels-inl.hpp"
#include "core/kernels.hpp"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

// Features whose h are multiplied before a logarithm is taken: 1e-6 to this power is no underflow.
constexpr Index kFeaturesPerLog = 48;
static_assert(kFeaturesPerLog % lane_unit == 0 && lane_unit % kLanes == 0);

HWY_INLINE double Product(V v) {
  HWY_ALIGN double lanes[kLanes];
  hn::Store(v, D(), lanes);
  for (Index k = kLanes / 2; k > 0; k /= 2) {
    for (Index i = 0; i < k; ++i) lanes[i] *= lanes[i + k];
  }
  return lanes[0];
}

HWY_INLINE void AddLogs(const double* HWY_RESTRICT x, double* HWY_RESTRICT sums) {
  const D tag;
  for (Index r = 0; r < rows_at_once; r += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(tag, sums + r), hn::Log(tag, hn::LoadU(tag, x + r))), tag,
               sums + r);
  }
}

void RemoveFromEach(const double* rows, Index stride, Index n, Index d, const Removal* removal,
                    double* HWY_RESTRICT weight, double* HWY_RESTRICT q, double* HWY_RESTRICT log_h,
                    double* HWY_RESTRICT least) {
  const D tag;
  const V one = hn::Set(tag, 1.0);
  const Index width = padded(d);
  double product[rows_at_once];
  std::fill_n(product, rows_at_once, 1.0);
  std::fill_n(q, rows_at_once, 0.0);
  std::fill_n(log_h, rows_at_once, 0.0);
  std::fill_n(least, rows_at_once, 1.0);
  for (Index first = 0; first < d; first += kFeaturesPerLog) {
    const Row part(std::min(kFeaturesPerLog, d - first));
    for (Index r = 0; r < n; ++r) {
      const Removal of = removal[r];
      V all = one, smallest = one, sum = hn::Zero(tag);
      part.for_each(rows + r * stride + first, [&](Index j, V x) HWY_ATTR {
        j += first;
        const V t = hn::Sub(x, hn::LoadU(tag, of.mean + j)), square = hn::Mul(t, t);
        const V h = hn::NegMulAdd(hn::LoadU(tag, of.loss + j), square, one);
        const V w = hn::Div(hn::LoadU(tag, of.inverse + j), h);
        hn::StoreU(w, tag, weight + r * width + j);
        sum = hn::MulAdd(hn::Mul(hn::LoadU(tag, of.gain + j), square), w, sum);
        smallest = hn::Min(smallest, h);
        all = hn::Mul(all, h);
      });
      product[r] = Product(all);
      q[r] += Sum(sum);
      least[r] = std::min(least[r], hn::GetLane(hn::MinOfLanes(tag, smallest)));
    }
    AddLogs(product, log_h);
  }
}

void RemoveFromOne(const double* rows, Index stride, Index n, Index d, const Removal* removal,
                   double* HWY_RESTRICT q, double* HWY_RESTRICT log_h, double* HWY_RESTRICT least) {
  const D tag;
  const Row whole(d);
  std::fill_n(q, rows_at_once, 0.0);
  std::fill_n(log_h, rows_at_once, 0.0);
  std::fill_n(least, rows_at_once, 1.0);
  for (Index r = 0; r < n; ++r) {
    const Removal of = removal[r];
    V lost = hn::Zero(tag), sum = hn::Zero(tag);
    whole.for_each(rows + r * stride, [&](Index j, V x) HWY_ATTR {
      const V t = hn::Sub(x, hn::LoadU(tag, of.mean + j)), square = hn::Mul(t, t);
      lost = hn::MulAdd(hn::LoadU(tag, of.loss + j), square, lost);
      sum = hn::MulAdd(hn::LoadU(tag, of.gain + j), square, sum);
    });
    q[r] = Sum(sum);
    least[r] = 1 - Sum(lost);
  }
  AddLogs(least, log_h);
}

void WeightedSquares(const double* rows, Index stride, Index n, Index d,
                     const double* HWY_RESTRICT weight, const double* HWY_RESTRICT mean,
                     Index classes, double* HWY_RESTRICT out) {
  const D tag;
  const Index width = padded(classes);
  for (Index r = 0; r < n; ++r) {
    const double* HWY_RESTRICT x = rows + r * stride;
    const double* HWY_RESTRICT w = weight + r * padded(d);
    for (Index c = 0; c < classes; c += kLanes) {
      V sum = hn::Zero(tag);
      for (Index j = 0; j < d; ++j) {
        const V t = hn::Sub(hn::Set(tag, x[j]), hn::LoadU(tag, mean + j * width + c));
        sum = hn::MulAdd(hn::Mul(t, t), hn::Set(tag, w[j]), sum);
      }
      hn::StoreU(sum, tag, out + r * width + c);
    }
  }
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(RemoveFromEach);
HWY_EXPORT(RemoveFromOne);
HWY_EXPORT(WeightedSquares);

void remove_from_each(const double* rows, Index stride, Index n, Index d, const Removal* removal,
                      double* weight, double* q, double* log_h, double* least) {
  HWY_DYNAMIC_DISPATCH(RemoveFromEach)
  (rows, stride, n, d, removal, weight, q, log_h, least);
}
void remove_from_one(const double* rows, Index stride, Index n, Index d, const Removal* removal,
                     double* q, double* log_h, double* least) {
  HWY_DYNAMIC_DISPATCH(RemoveFromOne)(rows, stride, n, d, removal, q, log_h, least);
}
void weighted_squares(const double* rows, Index stride, Index n, Index d, const double* weight,
                      const double* mean, Index classes, double* out) {
  HWY_DYNAMIC_DISPATCH(WeightedSquares)(rows, stride, n, d, weight, mean, classes, out);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
