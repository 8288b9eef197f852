#pragma once
// What had no part in the scores.

#include <atomic>
#include <utility>
#include <vector>

#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

/// Counted by all workers: cells with a level that the model does
/// not know, per feature of the schema, and rows without projections.
class Unscored {
 public:
  explicit Unscored(Index features) : unknown_levels_(static_cast<std::size_t>(features)) {}
  void add_unknown(Index feature, Index cells) {
    std::atomic_ref<Index>(unknown_levels_[feature]).fetch_add(cells);
  }
  void add_unprojected(Index rows) { std::atomic_ref<Index>(unprojected_rows_).fetch_add(rows); }
  /// LogLikelihoods or BlockScores.
  template <class Scores>
  void tell(Scores& scores) && {
    scores.unknown_levels = std::move(unknown_levels_);
    scores.unprojected_rows = unprojected_rows_;
  }

 private:
  std::vector<Index> unknown_levels_;
  Index unprojected_rows_ = 0;
};

}  // namespace suffice
