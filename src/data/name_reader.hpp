#pragma once
// Labels and categorical features as kernels want them: panels of codes.

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// Collects the names that occur in a column: labels, or a categorical feature. Numbers are named
/// by name_of, Arrow's booleans are "false" and "true". Sets of names that several collectors saw
/// are joined by join.
class NameCollector {
 public:
  explicit NameCollector(const Column& column);
  /// Looks at rows [first, first + count) of positive weight (null: all rows); weights[i] is that
  /// of row i of the column.
  void add(Index first, Index count, const double* weights);
  Names names() const;

 private:
  template <class T>
  void add_integers(Index first, Index count, const double* weights);
  template <class T>
  void add_reals(Index first, Index count, const double* weights);
  template <class T>
  void add_codes(Index first, Index count, const double* weights);
  void see_outside(std::int64_t value);
  struct Window;

  Column column_;
  std::vector<std::uint8_t> seen_;  ///< integers lowest_ + i; codes
  std::int64_t lowest_ = 0;
  std::unordered_set<std::int64_t> far_;  ///< integers that would make seen_ too long
  std::unordered_set<double> reals_;      ///< not whole, or beyond the integers
  std::unordered_set<std::string_view> strings_;
};

/// The codes of the levels of a column of names: labels, or a categorical feature. Negative codes:
/// `missing`, `unknown` for a name that is not in the dictionary, `infinite` for a number that has
/// no name.
class NameReader {
 public:
  static constexpr std::int32_t missing = -1;
  static constexpr std::int32_t unknown = -2;
  static constexpr std::int32_t infinite = -3;

  /// The names that occur in the column, among rows of positive weight (null: all rows).
  static Names names_in(const Column& column, const double* weights);
  /// The same for several columns in one pass over the rows, so that a row-major matrix is read
  /// once.
  static std::vector<Names> names_in(std::span<const Column> columns, const double* weights);

  /// A feature as a column, whatever part it lies in. Throws DataError for a sparse part.
  static Column column_of(const RowBlock& rows, Index feature);

  /// Keeps views of both arguments.
  NameReader(const Column& column, const Names& names);
  /// codes[i * stride] of rows [first, first + count).
  void read(Index first, Index count, std::int32_t* codes, Index stride) const;
  /// Tells the caches that these rows of neighbouring columns will be read soon; rows beyond the
  /// end are passed over.
  static void fetch(std::span<const NameReader> columns, Index first, Index count);

 private:
  template <class T>
  void read_integers(Index first, Index count, std::int32_t* codes, Index stride) const;
  template <class T>
  void read_reals(Index first, Index count, std::int32_t* codes, Index stride) const;
  template <class T>
  void read_codes(Index first, Index count, std::int32_t* codes, Index stride) const;
  std::int32_t code_of(std::int64_t value) const;

  Column column_;
  std::vector<std::int32_t> by_code_;     ///< of codes columns: their name's position; of bits
  std::vector<std::int32_t> by_integer_;  ///< of integers: position of value lowest_ + i
  std::int64_t lowest_ = 0;
  std::unordered_map<std::int64_t, std::int32_t> by_far_integer_;  ///< where a table is too long
  std::unordered_map<double, std::int32_t> by_real_;  ///< of floats: not whole, or beyond int64
  std::unordered_map<std::string_view, std::int32_t> by_string_;
};

}  // namespace suffice
