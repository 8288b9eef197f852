#pragma once
// The sets of players whose worth is looked at, and what follows of each player's share. A walk is
// a tree of sets: each has one player more than its parent.

#include <cstdint>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Either all sets, or those along one order.
struct Walk {
  /// Along an order: the players as they come; node k has the first k. Of all sets: the player of
  /// each bit; node s has those whose bit is set in s, and its parent lacks the highest.
  std::vector<Index> players;
  bool all_sets = false;
  Index number = 0;  ///< among the walks of a game

  Index nodes() const noexcept {
    return all_sets ? Index{1} << players.size() : std::ssize(players) + 1;
  }
  Index parent(Index node) const noexcept;
  /// What the node has and its parent lacks, as a position among the players. The first node has
  /// none.
  Index added(Index node) const noexcept;

  /// nodes × players: what players[p] adds to the others, on average over the orders that the walk
  /// stands for, is Σ_node weight(node, p) · worth of the node.
  Matrix weights() const;
};

/// The part of a walk that some of its players have.
struct PartOfWalk {
  Walk walk;                ///< of these players alone
  std::vector<Index> node;  ///< for each node of the whole walk the one with the same of these
};
PartOfWalk part_of(const Walk& walk, const std::vector<bool>& players);

/// The walks of a game: all sets in one, or pairs of an order and its reverse, from a seed. The
/// order of some players is the same whoever else plays.
class Orders {
 public:
  Orders(Index exact, Index pairs, std::uint64_t seed)
      : exact_(exact), pairs_(pairs), seed_(seed) {}

  bool looks_at_all_sets(Index players) const noexcept { return players <= exact_; }
  Index count(Index players) const noexcept { return looks_at_all_sets(players) ? 1 : 2 * pairs_; }
  /// `players` are rising. Walk 2k + 1 is the reverse of walk 2k.
  Walk walk(Index number, const std::vector<Index>& players) const;

 private:
  Index exact_, pairs_;
  std::uint64_t seed_;
};

}  // namespace suffice
