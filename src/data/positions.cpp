#include "suffice/data/positions.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "data/name_reader.hpp"

namespace suffice {

std::vector<Index> positions(const Names& names, const Column& column, const Execution& execution) {
  constexpr Index rows_at_once = 1024, piece = 16 * rows_at_once;
  std::vector<Index> result(static_cast<std::size_t>(column.size), -1);
  const NameReader reader(column, names);
  const Index pieces = (column.size + piece - 1) / piece;
  Workers(execution, pieces).run(pieces, [&](Index k, int) {
    std::int32_t codes[rows_at_once];
    const Index end = std::min(column.size, (k + 1) * piece);
    for (Index first = k * piece; first < end; first += rows_at_once) {
      const Index count = std::min(rows_at_once, end - first);
      reader.read(first, count, codes, 1);
      for (Index i = 0; i < count; ++i) result[first + i] = std::max(codes[i], -1);
    }
  });
  return result;
}

}  // namespace suffice
