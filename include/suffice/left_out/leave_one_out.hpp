#pragma once
// Exact leave-one-out scores from one pass: each row is scored by the model that would have been
// estimated without it. No row is read again for that: the row is taken out of the sums, and the
// estimate made from them as usual. Where the change has a closed form, it is used.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "suffice/estimate/estimate.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {

/// Why there is no cheap exact form for these options, and what to do instead (k folds); nothing
/// where there is one. Full and tied covariances whose target is a diagonal that moves with each
/// row (a share of target 'diag'; map and bayes without a shrinkage by rows) take one factorisation
/// per row and class, which is done up to 100 features.
std::optional<std::string> no_leave_one_out(const Schema& schema, const EstimateOptions& options);

/// log of the classes' frequencies without a row of class `label` (−1: none) and this weight: −inf
/// for a class of which nothing remains. `out` has a number for each class.
void log_frequencies_without(const Vector& class_weights, Index label, double weight,
                             std::span<double> out);

/// Everything is as `estimate` would have it without the row, except three things that are held as
/// they are for all rows: with Shrinkage::rows the target T (and the features that are not
/// constant), the dictionary of levels, and pseudo-counts that are chosen automatically.
class LeaveOneOut {
 public:
  /// Keeps views of neither. Throws as estimate does, and InvalidArgument with the sentence above.
  LeaveOneOut(const Statistics& statistics, const EstimateOptions& options,
              const Execution& execution = {});
  ~LeaveOneOut();
  LeaveOneOut(LeaveOneOut&&) noexcept;
  LeaveOneOut& operator=(LeaveOneOut&&) noexcept;

  /// The model of all rows.
  const Model& model() const noexcept;

  /// log p(x | c), n × K, of labelled rows that are among those of the statistics. The label and
  /// the weight of a row determine what is taken out; a row of weight 0 is scored by the model of
  /// all rows. The row's own class has −inf where it has no other rows. Throws DataError where a
  /// row cannot have been among them, and what estimate would throw without the row: SingularError,
  /// InvalidArgument.
  LogLikelihoods operator()(const RowBlock& rows, const Execution& execution = {}) const;
  /// The same block by block.
  BlockScores block_scores(const RowBlock& rows, const Execution& execution = {}) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace suffice
