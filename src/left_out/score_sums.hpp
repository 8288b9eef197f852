#pragma once
// Errors, log-losses and costs of rows whose class is known, added up.

#include <array>
#include <span>

#include "left_out/held_out.hpp"
#include "suffice/left_out/selection.hpp"

namespace suffice {

/// Rows are counted by their weights. The losses are those of rows whose own class is possible.
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

/// Decides and compares with the truth. Rows that do not count, or have no score, are left out.
/// `losses`, unless null, is filled with the log-loss of each row; NaN: it was left out.
ScoreSums measure(const LogLikelihoods& scores, const Priors& priors, const Costs& costs,
                  const LeftOutRows& rows, Vector* losses = nullptr);

}  // namespace suffice
