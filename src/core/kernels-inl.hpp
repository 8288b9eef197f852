// What the kernels share, once for each instruction set: hence no #pragma once, but a guard that is
// open again for each of them.
#if defined(SUFFICE_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SUFFICE_KERNELS_INL
#undef SUFFICE_KERNELS_INL
#else
#define SUFFICE_KERNELS_INL
#endif

#include "hwy/highway.h"
#include "suffice/core/matrix.hpp"

// Lambdas with vectors need HWY_ATTR: what chooses the instruction set does not reach into them.
HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(D()));
// AVX-512 and NEON have 32 registers, the others 16: how many rows of a tile fit.
constexpr int kTileRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 8 : 4;

HWY_INLINE double Sum(V v) { return hn::GetLane(hn::SumOfLanes(D(), v)); }

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

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
