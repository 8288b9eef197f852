#pragma once
// The loop of predict and evaluate: a table goes by in blocks, and each is handed over with its
// answers.

#include <functional>

#include "cli/input/plan.hpp"
#include "cli/input/table.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/decision.hpp"
#include "suffice/predict/predictor.hpp"

namespace suffice::cli {

/// Some rows with their answers; valid during the call.
struct ScoredRows {
  const Rows& rows;
  const RowBlock& block;
  const Predictions& answers;
};

/// Reads the table to its end, and calls `use` with each block, in order. Says at the end which
/// features had levels that the model does not know. Shows progress. Throws what reading, scoring
/// and `use` throw; a value that a family cannot have with its place in the file. `numbers`: how
/// many `use` makes of a row; blocks are smaller where they are many.
void score_table(const Context& context, Table& table, const Plan& plan, const Model& model,
                 const Decision& decision, const Wanted& wanted,
                 const std::function<void(const ScoredRows&)>& use, Index numbers = 1);

}  // namespace suffice::cli
