#include "fit/some_columns.hpp"

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
  std::vector<Feature> features;
  for (const Feature& feature : all_->schema().features()) {
    const auto before = features.size();
    for (const Feature& meant : some.features())
      if (meant.column() == feature.column())
        features.push_back(feature.family == Family::gaussian && meant.family == Family::categorical
                               ? feature
                               : meant);
    if (features.size() == before) features.push_back(feature);
  }
  return Schema(std::move(features)).with_label(some.label());
}

}  // namespace suffice
