#include "factor/factors.hpp"

#include <algorithm>

namespace suffice {
namespace {

/// How many workers the factors could keep busy: one for small work.
Index workers_for_factors(const Model::Parts& parts) {
  double work = 0;
  for (const Density& density : parts.densities) {
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density)) {
      const auto d = static_cast<double>(gaussian->mean.cols());
      if (!gaussian->thin.empty())
        work += static_cast<double>(gaussian->thin.factor.size());
      else if (is_dense(gaussian->structure))
        work += d * d * d * static_cast<double>(parts.labels.size());
    } else if (const auto* multinomial = std::get_if<MultinomialDensity>(&density)) {
      work += 20 * static_cast<double>(multinomial->probability.size());
    } else if (const auto* text = std::get_if<TextDensity>(&density)) {
      for (const Matrix& probability : text->probability)
        work += 20 * static_cast<double>(probability.size());
    }
  }
  return static_cast<Index>(std::clamp(work / 1e6, 1.0, 1e4));
}

struct MakeFactor {
  const Model::Parts& parts;
  const Block& block;
  Workers& workers;

  Factor operator()(const GaussianDensity& density) const {
    return make_factor(density, parts, block, workers);
  }
  template <FeatureDensity Features>
  Factor operator()(const Features& density) const {
    return make_factor(density, parts.weights, workers);
  }
  Factor operator()(const MultinomialDensity& density) const {
    return make_factor(density, parts.weights, workers);
  }
  Factor operator()(const CategoricalDensity& density) const {
    return make_factor(density, parts.weights);
  }
  Factor operator()(const TextDensity& density) const {
    return make_factor(density, parts.weights, workers);
  }
};

}  // namespace

Factors make_factors(const Model::Parts& parts, const Execution& execution) {
  Workers workers(execution, workers_for_factors(parts));
  Factors factors;
  for (std::size_t b = 0; b < parts.densities.size(); ++b)
    factors.blocks.push_back(
        std::visit(MakeFactor{parts, parts.schema.blocks()[b], workers}, parts.densities[b]));
  if (parts.logistic) factors.logistic = make_logistic_factor(parts, factors.blocks);
  return factors;
}

}  // namespace suffice
