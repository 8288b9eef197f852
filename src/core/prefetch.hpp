#pragma once
// Asking the caches for memory that will be needed soon.

#include "suffice/core/matrix.hpp"

namespace suffice {

/// `count` doubles into the second-level cache. Memory that is not there is no error.
inline void prefetch(const double* from, Index count) noexcept {
  for (Index k = 0; k < count; k += 8) __builtin_prefetch(from + k, 0, 1);
  // Without this a compiler treats a function that only prefetches as one without effect.
  asm volatile("");
}

}  // namespace suffice
