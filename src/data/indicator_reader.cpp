#include "data/indicator_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "data/row_checks.hpp"

namespace suffice {

IndicatorReader::IndicatorReader(const Schema& schema, const Block& block, Index column,
                                 const RowBlock& rows) {
  std::vector<std::string> levels = {schema.reader(column).indicator->reference};
  for (Index j = 0; j < std::ssize(block.features); ++j) {
    const Feature& feature = schema.feature(block.features[j]);
    if (!feature.indicator || schema.column(block.features[j]) != column) continue;
    positions_.push_back(j);
    if (feature.indicator->level)
      levels.push_back(*feature.indicator->level);
    else
      missing_ = j;
  }
  levels_ = std::make_shared<const Names>(std::move(levels));
  position_.assign(static_cast<std::size_t>(levels_->size()), -1);
  for (const Index j : positions_)
    if (const auto& level = schema.feature(block.features[j]).indicator->level)
      position_[*levels_->find(*level)] = j;
  reader_.emplace_back(NameReader::column_of(rows, column), *levels_);
}

template <class Use>
void IndicatorReader::for_each_code(Index first, Index count, const Use& use) const {
  std::array<std::int32_t, 64> codes;
  for (Index begin = 0; begin < count; begin += std::ssize(codes)) {
    const Index rows = std::min(count - begin, static_cast<Index>(codes.size()));
    reader_.front().read(first + begin, rows, codes.data(), 1);
    for (Index i = 0; i < rows; ++i) use(begin + i, codes[static_cast<std::size_t>(i)]);
  }
}

void IndicatorReader::read(Index first, Index count, double* panel, Index stride) const {
  for_each_code(first, count, [&](Index row, std::int32_t code) {
    double* out = panel + row * stride;
    for (const Index j : positions_) out[j] = 0;
    if (code == NameReader::infinite) {
      out[positions_.front()] = std::numeric_limits<double>::infinity();
      return;
    }
    const Index one = code >= 0 ? position_[code] : code == NameReader::missing ? missing_ : -1;
    if (one >= 0) out[one] = 1;
  });
}

Index IndicatorReader::unknown(Index first, Index count) const {
  Index cells = 0;
  for_each_code(first, count,
                [&](Index, std::int32_t code) { cells += code == NameReader::unknown ? 1 : 0; });
  return cells;
}

void require_names_present(const Schema& schema, const RowBlock& rows, const double* weight) {
  if (!schema.has_indicators()) return;
  const Names nothing;
  for (Index j = 0; j < schema.column_count(); ++j) {
    if (!schema.has_level_indicators(j)) continue;
    const NameReader reader(NameReader::column_of(rows, j), nothing);
    for (Index i = 0; i < rows.rows(); ++i) {
      std::int32_t code = 0;
      reader.read(i, 1, &code, 1);
      if (code == NameReader::missing && !(weight && weight[i] == 0))
        throw_missing(schema.reader(j).column(), i);
    }
  }
}

std::vector<Index> indicator_columns(const Schema& schema, const Block& block) {
  std::vector<Index> columns;
  if (!schema.has_indicators()) return columns;
  for (const Index feature : block.features)
    if (schema.feature(feature).indicator && !schema.feature(feature).is_of_missing() &&
        std::ranges::find(columns, schema.column(feature)) == columns.end())
      columns.push_back(schema.column(feature));
  return columns;
}

}  // namespace suffice
