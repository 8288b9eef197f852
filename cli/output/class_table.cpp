#include "cli/output/class_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/output/text.hpp"

namespace suffice::cli {

ClassTable::ClassTable(std::vector<std::string> headings, std::vector<std::string> columns)
    : headings_(std::move(headings)), labels_(std::move(columns)) {}

void ClassTable::add(std::vector<std::string> heads, std::vector<std::string> cells) {
  heads_.push_back(std::move(heads));
  cells_.push_back(std::move(cells));
}

std::string ClassTable::render(const Terminal& terminal) const {
  constexpr std::size_t gap = 2;
  const auto widest = [&](const std::string& top, const auto& rows, std::size_t column) {
    std::size_t width = characters(top);
    for (const auto& row : rows) width = std::max(width, characters(row[column]));
    return width + gap;
  };
  std::size_t left = 0;
  for (std::size_t j = 0; j < headings_.size(); ++j) left += widest(headings_[j], heads_, j);
  const auto room = static_cast<std::size_t>(terminal.width()) + gap;

  std::string text;
  for (std::size_t first = 0; first < labels_.size();) {
    std::vector<std::string> names = headings_;
    std::vector<TextTable::Align> align(headings_.size(), TextTable::Align::left);
    std::size_t last = first, used = left;
    while (last < labels_.size()) {
      used += widest(labels_[last], cells_, last);
      if (last > first && used > room) break;
      names.push_back(labels_[last++]);
      align.push_back(TextTable::Align::decimal);
    }
    TextTable table(names, align);
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      std::vector<std::string> row = heads_[i];
      row.insert(row.end(), cells_[i].begin() + static_cast<std::ptrdiff_t>(first),
                 cells_[i].begin() + static_cast<std::ptrdiff_t>(last));
      table.add(std::move(row));
    }
    if (first > 0) text += '\n';
    text += table.render(terminal);
    first = last;
  }
  return text;
}

std::vector<Index> largest(const std::vector<double>& values, std::int64_t top) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (std::isnan(values[a]) || std::isnan(values[b]))
      return !std::isnan(values[a]) && std::isnan(values[b]);
    return values[a] > values[b];
  });
  if (top > 0 && top < std::ssize(order)) order.resize(static_cast<std::size_t>(top));
  return order;
}

}  // namespace suffice::cli
