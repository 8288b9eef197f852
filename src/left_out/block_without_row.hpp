#pragma once
// A block of features in leave-one-out: each row is scored by the sums without that row. Each kind
// of sums has a file of its own; all call the functions by which `estimate` turns sums into
// parameters.

#include <functional>
#include <memory>
#include <vector>

#include "left_out/removed_rows.hpp"
#include "score/scorer.hpp"
#include "score/tiles.hpp"
#include "suffice/estimate/estimate.hpp"

namespace suffice {

class BlockWithoutRow {
 public:
  virtual ~BlockWithoutRow() = default;
  /// The score of a row's own class is undefined where the row is all of that class.
  virtual std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                              const RemovedRows& removed) const = 0;
};

/// Model and options must outlive what is made from them, the statistics need not.
struct BlockInput {
  const Statistics& statistics;
  const EstimateOptions& options;  ///< resolved
  const Model& model;              ///< of all rows
  std::size_t block;

  const Block& schema_block() const { return model.schema().blocks()[block]; }
  template <class Sums>
  const Sums& sums() const {
    return std::get<Sums>(statistics.blocks()[block]);
  }
};

std::unique_ptr<BlockWithoutRow> make_block_without_row(const BlockInput& input);

/// What scorers of `width` numbers a row add up. `make` gets a function from the number of a block
/// to the input of its scorer.
using InputOfBlock = std::function<ScorerInput(std::size_t block)>;
Matrix added_scores(const Model& model, const RowBlock& rows, Index width,
                    const Execution& execution,
                    const std::function<Scorers(const InputOfBlock&)>& make);

}  // namespace suffice
