#pragma once
// What a model is estimated with. An unset std::optional means "not given": what is used then is
// decided by `resolve`, in one place.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/stats/components.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

enum class Normalize {
  mle,       ///< divide the scatter by the weight W (tied: the sum of all W)
  unbiased,  ///< divide by W − 1 (tied: the sum of all W minus the number of classes)
};
std::string_view to_string(Normalize normalize);

/// How parameters follow from the sums.
enum class Inference {
  plugin,  ///< estimates, with `smoothing` and `shrinkage`, are used as if they were exact
  map,     ///< the most probable covariances under their prior; discrete families as plugin
  bayes,   ///< the posterior predictive density: Student's t and its discrete counterparts
};
std::string_view to_string(Inference inference);

/// What a document of text tells: which words were written, or which words it has.
enum class EventModel {
  multinomial,  ///< word after word: log p = Σ x_j log p_cj over the counts x_j
  complement,   ///< −Σ x_j log q_cj, where q_cj are the shares of words outside the class
  bernoulli,    ///< words that are there, and words that are not: Σ log p_cj + Σ log(1 − p_cj)
};
std::string_view to_string(EventModel event_model);
/// Throws InvalidArgument.
EventModel event_model_from_string(std::string_view text);

/// What covariances are shrunk towards.
enum class Target {
  diag,       ///< their own diagonal
  spherical,  ///< their mean variance times the identity: depends on units
};
std::string_view to_string(Target target);

/// How strongly covariances are shrunk: one of the five below. The default is automatic().
class Shrinkage {
 public:
  enum class Kind { automatic, share, rows, oas };

  constexpr Shrinkage() = default;
  /// As many rows v of the target as maximise the evidence of the conjugate prior.
  static constexpr Shrinkage automatic() { return {}; }
  /// Plain maximum likelihood: a share of 0.
  static constexpr Shrinkage none() { return share(0); }
  /// (1 − value) Σ + value T(Σ), 0 ≤ value ≤ 1.
  static constexpr Shrinkage share(double value) { return {Kind::share, value}; }
  /// As automatic(), with v given (leave-one-out chooses one).
  static constexpr Shrinkage rows(double v) { return {Kind::rows, v}; }
  /// The share by the closed form of Chen et al. (2010), for the spherical target.
  static constexpr Shrinkage oas() { return {Kind::oas, 0}; }

  constexpr Kind kind() const { return kind_; }
  /// The share or the number of rows; 0 for the other kinds.
  constexpr double value() const { return value_; }
  constexpr bool is_none() const { return kind_ == Kind::share && value_ == 0; }
  /// A conjugate prior that is worth some rows.
  constexpr bool is_prior() const { return kind_ == Kind::automatic || kind_ == Kind::rows; }

  friend constexpr bool operator==(const Shrinkage&, const Shrinkage&) = default;

 private:
  constexpr Shrinkage(Kind kind, double value) : kind_(kind), value_(value) {}
  Kind kind_ = Kind::automatic;
  double value_ = 0;
};
/// "auto", "oas", a share such as "0.1", or "12.5 rows".
std::string to_string(const Shrinkage& shrinkage);

/// Pseudo-counts of the discrete families: a number α ≥ 0, or automatic().
class Smoothing {
 public:
  /// Also from a number where a Smoothing is wanted: {.smoothing = 0.5}.
  constexpr Smoothing(double alpha) : alpha_(alpha) {}
  /// One α for each block, as its counts ask for.
  static constexpr Smoothing automatic() {
    Smoothing result(0);
    result.automatic_ = true;
    return result;
  }

  constexpr bool is_automatic() const { return automatic_; }
  /// α; 0 where it is automatic.
  constexpr double value() const { return alpha_; }

  friend constexpr bool operator==(const Smoothing&, const Smoothing&) = default;

 private:
  double alpha_;
  bool automatic_ = false;
};
/// "auto", or the number.
std::string to_string(const Smoothing& smoothing);

/// The tails of the densities of Gaussian blocks: normal, or those of Student's t.
class Tails {
 public:
  constexpr Tails() = default;
  static constexpr Tails normal() { return {}; }
  /// Student's t with ν > 2 degrees of freedom.
  static constexpr Tails student(double dof) { return Tails(dof); }

  constexpr bool is_normal() const { return is_normal_; }
  /// ν; 0: normal.
  constexpr double dof() const { return dof_; }
  /// The scale matrix of the t over its covariance: (ν − 2)/ν.
  constexpr double scale() const { return is_normal_ ? 1 : (dof_ - 2) / dof_; }

  friend constexpr bool operator==(const Tails&, const Tails&) = default;

 private:
  explicit constexpr Tails(double dof) : is_normal_(false), dof_(dof) {}
  bool is_normal_ = true;
  double dof_ = 0;
};
/// "normal", or the degrees of freedom.
std::string to_string(const Tails& tails);

/// Δ ≥ 0 of nearest shrunken centroids, in standard errors of the mean of a class.
struct MeanThreshold {
  /// Also from a number where a threshold is wanted: {.shrink_means = 2.5}.
  constexpr MeanThreshold(double delta = 0) : value(delta) {}
  double value;

  friend constexpr bool operator==(const MeanThreshold&, const MeanThreshold&) = default;
};

/// How many densities each class is a mixture of: a number from 1 on, or automatic().
class Components {
 public:
  /// Also from a number where Components are wanted: {.components = 3}.
  constexpr Components(Index count = 1) : count_(count) {}
  /// A number for each class, by the likelihood of rows that are held out.
  static constexpr Components automatic() { return Components(0); }

  constexpr bool is_automatic() const { return count_ == 0; }
  constexpr bool is_one() const { return count_ == 1; }
  /// 0 where it is automatic.
  constexpr Index count() const { return count_; }

  friend constexpr bool operator==(const Components&, const Components&) = default;

 private:
  Index count_;
};
/// "auto", or the number.
std::string to_string(const Components& components);

struct EstimateOptions {
  Covariance covariance = Covariance::full;
  Normalize normalize = Normalize::mle;
  /// Pseudo-count α ≥ 0 of the discrete families: probabilities are (n + α) / (N + α L) over the L
  /// levels (2 for Bernoulli, the block's features for multinomial); a Poisson rate is
  /// (Σx + α r) / (W + α), α rows at the rate r of all classes together. 0 is maximum likelihood.
  /// automatic() takes one α for each block, from 1e-6 to 1e3. Levels and words: that which makes
  /// each value most probable by the counts without it, Σ n log(n − 1 + α) − Σ N log(N − 1 + α L).
  /// Rates: that of the largest evidence of the prior, Gamma with the shape α r and the rate α.
  Smoothing smoothing = 1;
  /// Weights with which the class covariances are pooled into a tied one, in the order of the
  /// labels; scaled to sum to 1. Empty: by the classes' weights, Σ S_c / Σ W_c (unbiased: Σ
  /// S_c / Σ (W_c − 1)).
  std::vector<double> pooling = {};
  /// Only some features have a part, those that separate the classes best by themselves; they are
  /// chosen before all else, and the model is that of their columns alone. A feature's divergence
  /// is that of `separation` (inspect/separation.hpp), in the naive model: each Gaussian feature
  /// with a variance of its own per class, shrunk by Shrinkage::automatic() (one for all classes
  /// where `covariance` is tied), the other families as the options say. `keep`: that many, at
  /// least 1, of the largest divergences; of equal ones the first in the schema. Of fewer features
  /// all are kept. `keep_above`: those whose divergence is larger than that. Not both. The features
  /// of a multinomial block share their probabilities among the kept ones; a text column is one
  /// feature.
  std::optional<Index> keep = {};
  std::optional<double> keep_above = {};
  /// Projections of the Gaussian block (there must be one such block), in this order.
  std::optional<Pca> pca = {};
  /// Principal components are those of the features divided by their deviations over all rows, as
  /// Pca::standardize says it (resolved options say it here). Without pca it has no effect.
  bool standardize = false;
  std::optional<Index> lda = {};  ///< dimensions, at most K − 1; within-class covariance becomes I
  /// Unset: automatic(), or none() where `towards_tied` or `pooling` mix the covariances.
  ///
  /// With S_c, f_c = W_c − 1 a class's scatter and S, f = W − K the pooled one, automatic() makes
  /// full covariances (S_c + v T) / (f_c + v). The target T is (S + u D) / (f + u) with D the
  /// diagonal of S / f; where there are more features than f, it is D. A tied covariance is T
  /// itself. diag: (s_cj + v t_j) / (f_cj + v) with t_j the pooled variance of feature j. u ≥ 1 and
  /// v ≥ 1, one number for all classes (and features, if diag), are where the evidence is largest.
  /// Other structures have nothing to shrink and stay as they are.
  std::optional<Shrinkage> shrinkage = {};
  /// Of a share, and of `target_share`. Unset: diag, or spherical for Shrinkage::oas().
  std::optional<Target> target = {};
  /// ρ in [0, 1]: T above is (1 − ρ) S / f + ρ T₀ with T₀ = D, or, where `target` is spherical, the
  /// mean of D times the identity. Unset: u / (f + u), as above. For full covariances whose
  /// shrinkage is automatic() or by rows().
  std::optional<double> target_share = {};
  /// a in [0, 1]: Σ_c = [(1 − a) S_c + a S] / [(1 − a) W_c + a W], before shrinkage (unbiased:
  /// W_c − 1 and W − K). For structures that are not tied.
  double towards_tied = 0;
  /// The prior of map and bayes: means flat, Σ_c inverse Wishart with the mean T, worth v rows,
  /// both as given by `shrinkage`; without it the weakest, v = 1 and T = D. map is the mode of the
  /// posterior, (S_c + v T) / (f_c + v + 2d + 2); bayes is Student's t with f_c + v + 2 degrees of
  /// freedom and the scale (1 + 1/W_c) (S_c + v T) / (f_c + v + 2). diag takes features one by one
  /// (d = 1). Discrete families: `smoothing` is the prior of all three; bayes, which needs it above
  /// 0, has negative binomials for Poisson counts and Dirichlet-multinomial documents.
  Inference inference = Inference::plugin;
  /// Unset: normal(). Student's t of all features of the block together, whatever the structure,
  /// with the mean and the covariance Σ_c that the other options give:
  /// log p = log Γ((ν + d)/2) − log Γ(ν/2) − (d/2) log((ν − 2) π) − ½ log det Σ_c
  ///         − ½ (ν + d) log(1 + (x − m_c)ᵀ Σ_c⁻¹ (x − m_c) / (ν − 2)).
  /// ν is a property of the rows, the degrees of freedom of bayes one of the estimate: the two
  /// exclude each other.
  std::optional<Tails> tails = {};
  /// Nearest shrunken centroids (Tibshirani et al. 2002), for diag and tied-diag. With m_j the mean
  /// of all rows, s_j the pooled deviation (over W − K), s₀ the median of s_j, and W_c, W the
  /// weights of class c and of all classes,
  ///   d_cj = (m_cj − m_j) / (√(1/W_c − 1/W) (s_j + s₀)),   d'_cj = sign(d_cj) max(|d_cj| − Δ, 0),
  /// the means are m_j + √(1/W_c − 1/W) (s_j + s₀) d'_cj. Variances σ² that the other options give
  /// (without a prior: unbiased) become (σ + s₀)², so s₀, and with it the model, depends on units.
  std::optional<MeanThreshold> shrink_means = {};
  /// Of text: what a document tells (estimate/estimate_text.hpp has the formulas).
  EventModel event_model = EventModel::multinomial;
  /// Of text: words that are in fewer rows, or in none, are left out.
  double min_rows = 0;
  /// Of text: only that many words of a column are kept, those that were written most often.
  std::optional<Index> max_words = {};
  /// Of text: counts of a word are multiplied by 1 + log((1 + W) / (1 + W_j)), where W_j of all W
  /// rows have it. It is applied to the sums.
  bool idf = false;
  /// Of text: a document of N words counts as N^P words, in scores. 1 is the density itself.
  double length_power = 1;
  /// The discriminative twin of the model (models/logistic.hpp), which takes passes over rows:
  /// train/logistic.hpp makes it, `estimate` refuses it.
  bool discriminative = false;
  /// λ ≥ 0 of the twin: Σ w_i loss_i + ½ λ |weights of standardised terms|². Unset: by folds.
  std::optional<double> penalty = {};
  /// Of each class (models/mixture.hpp). More than one takes passes over rows: train/mixture.hpp
  /// finds them, `estimate` refuses them. The other options are those of a component.
  Components components = 1;

  friend bool operator==(const EstimateOptions&, const EstimateOptions&) = default;
};

/// The options as they are used: `shrinkage`, `target` and `tails` are set, and what has no effect
/// beside the others is at its default (a share of the diagonal of 'diag', normalize beside a
/// prior). Resolving twice changes nothing. Throws InvalidArgument for options that are impossible
/// whatever the rows.
EstimateOptions resolve(EstimateOptions options);

/// Of resolved options: `pca`, with what `standardize` says.
std::optional<Pca> components_of(const EstimateOptions& options);

/// Of resolved options: covariances have a conjugate prior.
bool has_prior(const EstimateOptions& options);

/// Whether only some features have a part.
bool keeps_some(const EstimateOptions& options);

/// Whether the scatter must be kept as a matrix: a dense covariance, or a projection.
bool needs_dense_scatter(const EstimateOptions& options);
/// What an estimate needs of the scatter: the diagonal, one for all classes together (a tied
/// covariance), or one for each class.
Scatter needed_scatter(const EstimateOptions& options);
/// What all of these need.
Scatter needed_scatter(std::span<const EstimateOptions> candidates);

/// The value of an option: a number, or words such as "auto" and "12 rows".
using OptionValue = std::variant<double, std::string>;
/// As it is written on the command line and in files: "0.5", "auto".
std::string to_string(const OptionValue& value);

/// One option of EstimateOptions, described once. The command line (--towards-tied, also as lists
/// of `select`), Python's keywords and docstrings, JSON, model files and `show` follow from it.
struct EstimateOption {
  /// What an option has an effect on.
  enum class Concerns { numbers, other_families, all };

  std::string_view name;          ///< the member's, except "estimate" for `inference`
  std::string_view values;        ///< "mle|unbiased", "NUMBER"
  std::string_view default_text;  ///< what is used if the option is not given
  std::string_view description;   ///< a sentence or two
  Concerns concerns = Concerns::numbers;
  bool in_grids = true;        ///< `select` takes lists of values
  bool always_listed = false;  ///< by `listed`, also at its default
  bool needs_rows = false;     ///< `estimate` has sums only and refuses it
  bool is_chosen = false;      ///< by `choose`, unless it is given: `fit` does so by default
  int since = 1;               ///< the first version of files that has it
  /// Of this option by itself; null: every value is possible. Throws InvalidArgument.
  void (*check)(const EstimateOptions& options) = nullptr;

  /// Nothing where the option is not given.
  std::optional<OptionValue> (*value)(const EstimateOptions& options) = nullptr;
  /// `set` without the check.
  void (*read)(EstimateOptions& options, std::string_view text,
               const EstimateOption& self) = nullptr;

  /// Throws InvalidArgument for a text that is no value, or one that is out of range.
  void set(EstimateOptions& options, std::string_view text) const;
  /// Its value, or the default's text.
  std::string text(const EstimateOptions& options) const;
  bool is_default(const EstimateOptions& options) const { return text(options) == default_text; }
};

/// All options, in the order in which they are shown and in which grids vary them, slowest first.
std::span<const EstimateOption> estimate_options();
/// Throws InvalidArgument for an unknown name.
const EstimateOption& estimate_option(std::string_view name);

/// What programs are told: the options that are not at their default, and some in any case.
std::vector<std::pair<std::string_view, OptionValue>> listed(const EstimateOptions& options);

}  // namespace suffice
