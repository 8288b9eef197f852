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

/// ½ [v_a/v_b + v_b/v_a − 2 + (m_a − m_b)² (1/v_a + 1/v_b)], with distance = m_a − m_b
double gaussian_divergence(double va, double vb, double distance) {
  const double spread = va - vb;
  return (spread / va * (spread / vb) + distance / va * distance + distance / vb * distance) / 2;
}

/// Whether J of feature j is 0 or undefined whatever the classes are.
bool is_same_in_all(const GaussianDensity& density, Index j) {
  return !density.projection.empty() || std::ranges::binary_search(density.constant, j);
}

/// J of feature j of a block in the classes a and b.
struct Divergence {
  Index a, b, j;

  double operator()(const GaussianDensity& density) const {
    if (!density.projection.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (std::ranges::binary_search(density.constant, j)) return 0;
    return gaussian_divergence(variance(density, a, j), variance(density, b, j),
                               density.mean(a, j) - density.mean(b, j));
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

/// Σ of J over the pairs of classes.
double sum_of_divergences(const Density& density, const std::vector<Index>& classes, Index j) {
  const std::size_t count = classes.size();
  const auto* gaussian = std::get_if<GaussianDensity>(&density);
  CompensatedSum sum;
  if (!gaussian || is_same_in_all(*gaussian, j)) {
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b)
        sum.add(std::visit(Divergence{classes[a], classes[b], j}, density));
    return sum.value();
  }
  std::vector<double> mean, var;  // side by side: with thousands of classes there are many pairs
  for (const Index c : classes) {
    mean.push_back(gaussian->mean(c, j));
    var.push_back(variance(*gaussian, c, j));
  }
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b)
      sum.add(gaussian_divergence(var[a], var[b], mean[a] - mean[b]));
  return sum.value();
}

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
    for (Index j = 0; j < std::ssize(blocks[block].features); ++j)
      result[blocks[block].features[j]] =
          sum_of_divergences(density, classes, j) / (count * (count - 1) / 2);
  }
  return result;
}

}  // namespace suffice
