#pragma once
// Estimates of the discrete families and of those of models/feature_family.hpp.

#include <string>

#include "estimate/estimate_context.hpp"
#include "models/feature_family.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Throws InvalidArgument: class c has no value of something, and no smoothing makes up for it.
[[noreturn]] void throw_nothing_counted(const EstimateContext& context, Index c,
                                        const std::string& of_what);
/// Throws InvalidArgument: the values of class c in feature j have no parameter.
[[noreturn]] void throw_impossible_value(const EstimateContext& context, Index c, Index j,
                                         double value, std::string_view requirement);

/// The mean of feature j over all classes; 0 where there is no value.
double pooled_mean(const CountStatistics& statistics, Index j);

template <FeatureDensity Density>
Density estimate_features(const CountStatistics& statistics, const EstimateContext& context) {
  using Described = FeatureFamily<Density>;
  Density density;
  Matrix& values = values_of(density) = Matrix(context.classes(), context.features());
  Matrix shapes;
  const bool compound = shapes_of(density) && context.options.inference == Inference::bayes;
  if (compound) shapes = Matrix(context.classes(), context.features());
  for (Index j = 0; j < context.features(); ++j) {
    const FeaturePrior prior{.alpha = context.alpha,
                             .mean = Described::pools ? pooled_mean(statistics, j) : 0};
    for (Index c = 0; c < context.classes(); ++c) {
      if (!context.seen(c)) continue;
      const FeatureSums sums{statistics.weight(c, j), statistics.sum(c, j)};
      if (!(sums.weight + prior.alpha > 0))
        throw_nothing_counted(context, c, "feature '" + context.name(j) + "'");
      const FeatureParameters parameters = Described::estimate(sums, prior);
      if (!Described::is_possible(parameters.value))
        throw_impossible_value(context, c, j, parameters.value, Described::requirement);
      values(c, j) = parameters.value;
      if (compound) shapes(c, j) = parameters.shape;
    }
  }
  if constexpr (requires { density.shape; }) density.shape = std::move(shapes);
  return density;
}

/// Of K × d sums those of all other classes.
Matrix sums_of_others(const Matrix& sums);

MultinomialDensity estimate_multinomial(const CountStatistics& statistics,
                                        const EstimateContext& context);
CategoricalDensity estimate_categorical(const CategoricalStatistics& statistics,
                                        const EstimateContext& context);

}  // namespace suffice
