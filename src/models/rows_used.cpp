#include "models/rows_used.hpp"

#include <algorithm>

#include "suffice/models/covariance.hpp"

namespace suffice {

bool is_incomplete(const GaussianStatistics& sums) {
  return sums.kind == Scatter::dense &&
         std::ranges::any_of(sums.classes, [](const GaussianStatistics::Class& of) {
           return !of.present.weight.empty();
         });
}

std::vector<double> joint_rows(const Statistics& statistics) {
  std::vector<double> result;
  for (const BlockStatistics& block : statistics.blocks())
    if (const auto* sums = std::get_if<GaussianStatistics>(&block)) {
      result.push_back(0);
      for (const GaussianStatistics::Class& of : sums->classes) result.back() += of.complete.weight;
    }
  return result;
}

EstimateFound rows_used(const Statistics& statistics, Covariance covariance) {
  EstimateFound found;
  const bool any = std::ranges::any_of(statistics.blocks(), [](const BlockStatistics& block) {
    const auto* sums = std::get_if<GaussianStatistics>(&block);
    return sums && is_incomplete(*sums);
  });
  if (!any) return found;
  found.complete_rows = joint_rows(statistics);
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b) {
    const auto* sums = std::get_if<GaussianStatistics>(&statistics.blocks()[b]);
    if (!sums) continue;
    const auto d = static_cast<double>(statistics.schema().blocks()[b].features.size());
    const double complete = found.complete_rows[found.used_rows.size()];
    double values = complete * d;
    for (const GaussianStatistics::Class& of : sums->classes)
      for (const double weight : of.present.weight) values += weight;
    found.present_values.push_back(values);
    found.used_values.push_back(is_dense(covariance) ? complete * d : values);
    found.used_rows.push_back(is_dense(covariance) ? complete : statistics.weights().map().sum());
  }
  return found;
}

}  // namespace suffice
