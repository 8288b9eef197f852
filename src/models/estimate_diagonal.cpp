// Covariances that take features one by one: diag, spherical, and the tied ones of both.

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/numeric.hpp"
#include "models/gaussian_estimate.hpp"
#include "models/shrinkage.hpp"
#include "models/structure.hpp"

namespace suffice {
namespace {

using Kind = Shrinkage::Kind;

class Diagonal {
 public:
  Diagonal(const GaussianInput& input, GaussianEstimate& result)
      : input_(input),
        options_(input.options()),
        classes_(input.context.classes()),
        d_(input.context.features()),
        tied_(is_tied(input.structure())),
        spherical_(is_spherical(input.structure())),
        density_(result.density),
        strength_(result.strength) {
    for (const double weight : options_.pooling) pooling_sum_ += weight;
    for (Index c = 0; c < classes_; ++c) seen_ += seen(c) ? 1 : 0;
  }

  void run() {
    // A prior that only the plug-in asks for has nothing to draw these towards.
    const bool nothing_to_shrink = options_.inference == Inference::plugin && (tied_ || spherical_);
    if (input_.has_prior() && !nothing_to_shrink)
      spherical_ ? spherical_with_prior() : diagonal_with_prior();
    else
      by_share();
  }

 private:
  bool seen(Index c) const { return input_.context.seen(c); }
  double weight(Index c, Index j) const { return input_.moments[c].weight[j]; }
  /// Σ w (x − m)² of a feature in one class, or in all of them.
  double squares(Index c, Index j) const { return input_.moments[c].squares[j]; }

  /// Squares and their divisor, over a set of features.
  struct Sums {
    double squares = 0, divisor = 0, weight = 0;
    Sums& operator+=(const Sums& other) {
      squares += other.squares;
      divisor += other.divisor;
      weight += other.weight;
      return *this;
    }
  };
  Sums sums(Index c, std::span<const Index> features) const {
    Sums result;
    for (const Index j : features)
      result += {squares(c, j), input_.divisor(weight(c, j)), weight(c, j)};
    return result;
  }
  Sums pooled(std::span<const Index> features) const {
    Sums result;
    for (Index c = 0; c < classes_; ++c)
      if (seen(c)) result += sums(c, features);
    return result;
  }

  /// [(1−a) S_c + a S] / [(1−a) W_c + a W]
  double variance(Index c, std::span<const Index> features) const {
    Sums own = sums(c, features);
    if (const double a = options_.towards_tied; a > 0) {
      const Sums all = pooled(features);
      own.squares = (1 - a) * own.squares + a * all.squares;
      own.divisor = (1 - a) * own.divisor + a * all.divisor;
    }
    if (!(own.divisor > 0))
      throw_too_few(input_, options_.towards_tied > 0 ? -1 : c, weight(c, features.front()));
    return own.squares / own.divisor;
  }

  double tied_variance(std::span<const Index> features) const {
    if (!options_.pooling.empty()) {
      double sum = 0;
      for (Index c = 0; c < classes_; ++c)
        if (options_.pooling[c] > 0)
          sum += options_.pooling[c] / pooling_sum_ * variance(c, features);
      return sum;
    }
    const Sums all = pooled(features);
    if (!(all.divisor > 0))
      throw_too_few(input_, -1, all.weight / static_cast<double>(features.size()));
    return all.squares / all.divisor;
  }

  void by_share() {
    const Index rows = tied_ ? 1 : classes_;
    Matrix variances(rows, spherical_ ? 1 : d_);
    for (Index c = 0; c < rows; ++c) {
      if (!tied_ && !seen(c)) continue;
      const auto of = [&](std::span<const Index> features) {
        return tied_ ? tied_variance(features) : variance(c, features);
      };
      if (spherical_) {
        variances(c, 0) = of(input_.used);
        continue;
      }
      for (const Index& j : input_.used) variances(c, j) = of({&j, 1});
      if (options_.target == Target::spherical) towards_mean(variances.row(c));
    }
    density_.covariance.push_back(std::move(variances));
  }

  /// A diagonal covariance is its own diagonal target; its spherical one has the mean variance.
  void towards_mean(std::span<double> variances) const {
    const double share = options_.shrinkage->value();
    if (share == 0) return;
    double mean = 0;
    for (const Index j : input_.used)
      mean += variances[j] / static_cast<double>(input_.used.size());
    for (const Index j : input_.used) variances[j] = (1 - share) * variances[j] + share * mean;
  }

  // ---- with a prior ----------------------------------------------------------------------------

  double class_dof(Index c, Index j) const { return std::max(weight(c, j) - 1, 0.0); }

  /// W − K of one feature.
  double pooled_dof(Index j) const {
    double sum = 0;
    for (Index c = 0; c < classes_; ++c)
      if (seen(c)) sum += weight(c, j);
    const double dof = rest(sum, seen_);
    if (!(dof > 0)) throw_too_few(input_, -1, sum);
    return dof;
  }
  double pooled_squares(Index j) const {
    double sum = 0;
    for (Index c = 0; c < classes_; ++c)
      if (seen(c)) sum += squares(c, j);
    return sum;
  }

  /// The factor 1 + 1/W of predictive scales, for the structures that share their variances.
  void fill_scale() {
    density_.scale = Matrix(classes_, d_);
    std::fill_n(density_.scale.data(), density_.scale.size(), 1.0);
    for (Index c = 0; c < classes_; ++c)
      for (const Index j : input_.used)
        if (seen(c)) density_.scale(c, j) = 1 + 1 / weight(c, j);
  }

  void diagonal_with_prior() {
    Vector target(d_);
    std::vector<Index> flat;
    for (const Index j : input_.used) {
      target[j] = pooled_squares(j) / pooled_dof(j);
      if (!(target[j] > 0)) flat.push_back(j);
    }
    require_varying(input_, flat);
    double rows = 1;
    if (options_.shrinkage->kind() == Kind::rows)
      strength_.rows = rows = options_.shrinkage->value();
    if (options_.shrinkage->kind() == Kind::automatic && !tied_)
      strength_.rows = rows = rows_by_evidence(target);

    const bool bayes = options_.inference == Inference::bayes;
    Matrix variances(tied_ ? 1 : classes_, d_);
    if (bayes) {
      density_.dof = Matrix(classes_, d_);
      std::fill_n(density_.dof.data(), density_.dof.size(), 1.0);  // of no density
    }
    if (bayes && tied_) fill_scale();
    for (Index c = 0; c < classes_; ++c) {
      if (!seen(c)) continue;
      for (const Index j : input_.used) {
        const Posterior of{tied_ ? pooled_dof(j) : class_dof(c, j), rows, 1};
        const double sum = (tied_ ? pooled_squares(j) : squares(c, j)) + rows * target[j];
        double& variance = variances(tied_ ? 0 : c, j);
        variance = sum * of.factor(options_.inference);
        if (!bayes) continue;
        density_.dof(c, j) = of.predictive_dof();
        if (!tied_) variance *= 1 + 1 / weight(c, j);
      }
    }
    density_.covariance.push_back(std::move(variances));
  }

  double rows_by_evidence(const Vector& target) const {
    std::vector<Evidence> evidence;
    for (Index c = 0; c < classes_; ++c) {
      if (!seen(c)) continue;
      std::map<double, std::vector<double>> by_dof;  // few: features lack values in the same rows
      for (const Index j : input_.used)
        by_dof[class_dof(c, j)].push_back(squares(c, j) / target[j]);
      for (const auto& [dof, values] : by_dof) evidence.push_back({dof, 1, Vector(values)});
    }
    return best_rows(evidence);
  }

  /// One variance for all features: a row has as many values of it as there are features, and so
  /// has a row of the prior. Its mean is the variance of all classes together.
  void spherical_with_prior() {
    double target = 0, all_dof = 0;
    for (const Index j : input_.used) {
      target += pooled_squares(j);
      all_dof += pooled_dof(j);
    }
    const double all_squares = target;
    target /= all_dof;
    if (!(target > 0)) require_varying(input_, input_.used);
    const double rows = options_.shrinkage->kind() == Kind::rows ? options_.shrinkage->value() : 1;
    const double values = rows * static_cast<double>(input_.used.size());

    const bool bayes = options_.inference == Inference::bayes;
    Matrix variances(tied_ ? 1 : classes_, 1);
    if (bayes) {
      density_.dof = Matrix(classes_, 1);
      fill_scale();
    }
    for (Index c = 0; c < classes_; ++c) {
      double dof = tied_ ? all_dof : 0, sum = tied_ ? all_squares : 0;
      if (!tied_ && seen(c))
        for (const Index j : input_.used) {
          dof += class_dof(c, j);
          sum += squares(c, j);
        }
      const Posterior of{dof, values, 1};
      if (tied_ || seen(c))
        variances(tied_ ? 0 : c, 0) = (sum + values * target) * of.factor(options_.inference);
      if (bayes) density_.dof(c, 0) = of.predictive_dof();
    }
    density_.covariance.push_back(std::move(variances));
  }

  const GaussianInput& input_;
  const EstimateOptions& options_;
  Index classes_, d_;
  bool tied_, spherical_;
  GaussianDensity& density_;
  GaussianStrength& strength_;
  double pooling_sum_ = 0, seen_ = 0;
};

}  // namespace

void estimate_diagonal(const GaussianInput& input, GaussianEstimate& result) {
  Diagonal(input, result).run();
}

}  // namespace suffice
