#include "models/feature_divergence.hpp"

#include <algorithm>
#include <limits>

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
  /// Of one word; bernoulli: of a whole document.
  double operator()(const TextDensity& density) const {
    const Matrix& probability = density.probability[j];
    double sum = 0;
    for (Index word = 0; word < probability.cols(); ++word) {
      const double p = probability(a, word), q = probability(b, word);
      sum += divergence_term(p, q);
      if (density.event_model == EventModel::bernoulli) sum += divergence_term(1 - p, 1 - q);
    }
    return sum;
  }
};

}  // namespace

double feature_divergence(const Density& density, Index a, Index b, Index j) {
  return std::visit(Divergence{a, b, j}, density);
}

Vector feature_divergences(const Schema& schema, const Vector& weights,
                           const std::vector<Density>& densities) {
  std::vector<Index> classes;
  for (Index c = 0; c < weights.size(); ++c)
    if (weights[c] > 0) classes.push_back(c);
  const auto count = static_cast<double>(classes.size());
  Vector result(schema.size());
  if (classes.size() < 2) return result;

  const std::vector<Block>& blocks = schema.blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    Density of_features;  // of thin covariances their diagonals
    const auto* gaussian = std::get_if<GaussianDensity>(&densities[block]);
    const bool thin = gaussian && !gaussian->thin.empty();
    if (thin) of_features = without_thin(*gaussian);
    const Density& density = thin ? of_features : densities[block];
    for (Index j = 0; j < std::ssize(blocks[block].features); ++j) {
      CompensatedSum sum;
      for (std::size_t first = 0; first < classes.size(); ++first)
        for (std::size_t second = first + 1; second < classes.size(); ++second)
          sum.add(std::visit(Divergence{classes[first], classes[second], j}, density));
      result[blocks[block].features[j]] = sum.value() / (count * (count - 1) / 2);
    }
  }
  return result;
}

}  // namespace suffice
