#pragma once
// What the estimate of a block is made from.

#include <string>

#include "core/parallel.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/schema.hpp"
#include "suffice/models/estimate_options.hpp"

namespace suffice {

/// Beside the sums of the block itself.
struct EstimateContext {
  const Names& labels;
  const Vector& weights;  ///< per class, over all rows
  const Schema& schema;
  const Block& block;
  const EstimateOptions& options;
  double alpha;  ///< the pseudo-count of a discrete block
  Workers& workers;

  Index classes() const { return labels.size(); }
  Index features() const { return static_cast<Index>(block.features.size()); }
  const std::string& name(Index j) const { return schema.feature(block.features[j]).name; }
  bool seen(Index c) const { return weights[c] > 0; }
};

}  // namespace suffice
