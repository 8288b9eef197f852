#include "stats/relabel.hpp"

#include <utility>

#include "core/parallel.hpp"
#include "stats/moments.hpp"

namespace suffice {
namespace {

struct Relabel {
  Index classes;
  const std::vector<Index>& into;
  Workers& workers;

  BlockStatistics operator()(const GaussianStatistics& from) const {
    GaussianStatistics result{.kind = from.kind, .classes = {}};
    result.classes.resize(static_cast<std::size_t>(classes));
    workers.run(classes, [&](Index c, int) {
      for (std::size_t l = 0; l < into.size(); ++l) {
        if (into[l] != c) continue;
        merge_into(result.classes[c].complete, from.classes[l].complete);
        merge_into(result.classes[c].present, from.classes[l].present);
      }
    });
    return result;
  }
  BlockStatistics operator()(const CountStatistics& from) const {
    return CountStatistics{.weight = add_rows(from.weight), .sum = add_rows(from.sum)};
  }
  BlockStatistics operator()(const CategoricalStatistics& from) const {
    CategoricalStatistics result{.levels = from.levels, .count = {}};
    for (const Matrix& count : from.count) result.count.push_back(add_rows(count));
    return result;
  }

  Matrix add_rows(const Matrix& from) const {
    if (from.rows() == 0) return {};
    Matrix result(classes, from.cols());
    for (std::size_t l = 0; l < into.size(); ++l)
      for (Index j = 0; into[l] >= 0 && j < from.cols(); ++j)
        result(into[l], j) += from(static_cast<Index>(l), j);
    return result;
  }
};

}  // namespace

Statistics relabel(const Statistics& statistics, const Names& classes,
                   const std::vector<Index>& into, const Execution& execution) {
  const Statistics::Parts& from = statistics.parts();
  Statistics::Parts parts{.schema = from.schema,
                          .labels = classes,
                          .weights = Vector(classes.size()),
                          .squared_weights = Vector(classes.size()),
                          .blocks = {},
                          .memory_limit = from.memory_limit};
  for (std::size_t l = 0; l < into.size(); ++l) {
    if (into[l] < 0) continue;
    parts.weights[into[l]] += from.weights[static_cast<Index>(l)];
    parts.squared_weights[into[l]] += from.squared_weights[static_cast<Index>(l)];
  }
  Workers workers(execution, statistics.schema().size() < 64 ? 1 : classes.size());
  for (const BlockStatistics& block : from.blocks)
    parts.blocks.push_back(std::visit(Relabel{classes.size(), into, workers}, block));
  return Statistics(std::move(parts));
}

}  // namespace suffice
