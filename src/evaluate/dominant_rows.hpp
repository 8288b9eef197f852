#pragma once
// Rows that hold nearly all of some variance: what is left without them cannot be had from the
// sums, in which it is rounding. They are few, and each is left out of sums that are made anew.

#include <span>
#include <string>
#include <vector>

#include "suffice/models/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// The rows, rising, that make more than 1 − 10⁻⁶ of the squares of a Gaussian feature in their
/// class, whose other rows vary there. `label` has the classes of the statistics, -1 for rows that
/// are absent; `weight` may be null. No more than the first 256: each costs a pass over all rows.
std::vector<Index> dominant_rows(const Statistics& all, const RowBlock& rows,
                                 std::span<const std::int32_t> label, const double* weight);

/// Their scores by models of the other rows.
struct DominantScores {
  std::vector<Index> rows;          ///< rising
  std::vector<Matrix> values;       ///< per candidate: as many as rows × K
  std::vector<std::string> errors;  ///< per candidate; empty: none

  bool has(Index row) const;
  const double* scores(std::size_t candidate, Index row) const;
};

/// `rows` are all rows of the statistics; `nothing` has their labels and levels, and no sums.
DominantScores score_dominant(std::vector<Index> dominant, const Statistics& nothing,
                              const RowBlock& rows, const double* weight,
                              std::span<const EstimateOptions> candidates,
                              const Execution& execution);

}  // namespace suffice
