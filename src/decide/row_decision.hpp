#pragma once
// One row's posteriors and the decision by them: what decide works out for each row, and Evaluator
// besides its losses.

#include <optional>

#include "suffice/core/matrix.hpp"
#include "suffice/decide/decide.hpp"

namespace suffice {

/// P(c | x) up to a common factor. Where the row tells nothing (every class has the density 0),
/// these are the priors.
class RowPosterior {
 public:
  explicit RowPosterior(Index classes) : mass_(classes) {}

  /// One exponential per class.
  void set(const double* score, const Priors& priors);

  Index best() const noexcept { return best_; }  ///< the most probable class, first of equals
  /// 1 for the best class.
  const Vector& mass() const noexcept { return mass_; }
  /// The mass of all other classes. 1 − P(best) would lose it where P is nearly 1.
  double others() const noexcept { return others_; }
  /// log π_c p(x | c) of the best class.
  double log_best() const noexcept { return log_best_; }
  bool tells_nothing() const noexcept { return tells_nothing_; }

 private:
  Vector mass_;
  Index best_ = 0;
  double others_ = 0, log_best_ = 0;
  bool tells_nothing_ = false;
};

struct RowDecision {
  Index decided;  ///< −1: none
  Status status;
  double expected_cost;
};

class RowDecider {
 public:
  /// No costs: 1 for every mistake. Refers to its arguments.
  /// Throws InvalidArgument where an option is impossible.
  RowDecider(const Priors& priors, const Costs* costs, const DecideOptions& options, Index rows);

  /// Room for one row.
  struct Scratch {
    explicit Scratch(Index classes) : posterior(classes), expected(classes) {}
    RowPosterior posterior;
    Vector expected;
  };
  /// Leaves the posterior in `scratch`.
  RowDecision operator()(const double* score, Index row, Scratch& scratch) const;
  bool is_outlier(Index row) const {
    return options_.outlier && options_.outlier_scores[row] < *options_.outlier;
  }

 private:
  RowDecision cheapest(Scratch& scratch) const;

  const Priors& priors_;
  const Matrix* costs_;  // null: 1 for every mistake
  DecideOptions options_;
};

}  // namespace suffice
