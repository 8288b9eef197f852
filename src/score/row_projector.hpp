#pragma once
// Rows on their way to a projected density: z = (x − offset) · matrix, some hundred rows at a time.

#include <vector>

#include "data/number_reader.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// Shared by workers; what a worker writes is in its own scratch.
class RowProjector {
 public:
  /// `reader` is that of the block. Keeps views of all but `missing`.
  RowProjector(const NumberReader& reader, const Schema& schema, const Block& block,
               const RowBlock& rows, const LinearMap& map, Missing missing);

  struct Scratch {
    Vector read, centered;
  };
  Scratch scratch() const;

  Index width() const noexcept { return map_.matrix.cols(); }
  /// z of rows [first, first + count), count × width. A row that lacks a feature lacks all of z
  /// (NaN); features that have no part in the map may be missing. Throws DataError for infinite
  /// values, for numbers outside the domain of their transformation, and for missing values where
  /// these are refused.
  void read(Index first, Index count, Scratch& scratch, double* z) const;

 private:
  void read_block(Index first, Index count, Scratch& scratch, double* z) const;
  void settle_row(Index row, const double* x, double* z) const;

  const NumberReader& reader_;
  const Schema& schema_;
  const Block& block_;
  const RowBlock& rows_;
  const LinearMap& map_;
  Missing missing_;
  std::vector<Index> used_;  ///< features with a part in the map
  Vector offset_;            ///< of these
  Matrix matrix_;            ///< used × width
};

/// A value that a Gaussian feature cannot have: infinite, or outside the domain of its
/// transformation (as it was given, not as it was read). Never returns.
[[noreturn]] void throw_not_gaussian(const Schema& schema, const RowBlock& rows, Index feature,
                                     Index row);

}  // namespace suffice
