#pragma once
// Families whose features are independent given the class and estimated from their own Σ w and
// Σ w x. FeatureFamily<Density> is all that estimates, factors for scoring, samples, separation,
// leave-one-out and the tables for people know of such a family; its values are described in
// data/family.hpp.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "core/log_product.hpp"
#include "core/special_functions.hpp"
#include "models/variates.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// Σ w and Σ w x of one feature in one class.
struct FeatureSums {
  double weight = 0, sum = 0;
};

/// The parameters of one feature in one class.
struct FeatureParameters {
  double value = 0;  ///< in the first table of the density: a probability, a rate
  double shape = 0;  ///< of the Gamma distribution of a rate that is not known; 0: it is known
};

/// What smoothing assumes: α rows at the mean of all classes (Bernoulli: α ones and α zeros).
struct FeaturePrior {
  double alpha = 0;
  double mean = 0;  ///< of the feature over all classes
};

/// log p(x) = at_zero + slope · x, up to terms of x alone, and except for excluded values.
struct LinearCell {
  double at_zero = 0, slope = 0;
  bool excludes = false;       ///< some value is impossible: 0, or else all others
  bool excludes_zero = false;  ///< it is 0
};

/// (n + α) / (N + α L). A quotient above 1 can only be rounding in the sums n and N.
inline double smoothed_share(double n, double total, double alpha, Index levels) {
  return std::min(1.0, (n + alpha) / (total + alpha * static_cast<double>(levels)));
}

/// (p − q) log (p / q): infinite where one of them is 0.
inline double divergence_term(double p, double q) { return p == q ? 0 : (p - q) * std::log(p / q); }

/// What a (a + 1) … (a + x − 1) has beyond a^x, a the shape.
inline double log_rising_excess(const FeatureParameters& parameters, double x) {
  return x == 1 ? 0 : log_gamma_excess(parameters.shape, x);
}

/// One specialisation per family:
///   shown                      what the value is, for people
///   requirement, is_possible   what the value must be
///   pools                      whether smoothing looks at the mean of all classes
///   estimate                   sums → parameters
///   log_evidence               of the sums under the prior, without terms that α has no part in,
///   evidence_slope             and its derivative in α; where smoothing pools
///   cell                       parameters → what is linear in x of log p(x)
///   beyond                     what is not, for x ≠ 0; null: nothing. Used where there is a shape
///   shared                     minus the terms of x alone; null: nothing
///   multiply                   by p(x) under the parameters of these sums, for leave-one-out;
///                              false where there are none
///   draw                       a value
///   divergence                 Kullback and Leibler's, in both directions, of two values
template <class Density>
struct FeatureFamily;

template <>
struct FeatureFamily<BernoulliDensity> {
  static constexpr std::string_view shown = "probability of 1";
  static constexpr std::string_view requirement = "it must lie between 0 and 1";
  static constexpr bool pools = false;
  static constexpr double (*beyond)(const FeatureParameters&, double) = nullptr;
  static constexpr double (*shared)(double) noexcept = nullptr;

  static bool is_possible(double p) { return p >= 0 && p <= 1; }
  static FeatureParameters estimate(const FeatureSums& sums, const FeaturePrior& prior) {
    return {.value = smoothed_share(sums.sum, sums.weight, prior.alpha, 2)};
  }
  static LinearCell cell(const FeatureParameters& parameters) {
    const double p = parameters.value;
    if (p == 0) return {.excludes = true};
    if (p == 1) return {.excludes = true, .excludes_zero = true};
    return {.at_zero = std::log1p(-p), .slope = std::log(p) - std::log1p(-p)};
  }
  static bool multiply(LogProduct& product, double x, const FeatureSums& sums,
                       const FeaturePrior& prior, bool) {
    const double n = x > 0 ? sums.sum : std::max(sums.weight - sums.sum, 0.0);
    product.multiply(smoothed_share(n, sums.weight, prior.alpha, 2));
    return true;
  }
  static double draw(const FeatureParameters& parameters, RowRandom& random) {
    return random.uniform() < parameters.value ? 1 : 0;
  }
  static double variance(double p) { return p * (1 - p); }
  static double divergence(double p, double q) {
    return divergence_term(p, q) + divergence_term(1 - p, 1 - q);
  }
};

/// e^−λ λ^x / x!. With λ of a Gamma distribution of shape r and mean λ: the negative binomial
/// Γ(x + r) / (Γ(r) x!) (r / (r + λ))^r (λ / (r + λ))^x.
template <>
struct FeatureFamily<PoissonDensity> {
  static constexpr std::string_view shown = "rate";
  static constexpr std::string_view requirement = "a rate is finite and not negative";
  static constexpr bool pools = true;
  static constexpr double (*beyond)(const FeatureParameters&, double) = log_rising_excess;
  static constexpr double (*shared)(double) noexcept = log_factorial;

  static bool is_possible(double rate) { return rate >= 0 && std::isfinite(rate); }
  static FeatureParameters estimate(const FeatureSums& sums, const FeaturePrior& prior) {
    const double shape = sums.sum + prior.alpha * prior.mean;
    return {.value = shape / (sums.weight + prior.alpha), .shape = shape};
  }
  /// With r the mean of all classes, log of α^(αr) / Γ(αr) · Γ(S + αr) / (W + α)^(S + αr).
  static double log_evidence(const FeatureSums& sums, const FeaturePrior& prior) {
    const double shape = prior.alpha * prior.mean;
    return log_gamma_excess(shape, sums.sum) -
           (sums.sum + shape) * std::log1p(sums.weight / prior.alpha);
  }
  static double evidence_slope(const FeatureSums& sums, const FeaturePrior& prior) {
    const auto& [alpha, mean] = prior;
    return mean * (digamma_difference(alpha * mean, sums.sum) - std::log1p(sums.weight / alpha)) +
           (mean * sums.weight - sums.sum) / (sums.weight + alpha);
  }
  static LinearCell cell(const FeatureParameters& parameters) {
    const auto [rate, shape] = parameters;
    if (rate == 0) return {.excludes = true};
    if (shape == 0) return {.at_zero = -rate, .slope = std::log(rate)};
    return {.at_zero = -shape * std::log1p(rate / shape),  // r^x is in the slope
            .slope = std::log(rate) - std::log1p(rate / shape)};
  }
  static bool multiply(LogProduct& product, double x, const FeatureSums& sums,
                       const FeaturePrior& prior, bool bayes) {
    const auto [rate, shape] = estimate(sums, prior);
    if (rate == 0) {
      if (x > 0) product.multiply(0);
    } else if (!bayes) {
      product.multiply_log(log_poisson(x, rate));
    } else {
      const double more = std::log1p(1 / (sums.weight + prior.alpha));  // rate / shape
      product.multiply_log(x * (std::log(rate) - more) - shape * more + log_gamma_excess(shape, x) -
                           log_factorial(x));
    }
    return true;
  }
  static double draw(const FeatureParameters& parameters, RowRandom& random) {
    const auto [rate, shape] = parameters;
    const bool known = shape == 0 || rate == 0;
    return draw_poisson(known ? rate : rate * (draw_gamma(shape, random) / shape), random);
  }
  static double variance(double rate) { return rate; }
  static double divergence(double a, double b) { return divergence_term(a, b); }
};

/// λ e^−λx. With λ of a Gamma distribution of shape a and mean λ: the Lomax density
/// λ (1 + λx / a)^−(a + 1).
template <>
struct FeatureFamily<ExponentialDensity> {
  static constexpr std::string_view shown = "rate";
  static constexpr std::string_view requirement = "a rate is positive and finite";
  static constexpr bool pools = true;
  static constexpr double (*shared)(double) noexcept = nullptr;

  static bool is_possible(double rate) { return rate > 0 && std::isfinite(rate); }
  static FeatureParameters estimate(const FeatureSums& sums, const FeaturePrior& prior) {
    const double shape = sums.weight + prior.alpha;
    return {.value = shape / (sums.sum + prior.alpha * prior.mean), .shape = shape};
  }
  /// With m the mean of all classes, log of (αm)^α / Γ(α) · Γ(W + α) / (S + αm)^(W + α).
  static double log_evidence(const FeatureSums& sums, const FeaturePrior& prior) {
    return log_gamma_excess(prior.alpha, sums.weight) -
           (sums.weight + prior.alpha) * std::log1p(sums.sum / (prior.alpha * prior.mean));
  }
  static double evidence_slope(const FeatureSums& sums, const FeaturePrior& prior) {
    const auto& [alpha, mean] = prior;
    return digamma_difference(alpha, sums.weight) - std::log1p(sums.sum / (alpha * mean)) +
           (sums.sum - mean * sums.weight) / (sums.sum + alpha * mean);
  }
  static LinearCell cell(const FeatureParameters& parameters) {
    const auto [rate, shape] = parameters;
    return {.at_zero = std::log(rate), .slope = shape == 0 ? -rate : 0};
  }
  static double beyond(const FeatureParameters& parameters, double x) {
    const auto [rate, shape] = parameters;
    return -(shape + 1) * std::log1p(rate * x / shape);
  }
  static bool multiply(LogProduct& product, double x, const FeatureSums& sums,
                       const FeaturePrior& prior, bool bayes) {
    const FeatureParameters parameters = estimate(sums, prior);
    product.multiply_log(std::log(parameters.value) +
                         (bayes ? beyond(parameters, x) : -parameters.value * x));
    return is_possible(parameters.value);
  }
  static double draw(const FeatureParameters& parameters, RowRandom& random) {
    const auto [rate, shape] = parameters;
    const double drawn = shape == 0 ? rate : rate * (draw_gamma(shape, random) / shape);
    return -std::log(random.uniform()) / drawn;
  }
  static double variance(double rate) { return 1 / (rate * rate); }
  static double divergence(double a, double b) { return (a - b) / a * ((a - b) / b); }
};

template <class Density>
concept FeatureDensity = requires {
  FeatureFamily<Density>::shown;
};

/// The K × d table of values.
template <FeatureDensity Density>
const Matrix& values_of(const Density& density) {
  return std::get<0>(Density::fields())(density);
}
template <FeatureDensity Density>
Matrix& values_of(Density& density) {
  return std::get<0>(Density::fields())(density);
}
/// The K × d table of shapes; null: the family has none.
template <FeatureDensity Density>
const Matrix* shapes_of(const Density& density) {
  if constexpr (requires { density.shape; }) return &density.shape;
  return nullptr;
}
template <FeatureDensity Density>
FeatureParameters parameters_of(const Density& density, Index c, Index j) {
  const Matrix* shapes = shapes_of(density);
  return {.value = values_of(density)(c, j),
          .shape = shapes && !shapes->empty() ? (*shapes)(c, j) : 0};
}

}  // namespace suffice
