#include "select/score_sums.hpp"

#include <cmath>
#include <vector>

#include "decide/for_rows.hpp"
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
          .log_loss = log_loss / rows,
          .cost = cost / rows,
          .impossible = impossible};
}

ScoreSums measure(const LogLikelihoods& scores, const Priors& priors, const Costs& costs,
                  std::span<const Index> truth, std::span<const double> weights,
                  const Execution& execution) {
  const Index rows = scores.rows();
  struct Answer {
    Index decided;
    double log_loss;
  };
  std::vector<Answer> answers(static_cast<std::size_t>(rows));
  const RowDecider decide(priors, &costs, {}, rows);
  for_rows(rows, scores.labels.size(), execution, [&](Index first, Index last) {
    RowDecider::Scratch scratch(scores.labels.size());
    for (Index i = first; i < last; ++i) {
      const double* score = scores.values.row(i).data();
      const Index decided = decide(score, i, scratch).decided;
      answers[i] = {decided, losses_of(scratch.posterior, score, priors, truth[i]).log_loss};
    }
  });
  ScoreSums sums;
  for (Index i = 0; i < rows; ++i) {
    const auto [decided, loss] = answers[i];
    const double weight = weights[i], cost = costs(truth[i], decided);
    sums.rows += weight;
    sums.errors += decided == truth[i] ? 0 : weight;
    sums.impossible += std::isfinite(loss) ? 0 : weight;
    sums.log_loss += weight * loss;
    sums.log_loss_squares += weight * loss * loss;
    sums.cost += weight * cost;
    sums.cost_squares += weight * cost * cost;
  }
  return sums;
}

}  // namespace suffice
