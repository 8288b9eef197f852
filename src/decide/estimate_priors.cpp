#include "suffice/decide/estimate_priors.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/compensated_sum.hpp"
#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "core/special_functions.hpp"
#include "decide/same_labels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Σ w log Σ_c π_c r_c over the rows, and its derivatives.
struct Slope {
  double value = 0;
  VectorXd gradient;   ///< Σ w r_c / f
  MatrixXd curvature;  ///< Σ w r_c r_k / f²: minus the second derivatives
};

class ShareLikelihood {
 public:
  ShareLikelihood(std::span<const double> ratios, std::span<const double> weights, Index classes,
                  const Execution& execution)
      : ratios_(ratios),
        weights_(weights),
        classes_(classes),
        tasks_((std::ssize(weights) + rows_of_task - 1) / rows_of_task),
        workers_(execution, tasks_) {
    for (const double weight : weights) rows_ += weight;
  }

  double rows() const { return rows_; }

  Slope at(const VectorXd& shares, bool with_curvature) {
    std::vector<Slope> parts(static_cast<std::size_t>(tasks_));
    workers_.run(tasks_, [&](Index t, int) {
      Slope& part = parts[static_cast<std::size_t>(t)];
      part.gradient = VectorXd::Zero(classes_);
      if (with_curvature) part.curvature = MatrixXd::Zero(classes_, classes_);
      for_rows(t, [&](const VectorXd::ConstMapType& ratios, double weight) {
        const double density = shares.dot(ratios);
        part.value += weight * std::log(density);
        part.gradient += weight / density * ratios;
        if (with_curvature)
          part.curvature.selfadjointView<Eigen::Lower>().rankUpdate(ratios,
                                                                    weight / (density * density));
      });
    });
    Slope sum = std::move(parts.front());
    for (std::size_t t = 1; t < parts.size(); ++t) {
      sum.value += parts[t].value;
      sum.gradient += parts[t].gradient;
      if (with_curvature) sum.curvature += parts[t].curvature;
    }
    if (with_curvature) sum.curvature = sum.curvature.selfadjointView<Eigen::Lower>();
    return sum;
  }

  /// The value where class c has the share t and the others keep their proportions.
  double with_share(const VectorXd& shares, Index c, double t) {
    const double others = shares.sum() - shares[c];
    VectorXd moved =
        others > 0 ? VectorXd(shares * ((1 - t) / others))
                   : VectorXd::Constant(classes_, (1 - t) / static_cast<double>(classes_ - 1));
    moved[c] = t;
    return at(moved, false).value;
  }

 private:
  static constexpr Index rows_of_task = 8192;

  template <class Use>
  void for_rows(Index task, const Use& use) const {
    const Index last = std::min(std::ssize(weights_), (task + 1) * rows_of_task);
    for (Index i = task * rows_of_task; i < last; ++i)
      use(VectorXd::Map(ratios_.data() + i * classes_, classes_),
          weights_[static_cast<std::size_t>(i)]);
  }

  std::span<const double> ratios_, weights_;
  Index classes_, tasks_;
  Workers workers_;
  double rows_ = 0;
};

/// A share below this is none.
constexpr double no_share = 1e-12;

/// The step of Newton's method that keeps the sum of the shares, among those above 0; empty where
/// the curvature does not say.
VectorXd newton_step(const Slope& slope, const VectorXd& shares) {
  std::vector<Index> active;
  for (Index c = 0; c < shares.size(); ++c)
    if (shares[c] > no_share) active.push_back(c);
  const Index n = std::ssize(active);
  MatrixXd system = MatrixXd::Zero(n + 1, n + 1);
  VectorXd right = VectorXd::Zero(n + 1);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) system(i, j) = slope.curvature(active[i], active[j]);
    system(i, n) = system(n, i) = 1;
    right[i] = slope.gradient[active[i]];
  }
  const Eigen::FullPivLU<MatrixXd> solved(system);
  if (!solved.isInvertible()) return {};
  const VectorXd found = solved.solve(right);
  VectorXd step = VectorXd::Zero(shares.size());
  for (Index i = 0; i < n; ++i) step[active[i]] = found[i];
  return step;
}

/// How far the shares are from a maximum: none of them would change by that much in an EM step.
double distance_from_maximum(const Slope& slope, const VectorXd& shares, double rows) {
  double most = 0;
  for (Index c = 0; c < shares.size(); ++c) {
    const double change = shares[c] * (slope.gradient[c] / rows - 1);
    most = std::max(most, std::abs(change));
    if (shares[c] <= no_share) most = std::max(most, (slope.gradient[c] / rows - 1) * 1e-6);
  }
  return most;
}

/// Standard errors of the shares from the curvature; infinite where it does not say.
VectorXd standard_errors(const MatrixXd& curvature, const VectorXd& shares) {
  std::vector<Index> active;
  for (Index c = 0; c < shares.size(); ++c)
    if (shares[c] > no_share) active.push_back(c);
  const Index n = std::ssize(active);
  MatrixXd part(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) part(i, j) = curvature(active[i], active[j]);
  VectorXd result = VectorXd::Constant(shares.size(), infinity);
  const Eigen::FullPivLU<MatrixXd> solved(part);
  if (!solved.isInvertible()) return result;
  const MatrixXd inverse = solved.inverse();
  const VectorXd sums = inverse.rowwise().sum();
  for (Index i = 0; i < n; ++i)
    result[active[i]] = std::sqrt(std::max(0.0, inverse(i, i) - sums[i] * sums[i] / sums.sum()));
  return result;
}

/// z with P(|N(0, 1)| ≤ z) = confidence.
double normal_bound(double confidence) {
  double low = 0, high = 40;
  for (int k = 0; k < 200 && high - low > 1e-14 * high; ++k) {
    const double z = (low + high) / 2;
    (chi_squared_tail(z * z, 1) > 1 - confidence ? low : high) = z;
  }
  return (low + high) / 2;
}

}  // namespace

PriorsEstimator::PriorsEstimator(Names labels) : labels_(std::move(labels)) {
  if (labels_.size() < 2)
    throw InvalidArgument("there is one class only, so its share is 1",
                          "shares are estimated for models of two classes or more");
}

void PriorsEstimator::add(const LogLikelihoods& scores, std::span<const double> weights) {
  require_same_labels(labels_, "the shares", scores.labels, "the scores");
  const Index classes = labels_.size();
  for (Index i = 0; i < scores.rows(); ++i) {
    const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
    if (!(weight > 0)) continue;
    const auto row = scores.values.row(i);
    const double most = std::ranges::max(row);
    if (most == -infinity) {
      impossible_ += weight;
      continue;
    }
    for (Index c = 0; c < classes; ++c)
      ratios_.push_back(std::exp(row[static_cast<std::size_t>(c)] - most));
    weights_.push_back(weight);
  }
}

PriorsEstimate PriorsEstimator::finish(const Priors& reference, double confidence,
                                       const Execution& execution) const {
  require_same_labels(labels_, "the shares", reference.labels(), "the priors");
  if (!(confidence > 0 && confidence < 1))
    throw InvalidArgument("the confidence is " + name_of(confidence),
                          "it must lie between 0 and 1");
  if (weights_.empty())
    throw InvalidArgument(
        "there are no rows to estimate shares from",
        impossible_ > 0 ? "all rows are impossible under every class" : "give some");
  const Index classes = labels_.size();
  ShareLikelihood likelihood(ratios_, weights_, classes, execution);
  const double rows = likelihood.rows();
  VectorXd shares = VectorXd::Constant(classes, 1.0 / static_cast<double>(classes));
  constexpr Index most_steps = 500;
  constexpr double near_enough = 1e-11;
  Index steps = 0;
  Slope slope = likelihood.at(shares, true);
  for (; steps < most_steps && distance_from_maximum(slope, shares, rows) > near_enough; ++steps) {
    const VectorXd em = shares.cwiseProduct(slope.gradient) / rows;
    const VectorXd step = newton_step(slope, shares);
    VectorXd next = em;
    if (step.size() > 0) {  // up to just before a share is 0
      double length = 1;
      for (Index c = 0; c < classes; ++c)
        if (step[c] < 0) length = std::min(length, -0.99 * shares[c] / step[c]);
      const VectorXd tried = shares + length * step;
      if (likelihood.at(tried, false).value >= likelihood.at(em, false).value) next = tried;
    }
    for (double& share : next)
      if (share < no_share) share = 0;
    shares = next / next.sum();
    slope = likelihood.at(shares, true);
  }

  PriorsEstimate result{
      .priors = Priors(labels_,
                       std::span<const double>(shares.data(), static_cast<std::size_t>(classes))),
      .low = Vector(classes),
      .high = Vector(classes),
      .rows = rows,
      .impossible = impossible_,
      .iterations = steps};
  const VectorXd before = Eigen::Map<const VectorXd>(reference.probabilities().data(), classes);
  result.gain = (slope.value - likelihood.at(before, false).value) / rows;
  const double z = normal_bound(confidence);
  const VectorXd errors = standard_errors(slope.curvature, shares);
  // With few rows of a class, or of all others, a share goes as far as the likelihood ratio allows,
  // the others in proportion.
  constexpr double few_rows = 10;
  const auto bound = [&](Index c, double outside) {
    double inside = shares[c];
    for (int k = 0; k < 40; ++k) {
      const double t = (inside + outside) / 2;
      (likelihood.with_share(shares, c, t) >= slope.value - 0.5 * z * z ? inside : outside) = t;
    }
    return inside;
  };
  for (Index c = 0; c < classes; ++c) {
    const double share = shares[c], rest = 1 - share;
    if (std::isinf(errors[c]) && share > no_share) {
      result.high[c] = 1;
    } else if (share * rows < few_rows || rest * rows < few_rows) {
      result.low[c] = bound(c, 0);
      result.high[c] = bound(c, 1);
    } else {
      const double width = z * errors[c] / (share * rest);  // of log share / (1 − share)
      result.low[c] = share / (share + rest * std::exp(width));
      result.high[c] = share / (share + rest * std::exp(-width));
    }
  }
  return result;
}

}  // namespace suffice
