#pragma once
// Scores that are linear in sparse rows: out_c = base_c + Σ_j x_j slope_cj over the entries of a
// row.

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
  /// wrong(row, column, value) for the entries of rows in which one does not pass; throws if it is
  /// one of those that it minds.
  std::function<void(Index, Index, double)> wrong = {};
  /// term(value), subtracted from the scores of all classes for each entry; empty: 0.
  std::function<double(double)> shared = {};
  /// (column, class): −inf for the class where the entry is not 0.
  std::vector<std::pair<Index, Index>> impossible = {};
};

/// The view's indices have been checked. Keeps the view's memory and copies of the terms.
std::unique_ptr<BlockScorer> make_sparse_scorer(const SparseView& view, const SparseTerms& terms,
                                                Workers& workers);

}  // namespace suffice
