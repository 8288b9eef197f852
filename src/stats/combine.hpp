#pragma once
// Merging whole statistics: dictionaries are joined by name, then each block's sums are added.

#include "core/parallel.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// a := the statistics of the rows of both. Requires compatible schemas and kinds of scatter. What
/// `a` has not seen is moved from `b`, not copied. `workers` help with large sums.
void merge_into(Statistics::Parts& a, Statistics::Parts&& b, Workers* workers = nullptr);

/// Throws DataError where weights or sums have grown beyond what a double holds; `verb` says when.
void require_finite(const Statistics::Parts& parts, std::string_view verb);

}  // namespace suffice
