#include "suffice/models/separation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/compensated_sum.hpp"
#include "models/feature_family.hpp"
#include "models/gaussian_density.hpp"

namespace suffice {
namespace {

/// The variance of a feature of the block by itself, which is what the diagonal has.
double variance(const GaussianDensity& density, Index c, Index feature) {
  const double stored = diagonal_at(density, c, feature);
  if (density.dof.empty()) return stored;
  const double dof = dof_at(density, c, feature);
  return stored * scale_at(density, c, feature) * (dof > 2 ? dof / (dof - 2) : 1);
}

/// J of feature j of a block in the classes a and b.
struct Divergence {
  Index a, b, j;

  // ½ [v_a/v_b + v_b/v_a − 2 + (m_a − m_b)² (1/v_a + 1/v_b)]
  double operator()(const GaussianDensity& density) const {
    if (!density.projection.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (std::ranges::binary_search(density.constant, j)) return 0;
    const double va = variance(density, a, j), vb = variance(density, b, j);
    const double distance = density.mean(a, j) - density.mean(b, j), spread = va - vb;
    return (spread / va * (spread / vb) + distance / va * distance + distance / vb * distance) / 2;
  }
  template <FeatureDensity Features>
  double operator()(const Features& density) const {
    const Matrix& values = values_of(density);
    return FeatureFamily<Features>::divergence(values(a, j), values(b, j));
  }
  double operator()(const MultinomialDensity& density) const {
    return divergence_term(density.probability(a, j), density.probability(b, j));
  }
  double operator()(const CategoricalDensity& density) const {
    const Matrix& probability = density.probability[j];
    double sum = 0;
    for (Index level = 0; level < probability.cols(); ++level)
      sum += divergence_term(probability(a, level), probability(b, level));
    return sum;
  }
};

}  // namespace

Vector separation(const Model& model) {
  std::vector<Index> classes;
  for (Index c = 0; c < model.labels().size(); ++c)
    if (model.weights()[c] > 0) classes.push_back(c);
  const auto count = static_cast<double>(classes.size());
  Vector result(model.schema().size());
  if (classes.size() < 2) return result;

  const std::vector<Block>& blocks = model.schema().blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block)
    for (Index j = 0; j < std::ssize(blocks[block].features); ++j) {
      CompensatedSum sum;
      for (std::size_t first = 0; first < classes.size(); ++first)
        for (std::size_t second = first + 1; second < classes.size(); ++second)
          sum.add(
              std::visit(Divergence{classes[first], classes[second], j}, model.densities()[block]));
      result[blocks[block].features[j]] = sum.value() / (count * (count - 1) / 2);
    }
  return result;
}

}  // namespace suffice
