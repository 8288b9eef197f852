#pragma once

#include <cmath>

namespace suffice {

/// Rounded to that many significant digits: for numbers that a person may type again. What is not
/// above 0 or not finite stays as it is.
inline double few_digits(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - (digits - 1));
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

}  // namespace suffice
