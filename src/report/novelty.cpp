#include "report/novelty.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace suffice {

void NoveltyCounts::add(const LogLikelihoods& scores, std::span<const Index> truth,
                        std::span<const double> weights, std::span<const double> outlier_scores) {
  for (Index i = 0; i < scores.rows(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (!(weight > 0)) continue;
    has_rows_ = true;
    const double log_p = scores.values(i, 0);
    const bool is_own = truth[i] >= 0;
    log_p_.add(log_p, is_own, weight);
    (is_own ? own_ : others_).add(weight);
    if (is_own)
      log_density_.add(weight * log_p);
    else if (outlier_ && outlier_scores[i] < *outlier_)
      detected_.add(weight);
  }
}

std::optional<Novelty> NoveltyCounts::result() const {
  if (!has_rows_) return std::nullopt;
  const double own = own_.value();
  Novelty result{.mean_log_density = own > 0 ? log_density_.value() / own
                                             : std::numeric_limits<double>::quiet_NaN(),
                 .other_rows = others_.value()};
  if (own > 0 && result.other_rows > 0) {
    result.curve.emplace(log_p_.counts());
    if (outlier_) result.detected = detected_.value() / result.other_rows;
  }
  return result;
}

}  // namespace suffice
