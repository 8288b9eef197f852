#pragma once
// Student's t by elimination in long double, sharing no code with the library.

#include <cmath>
#include <vector>

namespace suffice::testing {

using Real = long double;
using Reals = std::vector<Real>;

/// Of delta = x − mean under the scale matrix `a`.
inline Real log_student(const Reals& delta, std::vector<Reals> a, Real dof) {
  const std::size_t d = delta.size();
  Reals y = delta;
  Real log_det = 0, form = 0;
  for (std::size_t k = 0; k < d; ++k) {
    log_det += std::log(a[k][k]);
    for (std::size_t i = k + 1; i < d; ++i) {
      const Real f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < d; ++j) a[i][j] -= f * a[k][j];
      y[i] -= f * y[k];
    }
  }
  for (std::size_t k = d; k-- > 0;) {
    for (std::size_t j = k + 1; j < d; ++j) y[k] -= a[k][j] * y[j];
    y[k] /= a[k][k];
    form += delta[k] * y[k];
  }
  const Real n = static_cast<Real>(d);
  return std::lgamma((dof + n) / 2) - std::lgamma(dof / 2) -
         n / 2 * std::log(dof * std::acos(Real(-1))) - log_det / 2 -
         (dof + n) / 2 * std::log1p(form / dof);
}

/// Mean and scatter of some rows.
struct SlowMoments {
  Reals mean;
  std::vector<Reals> scatter;
};
inline SlowMoments slow_moments(const std::vector<std::vector<double>>& rows, std::size_t count,
                                std::size_t d) {
  SlowMoments result{Reals(d), std::vector<Reals>(d, Reals(d))};
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < d; ++j)
      result.mean[j] += Real(rows[i][j]) / static_cast<Real>(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < d; ++k)
        result.scatter[j][k] += (rows[i][j] - result.mean[j]) * (rows[i][k] - result.mean[k]);
  return result;
}

}  // namespace suffice::testing
