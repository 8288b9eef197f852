#pragma once
// A block of features in leave-one-out: each row is scored by the sums without that row. Each kind
// of sums has a file of its own; all call the functions by which `estimate` turns sums into
// parameters.

#include <memory>
#include <vector>

#include "left_out/removed_rows.hpp"
#include "score/scorer.hpp"
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

}  // namespace suffice
