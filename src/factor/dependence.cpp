#include "factor/dependence.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/at.hpp"

namespace suffice {

double rounding_of_correlations(Index d) {
  return 10 * static_cast<double>(d + 10) * std::numeric_limits<double>::epsilon();
}

Dependence dependence(const Matrix& covariance, std::span<const Index> kept) {
  const auto n = static_cast<Index>(kept.size());
  const double rounding = rounding_of_correlations(n);
  Dependence result;
  std::vector<Index> basis;            // independent features so far
  std::vector<double> scale;           // their 1/σ
  Matrix factor(n, n), inverse(n, n);  // row b: basis feature b in L and in L⁻¹
  std::vector<double> row, beta;
  double trace = 0;
  for (const Index feature : kept) {
    const double variance = covariance(feature, feature);
    bool independent = variance > 0 && std::isfinite(variance);
    if (independent) {
      const double scale_here = 1 / std::sqrt(variance);
      const auto rank = static_cast<Index>(basis.size());
      row.assign(at(rank), 0.0);
      beta.assign(at(rank), 0.0);
      double rest = 1;
      for (Index b = 0; b < rank; ++b) {
        const double correlation = covariance(feature, basis[b]) * scale_here * scale[b];
        const double* other = factor.data() + b * n;
        row[b] = (correlation - std::inner_product(other, other + b, row.begin(), 0.0)) / other[b];
        rest -= row[b] * row[b];
        for (Index k = 0; k <= b; ++k) beta[k] += row[b] * inverse(b, k);
      }
      const double length =
          (1 + std::inner_product(beta.begin(), beta.end(), beta.begin(), 0.0)) / rest;
      independent = rest > 0 && rounding * (trace + length) < 1;
      if (independent) {
        trace += length;
        factor(rank, rank) = std::sqrt(rest);
        inverse(rank, rank) = 1 / factor(rank, rank);
        for (Index b = 0; b < rank; ++b) {
          factor(rank, b) = row[b];
          inverse(rank, b) = -beta[b] * inverse(rank, rank);
        }
        basis.push_back(feature);
        scale.push_back(scale_here);
      }
    }
    if (!independent) result.dependent.push_back(feature);
  }
  result.rank = static_cast<Index>(basis.size());
  return result;
}

}  // namespace suffice
