#pragma once
// The loop of predict and evaluate: a table goes by in blocks, each is scored and handed
// over.

#include <functional>
#include <span>

#include "cli/input/plan.hpp"
#include "cli/input/table.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/decision.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice::cli {

/// What is wanted of each row beside scores for its decision.
struct Wanted {
  bool log_likelihoods = false;  ///< log p(x | c) itself; otherwise scores may be relative
  bool log_densities = false;    ///< log p(x)
  bool outlier_scores = false;   ///< also worked out where --outlier needs them
  bool uncalibrated = false;     ///< scores as they were before the calibration, maybe relative
  /// Nothing but the most probable class: where that is faster, there are no scores.
  bool classes_only = false;
};

/// Some rows with their scores; valid during the call.
struct ScoredRows {
  const Rows& rows;
  const LogLikelihoods& scores;            ///< calibrated, where the model has a calibration
  const LogLikelihoods& log_likelihoods;   ///< never calibrated; empty unless wanted or needed
  std::span<const double> log_densities;   ///< empty unless wanted
  std::span<const double> outlier_scores;  ///< empty unless wanted or needed
  /// The most probable class; empty unless nothing else was wanted. Then `scores` may be empty. -1
  /// where every class has the density 0.
  std::span<const Index> classes = {};
};

/// Reads the table to its end, and calls `use` with each block, in order. Says at the end which
/// features had levels that the model does not know. Shows progress. Throws what reading, scoring
/// and `use` throw; a value that a family cannot have with its place in the file.
void score_table(const Context& context, Table& table, const Plan& plan, const Model& model,
                 const Decision& decision, const Wanted& wanted,
                 const std::function<void(const ScoredRows&)>& use);

}  // namespace suffice::cli
