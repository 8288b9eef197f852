#pragma once
// Choosing among candidates by cross-validation, exactly and from two passes: the first sums up
// each fold, the second scores each row by the models of the other folds' rows. Projections,
// shrinkage, smoothing and class frequencies are worked out inside the folds, so nothing leaks.
//
//   Selector selector(schema, {.candidates = {{.covariance = Covariance::tied}, {}}});
//   for (RowBlock rows : blocks) selector.learn(rows);
//   for (RowBlock rows : blocks) selector.score(rows);      // the same rows again
//   const Selection chosen = selector.finish();
//   Model model = estimate(selector.statistics(), chosen.best_options());

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suffice/decide/decide.hpp"
#include "suffice/models/estimate.hpp"

namespace suffice {

enum class Criterion { error, log_loss, cost };
std::string_view to_string(Criterion criterion);  ///< "error", "log-loss", "cost"
Criterion criterion_from_string(std::string_view name);

struct SelectOptions {
  std::vector<EstimateOptions> candidates;
  /// Rows of each class are dealt to so many folds, in an order that the seed shuffles; 0 leaves
  /// out one row at a time.
  Index folds = 5;
  std::uint64_t seed = 0;
  /// Probabilities of the classes; none: the frequencies among the training rows of the fold.
  std::optional<Priors> priors = {};
  std::optional<Costs> costs = {};  ///< none: every mistake costs 1
  Criterion criterion = Criterion::error;
  /// The simplest candidate within one standard error of the best, instead of the best: the one
  /// with the fewest parameters.
  bool one_standard_error = false;
};

/// What was measured on some rows.
struct Score {
  double rows = 0;  ///< their weight
  double error_rate = 0, log_loss = 0, cost = 0;
};

struct CandidateResult {
  EstimateOptions options;
  std::string error = {};  ///< why it could not be estimated; then there are no scores
  Score score = {};        ///< over all rows
  /// Standard errors: between folds (of their means), or between rows for leave-one-out.
  double error_rate_se = 0, log_loss_se = 0, cost_se = 0;
  std::vector<Score> folds = {};  ///< empty for leave-one-out
  double seconds = 0;             ///< spent on this candidate alone
};

struct Selection {
  std::vector<CandidateResult> candidates;  ///< in the order of the options
  std::vector<Index> ranking;               ///< best first; those with an error last
  Index best = -1;                          ///< by the rule that was asked for

  const EstimateOptions& best_options() const { return candidates[best].options; }
};

class Selector {
 public:
  /// Throws InvalidArgument: no candidates, one fold, costs over other labels, …
  Selector(Schema schema, SelectOptions options);
  ~Selector();
  Selector(Selector&&) noexcept;

  /// First pass. `folds` names the fold of each row where a column gives them; then
  /// SelectOptions::folds is not looked at.
  void learn(const RowBlock& rows, const Column& folds = {}, const Execution& execution = {});
  /// Between the passes, when the classes are known: priors and costs in place of those of the
  /// options.
  void decide_with(std::optional<Priors> priors, std::optional<Costs> costs = {});
  /// Second pass: the same rows in the same order, cut in any way.
  void score(const RowBlock& rows, const Column& folds = {}, const Execution& execution = {});
  /// Throws InvalidArgument where the passes had different numbers of rows, or no candidate could
  /// be estimated (the message has the first reason).
  Selection finish();
  /// Of all rows, after the first pass.
  const Statistics& statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Both passes over rows in memory.
Selection select(const Schema& schema, const RowBlock& rows, const SelectOptions& options,
                 const Execution& execution = {});

}  // namespace suffice
