#pragma once
// From statistics to a model: a pure function of the sums and the options.

#include <optional>
#include <span>
#include <string>
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

/// How strongly covariances are shrunk.
struct Shrinkage {
  enum class Kind {
    share,     ///< (1 − value) Σ + value T(Σ), 0 ≤ value ≤ 1; 0 is none
    oas,       ///< the share by the closed form of Chen et al. (2010); spherical target
    evidence,  ///< "auto": as many rows v of the target as the conjugate prior's evidence asks for
    rows,      ///< as `evidence`, with v = value given (as chosen by leave-one-out)
    unsaid,    ///< `evidence`, or a share of 0 where towards_tied or pooling are given
  };
  Kind kind = Kind::share;
  double value = 0;

  friend bool operator==(const Shrinkage&, const Shrinkage&) = default;
};
/// "auto" (also where it is unsaid), "oas", or a number: the share. Rows have "12.5 rows".
std::string to_string(const Shrinkage& shrinkage);
Shrinkage shrinkage_from_string(std::string_view name);

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
  /// With S_c, f_c = W_c − 1 a class's scatter and S, f = W − K the pooled one, `evidence` makes
  /// full covariances (S_c + v T) / (f_c + v). The target T is (S + u D) / (f + u) with D the
  /// diagonal of S / f; where there are more features than f, it is D. A tied covariance is T
  /// itself. diag: (s_cj + v t_j) / (f_cj + v) with t_j the pooled variance of feature j. u ≥ 1 and
  /// v ≥ 1, one number for all classes (and features, if diag), are where the evidence is largest.
  /// Other structures have nothing to shrink and stay as they are.
  Shrinkage shrinkage = {.kind = Shrinkage::Kind::unsaid};  ///< {}: plain maximum likelihood
  Target target = Target::diag;                             ///< of a share
  /// a in [0, 1]: Σ_c = [(1 − a) S_c + a S] / [(1 − a) W_c + a W], before shrinkage (unbiased:
  /// W_c − 1 and W − K). For structures that are not tied.
  double towards_tied = 0;
  /// The prior of map and bayes: means flat, Σ_c inverse Wishart with the mean T, worth v rows,
  /// both as `shrinkage` says; without it the weakest, v = 1 and T = D. map is the mode of the
  /// posterior, (S_c + v T) / (f_c + v + 2d + 2); bayes is Student's t with f_c + v + 2 degrees of
  /// freedom and the scale (1 + 1/W_c) (S_c + v T) / (f_c + v + 2). diag takes features one by one
  /// (d = 1). Discrete families: `smoothing` is the prior of all three; bayes, which needs it above
  /// 0, has negative binomials for Poisson counts and Dirichlet-multinomial documents.
  Estimator estimate = Estimator::plugin;
};

/// What can be said against options before there are rows. Throws InvalidArgument.
void require_possible(const EstimateOptions& options);

/// The options as they are used: a shrinkage that was left unsaid is decided, and what changes
/// nothing beside the others is put back (a share of the diagonal of 'diag', normalize beside a
/// prior).
EstimateOptions settled(EstimateOptions options);

/// An option in words: the command line's help, Python's documentation and the pages are made of
/// these.
struct OptionText {
  std::string_view name;           ///< of the member of EstimateOptions
  std::string_view values;         ///< "mle|unbiased", "NUMBER"
  std::string_view default_value;  ///< empty: none
  std::string_view description;    ///< one sentence
};

/// In the order of EstimateOptions.
std::span<const OptionText> estimate_option_texts();
/// Throws InvalidArgument for a name that there is not.
const OptionText& estimate_option_text(std::string_view name);

/// Throws InvalidArgument (an option that cannot be, no rows at all, diagonal statistics for a
/// dense structure), SingularError (a covariance without inverse: which class, its rank, the
/// dependent features).
Model estimate(const Statistics& statistics, const EstimateOptions& options = {},
               const Execution& execution = {});

}  // namespace suffice
