#include "train/component_statistics.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"

namespace suffice {
namespace {

Matrix sums_of_classes(const Matrix& table, std::span<const Index> classes) {
  if (table.empty()) return table;
  Matrix result(std::ssize(classes), table.cols());
  for (Index i = 0; i < result.rows(); ++i)
    std::ranges::copy(table.row(classes[at(i)]), result.row(i).begin());
  return result;
}

struct SumsOfClasses {
  std::span<const Index> classes;

  BlockStatistics operator()(const GaussianStatistics& sums) const {
    GaussianStatistics result;
    result.kind = sums.kind;
    for (const Index c : classes) result.classes.push_back(sums.classes[at(c)]);
    const bool some =
        std::ranges::any_of(result.classes, [](const auto& of) { return of.complete.weight > 0; });
    if (some) result.pooled = sums.pooled;
    return result;
  }
  BlockStatistics operator()(const CountStatistics& sums) const {
    return CountStatistics{sums_of_classes(sums.weight, classes),
                           sums_of_classes(sums.sum, classes)};
  }
  BlockStatistics operator()(const CategoricalStatistics& sums) const {
    CategoricalStatistics result{sums.levels, {}};
    for (const Matrix& count : sums.count) result.count.push_back(sums_of_classes(count, classes));
    return result;
  }
  BlockStatistics operator()(const TextStatistics& sums) const {
    TextStatistics result{sums.words,    {},       {}, sums_of_classes(sums.weight, classes),
                          sums.heaviest, sums.lead};
    for (const Matrix& count : sums.count) result.count.push_back(of_words(count));
    for (const Matrix& rows : sums.rows) result.rows.push_back(of_words(rows));
    return result;
  }

 private:
  Matrix of_words(const Matrix& table) const {
    return table.empty() ? Matrix(std::ssize(classes), 0) : sums_of_classes(table, classes);
  }
};

}  // namespace

Statistics statistics_of_classes(const Statistics& statistics, std::span<const Index> classes,
                                 const Names& names) {
  Statistics::Parts parts{.schema = statistics.schema(),
                          .labels = names,
                          .weights = Vector(names.size()),
                          .squared_weights = Vector(names.size()),
                          .blocks = {}};
  for (Index i = 0; i < names.size(); ++i) {
    parts.weights[i] = statistics.weights()[classes[at(i)]];
    parts.squared_weights[i] = statistics.squared_weights()[classes[at(i)]];
  }
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
