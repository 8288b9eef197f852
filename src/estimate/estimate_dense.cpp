#include "estimate/estimate_dense.hpp"

#include <algorithm>
#include <utility>

#include "estimate/shrinkage.hpp"
#include "factor/whitener.hpp"
#include "stats/pooled.hpp"
#include "stats/thin.hpp"

namespace suffice {

namespace {

using Kind = Shrinkage::Kind;

Matrix diagonal_of(const Matrix& scatter, double dof) {
  Matrix result(scatter.rows(), scatter.rows());
  for (Index i = 0; i < scatter.rows(); ++i) result(i, i) = scatter(i, i) / dof;
  return result;
}

}  // namespace

CovarianceRule::CovarianceRule(const EstimateOptions& options, Index features)
    : options_(options),
      n_(features),
      tied_(is_tied(options.covariance)),
      prior_(suffice::has_prior(options)) {}

double CovarianceRule::share() const {
  return !prior_ && options_.shrinkage->kind() == Kind::share ? options_.shrinkage->value() : 0;
}

CovariancePrior CovarianceRule::prior(const PooledScatter& pooled) const {
  if (!prior_) return {};
  CovariancePrior result{.rows = 1, .target = {}};
  if (options_.shrinkage->kind() == Kind::rows) result.rows = options_.shrinkage->value();
  if (tied_ || options_.shrinkage->kind() == Kind::share) {
    result.target = diagonal_of(pooled.scatter, pooled.dof());
  } else if (options_.target_share) {
    result.target =
        class_target(pooled.scatter, pooled.dof(), *options_.target_share, *options_.target);
  } else {
    ShrunkScatter shrunk = class_target(pooled.scatter, pooled.dof());
    result.target = std::move(shrunk.covariance);
    result.target_rows = shrunk.rows;
  }
  return result;
}

CovarianceScale CovarianceRule::scale(double weight, const PooledScatter& pooled,
                                      const CovariancePrior& prior) const {
  if (prior_) {
    const Posterior of{tied_ ? pooled.dof() : std::max(weight - 1, 0.0), prior.rows,
                       static_cast<double>(n_)};
    const double factor = of.factor(options_.inference);
    if (options_.inference != Inference::bayes)
      return {.factor = factor, .spread = options_.tails->scale(), .dof = options_.tails->dof()};
    const double of_mean = 1 + 1 / weight;
    return {.factor = tied_ ? factor : factor * of_mean,
            .spread = tied_ ? of_mean : 1,
            .dof = of.predictive_dof()};
  }
  CovarianceScale result{.spread = options_.tails->scale(), .dof = options_.tails->dof()};
  const bool mle = options_.normalize == Normalize::mle;
  const double all = mle ? pooled.weight : pooled.dof();
  const double own = mle ? weight : weight - 1;
  const double a = towards_tied();
  result.divisor = (1 - a) * own + a * all;
  result.rows = (1 - a) * weight + a * pooled.weight;
  return result;
}

double CovarianceRule::finish(Matrix& scatter, const PooledScatter& pooled,
                              const CovariancePrior& prior, const CovarianceScale& scale) const {
  double* m = scatter.data();
  if (prior_) {
    for (Index k = 0; k < scatter.size(); ++k)
      m[k] = (m[k] + prior.rows * prior.target.data()[k]) * scale.factor;
    return 0;
  }
  if (const double a = options_.towards_tied; a > 0 && !tied_)
    for (Index k = 0; k < scatter.size(); ++k) m[k] = (1 - a) * m[k] + a * pooled.scatter.data()[k];
  for (Index k = 0; k < scatter.size(); ++k) m[k] /= scale.divisor;
  const double used_share =
      options_.shrinkage->kind() == Kind::oas ? oas_share(scatter, scale.rows) : share();
  shrink(scatter, used_share, *options_.target);
  return used_share;
}

namespace {

class DenseEstimate {
 public:
  DenseEstimate(const GaussianInput& input, GaussianEstimate& result)
      : input_(input),
        options_(input.options()),
        kind_(options_.shrinkage->kind()),
        classes_(input.context.classes()),
        n_(std::ssize(input.used)),
        rule_(options_, n_),
        density_(result.density),
        strength_(result.strength) {}

  void run() {
    if (rule_.tied() || rule_.towards_tied() > 0 || rule_.has_prior()) pool();
    if (rule_.has_prior()) require_prior();
    if (rule_.tied() && kind_ == Kind::automatic && options_.inference == Inference::plugin)
      return tied_by_evidence();
    prior_ = rule_.prior(pooled_);
    if (kind_ == Kind::automatic) prior_.rows = evidence_rows();
    if (kind_ == Kind::automatic || kind_ == Kind::rows) {
      strength_.rows = prior_.rows;
      if (!rule_.tied() && !options_.target_share) strength_.target_rows = prior_.target_rows;
    }
    rule_.tied() ? tied() : full();
  }

 private:
  bool seen(Index c) const { return input_.context.seen(c); }
  double weight(Index c) const { return input_.complete(c).weight; }

  /// factor · scatter over the used features, added to a matrix of these.
  void add_scatter(Index c, double factor, Matrix& sum) const {
    const JointMoments& complete = input_.complete(c);
    const Matrix of_thin = complete.scatter.empty() ? suffice::scatter_of(complete) : Matrix();
    const Matrix& scatter = of_thin.empty() ? complete.scatter : of_thin;
    for (Index i = 0; i < n_; ++i) {
      const auto row = scatter.row(input_.used[i]);
      for (Index j = 0; j < n_; ++j) sum(i, j) += row[input_.used[j]] * factor;
    }
  }
  Matrix scatter_of(Index c) const {
    Matrix result(n_, n_);
    add_scatter(c, 1, result);
    return result;
  }

  /// A matrix of the used features as one of the whole block.
  Matrix in_block(const Matrix& of_used) const {
    const Index d = input_.context.features();
    Matrix result(d, d);
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) result(input_.used[i], input_.used[j]) = of_used(i, j);
    return result;
  }

  void pool() {
    pooled_.scatter = scatter_within(input_.statistics, input_.used);
    for (Index c = 0; c < classes_; ++c) {
      if (!seen(c)) continue;
      pooled_.weight += weight(c);
      ++pooled_.classes;
    }
  }

  /// A prior needs more rows than classes, and every feature must vary.
  void require_prior() const {
    if (!(pooled_.dof() > 0)) throw_too_few(input_, -1, pooled_.weight);
    std::vector<Index> flat;
    for (Index i = 0; i < n_; ++i)
      if (!(pooled_.scatter(i, i) > 0)) flat.push_back(input_.used[i]);
    require_varying(input_, flat);
  }

  void full() {
    density_.covariance.resize(static_cast<std::size_t>(classes_));
    const bool bayes = options_.inference == Inference::bayes;
    if (bayes) density_.dof = Matrix(classes_, 1);
    Vector shares(classes_);
    input_.context.workers.run(classes_, [&](Index c, int) {
      Matrix covariance(n_, n_);
      if (seen(c)) {
        const CovarianceScale scale = rule_.scale(weight(c), pooled_, prior_);
        if (!(scale.divisor > 0))
          throw_too_few(input_, rule_.towards_tied() > 0 ? -1 : c, weight(c));
        covariance = scatter_of(c);
        shares[c] = rule_.finish(covariance, pooled_, prior_, scale);
        if (bayes) density_.dof(c, 0) = scale.dof;
      }
      density_.covariance[c] = in_block(covariance);
    });
    if (kind_ == Kind::oas) strength_.shares.assign(shares.begin(), shares.end());
  }

  void tied() {
    const CovarianceScale scale = rule_.scale(1, pooled_, prior_);
    Matrix covariance(n_, n_);
    double share = 0;
    if (options_.pooling.empty()) {
      if (!(scale.divisor > 0)) throw_too_few(input_, -1, pooled_.weight);
      covariance = std::move(pooled_.scatter);
      share = rule_.finish(covariance, pooled_, prior_, scale);
    } else {
      share = pool_by_weights(covariance);
    }
    if (kind_ == Kind::oas) strength_.shares = {share};
    density_.covariance.push_back(in_block(covariance));
    if (options_.inference != Inference::bayes) return;
    density_.dof = Matrix(classes_, 1);
    density_.scale = Matrix(classes_, 1);
    for (Index c = 0; c < classes_; ++c) {
      density_.dof(c, 0) = scale.dof;
      density_.scale(c, 0) = seen(c) ? rule_.scale(weight(c), pooled_, prior_).spread : 1;
    }
  }

  /// Class covariances added up with the given weights, then shrunk; returns the share.
  double pool_by_weights(Matrix& covariance) const {
    double sum = 0;
    for (const double weight : options_.pooling) sum += weight;
    CovarianceScale scale;
    for (Index c = 0; c < classes_; ++c) {
      const double part = options_.pooling[c] / sum;
      if (!(part > 0)) continue;
      const double divisor = options_.normalize == Normalize::mle ? weight(c) : weight(c) - 1;
      if (!(divisor > 0)) throw_too_few(input_, c, weight(c));
      add_scatter(c, part / divisor, covariance);
      scale.rows += weight(c);
    }
    return rule_.finish(covariance, pooled_, prior_, scale);
  }

  /// The target of class covariances is the tied covariance itself.
  void tied_by_evidence() {
    ShrunkScatter shrunk = class_target(pooled_.scatter, pooled_.dof());
    strength_.rows = shrunk.rows;
    density_.covariance.push_back(in_block(shrunk.covariance));
  }

  double evidence_rows() const {
    if (rule_.tied()) return shrink_to_diagonal(pooled_.scatter, pooled_.dof()).rows;
    Matrix whitener;
    double log_norm = 0;
    whiten_shared(prior_.target, input_.names(input_.used), whitener, log_norm);
    std::vector<SeenScatter> evidence(static_cast<std::size_t>(classes_));
    input_.context.workers.run(classes_, [&](Index c, int) {
      if (!seen(c)) return;
      evidence[c] = {std::max(weight(c) - 1, 0.0), n_,
                     relative_eigenvalues(scatter_of(c), whitener)};
    });
    return best_rows(evidence);
  }

  const GaussianInput& input_;
  const EstimateOptions& options_;
  Kind kind_;
  Index classes_, n_;
  CovarianceRule rule_;
  GaussianDensity& density_;
  GaussianStrength& strength_;
  PooledScatter pooled_;
  CovariancePrior prior_;
};

}  // namespace

void estimate_dense(const GaussianInput& input, GaussianEstimate& result) {
  DenseEstimate(input, result).run();
}

}  // namespace suffice
