#pragma once
// How good are the answers? Log-likelihoods and true labels go in, block by block; a Report comes
// out. Memory does not grow with the number of rows.
//
//   log-loss  mean of −log P(true class | x), by natural logarithms, never clipped
//   Brier     mean of Σ_c (P(c | x) − [c is true])², over all classes: between 0 and 2
//
// Figures of the log-likelihood ratios (AUC, Cllr, detection costs) are in detection.hpp.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/report/detection.hpp"
#include "suffice/report/interval.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

/// One class against the others.
struct ClassDetection {
  DetectionCurve curve;
  double prior = 0.5;  ///< of the class
  /// The prior with the costs of both mistakes; nothing where the prior is 0 or 1, or a mistake
  /// costs no more than the right decision.
  std::optional<Application> application = {};
};

/// A row whose class had a small probability.
struct LossyRow {
  double row;  ///< its number among all that were added, from 0
  Index truth, decided;
  double log_loss;
};

/// One class: its rows against those of other labels, by log p(x).
struct Novelty {
  double mean_log_density = 0;  ///< over the rows of the class; NaN where there are none
  double other_rows = 0;        ///< with other labels
  /// Of log p(x), rows of the class as targets; nothing where one kind of rows is lacking.
  std::optional<DetectionCurve> curve = {};
  /// With EvaluatorOptions::outlier: the share of the other rows that are outliers.
  std::optional<double> detected = {};
};

/// Rows are counted by their weights.
struct Report {
  Names labels;
  double rows = 0;                ///< rows with a label that the model knows
  double unknown_label_rows = 0;  ///< whose label it does not know: else in `novelty` only
  double decided = 0;             ///< of `rows`, those that are neither rejected nor outliers
  double rejected = 0;
  double outliers = 0;

  // Over decided rows; NaN where there are none.
  double errors = 0;
  double error_rate = 0;         ///< errors / decided
  Interval error_interval;       ///< 95 %
  Matrix confusion;              ///< true × decided
  Vector recall, precision, f1;  ///< per class
  double balanced_accuracy = 0;  ///< mean recall of the classes that have rows
  double macro_f1 = 0;           ///< mean over classes that occur or were decided
  double weighted_f1 = 0;        ///< mean weighted by the rows of the classes
  double matthews = 0;           ///< correlation of truth and decision, for any number of classes

  // Over `rows`; NaN where there are none.
  Vector class_rows;  ///< rows of each class
  double log_loss = 0;
  double frequency_log_loss = 0;  ///< of the frequencies of the classes in `rows`
  double brier = 0;
  /// Mean cost over rows that are no outliers, a rejected row at the cost of rejection; only where
  /// costs or a cost of rejection were given.
  std::optional<double> cost;
  /// Σ_c π_c (mean cost of class c), over the least cost of a decision that looks at no row. 1 is
  /// knowing only the priors. Nothing where a class with a prior has no rows.
  std::optional<double> normalized_cost;
  /// Σ_c π_c (mean log-loss of class c), over the entropy of the priors. 1 as above.
  std::optional<double> normalized_cross_entropy;

  /// Two classes: the first against the second. More, up to 100: each class against the others;
  /// nothing where it has no rows, or the others have none.
  std::vector<std::optional<ClassDetection>> detection;
  std::optional<double> auc;  ///< two classes, both present; as those of `detection`
  std::optional<double> equal_error_rate;
  /// Beyond a million rows (2²⁰, shared by the classes) ratios are counted in bins: of 2⁻¹²
  /// relative width, of 2⁻⁸ for more than two classes.
  bool ratios_are_binned = false;
  std::optional<Novelty> novelty;  ///< one class, where scores are not relative
  std::vector<LossyRow> worst;     ///< by falling log-loss, the first of equals first
};

/// The log-loss of answering with the frequencies of the classes, whatever the row.
double frequency_log_loss(std::span<const double> class_rows);

struct EvaluatorOptions {
  std::optional<Costs> costs = {};     ///< of the decisions; otherwise 1 for every mistake
  std::optional<double> reject = {};   ///< as in DecideOptions
  std::optional<double> outlier = {};  ///< as in DecideOptions
  bool detection = true;               ///< otherwise ratios are not kept
  bool confusion = true;               ///< otherwise the report's is empty
  Index worst_rows = 0;                ///< how many rows with the highest loss are reported
};

class Evaluator {
 public:
  /// Throws InvalidArgument where the costs are over other labels than the priors.
  explicit Evaluator(Priors priors, EvaluatorOptions options = {});
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  /// truth[i] is the position of row i's label, -1 for one that the scores do not have. Empty
  /// weights are 1; outlier scores are needed where there is an outlier threshold.
  /// Throws InvalidArgument, and adds nothing, where sizes or labels do not fit, or a weight is
  /// negative or not finite; Cancelled.
  void add(const LogLikelihoods& scores, std::span<const Index> truth,
           std::span<const double> weights = {}, std::span<const double> outlier_scores = {},
           const Execution& execution = {});
  /// Throws Cancelled.
  Report report(const Execution& execution = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suffice
