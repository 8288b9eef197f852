#include "cli/output/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = c == '\t' ? ' ' : '?';
  return result;
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
