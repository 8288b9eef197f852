#pragma once
// The strength of shrinkage with the best leave-one-out scores, from one more pass over the rows.

#include <memory>
#include <vector>

#include "suffice/estimate/estimate.hpp"

namespace suffice {

/// The strength v (Shrinkage::rows) with the fewest leave-one-out errors, ties by log-loss,
/// over a grid of strengths with the target T held fixed: v = 1, 2, 4, … up to 256 times the weight
/// of the largest class (tied: of all classes). Classes have the frequencies of the other rows as
/// priors; rows are counted by their weights. Rows come block by block, in any cut. Rows that lack
/// a Gaussian feature are left out of the choice.
class LeaveOneOutShrinkage {
 public:
  /// `options.covariance` is full or tied; its `shrinkage` is ignored. Keeps views of
  /// neither. Throws InvalidArgument, and as estimate does.
  LeaveOneOutShrinkage(const Statistics& statistics, const EstimateOptions& options,
                       const Execution& execution = {});
  /// Throws InvalidArgument for options that are impossible whatever the rows.
  static void require_possible(const EstimateOptions& options);
  ~LeaveOneOutShrinkage();
  LeaveOneOutShrinkage(LeaveOneOutShrinkage&&) noexcept;
  LeaveOneOutShrinkage& operator=(LeaveOneOutShrinkage&&) noexcept;

  /// The same rows again. Throws DataError where a row cannot have been among them.
  void score(const RowBlock& rows, const Execution& execution = {});

  struct Choice {
    Shrinkage shrinkage;
    double error_rate = 0, log_loss = 0;
  };
  /// What was measured for every strength of the grid, weakest first.
  std::vector<Choice> grid() const;
  /// Throws InvalidArgument where no row was scored.
  Choice finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suffice
