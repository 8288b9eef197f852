#include <algorithm>
#include <atomic>
#include <numeric>

#include "data/name_reader.hpp"
#include "data/row_checks.hpp"
#include "stats/accumulate.hpp"

namespace suffice {

namespace {

/// The columns of a block's features.
std::vector<Column> columns_of(const LabelledRows& rows, const Block& block) {
  std::vector<Column> columns;
  for (const Index f : block.features) columns.push_back(NameReader::column_of(rows.rows, f));
  return columns;
}

/// The levels in the first rows: usually all that there are.
std::vector<Names> first_levels(const LabelledRows& rows, const std::vector<Column>& columns) {
  std::vector<Names> levels;
  for (const Column& column : columns) {
    NameCollector collector(column);
    collector.add(0, std::min<Index>(rows.size(), 4096), rows.weight);
    levels.push_back(collector.names());
  }
  return levels;
}

/// The levels in all rows. A worker takes neighbouring features, which share cache lines in a
/// row-major table.
std::vector<Names> all_levels(const LabelledRows& rows, const std::vector<Column>& columns) {
  std::vector<Names> levels(columns.size());
  constexpr std::size_t together = 8;
  rows.workers.run(static_cast<Index>((columns.size() + together - 1) / together), [&](Index group,
                                                                                       int) {
    const std::size_t first = static_cast<std::size_t>(group) * together;
    const std::size_t count = std::min(together, columns.size() - first);
    std::ranges::move(NameReader::names_in(std::span(columns).subspan(first, count), rows.weight),
                      levels.begin() + static_cast<Index>(first));
  });
  return levels;
}

/// Throws DataError for the first row with an infinite or, where that is refused, a missing value;
/// there is one.
[[noreturn]] void throw_first_refused(const LabelledRows& rows, const Block& block,
                                      const std::vector<NameReader>& readers) {
  for (Index row = 0;; ++row) {
    if (rows.code[row] < 0) continue;
    for (std::size_t f = 0; f < readers.size(); ++f) {
      std::int32_t code = 0;
      readers[f].read(row, 1, &code, 1);
      const Index feature = block.features[f];
      if (code == NameReader::missing) require_present(rows, feature, row);
      if (code == NameReader::infinite)
        throw_infinite_category(rows.schema.feature(feature).name, rows.first_row + row);
    }
  }
}

/// Counts with the given levels; false where a row has another one.
bool count_levels(const LabelledRows& rows, const Block& block, const std::vector<Column>& columns,
                  CategoricalStatistics& result) {
  const Index classes = rows.labels.size();
  const std::size_t features = columns.size();
  std::vector<NameReader> readers;
  std::vector<Index> first{0};  // where the counts of a feature begin
  for (std::size_t f = 0; f < features; ++f) {
    readers.emplace_back(columns[f], result.levels[f]);
    first.push_back(first.back() + classes * result.levels[f].size());
  }
  constexpr Index panel_rows = 64;  // of a row-major table they stay in the first-level cache
  const Lanes lanes = Lanes::of(rows.size(), panel_rows, static_cast<double>(first.back()),
                                10.0 * static_cast<double>(features));
  std::vector<Vector> counts(static_cast<std::size_t>(lanes.count));
  std::atomic<bool> complete = true, refused = false;
  rows.workers.run(lanes.count, [&](Index lane, int) {
    Vector& count = counts[lane] = Vector(first.back());
    lanes.for_each_panel(lane, rows, [&](Index row, Index n) {
      if (!complete.load(std::memory_order_relaxed) || refused.load(std::memory_order_relaxed))
        return;
      NameReader::fetch(readers, row + n, panel_rows);
      std::int32_t codes[panel_rows];
      const std::int32_t* label = rows.code + row;
      for (std::size_t f = 0; f < features; ++f) {
        readers[f].read(row, n, codes, 1);
        double* of_feature = count.data() + first[f];
        const Index levels = result.levels[f].size();
        for (Index i = 0; i < n; ++i) {
          if (label[i] < 0) continue;
          if (codes[i] >= 0) {
            of_feature[label[i] * levels + codes[i]] += rows.weight ? rows.weight[row + i] : 1.0;
          } else if (codes[i] == NameReader::unknown) {
            complete = false;
          } else if (codes[i] == NameReader::infinite || rows.missing == Missing::refuse) {
            refused = true;
          }
        }
      }
    });
  });
  if (refused) throw_first_refused(rows, block, readers);
  if (!complete) return false;
  for (std::size_t f = 0; f < features; ++f) {
    Matrix& sum = result.count[f] = Matrix(classes, result.levels[f].size());
    for (const Vector& count : counts) {
      for (Index k = 0; k < sum.size(); ++k) sum.data()[k] += count[first[f] + k];
    }
  }
  return true;
}

}  // namespace

CategoricalStatistics accumulate_categorical(const LabelledRows& rows, const Block& block) {
  const std::vector<Column> columns = columns_of(rows, block);
  CategoricalStatistics result;
  result.count.resize(columns.size());
  result.levels = first_levels(rows, columns);
  if (!count_levels(rows, block, columns, result)) {
    result.levels = all_levels(rows, columns);
    count_levels(rows, block, columns, result);
  }
  return result;
}

}  // namespace suffice
