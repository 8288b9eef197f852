#include "models/variates.hpp"

#include <cmath>

#include "core/special_functions.hpp"

namespace suffice {
namespace {

/// The smallest k with u ≤ P(X ≤ k), by adding up.
double poisson_by_inversion(double rate, double u) {
  double k = 0;
  double mass = std::exp(-rate);
  double sum = mass;
  while (u > sum) {
    mass *= rate / ++k;
    if (sum + mass == sum) break;  // u lies above the rounded total
    sum += mass;
  }
  return k;
}

/// Transformed rejection with a squeeze (Hörmann 1993, PTRS): exact, about 1.2 pairs of uniforms
/// for a large rate.
double poisson_by_rejection(double rate, RowRandom& random) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    if (std::log(v * inverse_alpha / (a / (edge * edge) + b)) <= log_poisson(k, rate)) return k;
  }
}

constexpr double rejection_from = 30;

}  // namespace

double draw_poisson(double rate, RowRandom& random) {
  return rate < rejection_from ? poisson_by_inversion(rate, random.uniform())
                               : poisson_by_rejection(rate, random);
}

// Marsaglia and Tsang (2000); below the shape 1, a variate of shape + 1 times u^(1/shape).
double draw_gamma(double shape, RowRandom& random) {
  if (shape < 1) {
    const double more = draw_gamma(shape + 1, random);
    return more * std::pow(random.uniform(), 1 / shape);
  }
  const double d = shape - 1. / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double u = random.uniform();
    const double root = 1 + c * x;
    if (!(root > 0)) continue;
    const double v = root * root * root;
    if (std::log(u) < x * x / 2 + d * (1 - v + std::log(v))) return d * v;
  }
}

}  // namespace suffice
