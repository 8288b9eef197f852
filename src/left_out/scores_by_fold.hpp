#pragma once
// Scores of the rows of each fold by models of all other rows.

#include <memory>
#include <optional>
#include <vector>

#include "left_out/fold_models.hpp"
#include "left_out/held_out.hpp"

namespace suffice {

class ScoresByFold : public HeldOut {
 public:
  ScoresByFold(std::vector<EstimateOptions> candidates, Index folds);

  /// Makes the models of a fold from the rows outside it; different folds at a time.
  void prepare(Index fold, const Statistics& others, const FoldTraining& passes,
               const Execution& execution);
  bool has(Index fold) const { return models_[static_cast<std::size_t>(fold)] != nullptr; }
  void release(Index fold) { models_[static_cast<std::size_t>(fold)].reset(); }
  const CandidateNotes& notes(Index fold, Index candidate) const;

  void score(const RowsToScore& rows, const Use& use, const Execution& execution) const override;
  Priors frequencies(LogLikelihoods&, const LeftOutRows& rows) const override {
    return *priors_[static_cast<std::size_t>(rows.group)];
  }

 private:
  CandidatePlan plan_;
  std::vector<std::unique_ptr<FoldModels>> models_;  ///< per fold; null: not at hand
  std::vector<std::optional<Priors>> priors_;        ///< of the rows outside a fold
};

}  // namespace suffice
