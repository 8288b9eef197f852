#pragma once
// Scores block by block: what a calibration weighs, and what it makes of them.

#include <vector>

#include "suffice/models/calibration.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// log p(x_b | class) of each block; their sum is log p(x | class). A mixture counts as one block.
struct BlockScores {
  std::vector<Matrix> values;  ///< per block of the schema, or one (score_parts), n × K
  Names labels;
  bool relative = false;
  std::vector<Index> unknown_levels = {};
  Index unprojected_rows = 0;

  Index rows() const noexcept { return values.empty() ? 0 : values.front().rows(); }
};

/// Throws as log_likelihood.
BlockScores block_scores(const Model& model, const RowBlock& rows, const ScoreOptions& options = {},
                         const Execution& execution = {});

/// What log_likelihood gives, to the last bit.
LogLikelihoods added_up(BlockScores scores);

/// Σ_b scale[b] log p(x_b | c) + offset[c]; where there are knots, for two classes, 0 for the
/// second and the mapped ratio for the first. What is impossible stays impossible, also with a
/// scale of 0. The result is relative: posteriors, ratios and decisions are to be made from it, and
/// log p(x) cannot be computed from it. Throws InvalidArgument where the calibration does not fit;
/// Cancelled.
LogLikelihoods calibrated(BlockScores scores, const Calibration& calibration,
                          const Execution& execution = {.threads = 1});

/// What decisions are made from: calibrated scores where the model has a calibration, otherwise
/// log_likelihood. Throws as log_likelihood.
LogLikelihoods calibrated_scores(const Model& model, const RowBlock& rows,
                                 const ScoreOptions& options = {}, const Execution& execution = {});

}  // namespace suffice
