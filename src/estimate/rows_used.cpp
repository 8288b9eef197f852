#include "estimate/rows_used.hpp"

#include <algorithm>

#include "suffice/models/covariance.hpp"

namespace suffice {

bool is_incomplete(const GaussianStatistics& sums) {
  return sums.kind != Scatter::diagonal &&
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

namespace {

/// How many numbers of a block are present, by weight.
double present_values(const GaussianStatistics& sums, double features) {
  double values = 0;
  for (const GaussianStatistics::Class& of : sums.classes) {
    values += of.complete.weight * features;
    for (const double weight : of.present.weight) values += weight;
  }
  return values;
}

}  // namespace

EstimateFound rows_used(const Statistics& statistics, Covariance covariance) {
  EstimateFound found;
  const double rows = statistics.weights().map().sum();
  const std::vector<double> complete = joint_rows(statistics);
  bool any_missing = false, all_dense = true;
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b) {
    const auto* sums = std::get_if<GaussianStatistics>(&statistics.blocks()[b]);
    if (!sums) continue;
    const auto features = static_cast<double>(statistics.schema().blocks()[b].features.size());
    const double present = present_values(*sums, features);
    const double joint = complete[found.used_rows.size()];
    any_missing |= present < rows * features * (1 - 1e-12);
    all_dense &= sums->kind != Scatter::diagonal;
    found.present_values.push_back(present);
    found.used_values.push_back(is_dense(covariance) ? joint * features : present);
    found.used_rows.push_back(is_dense(covariance) ? joint : rows);
  }
  if (!any_missing) return {};
  if (all_dense) found.complete_rows = complete;  // diagonal sums do not know them
  return found;
}

}  // namespace suffice
