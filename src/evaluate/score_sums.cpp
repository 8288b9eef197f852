#include "evaluate/score_sums.hpp"

#include <cmath>

#include "evaluate/losses.hpp"

namespace suffice {

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
  const Decisions decisions = decide(scores, priors, costs, {}, execution);
  const Index classes = scores.labels.size();
  Vector mass(classes);
  ScoreSums sums;
  for (Index i = 0; i < scores.rows(); ++i) {
    const Index decided = decisions.classes[i];
    const double weight = weights[i], cost = costs(truth[i], decided);
    const double loss =
        losses_of(scores.values.row(i).data(), priors, classes, truth[i], mass.data()).log_loss;
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
