#include <utility>
#include <vector>

#include "core/at.hpp"
#include "stats/thin.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {
namespace {

Vector some_of(const Vector& values, const std::vector<Index>& kept) {
  if (values.empty()) return {};
  Vector result(std::ssize(kept));
  for (Index k = 0; k < result.size(); ++k) result[k] = values[kept[at(k)]];
  return result;
}

Matrix some_columns(const Matrix& matrix, const std::vector<Index>& kept) {
  if (matrix.cols() == 0) return {};
  Matrix result(matrix.rows(), std::ssize(kept));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index k = 0; k < result.cols(); ++k) result(i, k) = matrix(i, kept[at(k)]);
  return result;
}

Matrix some_entries(const Matrix& scatter, const std::vector<Index>& kept) {
  if (scatter.empty()) return {};
  Matrix result(std::ssize(kept), std::ssize(kept));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index k = 0; k < result.cols(); ++k) result(i, k) = scatter(kept[at(i)], kept[at(k)]);
  return result;
}

template <class List>
List some_members(const List& list, const std::vector<Index>& kept) {
  List result;
  for (const Index j : kept)
    if (!list.empty()) result.push_back(list[at(j)]);
  return result;
}

/// The sums of the positions of a block that are kept.
struct SomeSums {
  const std::vector<Index>& kept;

  BlockStatistics operator()(const GaussianStatistics& sums) const {
    GaussianStatistics result;
    result.kind = sums.kind;
    result.pooled = some_entries(sums.pooled, kept);
    Index rows = 0;
    for (const auto& [complete, present] : sums.classes) {
      rows += complete.factor.rows() + 1;
      result.classes.push_back({{.weight = complete.weight,
                                 .mean = some_of(complete.mean, kept),
                                 .mean_low = some_of(complete.mean_low, kept),
                                 .scatter = some_entries(complete.scatter, kept),
                                 .factor = some_columns(complete.factor, kept),
                                 .squares = some_of(complete.squares, kept)},
                                {.weight = some_of(present.weight, kept),
                                 .mean = some_of(present.mean, kept),
                                 .mean_low = some_of(present.mean_low, kept),
                                 .squares = some_of(present.squares, kept)}});
    }
    if (sums.kind == Scatter::thin && rows >= std::ssize(kept))
      keep_scatter(result, Scatter::dense);
    return result;
  }
  BlockStatistics operator()(const CountStatistics& sums) const {
    return CountStatistics{some_columns(sums.weight, kept), some_columns(sums.sum, kept)};
  }
  BlockStatistics operator()(const CategoricalStatistics& sums) const {
    return CategoricalStatistics{some_members(sums.levels, kept), some_members(sums.count, kept)};
  }
  BlockStatistics operator()(const TextStatistics& sums) const {
    return TextStatistics{.words = some_members(sums.words, kept),
                          .count = some_members(sums.count, kept),
                          .rows = some_members(sums.rows, kept),
                          .weight = some_columns(sums.weight, kept),
                          .heaviest = some_members(sums.heaviest, kept),
                          .lead = some_members(sums.lead, kept)};
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
