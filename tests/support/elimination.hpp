#pragma once
// Gaussian elimination in long double, for densities that share no code with the library.

#include <cmath>
#include <stdexcept>
#include <vector>

namespace suffice::testing {

using Real = long double;
using Reals = std::vector<Real>;
using Square = std::vector<Reals>;

struct Eliminated {
  Real log_det = 0;  ///< of the matrix: its determinant is the product of the pivots
  Real form = 0;     ///< δᵀ y where matrix · y = δ
};

/// Throws where a pivot is not positive.
inline Eliminated eliminate(const Reals& delta, Square a) {
  const std::size_t d = delta.size();
  Reals y = delta;
  Eliminated result;
  for (std::size_t k = 0; k < d; ++k) {
    if (!(a[k][k] > 0)) throw std::runtime_error("the covariance is singular");
    result.log_det += std::log(a[k][k]);
    for (std::size_t i = k + 1; i < d; ++i) {
      const Real f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < d; ++j) a[i][j] -= f * a[k][j];
      y[i] -= f * y[k];
    }
  }
  for (std::size_t k = d; k-- > 0;) {
    for (std::size_t j = k + 1; j < d; ++j) y[k] -= a[k][j] * y[j];
    y[k] /= a[k][k];
    result.form += delta[k] * y[k];
  }
  return result;
}

}  // namespace suffice::testing
