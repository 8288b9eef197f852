#pragma once
// How a model's scores become ones whose posteriors can be trusted. Log-likelihoods of densities
// that only nearly hold are too steep (dependent features count the same evidence twice) and have
// wrong levels (log-determinants). A calibration mends both, and nothing else:
//
//   calibrated score of class c:   Σ_b scale[b] log p(x_b | c) + offset[c]

#include <tuple>

#include "suffice/core/fields.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

/// Belongs to the scores, not to the densities: log p(x | c) stays as it is. No prior is part of
/// it, so priors and costs can still be chosen last.
struct Calibration {
  Vector scale;   ///< per block of the schema (a mixture counts as one), not negative
  Vector offset;  ///< per class; they sum to 0
  /// Two classes only: a monotone function of the ratio r (the calibrated score of the first class
  /// minus that of the second), linear between knots and constant outside of them. Rising ratios,
  /// and the ratios that take their place. Empty: ratios stay as they are.
  Vector knots = {};
  Vector values = {};
  /// For sets of classes (predict/sets.hpp): how probable rows that were held out found their own
  /// class, under the frequencies of the classes. Column j is the threshold that a share
  /// coverage_levels[j] of them reaches; the first row is of all rows, the others of each class. 0
  /// where too few rows were held out to promise that. Empty: unknown.
  Matrix thresholds = {};

  /// 0.50, 0.51, …, 0.99, 0.995, 0.999.
  static constexpr Index coverage_count = 52;
  static constexpr double coverage_level(Index j) {
    return j < 50 ? static_cast<double>(50 + j) / 100 : j == 50 ? 0.995 : 0.999;
  }

  static constexpr auto fields() {
    return std::tuple{Field{"scale", &Calibration::scale}, Field{"offset", &Calibration::offset},
                      Field{"knots", &Calibration::knots, Presence::optional},
                      Field{"values", &Calibration::values, Presence::optional},
                      Field{"thresholds", &Calibration::thresholds, Presence::optional}};
  }
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace suffice
