#include "evaluate/losses.hpp"

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"

namespace suffice {

// From one exponential per class. The probability of all others is added up by itself: where the
// posterior is nearly 1, 1 − P is not.
Losses losses_of(const double* score, const Priors& priors, Index classes, Index truth,
                 double* mass) {
  const double* log_prior = priors.log().data();
  Index best = 0;
  for (Index c = 0; c < classes; ++c) {
    mass[c] = score[c] + log_prior[c];
    if (mass[c] > mass[best]) best = c;
  }
  if (mass[best] == -infinity) {  // the row tells nothing: its posteriors are the priors
    std::copy_n(log_prior, classes, mass);
    best = std::max_element(mass, mass + classes) - mass;
  }
  const double largest = mass[best], of_truth = mass[truth] - largest;
  double but_best = 0, but_truth = 0;
  for (Index c = 0; c < classes; ++c) {
    mass[c] = std::exp(mass[c] - largest);
    but_best += c == best ? 0 : mass[c];
    but_truth += c == truth ? 0 : mass[c];
  }
  double squares = but_truth * but_truth;
  for (Index c = 0; c < classes; ++c) squares += c == truth ? 0 : mass[c] * mass[c];
  const double total = 1 + but_best;
  return {std::log1p(but_best) - of_truth, squares / (total * total)};
}

}  // namespace suffice
