#pragma once
// Full and tied covariances in leave-one-out.

#include <string>
#include <vector>

#include "core/minus_or_zero.hpp"
#include "estimate/estimate_dense.hpp"
#include "left_out/gaussian_without_row.hpp"

namespace suffice {

/// The weights of complete rows, in all classes and without one row. Of the options only those that
/// concern weights matter here.
class CompleteWeights {
 public:
  /// Keeps a reference to the model.
  CompleteWeights(const GaussianStatistics& statistics, const Model& model);

  bool seen(Index c) const { return model_.weights()[c] > 0; }
  /// Whether a class has rows when this one is removed.
  bool remains(Index c, const RemovedRow& row) const {
    return seen(c) && !(c == row.label && is_whole_class(row, model_.weights()));
  }
  double operator[](Index c) const { return weight_[c]; }
  double without(Index c, const RemovedRow& row) const {
    return c == row.label ? minus_or_zero(weight_[c], row.weight) : weight_[c];
  }
  /// Weight and number of the classes together; no scatter.
  PooledScatter pooled(const RemovedRow& row) const;

 private:
  const Model& model_;
  Vector weight_;  // K
  double all_ = 0, classes_ = 0;
};

std::unique_ptr<GaussianWithoutRow> make_dense_without_row(const BlockInput& input);

}  // namespace suffice
