#include "decide/row_decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/constants.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

void RowPosterior::set(const double* score, const Priors& priors) {
  const Index classes = mass_.size();
  const double* log_prior = priors.log().data();
  double* mass = mass_.data();
  for (Index c = 0; c < classes; ++c) mass[c] = score[c] + log_prior[c];
  best_ = std::max_element(mass, mass + classes) - mass;
  tells_nothing_ = mass[best_] == -infinity;
  if (tells_nothing_) {
    std::copy_n(log_prior, classes, mass);
    best_ = std::max_element(mass, mass + classes) - mass;
  }
  log_best_ = mass[best_];
  others_ = 0;
  for (Index c = 0; c < classes; ++c) {
    mass[c] = std::exp(mass[c] - log_best_);
    others_ += c == best_ ? 0 : mass[c];
  }
}

RowDecider::RowDecider(const Priors& priors, const Costs* costs, const DecideOptions& options,
                       Index rows)
    : priors_(priors), costs_(costs ? &costs->matrix() : nullptr), options_(options) {
  if (costs && costs->matrix() == Costs::zero_one(costs->labels()).matrix()) costs_ = nullptr;
  if (options.reject && std::isnan(*options.reject))
    throw InvalidArgument("the cost of rejection is not a number");
  if (!options.outlier) return;
  if (!(*options.outlier >= 0 && *options.outlier <= 1))
    throw InvalidArgument("the outlier threshold is " + name_of(*options.outlier),
                          "it is a probability between 0 and 1");
  if (static_cast<Index>(options.outlier_scores.size()) != rows)
    throw InvalidArgument("an outlier threshold needs an outlier score for each of the " +
                              std::to_string(rows) + " rows, but there are " +
                              std::to_string(options.outlier_scores.size()),
                          "give those of outlier_score");
}

RowDecision RowDecider::operator()(const double* score, Index row, Scratch& scratch) const {
  scratch.posterior.set(score, priors_);
  if (is_outlier(row)) return {-1, Status::outlier, std::numeric_limits<double>::quiet_NaN()};
  const RowDecision best = cheapest(scratch);
  if (options_.reject && best.expected_cost > *options_.reject)
    return {-1, Status::reject, *options_.reject};
  return best;
}

/// Expected cost of each decision: Σ_c P(c | x) C(c, k). With cost 1 for every mistake it is the
/// probability of the other classes.
RowDecision RowDecider::cheapest(Scratch& scratch) const {
  const RowPosterior& posterior = scratch.posterior;
  if (!costs_) return {posterior.best(), Status::ok, posterior.others() / (1 + posterior.others())};
  const Index classes = costs_->rows();
  const Vector& mass = posterior.mass();
  double* expected = scratch.expected.data();
  double total = 0;
  std::fill_n(expected, classes, 0.0);
  for (Index c = 0; c < classes; ++c) {
    if (mass[c] == 0) continue;
    total += mass[c];
    const double* cost = costs_->row(c).data();
    for (Index k = 0; k < classes; ++k) expected[k] += mass[c] * cost[k];
  }
  const Index best = std::min_element(expected, expected + classes) - expected;
  return {best, Status::ok, expected[best] / total};
}

}  // namespace suffice
