#pragma once
// Posteriors and ratios in memory that is there already. `to` may be the matrix of the scores;
// otherwise it gets their shape. Labels have been compared.

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/decide/priors.hpp"

namespace suffice {

/// As posteriors, or with `log` as log_posteriors.
void posteriors_into(Matrix& to, const Matrix& scores, const Priors& priors, bool log,
                     const Execution& execution);

/// As log_likelihood_ratios. For two classes `to` cannot be the scores.
void ratios_into(Matrix& to, const Matrix& scores, const Priors& priors,
                 const Execution& execution);

}  // namespace suffice
