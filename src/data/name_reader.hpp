#pragma once
// Labels and categorical features as kernels want them: panels of codes.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// The position of each row's name in a list of names: labels, or a categorical feature. Numbers
/// are named by name_of, Arrow's booleans are "false" and "true". Text that spells a boolean in
/// another way (True, TRUE), or a whole number (3.0), is found under the spelling that the list
/// has. Negative codes: `missing`, `unknown` for a name that is not in the list, `infinite` for a
/// number that has no name.
class NameReader {
 public:
  static constexpr std::int32_t missing = -1;
  static constexpr std::int32_t unknown = -2;
  static constexpr std::int32_t infinite = -3;

  /// A feature as a column, whatever part it lies in. Throws DataError for a sparse part.
  static Column column_of(const RowBlock& rows, Index feature);

  /// Keeps views of both arguments.
  NameReader(const Column& column, const Names& names);
  /// codes[i * stride] of rows [first, first + count).
  void read(Index first, Index count, std::int32_t* codes, Index stride) const;
  /// From now on the name of a row, which has one, has the code `next`, unless it has a code
  /// already. Returns its code.
  std::int32_t learn(Index row, std::int32_t next);
  /// The name of a row that has one.
  std::string name_at(Index row) const;
  /// A column of integers of which none is missing, and a table of codes by value that has all its
  /// names; values outside are unknown.
  struct Integers {
    const void* data;
    Scalar type;
    Index stride;
    std::int64_t lowest;  ///< the value of the first code
    std::span<const std::int32_t> codes;
  };
  /// Nothing where the column is of another kind.
  std::optional<Integers> integers() const;
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
  std::int32_t learn_integer(std::int64_t value, std::int32_t next);
  bool widen(std::int64_t value);
  /// use(value): std::string_view, std::int64_t or double, whichever names a row.
  template <class Use>
  auto with_value(Index row, Use use) const;

  Column column_;
  std::vector<std::int32_t> by_code_;     ///< of codes and bits
  std::vector<std::int32_t> by_integer_;  ///< of value lowest_ + i
  std::int64_t lowest_ = 0;
  std::unordered_map<std::int64_t, std::int32_t> by_far_integer_;  ///< outside the table
  std::unordered_map<double, std::int32_t> by_real_;  ///< of floats: not whole, or beyond int64
  std::shared_ptr<const std::vector<std::pair<std::string, Index>>> spellings_;
  std::unordered_map<std::string_view, std::int32_t> by_string_;
};

}  // namespace suffice
