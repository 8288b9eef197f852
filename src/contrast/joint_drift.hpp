#pragma once
// All columns of old and new rows together.

#include <optional>
#include <string>
#include <vector>

#include "suffice/contrast/drift.hpp"

namespace suffice {

/// Of the numbers that vary together.
struct LinearDistance {
  double d2 = 0;
  FTest t2 = {};
  /// D² with what noise adds taken out: (n − p − 3) / (n − 2) D² − p n / (n_a n_b), not below 0.
  double unbiased_d2 = 0;
  double auc = 0.5;  ///< Φ(D/√2) of that
};
/// Nothing where the block has no scatter, or too few rows.
std::optional<LinearDistance> linear_distance(const Statistics& two);

struct JointFound {
  std::optional<JointDrift> joint = {};
  std::optional<CorrelationDrift> correlations = {};
  std::vector<Index> features = {};  ///< columns of the block of numbers
  std::vector<double> unique_d2 = {};
  std::vector<std::string> notes = {};
};
JointFound joint_drift(const Statistics& two, const DriftOptions& options,
                       const Execution& execution);

}  // namespace suffice
