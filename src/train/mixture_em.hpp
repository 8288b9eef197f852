#pragma once
// EM for a mixture whose components are known to begin with: of all classes and rows, and of one
// class on a sample.

#include <functional>
#include <optional>

#include "estimate/projected.hpp"
#include "suffice/train/mixture.hpp"
#include "train/component_bound.hpp"
#include "train/component_sums.hpp"

namespace suffice {

/// Makes models of components from their sums. Projections are those of the classes, in every pass.
class ComponentEstimate {
 public:
  /// `statistics` are those of the classes.
  ComponentEstimate(const Statistics& statistics, const EstimateOptions& options,
                    const Execution& execution);

  /// With the options as they were given.
  Model model(const Statistics& components, const Execution& execution) const {
    return estimated(components, options_, execution);
  }
  /// Between the passes: the maximum of the likelihood, or of the posterior under the same prior of
  /// the covariances.
  Model in_pass(const Statistics& components, const Execution& execution) const {
    return estimated(components, in_passes_, execution);
  }
  /// To begin with, from few rows: whatever was asked for, covariances are shrunk and probabilities
  /// smoothed.
  Model first(const Statistics& components, const Execution& execution) const {
    return estimated(components, first_, execution);
  }
  const EstimateOptions& options() const noexcept { return options_; }
  /// Whether missing numbers can be completed: a row that lacks one has no projection.
  bool completes() const { return is_dense(options_.covariance) && !options_.pca && !options_.lda; }
  const EstimateOptions& beginning() const noexcept { return first_; }

 private:
  Model estimated(const Statistics& components, const EstimateOptions& options,
                  const Execution& execution) const;

  EstimateOptions options_, in_passes_, first_;
  std::optional<LinearMap> map_;
  std::optional<ProjectedStatistics::Components> components_;
};

/// A model of components whose covariances keep their bound.
struct BoundedModel {
  Statistics sums;
  Model model;
  Index bounded = 0;  ///< how many met it
};
BoundedModel bounded_model(Statistics::Parts sums, const ComponentBound& bound,
                           const std::function<Model(const Statistics&)>& estimate);

struct MixtureEmResult {
  Statistics sums;  ///< of the components, after the last pass
  Model model;      ///< estimated in_pass from them
  EmPasses passes;
  Index bounded = 0;  ///< components at their lower bound
};

/// Where `robust`, models between the passes are those of ComponentEstimate::first.
MixtureEmResult run_mixture(const ComponentSetup& setup, const ComponentEstimate& estimate,
                            const ComponentBound& bound, Model start, const RowPass& rows,
                            const PassOptions& passes, double weight, bool robust,
                            const Execution& execution);

}  // namespace suffice
