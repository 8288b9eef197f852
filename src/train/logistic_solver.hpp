#pragma once
// The minimum of a penalised log-loss. The caller computes the loss and its derivatives at the
// weights that the solver asks for, so that several solvers can share a pass over the rows.
//
// Steps are those of L-BFGS that begins with the curvature of the loss: of all contrasts where that
// is a matrix of moderate size (then they are Newton's steps while the weights still move much),
// otherwise of the terms alone, or of each by itself. A step that does not lower the loss is cut.

#include <deque>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "train/logistic_pass.hpp"

namespace suffice {

/// What approximates the curvature: a Cholesky factor, or a diagonal.
class CurvatureFactor {
 public:
  CurvatureFactor() = default;
  /// `penalty` is per term; contrasts × terms numbers are solved for.
  CurvatureFactor(Curvature kind, Matrix curvature, const Vector& penalty, Index contrasts);

  bool empty() const noexcept { return factor_.empty(); }
  /// By its inverse, in place.
  void solve(Vector& of) const;
  /// Full only.
  Matrix inverse() const;
  /// Whether no more than rounding had to be added for a positive definite matrix; full only.
  bool is_regular() const noexcept { return regular_; }

 private:
  Curvature kind_ = Curvature::none;
  Matrix factor_;  ///< lower triangular; or 1 × N
  bool regular_ = true;
};

struct LogisticGoal {
  Vector penalty;        ///< per term, 0 for the intercept
  double tolerance = 0;  ///< the largest derivative, over the weight of the rows
  double decrease = 0;   ///< enough where no step lowers the loss by more, per row; 0: precise
  Index iterations = 1000;
};

class LogisticSolver {
 public:
  /// `start` has contrasts × terms numbers.
  LogisticSolver(Index classes, Index terms, LogisticGoal goal, Vector start);

  /// Curvature of contrasts that is worth having for such a shape.
  static Curvature curvature_of(Index classes, Index terms);

  /// Where sums are wanted, until it is done.
  LogisticPoint point(Index fold) const;
  void tell(LogisticSums sums);

  bool is_done() const noexcept { return done_; }
  bool converged() const noexcept { return converged_; }
  bool separable() const noexcept { return separable_; }
  const Vector& solution() const noexcept { return u_; }
  /// Weights of the solution, classes × terms.
  Matrix weights() const { return weights_of(u_); }
  /// What the sums were there, without matrices.
  const LogisticSums& sums() const noexcept { return sums_; }

 private:
  struct Pair {
    Vector s, y;
    double product;
  };
  Matrix weights_of(const Vector& u) const;
  Vector gradient_of(const LogisticSums& sums, const Vector& u) const;
  double objective(const LogisticSums& sums, const Vector& u) const;
  void accept(LogisticSums sums, double objective, Vector gradient);
  Vector direction() const;
  void next_step();
  bool is_penalised() const;

  Index classes_, terms_;
  LogisticGoal goal_;
  Curvature kind_;
  Matrix contrasts_;
  std::size_t memory_;
  Vector u_, gradient_, direction_, trial_;
  Matrix trial_weights_;
  CurvatureFactor factor_;
  std::deque<Pair> pairs_;
  LogisticSums sums_;
  double objective_ = 0, slope_ = 0, step_ = 1, lowest_derivative_;
  bool wants_curvature_ = true, started_ = false;
  bool done_ = false, converged_ = false, separable_ = false;
  Index iterations_ = 0, cuts_ = 0, idle_ = 0, growing_ = 0;
};

}  // namespace suffice
