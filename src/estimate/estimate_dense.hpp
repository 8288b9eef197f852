#pragma once
// Full and tied covariances from scatter matrices. `estimate` calls this with the sums of all rows,
// leave-one-out with the sums without one row.

#include "core/minus_or_zero.hpp"
#include "estimate/estimate_gaussian.hpp"

namespace suffice {

/// The scatter matrices of all classes added up, over the used features.
struct PooledScatter {
  double weight = 0;   ///< W: of complete rows
  double classes = 0;  ///< K: those that have rows
  Matrix scatter;      ///< S; may be empty where only weights matter
  double dof() const { return minus_or_zero(weight, classes); }
};

/// The prior of the covariances: worth v rows of the target T.
struct CovariancePrior {
  double rows = 0;         ///< v
  Matrix target;           ///< T
  double target_rows = 0;  ///< u: rows of its own diagonal in T; 0: T is that diagonal by choice
};

/// What a matrix of sums M is multiplied by: the covariance of the density is M / divisor · factor,
/// and the scale matrix of a Student's t is that times `spread`. A predictive t knows the mean from
/// W rows, which is 1 + 1/W in the spread of a tied covariance, in the factor of a class's own.
struct CovarianceScale {
  double divisor = 1;  ///< not positive: too few rows
  double factor = 1;   ///< of a posterior
  double spread = 1;   ///< 1 + 1/W, or (ν − 2)/ν of the option `tails`
  double dof = 0;      ///< of Student's t; 0: normal
  double rows = 0;     ///< n of the share 'oas'
};

/// How the options make covariances: Σ_c = shrunk([(1 − a) S_c + a S + v T] / divisor · factor);
/// tied: a = 1.
class CovarianceRule {
 public:
  /// Keeps a reference to the options.
  CovarianceRule(const EstimateOptions& options, Index features);

  bool tied() const { return tied_; }
  bool has_prior() const { return prior_; }
  /// a: the part of the pooled scatter in the matrix of a class.
  double towards_tied() const { return tied_ ? 1 : options_.towards_tied; }
  /// s: the part of the target in a covariance without a prior.
  double share() const;

  /// Its target, and its rows: as given, or 1. The pooled scatter has a positive diagonal.
  CovariancePrior prior(const PooledScatter& pooled) const;
  /// From the weight of the class's complete rows, the pooled weight and the number of classes.
  CovarianceScale scale(double weight, const PooledScatter& pooled,
                        const CovariancePrior& prior) const;
  /// Turns S_c (tied: S) into the covariance; returns the share of the target, as found by 'oas'.
  double finish(Matrix& scatter, const PooledScatter& pooled, const CovariancePrior& prior,
                const CovarianceScale& scale) const;

 private:
  const EstimateOptions& options_;
  Index n_;
  bool tied_, prior_;
};

/// Fills covariance, dof and scale; the means are there.
void estimate_dense(const GaussianInput& input, GaussianEstimate& result);

}  // namespace suffice
