#pragma once
// Rows that hold nearly all of some variance, such as one value of 1e8 among values near 1. What is
// left of the variance without such a row cannot be computed from the sums, in which it is
// rounding. These rows are few; each is scored by a model of sums that are made again without it.
// That takes all rows in one block: where rows come in several blocks, such a row is scored from
// the sums, and has as many correct digits as the sums kept.

#include <span>
#include <string>
#include <vector>

#include "suffice/estimate/estimate.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {

/// The rows, in rising order, that make more than 1 − 10⁻⁶ of the squares of a Gaussian feature in
/// their class, if the other rows of the class vary there. `label` has the class of each row, −1:
/// the row is left out; `weight` may be null. No more than the first 256, since each takes a pass
/// over all rows.
std::vector<Index> dominant_rows(const Statistics& all, const RowBlock& rows,
                                 std::span<const std::int32_t> label, const double* weight);

/// The scores of these rows, each by models of the other rows.
struct DominantScores {
  std::vector<Index> rows;  ///< rising
  /// Per candidate and block: as many as rows × K.
  std::vector<std::vector<Matrix>> values;
  std::vector<Sentence> errors;  ///< per candidate; empty: none

  bool has(Index row) const;
  const double* scores(std::size_t candidate, std::size_t block, Index row) const;
};

/// `rows` are all rows of the statistics; `nothing` has their labels and levels, and no sums.
DominantScores score_dominant(std::vector<Index> dominant, const Statistics& nothing,
                              const RowBlock& rows, const double* weight,
                              std::span<const EstimateOptions> candidates,
                              const Execution& execution);

}  // namespace suffice
