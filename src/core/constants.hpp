#pragma once
// Numbers that formulas need.

#include <limits>

namespace suffice {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double log_2pi = 1.83787706640934548356;

}  // namespace suffice
