#pragma once
// One block's part in the game: what sets of columns say of a row. A block game belongs to one call
// and is shared by the workers; what a worker reads is in its own scratch.

#include <memory>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "evidence/walk.hpp"
#include "factor/factors.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

class AveragedOrders;

/// Where shares are added to: rows of columns + 1 numbers. The last is the offset, what is worth
/// something without any column.
struct Shares {
  double* values;
  Index columns;

  double* row(Index i) const noexcept { return values + i * (columns + 1); }
};

class BlockGame {
 public:
  /// What one worker has read.
  struct Scratch {
    virtual ~Scratch() = default;
  };

  virtual ~BlockGame() = default;
  virtual std::unique_ptr<Scratch> scratch() const = 0;
  /// Reads rows [first, first + count); below, row i is row first + i.
  virtual void read(Index first, Index count, Scratch& scratch) const = 0;

  /// Sets the flags of the columns that say something about row i.
  virtual void add_players(Index i, const Scratch& scratch, std::vector<bool>& columns) const = 0;
  /// Sets the flags of the columns whose value is impossible in class c.
  virtual void add_impossible(Index i, Index c, const Scratch& scratch,
                              std::vector<bool>& columns) const;

  /// Whether shares depend on the orders that are looked at, where not all sets are.
  virtual bool is_sampled() const = 0;
  /// Adds `factor` times the shares in log p(x_b | c) of these rows, up to terms that all classes
  /// share. Returns the rows for which there is no formula: those are to be played. Impossible
  /// values stay infinite where the factor is 0; `sign` is theirs.
  virtual std::vector<Index> add_shares(Index c, double factor, double sign,
                                        std::span<const Index> rows, Scratch& scratch,
                                        const Shares& shares) const = 0;
  /// worth[node * classes.size() + k] += factor · log p(x_S | classes[k]) of row i for the sets of
  /// columns that the nodes of a walk stand for, up to terms that all classes share.
  virtual void add_worth(const Walk& walk, Index i, std::span<const Index> classes, double factor,
                         Scratch& scratch, double* worth) const = 0;
};

struct BlockGameInput {
  const Model& model;  ///< whose classes are the components of a mixture
  std::size_t block;
  const RowBlock& rows;
  const Orders& orders;
  AveragedOrders& averaged;  ///< of this block
  Workers& workers;

  const Block& schema_block() const { return model.schema().blocks()[block]; }
};

std::unique_ptr<BlockGame> make_block_game(const BlockGameInput& input);
/// Features that are independent of each other: their terms are their shares.
std::unique_ptr<BlockGame> make_independent_game(const BlockGameInput& input);
/// Normal and Student's t densities of several features.
std::unique_ptr<BlockGame> make_joint_game(const BlockGameInput& input);
/// Projections, and numbers of a logistic regression: without marginals.
std::unique_ptr<BlockGame> make_mean_row_game(const BlockGameInput& input);

}  // namespace suffice
