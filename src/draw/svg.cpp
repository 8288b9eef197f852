#include "draw/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace suffice::draw {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
  bool valid;
};

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || length > text.size()) return {0, 1, false};
  std::uint32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 1, false};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    return {0, 1, false};
  return {value, length, true};
}

bool is_allowed(const CodePoint& point) {
  if (!point.valid) return false;
  if (point.value < 0x20) return point.value == '\t' || point.value == '\n';
  if (point.value >= 0x7F && point.value < 0xA0) return false;
  // Marks that reorder the text around them would escape from a label.
  if (point.value >= 0x202A && point.value <= 0x202E) return false;
  if (point.value >= 0x2066 && point.value <= 0x2069) return false;
  return point.value != 0xFFFE && point.value != 0xFFFF;
}

/// Of the font size.
double relative_width(std::uint32_t point) {
  if (point < 0x80) {
    constexpr std::string_view narrow = " !'()*,-./:;I[]`fijlrt|{}";
    constexpr std::string_view wide = "MWmw@%&<>=+~#^";
    const char c = static_cast<char>(point);
    if (narrow.find(c) != std::string_view::npos) return 0.36;
    if (wide.find(c) != std::string_view::npos) return 0.88;
    return c >= 'A' && c <= 'Z' ? 0.68 : 0.6;
  }
  if (point >= 0x300 && point < 0x370) return 0;                                 // combining marks
  return point >= 0x1100 && !(point >= 0x2000 && point < 0x2E00) ? 1.05 : 0.62;  // CJK, emoji
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!is_allowed(point))
      result += replacement;
    else if (point.value == '&')
      result += "&amp;";
    else if (point.value == '<')
      result += "&lt;";
    else if (point.value == '>')
      result += "&gt;";
    else if (point.value == '"')
      result += "&quot;";
    else if (point.value == '\n' || point.value == '\t')
      result += ' ';
    else
      result += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return result;
}

std::string pixels(double value) {
  if (!std::isfinite(value)) value = 0;
  value = std::clamp(value, -1e6, 1e6);
  char digits[32];
  int length = std::snprintf(digits, sizeof digits, "%.2f", value);
  while (digits[length - 1] == '0') --length;
  if (digits[length - 1] == '.') --length;
  const std::string result(digits, static_cast<std::size_t>(length));
  return result == "-0" ? "0" : result;
}

double text_width(std::string_view text, double font_size) {
  double width = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    width += relative_width(point.value);
    text.remove_prefix(point.bytes);
  }
  return width * font_size;
}

std::string fitted(std::string_view text, double width, double font_size) {
  if (text_width(text, font_size) <= width) return std::string(text);
  std::string result;
  double used = 0.8 * font_size;  // the ellipsis
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    used += relative_width(point.value) * font_size;
    if (used > width) break;
    result += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return result + "…";
}

void Svg::begin(std::string_view tag, const Attributes& attributes) {
  out_ += '<';
  out_ += tag;
  for (const Attribute& attribute : attributes) {
    if (attribute.value.empty()) continue;
    out_ += ' ';
    out_ += attribute.name;
    out_ += "=\"";
    out_ += escaped(attribute.value);
    out_ += '"';
  }
}

void Svg::open(std::string_view tag, const Attributes& attributes) {
  begin(tag, attributes);
  out_ += ">\n";
  open_.emplace_back(tag);
}

void Svg::close() {
  out_ += "</" + open_.back() + ">\n";
  open_.pop_back();
}

void Svg::add(std::string_view tag, const Attributes& attributes) {
  begin(tag, attributes);
  out_ += "/>\n";
}

void Svg::add(std::string_view tag, const Attributes& attributes, std::string_view text,
              std::string_view tooltip) {
  begin(tag, attributes);
  out_ += '>';
  if (!tooltip.empty()) out_ += "<title>" + escaped(tooltip) + "</title>";
  out_ += escaped(text) + "</";
  out_ += tag;
  out_ += ">\n";
}

Path& Path::add(char command, std::initializer_list<double> numbers) {
  text_ += command;
  bool first = true;
  for (const double number : numbers) {
    const std::string digits = pixels(number);
    if (!first && digits[0] != '-') text_ += ' ';
    text_ += digits;
    first = false;
  }
  return *this;
}

}  // namespace suffice::draw
