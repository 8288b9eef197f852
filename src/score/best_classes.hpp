#pragma once
// The best class of each row, and what of the rows had no part in the scores.

#include <span>
#include <vector>

#include "suffice/score/log_likelihood.hpp"

namespace suffice {

struct BestClasses {
  std::vector<Index> classes;
  std::vector<Index> unknown_levels = {};  ///< as in LogLikelihoods; empty: none
  Index unprojected_rows = 0;
};

/// As best_class. Each class has an offset, or `offset` is empty.
BestClasses best_classes(const Model& model, const RowBlock& rows, std::span<const double> offset,
                         Missing missing, const Execution& execution);

/// Of scores that are there.
std::vector<Index> best_classes(const Matrix& scores, std::span<const double> offset,
                                const Execution& execution);

}  // namespace suffice
