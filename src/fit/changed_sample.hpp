#pragma once
// A sample of rows with fewer columns, or other weights.

#include "suffice/data/schema.hpp"
#include "suffice/stats/reservoir.hpp"

namespace suffice {

/// The same rows, of `all` columns only those that `some` reads.
SampledRows with_columns(const SampledRows& sample, const Schema& all, const Schema& some);

/// The same rows, their weights multiplied by one number.
SampledRows with_weights_times(const SampledRows& sample, const Schema& schema, double by);

}  // namespace suffice
