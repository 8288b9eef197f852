#include "core/special_functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "core/constants.hpp"

namespace suffice {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// t − log(1 + t). With r = t / (2 + t), log(1 + t) = 2 atanh r and t − 2r = t r, so that near 0
///   t − log(1 + t) = t r − 2 r³ (1/3 + r²/5 + r⁴/7 + …)
/// keeps the digits that the difference would lose.
double minus_log1p(double t) noexcept {
  if (t < -0.5 || t > 3) return t - std::log1p(t);
  const double r = t / (2 + t);
  const double r2 = r * r;
  double sum = 0;
  double power = 1;
  for (int n = 3; power > epsilon / 8; n += 2) {
    sum += power / n;
    power *= r2;
  }
  return t * r - 2 * r * r2 * sum;
}

/// log Γ(k + 1) − [k log k − k + ½ log 2πk], Stirling's series; k ≥ 16.
double stirling_rest(double k) noexcept {
  const double u = 1 / (k * k);
  return (1. / 12 - u * (1. / 360 - u * (1. / 1260 - u * (1. / 1680 - u * (1. / 1188))))) / k;
}

constexpr double stirling_from = 16;

/// log(e^−λ λ^k / k!), where λ − k may be known better than λ.
/// k log(k/λ) − k + λ = k (t − log(1 + t)) with t = (λ − k)/k: the distance of λ from k, not the
/// difference of two large numbers.
double log_poisson_at(double k, double rate, double difference) noexcept {
  if (k == 0) return -rate;
  if (k < stirling_from) return k * std::log(rate) - rate - std::log(std::tgamma(k + 1));
  constexpr double log_root_2pi = log_2pi / 2;
  const double t = difference / k;
  const double deviance = t < -0.5 ? t - std::log(rate / k) : minus_log1p(t);
  return -k * deviance - log_root_2pi - std::log(k) / 2 - stirling_rest(k);
}

/// e^−λ λ^k / k!: as a product where its parts are in range, which loses no digit to a logarithm.
double poisson(double k, double rate) noexcept {
  if (k >= stirling_from || rate > 1400) return std::exp(log_poisson(k, rate));
  const double half = std::exp(-rate / 2);  // e^−λ alone would underflow first
  return std::pow(rate, k) * half / std::tgamma(k + 1) * half;
}

/// The lower function: P(a, x) = [x^a e^−x / Γ(a+1)] · Σ_n x^n / ((a+1) … (a+n)).
double gamma_series(double a, double x) noexcept {
  double sum = 1;
  double term = 1;
  for (double n = 1; term > sum * epsilon / 8; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return poisson(a, x) * sum;
}

/// The upper function: Q(a, x) = [x^a e^−x / Γ(a)] / (x+1−a − 1(1−a)/(x+3−a − 2(2−a)/(x+5−a − …))),
/// the continued fraction by the method of Lentz.
double gamma_fraction(double a, double x) noexcept {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / tiny;
  double d = 1 / b;
  double fraction = d;
  for (double n = 1; n < 1e7; ++n) {
    const double numerator = n * (a - n);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    if (std::abs(d) < tiny) d = tiny;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double step = c * d;
    fraction *= step;
    if (std::abs(step - 1) < epsilon) break;
  }
  return a * poisson(a, x) * fraction;
}

/// x^a y^b Γ(a+b+1) / (Γ(a+1) Γ(b+1)) for y = 1 − x: a binomial probability. As a quotient of
/// Poisson probabilities with rates n x, n y and n = a + b it has no large terms that cancel.
double binomial(double a, double b, double x, double y) noexcept {
  const double n = a + b;
  // n x − a = b − n y, from the one of x and y that has not been rounded as 1 − …
  const double difference = x < y ? n * x - a : b - n * y;
  return std::exp(log_poisson_at(a, n * x, difference) + log_poisson_at(b, n * y, -difference) -
                  log_poisson_at(n, n, 0));
}

/// I_x(a, b) = [x^a y^b / (a B(a, b))] / (1 + d₁/(1 + d₂/(1 + …))), y = 1 − x, with
///   d_2m = m (b−m) x / ((a+2m−1) (a+2m)),  d_2m+1 = −(a+m) (a+b+m) x / ((a+2m) (a+2m+1)),
/// by the method of Lentz; quick for x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x, double y) noexcept {
  constexpr double tiny = 1e-300;
  double c = 1;
  double d = 0;
  double fraction = 1;
  const auto advance = [&](double numerator) {
    d = 1 + numerator * d;
    c = 1 + numerator / c;
    if (std::abs(d) < tiny) d = tiny;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    fraction *= c * d;
    return c * d;
  };
  advance(-(a + b) * x / (a + 1));
  for (double m = 1; m < 1e7; ++m) {
    advance(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double step = advance(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(step - 1) < epsilon) break;
  }
  return binomial(a, b, x, y) * (b / (a + b)) / fraction;
}

/// I_x(a, b), with y = 1 − x where that has not been rounded.
double lower_beta(double x, double y, double a, double b) noexcept {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x, y) : 1 - beta_fraction(b, a, y, x);
}

}  // namespace

double log_sum_exp(std::span<const double> values) noexcept {
  double largest = -infinity;
  for (const double value : values) largest = std::max(largest, value);
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

double log_factorial(double k) noexcept {
  static const std::array<double, 171> table = [] {
    std::array<double, 171> logs{};
    double factorial = 1;
    for (std::size_t i = 1; i < logs.size(); ++i)
      logs[i] = std::log(factorial *= static_cast<double>(i));
    return logs;
  }();
  if (k < static_cast<double>(table.size())) return table[static_cast<std::size_t>(k)];
  return k * std::log(k) - k + log_2pi / 2 + std::log(k) / 2 + stirling_rest(k);
}

double log_gamma_excess(double a, double h) noexcept {
  if (h < stirling_from && h == std::floor(h)) {
    double sum = 0;
    for (double i = 1; i < h; ++i) sum += std::log1p(i / a);
    return sum;
  }
  // Γ(a + h) / Γ(a) is that of a + 1 times a / (a + h); where a is large, Stirling's series with
  // (a + h) log(1 + t) − h = a [t log(1 + t) − (t − log(1 + t))], t = h / a.
  double steps = 0;
  double shifted = a;
  for (; shifted < stirling_from; ++shifted) steps += std::log1p(h / shifted);
  const double t = h / shifted;
  const double log1p_t = std::log1p(t);
  double sum = shifted * (t * log1p_t - minus_log1p(t)) - log1p_t / 2;
  sum += stirling_rest(shifted + h) - stirling_rest(shifted);
  return shifted == a ? sum : sum + h * std::log(shifted / a) - steps;
}

double digamma_difference(double a, double h) noexcept {
  // ψ(a) = ψ(a + 1) − 1/a; ψ(a) = log a − 1/(2a) − 1/(12a²) + 1/(120a⁴) − … where a is large.
  double steps = 0;
  for (; a < stirling_from; ++a) steps += h / (a * (a + h));
  const auto rest = [](double x) {
    const double u = 1 / (x * x);
    return u * (1. / 12 - u * (1. / 120 - u * (1. / 252 - u * (1. / 240 - u * (1. / 132)))));
  };
  return steps + std::log1p(h / a) + h / (2 * a * (a + h)) + (rest(a) - rest(a + h));
}

double log_poisson(double k, double rate) noexcept { return log_poisson_at(k, rate, rate - k); }

double chi_squared_tail(double x, double dof) noexcept {
  if (std::isnan(x) || std::isnan(dof)) return std::numeric_limits<double>::quiet_NaN();
  if (x <= 0) return 1;
  if (dof <= 0 || x == infinity) return 0;
  const double a = dof / 2;
  x /= 2;
  return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

double incomplete_beta(double x, double a, double b) noexcept {
  if (std::isnan(x) || std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return lower_beta(x, 1 - x, a, b);
}

double f_tail(double x, double dof1, double dof2) noexcept {
  if (!(dof1 > 0) || !(dof2 > 0) || std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x <= 0) return 1;
  if (x == infinity) return 0;
  const double sum = dof1 * x + dof2;
  return lower_beta(dof2 / sum, dof1 * x / sum, dof2 / 2, dof1 / 2);
}

double f_quantile(double tail, double dof1, double dof2) noexcept {
  double low = 0, high = 1;
  while (f_tail(high, dof1, dof2) > tail && high < 1e300) high *= 2;
  while (high - low > 4e-16 * high) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (f_tail(middle, dof1, dof2) > tail ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

double noncentral_f(double x, double dof1, double dof2, double lambda) noexcept {
  if (!(x > 0)) return 0;
  const double sum = dof1 * x + dof2;
  const double y = dof1 * x / sum, rest = dof2 / sum, b = dof2 / 2;
  const double mean = lambda < 1e-10 ? 0 : lambda / 2;
  const double reach = mean > 0 ? 9 * std::sqrt(mean) + 20 : 0;
  const double first = std::max(std::floor(mean - reach), 0.0);
  // From the largest k that matters downwards: I_y(a, b) = I_y(a + 1, b) + t with the binomial
  // term t = y^a (1 − y)^b Γ(a+b) / (Γ(a+1) Γ(b)), so that nothing is subtracted.
  const auto term_at = [&](double a) { return binomial(a, b, y, rest) * (b / (a + b)); };
  double k = std::ceil(mean + reach);
  while (k > first && term_at(dof1 / 2 + k) < 1e-290) --k;  // I_y(a, b) is 0 there
  double a = dof1 / 2 + k;
  double lower = lower_beta(y, rest, a, b), term = term_at(a), total = 0;
  double chance = mean > 0 ? std::exp(log_poisson(k, mean)) : 1;
  for (; k >= first; --k, --a) {
    total += chance * lower;
    chance *= k / mean;
    term *= a / ((a + b - 1) * y);  // now that of a − 1
    lower += term;
  }
  return std::min(total, 1.0);
}

double normal_probability(double z) noexcept { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double remembered_log(double x) noexcept {
  struct Entry {
    std::uint64_t bits;
    double log;
  };
  constexpr int size_bits = 9;
  thread_local Entry entries[1 << size_bits] = {};
  const auto bits = std::bit_cast<std::uint64_t>(x);
  // A zero, which an unused entry seems to have, is not remembered.
  Entry& entry = entries[bits * 0x9E3779B97F4A7C15 >> (64 - size_bits)];
  if (entry.bits != bits || bits == 0) entry = {bits, std::log(x)};
  return entry.log;
}

}  // namespace suffice
