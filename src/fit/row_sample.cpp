#include "suffice/fit/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "data/name_reader.hpp"
#include "suffice/core/names.hpp"

namespace suffice {
namespace {

/// The columns of a schema as they are kept, numbers and names, and one more for the folds.
Schema columns_to_keep(const Schema& schema, bool in_groups) {
  std::vector<Feature> columns;
  for (Index j = 0; j < schema.column_count(); ++j)
    columns.push_back({schema.columns()[static_cast<std::size_t>(j)],
                       schema.has_strings(j) ? Family::categorical : Family::gaussian});
  if (!in_groups) return Schema(std::move(columns));
  std::string name = "fold";
  while (std::ranges::find(columns, name, &Feature::name) != columns.end()) name += "*";
  columns.push_back({name, Family::categorical});
  return Schema(std::move(columns));
}

}  // namespace

RowSample::RowSample(RowSource& rows, Index most, std::uint64_t seed)
    : schema_(rows.schema()), given_families_(rows.given_families()) {
  if (most < 1)
    throw InvalidArgument(Option{"max_rows"} + Sentence(" must be at least 1, not ") +
                          name_of(static_cast<std::int64_t>(most)));
  constexpr double most_numbers = 2.5e8;
  const auto columns = static_cast<double>(schema_.column_count());
  if (rows.is_sparse() && static_cast<double>(most) * columns > most_numbers)
    throw InvalidArgument("a sample of sparse rows is kept with all its zeros, which would take " +
                              name_of(std::round(static_cast<double>(most) * columns * 8 / 1e9)) +
                              " GB",
                          "give a smaller " + Sentence(Option{"max_rows"}));
  std::optional<Reservoir> reservoir;
  counts_ = rows.read(
      {.schema = schema_, .what = "drawing rows"}, [&](const RowBlock& block, const Column& folds) {
        in_groups_ = folds.kind != Column::Kind::none;
        if (!reservoir)
          reservoir.emplace(
              columns_to_keep(schema_, in_groups_),
              ReservoirOptions{.rows = most, .numbers = HUGE_VAL, .seed = seed, .by_class = false});
        RowBlock kept = block;
        if (in_groups_) kept.feature(folds);
        reservoir->update(kept);
      });
  if (reservoir) sample_ = reservoir->sample();
}

RowCounts RowSample::read(const Reading&, const Use& use) {
  const RowBlock all = sample_.rows();
  if (!in_groups_) {
    use(all, Column());
  } else {
    std::vector<Index> columns(static_cast<std::size_t>(schema_.column_count()));
    std::iota(columns.begin(), columns.end(), Index{0});
    use(all.columns(columns), NameReader::column_of(all, schema_.column_count()));
  }
  return {.rows = static_cast<double>(sample_.size())};
}

}  // namespace suffice
