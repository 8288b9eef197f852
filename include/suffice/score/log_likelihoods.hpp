#pragma once
// What scoring answers: log p(x | class) for each row and class.

#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"

namespace suffice {

struct LogLikelihoods {
  Matrix values;  ///< n × K
  Names labels;
  /// Each row lacks a term that is the same for all its classes: posteriors, ratios and decisions
  /// are right, log p(x) cannot be computed.
  bool relative = false;
  /// Per feature of the schema: cells whose level the model does not know.
  std::vector<Index> unknown_levels = {};
  Index unprojected_rows = 0;  ///< those that lack a feature of a projection

  Index rows() const noexcept { return values.rows(); }
};

}  // namespace suffice
