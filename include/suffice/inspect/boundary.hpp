#pragma once
// Where the decision changes along one number. With two normal densities of one variance σ² and
// means a < b that is the midpoint, moved by the prior: (a + b)/2 + σ²/(b − a) log(π_a/π_b); with
// two variances it is two such points or none.

#include <vector>

#include "suffice/decide/costs.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

struct BoundaryPoint {
  double x;
  Index left, right;  ///< the classes that are decided just below and just above
};

/// All points of a feature (a position in the schema) where the cheapest decision changes, smallest
/// first. The other features are not known: the densities are marginal ones, and as they are,
/// without a calibration, unless there are no others. Under costs of 1, normal densities and
/// waiting times have all of their points; otherwise classes that are decided only between two of
/// many tried points may be overlooked. Throws InvalidArgument for features that are no numbers, or
/// that the model knows projections of; for discriminative models of several features; and where
/// labels differ.
std::vector<BoundaryPoint> boundary(const Model& model, Index feature, const Priors& priors,
                                    const Costs& costs);
std::vector<BoundaryPoint> boundary(const Model& model, Index feature, const Priors& priors);

}  // namespace suffice
