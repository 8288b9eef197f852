#include <algorithm>
#include <string>
#include <utility>

#include "models/estimate.hpp"
#include "models/structure.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// W, or W − 1 where estimates are unbiased.
double divisor(double weight, Normalize normalize) {
  return normalize == Normalize::mle ? weight : weight - 1;
}

class Estimate {
 public:
  Estimate(const GaussianStatistics& statistics, const EstimateContext& context)
      : statistics_(statistics),
        context_(context),
        structure_(context.options.covariance),
        normalize_(context.options.normalize) {
    for (const double weight : context.options.pooling) pooling_sum_ += weight;
  }

  GaussianDensity run() {
    if (is_dense(structure_) && statistics_.kind == Scatter::diagonal)
      throw InvalidArgument(
          "covariance '" + std::string(to_string(structure_)) +
          "' needs the whole scatter, and these statistics kept its diagonal only; choose diag, "
          "tied-diag, spherical or tied-spherical, or collect statistics with the dense scatter");
    for (Index c = 0; c < context_.classes(); ++c) moments_.push_back(statistics_.moments(c));
    density_.structure = structure_;
    density_.mean = Matrix(context_.classes(), context_.features());
    find_constants();
    if (used_.empty()) {
      fill_without_features();
    } else if (is_dense(structure_)) {
      dense_means();
      structure_ == Covariance::full ? full() : tied();
    } else {
      diagonal_means();
      is_spherical(structure_) ? spherical() : diagonal();
    }
    return std::move(density_);
  }

 private:
  bool has_value(Index c, Index j) const {
    const Moments& moments = moments_[c];
    return !moments.weight.empty() && moments.weight[j] > 0;
  }
  double value_mean(Index c, Index j) const {
    return moments_[c].mean[j] + moments_[c].mean_low[j];
  }
  const JointMoments& complete(Index c) const { return statistics_.classes[c].complete; }
  const std::string& name(Index j) const { return context_.name(j); }
  /// The share of class c in a tied covariance where shares are given.
  double pooling(Index c) const { return context_.options.pooling[c] / pooling_sum_; }
  bool has_pooling() const { return !context_.options.pooling.empty(); }

  /// A feature without a single deviation, in or between classes, is left out. Its mean is the
  /// constant, which is what sampling gives back.
  void find_constants() {
    for (Index j = 0; j < context_.features(); ++j) {
      Index first = -1;
      bool constant = true;
      for (Index c = 0; c < context_.classes() && constant; ++c) {
        if (!has_value(c, j)) continue;
        const Moments& here = moments_[c];
        if (first < 0) first = c;
        const Moments& there = moments_[first];
        constant = here.squares[j] == 0 && here.mean[j] == there.mean[j] &&
                   here.mean_low[j] == there.mean_low[j];
      }
      if (!constant) {
        used_.push_back(j);
        continue;
      }
      density_.constant.push_back(j);
      if (first < 0) continue;
      for (Index c = 0; c < context_.classes(); ++c)
        if (context_.seen(c)) density_.mean(c, j) = value_mean(first, j);
    }
  }

  void fill_without_features() {
    const Index rows = is_tied(structure_) ? 1 : context_.classes();
    if (is_dense(structure_))
      density_.covariance.assign(at(rows), Matrix(context_.features(), context_.features()));
    else
      density_.covariance = {Matrix(rows, is_spherical(structure_) ? 1 : context_.features())};
  }

  void dense_means() {
    for (Index c = 0; c < context_.classes(); ++c) {
      if (!context_.seen(c)) continue;
      if (!(complete(c).weight > 0)) throw_no_complete_row(c);
      for (const Index j : used_)
        density_.mean(c, j) = complete(c).mean[j] + complete(c).mean_low[j];
    }
  }

  [[noreturn]] void throw_no_complete_row(Index c) const {
    const std::string message = "class '" + context_.labels[c] +
                                "' has no row in which all features are present, so its joint "
                                "mean and covariance are unknown; choose a structure that takes "
                                "features one by one, such as 'diag' or 'tied-diag', or leave out "
                                "the features that are often missing";
    if (structure_ == Covariance::full)
      throw SingularError(message, context_.labels[c], 0, std::ssize(used_), names(used_));
    throw InvalidArgument(message);
  }

  void diagonal_means() {
    for (Index c = 0; c < context_.classes(); ++c) {
      if (!context_.seen(c)) continue;
      for (const Index j : used_) {
        if (!has_value(c, j))
          throw InvalidArgument("class '" + context_.labels[c] + "' has no value of feature '" +
                                name(j) +
                                "', so its mean is unknown; leave this feature out, or give rows "
                                "that have it");
        density_.mean(c, j) = value_mean(c, j);
      }
    }
  }

  std::vector<std::string> names(const std::vector<Index>& features) const {
    std::vector<std::string> result;
    for (const Index j : features) result.push_back(name(j));
    return result;
  }

  [[noreturn]] void throw_too_few(Index c, double weight) const {
    const std::string label = c < 0 ? std::string() : context_.labels[c];
    throw SingularError(
        (c < 0 ? std::string("all classes together have") : "class '" + label + "' has") +
            " the weight " + name_of(weight) + ", and an unbiased variance needs more than " +
            (c < 0 ? "one row a class" : "1") + "; give more rows, or choose " +
            (c < 0 ? "" : "a tied structure or ") + "normalize 'mle'",
        label, 0, std::ssize(used_), names(used_));
  }

  /// scatter · scale of the used features, added to `covariance`.
  void add_scatter(const JointMoments& joint, double scale, Matrix& covariance) const {
    for (const Index i : used_)
      for (const Index j : used_) covariance(i, j) += joint.scatter(i, j) * scale;
  }

  void full() {
    for (Index c = 0; c < context_.classes(); ++c) {
      Matrix covariance(context_.features(), context_.features());
      if (context_.seen(c)) {
        const double weight = divisor(complete(c).weight, normalize_);
        if (!(weight > 0)) throw_too_few(c, complete(c).weight);
        for (const Index i : used_)
          for (const Index j : used_) covariance(i, j) = complete(c).scatter(i, j) / weight;
      }
      density_.covariance.push_back(std::move(covariance));
    }
  }

  void tied() {
    Matrix covariance(context_.features(), context_.features());
    if (has_pooling()) {
      for (Index c = 0; c < context_.classes(); ++c) {
        if (!(pooling(c) > 0)) continue;
        const double weight = divisor(complete(c).weight, normalize_);
        if (!(weight > 0)) throw_too_few(c, complete(c).weight);
        add_scatter(complete(c), pooling(c) / weight, covariance);
      }
    } else {
      double weight = 0, total = 0;
      for (Index c = 0; c < context_.classes(); ++c) {
        if (!context_.seen(c)) continue;
        weight += divisor(complete(c).weight, normalize_);
        total += complete(c).weight;
        add_scatter(complete(c), 1, covariance);
      }
      if (!(weight > 0)) throw_too_few(-1, total);
      for (const Index i : used_)
        for (const Index j : used_) covariance(i, j) /= weight;
    }
    density_.covariance.push_back(std::move(covariance));
  }

  /// Squares and their divisor of class c, in one feature or over a set of them.
  std::pair<double, double> squares(Index c, std::span<const Index> features) const {
    double sum = 0, weight = 0;
    for (const Index j : features) {
      sum += moments_[c].squares[j];
      weight += divisor(moments_[c].weight[j], normalize_);
    }
    return {sum, weight};
  }

  /// The variance of class c over `features`: Σ squares / Σ weight.
  double variance(Index c, std::span<const Index> features) const {
    const auto [sum, weight] = squares(c, features);
    if (!(weight > 0)) throw_too_few(c, moments_[c].weight[features.front()]);
    return sum / weight;
  }

  /// The variance that all classes share over `features`.
  double tied_variance(std::span<const Index> features) const {
    double sum = 0, weight = 0, total = 0;
    const bool shares = has_pooling();
    for (Index c = 0; c < context_.classes(); ++c) {
      if (!context_.seen(c)) continue;
      if (shares) {
        if (pooling(c) > 0) sum += pooling(c) * variance(c, features);
        continue;
      }
      const auto [class_sum, class_weight] = squares(c, features);
      sum += class_sum;
      weight += class_weight;
      total += moments_[c].weight[features.front()];
    }
    if (shares) return sum;
    if (!(weight > 0)) throw_too_few(-1, total);
    return sum / weight;
  }

  void diagonal() {
    const Index rows = is_tied(structure_) ? 1 : context_.classes();
    Matrix variances(rows, context_.features());
    for (const Index& j : used_) {
      if (is_tied(structure_)) variances(0, j) = tied_variance({&j, 1});
      for (Index c = 0; c < rows && !is_tied(structure_); ++c)
        if (context_.seen(c)) variances(c, j) = variance(c, {&j, 1});
    }
    density_.covariance.push_back(std::move(variances));
  }

  void spherical() {
    const Index rows = is_tied(structure_) ? 1 : context_.classes();
    Matrix variances(rows, 1);
    if (is_tied(structure_)) variances(0, 0) = tied_variance(used_);
    for (Index c = 0; c < rows && !is_tied(structure_); ++c)
      if (context_.seen(c)) variances(c, 0) = variance(c, used_);
    density_.covariance.push_back(std::move(variances));
  }

  const GaussianStatistics& statistics_;
  const EstimateContext& context_;
  Covariance structure_;
  Normalize normalize_;
  std::vector<Moments> moments_;  ///< per class, over all values present
  std::vector<Index> used_;       ///< the features that are not constant
  double pooling_sum_ = 0;
  GaussianDensity density_;
};

}  // namespace

GaussianDensity estimate_gaussian(const GaussianStatistics& statistics,
                                  const EstimateContext& context) {
  return Estimate(statistics, context).run();
}

}  // namespace suffice
