#pragma once
// Choosing among candidates by cross-validation, exactly and from two passes: the first sums up
// each fold, the second scores each row by the models of the other folds' rows. Projections,
// shrinkage, smoothing and class frequencies are worked out inside the folds, so nothing leaks.
//
//   Selector selector(schema, {.candidates = {{.covariance = Covariance::tied}, {}}});
//   for (RowBlock rows : blocks) selector.learn(rows);
//   for (RowBlock rows : blocks) selector.score(rows);      // the same rows again
//   const Selection chosen = selector.finish();
//   Model model = estimate(selector.statistics(), chosen.best_options())
//                     .with_calibration(chosen.candidates[chosen.best].calibration);
//
// Folds are dealt row by row, whatever their weights. Classes and levels of categories are known in
// all folds, once a row of any fold has them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suffice/decide/decide.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/left_out/selection.hpp"
#include "suffice/train/estimate_with_rows.hpp"

namespace suffice {

struct SelectOptions {
  std::vector<EstimateOptions> candidates;
  /// Rows of each class are dealt to that many folds, in an order that the seed shuffles; 0 leaves
  /// out one row at a time.
  Index folds = 5;
  std::uint64_t seed = 0;
  /// Probabilities of the classes; none: the frequencies among the training rows of the fold.
  std::optional<Priors> priors = {};
  std::optional<Costs> costs = {};  ///< none: every mistake costs 1
  Criterion criterion = Criterion::log_loss;
  /// Calibrates each candidate on the scores of the rows that it was not estimated from, and
  /// measures what is left: K + 1 numbers, found on the very rows that are measured. A scale and
  /// offsets of 0 are the frequencies of the classes, so no log-loss ends above theirs (by more
  /// than what the penalty allows: ½ (K + 1) over the number of rows).
  bool calibrate = true;
  /// The simplest candidate within one standard error of the best, instead of the best: the one
  /// whose densities have the fewest parameters, and of equals the better one.
  bool one_standard_error = false;
  /// For candidates that take passes over the rows (Selector::read_again_with).
  RowTraining training = {};
};

/// What the chosen candidate says of rows that it was not estimated from: the models of the other
/// folds, calibrated as the chosen one is. A row of weight 0 has −1 and NaN.
struct FoldPredictions {
  Names labels;
  Matrix posteriors;           ///< rows × classes
  std::vector<Index> classes;  ///< decided, positions among the labels
  std::vector<Index> folds;    ///< positions in Selection::folds; −1 for leave-one-out
};

/// What a second pass over some of the rows has added up, so that passes on several machines can be
/// put together.
struct FoldScores {
  /// A row for each fold and, within it, each candidate; what stands in it is for add_scores alone.
  Matrix sums;
  std::vector<Sentence> errors;  ///< per candidate
  Vector parameters, seconds;    ///< per candidate
};

class Selector {
 public:
  /// Throws InvalidArgument: no candidates, one fold. A candidate that cannot be has an error in
  /// the selection.
  Selector(Schema schema, SelectOptions options);
  ~Selector();
  Selector(Selector&&) noexcept;
  Selector& operator=(Selector&&) noexcept;

  /// First pass. `folds` names the fold of each row where a column gives them; then
  /// SelectOptions::folds is not looked at. Throws as Statistics::update; DataError for a row
  /// without a fold.
  void learn(const RowBlock& rows, const Column& folds = {}, const Execution& execution = {});
  /// A first pass that was made elsewhere: the sums of rows of this fold, with which the calls have
  /// the same fold or another one. The rows themselves are then never learned here, and the second
  /// pass may have any part of them. Throws InvalidArgument for another schema or kind of scatter,
  /// and where scores are to be calibrated, which takes all of them in one place.
  void learn(const std::string& fold, const Statistics& sums);
  /// Sums of further rows of the same classes: the models of every fold are estimated from them as
  /// well, and none of these rows is scored. Before the second pass begins.
  void learn_beside(const Statistics& sums);
  /// The rows of both passes once more, block by block, each with the column of its folds. It may
  /// be called by several threads at a time.
  using RowsOfFolds = std::function<void(
      const std::function<void(const RowBlock& rows, const Column& folds)>& use)>;
  /// Candidates that take passes of their own (mixtures, discriminative ones, completed sums) call
  /// this function. Without it the first two have an error, and sums are those of complete rows.
  void read_again_with(RowsOfFolds rows);
  /// Between the passes, when the classes are known: priors and costs instead of those of the
  /// options.
  void decide_with(std::optional<Priors> priors, std::optional<Costs> costs = {});
  /// Second pass: the same rows in the same order, cut in any way. The first call ends the first
  /// pass. Throws InvalidArgument: one class in all, fewer than two folds, more folds than the
  /// largest class has rows, priors or costs over other classes, rows that the first pass had not.
  void score(const RowBlock& rows, const Column& folds = {}, const Execution& execution = {});
  /// What the second pass has added up so far; and what one of the same candidates and folds has
  /// added up elsewhere, in addition to it.
  FoldScores scores() const;
  void add_scores(const FoldScores& more);
  /// Throws InvalidArgument where the passes had different numbers of rows, or no candidate could
  /// be estimated (the message has the first reason).
  Selection finish(const Execution& execution = {});
  /// A third pass, after finish(), over the same rows in the same order, cut in any way. Priors and
  /// costs are those of the second pass. Throws as score, and InvalidArgument before finish().
  FoldPredictions predict(const RowBlock& rows, const Column& folds = {},
                          const Execution& execution = {});
  /// Of all rows; ends the first pass.
  const Statistics& statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Both passes over rows in memory.
Selection select(const Schema& schema, const RowBlock& rows, const SelectOptions& options,
                 const Column& folds = {}, const Execution& execution = {});

}  // namespace suffice
