#include "left_out/scores_by_fold.hpp"

#include <utility>

#include "core/at.hpp"

namespace suffice {

ScoresByFold::ScoresByFold(std::vector<EstimateOptions> candidates, Index folds)
    : plan_(std::move(candidates)), models_(at(folds)), priors_(at(folds)) {}

void ScoresByFold::prepare(Index fold, const Statistics& others, const FoldTraining& passes,
                           const Execution& execution) {
  models_[at(fold)] = std::make_unique<FoldModels>(plan_, others, execution, passes);
  priors_[at(fold)] = models_[at(fold)]->priors();
}

const CandidateNotes& ScoresByFold::notes(Index fold, Index candidate) const {
  return models_[at(fold)]->candidate(candidate).notes;
}

void ScoresByFold::score(const RowsToScore& rows, const Use& use,
                         const Execution& execution) const {
  const FoldModels::SharedRows shared(*models_[at(rows.group)], rows.block, execution);
  for (Index j = 0; j < std::ssize(plan_.candidates); ++j) use(j, [&] { return shared.scores(j); });
}

}  // namespace suffice
