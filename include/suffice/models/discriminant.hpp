#pragma once
// The functions behind the decisions, as they are written on a blackboard:
//   quadratic  g(x) = zᵀ A z + wᵀ z + c        linear  g(x) = wᵀ z + c
// over the columns z: the numeric features as they are, and one 0/1 column for each level of a
// categorical feature. The difference of two classes' functions is their log-likelihood ratio.

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
  /// zᵀ A z + wᵀ z + c. Requires one value for each column.
  double operator()(std::span<const double> z) const;
};

/// log p(x | label) but for terms that are the same for all classes (log x! of Poisson counts; the
/// quadratic form of a tied covariance), which is why tied models are linear.
/// Throws InvalidArgument for a label that the model lacks, or a class of weight 0.
Discriminant discriminant(const Model& model, std::string_view label);

/// log p(x | first) − log p(x | second), exactly.
Discriminant discriminant(const Model& model, std::string_view first, std::string_view second);

}  // namespace suffice
