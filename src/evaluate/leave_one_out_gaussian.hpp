#pragma once
// A Gaussian block without one of its rows: full and tied covariances, and those that take features
// one by one.

#include <span>
#include <vector>

#include "evaluate/leave_one_out.hpp"
#include "models/gaussian_estimate.hpp"

namespace suffice {

/// A row of a tile and what leaves with it.
struct TakenRow {
  Index label = -1;
  double weight = 0;
  Index row = 0;  ///< its number, for messages
  /// It lacks a value, or is to be scored in another way.
  bool skip = false;
};

class GaussianRest {
 public:
  struct Workspace {
    virtual ~Workspace() = default;
  };

  virtual ~GaussianRest() = default;
  virtual std::unique_ptr<Workspace> workspace() const = 0;
  /// Values of the used features, count × used, complete; scores are count × K. Rows that are to be
  /// skipped get none.
  virtual void score(const double* values, Index stride, Index count, const TakenRow* rows,
                     Workspace& workspace, double* scores) const = 0;
  /// One row, which may lack values, without a shortcut; K scores.
  virtual void score_one(const double* x, const TakenRow& row, double* scores) const = 0;
  /// Whether a row that lacks values leaves something behind.
  virtual bool counts_incomplete_rows() const = 0;
  /// Of fewer features: positions among the used ones.
  virtual std::unique_ptr<GaussianRest> only(std::span<const Index> kept) const = 0;
};

std::unique_ptr<GaussianRest> make_dense_rest(const RestInput& input);
std::unique_ptr<GaussianRest> make_diagonal_rest(const RestInput& input);

/// Removing weight u from a weight W and a mean m: x − m becomes g (x − m), and the scatter loses
/// a (x − m)(x − m)ᵀ.
struct Removal {
  double a = 0, g = 1;
  /// Of the whole weight there is nothing else to change: the row was all of it.
  static Removal of(double whole, double part) {
    const double left = rest(whole, part);
    if (!(left > 0)) return {};
    return {whole * (part / left), whole / left};
  }
};

/// The covariance of a class is scale · M for some matrix M; Student's t where there are degrees of
/// freedom.
struct Spread {
  double scale = 1, dof = 0;

  /// Of log p, for n features; but for q and log det M.
  double constant(Index n) const {
    const double half = 0.5 * static_cast<double>(n);
    return -half * (log_2pi + std::log(scale)) + (dof > 0 ? log_gamma_excess(dof / 2, half) : 0);
  }
  /// What the quadratic form q by M⁻¹ adds.
  double of_distance(double q, Index n) const {
    if (!(dof > 0)) return -0.5 * q / scale;
    return -0.5 * (dof + static_cast<double>(n)) * std::log1p(q / (scale * dof));
  }

  /// M = S + v T, where S has these degrees of freedom, v are `rows`, and the mean is known from
  /// `weight`.
  static Spread of_posterior(const Posterior& of, Inference estimate, double weight) {
    const bool bayes = estimate == Inference::bayes;
    return {of.factor(estimate) * (bayes ? 1 + 1 / weight : 1), bayes ? of.predictive_dof() : 0};
  }
};

/// For messages: "without row 7 (class 'a')".
std::string without_row(const Names& labels, const TakenRow& row);

}  // namespace suffice
