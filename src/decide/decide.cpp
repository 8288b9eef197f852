#include "suffice/decide/decide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/constants.hpp"
#include "decide/for_rows.hpp"
#include "decide/same_labels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

struct Best {
  Index decided;
  double cost;
};

Index first_of_largest(const double* values, Index count) {
  return std::max_element(values, values + count) - values;
}

/// mass[c] = P(c | x) up to a common factor, 1 for the most probable class, which is returned.
Index posterior_masses(const double* score, const Priors& priors, Index classes, double* mass) {
  const double* log_prior = priors.log().data();
  for (Index c = 0; c < classes; ++c) mass[c] = score[c] + log_prior[c];
  Index best = first_of_largest(mass, classes);
  if (mass[best] == -infinity) {  // the row tells nothing: its posteriors are the priors
    std::copy_n(log_prior, classes, mass);
    best = first_of_largest(mass, classes);
  }
  const double largest = mass[best];
  for (Index c = 0; c < classes; ++c) mass[c] = std::exp(mass[c] - largest);
  return best;
}

/// With cost 1 for every mistake: the probability of all other classes, added up without that of
/// the best, which may be so near 1 that 1 − P is 0.
Best most_probable(const double* score, const Priors& priors, Index classes, double* mass) {
  const Index best = posterior_masses(score, priors, classes, mass);
  double others = 0;
  for (Index c = 0; c < best; ++c) others += mass[c];
  for (Index c = best + 1; c < classes; ++c) others += mass[c];
  return {best, others / (1 + others)};
}

/// Expected cost of each decision: Σ_c P(c | x) C(c, k).
Best cheapest(const double* score, const Priors& priors, const Matrix& costs, double* mass,
              double* expected) {
  const Index classes = costs.rows();
  posterior_masses(score, priors, classes, mass);
  double total = 0;
  std::fill_n(expected, classes, 0.0);
  for (Index c = 0; c < classes; ++c) {
    if (mass[c] == 0) continue;
    total += mass[c];
    const double* cost = costs.row(c).data();
    for (Index k = 0; k < classes; ++k) expected[k] += mass[c] * cost[k];
  }
  const Index best = std::min_element(expected, expected + classes) - expected;
  return {best, expected[best] / total};
}

void require_options(const DecideOptions& options, Index rows) {
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

/// `costs` null: 1 for every mistake.
Decisions decide_rows(const LogLikelihoods& scores, const Priors& priors, const Matrix* costs,
                      const DecideOptions& options, const Execution& execution) {
  const Index rows = scores.rows(), classes = scores.labels.size();
  require_options(options, rows);
  Decisions result{std::vector<Index>(static_cast<std::size_t>(rows)),
                   std::vector<Status>(static_cast<std::size_t>(rows), Status::ok), Vector(rows),
                   scores.labels};
  const auto decide_row = [&](Index i, double* mass, double* expected) {
    const auto at = static_cast<std::size_t>(i);
    const double* score = scores.values.row(i).data();
    Best best = costs ? cheapest(score, priors, *costs, mass, expected)
                      : most_probable(score, priors, classes, mass);
    if (options.outlier && options.outlier_scores[at] < *options.outlier) {
      result.status[at] = Status::outlier;
      best = {-1, std::numeric_limits<double>::quiet_NaN()};
    } else if (options.reject && best.cost > *options.reject) {
      result.status[at] = Status::reject;
      best = {-1, *options.reject};
    }
    result.classes[at] = best.decided;
    result.expected_cost[i] = best.cost;
  };
  for_rows(rows, execution, [&](Index first, Index last) {
    Vector mass(classes), expected(classes);
    for (Index i = first; i < last; ++i) decide_row(i, mass.data(), expected.data());
  });
  return result;
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::reject:
      return "reject";
    case Status::outlier:
      return "outlier";
  }
  return "unknown";
}

Decisions decide(const LogLikelihoods& scores, const Priors& priors, const Costs& costs,
                 const DecideOptions& options, const Execution& execution) {
  require_columns(scores);
  require_same_labels(scores.labels, "the scores", priors.labels(), "the priors");
  require_same_labels(scores.labels, "the scores", costs.labels(), "the costs");
  const bool zero_one = costs.matrix() == Costs::zero_one(costs.labels()).matrix();
  return decide_rows(scores, priors, zero_one ? nullptr : &costs.matrix(), options, execution);
}

Decisions decide(const LogLikelihoods& scores, const Priors& priors, const DecideOptions& options,
                 const Execution& execution) {
  require_columns(scores);
  require_same_labels(scores.labels, "the scores", priors.labels(), "the priors");
  return decide_rows(scores, priors, nullptr, options, execution);
}

}  // namespace suffice
