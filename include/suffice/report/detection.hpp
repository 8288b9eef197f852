#pragma once
// One class against the others, by the log-likelihood ratio r of each row: the figures of speaker
// recognition and forensic science, and the reliability of probabilities.
//
//   miss(t)         share of the target's rows with r ≤ t        (t: the threshold)
//   false alarm(t)  share of the other rows with r > t
//   DCF             π C_miss miss + (1 − π) C_fa false alarm: the mean cost of the decisions
//   Cllr            [mean over targets of log₂(1 + e^−r) + mean over others of log₂(1 + e^r)] / 2:
//                   the cost over all priors. 0 is perfect; 1 knows nothing
//
// "min" figures are those after the best monotone map of the ratios (pooling adjacent violators),
// whose error rates are the convex hull of the ROC: what is lost beyond them is calibration.

#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Rows with one ratio, by weight. A ratio may be infinite.
struct RatioCount {
  double ratio;
  double target, other;
};

/// What a decision is for.
struct Application {
  double prior = 0.5;  ///< of the target
  double miss_cost = 1, false_alarm_cost = 1;

  /// θ: the log-odds of the effective prior, log(π C_miss / ((1 − π) C_fa)). The target is decided
  /// where r > −θ.
  double log_odds() const;
};

struct Detection {
  double cllr = 0, min_cllr = 0;
  double eer_hull = 0;  ///< where misses and false alarms are equal on the hull of the ROC
  double actual_dcf = 0, min_dcf = 0;
  /// actual_dcf over that of the better of the two decisions that look at nothing.
  double normalized_dcf = 0;
};

/// Score = miscalibration − discrimination + uncertainty (Dimitriadis, Gneiting and Jordan, 2021).
struct Decomposition {
  double score = 0;
  double miscalibration = 0;  ///< what a monotone map of the probabilities would save
  double discrimination = 0;  ///< what the map's probabilities save beyond the frequencies
  double uncertainty = 0;     ///< of the frequencies alone
};

struct ErrorRates {
  double miss = 0, false_alarm = 0;
};

class DetectionCurve {
 public:
  /// Counts in any order; equal ratios are added up. Both kinds of rows must have weight.
  explicit DetectionCurve(std::vector<RatioCount> counts);

  Detection at(const Application& application) const;
  /// Bayes error at an effective prior, E(θ) = σ(θ) miss(−θ) + σ(−θ) false alarm(−θ), and the least
  /// that a threshold could reach.
  double error(double log_odds) const;
  double minimum_error(double log_odds) const;
  ErrorRates rates(double threshold) const;

  double cllr() const;
  double min_cllr() const;
  double eer_hull() const;
  /// P(a row of the target has a larger ratio than another row), ties counted half.
  double auc() const;
  /// Where misses and false alarms are equal, interpolated between neighbouring thresholds.
  double equal_error_rate() const;

  /// By rising ratio, each ratio once.
  const std::vector<RatioCount>& counts() const { return counts_; }
  /// Of thresholds from −∞ (no misses) to ∞, each ratio a step.
  const std::vector<ErrorRates>& steps() const { return steps_; }
  /// Corners of the convex hull, in the same order.
  const std::vector<ErrorRates>& hull() const { return hull_; }

  /// A step of the reliability diagram: probabilities from `low` to `high` should be `share`.
  struct ReliabilityStep {
    double low, high;  ///< posteriors
    double share;      ///< of the target among the rows
    double rows;       ///< their weight
  };
  /// Of the posteriors under a prior of the target.
  std::vector<ReliabilityStep> reliability(double prior) const;
  /// −log P(class of the row), in nats.
  Decomposition log_loss(double prior) const;
  /// Σ over both classes of (P − [true])², from 0 to 2.
  Decomposition brier(double prior) const;

 private:
  struct Pooled {
    double low, high;  // ratios
    double target, other;
  };
  /// The ratio of a pooled step: log of its share of the targets over its share of the others.
  double ratio_of(const Pooled& step) const;
  template <class Loss>
  Decomposition decomposed(double prior, const Loss& loss) const;

  std::vector<RatioCount> counts_;  // by rising ratio
  double targets_ = 0, others_ = 0;
  std::vector<Pooled> pooled_;
  std::vector<ErrorRates> steps_, hull_;
};

}  // namespace suffice
