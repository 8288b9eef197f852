#pragma once
// Small pieces of arithmetic that several folders share.

#include <cmath>
#include <limits>
#include <span>

#include "suffice/core/matrix.hpp"

namespace suffice {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double log_2pi = 1.83787706640934548356;

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

/// log Π of many positive numbers with few logarithms.
class LogProduct {
 public:
  void multiply(double factor) {
    constexpr double room = 1e150;
    if (!(factor > 1 / room && factor < room)) {  // also where it is 0
      sum_ += std::log(factor);
      return;
    }
    product_ *= factor;
    if (product_ > 1 / room && product_ < room) return;
    sum_ += std::log(product_);
    product_ = 1;
  }
  void multiply_log(double log_factor) { sum_ += log_factor; }
  double value() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0, product_ = 1;
};

/// log Σ exp(values): −inf for none, and where all are −inf.
double log_sum_exp(std::span<const double> values) noexcept;

/// log k! for a whole k ≥ 0; unlike std::lgamma without a global variable.
double log_factorial(double k) noexcept;

/// log(e^−λ λ^k / k!) for real k ≥ 0 and λ > 0, without the cancellation of its terms.
double log_poisson(double k, double rate) noexcept;

/// log Γ(a + h) − log Γ(a) − h log a for a > 0 and h ≥ 0: what a (a + 1) … (a + h − 1) has beyond
/// a^h, without the cancellation of its terms. It vanishes as a grows.
double log_gamma_excess(double a, double h) noexcept;

/// ψ(a + h) − ψ(a) for a > 0 and h ≥ 0, where ψ is the derivative of log Γ.
double digamma_difference(double a, double h) noexcept;

/// P(χ²_dof ≥ x): the upper regularised incomplete gamma function Q(dof/2, x/2).
double chi_squared_tail(double x, double dof) noexcept;

/// The regularised incomplete beta function I_x(a, b) = P(X ≤ x) for X ~ Beta(a, b); a, b > 0.
double incomplete_beta(double x, double a, double b) noexcept;

/// whole − part, exactly 0 where it is rounding.
inline double rest(double whole, double part) {
  const double left = whole - part;
  return left > 1e-12 * whole ? left : 0;
}

}  // namespace suffice
