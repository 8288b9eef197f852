#include "suffice/calibrate/fit_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "algebra/blas.hpp"
#include "calibrate/calibration_loss.hpp"
#include "core/constants.hpp"
#include "suffice/calibrate/set_thresholds.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {
namespace {

/// Beyond this number of parameters Newton's equations are solved by conjugate gradients, whose
/// cost grows with K, not with K².
constexpr Index most_dense = 500;

double dot(const Vector& a, const Vector& b) { return a.map().dot(b.map()); }

/// Newton's method for a convex loss whose first parameters, the scales, are bounded.
class BoundedNewton {
 public:
  BoundedNewton(CalibrationLoss& loss, double largest_scale)
      : loss_(loss), upper_(largest_scale), at_(loss.size()), step_(loss.size()) {}

  Vector minimum() {
    at_ = start();
    double value = loss_.evaluate(at_);
    constexpr int most_steps = 200;
    for (int i = 0; i < most_steps; ++i) {
      find_step(value);
      const double slope = dot(loss_.gradient(), step_);
      if (!(slope < 0)) break;  // nothing to gain but rounding
      if (-slope < 1e-10 * (1 + value)) return finish(value);
      const double next = search(value, slope);
      if (!(next < value)) {
        loss_.evaluate(at_);
        break;
      }
      value = next;
    }
    return at_;
  }

 private:
  /// The step that was found, and one more. What they gain is less than the rounding of the loss,
  /// so it is not looked at; they double the digits of the minimum each time.
  Vector finish(double value) {
    for (int more = 0; more < 2; ++more) {
      if (more > 0) find_step(value);
      for (Index j = 0; j < at_.size(); ++j) at_[j] += step_[j];
      for (Index b = 0; b < loss_.blocks(); ++b) at_[b] = std::clamp(at_[b], 0.0, upper_);
      loss_.evaluate(at_);
    }
    return at_;
  }

  /// The best of a few scales without offsets: from where posteriors are all 0 or 1, steps would be
  /// short.
  Vector start() {
    Vector best(loss_.size()), trial(loss_.size());
    double lowest = infinity;
    for (const double scale : {1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 0.0}) {
      std::fill_n(trial.begin(), loss_.blocks(), std::min(scale, upper_));
      const double value = loss_.evaluate_some(trial);
      if (value < lowest) {
        lowest = value;
        best = trial;
      }
    }
    return best;
  }

  /// The minimum of the quadratic model within the bounds: scales that would leave them are set to
  /// the bound, one at a time, and the others follow.
  void find_step(double value) {
    const Index blocks = loss_.blocks();
    std::vector<char> fixed(static_cast<std::size_t>(loss_.size()), 0);
    std::ranges::fill(step_, 0.0);
    for (Index b = 0; b < blocks; ++b)
      fixed[b] =
          (at_[b] <= 0 && loss_.gradient()[b] > 0) || (at_[b] >= upper_ && loss_.gradient()[b] < 0);
    if (dense()) loss_.form_hessian();
    for (Index rounds = 0; rounds <= blocks; ++rounds) {
      solve(fixed, value);
      Index worst = -1;
      double excess = 0;
      for (Index b = 0; b < blocks; ++b) {
        const double to = at_[b] + step_[b];
        const double outside = std::max(-to, to - upper_);
        if (!fixed[b] && outside > excess) {
          excess = outside;
          worst = b;
        }
      }
      if (worst < 0) return;
      fixed[worst] = 1;
      step_[worst] = (at_[worst] + step_[worst] < 0 ? 0 : upper_) - at_[worst];
    }
  }

  bool dense() const { return loss_.size() <= most_dense; }

  /// H step = −gradient for the parameters that are not fixed, given the steps of those that are.
  void solve(const std::vector<char>& fixed, double value) {
    const Index m = loss_.size();
    Vector right(m), fixed_step(m);
    for (Index j = 0; j < m; ++j) fixed_step[j] = fixed[j] ? step_[j] : 0;
    loss_.multiply_hessian(fixed_step, right, dense());
    for (Index j = 0; j < m; ++j) right[j] = fixed[j] ? 0 : -loss_.gradient()[j] - right[j];
    const Vector solution =
        dense() ? cholesky_solution(fixed, right) : cg_solution(fixed, right, value);
    for (Index j = 0; j < m; ++j)
      if (!fixed[j]) step_[j] = solution[j];
  }

  /// Scaled to a unit diagonal: scores of 1e5 nats make that of a scale 1e10 times that of an
  /// offset.
  Vector cholesky_solution(const std::vector<char>& fixed, Vector x) const {
    const Matrix& hessian = loss_.hessian();
    const Index m = hessian.rows();
    Vector unit(m);
    for (Index j = 0; j < m; ++j) unit[j] = fixed[j] ? 1 : 1 / std::sqrt(hessian(j, j));
    Matrix factor(m, m);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j <= i; ++j)
        factor(i, j) = i == j ? 1 : fixed[i] || fixed[j] ? 0 : hessian(i, j) * unit[i] * unit[j];
    // Rounding may take what the penalty adds: then a little more.
    Matrix attempt = factor;
    for (double more = 1e-14; blas::cholesky(m, attempt.data(), m) < m; more *= 100) {
      attempt = factor;
      for (Index j = 0; j < m; ++j) attempt(j, j) += more;
    }
    const auto lower = attempt.map().triangularView<Eigen::Lower>();
    x.map().array() *= unit.map().array();
    lower.solveInPlace(x.map());
    lower.transpose().solveInPlace(x.map());
    x.map().array() *= unit.map().array();
    return x;
  }

  /// Conjugate gradients with the diagonal as preconditioner, as exact as the step is worth: the
  /// smaller what is left to gain, the more.
  Vector cg_solution(const std::vector<char>& fixed, Vector residual, double value) {
    const Index m = residual.size();
    const Vector diagonal = loss_.hessian_diagonal();
    Vector x(m), direction(m), product(m), z(m);
    const auto precondition = [&] {
      for (Index j = 0; j < m; ++j) z[j] = residual[j] / diagonal[j];
      return dot(residual, z);
    };
    double rho = precondition();
    const double enough = rho * std::clamp(rho / (1 + value), 1e-16, 1e-2);
    direction = z;
    for (Index i = 0; i < 2 * m && rho > enough; ++i) {
      loss_.multiply_hessian(direction, product, false);
      for (Index j = 0; j < m; ++j)
        if (fixed[j]) product[j] = 0;
      const double alpha = rho / dot(direction, product);
      x.map() += alpha * direction.map();
      residual.map() -= alpha * product.map();
      const double next = precondition();
      direction.map() = z.map() + next / rho * direction.map();
      rho = next;
    }
    return x;
  }

  /// Goes along the step, shorter and shorter, until the loss falls as it should.
  double search(double value, double slope) {
    Vector trial(at_.size());
    for (double length = 1; length > 1e-12; length /= 2) {
      for (Index j = 0; j < at_.size(); ++j) trial[j] = at_[j] + length * step_[j];
      for (Index b = 0; b < loss_.blocks(); ++b) trial[b] = std::clamp(trial[b], 0.0, upper_);
      const double next = loss_.evaluate(trial);
      if (next <= value + 1e-4 * length * slope) {
        at_ = trial;
        return next;
      }
    }
    return value;
  }

  CalibrationLoss& loss_;
  double upper_;
  Vector at_, step_;
};

void require_shapes(std::span<const Matrix> block_scores, std::span<const Index> labels,
                    std::span<const double> weights, std::span<const double> log_priors,
                    const CalibrationOptions& options) {
  const Index n = std::ssize(labels), classes = std::ssize(log_priors);
  if (block_scores.empty() || classes == 0)
    throw InvalidArgument("a calibration needs scores of at least one block and one class");
  for (const Matrix& scores : block_scores)
    if (scores.rows() != n || scores.cols() != classes)
      throw InvalidArgument("the scores of a block are " + std::to_string(scores.rows()) + " × " +
                            std::to_string(scores.cols()) + " numbers; there are " +
                            std::to_string(n) + " labels and " + std::to_string(classes) +
                            " priors");
  if (!weights.empty() && std::ssize(weights) != n)
    throw InvalidArgument("a calibration got " + std::to_string(weights.size()) + " weights for " +
                          std::to_string(n) + " rows; give one for each, or none");
  for (const double weight : weights)
    if (!(weight >= 0) || !std::isfinite(weight))
      throw InvalidArgument("a weight is " + name_of(weight) +
                            "; it must be finite and not negative");
  for (const Index label : labels)
    if (label >= classes)
      throw InvalidArgument("label number " + std::to_string(label) + " of " +
                            std::to_string(classes) + " classes");
  for (const double log_prior : log_priors)
    if (std::isnan(log_prior) || log_prior == infinity)
      throw InvalidArgument("a log-prior is " + name_of(log_prior) +
                            "; it must be a number or -inf");
  if (!(options.largest_scale >= 0))
    throw InvalidArgument("the largest scale of a calibration is " +
                          name_of(options.largest_scale) + "; it must not be negative");
}

/// The posteriors of calibrated scores. A row that no class makes possible has the priors.
Matrix posteriors_of(std::span<const Matrix> block_scores, const Vector& scale,
                     const Vector& offset, std::span<const double> log_priors) {
  const Index n = block_scores.front().rows(), classes = std::ssize(log_priors);
  Matrix result(n, classes);
  for (Index i = 0; i < n; ++i) {
    const std::span<double> row = result.row(i);
    double most = -infinity;
    for (Index c = 0; c < classes; ++c) {
      double joint = offset[c] + log_priors[static_cast<std::size_t>(c)];
      for (std::size_t b = 0; b < block_scores.size(); ++b) {
        const double score = block_scores[b](i, c);
        joint += score == -infinity ? score : scale[static_cast<Index>(b)] * score;
      }
      row[static_cast<std::size_t>(c)] = joint;
      most = std::max(most, joint);
    }
    double sum = 0;
    for (Index c = 0; c < classes; ++c) {
      double& value = row[static_cast<std::size_t>(c)];
      value = std::exp(most == -infinity ? log_priors[static_cast<std::size_t>(c)] : value - most);
      sum += value;
    }
    for (double& value : row) value /= sum;
  }
  return result;
}

}  // namespace

CalibrationFit fit_calibration(std::span<const Matrix> block_scores, std::span<const Index> labels,
                               std::span<const double> weights, std::span<const double> log_priors,
                               const CalibrationOptions& options) {
  require_shapes(block_scores, labels, weights, log_priors, options);
  CalibrationLoss loss(block_scores, labels, weights, log_priors);
  const Index blocks = loss.blocks(), classes = std::ssize(log_priors);
  CalibrationFit fit;
  fit.rows = loss.total_weight();
  fit.impossible = loss.impossible();
  Vector parameters(loss.size());
  std::fill_n(parameters.begin(), blocks, 1.0);
  fit.log_loss_before = loss.mean_loss(parameters);
  if (loss.rows() > 0) parameters = BoundedNewton(loss, options.largest_scale).minimum();
  Vector offset(std::span<const double>(parameters.data() + blocks, classes));
  const double mean = offset.map().mean();  // 0, up to rounding
  for (double& number : offset) number -= mean;
  fit.log_loss = loss.mean_loss(parameters);
  fit.calibration = {.scale = Vector(std::span<const double>(parameters.data(), blocks)),
                     .offset = std::move(offset)};
  if (loss.rows() > 0)
    fit.calibration.thresholds = set_thresholds(
        posteriors_of(block_scores, fit.calibration.scale, fit.calibration.offset, log_priors),
        labels, weights);
  return fit;
}

}  // namespace suffice
