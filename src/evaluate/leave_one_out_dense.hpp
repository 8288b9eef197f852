#pragma once
// What full and tied covariances are made of, whichever features are used, and what remains of the
// weights without one row. Every covariance is a number, the spread's scale, times a matrix M_c.

#include <string>
#include <vector>

#include "evaluate/leave_one_out_gaussian.hpp"
#include "models/structure.hpp"

namespace suffice {

struct DenseSums {
  const Model& model;
  const GaussianDensity& density;
  const EstimateOptions& options;
  std::vector<std::string> names;  ///< of the block's features
  Vector weight;                   ///< K: of complete rows
  double pooled_weight = 0, seen = 0;
  /// M_c (one, if tied) before the target; empty: the covariances over their scale.
  std::vector<Matrix> base = {};
  Vector pooled = {};  ///< per feature: the diagonal of Σ S_c; of a target that moves

  static DenseSums of(const RestInput& input);

  Index classes() const { return model.labels().size(); }
  bool tied() const { return is_tied(options.covariance); }
  /// The share of the tied scatter in M_c.
  double towards() const { return tied() ? 1 : options.towards_tied; }
  bool prior() const {
    return options.inference != Inference::plugin ||
           options.shrinkage->kind() == Shrinkage::Kind::rows;
  }
  /// T is the pooled diagonal, worth one row.
  bool weak_prior() const { return prior() && options.shrinkage->kind() != Shrinkage::Kind::rows; }
  double share() const { return prior() ? 0 : options.shrinkage->value(); }

  bool seen_class(Index c) const { return model.weights()[c] > 0; }
  /// Whether the row's class goes with it.
  bool vanishes(const TakenRow& row) const {
    return row.label >= 0 && rest(model.weights()[row.label], row.weight) == 0;
  }
  /// Whether the class is there once the row is out.
  bool remains(Index c, const TakenRow& row) const {
    return seen_class(c) && !(c == row.label && vanishes(row));
  }
  /// M_c loses this times a δδᵀ.
  double kappa(Index c, Index label) const { return c == label ? 1 : towards(); }
  /// W − K without the row.
  double pooled_dof(const TakenRow& row) const {
    return pooled_weight - (row.label < 0 ? 0 : row.weight) - (seen - (vanishes(row) ? 1 : 0));
  }
  /// Throws where no complete row of the class remains.
  Removal removal(const TakenRow& row) const;
  /// Of n features. Throws SingularError where too few rows remain.
  Spread spread(Index c, const TakenRow& row, Index n) const;
  /// `features` has the first one that depends on those before it, if that is known; c < 0: of all
  /// classes.
  [[noreturn]] void throw_singular(Index c, const TakenRow& row, Index rank, Index n,
                                   std::vector<std::string> features) const;
};

}  // namespace suffice
