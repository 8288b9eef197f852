#pragma once
// Rows are decided one by one, on any number of threads.

#include <algorithm>

#include "core/parallel.hpp"

namespace suffice {

/// How many rows of `classes` numbers are worth a thread.
inline Index rows_of_piece(Index classes) {
  return std::clamp<Index>(256 / std::max<Index>(classes, 1), 2, 32) * 32;
}

/// body(first, last) for pieces of [0, rows). Throws Cancelled.
template <class Body>
void for_rows(Index rows, Index classes, const Execution& execution, const Body& body) {
  const Index piece = rows_of_piece(classes);
  const Index pieces = (rows + piece - 1) / piece;
  Workers(execution, pieces).run(pieces, [&](Index k, int) {
    body(k * piece, std::min(rows, (k + 1) * piece));
  });
}

}  // namespace suffice
