#include "suffice/stats/separation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "algebra/blas.hpp"
#include "algebra/eigenvectors.hpp"
#include "core/constants.hpp"
#include "stats/moments.hpp"
#include "stats/pooled.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {
namespace {

double rounding_of_correlations(Index n) {
  return 10 * static_cast<double>(n + 10) * std::numeric_limits<double>::epsilon();
}

const GaussianStatistics& require_scatter(const Statistics& statistics, Index block) {
  const auto* sums = block < std::ssize(statistics.blocks())
                         ? std::get_if<GaussianStatistics>(&statistics.blocks()[block])
                         : nullptr;
  if (!sums) throw InvalidArgument("there is no block of numbers that vary together");
  if (sums->kind == Scatter::diagonal)
    throw InvalidArgument(
        "these statistics kept the diagonal of the scatter only, which does not tell how columns "
        "vary together",
        "sum the rows again with the whole scatter (" + Option{"covariance", "full"} + ")");
  return *sums;
}

/// The classes with complete rows, their weights and means.
Separation means_of_classes(const GaussianStatistics& sums) {
  Separation result;
  for (Index c = 0; c < std::ssize(sums.classes); ++c)
    if (sums.classes[c].complete.weight > 0) result.classes.push_back(c);
  const Index classes = std::ssize(result.classes);
  if (classes < 2)
    throw InvalidArgument(classes == 0 ? "there are no rows in which all numbers are present"
                                       : "only one class has rows in which all numbers are present",
                          "classes can be compared where two of them have such rows");
  JointMoments total;  // weight and mean alone
  result.weight = Vector(classes);
  for (Index k = 0; k < classes; ++k) {
    const JointMoments& of_class = sums.classes[result.classes[k]].complete;
    result.weight[k] = of_class.weight;
    if (total.weight > 0)
      merge_means(total, of_class);
    else
      total = {of_class.weight, of_class.mean, of_class.mean_low, {}};
  }
  const Index d = total.mean.size();
  result.mean = Vector(d);
  result.between = Vector(d);
  result.deviations = Matrix(classes, d);
  for (Index j = 0; j < d; ++j) {
    result.mean[j] = total.mean[j] + total.mean_low[j];
    for (Index k = 0; k < classes; ++k) {
      const JointMoments& of_class = sums.classes[result.classes[k]].complete;
      const double deviation =
          difference({of_class.mean[j], of_class.mean_low[j]}, {total.mean[j], total.mean_low[j]})
              .high;
      result.deviations(k, j) = deviation;
      result.between[j] += result.weight[k] * deviation * deviation;
    }
  }
  return result;
}

/// P of the features that vary, by the factor of their correlations within classes, or by their
/// eigenvectors where these depend on each other.
void whiten(Separation& separation) {
  const Index d = separation.features();
  std::vector<Index> varying;
  Vector deviation(d);
  for (Index j = 0; j < d; ++j) {
    deviation[j] = std::sqrt(separation.within(j, j));
    if (deviation[j] > 0)
      varying.push_back(j);
    else if (separation.between[j] > 0)
      separation.is_separated = true;
  }
  const Index n = std::ssize(varying);
  if (n == 0)
    throw InvalidArgument("no column of numbers varies within a class",
                          "give rows that differ, or several rows of each class");
  Matrix correlations(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      correlations(i, j) = separation.within(varying[i], varying[j]) /
                           (deviation[varying[i]] * deviation[varying[j]]);
  const double least = rounding_of_correlations(n);
  Matrix factor = correlations;
  bool is_regular = blas::cholesky(n, factor.data(), n) == n;
  for (Index j = 0; is_regular && j < n; ++j) is_regular = factor(j, j) * factor(j, j) > least;
  if (is_regular) {
    blas::invert_lower(n, factor.data(), n);
    separation.whitener = Matrix(d, n);
    for (Index i = 0; i < n; ++i)
      for (Index k = i; k < n; ++k)
        separation.whitener(varying[i], k) = factor(k, i) / deviation[varying[i]];
    return;
  }
  Vector values(n);
  blas::eigh(n, correlations.data(), n, values.data());
  const Index flat = std::find_if(values.begin(), values.end(),
                                  [&](double value) { return value > least * values[n - 1]; }) -
                     values.begin();
  separation.whitener = Matrix(d, n - flat);
  for (Index i = 0; i < n; ++i)
    for (Index k = flat; k < n; ++k)
      separation.whitener(varying[i], k - flat) =
          correlations(k, i) / std::sqrt(values[k]) / deviation[varying[i]];
  for (Index k = 0; k < flat; ++k)
    for (Index c = 0; c < separation.deviations.rows(); ++c) {
      double along = 0, all = 1 / separation.rows();
      for (Index i = 0; i < n; ++i) {
        const double apart = separation.deviations(c, varying[i]) / deviation[varying[i]];
        along += apart * correlations(k, i);
        all += apart * apart;
      }
      if (along * along > least * all) separation.is_separated = true;
    }
}

/// Eigenvalues and directions. With a row √n_c (m_c − m)ᵀ P per class in Z, W⁻¹B is Zᵀ Z in the
/// whitened space, and Z Zᵀ has the same eigenvalues.
void decompose(Separation& separation) {
  const Index d = separation.features(), r = separation.rank();
  const Index classes = separation.deviations.rows();
  Matrix apart = separation.deviations, z(classes, r);
  for (Index c = 0; c < classes; ++c)
    for (Index j = 0; j < d; ++j) apart(c, j) *= std::sqrt(separation.weight[c]);
  blas::gemm(classes, r, d, 1, apart.data(), d, separation.whitener.data(), r, 0, z.data(), r);
  const Index n = std::min(classes, r), kept = std::min(classes - 1, r);
  Matrix vectors(n, n);
  if (n == r)
    blas::gemm_tn(r, r, classes, 1, z.data(), r, z.data(), r, 0, vectors.data(), n);
  else
    blas::gemm_nt(classes, classes, r, 1, z.data(), r, z.data(), r, 0, vectors.data(), n);
  Vector values(n);
  blas::eigh(n, vectors.data(), n, values.data());
  separation.eigenvalues = Vector(kept);
  Matrix q(kept, r);  // unit vectors in the whitened space
  for (Index k = 0; k < kept; ++k) {
    separation.eigenvalues[k] = std::max(values[n - 1 - k], 0.0);
    const auto u = vectors.row(n - 1 - k);
    if (n == r) {
      std::ranges::copy(u, q.row(k).begin());
      continue;
    }
    for (Index c = 0; c < classes; ++c)
      for (Index i = 0; i < r; ++i) q(k, i) += z(c, i) * u[c];
    const double length = std::sqrt(q.map().row(k).squaredNorm());
    for (Index i = 0; length > 0 && i < r; ++i) q(k, i) /= length;
  }
  Matrix along(kept, d);
  blas::gemm_nt(kept, d, r, 1, q.data(), r, separation.whitener.data(), r, 0, along.data(), d);
  separation.directions = Matrix(d, kept);
  for (Index k = 0; k < kept; ++k) {
    Vector scaled(d);
    for (Index j = 0; j < d; ++j) scaled[j] = along(k, j) * std::sqrt(separation.within(j, j));
    const Vector before = scaled;
    blas::choose_sign(d, scaled.data());
    const double sign = scaled == before ? 1 : -1;
    for (Index j = 0; j < d; ++j) separation.directions(j, k) = sign * along(k, j);
  }
}

}  // namespace

double Separation::rows() const { return std::accumulate(weight.begin(), weight.end(), 0.0); }

Separation separation_of(const Statistics& statistics, Index block) {
  const GaussianStatistics& sums = require_scatter(statistics, block);
  Separation result = means_of_classes(sums);
  if (!(result.rows() > static_cast<double>(result.classes.size())))
    throw InvalidArgument(
        "every class has one complete row, so nothing is known of what rows vary within a class",
        "give several rows of each class");
  std::vector<Index> all(static_cast<std::size_t>(result.mean.size()));
  std::iota(all.begin(), all.end(), Index{0});
  result.within = scatter_within(sums, all);
  whiten(result);
  decompose(result);
  return result;
}

double squared_distance(const Separation& separation, Index a, Index b) {
  const Index d = separation.features(), r = separation.rank();
  Vector apart(d), z(r);
  for (Index j = 0; j < d; ++j)
    apart[j] = separation.deviations(a, j) - separation.deviations(b, j);
  blas::gemm(1, r, d, 1, apart.data(), d, separation.whitener.data(), r, 0, z.data(), r);
  return z.map().squaredNorm();
}

double log_determinant(const Separation& separation, const Matrix& scatter) {
  const Index d = separation.features(), r = separation.rank();
  Matrix half(d, r), white(r, r);
  blas::gemm(d, r, d, 1, scatter.data(), d, separation.whitener.data(), r, 0, half.data(), r);
  blas::gemm_tn(r, r, d, 1, separation.whitener.data(), r, half.data(), r, 0, white.data(), r);
  if (blas::cholesky(r, white.data(), r) < r) return -infinity;
  double sum = 0;
  for (Index j = 0; j < r; ++j) {
    const double pivot = white(j, j) * white(j, j);
    if (!(pivot > rounding_of_correlations(r))) return -infinity;
    sum += std::log(pivot);
  }
  return sum;
}

}  // namespace suffice
