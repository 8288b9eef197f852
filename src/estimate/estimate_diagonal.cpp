#include "estimate/estimate_diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/minus_or_zero.hpp"
#include "estimate/shrinkage.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

using Kind = Shrinkage::Kind;

}  // namespace

DiagonalVariances::Sums& DiagonalVariances::Sums::operator+=(const Sums& other) {
  squares += other.squares;
  weight += other.weight;
  divisor += other.divisor;
  dof += other.dof;
  return *this;
}

DiagonalVariances::DiagonalVariances(const EstimateOptions& options, const DiagonalSums& sums)
    : options_(options),
      sums_(sums),
      tied_(is_tied(options.covariance)),
      spherical_(is_spherical(options.covariance)),
      // The plug-in estimate of these structures has nothing to be shrunk towards.
      prior_(suffice::has_prior(options) &&
             !(options.inference == Inference::plugin && (tied_ || spherical_))) {}

DiagonalVariances::Sums DiagonalVariances::feature(Index c, Index j) const {
  const double weight = sums_.weight(c, j);
  return {.squares = sums_.squares(c, j),
          .weight = weight,
          .divisor = options_.normalize == Normalize::mle ? weight : weight - 1,
          .dof = std::max(weight - 1, 0.0)};
}

DiagonalVariances::Sums DiagonalVariances::group(Index c, Index g) const {
  if (!spherical_) return feature(c, g);
  Sums sum;
  for (Index j = 0; j < sums_.features(); ++j) sum += feature(c, j);
  return sum;
}

double DiagonalVariances::classes_seen() const {
  return static_cast<double>(
      std::ranges::count_if(sums_.class_weight, [](double weight) { return weight > 0; }));
}

/// `of_feature(j)` has the sums of feature j over all classes.
template <class OfFeature>
void DiagonalVariances::pool_features(double seen, const OfFeature& of_feature) {
  pooled_.assign(static_cast<std::size_t>(groups()), Sums());
  for (Index j = 0; j < sums_.features(); ++j) {
    Sums sum = of_feature(j);
    if (!sums_.pooled.empty()) sum.squares = sums_.pooled[j];
    if (prior_) sum.dof = minus_or_zero(sum.weight, seen);
    if (prior_ && !(sum.dof > 0)) sum.dof = std::numeric_limits<double>::quiet_NaN();
    pooled_[spherical_ ? 0 : j] += sum;
  }
}

void DiagonalVariances::pool() {
  pool_features(classes_seen(), [&](Index j) {
    Sums sum;
    for (Index c = 0; c < sums_.classes(); ++c)
      if (sums_.seen(c)) sum += feature(c, j);
    return sum;
  });
}

void DiagonalVariances::remember() {
  const Index n = sums_.features();
  remembered_ = classes_seen();
  others_.assign(static_cast<std::size_t>(sums_.classes() * n), Sums());
  for (Index j = 0; j < n; ++j) {
    Sums before, after;
    for (Index c = 0; c < sums_.classes(); ++c) {
      others_[c * n + j] += before;
      if (sums_.seen(c)) before += feature(c, j);
    }
    for (Index c = sums_.classes() - 1; c >= 0; --c) {
      others_[c * n + j] += after;
      if (sums_.seen(c)) after += feature(c, j);
    }
  }
}

void DiagonalVariances::pool_changed(Index c) {
  pool_features(remembered_ - (sums_.seen(c) ? 0 : 1), [&](Index j) {
    Sums sum = others_[c * sums_.features() + j];
    if (sums_.seen(c)) sum += feature(c, j);
    return sum;
  });
}

VariancePrior DiagonalVariances::prior(VariancePrior reused) const {
  if (!prior_) return {};
  VariancePrior result{1, std::move(reused.target)};
  if (result.target.size() != groups()) result.target = Vector(groups());
  for (Index g = 0; g < groups(); ++g) result.target[g] = pooled_[g].squares / pooled_[g].dof;
  if (options_.shrinkage->kind() == Kind::rows) result.rows = options_.shrinkage->value();
  if (options_.shrinkage->kind() == Kind::automatic && !tied_ && !spherical_)
    result.rows = evidence_rows(result.target);
  // A row has as many values of the one variance as there are features.
  if (spherical_) result.rows *= static_cast<double>(sums_.features());
  return result;
}

double DiagonalVariances::evidence_rows(const Vector& target) const {
  std::vector<SeenScatter> evidence;
  for (Index c = 0; c < sums_.classes(); ++c) {
    if (!sums_.seen(c)) continue;
    std::map<double, std::vector<double>> by_dof;  // few: features lack values in the same rows
    for (Index j = 0; j < sums_.features(); ++j)
      by_dof[feature(c, j).dof].push_back(sums_.squares(c, j) / target[j]);
    for (const auto& [dof, values] : by_dof) evidence.push_back({dof, 1, Vector(values)});
  }
  return best_rows(evidence);
}

/// [(1−a) S_c + a S] / [(1−a) W_c + a W]
double DiagonalVariances::without_prior(const Sums& own, const Sums& all) const {
  double squares = own.squares, divisor = own.divisor;
  if (const double a = options_.towards_tied; a > 0) {
    squares = (1 - a) * squares + a * all.squares;
    divisor = (1 - a) * divisor + a * all.divisor;
  }
  return divisor > 0 ? squares / divisor : std::numeric_limits<double>::quiet_NaN();
}

void DiagonalVariances::variances(Index c, const VariancePrior& prior,
                                  std::span<double> out) const {
  for (Index g = 0; g < groups(); ++g) {
    if (prior_) {
      const Sums sums = sums_of(c, g);
      out[g] = (sums.squares + prior.rows * prior.target[g]) *
               Posterior{sums.dof, prior.rows, 1}.factor(options_.inference);
    } else if (!options_.pooling.empty()) {
      double all = 0;
      for (const double weight : options_.pooling) all += weight;
      out[g] = 0;
      for (Index k = 0; k < sums_.classes(); ++k)
        if (options_.pooling[k] > 0)
          out[g] += options_.pooling[k] / all * without_prior(group(k, g), pooled_[g]);
    } else {
      out[g] = without_prior(sums_of(c, g), pooled_[g]);
    }
  }
  // A diagonal covariance is its own diagonal target; its spherical target has the mean variance.
  const double share = options_.shrinkage->kind() == Kind::share ? options_.shrinkage->value() : 0;
  if (prior_ || spherical_ || options_.target != Target::spherical || share == 0) return;
  double mean = 0;
  for (const double variance : out) mean += variance / static_cast<double>(out.size());
  for (double& variance : out) variance = (1 - share) * variance + share * mean;
}

namespace {

class DiagonalEstimate {
 public:
  DiagonalEstimate(const GaussianInput& input, GaussianEstimate& result)
      : input_(input),
        options_(input.options()),
        classes_(input.context.classes()),
        n_(std::ssize(input.used)),
        tied_(is_tied(options_.covariance)),
        spherical_(is_spherical(options_.covariance)),
        density_(result.density),
        strength_(result.strength),
        sums_{input.context.weights, Matrix(classes_, n_), Matrix(classes_, n_)},
        rule_(options_, sums_) {
    for (Index c = 0; c < classes_; ++c)
      for (Index j = 0; j < n_ && sums_.seen(c); ++j) {
        sums_.weight(c, j) = input.moments[c].weight[input.used[j]];
        sums_.squares(c, j) = input.moments[c].squares[input.used[j]];
      }
  }

  void run() {
    rule_.pool();
    if (rule_.has_prior()) require_enough_rows();
    const VariancePrior prior = rule_.prior();
    if (rule_.has_prior()) {
      require_varying(input_, flat(prior));
      const Kind kind = options_.shrinkage->kind();
      if (!spherical_ && (kind == Kind::rows || (kind == Kind::automatic && !tied_)))
        strength_.rows = prior.rows;
    }
    fill_variances(prior);
    if (rule_.has_prior() && options_.inference == Inference::bayes) fill_student(prior);
  }

 private:
  double pooled_weight(Index j) const {
    double sum = 0;
    for (Index c = 0; c < classes_; ++c)
      if (sums_.seen(c)) sum += sums_.weight(c, j);
    return sum;
  }
  /// A prior needs more values than classes in every feature.
  void require_enough_rows() const {
    double seen = 0;
    for (Index c = 0; c < classes_; ++c) seen += sums_.seen(c) ? 1 : 0;
    for (Index j = 0; j < n_; ++j)
      if (!(minus_or_zero(pooled_weight(j), seen) > 0)) throw_too_few(input_, -1, pooled_weight(j));
  }
  std::vector<Index> flat(const VariancePrior& prior) const {
    std::vector<Index> result;
    for (Index j = 0; j < n_; ++j)
      if (!(prior.target[spherical_ ? 0 : j] > 0)) result.push_back(input_.used[j]);
    return result;
  }

  [[noreturn]] void throw_no_divisor(Index c) const {
    if (!options_.pooling.empty()) {  // some class that has a part in it
      for (c = 0; c + 1 < classes_ && !(options_.pooling[c] > 0 && sums_.weight(c, 0) <= 1);) ++c;
      throw_too_few(input_, c, sums_.weight(c, 0));
    }
    const bool all = tied_ || options_.towards_tied > 0;
    throw_too_few(input_, all ? -1 : c, tied_ ? pooled_weight(0) : sums_.weight(c, 0));
  }

  void fill_variances(const VariancePrior& prior) {
    Matrix result(tied_ ? 1 : classes_, spherical_ ? 1 : density_.mean.cols());
    Vector variances(rule_.groups());
    for (Index c = 0; c < result.rows(); ++c) {
      if (!tied_ && !sums_.seen(c)) continue;
      rule_.variances(c, prior, {variances.data(), static_cast<std::size_t>(variances.size())});
      for (Index g = 0; g < variances.size(); ++g) {
        if (std::isnan(variances[g])) throw_no_divisor(c);
        result(c, spherical_ ? 0 : input_.used[g]) = variances[g];
      }
    }
    density_.covariance.push_back(std::move(result));
  }

  /// The predictive density knows a mean from W values, so its scale has the factor 1 + 1/W: part
  /// of the variances of diag, beside the variances that several features or classes share.
  void fill_student(const VariancePrior& prior) {
    density_.dof = Matrix(classes_, spherical_ ? 1 : density_.mean.cols());
    std::fill_n(density_.dof.data(), density_.dof.size(), 1.0);  // of no density
    const bool shared = tied_ || spherical_;
    if (shared) {
      density_.scale = Matrix(classes_, density_.mean.cols());
      std::fill_n(density_.scale.data(), density_.scale.size(), 1.0);
    }
    for (Index c = 0; c < classes_; ++c) {
      if (spherical_) density_.dof(c, 0) = rule_.predictive_dof(c, 0, prior);
      for (Index j = 0; j < n_ && sums_.seen(c); ++j) {
        if (!spherical_) density_.dof(c, input_.used[j]) = rule_.predictive_dof(c, j, prior);
        double& scale =
            shared ? density_.scale(c, input_.used[j]) : density_.covariance[0](c, input_.used[j]);
        scale *= 1 + 1 / sums_.weight(c, j);
      }
    }
  }

  const GaussianInput& input_;
  const EstimateOptions& options_;
  Index classes_, n_;
  bool tied_, spherical_;
  GaussianDensity& density_;
  GaussianStrength& strength_;
  DiagonalSums sums_;
  DiagonalVariances rule_;
};

}  // namespace

void estimate_diagonal(const GaussianInput& input, GaussianEstimate& result) {
  DiagonalEstimate(input, result).run();
}

}  // namespace suffice
