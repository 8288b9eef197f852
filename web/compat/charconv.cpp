// std::from_chars and std::to_chars of doubles. Digits are read by strtod, which rounds correctly,
// and written by fmt, which finds the shortest ones that read back as the same number.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

bool is_digit(const char* at, const char* last) { return at < last && *at >= '0' && *at <= '9'; }
const char* skip_digits(const char* at, const char* last) {
  while (is_digit(at, last)) ++at;
  return at;
}

/// The end of the word at `at`, in capital or small letters; null if it is not there.
const char* skip_word(const char* at, const char* last, std::string_view word) {
  for (const char letter : word)
    if (at == last || std::tolower(static_cast<unsigned char>(*at++)) != letter) return nullptr;
  return at;
}

/// nan may be followed by letters and digits in parentheses.
const char* skip_payload(const char* at, const char* last) {
  if (at == last || *at != '(') return at;
  const char* end = at + 1;
  while (end < last && (std::isalnum(static_cast<unsigned char>(*end)) || *end == '_')) ++end;
  return end < last && *end == ')' ? end + 1 : at;
}

/// The end of the number at `first`; `first` itself if there is none.
const char* end_of_number(const char* first, const char* last) {
  const char* at = first;
  if (at < last && *at == '-') ++at;
  for (const std::string_view word : {"infinity", "inf", "nan"})
    if (const char* end = skip_word(at, last, word))
      return word == "nan" ? skip_payload(end, last) : end;
  const char* const whole = at;
  at = skip_digits(at, last);
  bool has_digits = at > whole;
  if (at < last && *at == '.') {
    const char* const fraction = at + 1;
    const char* const end = skip_digits(fraction, last);
    if (has_digits || end > fraction) at = end;
    has_digits = has_digits || end > fraction;
  }
  if (!has_digits) return first;
  if (at < last && (*at == 'e' || *at == 'E')) {
    const char* exponent = at + 1;
    if (exponent < last && (*exponent == '+' || *exponent == '-')) ++exponent;
    if (is_digit(exponent, last)) at = skip_digits(exponent, last);
  }
  return at;
}

std::to_chars_result put(char* first, char* last, std::string_view text) {
  if (static_cast<std::size_t>(last - first) < text.size())
    return {last, std::errc::value_too_large};
  std::memcpy(first, text.data(), text.size());
  return {first + text.size(), std::errc()};
}

/// ±d.ddd × 10^exponent, with the fewest digits that read back as the same number.
struct Decimal {
  std::string sign, digits;
  int exponent = 0;

  explicit Decimal(double value) : sign(std::signbit(value) ? "-" : "") {
    std::string text = fmt::format("{}", std::abs(value));
    const std::size_t mark = std::min(text.find('e'), text.size());
    if (mark < text.size()) exponent = std::atoi(text.c_str() + mark + 1);
    text.resize(mark);
    const std::size_t point = std::min(text.find('.'), text.size());
    exponent += static_cast<int>(point) - 1;
    if (point < text.size()) text.erase(point, 1);
    const std::size_t first = text.find_first_not_of('0');
    if (first == std::string::npos) {
      digits = "0";
      exponent = 0;
      return;
    }
    exponent -= static_cast<int>(first);
    digits = text.substr(first, text.find_last_not_of('0') + 1 - first);
  }
};

/// "-1.25e+02".
std::string scientific(const Decimal& x) {
  const std::string fraction = x.digits.size() > 1 ? "." + x.digits.substr(1) : "";
  return fmt::format("{}{}{}e{:+03}", x.sign, x.digits[0], fraction, x.exponent);
}

/// No exponent. A whole number has all the digits that it has, as std::to_chars writes them.
std::string fixed(double value, const Decimal& x) {
  const int behind_point = static_cast<int>(x.digits.size()) - 1 - x.exponent;
  return fmt::format("{:.{}f}", value, std::max(behind_point, 0));
}

/// "1.8p+3".
std::string hexadecimal(double value) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "%a", value);
  std::string result(text, static_cast<std::size_t>(size));
  return result.erase(result.find("0x"), 2);
}

}  // namespace

namespace std {

from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* const end = end_of_number(first, last);
  if (end == first) return {first, errc::invalid_argument};
  const string text(first, end);
  errno = 0;
  const double read = strtod(text.c_str(), nullptr);
  // Too large, or so small that nothing is left. Numbers below the smallest normal one are read.
  if (errno == ERANGE && (isinf(read) || read == 0)) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc()};
}

to_chars_result to_chars(char* first, char* last, double value) {
  if (!isfinite(value)) {
    const char* const word = isnan(value) ? "-nan" : "-inf";
    return put(first, last, signbit(value) ? word : word + 1);
  }
  const Decimal decimal(value);
  const string with_exponent = ::scientific(decimal), without = ::fixed(value, decimal);
  return put(first, last, without.size() <= with_exponent.size() ? without : with_exponent);
}

to_chars_result to_chars(char* first, char* last, double value, chars_format format) {
  if (!isfinite(value)) return to_chars(first, last, value);
  if (format == chars_format::hex) return put(first, last, ::hexadecimal(value));
  const Decimal decimal(value);
  const bool without_exponent = format == chars_format::general
                                    ? decimal.exponent >= -4 && decimal.exponent < 6
                                    : format == chars_format::fixed;
  return put(first, last, without_exponent ? ::fixed(value, decimal) : ::scientific(decimal));
}

to_chars_result to_chars(char* first, char* last, double value, chars_format format,
                         int precision) {
  const char* pattern = format == chars_format::fixed        ? "%.*f"
                        : format == chars_format::scientific ? "%.*e"
                                                             : "%.*g";
  char text[400 + 32];
  const int size = snprintf(text, sizeof text, pattern, precision, value);
  return put(first, last, {text, static_cast<size_t>(size)});
}

}  // namespace std
