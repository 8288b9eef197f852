#include "suffice/data/positions.hpp"

#include <algorithm>

#include "data/name_reader.hpp"

namespace suffice {

std::vector<Index> positions(const Names& names, const Column& column) {
  constexpr Index rows_at_once = 1024;
  std::vector<Index> result(static_cast<std::size_t>(column.size), -1);
  const NameReader reader(column, names);
  std::int32_t codes[rows_at_once];
  for (Index first = 0; first < column.size; first += rows_at_once) {
    const Index count = std::min(rows_at_once, column.size - first);
    reader.read(first, count, codes, 1);
    for (Index i = 0; i < count; ++i) result[first + i] = std::max(codes[i], -1);
  }
  return result;
}

}  // namespace suffice
