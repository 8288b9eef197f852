#pragma once
// All blocks of a model, scored row by row.

#include <functional>
#include <memory>
#include <vector>

#include "score/projected_rows.hpp"
#include "score/scorer.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// Scores a block by the model.
std::unique_ptr<BlockScorer> make_scorer(const ScorerInput& input);

struct ScoreRequest {
  const Model& model;
  const RowBlock& rows;
  ScoreOptions options = {};
  ProjectedRows projected = {};  ///< those of the projected block, where they are known
  std::function<std::unique_ptr<BlockScorer>(const ScorerInput&)> make = make_scorer;
};

/// Scores all rows; `finish(first, count, scores)` gets each tile, count × K, from any worker.
/// `out` is where the scores are put, or null; `apart` are such places for each part of the scores
/// (score_parts), or none, and each block has its tiles then. A class of weight 0 has −inf.
Unscored score_rows(const ScoreRequest& request, const Execution& execution, double* out,
                    std::vector<double*> apart,
                    const std::function<void(Index, Index, const double*)>& finish);

/// The same, with all scores kept; `result` is what an earlier call gave, whose memory is used
/// again where it fits.
void score_rows(const ScoreRequest& request, const Execution& execution, LogLikelihoods& result);
LogLikelihoods score_rows(const ScoreRequest& request, const Execution& execution);
/// The same block by block.
BlockScores score_blocks(const ScoreRequest& request, const Execution& execution);

}  // namespace suffice
