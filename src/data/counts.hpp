#pragma once
// Which numbers are counts.

#include <cmath>

#include "core/kernels.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// What a Bernoulli (0 or 1), Poisson (whole, from 0 on) or multinomial (from 0 on) feature can be.
/// A multinomial model is linear in its counts, so they need not be whole: tf-idf weights are not.
inline bool is_possible_count(Family family, double x) noexcept {
  if (family == Family::bernoulli) return x == 0 || x == 1;
  if (!(x >= 0 && std::isfinite(x))) return false;
  return family == Family::multinomial || x == std::floor(x);
}

/// The kernel's form of it.
inline kernels::Check check_of(Family family) noexcept {
  return family == Family::bernoulli ? kernels::Check::zero_or_one
         : family == Family::poisson ? kernels::Check::count
                                     : kernels::Check::not_negative;
}

}  // namespace suffice
