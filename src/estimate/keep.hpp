#pragma once
// The features that an estimate keeps: those that separate the classes best, each by itself. The
// choice is a function of the sums alone, so that the models of folds choose by their own rows.

#include <vector>

#include "suffice/estimate/estimate.hpp"

namespace suffice {

struct KeptFeatures {
  std::vector<Index> features;  ///< positions in the schema, in its order
  Vector divergence;            ///< of all features of the schema
};

/// Per feature: the divergence by which `keep` and `keep_above` of resolved options choose. Throws
/// as estimate; InvalidArgument where fewer than two classes have rows.
Vector divergences_to_keep(const Statistics& statistics, const EstimateOptions& options,
                           const Execution& execution = {});

/// Requires keeps_some. Throws as above; InvalidArgument where no divergence is above `keep_above`.
KeptFeatures kept_features(const Statistics& statistics, const EstimateOptions& options,
                           const Execution& execution = {});

/// The same options for the kept features.
EstimateOptions without_keep(EstimateOptions options);

/// What EstimateFound records of the choice: all_features to next_divergence.
EstimateFound found_of(const KeptFeatures& kept);

/// The model of the kept features, with how they were chosen.
Model with_kept(const Model& model, const EstimateOptions& given, const EstimateFound& of_choice);

}  // namespace suffice
