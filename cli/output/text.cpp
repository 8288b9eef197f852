#include "cli/output/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace suffice::cli {
namespace {

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

/// How many printable characters of ASCII come first.
std::size_t plain_characters(std::string_view text) {
  const auto end = std::ranges::find_if(text, [](char c) { return c < ' ' || c > '~'; });
  return static_cast<std::size_t>(end - text.begin());
}

std::string escaped(std::string_view text, bool lines, bool colour) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::string_view plain = text.substr(0, plain_characters(text));
    result += plain;
    text.remove_prefix(plain.size());
    if (text.empty()) break;
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

/// Puts blanks around figures, so that their decimal points stand below each other.
void align_points(std::vector<std::string>& cells) {
  const auto size_before = [](const std::string& cell) {
    return characters(cell.substr(0, cell.find('.')));
  };
  std::size_t before = 0, after = 0;
  for (const std::string& cell : cells) {
    before = std::max(before, size_before(cell));
    after = std::max(after, characters(cell) - size_before(cell));
  }
  for (std::string& cell : cells) {
    cell.insert(0, before - size_before(cell), ' ');
    cell.append(before + after - characters(cell), ' ');
  }
}

/// The same for both sides of "38.77 ± 2.61".
void align_figures(std::vector<std::string>& cells) {
  constexpr std::string_view sign = " ± ";
  std::vector<std::string> values, deviations;
  for (const std::string& cell : cells) {
    const std::size_t at = cell.find(sign);
    values.push_back(cell.substr(0, at));
    deviations.push_back(at == cell.npos ? "" : cell.substr(at + sign.size()));
  }
  align_points(values);
  align_points(deviations);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool has_deviation = cells[i].find(sign) != std::string::npos;
    if (!deviations[i].empty())
      values[i] += (has_deviation ? std::string(sign) : "   ") + deviations[i];
    cells[i] = values[i];
  }
}

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
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

std::string heading(const Terminal& terminal, std::string_view text) {
  return '\n' + terminal.styled(text, Style::bold) + '\n';
}

std::string TextTable::render(const Terminal& terminal) const {
  const std::size_t columns = headings_.size();
  std::vector<std::vector<std::string>> rows = rows_;
  for (std::size_t j = 0; j < align_.size(); ++j) {
    if (align_[j] != Align::decimal) continue;
    std::vector<std::string> cells;
    for (const auto& row : rows) cells.push_back(row[j]);
    align_figures(cells);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i][j] = cells[i];
  }
  std::vector<std::size_t> width(columns);
  std::vector<Align> align = align_;
  align.resize(columns, Align::left);
  for (std::size_t j = 0; j < columns; ++j) {
    width[j] = characters(headings_[j]);
    bool numbers = !rows.empty(), some = false;
    for (const auto& row : rows) {
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
      text += align[j] == Align::left ? cells[j] + padding : padding + cells[j];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return terminal.is_terminal() ? cut(text, static_cast<std::size_t>(terminal.width())) : text;
  };
  std::string result;
  if (std::any_of(headings_.begin(), headings_.end(), [](const auto& h) { return !h.empty(); }))
    result += terminal.styled(line(headings_), Style::bold) + '\n';
  for (const auto& row : rows) result += line(row) + '\n';
  return result;
}

}  // namespace suffice::cli
