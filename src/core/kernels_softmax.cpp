// Kernels for posteriors: rows as lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_softmax.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
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

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(Softmax);

void softmax(double* z, Index stride, Index classes, Index rows, double* log_sum) {
  HWY_DYNAMIC_DISPATCH(Softmax)(z, stride, classes, rows, log_sum);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
