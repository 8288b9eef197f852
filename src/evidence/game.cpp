#include "evidence/game.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"

namespace suffice {
namespace {

class Play {
 public:
  Play(const Orders& orders, std::span<const Player> blocks, const Worth& worth,
       const Shares& shares, const Shares& variances)
      : orders_(orders), blocks_(blocks), worth_(worth), shares_(shares), variances_(variances) {}

  /// The columns that play in a row. Those that rule a side out have their shares at once.
  std::vector<Index> players(Index i) const {
    const auto columns = at(shares_.columns);
    std::vector<bool> playing(columns + 1);
    for (const Player& block : blocks_) block.block->add_players(i, *block.scratch, playing);
    for (const bool of : {true, false}) {
      std::vector<bool> impossible(columns + 1), all(columns + 1);
      bool ruled_out = !worth_.side(of).empty();
      for (const Index part : worth_.side(of)) {
        impossible.assign(columns + 1, false);
        for (const Player& block : blocks_)
          block.block->add_impossible(i, worth_.components()[at(part)], *block.scratch, impossible);
        ruled_out = ruled_out && std::ranges::count(impossible, true) > 0;
        for (std::size_t column = 0; column < columns; ++column)
          all[column] = all[column] || impossible[column];
      }
      for (std::size_t column = 0; ruled_out && column < columns; ++column) {
        if (!all[column]) continue;
        shares_.row(i)[column] += of ? -infinity : infinity;
        playing[column] = false;
      }
    }
    std::vector<Index> result;
    for (std::size_t column = 0; column < columns; ++column)
      if (playing[column]) result.push_back(static_cast<Index>(column));
    return result;
  }

  void operator()(const std::vector<Index>& players, const std::vector<Index>& rows) {
    const Index walks = orders_.count(std::ssize(players)), count = std::ssize(worth_.components());
    const bool pairs = variances_.values && walks > 1;
    Matrix of_pair(pairs ? std::ssize(rows) : 0, shares_.columns),
        squares(of_pair.rows(), of_pair.cols()), sums(of_pair.rows(), of_pair.cols());
    for (Index number = 0; number < walks; ++number) {
      const Walk walk = orders_.walk(number, players);
      const Matrix weights = walk.all_sets ? walk.weights() : Matrix();
      Vector scores(walk.nodes() * count), values(walk.nodes());
      Vector added(std::ssize(players));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        std::ranges::fill(scores, 0.0);
        for (const Player& block : blocks_)
          block.block->add_worth(walk, rows[r], worth_.components(), block.factor, *block.scratch,
                                 scores.data());
        for (Index node = 0; node < walk.nodes(); ++node)
          values[node] = worth_(scores.data() + node * count);
        add_shares(walk, weights, values, added);
        double* to = shares_.row(rows[r]);
        if (number == 0) to[shares_.columns] += values[0];
        for (std::size_t p = 0; p < players.size(); ++p)
          to[walk.players[p]] += added[static_cast<Index>(p)] / static_cast<double>(walks);
        if (!pairs) continue;
        for (std::size_t p = 0; p < players.size(); ++p) {
          const auto row = static_cast<Index>(r);
          double& half = of_pair(row, walk.players[p]);
          if (number % 2 == 0) {
            half = added[static_cast<Index>(p)];
            continue;
          }
          const double mean = 0.5 * (half + added[static_cast<Index>(p)]);
          sums(row, walk.players[p]) += mean;
          squares(row, walk.players[p]) += mean * mean;
        }
      }
    }
    const double n = static_cast<double>(walks / 2);
    for (Index r = 0; r < of_pair.rows() && n > 1; ++r)
      for (const Index player : players) {
        const double mean = sums(r, player) / n;
        variances_.row(rows[at(r)])[player] +=
            std::max(squares(r, player) / n - mean * mean, 0.0) / (n - 1);
      }
  }

 private:
  static void add_shares(const Walk& walk, const Matrix& weights, const Vector& values,
                         Vector& added) {
    for (Index p = 0; p < added.size() && !walk.all_sets; ++p) added[p] = values[p + 1] - values[p];
    if (!walk.all_sets) return;
    std::ranges::fill(added, 0.0);
    for (Index node = 0; node < values.size(); ++node)
      for (Index p = 0; p < added.size(); ++p) added[p] += weights(node, p) * values[node];
  }

  const Orders& orders_;
  std::span<const Player> blocks_;
  const Worth& worth_;
  const Shares& shares_;
  const Shares& variances_;
};

}  // namespace

void play(const Orders& orders, std::span<const Player> blocks, const Worth& worth,
          std::span<const Index> rows, const Shares& shares, const Shares& variances) {
  Play game(orders, blocks, worth, shares, variances);
  // What is worked out for some players serves all rows that have them.
  std::map<std::vector<Index>, std::vector<Index>> by_players;
  for (const Index i : rows) by_players[game.players(i)].push_back(i);
  for (const auto& [players, of] : by_players) game(players, of);
}

}  // namespace suffice
