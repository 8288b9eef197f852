#pragma once
// Decimal text to the nearest double. Numbers as tables have them (an optional minus, digits, a
// point, digits) are read eight digits at a time; everything else is left to std::from_chars, and
// both give the same bits.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace suffice::cli {

namespace detail {

/// The value of eight digits, the first of which is the lowest byte.
inline std::uint64_t eight_digits(std::uint64_t text) noexcept {
  std::uint64_t v = text & 0x0f0f0f0f0f0f0f0f;
  v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ff;
  v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffff;
  return (v * 10000 + (v >> 32)) & 0xffffffff;
}

inline bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

inline constexpr std::array<std::uint64_t, 9> power_of_ten = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Appends the digits at `p` to `value` (modulo 2⁶⁴) and returns what follows them. Reads up to
/// seven bytes beyond.
inline const char* read_digits(const char* p, std::uint64_t& value) noexcept {
  for (;;) {
    std::uint64_t text;
    std::memcpy(&text, p, 8);
    // A byte is a digit if it differs from '0' by 0 to 9; the lowest other one is found right, and
    // those after it do not matter.
    const std::uint64_t t = text ^ 0x3030303030303030;
    const std::uint64_t other = ((t + 0x7676767676767676) | t) & 0x8080808080808080;
    if (other == 0) {
      value = value * 100000000 + eight_digits(text);
      p += 8;
      continue;
    }
    const int count = std::countr_zero(other) >> 3;
    // Shifted up, the digits have zero bytes before them, which count as zeros.
    value = value * power_of_ten[count] + eight_digits((text << 8) << (56 - 8 * count));
    return p + count;
  }
}

__extension__ using Wide = unsigned __int128;

/// 1 / 5^k ≈ multiplier · 2^-shift, rounded down, with the multiplier's top bit set.
struct Reciprocal {
  std::uint64_t multiplier;
  int shift;
};

constexpr std::array<Reciprocal, 28> make_reciprocals() {
  std::array<Reciprocal, 28> table{};
  std::uint64_t five = 1;
  for (std::size_t k = 0; k < table.size(); ++k, five *= 5) {
    // 2^(L-1) ≤ 5^k < 2^L, so that 2^(63+L) / 5^k lies in (2^63, 2^64].
    const int length = 64 - std::countl_zero(five);
    const Wide quotient = (Wide{1} << (63 + length)) / five;
    table[k] = quotient >> 64 ? Reciprocal{std::uint64_t{1} << 63, 62 + length}
                              : Reciprocal{static_cast<std::uint64_t>(quotient), 63 + length};
  }
  return table;
}

inline constexpr std::array<Reciprocal, 28> reciprocals = make_reciprocals();

/// digits / 10^decimals, rounded to nearest; false where these few steps cannot tell. Requires
/// digits > 0 and decimals ≤ 27.
///
/// d / 10^k is d · (1/5^k) · 2^-k. The top 64 bits of the product are right except for less than
/// one unit of the last, because the reciprocal is too small by less than one unit of its last. 53
/// bits are the mantissa; what remains is compared with one half, and only where that unit could
/// change a slower method must decide.
inline bool scale(std::uint64_t digits, std::ptrdiff_t decimals, double& value) noexcept {
  const int zeros = std::countl_zero(digits);
  const auto [multiplier, shift] = reciprocals[decimals];
  const auto high = static_cast<std::uint64_t>((Wide{digits << zeros} * multiplier) >> 64);
  const int extra = 10 + static_cast<int>(high >> 63);
  const std::uint64_t half = std::uint64_t{1} << (extra - 1);
  const std::uint64_t rest = high & (2 * half - 1);
  if (rest - (half - 1) <= 1) return false;
  const std::uint64_t mantissa = (high >> extra) + (rest > half);
  // high · 2^(64 - zeros - shift - decimals), exactly: the exponent is far from the ends.
  const std::ptrdiff_t exponent = 64 + extra - zeros - shift - decimals;
  value = static_cast<double>(static_cast<std::int64_t>(mantissa)) *
          std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  return true;
}

}  // namespace detail

/// Reads a plain number at `p`: -12, 0.5, 3., .25. Returns what follows it, or null where there is
/// none or it takes more care. At least eight bytes beyond the number can be read.
inline const char* read_plain_number(const char* p, double& value) noexcept {
  const bool negative = *p == '-';
  p += negative;
  const char* const first = p;
  std::uint64_t digits = 0;
  if (p[1] == '.' && detail::is_digit(*p)) {  // most often, and the processor can guess it
    digits = static_cast<std::uint64_t>(*p++ - '0');
  } else {
    p = detail::read_digits(p, digits);
  }
  std::ptrdiff_t count = p - first, decimals = 0;
  if (*p == '.') {
    const char* const point = p++;
    p = detail::read_digits(p, digits);
    decimals = p - point - 1;
    count += decimals;
  }
  if (count == 0) return nullptr;
  if (count > 19) {  // 2⁶⁴ has 20 digits; leading zeros do not count
    const char* significant = first;
    while (*significant == '0' || *significant == '.') ++significant;
    if (p - significant > 19) return nullptr;
  }
  double magnitude = 0;
  if (digits == 0 || decimals == 0) {
    magnitude = static_cast<double>(digits);
  } else if (decimals > 27 || !detail::scale(digits, decimals, magnitude)) {
    return nullptr;
  }
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) |
                                static_cast<std::uint64_t>(negative) << 63);
  return p;
}

/// The whole text as a number, blanks around it apart: all that std::from_chars takes, a leading
/// plus, "inf" and "infinity". A number too large for a double is infinite, one too small is 0.
/// Nothing where it is no number; "nan" is none.
std::optional<double> parse_number(std::string_view text) noexcept;

}  // namespace suffice::cli
