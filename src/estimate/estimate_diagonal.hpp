#pragma once
// Variances of features taken one by one (diag, spherical, and the tied form of both), from sums.
// `estimate` calls this with the sums of all rows, leave-one-out with the sums without one row.

#include <span>
#include <vector>

#include "estimate/estimate_gaussian.hpp"

namespace suffice {

/// Sums over the values present, per class and used feature.
struct DiagonalSums {
  Vector class_weight;  ///< K: of all rows; 0: the class has none
  Matrix weight;        ///< K × n: Σ w
  Matrix squares;       ///< K × n: Σ w (x − m)²
  Vector pooled = {};   ///< n: the squares of all classes, where those of each are unknown

  bool seen(Index c) const { return class_weight[c] > 0; }
  Index classes() const { return weight.rows(); }
  Index features() const { return weight.cols(); }
};

/// The prior of the variances. They come in groups: one per feature, or one for all features
/// (spherical).
struct VariancePrior {
  double rows = 0;  ///< v: values that the prior is worth, in each group
  Vector target;    ///< t per group; empty: no prior
};

/// With S and W the sums of a group, variances are S / W (unbiased: W − 1), or, under a prior,
/// (S + v t) · Posterior::factor. Tied variances have the sums of all classes.
class DiagonalVariances {
 public:
  /// Keeps references to both.
  DiagonalVariances(const EstimateOptions& options, const DiagonalSums& sums);

  Index groups() const { return spherical_ ? 1 : sums_.features(); }
  bool has_prior() const { return prior_; }
  /// Whether one class's sums change the variances of other classes, given this prior.
  bool depends_on_other_classes(bool prior_is_fixed) const {
    return tied_ || options_.towards_tied > 0 || (prior_ && !prior_is_fixed);
  }

  /// Adds up the classes. Call it before the functions below, and again when the sums have changed.
  void pool();
  /// The same where only the sums of class c are not those of the last call of `remember`.
  void pool_changed(Index c);
  /// Keeps the sums of all classes but one, for each of them.
  void remember();
  /// The prior's target from the pooled sums, not a number or 0 where there are too few rows or no
  /// variance, and its rows as the options give them (`automatic`: by the evidence). `reused` lends
  /// its memory.
  VariancePrior prior(VariancePrior reused = {}) const;

  /// The variances of one class (tied: of all), one per group; not a number: too few rows.
  void variances(Index c, const VariancePrior& prior, std::span<double> out) const;
  /// Degrees of freedom of the predictive Student's t.
  double predictive_dof(Index c, Index group, const VariancePrior& prior) const {
    return sums_of(c, group).dof + prior.rows + 2;
  }

 private:
  /// Sums of some features, in one class or in all classes.
  struct Sums {
    double squares = 0;
    double weight = 0;
    double divisor = 0;  ///< of a variance without a prior
    double dof = 0;      ///< of the posterior: W − 1, not below 0; of all classes: W − K
    Sums& operator+=(const Sums& other);
  };
  Sums feature(Index c, Index j) const;
  Sums group(Index c, Index g) const;
  Sums sums_of(Index c, Index g) const { return tied_ ? pooled_[g] : group(c, g); }
  double classes_seen() const;
  template <class OfFeature>
  void pool_features(double seen, const OfFeature& of_feature);
  double without_prior(const Sums& own, const Sums& all) const;
  double evidence_rows(const Vector& target) const;

  const EstimateOptions& options_;
  const DiagonalSums& sums_;
  bool tied_, spherical_, prior_;
  std::vector<Sums> pooled_;  // per group
  std::vector<Sums> others_;  // K × features: of all classes but one
  double remembered_ = 0;     // classes in others_
};

/// Fills covariance, dof and scale; the means are there.
void estimate_diagonal(const GaussianInput& input, GaussianEstimate& result);

}  // namespace suffice
