#pragma once
// Playing a game: what each column adds to the worth of the columns before it, averaged over the
// walks through their sets.

#include <memory>
#include <span>
#include <vector>

#include "evidence/block_game.hpp"
#include "evidence/worth.hpp"

namespace suffice {

/// A block that plays: `factor` is what its log-densities are multiplied by.
struct Player {
  const BlockGame* block;
  BlockGame::Scratch* scratch;
  double factor;
};

/// Adds the shares of some rows that the blocks have read; `variances`, if they have room, get the
/// squared standard errors of the averages over orders added.
/// A value that is impossible in all components of a side has an infinite share, and the others
/// share what is worth something without it.
void play(const Orders& orders, std::span<const Player> blocks, const Worth& worth,
          std::span<const Index> rows, const Shares& shares, const Shares& variances);

}  // namespace suffice
