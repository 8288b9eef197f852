#pragma once
// Rows on their way through the scorers of their blocks: chunk by chunk, on several threads.

#include <functional>
#include <memory>
#include <vector>

#include "core/parallel.hpp"
#include "score/scorer.hpp"

namespace suffice {

/// The scorers of a schema's blocks, whose scores are added.
using Scorers = std::vector<std::unique_ptr<BlockScorer>>;

struct TileRun {
  Index rows, features, classes;
  /// Where the scores go, rows × K; null: each tile to a buffer of its worker's own.
  double* out = nullptr;
  std::function<Scorers(Workers&)> make_scorers;
  /// Gets the scores of rows [first, first + count), count × K; from any thread, in any order.
  std::function<void(Index first, Index count, double* scores)> finish;
};

/// Throws what the scorers throw, and Cancelled.
void score_tiles(const TileRun& run, const Execution& execution);

}  // namespace suffice
