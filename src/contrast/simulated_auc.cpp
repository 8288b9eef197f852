#include "contrast/simulated_auc.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "suffice/sample/sample.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace {

/// Rows that are drawn and scored at a time, and multiplications that are spent, about.
constexpr Index drawn_rows = 1000;
constexpr double most_multiplications = 6e9;

Index rows_for(const Model& model, Index wanted) {
  double of_row = 1;
  for (const Block& block : model.schema().blocks()) {
    const auto d = static_cast<double>(block.features.size());
    of_row += block.family == Family::gaussian ? 3 * d * d : d;
  }
  return static_cast<Index>(
      std::clamp(most_multiplications / of_row, 1000.0, static_cast<double>(wanted)));
}

std::vector<double> ratios(const Model& model, Index label, Index rows, const DriftOptions& options,
                           const Execution& execution) {
  std::vector<double> result;
  for (Index first = 0; first < rows; first += drawn_rows) {
    const Sample drawn = sample(
        model, std::min(drawn_rows, rows - first), model.labels()[label],
        {.seed = options.seed + static_cast<std::uint64_t>(label), .first_row = first}, execution);
    const Matrix scores = log_likelihood(model, drawn.rows(), {}, execution).values;
    for (Index i = 0; i < scores.rows(); ++i) {
      const double a = scores(i, 0), b = scores(i, 1);
      result.push_back(a == b ? 0 : a - b);  // also where both are −inf
    }
  }
  return result;
}

}  // namespace

double simulated_auc(const Model& model, const DriftOptions& options, const Execution& execution) {
  const Index rows = rows_for(model, options.samples) / 2;
  std::vector<std::pair<double, bool>> all;
  for (const double ratio : ratios(model, 0, rows, options, execution))
    all.emplace_back(ratio, true);
  for (const double ratio : ratios(model, 1, rows, options, execution))
    all.emplace_back(ratio, false);
  std::ranges::sort(all);
  // The mean rank of those of class 0, equal ratios sharing theirs.
  double ranks = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i, of_class = 0;
    for (; end < all.size() && all[end].first == all[i].first; ++end) of_class += all[end].second;
    ranks += static_cast<double>(of_class) * (static_cast<double>(i + end) + 1) / 2;
    i = end;
  }
  const auto n = static_cast<double>(rows);
  return std::clamp((ranks - n * (n + 1) / 2) / (n * n), 0.5, 1.0);
}

}  // namespace suffice
