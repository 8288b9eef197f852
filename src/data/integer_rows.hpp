#pragma once
// Categorical features that lie side by side in a row-major matrix of integers, read row by row.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/name_reader.hpp"

namespace suffice {

/// What NameReader does for each column, in the order of memory.
class IntegerRows {
 public:
  /// Nothing where the columns are not of that kind. To the codes of column j, unless they are
  /// negative, offset[j] is added.
  static std::optional<IntegerRows> of(std::span<const NameReader> columns,
                                       std::span<const std::int32_t> offset);

  /// count × columns codes; returns whether one is negative, which is then NameReader::unknown.
  bool read(Index first, Index count, std::int32_t* codes) const;

 private:
  struct Table {
    std::uint64_t lowest;  ///< two's complement
    std::uint64_t size;
    std::size_t first;  ///< in codes_
  };
  template <class T>
  bool read_typed(Index first, Index count, std::int32_t* codes) const;

  const void* data_ = nullptr;
  Scalar type_ = Scalar::int64;
  Index stride_ = 0;  ///< numbers from row to row
  std::vector<Table> tables_;
  std::vector<std::int32_t> codes_;  ///< of all columns, one behind the other
};

}  // namespace suffice
