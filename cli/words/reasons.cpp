#include "cli/words/reasons.hpp"

#include <cmath>

#include "cli/output/figures.hpp"

namespace suffice::cli {

std::string with_sign(double value) {
  return (value < 0 ? "" : "+") + rounded(value, std::abs(value) >= 100 ? 3 : 2);
}

std::string cell_text(const TableView& table, Index row, Index column) {
  const auto j = static_cast<std::size_t>(column);
  if (j >= table.plan.columns.size()) return {};  // of a sparse table
  const Target& target = table.plan.columns[j];
  if (target.kind == Target::Kind::number) return exact(table.rows.numbers(row)[target.slot]);
  if (target.kind != Target::Kind::text || table.schema.reader(column).family == Family::text)
    return {};
  return std::string(table.rows.texts()[static_cast<std::size_t>(target.slot)][row]);
}

std::string reasons(const Evidence& evidence, const TableView& table, Index row, Index count) {
  std::string text;
  for (const Index j : evidence.most_telling(row, count)) {
    if (!text.empty()) text += ", ";
    text += evidence.columns[static_cast<std::size_t>(j)];
    if (const std::string cell = cell_text(table, row, j); !cell.empty()) text += "=" + cell;
    text += " (" + with_sign(evidence.values(row, j)) + ")";
  }
  return text;
}

}  // namespace suffice::cli
