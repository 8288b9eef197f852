#pragma once
// What a row costs whose class is known.

#include "suffice/decide/decide.hpp"

namespace suffice {

struct Losses {
  double log_loss = 0, brier = 0;
};

/// −log P(truth | x) and Σ_c (P(c | x) − [c is true])². `score` has log p(x | c) of the classes,
/// `mass` room for as many numbers.
Losses losses_of(const double* score, const Priors& priors, Index classes, Index truth,
                 double* mass);

}  // namespace suffice
