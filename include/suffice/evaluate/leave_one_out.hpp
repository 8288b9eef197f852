#pragma once
// Exact leave-one-out scores from one pass: each row is scored by the model that would have been
// estimated without it, and no model is estimated again. With W₋ = W − u, δ = x − m of its own
// class, removing weight u gives x − m₋ = (W / W₋) δ and S₋ = S − (W u / W₋) δδᵀ, so the quadratic
// forms and determinants change in closed form.

#include <memory>
#include <optional>
#include <string>

#include "suffice/models/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// Why there is no cheap exact form for these options, with the way out (k folds); nothing where
/// there is one.
std::optional<std::string> no_leave_one_out(const Schema& schema, const EstimateOptions& options);

class LeaveOneOut {
 public:
  /// Keeps views of neither. Throws as estimate does, and InvalidArgument with the sentence above.
  LeaveOneOut(const Statistics& statistics, const EstimateOptions& options,
              const Execution& execution = {});
  ~LeaveOneOut();
  LeaveOneOut(LeaveOneOut&&) noexcept;

  /// log p(x | c), n × K, of labelled rows that are among those of the statistics; the label and
  /// the weight of a row say what is taken out. The row's own class has −inf where nothing else of
  /// it remains. Throws DataError where a row cannot have been among them.
  LogLikelihoods operator()(const RowBlock& rows, const Execution& execution = {}) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// The strength v (Shrinkage::Kind::rows) with the fewest leave-one-out errors, ties by log-loss,
/// over a grid of strengths with the target T held fixed. Rows come block by block.
class LeaveOneOutShrinkage {
 public:
  /// `options.covariance` is full or tied; its `shrinkage` is not looked at.
  LeaveOneOutShrinkage(const Statistics& statistics, const EstimateOptions& options,
                       const Execution& execution = {});
  ~LeaveOneOutShrinkage();
  LeaveOneOutShrinkage(LeaveOneOutShrinkage&&) noexcept;

  /// The same rows again.
  void score(const RowBlock& rows, const Execution& execution = {});
  struct Choice {
    Shrinkage shrinkage;
    double error_rate = 0, log_loss = 0;
  };
  Choice finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suffice
