#include "calibrate/pav.hpp"

#include <algorithm>

namespace suffice {

std::vector<PooledStep> pool_adjacent_violators(std::vector<ScoredWeights> rows) {
  // Stable, so that sums are added up in the order of the rows.
  std::ranges::stable_sort(rows, {}, &ScoredWeights::score);
  std::vector<PooledStep> steps;
  for (const auto& [score, first, second] : rows) {
    if (!(first + second > 0)) continue;
    if (!steps.empty() && steps.back().high == score) {
      steps.back().first += first;
      steps.back().second += second;
    } else {
      steps.push_back({score, score, first, second});
    }
  }
  std::size_t pooled = 0;  // steps[0, pooled) rise
  for (std::size_t i = 0; i < steps.size(); ++i) {
    PooledStep step = steps[i];
    // Odds that do not rise: a₁ / c₁ ≥ a₂ / c₂ without a division.
    while (pooled > 0 &&
           steps[pooled - 1].first * step.second >= step.first * steps[pooled - 1].second) {
      const PooledStep& before = steps[--pooled];
      step = {before.low, step.high, before.first + step.first, before.second + step.second};
    }
    steps[pooled++] = step;
  }
  steps.resize(pooled);
  return steps;
}

}  // namespace suffice
