#pragma once
// Rows are decided one by one, on any number of threads.

#include <algorithm>

#include "core/parallel.hpp"

namespace suffice {

/// body(first, last) for pieces of [0, rows) that are worth a thread, for rows of `classes`
/// numbers. Throws Cancelled.
template <class Body>
void for_rows(Index rows, Index classes, const Execution& execution, const Body& body) {
  const Index piece = std::clamp<Index>(256 / std::max<Index>(classes, 1), 2, 32) * 32;
  const Index pieces = (rows + piece - 1) / piece;
  Workers(execution, pieces).run(pieces, [&](Index k, int) {
    body(k * piece, std::min(rows, (k + 1) * piece));
  });
}

}  // namespace suffice
