#pragma once
// Probabilities of the classes given a row, under priors; densities and ratios of likelihoods.

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

// These four take rows on the threads of `execution` and throw InvalidArgument where labels differ,
// Cancelled. Those that take their scores by value answer in the scores' own memory:
// posteriors(std::move(scores), priors) makes no second n × K matrix.

/// n × K. A row that is impossible under every class with a prior (log p(x) = −inf) is no evidence:
/// its posteriors are the priors.
Matrix posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution = {});
/// log P(c | x), n × K: right where the posterior itself underflows.
Matrix log_posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution = {});
/// log p(x) = log Σ_c π_c p(x | c). Throws InvalidArgument for relative scores.
Vector log_density(const LogLikelihoods& scores, const Priors& priors,
                   const Execution& execution = {});
/// n × K: log p(x | c) minus the log of the prior-weighted mean of the other classes; for two
/// classes n × 1: the first over the second. 0 where both sides are impossible (−inf).
/// Throws InvalidArgument for one class, and for three or more where one has the prior 1: the
/// others have no mean then.
Matrix log_likelihood_ratios(LogLikelihoods scores, const Priors& priors,
                             const Execution& execution = {});

}  // namespace suffice
