#pragma once
// The way through the rows that all scores share: chunks that a worker prepares, tiles that it
// scores.

#include <functional>
#include <memory>
#include <vector>

#include "core/parallel.hpp"
#include "score/scorer.hpp"

namespace suffice {

using Scorers = std::vector<std::unique_ptr<BlockScorer>>;

/// What is scored, and where the scores go.
struct TileRun {
  Index rows, features, classes;
  double* out;  ///< rows × classes; null: to a buffer of the worker's own
  /// One such place for each scorer, where scores are not to be added up; then `out` is not used.
  std::vector<double*> apart = {};
};

/// Scores all rows. `make` gets the workers; `finish(first, count, scores)` gets each tile,
/// count × K, from any worker; where scores are kept apart, those of each scorer. Throws what a
/// scorer throws, Cancelled.
void score_tiles(const TileRun& run, const Execution& execution,
                 const std::function<Scorers(Workers&)>& make,
                 const std::function<void(Index, Index, double*)>& finish);

}  // namespace suffice
