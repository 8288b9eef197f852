// Every operation here is one that IEEE 754 rounds correctly (+ − × ÷ √, scaling by powers of two),
// and the build keeps the compiler from fusing them: the bits are the same on every platform.

#include "core/random.hpp"

#include <cmath>
#include <cstddef>

namespace suffice {
namespace {

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

template <std::size_t N>
double polynomial(const double (&coefficient)[N], double x) {
  double value = coefficient[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + coefficient[i];
  return value;
}

/// log x for x > 0: x = m 2^e with m in [√½, √2), log m = 2 atanh s with s = (m − 1)/(m + 1).
/// std::log differs between platforms in its last bit.
double portable_log(double x) {
  static constexpr double atanh_series[] = {1.,      1. / 3,  1. / 5,  1. / 7,  1. / 9,  1. / 11,
                                            1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23};
  constexpr double log2_high = 0x1.62e42fefa38p-1;  // few enough bits that e · log2_high is exact
  constexpr double log2_low = 0x1.ef35793c7673p-45;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double log_m = 2 * s * polynomial(atanh_series, s * s);
  return exponent * log2_high + (log_m + exponent * log2_low);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t q = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(q) ^ counter[1] ^ key[0], low(q), high(p) ^ counter[3] ^ key[1], low(p)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

double RowRandom::uniform() noexcept {
  if (used_ == 4) {
    bits_ = philox({low(block_), high(block_), low(row_), high(row_)}, {low(seed_), high(seed_)});
    ++block_;
    used_ = 0;
  }
  const auto at = static_cast<std::size_t>(used_);
  const std::uint64_t word = (std::uint64_t{bits_[at]} << 32) | bits_[at + 1];
  used_ += 2;
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

double RowRandom::normal() noexcept { return normal_quantile(uniform()); }

// Wichura (1988), algorithm AS 241, PPND16: a rational function of q² near the middle, of
// √(−log p) − 1.6 in the tails and of √(−log p) − 5 far out; about 16 digits.
double normal_quantile(double p) noexcept {
  static constexpr double middle_over[] = {3.3871328727963666080,   1.3314166789178437745e2,
                                           1.9715909503065514427e3, 1.3731693765509461125e4,
                                           4.5921953931549871457e4, 6.7265770927008700853e4,
                                           3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double middle_under[] = {1.,
                                            4.2313330701600911252e1,
                                            6.8718700749205790830e2,
                                            5.3941960214247511077e3,
                                            2.1213794301586595867e4,
                                            3.9307895800092710610e4,
                                            2.8729085735721942674e4,
                                            5.2264952788528545610e3};
  static constexpr double tail_over[] = {1.42343711074968357734,    4.63033784615654529590,
                                         5.76949722146069140550,    3.64784832476320460504,
                                         1.27045825245236838258,    2.41780725177450611770e-1,
                                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double tail_under[] = {1.,
                                          2.05319162663775882187,
                                          1.67638483018380384940,
                                          6.89767334985100004550e-1,
                                          1.48103976427480074590e-1,
                                          1.51986665636164571966e-2,
                                          5.47593808499534494600e-4,
                                          1.05075007164441684324e-9};
  static constexpr double far_over[] = {6.65790464350110377720,    5.46378491116411436990,
                                        1.78482653991729133580,    2.96560571828504891230e-1,
                                        2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                        2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double far_under[] = {1.,
                                         5.99832206555887937690e-1,
                                         1.36929880922735805310e-1,
                                         1.48753612908506148525e-2,
                                         7.86869131145613259100e-4,
                                         1.84631831751005468180e-5,
                                         1.42151175831644588870e-7,
                                         2.04426310338993978564e-15};

  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle_over, r) / polynomial(middle_under, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double size = r <= 5 ? polynomial(tail_over, r - 1.6) / polynomial(tail_under, r - 1.6)
                             : polynomial(far_over, r - 5) / polynomial(far_under, r - 5);
  return q < 0 ? -size : size;
}

}  // namespace suffice
