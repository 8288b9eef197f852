#pragma once
// From what densities are about, one number for each feature, to the columns of a table.

#include <span>
#include <utility>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// The levels of a column with indicators: those of the indicators, and the reference.
Names indicator_levels(const Schema& schema, Index column);

class DrawnColumns {
 public:
  /// `levels` per column; those of columns with indicators must be indicator_levels. Keeps a view
  /// of the schema.
  DrawnColumns(const Schema& schema, const std::vector<Names>& levels);

  /// `drawn` has one number for each feature, `row` one for each column: numbers as they are, a
  /// name as the position of its level, −1 where it is missing.
  void read(std::span<const double> drawn, std::span<double> row);

 private:
  const Schema& schema_;
  std::vector<Index> code_;                          ///< per feature: of its level
  std::vector<std::pair<Index, Index>> references_;  ///< column, code of the reference
  Vector best_, rest_;                               ///< per column
};

}  // namespace suffice
