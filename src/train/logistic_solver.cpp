#include "train/logistic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algebra/blas.hpp"
#include "core/constants.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Contrasts × terms up to which the whole curvature is worth having: 64 MB.
constexpr Index most_parameters = 2896;
/// The same for terms alone.
constexpr Index most_shared_terms = 2896;
/// A mean change of the log-odds above which the curvature is made anew.
constexpr double far_step = 0.02;

double largest_of(const Vector& numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  return largest;
}

/// L Lᵀ x = b, in place.
void solve_lower(const Matrix& lower, double* x) {
  const Index n = lower.rows();
  for (Index i = 0; i < n; ++i) {
    const double* row = lower.row(i).data();
    double sum = x[i];
    for (Index j = 0; j < i; ++j) sum -= row[j] * x[j];
    x[i] = sum / row[i];
  }
  for (Index i = n; i-- > 0;) {
    const double* row = lower.row(i).data();
    x[i] /= row[i];
    for (Index j = 0; j < i; ++j) x[j] -= row[j] * x[i];
  }
}

}  // namespace

CurvatureFactor::CurvatureFactor(Curvature kind, Matrix curvature, const Vector& penalty,
                                 Index contrasts)
    : kind_(kind) {
  const Index q = penalty.size();
  if (kind == Curvature::diagonal) {
    for (Index a = 0; a < contrasts; ++a)
      for (Index j = 0; j < q; ++j) {
        double& of = curvature(0, a * q + j);
        of += penalty[j];
        if (!(of > 0)) of = 1;
      }
    const double mean = curvature.map().mean();
    for (double& of : std::span(curvature.data(), static_cast<std::size_t>(curvature.size())))
      of = std::max(of, 1e-8 * mean);
    factor_ = std::move(curvature);
    return;
  }
  const Index n = curvature.rows();
  Vector diagonal(n);
  for (Index i = 0; i < n; ++i) {
    diagonal[i] = curvature(i, i) + penalty[i % q];
    if (!(diagonal[i] > 0)) diagonal[i] = 1;  // a term that is constant
  }
  for (double ridge = 1e-11;; ridge *= 100) {
    factor_ = curvature;
    for (Index i = 0; i < n; ++i) factor_(i, i) = diagonal[i] * (1 + ridge);
    if (blas::cholesky(n, factor_.data(), n) == n) {
      regular_ = ridge == 1e-11;
      for (Index i = 0; i < n && regular_; ++i)
        regular_ = factor_(i, i) * factor_(i, i) > 1e-9 * diagonal[i];
      return;
    }
    if (!(ridge < 1e9)) throw DataError("the curvature of the loss is no number");
  }
}

void CurvatureFactor::solve(Vector& of) const {
  if (kind_ == Curvature::diagonal) {
    for (Index i = 0; i < of.size(); ++i) of[i] /= factor_(0, i);
    return;
  }
  for (Index first = 0; first < of.size(); first += factor_.rows())
    solve_lower(factor_, of.data() + first);
}

Matrix CurvatureFactor::inverse() const {
  const Index n = factor_.rows();
  Matrix lower = factor_, result(n, n);
  blas::invert_lower(n, lower.data(), n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) lower(i, j) = 0;
  blas::gemm_tn(n, n, n, 1, lower.data(), n, lower.data(), n, 0, result.data(), n);
  return result;
}

Curvature LogisticSolver::curvature_of(Index classes, Index terms) {
  if ((classes - 1) * terms <= most_parameters) return Curvature::full;
  return terms <= most_shared_terms ? Curvature::shared : Curvature::diagonal;
}

LogisticSolver::LogisticSolver(Index classes, Index terms, LogisticGoal goal, Vector start)
    : classes_(classes),
      terms_(terms),
      goal_(std::move(goal)),
      kind_(curvature_of(classes, terms)),
      contrasts_(contrasts(classes)),
      u_(std::move(start)),
      lowest_derivative_(infinity) {
  memory_ = static_cast<std::size_t>(std::clamp<Index>(20000000 / u_.size(), 5, 20));
  trial_ = u_;
  trial_weights_ = weights_of(trial_);
}

Matrix LogisticSolver::weights_of(const Vector& u) const {
  Matrix weights(classes_, terms_);
  blas::gemm(classes_, terms_, classes_ - 1, 1, contrasts_.data(), classes_ - 1, u.data(), terms_,
             0, weights.data(), terms_);
  return weights;
}

Vector LogisticSolver::gradient_of(const LogisticSums& sums, const Vector& u) const {
  Vector gradient(u.size());
  blas::gemm_tn(classes_ - 1, terms_, classes_, 1, contrasts_.data(), classes_ - 1,
                sums.gradient.data(), terms_, 0, gradient.data(), terms_);
  for (Index i = 0; i < u.size(); ++i) gradient[i] += goal_.penalty[i % terms_] * u[i];
  return gradient;
}

double LogisticSolver::objective(const LogisticSums& sums, const Vector& u) const {
  double penalty = 0;
  for (Index i = 0; i < u.size(); ++i) penalty += goal_.penalty[i % terms_] * u[i] * u[i];
  return sums.loss + 0.5 * penalty;
}

bool LogisticSolver::is_penalised() const {
  return std::ranges::any_of(goal_.penalty, [](double penalty) { return penalty > 0; });
}

LogisticPoint LogisticSolver::point(Index fold) const {
  return {.weights = &trial_weights_,
          .fold = fold,
          .curvature = wants_curvature_ ? kind_ : Curvature::none};
}

void LogisticSolver::tell(LogisticSums sums) {
  ++iterations_;
  const double value = objective(sums, trial_);
  Vector gradient = gradient_of(sums, trial_);
  if (!started_) {
    if (!std::isfinite(value)) {
      done_ = true;
      return;
    }
    started_ = true;
    accept(std::move(sums), value, std::move(gradient));
    return;
  }
  const double slope = gradient.map().dot(direction_.map());
  const double noise = 1e-12 * std::abs(objective_);
  // A convex function that still falls at the end of a step has fallen all the way.
  const bool good = std::isfinite(value) &&
                    (slope <= 0 || value <= objective_ + 1e-4 * step_ * slope_ ||
                     (value <= objective_ + noise && std::abs(slope) <= 0.5 * std::abs(slope_)));
  if (good) {
    cuts_ = 0;
    accept(std::move(sums), value, std::move(gradient));
    return;
  }
  if (++cuts_ > 40 || iterations_ >= goal_.iterations) {
    // Rounding hides any further descent.
    done_ = true;
    converged_ = lowest_derivative_ <= 1e-6;
    return;
  }
  const double share = std::isfinite(value) && std::isfinite(slope) && slope > slope_
                           ? slope_ / (slope_ - slope)
                           : 0.25;
  step_ *= std::clamp(share, 0.1, 0.7);
  trial_ = u_;
  trial_.map() += step_ * direction_.map();
  trial_weights_ = weights_of(trial_);
}

void LogisticSolver::accept(LogisticSums sums, double value, Vector gradient) {
  if (!sums.curvature.empty()) {
    factor_ = CurvatureFactor(kind_, std::move(sums.curvature), goal_.penalty, classes_ - 1);
    pairs_.clear();
  } else if (!gradient_.empty()) {
    Pair pair{trial_, gradient, 0};
    pair.s.map() -= u_.map();
    pair.y.map() -= gradient_.map();
    pair.product = pair.s.map().dot(pair.y.map());
    if (pair.product > 0) {
      pairs_.push_back(std::move(pair));
      if (pairs_.size() > memory_) pairs_.pop_front();
    }
  }
  u_ = trial_;
  objective_ = value;
  gradient_ = std::move(gradient);
  sums_ = std::move(sums);
  sums_.curvature = {};
  sums_.gradient = {};
  next_step();
}

Vector LogisticSolver::direction() const {
  Vector q = gradient_;
  std::vector<double> alpha(pairs_.size());
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    alpha[i] = pairs_[i].s.map().dot(q.map()) / pairs_[i].product;
    q.map() -= alpha[i] * pairs_[i].y.map();
  }
  double scale = 1;
  if (kind_ != Curvature::full && !pairs_.empty()) {
    Vector y = pairs_.back().y;
    factor_.solve(y);
    scale = pairs_.back().product / pairs_.back().y.map().dot(y.map());
  }
  factor_.solve(q);
  q.map() *= scale;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double beta = pairs_[i].y.map().dot(q.map()) / pairs_[i].product;
    q.map() += (alpha[i] - beta) * pairs_[i].s.map();
  }
  q.map() *= -1;
  return q;
}

void LogisticSolver::next_step() {
  direction_ = direction();
  slope_ = gradient_.map().dot(direction_.map());
  if (!(slope_ < 0) && !pairs_.empty()) {
    pairs_.clear();
    direction_ = direction();
    slope_ = gradient_.map().dot(direction_.map());
  }
  const double weight = sums_.weight;
  const double derivative = largest_of(gradient_) / weight;
  const double move = largest_of(direction_), decrease = -slope_ / weight;
  idle_ = derivative < 0.9 * lowest_derivative_ ? 0 : idle_ + 1;
  lowest_derivative_ = std::min(lowest_derivative_, derivative);
  const bool small_derivative = derivative <= goal_.tolerance;
  if (!(slope_ < 0) || decrease <= goal_.decrease) {
    done_ = converged_ = true;
  } else if (goal_.decrease == 0) {
    const bool small_move = kind_ == Curvature::diagonal || move <= 1e-8 * (1 + largest_of(u_));
    done_ = converged_ = small_derivative && small_move;
    // Weights that still move where nothing is left to gain grow without bound.
    growing_ = small_derivative && move > 1e-2 && !is_penalised() ? growing_ + 1 : 0;
    if (growing_ >= 3 || (sums_.wrong == 0 && sums_.loss <= 1e-9 * weight && !is_penalised()))
      done_ = converged_ = separable_ = true;
    if (!done_ && idle_ >= 20 && derivative <= 1e-7) done_ = converged_ = true;
  }
  if (iterations_ >= goal_.iterations) done_ = true;
  if (done_) return;
  wants_curvature_ = std::sqrt(decrease) > far_step;
  if (kind_ != Curvature::full && !pairs_.empty() && std::sqrt(decrease) < 10 * far_step)
    wants_curvature_ = false;
  step_ = 1;
  trial_ = u_;
  trial_.map() += direction_.map();
  trial_weights_ = weights_of(trial_);
}

}  // namespace suffice
