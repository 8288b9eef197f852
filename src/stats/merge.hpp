#pragma once
// Merging whole statistics: dictionaries are joined by name, then each block's sums are added.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Compatible schemas, and the same kind of scatter in each Gaussian block. Throws InvalidArgument;
/// `verb` says what was tried.
void require_compatible(const Statistics::Parts& a, const Statistics::Parts& b,
                        std::string_view verb);

/// Where one keeps another kind of scatter than the other: the kind that both can be turned into,
/// dense or pooled.
std::optional<Scatter> common_kind(const Statistics::Parts& a, const Statistics::Parts& b);

/// a := the statistics of the rows of both. Requires compatible schemas and kinds of scatter. What
/// `a` has not seen is moved from `b`, not copied. `workers` help with large sums.
void merge_into(Statistics::Parts& a, Statistics::Parts&& b, Workers* workers = nullptr);

/// The same for one block, whose class c is class position[c] of `a`. `fresh` says that `a` had no
/// classes before, and that position[c] is c.
void merge_into(BlockStatistics& a, BlockStatistics&& b, const std::vector<Index>& position,
                bool fresh, Workers* workers = nullptr);

/// Throws DataError where weights or sums have grown beyond what a double holds; `verb` says when.
/// `labels` has the names of the classes.
void require_finite(const Schema& schema, std::span<const std::string> labels,
                    const Vector& weights, const Vector& squared_weights,
                    const std::vector<BlockStatistics>& blocks, std::string_view verb);
void require_finite(const Statistics::Parts& parts, std::string_view verb);

/// Throws DataError where the sums of both would grow beyond what a double holds, which a merge
/// does not look at. Class c of `b` is class position[c] of `a`, if `a` has so many; `labels` has
/// the names of the classes of `b`.
void require_finite_merge(const Schema& schema, std::span<const std::string> labels,
                          const std::vector<BlockStatistics>& a,
                          const std::vector<BlockStatistics>& b, const std::vector<Index>& position,
                          std::string_view verb);
/// The same for whole statistics, whose classes are joined by name, and their weights.
void require_finite_merge(const Statistics::Parts& a, const Statistics::Parts& b,
                          std::string_view verb);

}  // namespace suffice
