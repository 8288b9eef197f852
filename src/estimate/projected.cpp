#include "estimate/projected.hpp"

#include <numeric>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Names of k projections that no feature outside the block has.
std::vector<std::string> names_for(const Schema& schema, Index k) {
  std::string start = "z";
  const auto taken = [&] {
    for (const Feature& feature : schema.features())
      if (feature.family != Family::gaussian && feature.name.starts_with(start)) return true;
    return false;
  };
  while (taken()) start += '_';
  std::vector<std::string> names;
  for (Index j = 0; j < k; ++j) names.push_back(start + std::to_string(j));
  return names;
}

}  // namespace

Index block_to_project(const Schema& schema) {
  std::vector<Index> found;
  for (Index b = 0; b < std::ssize(schema.blocks()); ++b)
    if (schema.blocks()[b].family == Family::gaussian) found.push_back(b);
  if (found.size() == 1) return found.front();
  throw InvalidArgument(
      "pca and lda project the one Gaussian block of a schema, and this one has " +
          (found.empty() ? "none" : std::to_string(found.size())),
      found.empty() ? "leave them out"
                    : "put their features into one block, or leave " + Option{"pca"} + " and " +
                          Option{"lda"} + " out");
}

ProjectedStatistics project(const Statistics& statistics, LinearMap map,
                            const Execution& execution) {
  const Index block = block_to_project(statistics.schema());
  Statistics projected = project(statistics,
                                 {.block = block,
                                  .matrix = map.matrix,
                                  .offset = map.offset,
                                  .names = names_for(statistics.schema(), map.matrix.cols())},
                                 execution);
  return {std::move(projected), statistics.schema(), block, std::move(map)};
}

ProjectedStatistics project(const Statistics& statistics, const std::optional<Pca>& pca,
                            const std::optional<Index>& lda, const Execution& execution) {
  const Index block = block_to_project(statistics.schema());
  if (!pca) return project(statistics, discriminant_components(statistics, block, *lda), execution);
  const LinearMap components = principal_components(statistics, block, *pca);
  ProjectedStatistics result = project(statistics, components, execution);
  if (lda) {
    // From the statistics as they were, so that they went through the very map that rows will.
    const LinearMap second = discriminant_components(result.statistics, block, *lda);
    result = project(statistics, compose(components, second), execution);
  }
  const double explained =
      std::accumulate(components.explained.begin(), components.explained.end(), 0.0);
  result.components = {components.matrix.cols(), explained};
  return result;
}

}  // namespace suffice
