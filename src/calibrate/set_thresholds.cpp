#include "suffice/calibrate/set_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/at.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/calibration.hpp"

namespace suffice {
namespace {

using Weighted = std::pair<double, double>;  // posterior of the own class, weight

void set_row(std::vector<Weighted> own, std::span<double> thresholds) {
  std::ranges::sort(own);
  double all = 0;
  for (const auto& [posterior, weight] : own) all += weight;
  for (Index j = 0; j < Calibration::coverage_count; ++j) {
    // With a little room for rounding: 10 · (1 − 0.9) is 1.
    const double place = std::floor((all + 1) * (1 - Calibration::coverage_level(j)) + 1e-9);
    double sum = 0, threshold = 0;
    for (const auto& [posterior, weight] : own) {
      if (place < 1 || sum >= place) break;
      sum += weight;
      threshold = posterior;
    }
    thresholds[at(j)] = threshold;
  }
}

}  // namespace

Matrix set_thresholds(const Matrix& posteriors, std::span<const Index> labels,
                      std::span<const double> weights) {
  const Index classes = posteriors.cols();
  if (std::ssize(labels) != posteriors.rows() ||
      (!weights.empty() && weights.size() != labels.size()))
    throw InvalidArgument(std::to_string(posteriors.rows()) + " rows of posteriors do not fit " +
                          std::to_string(labels.size()) + " labels and " +
                          std::to_string(weights.size()) + " weights");
  std::vector<std::vector<Weighted>> own(at(classes + 1));
  for (Index i = 0; i < std::ssize(labels); ++i) {
    const Index c = labels[at(i)];
    const double weight = weights.empty() ? 1 : weights[at(i)];
    if (c < 0 || !(weight > 0)) continue;
    own[0].emplace_back(posteriors(i, c), weight);
    own[at(c + 1)].emplace_back(posteriors(i, c), weight);
  }
  Matrix result(classes + 1, Calibration::coverage_count);
  for (Index c = 0; c <= classes; ++c) set_row(std::move(own[at(c)]), result.row(c));
  return result;
}

}  // namespace suffice
