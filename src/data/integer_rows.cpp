#include "data/integer_rows.hpp"

#include <algorithm>
#include <type_traits>

#include "data/scalar.hpp"

namespace suffice {

std::optional<IntegerRows> IntegerRows::of(std::span<const NameReader> columns,
                                           std::span<const std::int32_t> offset) {
  IntegerRows rows;
  const char* next = nullptr;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::optional<NameReader::Integers> column = columns[j].integers();
    if (!column) return std::nullopt;
    if (j == 0) {
      rows.data_ = column->data;
      rows.type_ = column->type;
      rows.stride_ = column->stride;
      next = static_cast<const char*>(column->data);
    }
    if (column->data != next || column->type != rows.type_ || column->stride != rows.stride_)
      return std::nullopt;
    next += size_of(column->type);
    rows.tables_.push_back(
        {static_cast<std::uint64_t>(column->lowest), column->codes.size(), rows.codes_.size()});
    for (const std::int32_t code : column->codes)
      rows.codes_.push_back(code < 0 ? code : code + offset[j]);
  }
  if (columns.empty()) return std::nullopt;
  return rows;
}

bool IntegerRows::read(Index first, Index count, std::int32_t* codes) const {
  return with_type(type_, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>)
      return false;
    else
      return read_typed<T>(first, count, codes);
  });
}

template <class T>
bool IntegerRows::read_typed(Index first, Index count, std::int32_t* codes) const {
  const Index columns = std::ssize(tables_);
  const Table* const tables = tables_.data();
  const std::int32_t* const all = codes_.data();
  std::int32_t least = 0;
  for (Index i = 0; i < count; ++i) {
    const T* value = static_cast<const T*>(data_) + (first + i) * stride_;
    std::int32_t* code = codes + i * columns;
    for (Index j = 0; j < columns; ++j) {
      const Table& table = tables[j];
      const std::uint64_t at =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(value[j])) - table.lowest;
      code[j] = at < table.size ? all[table.first + at] : NameReader::unknown;
      least = std::min(least, code[j]);
    }
  }
  return least < 0;
}

}  // namespace suffice
