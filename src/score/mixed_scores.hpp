#pragma once
// From the scores of components to those of classes that are mixtures.

#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// log p(x | c) = log Σ_{g of c} share_g p(x | g).
class MixedScores {
 public:
  /// Requires a mixture.
  explicit MixedScores(const Model& model);
  Index classes() const noexcept { return static_cast<Index>(first_.size()) - 1; }
  Index components() const noexcept { return static_cast<Index>(order_.size()); }
  /// K' scores of the components of a row to K of its classes.
  void operator()(const double* components, double* classes) const noexcept;

 private:
  std::vector<Index> first_;       ///< per class: where its components begin; then their number
  std::vector<Index> order_;       ///< the components, class by class
  std::vector<double> log_share_;  ///< in that order; −inf: of a class without rows
};

}  // namespace suffice
