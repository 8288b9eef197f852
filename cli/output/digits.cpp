#include "cli/output/digits.hpp"

#include <bit>
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
constexpr char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
    "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
    "9293949596979899";

double scaled(double value, int power) { return value * small[power % 16] * large[power / 16]; }

/// d₁.d₂d₃… · 10^exponent, as %g has it; `digit` has most_quick_digits characters.
char* write_plain(const char* digit, int count, int exponent, char* to) {
  if (exponent < 0) {
    std::memcpy(to, "0.000", 5);  // exponents are −4 and above
    to += 1 - exponent;
    std::memcpy(to, digit, most_quick_digits);  // of which `count` are meant
    return to + count;
  }
  for (int i = 0; i <= exponent; ++i) *to++ = i < count ? digit[i] : '0';
  if (count > exponent + 1) *to++ = '.';
  for (int i = exponent + 1; i < count; ++i) *to++ = digit[i];
  return to;
}

char* write_scientific(const char* digit, int count, int exponent, char* to) {
  *to++ = digit[0];
  if (count > 1) *to++ = '.';
  for (int i = 1; i < count; ++i) *to++ = digit[i];
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
  double m = scaled(value, digits - 1 - exponent);
  if (m >= limit) {
    ++exponent;
    m = exponent < digits ? scaled(value, digits - 1 - exponent) : m / 10;
  }
  std::uint32_t whole = static_cast<std::uint32_t>(m);
  const double fraction = m - whole, doubt = 1e-15 * limit;
  if (fraction > 0.5 - doubt && fraction < 0.5 + doubt) return 0;
  whole += fraction > 0.5;
  if (whole >= limit) {
    whole /= 10;
    ++exponent;
  }

  char digit[most_quick_digits] = {};
  int left = digits;
  for (; left >= 2; left -= 2) {
    std::memcpy(digit + left - 2, pairs + 2 * (whole % 100), 2);
    whole /= 100;
  }
  if (left == 1) digit[0] = static_cast<char>('0' + whole);
  int count = digits;
  while (count > 1 && digit[count - 1] == '0') --count;
  const bool plain = exponent >= -4 && exponent < digits;
  to = plain ? write_plain(digit, count, exponent, to)
             : write_scientific(digit, count, exponent, to);
  return static_cast<std::size_t>(to - begin);
}

}  // namespace suffice::cli
