#pragma once
// Scoring rows whose projections are known already, because several models share them.

#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// Of row i the numbers from z + i · stride on; at least as many as the model's projection makes.
struct ProjectedRows {
  const double* z = nullptr;
  Index stride = 0;
};

/// As log_likelihood of a model with a projection, which the rows of its block need not go through
/// again.
LogLikelihoods log_likelihood(const Model& model, const RowBlock& rows,
                              const ProjectedRows& projected, const ScoreOptions& options,
                              const Execution& execution = {});

}  // namespace suffice
