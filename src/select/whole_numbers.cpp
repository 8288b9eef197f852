#include "select/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/at.hpp"
#include "data/number_reader.hpp"

namespace suffice {
namespace {

constexpr double largest_code = 1e9;

/// How many different numbers a column has; 0 for more than `most`, and if one is not whole.
Index different_codes(const double* values, Index rows, Index stride, Index most) {
  std::vector<double> different;
  for (Index i = 0; i < rows; ++i) {
    const double x = values[i * stride];
    if (std::isnan(x)) continue;
    if (x != std::floor(x) || std::abs(x) > largest_code) return 0;
    if (std::ranges::find(different, x) != different.end()) continue;
    if (std::ssize(different) == most) return 0;
    different.push_back(x);
  }
  return std::ssize(different);
}

}  // namespace

std::optional<SchemaVariant> whole_numbers_as_categories(const Schema& schema,
                                                         const SampledRows& sample,
                                                         std::span<const Index> columns,
                                                         Index most_values) {
  std::vector<Index> places;
  for (const Index feature : columns) places.push_back(schema.column(feature));
  const RowBlock rows = sample.rows();
  const Index n = rows.rows(), d = std::ssize(places);
  if (n == 0 || d == 0) return {};
  const NumberReader reader(Schema::numbered(rows.feature_count()), {Family::gaussian, places},
                            rows);
  std::vector<double> scratch(at(n * d));
  const auto [numbers, stride] = reader.read(0, n, scratch.data());
  std::vector<Feature> features = schema.features();
  std::vector<std::string> names;
  bool has_codes = false;
  for (Index j = 0; j < d; ++j) {
    const Index count = different_codes(numbers + j, n, stride, most_values);
    if (count < 2) continue;
    has_codes |= count > 2;
    Feature& feature = features[at(columns[at(j)])];
    feature.family = Family::categorical;
    names.push_back(feature.name);
  }
  if (!has_codes) return {};
  const std::string words =
      std::to_string(names.size()) +
      (names.size() == 1 ? " column of whole numbers is" : " columns of whole numbers are") +
      " taken as categories (" + list_for_message(names) + ")";
  return SchemaVariant{Schema(std::move(features)).with_label(schema.label()), words};
}

}  // namespace suffice
