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

/// Of components of different classes, by their shares: no less than the divergence of the classes.
Vector separation_of_mixture(const Model& model) {
  const Mixture& mixture = *model.mixture();
  const Vector shares = mixture.shares();
  const auto seen = static_cast<double>(std::count_if(
      model.weights().begin(), model.weights().end(), [](double weight) { return weight > 0; }));
  Vector result(model.schema().size());
  if (seen < 2) return result;
  const std::vector<Block>& blocks = model.schema().blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block)
    for (Index j = 0; j < std::ssize(blocks[block].features); ++j) {
      CompensatedSum sum;
      for (Index g = 0; g < mixture.size(); ++g)
        for (Index h = g + 1; h < mixture.size(); ++h)
          if (const double weight = shares[g] * shares[h];
              weight > 0 && mixture.label[static_cast<std::size_t>(g)] !=
                                mixture.label[static_cast<std::size_t>(h)])
            sum.add(weight * std::visit(Divergence{g, h, j}, model.densities()[block]));
      result[blocks[block].features[static_cast<std::size_t>(j)]] =
          sum.value() / (seen * (seen - 1) / 2);
    }
  return result;
}

}  // namespace

Vector separation(const Model& model) {
  if (model.mixture()) return separation_of_mixture(model);
  std::vector<Index> classes;
  for (Index c = 0; c < model.labels().size(); ++c)
    if (model.weights()[c] > 0) classes.push_back(c);
  const auto count = static_cast<double>(classes.size());
  Vector result(model.schema().size());
  if (classes.size() < 2) return result;

  const std::vector<Block>& blocks = model.schema().blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    Density of_features;  // of thin covariances their diagonals
    const auto* gaussian = std::get_if<GaussianDensity>(&model.densities()[block]);
    const bool thin = gaussian && !gaussian->thin.empty();
    if (thin) of_features = without_thin(*gaussian);
    const Density& density = thin ? of_features : model.densities()[block];
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
