#pragma once
// What is left of a sum when a part is taken out.

namespace suffice {

/// whole − part, exactly 0 where it is rounding.
inline double minus_or_zero(double whole, double part) {
  const double left = whole - part;
  return left > 1e-12 * whole ? left : 0;
}

}  // namespace suffice
