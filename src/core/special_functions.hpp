#pragma once
// Functions that the standard library lacks, or has with fewer digits.

#include <span>

namespace suffice {

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

/// P(F ≥ x) for the F distribution with these degrees of freedom. That of Student's t, on both
/// sides, is f_tail(t², 1, dof).
double f_tail(double x, double dof1, double dof2) noexcept;

/// The x with f_tail(x, dof1, dof2) = tail.
double f_quantile(double tail, double dof1, double dof2) noexcept;

/// P(F ≤ x) for the noncentral F distribution: Σ_k e^−λ/2 (λ/2)^k / k! · I_y(dof1/2 + k, dof2/2)
/// with y = dof1 x / (dof1 x + dof2).
double noncentral_f(double x, double dof1, double dof2, double lambda) noexcept;

/// P(Z ≤ z) of the standard normal distribution.
double normal_probability(double z) noexcept;

/// std::log, remembered for numbers that come again: shares of counts of words have few values.
/// Each thread remembers some hundreds.
double remembered_log(double x) noexcept;

}  // namespace suffice
