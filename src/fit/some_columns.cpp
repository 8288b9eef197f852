#include "fit/some_columns.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace suffice {

SomeColumns::SomeColumns(std::shared_ptr<RowSource> all, Schema schema)
    : all_(std::move(all)), schema_(std::move(schema)) {}

RowCounts SomeColumns::read(const Reading& reading, const Use& use) {
  const Schema whole = with_others(reading.schema);
  const std::vector<Index> places = positions_of_columns(whole, reading.schema);
  return all_->read(
      {.schema = whole,
       .what = reading.what,
       .unlabelled = reading.unlabelled,
       .often = reading.often},
      [&](const RowBlock& rows, const Column& groups) { use(rows.columns(places), groups); });
}

/// Of all columns: those that are left out mean what they did.
Schema SomeColumns::with_others(const Schema& some) const {
  std::unordered_map<std::string_view, std::vector<Index>> read_from;
  for (Index j = 0; j < some.size(); ++j) read_from[some.feature(j).column()].push_back(j);
  std::vector<Feature> features;
  for (const Feature& feature : all_->schema().features()) {
    const auto meant = read_from.find(feature.column());
    if (meant == read_from.end()) {
      features.push_back(feature);
      continue;
    }
    const std::vector<Index> positions = std::exchange(meant->second, {});
    if (positions.empty()) continue;  // indicators of one column, which stand here already
    const Feature& first = some.feature(positions.front());
    const bool names = first.family == Family::categorical || first.indicator;
    if (names && feature.family == Family::gaussian && !feature.indicator)
      features.push_back(feature);
    else
      for (const Index j : positions) features.push_back(some.feature(j));
  }
  return Schema(std::move(features)).with_label(some.label());
}

}  // namespace suffice
