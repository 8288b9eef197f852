#include "estimate/smoothing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "core/at.hpp"
#include "core/compensated_sum.hpp"
#include "core/special_functions.hpp"
#include "estimate/estimate_discrete.hpp"
#include "estimate/estimate_text.hpp"
#include "estimate/evidence.hpp"

namespace suffice {
namespace {

/// For counts n_l of L levels with the sum N, the log-probability of all values, each by the counts
/// without it: the sum of
///   n_l log(n_l − 1 + α) − N log(N − 1 + L α).
/// It is the rows that are alone in their level which ask for an α above 0. Many counts are alike:
/// each is worked out once.
class LeftOutCounts {
 public:
  /// The counts of all levels in a class.
  void add(std::span<const double> counts) {
    const double sum = std::reduce(counts.begin(), counts.end());
    if (!(sum > 0)) return;
    totals_.push_back({static_cast<double>(counts.size()), sum});
    for (const double count : counts)
      if (count > 0) ++times_[count];
  }

  double value(double alpha) const {
    CompensatedSum sum;
    for (const auto& [count, times] : times_)
      sum.add(times * count * std::log(others(count) + alpha));
    for (const auto& [levels, all] : totals_)
      sum.add(-all * std::log(others(all) + levels * alpha));
    return sum.value();
  }
  /// α times its derivative.
  double slope(double alpha) const {
    CompensatedSum sum;
    for (const auto& [count, times] : times_)
      sum.add(times * count * alpha / (others(count) + alpha));
    for (const auto& [levels, all] : totals_)
      sum.add(-all * levels * alpha / (others(all) + levels * alpha));
    return sum.value();
  }

 private:
  struct Total {
    double levels, sum;
  };
  /// What is left of a count; a weight may be less than a row.
  static double others(double count) { return std::max(count - 1, 0.0); }

  std::map<double, double> times_;  // of each count above 0
  std::vector<Total> totals_;
};

constexpr int least_power = -20, most_power = 10;

double best_of_bounds(const EvidenceOfStrength& evidence) {
  const double low = std::ldexp(1, least_power), high = std::ldexp(1, most_power);
  const bool says_nothing = evidence.slope(low) == 0 && evidence.slope(high) == 0;
  return says_nothing ? 1 : best_strength(evidence, least_power, most_power);
}

double best_of(const LeftOutCounts& counts) {
  return best_of_bounds({.value = [&](double alpha) { return counts.value(alpha); },
                         .slope = [&](double alpha) { return counts.slope(alpha); }});
}

/// By the density of a block.
struct FindPseudoCount {
  const BlockStatistics& statistics;
  const EstimateOptions& options;

  double operator()(const GaussianDensity&) const { return 0; }

  template <FeatureDensity Density>
  double operator()(const Density&) const {
    using Described = FeatureFamily<Density>;
    const auto& sums = std::get<CountStatistics>(statistics);
    struct Cell {
      FeatureSums sums;
      double mean;
    };
    std::vector<Cell> cells;
    for (Index j = 0; j < sums.sum.cols(); ++j) {
      const double mean = pooled_mean(sums, j);
      if (!(mean > 0)) continue;
      for (Index c = 0; c < sums.sum.rows(); ++c)
        if (sums.weight(c, j) > 0) cells.push_back({{sums.weight(c, j), sums.sum(c, j)}, mean});
    }
    const auto total = [&](double alpha, const auto& term) {
      CompensatedSum sum;
      for (const Cell& cell : cells) sum.add(term(cell.sums, FeaturePrior{alpha, cell.mean}));
      return sum.value();
    };
    return best_of_bounds(
        {.value = [&](double alpha) { return total(alpha, Described::log_evidence); },
         .slope = [&](double alpha) { return alpha * total(alpha, Described::evidence_slope); }});
  }

  double operator()(const BernoulliDensity&) const {
    const auto& sums = std::get<CountStatistics>(statistics);
    LeftOutCounts counts;
    for (Index j = 0; j < sums.sum.cols(); ++j)
      for (Index c = 0; c < sums.sum.rows(); ++c) {
        const double ones = sums.sum(c, j);
        counts.add(std::array{ones, std::max(sums.weight(c, j) - ones, 0.0)});
      }
    return best_of(counts);
  }

  double operator()(const MultinomialDensity&) const {
    const Matrix& sum = std::get<CountStatistics>(statistics).sum;
    LeftOutCounts counts;
    for (Index c = 0; c < sum.rows(); ++c) counts.add(sum.row(c));
    return best_of(counts);
  }

  double operator()(const CategoricalDensity&) const {
    LeftOutCounts counts;
    for (const Matrix& count : std::get<CategoricalStatistics>(statistics).count)
      for (Index c = 0; c < count.rows(); ++c) counts.add(count.row(c));
    return best_of(counts);
  }

  double operator()(const TextDensity&) const {
    const auto& sums = std::get<TextStatistics>(statistics);
    const bool presence = options.event_model == EventModel::bernoulli;
    LeftOutCounts counts;
    for (Index j = 0; j < std::ssize(sums.words); ++j) {
      const std::vector<Index> kept = kept_words(sums, j, options);
      const Matrix& table = presence ? sums.rows[at(j)] : sums.count[at(j)];
      std::vector<double> of_class;
      for (Index c = 0; c < table.rows(); ++c) {
        of_class.clear();
        for (const Index i : kept) {
          of_class.push_back(table(c, i));
          if (presence)
            counts.add(std::array{table(c, i), std::max(sums.weight(c, j) - table(c, i), 0.0)});
        }
        if (!presence) counts.add(of_class);
      }
    }
    return best_of(counts);
  }
};

}  // namespace

double best_pseudo_count(const BlockStatistics& statistics, Family family,
                         const EstimateOptions& options) {
  return std::visit(FindPseudoCount{statistics, options}, empty_density(family));
}

double pseudo_count_of(const Model& model, const EstimateOptions& options, std::size_t block) {
  if (!options.smoothing.is_automatic()) return options.smoothing.value();
  const std::vector<Block>& blocks = model.schema().blocks();
  if (blocks[block].family == Family::gaussian) return 0;
  std::size_t before = 0;
  for (std::size_t b = 0; b < block; ++b) before += blocks[b].family != Family::gaussian ? 1 : 0;
  return model.parts().found.pseudo_counts.at(before);
}

}  // namespace suffice
