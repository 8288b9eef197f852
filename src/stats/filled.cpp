#include "stats/filled.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/quoted.hpp"

namespace suffice {
namespace {

/// Weight, mean and squares of all values of a column.
struct AllValues {
  double weight = 0, mean = 0, squares = 0;

  void add(double w, double m, double s) {
    const double sum = weight + w, apart = m - mean;
    squares += s + apart * apart * (weight * (w / sum));
    mean += apart * (w / sum);
    weight = sum;
  }
  double variance() const { return squares / weight; }
};

class FillBlock {
 public:
  FillBlock(const Statistics& statistics, std::size_t block)
      : statistics_(statistics),
        given_(std::get<GaussianStatistics>(statistics.blocks()[block])),
        names_(statistics.schema().names(statistics.schema().blocks()[block])),
        columns_(names_.size()) {
    for (Index c = 0; c < classes(); ++c) moments_.push_back(given_.moments(c));
    for (Index j = 0; j < features(); ++j) look_at(j);
  }

  bool is_needed() const {
    for (Index j = 0; j < features(); ++j)
      if (lacks(j)) return true;
    return false;
  }

  /// Whether something is put into a column.
  bool lacks(Index j) const {
    return columns_[at(j)].within > 0 || !columns_[at(j)].lacking.empty();
  }

  GaussianStatistics run(GaussianStatistics sums, std::vector<Sentence>& notes,
                         double& values) const {
    std::vector<std::string> copies;
    std::vector<std::vector<std::string>> empty(at(classes()));
    for (Index j = 0; j < features(); ++j) {
      const Column& column = columns_[at(j)];
      for (const Index c : column.lacking) {
        put_all_values(sums.classes[at(c)].present, c, j);
        values += statistics_.weights()[c];
        empty[at(c)].push_back(names_[at(j)]);
      }
      if (!(column.within > 0)) continue;
      add_variance(sums, j, column.within);
      if (column.repeats) copies.push_back(names_[at(j)]);
    }
    for (Index c = 0; c < classes(); ++c)
      if (!empty[at(c)].empty())
        notes.push_back("class " + quoted(statistics_.labels()[c]) + " has no value in " +
                        list_for_message(empty[at(c)]) +
                        ": the values of all classes stand for it");
    if (!copies.empty())
      notes.push_back(
          list_for_message(copies) + (copies.size() == 1 ? " has" : " have") +
          " one value in each class, and classes differ: these rows are told apart by that alone, "
          "as by a copy of the label; leave " +
          (copies.size() == 1 ? "it" : "them") + " out if new rows will not have " +
          (copies.size() == 1 ? "it" : "them"));
    return sums;
  }

 private:
  struct Column {
    AllValues all = {};
    std::vector<Index> lacking = {};  ///< classes with rows, but without a value here
    double within = 0;                ///< the variance that is added within each class
    bool repeats = false;             ///< some class has one value more than once
  };

  Index classes() const { return statistics_.labels().size(); }
  Index features() const { return std::ssize(names_); }
  bool has_value(Index c, Index j) const {
    return !moments_[at(c)].weight.empty() && moments_[at(c)].weight[j] > 0;
  }

  void look_at(Index j) {
    Column& column = columns_[at(j)];
    std::vector<std::pair<double, double>> values;
    bool flat = true;
    for (Index c = 0; c < classes(); ++c) {
      if (!has_value(c, j)) continue;
      const Moments& of = moments_[at(c)];
      column.all.add(of.weight[j], of.mean[j], of.squares[j]);
      column.repeats |= of.weight[j] > 1;
      flat &= of.squares[j] == 0;
      values.emplace_back(of.mean[j], of.mean_low[j]);
    }
    if (values.empty()) return;
    for (Index c = 0; c < classes(); ++c)
      if (statistics_.weights()[c] > 0 && !has_value(c, j)) column.lacking.push_back(c);
    if (!flat) return;
    const double least = column.repeats ? least_gap(std::move(values)) : 0;
    column.within = column.repeats ? least * least / 12 : column.all.variance();
  }

  /// Between different values; 0 where all are the same.
  static double least_gap(std::vector<std::pair<double, double>> values) {
    std::ranges::sort(values);
    double least = infinity;
    for (std::size_t k = 1; k < values.size(); ++k) {
      const double apart =
          (values[k].first - values[k - 1].first) + (values[k].second - values[k - 1].second);
      if (apart > 0) least = std::min(least, apart);
    }
    return std::isfinite(least) ? least : 0;
  }

  void put_all_values(Moments& of, Index c, Index j) const {
    const Index d = features();
    if (of.weight.empty()) of = {Vector(d), Vector(d), Vector(d), Vector(d)};
    const AllValues& all = columns_[at(j)].all;
    of.weight[j] = statistics_.weights()[c];
    of.mean[j] = all.mean;
    of.mean_low[j] = 0;
    of.squares[j] = of.weight[j] * all.variance();
  }

  static void add_variance(GaussianStatistics& sums, Index j, double variance) {
    for (auto& [complete, present] : sums.classes) {
      if (!present.weight.empty()) present.squares[j] += present.weight[j] * variance;
      if (!(complete.weight > 0)) continue;
      const double squares = complete.weight * variance;
      if (!complete.scatter.empty()) complete.scatter(j, j) += squares;
      if (!complete.squares.empty()) complete.squares[j] += squares;
      if (sums.kind == Scatter::pooled) sums.pooled(j, j) += squares;
    }
  }

  const Statistics& statistics_;
  const GaussianStatistics& given_;
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::vector<Moments> moments_ = {};  ///< per class
};

}  // namespace

std::optional<Filled> filled(const Statistics& statistics) {
  std::vector<std::size_t> needed;
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b)
    if (std::holds_alternative<GaussianStatistics>(statistics.blocks()[b]) &&
        FillBlock(statistics, b).is_needed())
      needed.push_back(b);
  if (needed.empty()) return std::nullopt;
  Statistics::Parts parts =
      (is_thin(statistics) ? with_scatter(statistics, Scatter::diagonal) : statistics).parts();
  std::vector<Sentence> notes;
  std::vector<Index> columns;
  std::vector<double> values(parts.blocks.size());
  for (const std::size_t b : needed) {
    auto& sums = std::get<GaussianStatistics>(parts.blocks[b]);
    const FillBlock block(statistics, b);
    sums = block.run(std::move(sums), notes, values[b]);
    const std::vector<Index>& features = statistics.schema().blocks()[b].features;
    for (Index j = 0; j < std::ssize(features); ++j)
      if (block.lacks(j)) columns.push_back(features[at(j)]);
  }
  std::ranges::sort(columns);
  return Filled{Statistics(std::move(parts)), std::move(notes), std::move(columns),
                std::move(values)};
}

}  // namespace suffice
