#pragma once
// A lower bound on the covariances of components: without one, a component that closes in on a few
// rows has a likelihood that grows without end.

#include <vector>

#include "suffice/models/estimate_options.hpp"
#include "suffice/models/mixture.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Eigenvalues of W Σ_g Wᵀ are at least `share`, where Wᵀ W is the inverse of the covariance of
/// the class (of its diagonal, where there is no inverse). Diagonal structures: each variance is at
/// least that share of the variance in the class. Covariances that components share, or that are
/// shrunk by a prior, need the bound only where they are singular.
class ComponentBound {
 public:
  static constexpr double share = 1e-6;

  /// `statistics` are those of the classes.
  ComponentBound(const Statistics& statistics, const Mixture& grouping,
                 const EstimateOptions& options);

  /// Where all rows of a component are equal in a feature, what is left of its squares is rounding,
  /// and may be negative: it becomes 0. Sums that are no scatter by rounding become one.
  void remove_rounding(Statistics::Parts& components) const;

  bool is_for_each() const noexcept { return for_each_; }
  /// Raises what is below the bound; returns how many components had such a covariance.
  Index apply(Statistics::Parts& components) const;

 private:
  /// Of a class and Gaussian block.
  struct Reference {
    std::vector<Index> varying;
    Matrix whitener, factor;  ///< W and its inverse, of the features that vary
    Vector variance;
  };
  bool raise(JointMoments& moments, const Reference& reference) const;
  static bool raise(Moments& moments, const Reference& reference);

  bool for_each_;
  std::vector<Index> label_;
  std::vector<std::vector<Reference>> references_;  ///< by block, by class; empty: no bound
};

}  // namespace suffice
