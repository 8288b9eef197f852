#pragma once
// The functions behind the decisions, as they are written on a blackboard:
//   quadratic  g(x) = zᵀ A z + wᵀ z + c        linear  g(x) = wᵀ z + c
// over the columns z: the numeric features as they are (or transformed, "log(x)"), and one 0/1
// column for each level of a categorical feature. Those of a projected model are composed with its
// map. The difference of two classes' functions is their log-likelihood ratio.

#include <string>
#include <string_view>
#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

struct Discriminant {
  std::vector<std::string> columns;  ///< names of z; a level's column is "feature=level"
  Matrix A;                          ///< columns × columns, symmetric; empty: linear
  Vector w;
  double c = 0;

  bool is_linear() const noexcept { return A.empty(); }
  /// zᵀ A z + wᵀ z + c. A column of value 0 adds nothing, also where its coefficient is infinite:
  /// that of a value which a class excludes (−inf; NaN where both classes of a pair do).
  /// Throws InvalidArgument unless there is one value for each column.
  double operator()(std::span<const double> z) const;
};

/// log p(x | label) without the terms that are the same for all classes (log x! of Poisson counts,
/// the derivatives of transformations, the quadratic form of a tied covariance), which is why tied
/// models are linear; of a discriminative model its scores, without the training prior. Throws
/// InvalidArgument for a label that the model lacks, a class of weight 0, for posterior predictive
/// densities, or a class that excludes the value 0 of a Bernoulli feature, which no such form can
/// say.
Discriminant discriminant(const Model& model, std::string_view label);

/// log p(x | first) − log p(x | second), exactly.
Discriminant discriminant(const Model& model, std::string_view first, std::string_view second);

}  // namespace suffice
