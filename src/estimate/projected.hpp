#pragma once
// Statistics whose Gaussian block went through the projections of the options. They serve every
// covariance structure and every kind of regularisation.

#include <optional>

#include "suffice/estimate/estimate.hpp"

namespace suffice {

struct ProjectedStatistics {
  Statistics statistics;  ///< of the projected rows
  Schema schema;          ///< of the rows as they are
  Index block = 0;        ///< the projected one
  LinearMap map;          ///< from the block's features to the projections
  struct Components {
    Index count;
    double explained;  ///< their share of the variance
  };
  std::optional<Components> components = {};  ///< of pca, where they were found here
};

/// The one Gaussian block. Throws InvalidArgument where there is none or more than one.
Index block_to_project(const Schema& schema);

/// pca, then lda; at least one of the two. Throws as principal_components and
/// discriminant_components.
ProjectedStatistics project(const Statistics& statistics, const std::optional<Pca>& pca,
                            const std::optional<Index>& lda, const Execution& execution = {});

/// The same with a map that was found before.
ProjectedStatistics project(const Statistics& statistics, LinearMap map,
                            const Execution& execution = {});

/// As estimate(statistics, options) of the statistics that were projected by pca and lda of the
/// options.
Model estimate(const ProjectedStatistics& projected, const EstimateOptions& options,
               const Execution& execution = {});

}  // namespace suffice
