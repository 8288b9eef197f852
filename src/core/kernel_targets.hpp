#pragma once
// The instruction sets for which kernels are compiled. SVE and RISC-V vectors have no size at
// compile time, so arrays of them cannot be kept in registers as these kernels do; NEON serves
// there. SSSE3 and the newest AVX-512 would gain nothing over SSE4 and AVX-512.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
