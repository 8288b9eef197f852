#include "suffice/estimate/shrunken_means.hpp"

#include <algorithm>
#include <cmath>

#include "core/few_digits.hpp"
#include "suffice/estimate/estimate.hpp"

namespace suffice {

std::vector<Index> surviving_features(const Model& model) {
  std::vector<Index> result;
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    const auto* density = std::get_if<GaussianDensity>(&model.densities()[b]);
    if (!density) continue;
    const Matrix& deviation = density->deviation;
    for (Index j = 0; j < deviation.cols(); ++j)
      for (Index c = 0; c < deviation.rows(); ++c)
        if (deviation(c, j) != 0) {
          result.push_back(model.schema().blocks()[b].features[static_cast<std::size_t>(j)]);
          break;
        }
  }
  std::ranges::sort(result);
  return result;
}

std::vector<double> mean_thresholds(const Statistics& statistics, const EstimateOptions& options,
                                    const Execution& execution) {
  constexpr int count = 30;
  EstimateOptions plain = options;
  plain.shrink_means = 0;
  const Model model = estimate(statistics, plain, execution);
  double largest = 0;
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density))
      for (Index c = 0; c < gaussian->deviation.rows(); ++c)
        for (const double d : gaussian->deviation.row(c)) largest = std::max(largest, std::abs(d));
  std::vector<double> result{0};
  for (int i = 1; i < count; ++i)
    if (const double next = few_digits(largest * i / count, 3); next > result.back())
      result.push_back(next);
  return result;
}

}  // namespace suffice
