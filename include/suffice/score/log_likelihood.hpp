#pragma once
// The classifier's product: log p(x | class) for each row and class. Priors and costs come later.
//
// A row with missing coordinates is scored by its exact marginal: the density of what it has. A
// category level that the model does not know counts as missing. A class of weight 0 has −inf.
// Projected features are scored by the density of their projections, log p(z | class), and a row
// that lacks one of them lacks all.

#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

struct ScoreOptions {
  /// Skip terms that all classes share: much less work for a linear (tied) model.
  bool relative = false;
  /// Whether rows may lack values. A level that the model does not know is not a missing value.
  Missing missing = Missing::allow;
};

/// Rows need no labels; if they have any these are not looked at.
/// Throws InvalidArgument (wrong number of features), DataError (a value that the family cannot
/// have, or a missing one where those are refused), Cancelled.
LogLikelihoods log_likelihood(const Model& model, const RowBlock& rows,
                              const ScoreOptions& options = {}, const Execution& execution = {});

/// For each row the class with the largest log p(x | class) + offset[class]; the first of equals,
/// -1 where all are −inf. With log-priors as offsets that is the most probable class. Scores are
/// always relative, and those of a model with a calibration are calibrated; otherwise no n × K
/// matrix is made. An empty offset is 0.
std::vector<Index> best_class(const Model& model, const RowBlock& rows,
                              std::span<const double> offset, const ScoreOptions& options,
                              const Execution& execution = {});
std::vector<Index> best_class(const Model& model, const RowBlock& rows,
                              std::span<const double> offset = {}, const Execution& execution = {});

}  // namespace suffice
