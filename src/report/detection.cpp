#include "suffice/report/detection.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "calibrate/pav.hpp"
#include "core/compensated_sum.hpp"
#include "core/constants.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

/// log(1 + eˣ)
double softplus(double x) {
  if (x == infinity) return infinity;
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// a · b, where nothing of infinity is nothing.
double times(double a, double b) { return a == 0 ? 0 : a * b; }

double log_odds_of(double p) { return std::log(p) - std::log1p(-p); }

}  // namespace

double Application::log_odds() const {
  return log_odds_of(prior) + std::log(miss_cost) - std::log(false_alarm_cost);
}

DetectionCurve::DetectionCurve(std::vector<RatioCount> counts) {
  std::ranges::sort(counts, {}, &RatioCount::ratio);
  CompensatedSum targets, others;
  for (const RatioCount& count : counts) {
    if (std::isnan(count.ratio)) throw InvalidArgument("a log-likelihood ratio is not a number");
    if (count.target == 0 && count.other == 0) continue;
    targets.add(count.target);
    others.add(count.other);
    if (!counts_.empty() && counts_.back().ratio == count.ratio) {
      counts_.back().target += count.target;
      counts_.back().other += count.other;
    } else {
      counts_.push_back(count);
    }
  }
  targets_ = targets.value();
  others_ = others.value();
  if (!(targets_ > 0 && others_ > 0))
    throw InvalidArgument("detection figures need rows of the class and rows of others");

  std::vector<ScoredWeights> scored;
  for (const RatioCount& count : counts_)
    scored.push_back({count.ratio, count.target, count.other});
  for (const PooledStep& step : pool_adjacent_violators(std::move(scored)))
    pooled_.push_back({step.low, step.high, step.first, step.second});

  const auto walk = [&](const auto& groups) {
    std::vector<ErrorRates> result = {{0, 1}};
    CompensatedSum missed, rejected;
    for (const auto& group : groups) {
      missed.add(group.target);
      rejected.add(group.other);
      result.push_back({std::min(missed.value() / targets_, 1.0),
                        std::max(1 - rejected.value() / others_, 0.0)});
    }
    return result;
  };
  steps_ = walk(counts_);
  hull_ = walk(pooled_);
}

ErrorRates DetectionCurve::rates(double threshold) const {
  // The number of ratios that are not above the threshold.
  const auto above = std::ranges::upper_bound(counts_, threshold, {}, &RatioCount::ratio);
  return steps_[static_cast<std::size_t>(above - counts_.begin())];
}

double DetectionCurve::error(double log_odds) const {
  const ErrorRates at = rates(-log_odds);
  return sigmoid(log_odds) * at.miss + sigmoid(-log_odds) * at.false_alarm;
}

double DetectionCurve::minimum_error(double log_odds) const {
  double least = infinity;
  for (const ErrorRates& at : hull_)
    least = std::min(least, sigmoid(log_odds) * at.miss + sigmoid(-log_odds) * at.false_alarm);
  return least;
}

double DetectionCurve::cllr() const {
  CompensatedSum targets, others;
  for (const RatioCount& count : counts_) {
    targets.add(times(count.target, softplus(-count.ratio)));
    others.add(times(count.other, softplus(count.ratio)));
  }
  return (targets.value() / targets_ + others.value() / others_) / (2 * std::numbers::ln2);
}

double DetectionCurve::ratio_of(const Pooled& step) const {
  return std::log(step.target / targets_) - std::log(step.other / others_);
}

double DetectionCurve::min_cllr() const {
  CompensatedSum targets, others;
  for (const Pooled& step : pooled_) {
    targets.add(times(step.target, softplus(-ratio_of(step))));
    others.add(times(step.other, softplus(ratio_of(step))));
  }
  return (targets.value() / targets_ + others.value() / others_) / (2 * std::numbers::ln2);
}

double DetectionCurve::eer_hull() const {
  for (std::size_t k = 1; k < hull_.size(); ++k) {
    const ErrorRates &a = hull_[k - 1], &b = hull_[k];
    if (!(a.miss <= a.false_alarm && b.miss >= b.false_alarm)) continue;
    const double span = (b.miss - a.miss) - (b.false_alarm - a.false_alarm);
    return span > 0 ? a.miss + (a.false_alarm - a.miss) / span * (b.miss - a.miss) : a.miss;
  }
  return 0;
}

double DetectionCurve::auc() const {
  CompensatedSum area;
  double others_below = 0;
  for (const RatioCount& count : counts_) {
    area.add(count.target * (others_below + count.other / 2));
    others_below += count.other;
  }
  return area.value() / targets_ / others_;
}

double DetectionCurve::equal_error_rate() const {
  for (std::size_t k = 1; k < steps_.size(); ++k) {
    const ErrorRates &a = steps_[k - 1], &b = steps_[k];
    const double gap = a.miss - a.false_alarm, next = b.miss - b.false_alarm;
    if (gap <= 0 && next > 0) return a.miss - gap / (next - gap) * (b.miss - a.miss);
  }
  return 0;
}

Detection DetectionCurve::at(const Application& application) const {
  const double miss = application.prior * application.miss_cost,
               alarm = (1 - application.prior) * application.false_alarm_cost;
  const auto cost = [&](const ErrorRates& at) { return miss * at.miss + alarm * at.false_alarm; };
  Detection result{.cllr = cllr(), .min_cllr = min_cllr(), .eer_hull = eer_hull()};
  result.actual_dcf = cost(rates(-application.log_odds()));
  result.min_dcf = infinity;
  for (const ErrorRates& at : hull_) result.min_dcf = std::min(result.min_dcf, cost(at));
  result.normalized_dcf = result.actual_dcf / std::min(miss, alarm);
  return result;
}

std::vector<DetectionCurve::ReliabilityStep> DetectionCurve::reliability(double prior) const {
  std::vector<ReliabilityStep> result;
  const double shift = log_odds_of(prior);
  for (const Pooled& step : pooled_)
    result.push_back({sigmoid(step.low + shift), sigmoid(step.high + shift),
                      step.target / (step.target + step.other), step.target + step.other});
  return result;
}

/// `loss(x)` is that of a target whose log-odds are said to be x; by symmetry loss(−x) is that of
/// another row.
template <class Loss>
Decomposition DetectionCurve::decomposed(double prior, const Loss& loss) const {
  const double all = targets_ + others_, shift = log_odds_of(prior);
  CompensatedSum given, pooled;
  for (const RatioCount& count : counts_) {
    given.add(times(count.target, loss(count.ratio + shift)));
    given.add(times(count.other, loss(-count.ratio - shift)));
  }
  for (const Pooled& step : pooled_) {
    const double odds = std::log(step.target) - std::log(step.other);
    pooled.add(times(step.target, loss(odds)));
    pooled.add(times(step.other, loss(-odds)));
  }
  const double base = std::log(targets_) - std::log(others_);
  Decomposition result{.score = given.value() / all};
  result.uncertainty = (targets_ * loss(base) + others_ * loss(-base)) / all;
  result.miscalibration = result.score - pooled.value() / all;
  result.discrimination = result.uncertainty - pooled.value() / all;
  return result;
}

Decomposition DetectionCurve::log_loss(double prior) const {
  return decomposed(prior, [](double odds) { return softplus(-odds); });
}

Decomposition DetectionCurve::brier(double prior) const {
  return decomposed(prior, [](double odds) {
    const double other = sigmoid(-odds);
    return 2 * other * other;
  });
}

}  // namespace suffice
