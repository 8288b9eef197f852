#include "decide/row_ratios.hpp"

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"

namespace suffice {

double log_rest_by_second(const double* score, const Priors& priors, Index best) {
  const Vector& log_prior = priors.log();
  double second = -infinity;
  for (Index c = 0; c < log_prior.size(); ++c)
    if (c != best) second = std::max(second, score[c] + log_prior[c]);
  if (second == -infinity) return -infinity;
  double sum = 0;
  for (Index c = 0; c < log_prior.size(); ++c)
    if (c != best) sum += std::exp(score[c] + log_prior[c] - second);
  return second + std::log(sum);
}

Vector log_of_other_priors(const Priors& priors) {
  const Index classes = priors.labels().size();
  Vector result(classes);
  for (Index c = 0; c < classes; ++c) {
    double others = 0;
    for (Index k = 0; k < classes; ++k)
      if (k != c) others += priors[k];
    result[c] = std::log(others);
  }
  return result;
}

// Every class other than the best has the best among its others, so that taking its own mass out
// of the sum loses no digits.
void ratios_of_row(const double* score, const RowPosterior& posterior, const Priors& priors,
                   const Vector& log_others, double* out) {
  const Index classes = log_others.size();
  if (posterior.tells_nothing()) {
    for (Index c = 0; c < classes; ++c) out[c] = log_ratio(score[c], -infinity);
    return;
  }
  const Index best = posterior.best();
  const double others = posterior.others(), total = 1 + others;
  const double log_rest = others > least_mass ? posterior.log_best() + std::log(others)
                                              : log_rest_by_second(score, priors, best);
  for (Index c = 0; c < classes; ++c) {
    const double log_sum =
        c == best ? log_rest : posterior.log_best() + std::log(total - posterior.mass()[c]);
    out[c] = log_ratio(score[c], log_sum - log_others[c]);
  }
}

}  // namespace suffice
