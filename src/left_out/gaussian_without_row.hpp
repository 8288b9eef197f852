#pragma once
// A Gaussian block in leave-one-out: what full and tied covariances have in common with those that
// take features one by one.

#include <span>
#include <vector>

#include "left_out/block_without_row.hpp"

namespace suffice {

/// The scores of a Gaussian block without transformations: log p(x | c), rows × K.
class GaussianWithoutRow {
 public:
  struct Workspace {
    virtual ~Workspace() = default;
  };

  virtual ~GaussianWithoutRow() = default;
  virtual std::unique_ptr<Workspace> workspace() const = 0;
  /// Whether `score` corrects scores by the model of all rows, or makes all of them.
  virtual bool corrects_scores() const = 0;
  /// Whether a row that lacks values is part of the sums.
  virtual bool counts_incomplete_rows() const = 0;
  /// Scores up to kernels::rows_at_once rows, of which `values` has the used features, none
  /// missing. Rows with `skip` are left alone.
  virtual void score(const double* values, Index stride, Index count, const RemovedRow* rows,
                     const bool* skip, Workspace& workspace, double* scores) const = 0;
  /// Scores one row from scratch, by the features at `kept` (positions among the used ones), of
  /// which x has the values; some may be missing.
  virtual void score_from_sums(const double* x, std::span<const Index> kept, const RemovedRow& row,
                               double* scores) const = 0;
};

std::unique_ptr<BlockWithoutRow> make_gaussian_without_row(const BlockInput& input);

}  // namespace suffice
