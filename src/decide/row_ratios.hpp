#pragma once
// Log-likelihood ratios of one row: each class against the prior-weighted mean of the others.

#include "decide/row_decision.hpp"

namespace suffice {

/// a − b; 0 for −inf − (−inf).
inline double log_ratio(double a, double b) { return a == b ? 0 : a - b; }

/// Below this a sum of masses (of the classes other than the best, RowPosterior) may have lost
/// digits to underflow.
inline constexpr double least_mass = 1e-280;

/// log Σ π_k p(x | k) of all classes but the best, relative to the second: relative to the best it
/// underflows.
double log_rest_by_second(const double* score, const Priors& priors, Index best);

/// log Σ π_k over the classes other than c, by which a sum over them becomes a mean; −inf where
/// they are ruled out.
Vector log_of_other_priors(const Priors& priors);

/// out[c] = log p(x | c) − log(Σ_{k≠c} π_k p(x | k) / Σ_{k≠c} π_k). `posterior` is that of the
/// scores; `out` may be the scores.
void ratios_of_row(const double* score, const RowPosterior& posterior, const Priors& priors,
                   const Vector& log_others, double* out);

}  // namespace suffice
