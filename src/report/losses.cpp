#include "report/losses.hpp"

#include <cmath>

namespace suffice {

// The probability of all other classes is added up by itself: where the posterior is nearly 1,
// 1 − P is not.
Losses losses_of(const RowPosterior& posterior, const double* score, const Priors& priors,
                 Index truth) {
  const Vector& mass = posterior.mass();
  const double log_prior = priors.log()[truth];
  const double of_truth =
      (posterior.tells_nothing() ? log_prior : score[truth] + log_prior) - posterior.log_best();
  double others = 0, squares = 0;
  for (Index c = 0; c < mass.size(); ++c) {
    if (c == truth) continue;
    others += mass[c];
    squares += mass[c] * mass[c];
  }
  const double total = 1 + posterior.others();
  return {std::log1p(posterior.others()) - of_truth, (others * others + squares) / (total * total)};
}

}  // namespace suffice
