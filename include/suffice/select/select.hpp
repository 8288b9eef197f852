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

#include "suffice/core/error.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/models/calibration.hpp"
#include "suffice/train/estimate_with_rows.hpp"

namespace suffice {

enum class Criterion { error, log_loss, cost };
std::string_view to_string(Criterion criterion);  ///< "error", "log-loss", "cost"
Criterion criterion_from_string(std::string_view name);

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

/// What was measured on some rows.
struct Score {
  double rows = 0;  ///< their weight
  double error_rate = 0, log_loss = 0, cost = 0;
  /// The weight of rows whose own class had the probability 0: each makes the log-loss infinite.
  double impossible = 0;
};

struct CandidateResult {
  EstimateOptions options;
  Sentence error = {};  ///< why it could not be estimated, and where; then nothing else is told
  Score score = {};     ///< over all rows
  /// With SelectOptions::calibrate: what made these scores, and what they were without it.
  std::optional<Calibration> calibration = {};
  Score uncalibrated = {};
  /// Standard errors: the deviation of the folds' scores over the root of their number; for
  /// leave-one-out that of the rows'. Of an infinite mean it is infinite.
  double error_rate_se = 0, log_loss_se = 0, cost_se = 0;
  std::vector<Score> folds = {};  ///< in the order of Selection::folds
  double parameters = 0;          ///< numbers that its densities have (projections do not count)
  double seconds = 0;             ///< of processors, spent on this candidate alone
};

struct Selection {
  std::vector<CandidateResult> candidates;  ///< in the order of the options
  /// "1", "2", …, or the names that the column has, sorted; none for leave-one-out.
  std::vector<std::string> folds;
  /// Best first by the criterion: errors (ties: log-loss), log-loss (ties: errors), or cost (ties:
  /// log-loss). Those with an error come last.
  std::vector<Index> ranking;
  Index best = -1;  ///< by the rule that was asked for
  /// The log-loss of the classes' frequencies alone: what a candidate must stay below to be of use.
  double frequency_log_loss = 0;
  /// One sentence for each class that the training rows of some fold lack.
  std::vector<std::string> notes;

  /// Where the best candidate has the smallest or largest number of an option that was compared:
  /// one sentence for each, with a number to try.
  std::vector<std::string> hints;

  const EstimateOptions& best_options() const { return candidates[best].options; }
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
