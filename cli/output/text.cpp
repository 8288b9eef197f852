#include "cli/output/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace suffice::cli {
namespace {

std::string not_finite(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

bool looks_like_a_number(std::string_view cell) {
  if (cell == "inf" || cell == "-inf" || cell == "nan") return true;
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  return !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// At most `count` characters; the last is "…" where some are left out.
std::string cut(const std::string& text, std::size_t count) {
  if (characters(text) <= count) return text;
  std::size_t end = 0, kept = 0;
  while (end < text.size() && (kept + 1 < count || continues_character(text[end]))) {
    kept += !continues_character(text[end]);
    ++end;
    if (kept + 1 == count && !continues_character(text[end])) break;
  }
  return text.substr(0, end) + "…";
}

/// The first character of a UTF-8 text and its bytes; -1 and 1 where there is none.
std::pair<long, std::size_t> first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {-1, 1};
  long character = byte(0) & (0x7F >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues_character(text[i])) return {-1, 1};
    character = character << 6 | (byte(i) & 0x3F);
  }
  const bool too_long = character < (bytes == 3 ? 0x800 : bytes == 4 ? 0x10000 : 0x80);
  if (too_long || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
    return {-1, 1};
  return {character, bytes};
}

/// Controls (C0, delete, C1), line and paragraph separators, and marks that change the direction.
bool is_obeyed(long c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/// The bytes of the code at the beginning that styled() may have written; 0: there is none.
std::size_t style_code(std::string_view text) {
  for (const std::string_view code : {"\033[0m", "\033[1m", "\033[2m", "\033[33m", "\033[31m"})
    if (text.starts_with(code)) return code.size();
  return 0;
}

std::string escaped(std::string_view text, bool lines, bool colour) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    auto [character, bytes] = first_character(text);
    const std::size_t code = colour ? style_code(text) : 0;
    if (code > 0) bytes = code;
    if (character < 0)
      result += "\uFFFD";
    else if (code > 0 || !is_obeyed(character) || character == '\t' || (lines && character == '\n'))
      result += text.substr(0, bytes);
    else
      result += fmt::format("\\u{:04x}", character);
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : not_finite(value);
}

std::string rounded(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0) return "0";  // not -0
  const double size = std::abs(value);
  if (size >= std::pow(10, digits) && size < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string counted(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  if (std::abs(value) >= 1e15) return exact(value);
  std::string text =
      value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.10g}", value);
  if (text.find('e') != std::string::npos) return text;
  const std::size_t first = text.starts_with('-');
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string counted(double value, std::string_view singular, std::string_view plural) {
  std::string text = counted(value) + ' ';
  if (value == 1) return text + std::string(singular);
  return text + (plural.empty() ? std::string(singular) + "s" : std::string(plural));
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string bytes_for_people(double bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  constexpr std::string_view units[] = {"kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  bytes /= 1000;
  while (bytes >= 999.5 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 ? 1 : 0, units[unit]);
}

std::string printable(std::string_view text) {
  std::string result = escaped(text, false, false);
  std::ranges::replace(result, '\t', ' ');
  return result;
}

std::string printable_lines(std::string_view text, bool colour) {
  return escaped(text, true, colour);
}

TextTable::TextTable(std::vector<std::string> headings, std::vector<Align> align)
    : headings_(std::move(headings)), align_(std::move(align)) {
  for (std::string& heading : headings_) heading = printable(heading);
}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::render(const Terminal& terminal) const {
  const std::size_t columns = headings_.size();
  std::vector<std::size_t> width(columns);
  std::vector<Align> align = align_;
  align.resize(columns, Align::left);
  for (std::size_t j = 0; j < columns; ++j) {
    width[j] = characters(headings_[j]);
    bool numbers = !rows_.empty(), some = false;
    for (const auto& row : rows_) {
      width[j] = std::max(width[j], characters(row[j]));
      some = some || !row[j].empty();
      numbers = numbers && (row[j].empty() || looks_like_a_number(row[j]));
    }
    if (align_.empty() && numbers && some) align[j] = Align::right;
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t j = 0; j < columns; ++j) {
      const std::string padding(width[j] - characters(cells[j]), ' ');
      if (j > 0) text += "  ";
      text += align[j] == Align::right ? padding + cells[j] : cells[j] + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return terminal.is_terminal() ? cut(text, static_cast<std::size_t>(terminal.width())) : text;
  };
  std::string result;
  if (std::any_of(headings_.begin(), headings_.end(), [](const auto& h) { return !h.empty(); }))
    result += terminal.styled(line(headings_), Style::bold) + '\n';
  for (const auto& row : rows_) result += line(row) + '\n';
  return result;
}

}  // namespace suffice::cli
