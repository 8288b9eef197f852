#pragma once
// Random numbers of some distributions, from the uniform ones of a row.

#include "core/random.hpp"

namespace suffice {

/// Exact for every rate ≥ 0.
double draw_poisson(double rate, RowRandom& random);
/// Of that shape and rate 1.
double draw_gamma(double shape, RowRandom& random);

}  // namespace suffice
