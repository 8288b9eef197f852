#include "suffice/calibrate/isotonic.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/pav.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

Calibration with_isotonic(Calibration affine, std::span<const double> ratios,
                          std::span<const Index> labels, std::span<const double> weights) {
  if (ratios.size() != labels.size() || (!weights.empty() && weights.size() != ratios.size()))
    throw InvalidArgument("an isotonic calibration got " + std::to_string(ratios.size()) +
                          " ratios, " + std::to_string(labels.size()) + " labels and " +
                          std::to_string(weights.size()) + " weights");
  std::vector<ScoredWeights> rows;
  double first = 0, second = 0, lowest = 0, highest = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (labels[i] < 0 || labels[i] > 1 || !std::isfinite(ratios[i]) || weight == 0) continue;
    lowest = rows.empty() ? ratios[i] : std::min(lowest, ratios[i]);
    highest = rows.empty() ? ratios[i] : std::max(highest, ratios[i]);
    rows.push_back({ratios[i], labels[i] == 0 ? weight : 0, labels[i] == 1 ? weight : 0});
    (labels[i] == 0 ? first : second) += weight;
  }
  if (!(first > 0 && second > 0))
    throw InvalidArgument("an isotonic calibration needs rows of both classes");
  rows.push_back({lowest, 1, 0});
  rows.push_back({highest, 0, 1});
  std::vector<double> knots, values;
  for (const PooledStep& step : pool_adjacent_violators(std::move(rows))) {
    const double value =
        std::log(step.first) - std::log(step.second) - std::log(first + 1) + std::log(second + 1);
    knots.push_back(step.low);
    values.push_back(value);
    if (step.high > step.low) {
      knots.push_back(step.high);
      values.push_back(value);
    }
  }
  affine.knots = Vector(std::span<const double>(knots));
  affine.values = Vector(std::span<const double>(values));
  return affine;
}

}  // namespace suffice
