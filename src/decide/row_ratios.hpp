#pragma once
// Log-likelihood ratios of one row: each class against the prior-weighted mean of the others.

#include "decide/row_decision.hpp"

namespace suffice {

/// a − b, where −inf − (−inf) tells nothing.
inline double log_ratio(double a, double b) { return a == b ? 0 : a - b; }

/// log Σ π_k over the classes other than c, by which a sum over them becomes a mean; −inf where
/// they are ruled out.
Vector log_of_other_priors(const Priors& priors);

/// out[c] = log p(x | c) − log(Σ_{k≠c} π_k p(x | k) / Σ_{k≠c} π_k). `posterior` is that of the
/// scores; `out` may be the scores.
void ratios_of_row(const double* score, const RowPosterior& posterior, const Priors& priors,
                   const Vector& log_others, double* out);

}  // namespace suffice
