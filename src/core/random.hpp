#pragma once
// A counter-based generator (Philox 4×32-10, Salmon et al. 2011): the k-th variate of row i for
// seed s is a function of (s, i, k) alone. Uniform and normal variates use only operations that
// IEEE 754 rounds correctly, so they are the same bits on every platform.

#include <array>
#include <cstdint>

namespace suffice {

/// The ten-round Philox 4×32 block function.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) noexcept;

/// The variates of one row.
class RowRandom {
 public:
  RowRandom(std::uint64_t seed, std::uint64_t row) noexcept : seed_(seed), row_(row) {}
  /// In (0, 1): (k + ½) / 2⁵² for a 52-bit k, which a double holds exactly. (With 53 bits the
  /// largest would round to 1.)
  double uniform() noexcept;
  /// Standard normal, by inversion of one uniform.
  double normal() noexcept;

 private:
  std::uint64_t seed_, row_, block_ = 0;
  std::array<std::uint32_t, 4> bits_{};
  int used_ = 4;
};

/// The standard normal quantile; p in (0, 1).
double normal_quantile(double p) noexcept;

}  // namespace suffice
