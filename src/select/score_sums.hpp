#pragma once
// Errors, log-losses and costs of rows whose class is known, added up.

#include <array>
#include <span>

#include "suffice/select/select.hpp"

namespace suffice {

/// Rows are counted by their weights.
struct ScoreSums {
  double rows = 0, errors = 0, impossible = 0;
  double log_loss = 0, log_loss_squares = 0;
  double cost = 0, cost_squares = 0;

  static constexpr Index size = 7;
  std::array<double, size> numbers() const;  ///< all members, for sums that travel
  static ScoreSums of(std::span<const double> numbers);

  void add(const ScoreSums& more);
  Score mean() const;
};

/// Decides and compares with the truth: positions of the rows' classes.
ScoreSums measure(const LogLikelihoods& scores, const Priors& priors, const Costs& costs,
                  std::span<const Index> truth, std::span<const double> weights,
                  const Execution& execution);

}  // namespace suffice
