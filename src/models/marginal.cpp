#include "models/marginal.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "core/take.hpp"
#include "models/gaussian_density.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// A density over the positions of its block that are kept.
struct Restrict {
  const std::vector<Index>& kept;

  Density operator()(const GaussianDensity& density) const {
    if (!density.projection.empty()) return density;  // of all features, or else of none
    GaussianDensity result{density.structure, some_columns(density.mean, kept), {}, {}};
    for (const Matrix& covariance : density.covariance) {
      if (is_spherical(density.structure)) {
        result.covariance.push_back(covariance);
      } else if (!is_dense(density.structure)) {
        result.covariance.push_back(some_columns(covariance, kept));
      } else {
        result.covariance.push_back(some_columns(some_rows(covariance, kept), kept));
      }
    }
    if (!density.thin.empty()) restrict_thin(density.thin, result);
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (std::ranges::binary_search(density.constant, kept[k]))
        result.constant.push_back(static_cast<Index>(k));
    // The marginals of Student's t have its degrees of freedom.
    result.dof = density.dof.cols() > 1 ? some_columns(density.dof, kept) : density.dof;
    result.scale = density.scale.cols() > 1 ? some_columns(density.scale, kept) : density.scale;
    result.deviation = some_columns(density.deviation, kept);
    return result;
  }
  /// Of few features the whole matrices.
  void restrict_thin(const ThinCovariance& thin, GaussianDensity& result) const {
    constexpr std::size_t few = 100;
    if (kept.size() > few) {
      result.thin = {some_columns(thin.diagonal, kept), some_columns(thin.factor, kept), thin.rows};
      return;
    }
    for (Index c = 0; c < std::ssize(thin.rows); ++c)
      result.covariance.push_back(covariance_of(thin, c, kept));
  }
  Density operator()(const MultinomialDensity& density) const { return density; }
  template <class Features>
  Density operator()(const Features& density) const {
    return taken(density, Axis::feature, kept);
  }
};

}  // namespace

Model without_maps(const Model& model) {
  const Schema& schema = model.schema();
  std::vector<Feature> features;
  std::vector<std::vector<Index>> blocks;
  std::vector<Density> densities = model.densities();
  for (std::size_t b = 0; b < densities.size(); ++b) {
    blocks.emplace_back();
    auto* gaussian = std::get_if<GaussianDensity>(&densities[b]);
    if (gaussian && !gaussian->projection.empty()) {
      for (Index j = 0; j < gaussian->mean.cols(); ++j) {
        blocks.back().push_back(std::ssize(features));
        features.push_back({.name = std::to_string(features.size())});
      }
      gaussian->projection = {};
      continue;
    }
    for (const Index feature : schema.blocks()[b].features) {
      blocks.back().push_back(std::ssize(features));
      Feature& copy = features.emplace_back(schema.feature(feature));
      copy.name = std::to_string(features.size() - 1);
      copy.transform = Transform::none;
      copy.indicator.reset();
    }
  }
  return Model({.schema = Schema(std::move(features), std::move(blocks)),
                .labels = model.labels(),
                .weights = model.weights(),
                .densities = std::move(densities),
                .mixture = model.mixture()});
}

bool has_maps(const Model& model) {
  return std::ranges::any_of(model.densities(),
                             [](const Density& density) {
                               const auto* gaussian = std::get_if<GaussianDensity>(&density);
                               return gaussian && !gaussian->projection.empty();
                             }) ||
         std::ranges::any_of(model.schema().features(), [](const Feature& feature) {
           return feature.transform != Transform::none || feature.indicator;
         });
}

Model with_indicators_as_columns(const Model& model) {
  if (!model.schema().has_indicators()) return model;
  Model::Parts parts = model.parts();
  std::vector<Feature> features = model.schema().features();
  for (Feature& feature : features) feature.indicator.reset();
  std::vector<std::vector<Index>> blocks;
  for (const Block& block : model.schema().blocks()) blocks.push_back(block.features);
  parts.schema = Schema(std::move(features), std::move(blocks)).with_label(model.schema().label());
  return Model(std::move(parts));
}

Model marginal(const Model& model, const std::vector<bool>& missing,
               std::span<const double> mixture) {
  const Schema& schema = model.schema();
  std::vector<Feature> features;
  std::vector<Index> place(missing.size());
  for (std::size_t f = 0; f < missing.size(); ++f) {
    if (missing[f]) continue;
    place[f] = std::ssize(features);
    features.push_back(schema.features()[f]);
  }
  std::vector<std::vector<Index>> blocks;
  std::vector<Density> densities;
  for (std::size_t b = 0; b < schema.blocks().size(); ++b) {
    std::vector<Index> kept, places;
    const std::vector<Index>& all = schema.blocks()[b].features;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (missing[at(all[j])]) continue;
      kept.push_back(static_cast<Index>(j));
      places.push_back(place[at(all[j])]);
    }
    if (kept.empty()) continue;
    blocks.push_back(std::move(places));
    densities.push_back(std::visit(Restrict{kept}, model.densities()[b]));
  }
  Vector weights = model.weights();
  for (Index c = 0; c < weights.size(); ++c)
    if (mixture[at(c)] == 0) weights[c] = 0;
  return Model({.schema = Schema(std::move(features), std::move(blocks)),
                .labels = model.labels(),
                .weights = std::move(weights),
                .densities = std::move(densities),
                .mixture = model.mixture()});
}

}  // namespace suffice
