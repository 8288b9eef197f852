#pragma once
// Rows as kernels want them: panels of row-major doubles in which a missing value is NaN, or panels
// of level codes. A dense row-major double matrix is not copied at all.

#include <cstdint>
#include <vector>

#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// Checks that `rows` has the schema's number of features. Throws InvalidArgument.
void require_features(const Schema& schema, const RowBlock& rows);

/// Values of a block's features, panel by panel.
class NumberReader {
 public:
  /// Throws DataError where a numeric family meets a column of strings.
  NumberReader(const Schema& schema, const Block& block, const RowBlock& rows);

  struct Panel {
    const double* values;  ///< row-major
    Index stride;
  };
  /// Rows [first, first + count). `scratch` has room for count × features doubles and is used where
  /// the rows cannot be read in place.
  Panel read(Index first, Index count, double* scratch) const;
  /// Whether read never uses the scratch.
  bool in_place() const noexcept { return in_place_; }
  Index features() const noexcept { return static_cast<Index>(source_.size()); }
  /// The one sparse part that is the whole block, in order; null for all other layouts.
  const SparseView* sparse() const noexcept { return sparse_; }

 private:
  struct Source {
    const RowBlock::Part* part;
    Index column;  ///< in the part
  };
  std::vector<Source> source_;
  const RowBlock::Part* uniform_ = nullptr;  ///< the matrix that has all features, evenly spaced
  Index uniform_first_ = 0, uniform_step_ = 0;
  bool in_place_ = false;
  const SparseView* sparse_ = nullptr;
};

/// The codes of the levels of a column of names: labels, or a categorical feature. Negative codes:
/// `missing`, or `unknown` for a name that is not in the dictionary.
class NameReader {
 public:
  static constexpr std::int32_t missing = -1;
  static constexpr std::int32_t unknown = -2;

  /// The names that occur in the column, among rows of positive weight (null: all rows).
  static Names names_in(const Column& column, const double* weights);

  /// A feature as a column, whatever part it lies in. Throws DataError for a sparse part.
  static Column column_of(const RowBlock& rows, Index feature);

  NameReader(const Column& column, const Names& names);
  /// codes[i * stride] of rows [first, first + count).
  void read(Index first, Index count, std::int32_t* codes, Index stride) const;

 private:
  Column column_;
  const Names* names_;
  std::vector<std::int32_t> by_code_;     ///< of codes columns: their name's position
  std::vector<std::int32_t> by_integer_;  ///< of integers: position of value lowest_ + i
  std::int64_t lowest_ = 0;
};

/// All weights as doubles (null where there are none given: all 1), each finite and ≥ 0.
/// `scratch` owns them where they cannot be read in place. Throws DataError with the row.
const double* read_weights(const RowBlock& rows, Vector& scratch);

}  // namespace suffice
