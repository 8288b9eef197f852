#pragma once
// Means and scatters of several classes together. With shares of the classes, these may be the
// observed frequencies, or priors.

#include <span>
#include <vector>

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

/// Σ_c S_c of some features, for every kind of scatter except diagonal; d × d, 0 without complete
/// rows.
Matrix scatter_within(const GaussianStatistics& statistics, std::span<const Index> features);

/// Weight, mean and scatter of the complete rows of all classes together: thin where the
/// statistics are, otherwise dense.
JointMoments total_of(const GaussianStatistics& statistics);

/// a := the sums of both, of Scatter::pooled. Class c of `b` is class position[c] of `a`.
void merge_pooled(GaussianStatistics& a, const GaussianStatistics& b,
                  const std::vector<Index>& position);

/// The squares of each class are asked for, and unknown after a projection.
[[noreturn]] void throw_no_class_squares();

/// q += sign Rᵀ R for some rows R, n × d; q is symmetric, and stays so to the last bit.
void add_products(const Matrix& rows, double sign, Matrix& q);

/// 0 in the rows and columns of features whose diagonal is not positive: these do not vary.
void clear_constants(Matrix& scatter);

}  // namespace suffice
