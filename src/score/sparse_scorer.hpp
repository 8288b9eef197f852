#pragma once
// Scores that are linear in sparse rows: out_c = base_c + Σ_j x_j slope_cj over the entries of a
// row.

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "score/scorer.hpp"

namespace suffice {

struct SparseTerms {
  const Matrix& slope;            ///< K × d, finite
  std::vector<double> base = {};  ///< K; empty: 0
  kernels::Check check = kernels::Check::finite;
  /// wrong(row, column, value) for the entries of rows in which one does not pass; throws if the
  /// value is not allowed.
  std::function<void(Index, Index, double)> wrong = {};
  /// more(columns, values, count, scores) adds to the scores of a row what is not linear in it; a
  /// column of -1 is no entry. Empty: nothing.
  std::function<void(const std::int32_t*, const double*, Index, double*)> more = {};
  /// (column, class): −inf for the class where the entry is not 0.
  std::vector<std::pair<Index, Index>> impossible = {};
};

/// The view's indices have been checked. Keeps the view's memory and copies of the terms.
std::unique_ptr<BlockScorer> make_sparse_scorer(const SparseView& view, const SparseTerms& terms,
                                                Workers& workers);

}  // namespace suffice
