#pragma once
// The estimates of single blocks, of which a model is put together.

#include <optional>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/models/estimate.hpp"

namespace suffice {

/// What the estimate of a block is made from, beside its own sums.
struct EstimateContext {
  const Names& labels;
  const Vector& weights;  ///< per class, over all rows
  const Schema& schema;
  const Block& block;
  const EstimateOptions& options;
  Workers& workers;

  Index classes() const { return labels.size(); }
  Index features() const { return static_cast<Index>(block.features.size()); }
  const std::string& name(Index j) const { return schema.feature(block.features[j]).name; }
  bool seen(Index c) const { return weights[c] > 0; }
};

/// How strongly a Gaussian block was shrunk, where that was for the statistics to say.
struct GaussianStrength {
  std::vector<double> shares = {};         ///< oas: per class, or one
  std::optional<double> rows = {};         ///< v, or a tied covariance's u
  std::optional<double> target_rows = {};  ///< u of the target; inf: the pooled diagonal
};
struct GaussianEstimate {
  GaussianDensity density;
  GaussianStrength strength;
};
GaussianEstimate estimate_gaussian(const GaussianStatistics& statistics,
                                   const EstimateContext& context);
MultinomialDensity estimate_multinomial(const CountStatistics& statistics,
                                        const EstimateContext& context);
CategoricalDensity estimate_categorical(const CategoricalStatistics& statistics,
                                        const EstimateContext& context);

}  // namespace suffice
