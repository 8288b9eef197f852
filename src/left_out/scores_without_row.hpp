#pragma once
// Scores of each row by the model without it, for candidates of which that has an exact form
// (suffice/left_out/leave_one_out.hpp).

#include <optional>
#include <span>
#include <vector>

#include "left_out/dominant_rows.hpp"
#include "left_out/held_out.hpp"
#include "suffice/left_out/leave_one_out.hpp"

namespace suffice {

class ScoresWithoutRow : public HeldOut {
 public:
  /// Keeps a view of `all`, the statistics of all rows.
  ScoresWithoutRow(const Statistics& all, std::vector<EstimateOptions> candidates,
                   const Execution& execution);

  /// `rows` are all rows in one block: those that hold nearly all of a variance are scored by sums
  /// that are made again without them. `nothing` has the labels and levels of all rows.
  void sum_up_without_dominant(const Statistics& nothing, const RowBlock& rows,
                               std::span<const std::int32_t> label, const double* weight,
                               Index first_number, const Execution& execution);
  const CandidateNotes& notes(Index candidate) const { return notes_[candidate]; }

  void score(const RowsToScore& rows, const Use& use, const Execution& execution) const override;
  Priors frequencies(LogLikelihoods& scores, const LeftOutRows& rows) const override;

 private:
  const Statistics& all_;
  std::vector<EstimateOptions> candidates_;
  std::vector<std::optional<LeaveOneOut>> leave_one_out_;
  std::vector<CandidateNotes> notes_;
  DominantScores dominant_;
};

}  // namespace suffice
