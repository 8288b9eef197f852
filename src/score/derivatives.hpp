#pragma once
// The part that transformations of features have in log p(x): Σ log |dt/dx|, whatever the class.

#include <cmath>
#include <vector>

#include "data/transform.hpp"

namespace suffice {

/// Of a block of which some features are used by the density.
class Derivatives {
 public:
  Derivatives() = default;
  /// `packed`: values of the used features side by side; otherwise those of the whole block.
  Derivatives(const Schema& schema, const Block& block, const std::vector<Index>& used,
              bool packed) {
    for (Index j = 0; j < std::ssize(used); ++j) {
      const Transform transform = schema.feature(block.features[used[j]]).transform;
      if (transform != Transform::none) terms_.push_back({packed ? j : used[j], transform});
    }
  }

  bool empty() const noexcept { return terms_.empty(); }
  /// From the transformed values of a row; those that are missing have no part.
  double operator()(const double* row) const noexcept {
    double sum = 0;
    for (const auto& [position, transform] : terms_)
      if (const double t = row[position]; !std::isnan(t)) sum += log_derivative(transform, t);
    return sum;
  }

 private:
  struct Term {
    Index position;
    Transform transform;
  };
  std::vector<Term> terms_;
};

}  // namespace suffice
