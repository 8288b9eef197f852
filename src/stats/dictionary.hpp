#pragma once
// New names in the dictionaries of labels and levels: sums move to their name's new position, and
// what is new has seen nothing.

#include <string>
#include <string_view>
#include <vector>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Class i moves to new_position_of_old[i] of new_count classes.
void remap_classes(BlockStatistics& statistics, const std::vector<Index>& new_position_of_old,
                   Index new_count, const Block& block);

/// parts.labels := the union with `more`, and all per-class sums follow.
void join_labels(Statistics::Parts& parts, const Names& more);

/// The levels of one feature (its position in the block) := the union with `more`.
void join_levels(CategoricalStatistics& statistics, Index feature, const Names& more);

/// The words of one feature := the union with `more`, of which the positions are returned.
std::vector<Index> join_words(TextStatistics& statistics, Index feature, const Words& more);
std::vector<Index> join_words(TextStatistics& statistics, Index feature, const WordTable& more);
std::vector<Index> join_words(TextStatistics& statistics, Index feature, WordTable&& more);

/// A word votes for itself and against the other words of its number; whoever has more than half of
/// the weight leads at the end (Boyer and Moore).
void vote_for_heaviest(std::string& heaviest, double& lead, std::string_view word, double weight);

}  // namespace suffice
