#include "sample/drawn_columns.hpp"

#include <limits>
#include <optional>
#include <string>

#include "data/transform.hpp"

namespace suffice {

Names indicator_levels(const Schema& schema, Index column) {
  std::vector<std::string> levels = {schema.reader(column).indicator->reference};
  for (Index j = 0; j < schema.size(); ++j)
    if (const Feature& feature = schema.feature(j);
        schema.column(j) == column && feature.indicator->level)
      levels.push_back(*schema.feature(j).indicator->level);
  return Names(std::move(levels));
}

DrawnColumns::DrawnColumns(const Schema& schema, const std::vector<Names>& levels)
    : schema_(schema) {
  for (Index j = 0; j < schema.size(); ++j) {
    const Boxed<Indicator>& indicator = schema.feature(j).indicator;
    if (!indicator || schema.feature(j).is_of_missing()) {
      code_.push_back(0);
      continue;
    }
    const Names& names = levels[static_cast<std::size_t>(schema.column(j))];
    code_.push_back(indicator->level ? *names.find(*indicator->level) : -1);
  }
  for (Index column = 0; column < std::ssize(schema.columns()); ++column)
    if (schema.has_level_indicators(column))
      references_.emplace_back(column, *levels[static_cast<std::size_t>(column)].find(
                                           schema.reader(column).indicator->reference));
  best_ = Vector(std::ssize(schema.columns()));
  rest_ = Vector(std::ssize(schema.columns()));
}

void DrawnColumns::read(std::span<const double> drawn, std::span<double> row) {
  for (const auto& [column, reference] : references_) {
    best_[column] = -std::numeric_limits<double>::infinity();
    rest_[column] = 1;
  }
  for (Index j = 0; j < schema_.size(); ++j) {
    const double x = drawn[static_cast<std::size_t>(j)];
    const Index column = schema_.column(j);
    double& to = row[static_cast<std::size_t>(column)];
    if (schema_.feature(j).is_of_missing()) continue;
    if (!schema_.feature(j).indicator) {
      to = transformed_back(schema_.feature(j).transform, x);
      continue;
    }
    rest_[column] -= x;
    if (x <= best_[column]) continue;
    best_[column] = x;
    to = static_cast<double>(code_[static_cast<std::size_t>(j)]);
  }
  for (const auto& [column, reference] : references_)
    if (rest_[column] >= best_[column])
      row[static_cast<std::size_t>(column)] = static_cast<double>(reference);
  for (Index j = 0; j < schema_.size() && schema_.has_indicators(); ++j) {
    const Feature& feature = schema_.feature(j);
    if (feature.is_of_missing() && drawn[static_cast<std::size_t>(j)] == 1)
      row[static_cast<std::size_t>(schema_.column(j))] = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace suffice
