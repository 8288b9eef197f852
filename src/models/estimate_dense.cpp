// Full and tied covariances.

#include <algorithm>
#include <utility>

#include "core/numeric.hpp"
#include "models/factors.hpp"
#include "models/gaussian_estimate.hpp"
#include "models/shrinkage.hpp"

namespace suffice {
namespace {

using Kind = Shrinkage::Kind;

class Dense {
 public:
  Dense(const GaussianInput& input, GaussianEstimate& result)
      : input_(input),
        options_(input.options()),
        classes_(input.context.classes()),
        n_(std::ssize(input.used)),
        density_(result.density),
        strength_(result.strength) {
    for (const double weight : options_.pooling) pooling_sum_ += weight;
  }

  void run() {
    const bool tied = is_tied(options_.covariance);
    if (input_.has_prior())
      tied ? tied_with_prior() : full_with_prior();
    else
      tied ? tied_by_share() : full_by_share();
  }

 private:
  bool seen(Index c) const { return input_.context.seen(c); }
  double weight(Index c) const { return input_.complete(c).weight; }

  /// factor · scatter over the used features, added to a matrix of these.
  void add_scatter(Index c, double factor, Matrix& sum) const {
    const Matrix& scatter = input_.complete(c).scatter;
    for (Index i = 0; i < n_; ++i) {
      const auto row = scatter.row(input_.used[i]);
      for (Index j = 0; j < n_; ++j) sum(i, j) += row[input_.used[j]] * factor;
    }
  }

  static void divide(Matrix& matrix, double divisor) {
    for (Index k = 0; k < matrix.size(); ++k) matrix.data()[k] /= divisor;
  }

  /// A matrix of the used features as one of the whole block.
  Matrix in_block(const Matrix& of_used) const {
    const Index d = input_.context.features();
    Matrix result(d, d);
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) result(input_.used[i], input_.used[j]) = of_used(i, j);
    return result;
  }

  struct Pooled {
    Matrix scatter;
    double weight = 0, classes = 0;
    double dof() const { return rest(weight, classes); }
  };
  Pooled pool() const {
    Pooled pooled{Matrix(n_, n_)};
    for (Index c = 0; c < classes_; ++c) {
      if (!seen(c)) continue;
      add_scatter(c, 1, pooled.scatter);
      pooled.weight += weight(c);
      ++pooled.classes;
    }
    return pooled;
  }
  double divisor(const Pooled& pooled) const {
    return options_.normalize == Normalize::mle ? pooled.weight : pooled.dof();
  }

  /// (1 − s) Σ + s T(Σ), with s given or that of `rows` rows.
  void shrink_by_share(Matrix& covariance, double rows, double& used_share) const {
    used_share = options_.shrinkage->kind() == Kind::oas ? oas_share(covariance, rows)
                                                         : options_.shrinkage->value();
    shrink(covariance, used_share, *options_.target);
  }
  void keep_shares(const Vector& shares) {
    if (options_.shrinkage->kind() == Kind::oas)
      strength_.shares.assign(shares.begin(), shares.end());
  }

  void full_by_share() {
    const double a = options_.towards_tied;
    const Pooled pooled = a > 0 ? pool() : Pooled();
    Vector shares(classes_);
    for (Index c = 0; c < classes_; ++c) {
      Matrix covariance(n_, n_);
      if (seen(c)) {
        double divide_by = input_.divisor(weight(c)), rows = weight(c);
        add_scatter(c, 1, covariance);
        if (a > 0) {  // [(1−a) S_c + a S] / [(1−a) W_c + a W]
          for (Index k = 0; k < covariance.size(); ++k)
            covariance.data()[k] = (1 - a) * covariance.data()[k] + a * pooled.scatter.data()[k];
          divide_by = (1 - a) * divide_by + a * divisor(pooled);
          rows = (1 - a) * rows + a * pooled.weight;
        }
        if (!(divide_by > 0)) throw_too_few(input_, a > 0 ? -1 : c, weight(c));
        divide(covariance, divide_by);
        shrink_by_share(covariance, rows, shares[c]);
      }
      density_.covariance.push_back(in_block(covariance));
    }
    keep_shares(shares);
  }

  void tied_by_share() {
    Matrix covariance(n_, n_);
    double rows = 0;
    if (options_.pooling.empty()) {
      Pooled pooled = pool();
      if (!(divisor(pooled) > 0)) throw_too_few(input_, -1, pooled.weight);
      divide(pooled.scatter, divisor(pooled));
      covariance = std::move(pooled.scatter);
      rows = pooled.weight;
    } else {
      for (Index c = 0; c < classes_; ++c) {
        const double part = options_.pooling[c] / pooling_sum_;
        if (!(part > 0)) continue;
        const double divide_by = input_.divisor(weight(c));
        if (!(divide_by > 0)) throw_too_few(input_, c, weight(c));
        add_scatter(c, part / divide_by, covariance);
        rows += weight(c);
      }
    }
    Vector share(1);
    shrink_by_share(covariance, rows, share[0]);
    keep_shares(share);
    density_.covariance.push_back(in_block(covariance));
  }

  /// The classes together, where every feature varies.
  Pooled pool_for_prior() const {
    Pooled pooled = pool();
    if (!(pooled.dof() > 0)) throw_too_few(input_, -1, pooled.weight);
    std::vector<Index> flat;
    for (Index i = 0; i < n_; ++i)
      if (!(pooled.scatter(i, i) > 0)) flat.push_back(input_.used[i]);
    require_varying(input_, flat);
    return pooled;
  }

  /// scatter + rows · target, times what the estimate asks for.
  Matrix posterior(Matrix scatter, const Matrix& target, const Posterior& of) const {
    const double factor = of.factor(options_.inference);
    for (Index k = 0; k < scatter.size(); ++k)
      scatter.data()[k] = (scatter.data()[k] + of.rows * target.data()[k]) * factor;
    return scatter;
  }

  static Matrix diagonal_of(const Matrix& scatter, double dof) {
    Matrix result(scatter.rows(), scatter.rows());
    for (Index i = 0; i < scatter.rows(); ++i) result(i, i) = scatter(i, i) / dof;
    return result;
  }

  void tied_with_prior() {
    Pooled pooled = pool_for_prior();
    const double dof = pooled.dof();
    const bool by_evidence = options_.shrinkage->kind() == Kind::automatic;
    if (by_evidence && options_.inference == Inference::plugin) {
      ShrunkScatter shrunk = class_target(pooled.scatter, dof);
      strength_.rows = shrunk.rows;
      density_.covariance.push_back(in_block(shrunk.covariance));
      return;
    }
    double rows = 1;
    if (by_evidence) strength_.rows = rows = shrink_to_diagonal(pooled.scatter, dof).rows;
    if (options_.shrinkage->kind() == Kind::rows)
      strength_.rows = rows = options_.shrinkage->value();
    const Matrix target = diagonal_of(pooled.scatter, dof);
    const Posterior of{dof, rows, static_cast<double>(n_)};
    density_.covariance.push_back(in_block(posterior(std::move(pooled.scatter), target, of)));
    if (options_.inference != Inference::bayes) return;
    density_.dof = Matrix(classes_, 1);
    density_.scale = Matrix(classes_, 1);
    for (Index c = 0; c < classes_; ++c) {
      density_.dof(c, 0) = of.predictive_dof();
      density_.scale(c, 0) = seen(c) ? 1 + 1 / weight(c) : 1;
    }
  }

  void full_with_prior() {
    const Pooled pooled = pool_for_prior();
    const Kind kind = options_.shrinkage->kind();
    Matrix target;
    if (kind == Kind::share) {
      target = diagonal_of(pooled.scatter, pooled.dof());
    } else {
      ShrunkScatter shrunk = class_target(pooled.scatter, pooled.dof());
      target = std::move(shrunk.covariance);
      strength_.target_rows = shrunk.rows;
    }
    double rows = 1;
    if (kind == Kind::rows) strength_.rows = rows = options_.shrinkage->value();
    if (kind == Kind::automatic) strength_.rows = rows = rows_by_evidence(target);

    density_.covariance.resize(static_cast<std::size_t>(classes_));
    if (options_.inference == Inference::bayes) density_.dof = Matrix(classes_, 1);
    input_.context.workers.run(classes_, [&](Index c, int) {
      Matrix scatter(n_, n_);
      if (seen(c)) {
        const Posterior of{std::max(weight(c) - 1, 0.0), rows, static_cast<double>(n_)};
        add_scatter(c, 1, scatter);
        scatter = posterior(std::move(scatter), target, of);
        if (options_.inference == Inference::bayes) {
          density_.dof(c, 0) = of.predictive_dof();
          for (Index k = 0; k < scatter.size(); ++k) scatter.data()[k] *= 1 + 1 / weight(c);
        }
      }
      density_.covariance[c] = in_block(scatter);
    });
  }

  double rows_by_evidence(const Matrix& target) const {
    Matrix whitener;
    double log_norm = 0;
    whiten_shared(target, input_.names(input_.used), whitener, log_norm);
    std::vector<Evidence> evidence(static_cast<std::size_t>(classes_));
    input_.context.workers.run(classes_, [&](Index c, int) {
      if (!seen(c)) return;
      Matrix scatter(n_, n_);
      add_scatter(c, 1, scatter);
      evidence[c] = {std::max(weight(c) - 1, 0.0), n_, relative_eigenvalues(scatter, whitener)};
    });
    return best_rows(evidence);
  }

  const GaussianInput& input_;
  const EstimateOptions& options_;
  Index classes_, n_;
  GaussianDensity& density_;
  GaussianStrength& strength_;
  double pooling_sum_ = 0;
};

}  // namespace

void estimate_dense(const GaussianInput& input, GaussianEstimate& result) {
  Dense(input, result).run();
}

}  // namespace suffice
