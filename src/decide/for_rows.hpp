#pragma once
// Rows are decided one by one, on any number of threads.

#include <algorithm>

#include "core/parallel.hpp"

namespace suffice {

/// body(first, last) for pieces of [0, rows) that are worth a thread. Throws Cancelled.
template <class Body>
void for_rows(Index rows, const Execution& execution, const Body& body) {
  constexpr Index piece = 4096;
  const Index pieces = (rows + piece - 1) / piece;
  Workers(execution, pieces).run(pieces, [&](Index k, int) {
    body(k * piece, std::min(rows, (k + 1) * piece));
  });
}

}  // namespace suffice
