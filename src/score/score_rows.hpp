#pragma once
// All blocks of a model, scored row by row. Projections of the rows may be known already.

#include <functional>

#include "score/projected_rows.hpp"
#include "score/scorer.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// Scores all rows; `finish(first, count, scores)` gets each tile, count × K, from any worker.
/// `out` is where the scores are put, or null.
Unscored score_rows(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                    const ProjectedRows& projected, const Execution& execution, double* out,
                    const std::function<void(Index, Index, const double*)>& finish);

/// As log_likelihood of a model with a projection, which the rows of its block need not go through
/// again.
LogLikelihoods log_likelihood(const Model& model, const RowBlock& rows,
                              const ProjectedRows& projected, const ScoreOptions& options,
                              const Execution& execution = {});

}  // namespace suffice
