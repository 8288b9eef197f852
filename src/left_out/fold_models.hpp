#pragma once
// The candidates' models of one fold's training rows, and what they share: principal components are
// found once, for the largest number of them, and rows go through them once.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "left_out/held_out.hpp"
#include "score/score_rows.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/train/estimate_with_rows.hpp"

namespace suffice {

/// The candidates, with the projections that occur among them: each kind once.
struct CandidatePlan {
  struct Projection {
    std::optional<Pca> pca;
    std::optional<Index> lda;
    friend bool operator==(const Projection&, const Projection&) = default;
  };

  explicit CandidatePlan(std::vector<EstimateOptions> options);

  std::vector<EstimateOptions> candidates;
  std::vector<Projection> projections;
  std::vector<Index> projection_of;  ///< per candidate; -1: none
};

/// For candidates that take passes over a fold's training rows.
struct FoldTraining {
  RowTraining how = {};
  RowPass rows = {};  ///< empty: they cannot be read again
};

class FoldModels {
 public:
  /// `plan` must outlive it, `training` and `passes` need not.
  FoldModels(const CandidatePlan& plan, const Statistics& training, const Execution& execution,
             const FoldTraining& passes = {});

  struct Candidate {
    std::optional<Model> model = {};
    CandidateNotes notes = {};
    bool by_passes = false;  ///< then projections are the model's own
  };
  const Candidate& candidate(Index j) const { return candidates_[j]; }
  /// The frequencies of the classes among the training rows.
  const Priors& priors() const noexcept { return priors_; }

  /// Some rows as all candidates see them.
  class SharedRows {
   public:
    SharedRows(const FoldModels& models, const RowBlock& rows, const Execution& execution);
    /// log p(x_b | c) of each block, up to a term that all classes share; the candidate must have
    /// a model.
    BlockScores scores(Index candidate) const;

   private:
    const FoldModels& models_;
    const RowBlock& rows_;
    const Execution& execution_;
    std::vector<Matrix> bases_;             ///< rows × the base's width
    std::vector<Matrix> second_maps_;       ///< per projection, where it has a second map
    std::vector<ProjectedRows> projected_;  ///< per projection
  };

 private:
  /// How rows get to a projection: the first `width` numbers of a base, or these times a second
  /// map.
  struct Way {
    std::size_t base = 0;
    Index width = 0;
    Matrix second = {};
    Sentence error = {};
  };
  struct Bases;

  const CandidatePlan& plan_;
  Schema schema_;
  Priors priors_;
  std::vector<LinearMap> bases_;  ///< of the features
  std::vector<Way> ways_;         ///< per projection
  std::vector<Candidate> candidates_;
};

}  // namespace suffice
