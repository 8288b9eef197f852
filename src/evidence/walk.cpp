#include "evidence/walk.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/at.hpp"
#include "core/random.hpp"

namespace suffice {
namespace {

std::size_t bits(Index node) { return static_cast<std::size_t>(node); }

}  // namespace

Index Walk::added(Index node) const noexcept {
  return all_sets ? static_cast<Index>(std::bit_width(bits(node))) - 1 : node - 1;
}

Index Walk::parent(Index node) const noexcept {
  return all_sets ? node & ~(Index{1} << added(node)) : node - 1;
}

Matrix Walk::weights() const {
  const Index n = std::ssize(players);
  Matrix result(nodes(), n);
  if (!all_sets) {
    for (Index p = 0; p < n; ++p) {
      result(p, p) = -1;
      result(p + 1, p) = 1;
    }
    return result;
  }
  // s! (n − s − 1)! / n!: the share of the orders in which exactly these s come before a player.
  std::vector<double> share(at(n));
  for (Index s = 0; s < n; ++s)
    share[at(s)] = s == 0 ? 1 / static_cast<double>(n)
                          : share[at(s - 1)] * static_cast<double>(s) / static_cast<double>(n - s);
  for (Index node = 0; node < nodes(); ++node) {
    const int size = std::popcount(bits(node));
    for (Index p = 0; p < n; ++p)
      result(node, p) = (bits(node) >> p) & 1 ? share[at(size - 1)] : -share[at(size)];
  }
  return result;
}

PartOfWalk part_of(const Walk& walk, const std::vector<bool>& players) {
  PartOfWalk part{.walk = {.players = {}, .all_sets = walk.all_sets, .number = walk.number},
                  .node = std::vector<Index>(at(walk.nodes()))};
  std::vector<Index> bit(walk.players.size(), -1);
  for (std::size_t p = 0; p < walk.players.size(); ++p) {
    if (!players[at(walk.players[p])]) continue;
    bit[p] = std::ssize(part.walk.players);
    part.walk.players.push_back(walk.players[p]);
  }
  for (Index node = 1; node < walk.nodes(); ++node) {
    const Index before = part.node[at(walk.parent(node))], of = bit[at(walk.added(node))];
    part.node[at(node)] = of < 0 ? before : walk.all_sets ? before | Index{1} << of : before + 1;
  }
  return part;
}

Walk Orders::walk(Index number, const std::vector<Index>& players) const {
  Walk result{.players = players, .number = number};
  if (looks_at_all_sets(std::ssize(players))) {
    result.all_sets = true;
    return result;
  }
  const auto pair = static_cast<std::uint64_t>(number / 2);
  std::vector<std::pair<double, Index>> drawn;
  for (const Index player : players)
    drawn.emplace_back(RowRandom(seed_, pair << 40 | bits(player)).uniform(), player);
  std::ranges::sort(drawn);
  if (number % 2 == 1) std::reverse(drawn.begin(), drawn.end());
  for (std::size_t p = 0; p < drawn.size(); ++p) result.players[p] = drawn[p].second;
  return result;
}

}  // namespace suffice
