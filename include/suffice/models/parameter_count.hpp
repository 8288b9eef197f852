#pragma once
// How many numbers of a model are free to vary: means, covariances, probabilities, rates, shares of
// components. With d features and K classes that have rows, of each class
//
//   full            d + d (d + 1) / 2       tied            d, and d (d + 1) / 2 of all together
//   diag            2 d                     tied-diag       d, and d of all together
//   spherical       d + 1                   tied-spherical  d, and 1 of all together
//   Bernoulli, Poisson, waiting times   d   one for each feature
//   categories      Σ (levels − 1)          words           words − 1
//
// Priors of the classes, strengths of shrinkage, projections and calibrations are not among them.

#include "suffice/models/model.hpp"

namespace suffice {

struct ParameterCount {
  Vector of_class;    ///< per class; 0 where it has no rows
  double shared = 0;  ///< what all classes have together, such as a tied covariance

  double total() const;
};

/// Constant features have no part in a density, and shrunken means only where they differ from that
/// of all rows. The weights of a discriminative model, (K − 1) (terms + 1), are shared.
ParameterCount parameter_count(const Model& model);

}  // namespace suffice
