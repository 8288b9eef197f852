#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "accumulate/accumulate.hpp"
#include "core/parallel.hpp"
#include "stats/moments.hpp"
#include "stats/pooled.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

void keep_scatter(GaussianStatistics& sums, Scatter kind) {
  if (sums.kind == kind) return;
  if (sums.kind == Scatter::diagonal)
    throw InvalidArgument(
        "these statistics kept the diagonal of the scatter only, from which the whole cannot be "
        "told",
        "sum the rows again with the whole scatter");
  if (sums.kind == Scatter::pooled && kind != Scatter::diagonal)
    throw InvalidArgument(
        "these statistics kept one scatter for all classes together, from which those of the "
        "classes cannot be told",
        "sum the rows again with a scatter for each class");
  if (kind == Scatter::diagonal && !sums.has_class_squares()) throw_no_class_squares();
  if (kind == Scatter::pooled) {
    Index d = 0;
    for (const auto& [complete, present] : sums.classes) d = std::max(d, complete.mean.size());
    std::vector<Index> features(static_cast<std::size_t>(d));
    std::iota(features.begin(), features.end(), Index{0});
    if (d > 0) sums.pooled = scatter_within(sums, features);
  }
  for (Index c = 0; c < std::ssize(sums.classes); ++c) {
    auto& [complete, present] = sums.classes[c];
    switch (kind) {
      case Scatter::diagonal:
        present = sums.moments(c);
        complete = {};
        break;
      case Scatter::dense:
        if (complete.weight > 0) complete.scatter = scatter_of(complete);
        complete.factor = {};
        break;
      case Scatter::thin:
        if (complete.weight > 0) complete.factor = factor_of(complete.scatter);
        complete.scatter = {};
        break;
      case Scatter::pooled:
        if (complete.weight > 0) complete.squares = squares_of(complete);
        complete.scatter = {};
        complete.factor = {};
        break;
    }
  }
  if (kind != Scatter::pooled) sums.pooled = {};
  sums.kind = kind;
}

Statistics with_scatter(const Statistics& statistics, Scatter scatter, double memory_limit) {
  require_memory(statistics.schema(), scatter, statistics.labels().size(), memory_limit);
  Statistics::Parts parts = statistics.parts();
  for (BlockStatistics& block : parts.blocks)
    if (auto* sums = std::get_if<GaussianStatistics>(&block)) keep_scatter(*sums, scatter);
  return Statistics(std::move(parts));
}

Scatter scatter_of(const Statistics& statistics) {
  for (const BlockStatistics& block : statistics.blocks())
    if (const auto* sums = std::get_if<GaussianStatistics>(&block)) return sums->kind;
  return Scatter::dense;
}

void throw_no_class_squares() {
  throw InvalidArgument(
      "projections of a scatter that all classes share do not tell the variances of each class",
      "use a tied covariance, or sum the rows again with a scatter for each class (covariance "
      "'full')");
}

bool is_thin(const Statistics& statistics) {
  return std::ranges::any_of(statistics.blocks(), [](const BlockStatistics& block) {
    const auto* sums = std::get_if<GaussianStatistics>(&block);
    return sums && sums->kind == Scatter::thin;
  });
}

namespace {

constexpr Index few_features = 100;

/// Of the largest Gaussian block.
Index most_features(const Schema& schema) {
  Index most = 0;
  for (const Block& block : schema.blocks())
    if (block.family == Family::gaussian) most = std::max(most, std::ssize(block.features));
  return most;
}

}  // namespace

Scatter smaller_scatter(Scatter needed, const Schema& schema) {
  return needed == Scatter::pooled && most_features(schema) <= few_features ? Scatter::dense
                                                                            : needed;
}

Scatter scatter_for_rows(Scatter wanted, const Schema& schema, Index rows) {
  const Index most = most_features(schema);
  return most > few_features && rows <= most ? Scatter::thin : wanted;
}

}  // namespace suffice
