#pragma once
// What a row costs whose class is known.

#include "decide/row_decision.hpp"

namespace suffice {

struct Losses {
  double log_loss = 0, brier = 0;
};

/// −log P(truth | x) and Σ_c (P(c | x) − [c is true])². `posterior` is that of `score`, which has
/// log p(x | c) of the classes.
Losses losses_of(const RowPosterior& posterior, const double* score, const Priors& priors,
                 Index truth);

}  // namespace suffice
