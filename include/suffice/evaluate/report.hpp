#pragma once
// How good are the answers? Log-likelihoods, decisions and true labels go in, block by block; a
// Report comes out. Memory does not grow with the number of rows.
//
//   log-loss  mean of −log P(true class | x), by natural logarithms, never clipped
//   Brier     mean of Σ_c (P(c | x) − [c is true])², over all classes: between 0 and 2
//   AUC       P(a row of the first class has a larger log-likelihood ratio than one of the second),
//             ties counted half; two classes only
//   EER       the error rate where both classes' error rates are equal; two classes only

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/evaluate/interval.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

/// Rows are counted by their weights.
struct Report {
  Names labels;
  double rows = 0;                ///< rows with a label that the model knows
  double unknown_label_rows = 0;  ///< rows whose label it does not know: in nothing else below
  double decided = 0;             ///< of `rows`, those that are neither rejected nor outliers
  double rejected = 0;
  double outliers = 0;
  double errors = 0;
  double error_rate = 0;      ///< errors / decided; NaN where nothing was decided
  Interval error_interval;    ///< 95 %
  double log_loss = 0;        ///< over `rows`; NaN where there are none
  double brier = 0;           ///< over `rows`
  Matrix confusion;           ///< true × decided, over decided rows
  Vector class_rows;          ///< of `rows`, those of each class
  Vector recall, precision;   ///< per class, over decided rows; NaN where there are none
  std::optional<double> auc;  ///< two classes, both present; over `rows`
  std::optional<double> equal_error_rate;
  /// Beyond a million rows (2²⁰), ratios are counted in as many bins of 2⁻¹² relative width.
  bool ratios_are_binned = false;
  /// Mean cost over rows that are no outliers, a rejected row at the cost of rejection; only where
  /// costs were given. NaN where there are no such rows.
  std::optional<double> cost;
};

class Evaluator {
 public:
  /// `costs` are those of the decisions, where the mean cost is wanted.
  /// Throws InvalidArgument where they are over other labels.
  explicit Evaluator(Names labels, std::optional<Costs> costs = {});
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  /// truth[i] is the position of row i's label in `labels`, -1 for one that is not among them.
  /// Empty weights are 1. Throws InvalidArgument, and adds nothing, where sizes or labels do not
  /// fit, or a weight is negative or not finite; Cancelled.
  void add(const LogLikelihoods& scores, const Priors& priors, const Decisions& decisions,
           std::span<const Index> truth, std::span<const double> weights = {},
           const Execution& execution = {});
  Report report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suffice
