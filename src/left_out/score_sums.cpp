#include "left_out/score_sums.hpp"

#include <cmath>
#include <limits>

#include "core/constants.hpp"
#include "decide/row_decision.hpp"
#include "report/losses.hpp"

namespace suffice {

std::array<double, ScoreSums::size> ScoreSums::numbers() const {
  return {rows, errors, impossible, log_loss, log_loss_squares, cost, cost_squares};
}

ScoreSums ScoreSums::of(std::span<const double> n) {
  return {.rows = n[0],
          .errors = n[1],
          .impossible = n[2],
          .log_loss = n[3],
          .log_loss_squares = n[4],
          .cost = n[5],
          .cost_squares = n[6]};
}

void ScoreSums::add(const ScoreSums& more) {
  rows += more.rows;
  errors += more.errors;
  impossible += more.impossible;
  log_loss += more.log_loss;
  log_loss_squares += more.log_loss_squares;
  cost += more.cost;
  cost_squares += more.cost_squares;
}

Score ScoreSums::mean() const {
  return {.rows = rows,
          .error_rate = errors / rows,
          .log_loss = impossible > 0 ? infinity : log_loss / rows,
          .cost = cost / rows,
          .impossible = impossible};
}

ScoreSums measure(const LogLikelihoods& scores, const Priors& priors, const Costs& costs,
                  const LeftOutRows& rows, Vector* losses) {
  const RowDecider decide(priors, &costs, {}, scores.rows());
  RowDecider::Scratch scratch(scores.labels.size());
  ScoreSums sums;
  if (losses) *losses = Vector(rows.size());
  for (Index i = 0; i < rows.size(); ++i) {
    const Index truth = rows.truth[i];
    const double* score = scores.values.row(i).data();
    double loss = std::numeric_limits<double>::quiet_NaN();
    if (truth >= 0 && !std::isnan(score[truth])) {
      const Index decided = decide(score, i, scratch).decided;
      loss = losses_of(scratch.posterior, score, priors, truth).log_loss;
      const double weight = rows.weights[i], cost = costs(truth, decided);
      sums.rows += weight;
      sums.errors += decided == truth ? 0 : weight;
      sums.cost += weight * cost;
      sums.cost_squares += weight * cost * cost;
      if (std::isfinite(loss)) {
        sums.log_loss += weight * loss;
        sums.log_loss_squares += weight * loss * loss;
      } else {
        sums.impossible += weight;
      }
    }
    if (losses) (*losses)[i] = loss;
  }
  return sums;
}

}  // namespace suffice
