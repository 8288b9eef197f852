#pragma once
// Means and covariances of several classes together, each class with a share of its own: the shares
// may be the observed frequencies, or priors.

#include <span>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// m = Σ_c s_c m_c, and the means of the classes minus it.
struct PooledMeans {
  Vector centre, centre_low;  ///< m as the sum of two doubles
  Matrix deviations;          ///< K × d: m_c − m; 0 for a class of weight 0
};

/// Requires one share per class, and a class with a weight. A class of weight 0 has no part in m.
/// An offset that all rows have in common costs the deviations no digits.
PooledMeans pooled_means(const GaussianStatistics& statistics, std::span<const double> shares);

/// Σ_c s_c S_c / W_c over the classes that have a weight, d × d.
/// Requires Scatter::dense and one share per class.
Matrix pooled_covariance(const GaussianStatistics& statistics, std::span<const double> shares);

}  // namespace suffice
