#include "cli/output/digits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace suffice::cli {
namespace {

// 10^k = small[k % 16] · large[k / 16].
constexpr double small[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr double large[] = {1e0,   1e16,  1e32,  1e48,  1e64,  1e80,  1e96,  1e112, 1e128, 1e144,
                            1e160, 1e176, 1e192, 1e208, 1e224, 1e240, 1e256, 1e272, 1e288, 1e304};
constexpr double least = 1e-290;
constexpr std::uint32_t to_eight_digits[] = {100000000, 10000000, 1000000, 100000, 10000,
                                             1000,      100,      10,      1};

double scaled(double value, int power) { return value * small[power % 16] * large[power / 16]; }

/// The eight digits of a number below 10⁸ as bytes in the order of text, the first one in the
/// lowest byte: quotients by 10000, 100 and 10, each of all parts at a time (x · 10486 / 2²⁰ is x /
/// 100 for x < 10⁴, x · 103 / 2¹⁰ is x / 10 for x < 100).
std::uint64_t eight_digits(std::uint32_t number) {
  std::uint64_t parts = number / 10000 | std::uint64_t{number % 10000} << 32;
  std::uint64_t quotients = parts * 10486 >> 20 & 0x0000007F0000007F;
  parts = quotients | (parts - 100 * quotients) << 16;
  quotients = parts * 103 >> 10 & 0x000F000F000F000F;
  return quotients | (parts - 10 * quotients) << 8;
}

void put_eight(std::uint64_t bytes, char* to) {
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  std::memcpy(to, &bytes, sizeof bytes);
}

/// d₁.d₂d₃… · 10^exponent, as %g has it: `count` characters of `digit` are meant, the others are
/// zeros.
char* write_plain(std::uint64_t digit, int count, int exponent, char* to) {
  if (exponent < 0) {
    std::memcpy(to, "0.000", 5);  // exponents are −4 and above
    to += 1 - exponent;
    put_eight(digit, to);
    return to + count;
  }
  const int whole = exponent + 1;  // digits before the point
  put_eight(digit, to);
  if (count <= whole) return to + whole;
  to[whole] = '.';
  put_eight(digit >> 8 * whole, to + whole + 1);
  return to + count + 1;
}

char* write_scientific(std::uint64_t digit, int count, int exponent, char* to) {
  to = write_plain(digit, count, 0, to);
  *to++ = 'e';
  *to++ = exponent < 0 ? '-' : '+';
  if (exponent < 0) exponent = -exponent;
  if (exponent >= 100) *to++ = static_cast<char>('0' + exponent / 100);
  *to++ = static_cast<char>('0' + exponent / 10 % 10);
  *to++ = static_cast<char>('0' + exponent % 10);
  return to;
}

}  // namespace

std::size_t write_digits(double value, int digits, char* to) noexcept {
  const char* const begin = to;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (bits >> 63) {
    *to++ = '-';
    value = -value;
  }
  if (value == 0) {
    *to++ = '0';
    return static_cast<std::size_t>(to - begin);
  }
  const double limit = small[digits];
  if (!(value >= least && value < limit)) return 0;

  // The number as m · 10^(exponent − digits + 1) with `digits` digits before the point of m. With
  // 2^b ≤ value < 2^(b + 1), the exponent is ⌊b log10(2)⌋ or one more. Products are exact to a
  // millionth of a billionth of m, which decides how m is rounded unless its fraction is near ½.
  const int b = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  int exponent = (b * 78913) >> 18;
  // Which of the two it is looks random, so both are computed instead of guessed.
  const double either[] = {scaled(value, digits - 1 - exponent),
                           scaled(value, std::max(0, digits - 2 - exponent))};
  const bool is_next = either[0] >= limit;
  exponent += is_next;
  const double m = either[is_next];
  std::uint32_t whole = static_cast<std::uint32_t>(m);
  const double beyond_half = m - whole - 0.5;
  if (std::abs(beyond_half) < 1e-15 * limit) return 0;
  whole += beyond_half > 0;
  if (whole >= limit) {
    whole /= 10;
    ++exponent;
  }

  const std::uint64_t digit = eight_digits(whole * to_eight_digits[digits]);
  const int count = most_quick_digits - std::countl_zero(digit) / 8;
  const std::uint64_t text = digit | 0x3030303030303030;
  const bool plain = exponent >= -4 && exponent < digits;
  to = plain ? write_plain(text, count, exponent, to) : write_scientific(text, count, exponent, to);
  return static_cast<std::size_t>(to - begin);
}

}  // namespace suffice::cli
