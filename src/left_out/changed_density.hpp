#pragma once
// A normal or Student's t density whose covariance changes by rank one when a row is removed.

#include <cmath>

#include "core/constants.hpp"
#include "core/special_functions.hpp"

namespace suffice {

/// The covariance becomes ratio · (M − κ δδᵀ). With q the quadratic form by the inverse of M − κ
/// δδᵀ and log det (M − κ δδᵀ) = log det M + log h,
///   log p = constant − ½ log h − ½ q / ratio   or   … − ½ (ν + n) log(1 + q / (ratio ν)).
struct ChangedDensity {
  double constant = 0;
  double inverse_ratio = 1;
  double dof = 0;  ///< ν; 0: normal
  double n = 0;    ///< features

  static ChangedDensity of(Index features, double log_det, double ratio, double dof) {
    const auto n = static_cast<double>(features);
    return {-0.5 * (n * (log_2pi + std::log(ratio)) + log_det) +
                (dof > 0 ? log_gamma_excess(dof / 2, n / 2) : 0),
            1 / ratio, dof, n};
  }
  double operator()(double q, double log_h) const {
    const double scaled = q * inverse_ratio;
    return constant - 0.5 * log_h - 0.5 * (dof > 0 ? (dof + n) * std::log1p(scaled / dof) : scaled);
  }
};

}  // namespace suffice
