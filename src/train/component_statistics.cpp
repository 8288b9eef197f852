#include "train/component_statistics.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "core/take.hpp"

namespace suffice {
namespace {

struct SumsOfClasses {
  std::span<const Index> classes;

  BlockStatistics operator()(const GaussianStatistics& sums) const {
    GaussianStatistics result = taken(sums, Axis::class_, classes);
    if (std::ranges::none_of(result.classes, [](const auto& of) { return of.complete.weight > 0; }))
      result.pooled = {};
    return result;
  }
  template <class Sums>
  BlockStatistics operator()(const Sums& sums) const {
    return taken(sums, Axis::class_, classes);
  }
};

}  // namespace

Statistics statistics_of_classes(const Statistics& statistics, std::span<const Index> classes,
                                 const Names& names) {
  Statistics::Parts parts{.schema = statistics.schema(),
                          .labels = names,
                          .weights = some_of(statistics.weights(), classes),
                          .squared_weights = some_of(statistics.squared_weights(), classes),
                          .blocks = {}};
  for (const BlockStatistics& block : statistics.blocks())
    parts.blocks.push_back(std::visit(SumsOfClasses{classes}, block));
  return Statistics(std::move(parts));
}

namespace {

JointMoments independent(double weight, const Moments& own, const Moments& of_class) {
  if (!(weight > 0)) return {};
  const Index d = of_class.mean.size();
  JointMoments result{weight, Vector(d), Vector(d), Matrix(d, d)};
  for (Index j = 0; j < d; ++j) {
    const Moments& from = !own.weight.empty() && own.weight[j] > 0 ? own : of_class;
    result.mean[j] = from.mean[j];
    result.mean_low[j] = from.mean_low[j];
    result.scatter(j, j) = from.squares[j] / from.weight[j] * weight;
  }
  return result;
}

}  // namespace

Statistics without_correlations(const Statistics& components, const std::vector<bool>& completed,
                                const Statistics& classes, std::span<const Index> label) {
  if (std::ranges::find(completed, true) == completed.end()) return components;
  Statistics::Parts parts = components.parts();
  for (std::size_t b = 0; b < parts.blocks.size(); ++b) {
    if (!completed[b]) continue;
    auto& sums = std::get<GaussianStatistics>(parts.blocks[b]);
    const auto& of_classes = std::get<GaussianStatistics>(classes.blocks()[b]);
    for (Index g = 0; g < std::ssize(sums.classes); ++g)
      sums.classes[at(g)] = {
          independent(components.weights()[g], sums.moments(g), of_classes.moments(label[at(g)])),
          {}};
  }
  return Statistics(std::move(parts));
}

}  // namespace suffice
