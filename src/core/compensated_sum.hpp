#pragma once
// Sums that keep what rounding takes from them.

#include <cmath>

namespace suffice {

/// a + b = sum + error, exactly (Knuth).
struct TwoSum {
  double sum, error;
};
inline TwoSum two_sum(double a, double b) noexcept {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// A sum that carries what rounding takes from it, so that its error does not grow with the number
/// of terms (Neumaier).
class CompensatedSum {
 public:
  void add(double value) noexcept {
    const auto [sum, error] = two_sum(sum_, value);
    sum_ = sum;
    if (std::isfinite(sum)) rest_ += error;  // ∞ has no error, only NaN
  }
  double value() const noexcept { return std::isfinite(sum_) ? sum_ + rest_ : sum_; }

 private:
  double sum_ = 0, rest_ = 0;
};

}  // namespace suffice
