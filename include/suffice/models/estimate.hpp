#pragma once
// From statistics to a model: a pure function of the sums and the options.

#include <optional>
#include <string_view>
#include <vector>

#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

enum class Normalize {
  mle,       ///< divide the scatter by the weight W (tied: the sum of all W)
  unbiased,  ///< divide by W − 1 (tied: the sum of all W minus the number of classes)
};

std::string_view to_string(Normalize normalize);
Normalize normalize_from_string(std::string_view name);

/// What is known of the parameters beside the rows.
enum class Estimator {
  plugin,  ///< nothing but `smoothing` and `shrinkage`
  map,     ///< the most probable parameters under conjugate priors
  bayes,   ///< the posterior predictive density: Student's t and its discrete kin
};
std::string_view to_string(Estimator estimator);
Estimator estimator_from_string(std::string_view name);

/// What covariances are shrunk towards.
enum class Target {
  diag,       ///< their own diagonal
  spherical,  ///< their mean variance times the identity: depends on units
};
std::string_view to_string(Target target);
Target target_from_string(std::string_view name);

/// How strongly the covariances of full and tied structures are shrunk.
struct Shrinkage {
  enum class Kind {
    share,     ///< (1 − value) Σ + value T(Σ), 0 ≤ value ≤ 1; 0 is none
    oas,       ///< the share by the closed form of Chen et al. (2010); spherical target
    evidence,  ///< "auto": as many rows v of the target as the conjugate prior's evidence asks for
    rows,      ///< as `evidence`, with v = value given (as chosen by leave-one-out)
  };
  Kind kind = Kind::share;
  double value = 0;

  friend bool operator==(const Shrinkage&, const Shrinkage&) = default;
};

/// Principal components of the total covariance: a number of them, or the least number that has a
/// share of the variance.
struct Pca {
  Index components = 0;
  double share = 0;  ///< in (0, 1]; 0: `components` says it
};

struct EstimateOptions {
  Covariance covariance = Covariance::full;
  Normalize normalize = Normalize::mle;
  /// Pseudo-count α ≥ 0 of the discrete families: probabilities are (n + α) / (N + α L) over the L
  /// levels (2 for Bernoulli, the block's features for multinomial); a Poisson rate is
  /// (Σx + α r) / (W + α), α rows at the rate r of all classes together. 0 is maximum likelihood.
  double smoothing = 1;
  /// Weights with which the class covariances are pooled into a tied one, in the order of the
  /// labels; scaled to sum to 1. Empty: as the classes' weights have it, Σ S_c / Σ W_c (unbiased: Σ
  /// S_c / Σ (W_c − 1)).
  std::vector<double> pooling = {};
  /// Projections of the Gaussian block (there must be one such block), in this order.
  std::optional<Pca> pca = {};
  std::optional<Index> lda = {};  ///< dimensions, at most K − 1; within-class covariance becomes I
  Shrinkage shrinkage = {};
  Target target = Target::diag;
  /// a in [0, 1]: Σ_c = [(1 − a) S_c + a S] / [(1 − a) W_c + a W], before shrinkage.
  double towards_tied = 0;
  Estimator estimate = Estimator::plugin;
};

/// Throws InvalidArgument (an option that cannot be, no rows at all, diagonal statistics for a
/// dense structure), SingularError (a covariance without inverse: which class, its rank, the
/// dependent features).
Model estimate(const Statistics& statistics, const EstimateOptions& options = {},
               const Execution& execution = {});

}  // namespace suffice
