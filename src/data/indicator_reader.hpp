#pragma once
// The indicators of one column of names, as numbers in panels.

#include <memory>
#include <vector>

#include "data/name_reader.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

class IndicatorReader {
 public:
  /// Those of a column that are among the features of a block. Throws DataError where the column
  /// lies in a sparse matrix.
  IndicatorReader(const Schema& schema, const Block& block, Index column, const RowBlock& rows);

  /// Rows [first, first + count) of a panel with `stride` numbers from row to row: 0 or 1; infinite
  /// for an infinite number, which has no name.
  void read(Index first, Index count, double* panel, Index stride) const;
  /// How many of these rows have a level that the schema does not know.
  Index unknown(Index first, Index count) const;
  /// The first of its features, as a position in the block.
  Index position() const noexcept { return positions_.front(); }

 private:
  template <class Use>
  void for_each_code(Index first, Index count, const Use& use) const;

  std::shared_ptr<const Names> levels_;  ///< those of the indicators, and the reference
  std::vector<Index> position_;          ///< by level: where it is 1, −1 for the reference
  std::vector<Index> positions_;         ///< of all its features
  Index missing_ = -1;                   ///< where a missing value is 1; −1: nowhere
  std::vector<NameReader> reader_;       ///< one
};

/// Where missing values are refused: throws DataError for the first row of positive weight in which
/// a column with indicators is missing. Without weights all rows count.
void require_names_present(const Schema& schema, const RowBlock& rows,
                           const double* weight = nullptr);

/// The columns whose indicators are among the features of a block, in order.
std::vector<Index> indicator_columns(const Schema& schema, const Block& block);

}  // namespace suffice
