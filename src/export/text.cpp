#include "export/text.hpp"

#include <charconv>
#include <cmath>

namespace suffice {
namespace {

std::string number_text(double value, std::chars_format format) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, format);
  (void)error;  // there is room for every double
  return {buffer, end};
}

}  // namespace

std::string decimal_text(double value) { return number_text(value, std::chars_format::general); }

std::string exponent_text(double value) {
  return number_text(value, std::chars_format::scientific);
}

std::string hexadecimal_text(double value) {
  const std::string digits = number_text(std::abs(value), std::chars_format::hex);
  return (std::signbit(value) ? "-0x" : "0x") + digits;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first > 0xf4 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    const unsigned second = byte(i + 1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
      return false;
    i += length;
  }
  return true;
}

std::string comment_text(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += (c >= ' ' && c < 127 && c != '*' && c != '\\' && c != '?' && c != '/') ? c : '.';
  return result;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t found = text.find(from, at);
    result += text.substr(at, found == std::string_view::npos ? found : found - at);
    if (found == std::string_view::npos) return result;
    result += to;
    at = found + from.size();
  }
}

bool is_run(const std::vector<Index>& columns) {
  for (std::size_t k = 1; k < columns.size(); ++k)
    if (columns[k] != columns[k - 1] + 1) return false;
  return true;
}

}  // namespace suffice
