#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "stats/accumulate.hpp"
#include "stats/moments.hpp"
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
    }
  }
  sums.kind = kind;
}

Statistics with_scatter(const Statistics& statistics, Scatter scatter, double memory_limit) {
  require_memory(statistics.schema(), scatter, statistics.labels().size(), memory_limit);
  Statistics::Parts parts = statistics.parts();
  for (BlockStatistics& block : parts.blocks)
    if (auto* sums = std::get_if<GaussianStatistics>(&block)) keep_scatter(*sums, scatter);
  return Statistics(std::move(parts));
}

bool is_thin(const Statistics& statistics) {
  return std::ranges::any_of(statistics.blocks(), [](const BlockStatistics& block) {
    const auto* sums = std::get_if<GaussianStatistics>(&block);
    return sums && sums->kind == Scatter::thin;
  });
}

Scatter scatter_for_rows(Scatter wanted, const Schema& schema, Index rows) {
  constexpr Index few_features = 100;
  Index most = 0;
  for (const Block& block : schema.blocks())
    if (block.family == Family::gaussian) most = std::max(most, std::ssize(block.features));
  return most > few_features && rows <= most ? Scatter::thin : wanted;
}

}  // namespace suffice
