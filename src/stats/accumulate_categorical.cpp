#include <algorithm>

#include "stats/accumulate.hpp"
#include "stats/dictionary.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

constexpr Index panel_rows = 512;  // their cache lines are shared by neighbouring features

/// Counts of one feature. Levels are usually all seen in the first panel; where a later one has a
/// new level, that panel is read again with the longer dictionary.
class LevelCounts {
 public:
  LevelCounts(const LabelledRows& rows, Index feature)
      : rows_(rows), column_(NameReader::column_of(rows.rows, feature)), collector_(column_) {
    counts_.levels.emplace_back();
    counts_.count.emplace_back(rows.labels.size(), 0);
  }

  void add(Index first, Index n, std::int32_t* codes) {
    read(first, n, codes);
    const auto is_new = [&](Index i) {
      return codes[i] == NameReader::unknown && rows_.code[first + i] >= 0;
    };
    for (Index i = 0; i < n; ++i) {
      if (!is_new(i)) continue;
      collector_.add(first, n, rows_.weight);
      reader_.clear();
      join_levels(counts_, 0, collector_.names());
      read(first, n, codes);
      break;
    }
    Matrix& count = counts_.count[0];
    for (Index i = 0; i < n; ++i) {
      if (codes[i] >= 0 && rows_.code[first + i] >= 0)
        count(rows_.code[first + i], codes[i]) += rows_.weight_of(first + i);
    }
  }

  CategoricalStatistics take() && { return std::move(counts_); }

 private:
  void read(Index first, Index n, std::int32_t* codes) {
    if (reader_.empty()) reader_.emplace_back(column_, counts_.levels[0]);
    reader_[0].read(first, n, codes, 1);
  }

  const LabelledRows& rows_;
  Column column_;
  NameCollector collector_;
  CategoricalStatistics counts_;    // of this one feature
  std::vector<NameReader> reader_;  // none or one: it views counts_.levels
};

}  // namespace

CategoricalStatistics accumulate_categorical(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), features = static_cast<Index>(block.features.size());
  CategoricalStatistics result;
  result.levels.resize(block.features.size());
  result.count.resize(block.features.size());
  // A worker takes neighbouring features, which share cache lines in a row-major table. Each
  // feature is counted from first to last row by one worker.
  constexpr Index together = 8;
  const Index groups = (features + together - 1) / together;
  Workers& workers = rows.workers;
  workers.run(groups, [&](Index group, int) {
    std::vector<std::int32_t> codes(static_cast<std::size_t>(std::min(n, panel_rows)));
    const Index first_feature = group * together,
                last_feature = std::min(features, first_feature + together);
    std::vector<LevelCounts> counts;
    counts.reserve(together);
    for (Index f = first_feature; f < last_feature; ++f) {
      counts.emplace_back(rows, block.features[static_cast<std::size_t>(f)]);
    }
    for (Index first = 0; first < n; first += panel_rows) {
      if (rows.execution.stop.stop_requested()) throw Cancelled();
      const Index size = std::min(panel_rows, n - first);
      for (LevelCounts& feature : counts) feature.add(first, size, codes.data());
      rows.progress.advance(static_cast<double>(size) / static_cast<double>(groups));
    }
    for (Index f = first_feature; f < last_feature; ++f) {
      CategoricalStatistics one =
          std::move(counts[static_cast<std::size_t>(f - first_feature)]).take();
      result.levels[static_cast<std::size_t>(f)] = std::move(one.levels[0]);
      result.count[static_cast<std::size_t>(f)] = std::move(one.count[0]);
    }
  });
  return result;
}

}  // namespace suffice
