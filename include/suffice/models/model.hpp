#pragma once
// A model: one density per class and block. It knows log p(x | class) and nothing of priors.

#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/fields.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/schema.hpp"
#include "suffice/data/words.hpp"
#include "suffice/models/calibration.hpp"
#include "suffice/models/estimate_found.hpp"
#include "suffice/models/estimate_options.hpp"
#include "suffice/models/logistic.hpp"
#include "suffice/models/mixture.hpp"
#include "suffice/stats/components.hpp"

namespace suffice {

// Each density names its family and lists its members (core/fields.hpp): files, JSON and Python
// follow from the list. Those of independent features begin with a K × d table.

/// Covariances of more features than rows, of which no d × d matrix is ever made:
///   Σ_c = diag(a_c) + F_cᵀ F_c,   F_c with a row for each direction in which rows vary.
struct ThinCovariance {
  Matrix diagonal;          ///< a: K × d, or 1 × d where classes share it
  Matrix factor;            ///< the rows of F_0, F_1, … one below the other
  std::vector<Index> rows;  ///< how many each class has; tied: one number

  static constexpr auto fields() {
    return std::tuple{Field{"diagonal", &ThinCovariance::diagonal},
                      Field{"factor", &ThinCovariance::factor},
                      Field{"rows", &ThinCovariance::rows}};
  }
  bool empty() const noexcept { return diagonal.empty(); }
  /// a_c, and where F_c begins in `factor`.
  std::span<const double> diagonal_of(Index c) const {
    return diagonal.row(diagonal.rows() == 1 ? 0 : c);
  }
  Index first_row(Index c) const {
    return std::accumulate(rows.begin(), rows.begin() + (rows.size() == 1 ? 0 : c), Index{0});
  }
  Index rows_of(Index c) const {
    return rows.size() == 1 ? rows[0] : rows[static_cast<std::size_t>(c)];
  }
  friend bool operator==(const ThinCovariance&, const ThinCovariance&) = default;
};

/// N(mean, covariance) over the d features of a block, or over their projections (then d stands
/// for the number of these).
struct GaussianDensity {
  static constexpr Family family = Family::gaussian;
  Covariance structure = Covariance::full;
  Matrix mean;  ///< K × d
  /// full: K matrices d × d; tied: one. diag: one K × d; tied-diag: one 1 × d.
  /// spherical: one K × 1; tied-spherical: one 1 × 1. None where they are thin.
  std::vector<Matrix> covariance;
  /// Positions (in the block) of features that were constant over all rows. They carry no
  /// information and are left out of the density; their covariance entries are 0.
  std::vector<Index> constant = {};
  /// Empty: the features as they are. A row that lacks one of them lacks all projections.
  LinearMap projection = {};
  /// Degrees of freedom: the densities are Student's t, of which `covariance` times `scale` is the
  /// scale matrix. K × 1 numbers: one joint t of all features per class. K × d numbers (diag and
  /// tied-diag only): one t for each feature, independent. Empty: normal densities.
  Matrix dof = {};
  /// Student's t only: the scale matrix of class c is `covariance` times this number (K × 1), or
  /// times one for each feature (K × d; not full and tied). With the option `tails`, ν degrees of
  /// freedom, it is (ν − 2)/ν: `covariance` is the covariance. With estimate 'bayes', it is
  /// 1 + 1/W where classes of different weights W share a covariance. Empty: 1.
  Matrix scale = {};
  /// K × d, with the option `shrink_means`: d' of its formula, how many standard errors a class
  /// mean lies from that of all rows after shrinking. A feature survives where some class has
  /// another number than 0. Empty: means are as they are.
  Matrix deviation = {};
  /// full and tied: the covariances in their thin form. Empty: they are in `covariance`.
  ThinCovariance thin = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{"structure", &GaussianDensity::structure},
        Field{"mean", &GaussianDensity::mean}.by(Axis::class_),
        Field{"covariance", &GaussianDensity::covariance, Presence::always, Layout::by_structure},
        Field{"constant", &GaussianDensity::constant, Presence::shown_if_any},
        Field{"projection", &GaussianDensity::projection, Presence::optional},
        Field{"dof", &GaussianDensity::dof, Presence::optional, Layout::column}.by(Axis::class_),
        Field{"scale", &GaussianDensity::scale, Presence::optional, Layout::column}.by(
            Axis::class_),
        Field{"deviation", &GaussianDensity::deviation, Presence::optional}.by(Axis::class_),
        Field{"thin", &GaussianDensity::thin, Presence::optional}};
  }
  friend bool operator==(const GaussianDensity&, const GaussianDensity&) = default;
};

struct BernoulliDensity {
  static constexpr Family family = Family::bernoulli;
  Matrix probability;  ///< K × d: P(x = 1 | class)

  static constexpr auto fields() {
    return std::tuple{
        Field{"probability", &BernoulliDensity::probability}.by(Axis::class_, Axis::feature)};
  }
  friend bool operator==(const BernoulliDensity&, const BernoulliDensity&) = default;
};

struct PoissonDensity {
  static constexpr Family family = Family::poisson;
  Matrix rate;  ///< K × d
  /// K × d: the rates are not known but Gamma distributed, with these shapes and the means `rate`:
  /// the counts are negative binomial. Empty: Poisson.
  Matrix shape = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{"rate", &PoissonDensity::rate}.by(Axis::class_, Axis::feature),
        Field{"shape", &PoissonDensity::shape, Presence::optional}.by(Axis::class_, Axis::feature)};
  }
  friend bool operator==(const PoissonDensity&, const PoissonDensity&) = default;
};

struct ExponentialDensity {
  static constexpr Family family = Family::exponential;
  Matrix rate;  ///< K × d
  /// K × d: the rates are not known but Gamma distributed, with these shapes and the means `rate`:
  /// the numbers have Lomax densities. Empty: exponential.
  Matrix shape = {};

  static constexpr auto fields() {
    return std::tuple{Field{"rate", &ExponentialDensity::rate}.by(Axis::class_, Axis::feature),
                      Field{"shape", &ExponentialDensity::shape, Presence::optional}.by(
                          Axis::class_, Axis::feature)};
  }
  friend bool operator==(const ExponentialDensity&, const ExponentialDensity&) = default;
};

struct MultinomialDensity {
  static constexpr Family family = Family::multinomial;
  Matrix probability;  ///< K × d, rows sum to 1
  /// K: the probabilities are not known but Dirichlet distributed about `probability`, as after
  /// that many words; once a document has used a word, it is likelier there. Empty: known.
  Vector concentration = {};
  /// complement: `probability` is that of a word in documents of the other classes, and its
  /// logarithm speaks against the class. Never bernoulli.
  EventModel event_model = EventModel::multinomial;
  /// One number P: the score of a document of N words is multiplied by N^(P − 1). Empty: P is 1.
  Vector length_power = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{"probability", &MultinomialDensity::probability}.by(Axis::class_, Axis::feature),
        Field{"concentration", &MultinomialDensity::concentration, Presence::optional}.by(
            Axis::class_),
        Field{"event_model", &MultinomialDensity::event_model, Presence::optional},
        Field{"length_power", &MultinomialDensity::length_power, Presence::optional}};
  }
  friend bool operator==(const MultinomialDensity&, const MultinomialDensity&) = default;
};

struct CategoricalDensity {
  static constexpr Family family = Family::categorical;
  std::vector<Names> levels;        ///< per feature
  std::vector<Matrix> probability;  ///< per feature, K × levels, rows sum to 1

  static constexpr auto fields() {
    return std::tuple{
        Field{"levels", &CategoricalDensity::levels, Presence::always, Layout::by_feature}.by(
            Axis::feature),
        Field{"probability", &CategoricalDensity::probability, Presence::always, Layout::by_feature}
            .by(Axis::feature, Axis::class_)};
  }
  friend bool operator==(const CategoricalDensity&, const CategoricalDensity&) = default;
};

/// The documents of text columns. A word that the model lacks has no part in a score.
struct TextDensity {
  static constexpr Family family = Family::text;
  std::vector<Words> words;  ///< per feature
  /// Per feature, K × words. multinomial: of a word, rows sum to 1. complement: of a word in
  /// documents of the other classes, rows sum to 1. bernoulli: that a document has the word.
  std::vector<Matrix> probability;
  EventModel event_model = EventModel::multinomial;
  /// Per feature: what the counts of each word are multiplied by. Empty: 1.
  std::vector<Vector> idf = {};
  /// One number P: the score of a document of N words is multiplied by N^(P − 1). Empty: P is 1.
  Vector length_power = {};
  /// Of hashed words, per feature: the word that each number stands for most often.
  std::vector<std::vector<std::string>> heaviest = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{"words", &TextDensity::words, Presence::always, Layout::by_feature}.by(Axis::feature),
        Field{"probability", &TextDensity::probability, Presence::always, Layout::by_feature}.by(
            Axis::feature, Axis::class_),
        Field{"event_model", &TextDensity::event_model},
        Field{"idf", &TextDensity::idf, Presence::optional, Layout::by_feature}.by(Axis::feature),
        Field{"length_power", &TextDensity::length_power, Presence::optional},
        Field{"heaviest", &TextDensity::heaviest, Presence::optional, Layout::by_feature}.by(
            Axis::feature)};
  }
  friend bool operator==(const TextDensity&, const TextDensity&) = default;
};

using Density = std::variant<GaussianDensity, BernoulliDensity, PoissonDensity, MultinomialDensity,
                             CategoricalDensity, ExponentialDensity, TextDensity>;

/// A density of that family without parameters.
Density empty_density(Family family);
/// The family of a density.
Family family_of(const Density& density);

struct Factors;  // what scoring needs of the densities, worked out once (src/factor/factors.hpp)

class Model {
 public:
  struct Parts {
    Schema schema;
    Names labels;  ///< sorted: every K below counts in their order
    /// The training weights of the classes, for Priors::from_counts; no density depends on them
    /// except for this: a class of weight 0 has log-likelihood −inf.
    Vector weights;
    std::vector<Density> densities;  ///< in the order of schema.blocks()
    /// How it was estimated, as `resolve` gives them; none: the parameters were given.
    std::optional<EstimateOptions> options = {};
    EstimateFound found = {};  ///< what the estimate found in the statistics
    /// What makes posteriors and decisions of the scores trustworthy; no density depends on it.
    std::optional<Calibration> calibration = {};
    /// The discriminative twin: scores are made of its weights. The densities then only say what is
    /// expected where a value is missing.
    std::optional<Logistic> logistic = {};
    /// Classes that are mixtures: `densities` then have a row for each component, not for each
    /// class.
    std::optional<Mixture> mixture = {};

    friend bool operator==(const Parts&, const Parts&) = default;
  };

  /// A model from given parameters. Empty weights mean 1 for each class.
  /// Throws InvalidArgument where shapes do not fit, a probability is outside [0, 1], a probability
  /// vector does not sum to 1 (to 1e-9), a rate is negative, degrees of freedom, a scale, a shape
  /// or a concentration is not positive, a covariance is not symmetric, or a calibration or a
  /// mixture or a twin does not fit; SingularError where a covariance is not positive definite.
  explicit Model(Parts parts, const Execution& execution = {});

  const Schema& schema() const noexcept { return parts_.schema; }
  const Names& labels() const noexcept { return parts_.labels; }
  const Vector& weights() const noexcept { return parts_.weights; }
  const std::vector<Density>& densities() const noexcept { return parts_.densities; }
  const std::optional<Calibration>& calibration() const noexcept { return parts_.calibration; }
  const std::optional<Logistic>& logistic() const noexcept { return parts_.logistic; }
  const std::optional<Mixture>& mixture() const noexcept { return parts_.mixture; }
  const Parts& parts() const noexcept { return parts_; }
  const Factors& factors() const noexcept { return *factors_; }

  /// Of a mixture the model whose classes are the components, without a calibration; otherwise the
  /// model itself. Whoever looks at densities or factors by class looks at those of this model.
  const Model& components() const noexcept { return components_ ? *components_ : *this; }

  /// The same densities with another calibration, or with none. One scale serves all blocks. Throws
  /// InvalidArgument where it does not fit.
  Model with_calibration(std::optional<Calibration> calibration) const;

  /// The same densities with other findings beside them.
  Model with_found(EstimateFound found) const;

  /// The same densities, estimated with these options.
  Model with_options(EstimateOptions options) const;

  /// Equal parameters, to the last bit.
  friend bool operator==(const Model& a, const Model& b) { return a.parts_ == b.parts_; }

 private:
  Parts parts_;
  std::shared_ptr<const Factors> factors_;
  std::shared_ptr<const Model> components_ = {};  ///< of a mixture
};

/// How many parts the scores of a model have that a calibration can weigh: one per block, or one
/// where a class is a mixture, whose blocks depend on each other.
Index score_parts(const Model::Parts& parts);

}  // namespace suffice
