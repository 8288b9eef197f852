#include <utility>
#include <vector>

#include "core/at.hpp"
#include "core/take.hpp"
#include "stats/thin.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {
namespace {

/// The sums of the positions of a block that are kept.
struct SomeSums {
  const std::vector<Index>& kept;

  BlockStatistics operator()(const GaussianStatistics& sums) const {
    GaussianStatistics result = taken(sums, Axis::feature, kept);
    Index rows = 0;
    for (const auto& of_class : sums.classes) rows += of_class.complete.factor.rows() + 1;
    if (sums.kind == Scatter::thin && rows >= std::ssize(kept))
      keep_scatter(result, Scatter::dense);
    return result;
  }
  template <class Sums>
  BlockStatistics operator()(const Sums& sums) const {
    return taken(sums, Axis::feature, kept);
  }
};

}  // namespace

Statistics subset(const Statistics& statistics, std::span<const Index> features) {
  const Schema& whole = statistics.schema();
  Statistics::Parts parts{.schema = whole.subset(features),
                          .labels = statistics.labels(),
                          .weights = statistics.weights(),
                          .squared_weights = statistics.squared_weights(),
                          .blocks = {}};
  std::vector<bool> is_kept(at(whole.size()));
  for (const Index feature : features) is_kept[at(feature)] = true;
  for (std::size_t b = 0; b < whole.blocks().size(); ++b) {
    const std::vector<Index>& members = whole.blocks()[b].features;
    std::vector<Index> kept;
    for (Index j = 0; j < std::ssize(members); ++j)
      if (is_kept[at(members[at(j)])]) kept.push_back(j);
    if (!kept.empty()) parts.blocks.push_back(std::visit(SomeSums{kept}, statistics.blocks()[b]));
  }
  return Statistics(std::move(parts));
}

}  // namespace suffice
