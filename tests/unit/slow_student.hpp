#pragma once
// Student's t by elimination in long double, sharing no code with the library.

#include <cmath>
#include <utility>
#include <vector>

#include "support/elimination.hpp"

namespace suffice::testing {

/// Of delta = x − mean under the matrix `scale`.
inline Real log_student(const Reals& delta, Square scale, Real dof) {
  const auto [log_det, form] = eliminate(delta, std::move(scale));
  const Real n = static_cast<Real>(delta.size());
  return std::lgamma((dof + n) / 2) - std::lgamma(dof / 2) -
         n / 2 * std::log(dof * std::acos(Real(-1))) - log_det / 2 -
         (dof + n) / 2 * std::log1p(form / dof);
}

/// Mean and scatter of some rows.
struct SlowMoments {
  Reals mean;
  Square scatter;
};
inline SlowMoments slow_moments(const std::vector<std::vector<double>>& rows, std::size_t count,
                                std::size_t d) {
  SlowMoments result{Reals(d), Square(d, Reals(d))};
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
