#pragma once
// Exact leave-one-out scores from one pass: each row is scored by the model that would have been
// estimated without it, and no model is estimated again. With W₋ = W − u, δ = x − m of its own
// class, removing weight u gives x − m₋ = (W / W₋) δ and S₋ = S − (W u / W₋) δδᵀ, so the quadratic
// forms and determinants change in closed form. For A = S + …, q = δᵀ A⁻¹ δ, a = W u / W₋ and
// h = 1 − a q the row's own class has (W / W₋)² q / h and log det A + log h.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suffice/models/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// Why there is no cheap exact form for these options, with the way out (k folds); nothing where
/// there is one. Full and tied covariances whose target is a diagonal that moves with each row (a
/// share of target 'diag'; map and bayes without a shrinkage by rows) take one factorisation a row
/// and a class, which is done up to 100 features.
std::optional<std::string> no_leave_one_out(const Schema& schema, const EstimateOptions& options);

/// log of the classes' frequencies without a row of class `label` (−1: none) and this weight: −inf
/// for a class of which nothing remains. `out` has a number for each class.
void log_frequencies_without(const Vector& class_weights, Index label, double weight,
                             std::span<double> out);

/// Everything is as `estimate` would have it without the row, but for two things that are held as
/// they are for all rows: with Shrinkage::rows the target T (and the features that are not
/// constant), and the dictionary of levels.
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

  /// log p(x | c), n × K, of labelled rows that are among those of the statistics; the label and
  /// the weight of a row say what is taken out, and a row of weight 0 is scored by the model of all
  /// rows. The row's own class has −inf where nothing else of it remains. Throws DataError where a
  /// row cannot have been among them, and what estimate would throw without the row: SingularError,
  /// InvalidArgument.
  LogLikelihoods operator()(const RowBlock& rows, const Execution& execution = {}) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// The strength v (Shrinkage::rows) with the fewest leave-one-out errors, ties by log-loss,
/// over a grid of strengths with the target T held fixed: v = 1, 2, 4, … up to 256 times the weight
/// of the largest class (tied: of all classes). Classes have the frequencies of the other rows as
/// priors; rows are counted by their weights. Rows come block by block, in any cut. Rows that lack
/// a Gaussian feature have no part in the choice.
class LeaveOneOutShrinkage {
 public:
  /// `options.covariance` is full or tied; its `shrinkage` is not looked at. Keeps views of
  /// neither. Throws InvalidArgument, and as estimate does.
  LeaveOneOutShrinkage(const Statistics& statistics, const EstimateOptions& options,
                       const Execution& execution = {});
  /// What can be said against the options before there are rows. Throws InvalidArgument.
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
