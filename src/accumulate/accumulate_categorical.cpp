#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "accumulate/accumulate.hpp"
#include "accumulate/lanes.hpp"
#include "data/name_encoder.hpp"
#include "data/row_checks.hpp"

namespace suffice {
namespace {

constexpr Index rows_of_panel = 64;  // of a row-major table they stay in the first-level cache

/// Counts by feature and lane. Each lane has provisional codes of its own, since it meets levels in
/// its own order.
class LevelCounts {
 public:
  LevelCounts(const LabelledRows& rows, const Block& block);
  /// The levels in all rows, with their counts.
  CategoricalStatistics result();

 private:
  Lanes lanes_for(Index levels) const;
  void count(const Lanes& lanes);
  void add(std::size_t feature, Index lane, Index row, Index n);
  void join();
  [[noreturn]] void throw_first_refused() const;

  const LabelledRows& rows_;
  const Block& block_;
  Index classes_;
  std::vector<NameReader> readers_;                ///< per feature, without names
  std::vector<NameEncoder> beginning_;             ///< per feature: the levels of the first rows
  std::vector<std::vector<NameEncoder>> encoder_;  ///< feature × lane
  std::vector<std::vector<std::vector<double>>> count_;  ///< feature × lane: level × class
  std::vector<JoinedNames> joined_;                      ///< per feature
  std::atomic<bool> refused_ = false;
};

LevelCounts::LevelCounts(const LabelledRows& rows, const Block& block)
    : rows_(rows), block_(block), classes_(rows.classes()) {
  std::vector<std::int32_t> codes(4096);
  const Index first = std::min<Index>(rows.size(), std::ssize(codes));
  for (const Index f : block.features) {
    const Column column = NameReader::column_of(rows.rows, rows.schema.column(f));
    readers_.emplace_back(column, Names());
    beginning_.emplace_back(column).read(0, first, codes.data(), rows.weight);
  }
}

Lanes LevelCounts::lanes_for(Index levels) const {
  return Lanes::of(rows_.size(), rows_of_panel, static_cast<double>(classes_ * levels),
                   10.0 * static_cast<double>(readers_.size()));
}

void LevelCounts::count(const Lanes& lanes) {
  const auto lane_count = static_cast<std::size_t>(lanes.count);
  encoder_.clear();
  for (const NameEncoder& beginning : beginning_) encoder_.emplace_back(lane_count, beginning);
  count_.assign(readers_.size(), std::vector<std::vector<double>>(lane_count));
  rows_.workers.run(lanes.count, [&](Index lane, int) {
    lanes.for_each_panel(lane, rows_, [&](Index row, Index n) {
      if (refused_.load(std::memory_order_relaxed)) return;
      NameReader::fetch(readers_, row + n, rows_of_panel);
      for (std::size_t f = 0; f < readers_.size(); ++f) add(f, lane, row, n);
    });
  });
  if (refused_) throw_first_refused();
}

void LevelCounts::add(std::size_t feature, Index lane, Index row, Index n) {
  NameEncoder& encoder = encoder_[feature][lane];
  std::vector<double>& count = count_[feature][lane];
  std::int32_t codes[rows_of_panel];
  encoder.read(row, n, codes, rows_.weight);
  count.resize(encoder.names().size() * static_cast<std::size_t>(classes_));
  double* of_feature = count.data();
  const std::int32_t* label = rows_.code + row;
  for (Index i = 0; i < n; ++i) {
    if (label[i] < 0) continue;
    if (codes[i] >= 0)
      of_feature[codes[i] * classes_ + label[i]] += rows_.weight_of(row + i);
    else if (codes[i] == NameReader::infinite || rows_.missing == Missing::refuse)
      refused_ = true;
  }
}

void LevelCounts::join() {
  joined_.clear();
  for (const std::vector<NameEncoder>& lanes : encoder_) joined_.emplace_back(lanes);
}

/// Throws DataError for the first row with an infinite or, where that is refused, a missing value;
/// there is one.
void LevelCounts::throw_first_refused() const {
  for (Index row = 0;; ++row) {
    if (rows_.code[row] < 0) continue;
    for (std::size_t f = 0; f < readers_.size(); ++f) {
      std::int32_t code = 0;
      readers_[f].read(row, 1, &code, 1);
      const Index feature = block_.features[f];
      if (code == NameReader::missing) require_present(rows_, feature, row);
      if (code == NameReader::infinite)
        throw_infinite_category(rows_.schema.feature(feature).name, rows_.first_row + row);
    }
  }
}

CategoricalStatistics LevelCounts::result() {
  Index levels = 0;
  for (const NameEncoder& beginning : beginning_) levels += std::ssize(beginning.names());
  const Lanes lanes = lanes_for(levels);
  count(lanes);
  join();
  // How many lanes there are depends on the number of levels, which is only known now. Counts of
  // rows are the same for any lanes, sums of weights are not.
  levels = 0;
  for (const JoinedNames& joined : joined_) levels += joined.names.size();
  if (const Lanes right = lanes_for(levels); rows_.weight && right.count != lanes.count) {
    count(right);
    join();
  }
  CategoricalStatistics result;
  for (std::size_t f = 0; f < joined_.size(); ++f) {
    Matrix& sum = result.count.emplace_back(classes_, joined_[f].names.size());
    for (std::size_t lane = 0; lane < count_[f].size(); ++lane) {
      const double* count = count_[f][lane].data();
      const std::size_t codes =
          count_[f][lane].size() / static_cast<std::size_t>(std::max<Index>(classes_, 1));
      for (std::size_t code = 0; code < codes; ++code)
        for (Index c = 0; c < classes_; ++c) sum(c, joined_[f].position[lane][code]) += *count++;
    }
    result.levels.push_back(std::move(joined_[f].names));
  }
  return result;
}

}  // namespace

CategoricalStatistics accumulate_categorical(const LabelledRows& rows, const Block& block) {
  return LevelCounts(rows, block).result();
}

}  // namespace suffice
