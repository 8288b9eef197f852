#pragma once
// Rows of a wide table as few numbers: coordinates in a basis of all that the rows of the
// statistics span, in which a diagonal target is the identity. Nothing is lost: in every direction
// outside, no row varies and all means agree.

#include <optional>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/models/estimate_options.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// With A the rows of all factors and √W_c (m_c − m), over the roots of the target, and
/// A Aᵀ = Vᵀ Λ V, the basis is U = Λ^-½ V A. The rows of A are those of Vᵀ Λ^½ in it, and a row x
/// is Λ^-½ V A x.
class ThinSpace {
 public:
  /// Of statistics of one Gaussian block with a thin scatter. The target has the pooled variances,
  /// or their mean. Throws InvalidArgument where these are not all positive.
  ThinSpace(const Statistics& statistics, Target target, Workers& workers);

  /// Of the coordinates, dense.
  const Statistics& statistics() const { return *statistics_; }
  /// Directions beside these.
  Index outside() const { return std::ssize(used_) - values_.size(); }
  /// Of rows of the statistics; NaN where a row lacks a value.
  Matrix coordinates(const Matrix& rows, Workers& workers) const;

 private:
  void find_target(const GaussianStatistics& sums, Target target);
  void find_basis(const GaussianStatistics& sums, Workers& workers);
  GaussianStatistics sums_in_basis(const GaussianStatistics& sums) const;

  std::vector<Index> used_;       ///< the features that vary
  Vector center_, inverse_root_;  ///< of these: the mean, and the target's
  Matrix a_;
  Matrix vectors_;  ///< V, a row for each direction
  Vector values_;   ///< Λ
  std::optional<Statistics> statistics_;
};

}  // namespace suffice
