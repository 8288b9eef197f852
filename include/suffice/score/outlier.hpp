#pragma once
// How unusual is a row? The score is the probability that the model itself, a mixture of its
// classes with the given probabilities, makes a row whose density is as low as this one's. So
// "score < 0.001" calls one in a thousand of the model's own rows an outlier.
//
// For one Gaussian class the score is the chi-squared tail of the Mahalanobis distance. Otherwise
// it is the share of rows, sampled from the model with a fixed seed, that are less probable; below
// the resolution of the sample a Gaussian block still has the chi-squared bound
//   P(p(X) ≤ t) ≤ Σ_c π_c P(χ²_d ≥ 2 (log π_c + log N_c(m_c) − log t)).
// A row is compared with rows that lack the same features, and have documents of the same length.

#include <cstdint>
#include <span>

#include "suffice/score/log_likelihood.hpp"

namespace suffice {

struct OutlierOptions {
  std::uint64_t seed = 0;
  Index samples = 20000;  ///< rows of the model to compare with
};

/// One score in [0, 1] a row. `scores` are log_likelihood(model, rows), not relative ones;
/// `mixture` the probabilities of the classes (the priors of the decision).
Vector outlier_score(const Model& model, const RowBlock& rows, const LogLikelihoods& scores,
                     std::span<const double> mixture, const OutlierOptions& options = {},
                     const Execution& execution = {});

}  // namespace suffice
