#pragma once
// The error that no decision can avoid, if the model is right: of the rows that the model itself
// makes, the share that even the most probable class is wrong for,
//
//   1 − E[max_c P(c | x)],    x ~ Σ_c π_c p(· | c).
//
// What a model is measured to get wrong beyond that is its own fault.

#include <cstdint>

#include "suffice/core/execution.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

struct MinimumErrorOptions {
  std::uint64_t seed = 0;
  Index samples = 20000;  ///< rows of the model; fewer where scoring them takes long
};

struct MinimumError {
  double value = 0;
  /// An interval of 95 % for what the samples leave open; both are `value` where it is exact.
  double low = 0, high = 0;
};

/// Exact for two classes (of positive prior) with normal densities and one covariance: with their
/// distance Δ and λ = log π_b / π_a it is π_a Φ(λ/Δ − Δ/2) + π_b Φ(−λ/Δ − Δ/2). Otherwise the mean
/// over rows that are sampled from the model. Rows are complete, and the densities as they are,
/// without a calibration. Throws InvalidArgument for discriminative models, scores that are no
/// densities, and documents, of which a model does not know how long they are; Cancelled.
MinimumError minimum_error(const Model& model, const Priors& priors,
                           const MinimumErrorOptions& options = {},
                           const Execution& execution = {});

}  // namespace suffice
