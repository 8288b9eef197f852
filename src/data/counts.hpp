#pragma once
// Which numbers are counts.

#include <cmath>
#include <cstdint>

#include "suffice/data/schema.hpp"

namespace suffice {

/// What a Bernoulli (0 or 1), Poisson or multinomial (whole, from 0 on) feature can be.
inline bool is_possible_count(Family family, double x) noexcept {
  if (family == Family::bernoulli) return x == 0 || x == 1;
  return x >= 0 && std::isfinite(x) && x == std::floor(x);
}

/// Whether x is surely a count; those beyond 2⁵³ need is_possible_count. Cheap in an inner loop,
/// where rounding is a function call on old instruction sets.
inline bool is_plain_count(double x) noexcept {
  return x >= 0 && x < 9007199254740992.0 && x == static_cast<double>(static_cast<std::int64_t>(x));
}

}  // namespace suffice
