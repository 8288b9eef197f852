#include "score/float_distances.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/kernels.hpp"
#include "factor/factors.hpp"
#include "suffice/models/model.hpp"

namespace suffice::float_distances_test {
namespace {

using kernels::float_rows_at_once;
using kernels::rows_at_once;

struct Case {
  std::mt19937 random;
  std::normal_distribution<double> normal;
  Index d;
  GaussianDensity density;
  GaussianFactor factor;
  Vector weights = {1, 1};

  /// Units from 10^-spread to 10^spread, entries of W beside its diagonal of size `beside`.
  Case(unsigned seed, Index features, double spread, double beside) : random(seed), d(features) {
    std::uniform_real_distribution<double> exponent(-spread, spread);
    factor.mean = Matrix(2, d);
    factor.whitened_mean = Matrix(2, d);
    Vector unit(d);
    for (double& u : unit) u = std::pow(10, exponent(random));
    for (Index j = 0; j < d; ++j) factor.used.push_back(j);
    for (Index c = 0; c < 2; ++c) {
      Matrix w(d, d), covariance(d, d);
      for (Index i = 0; i < d; ++i) {
        for (Index j = 0; j <= i; ++j)
          w(i, j) = (i == j ? 1 + std::abs(normal(random)) : beside * normal(random)) / unit[j];
        factor.mean(c, i) = normal(random) * unit[i];
        covariance(i, i) = unit[i] * unit[i];
      }
      for (Index i = 0; i < d; ++i)
        for (Index j = 0; j <= i; ++j) factor.whitened_mean(c, i) += w(i, j) * factor.mean(c, j);
      factor.whitener.push_back(std::move(w));
      density.covariance.push_back(std::move(covariance));
    }
  }

  /// Rows about class 0, `far` of its deviations away.
  Matrix rows(double far) {
    Matrix x(d, rows_at_once);
    for (Index j = 0; j < d; ++j)
      for (Index r = 0; r < rows_at_once; ++r)
        x(j, r) = factor.mean(0, j) + far * normal(random) * std::sqrt(density.covariance[0](j, j));
    return x;
  }
};

struct Found {
  Index outside = 0;       ///< distances in doubles, or more precise, that the bounds do not have
  Index rounded_away = 0;  ///< that a bound of no width would not have
  double widest = 0;       ///< most − least, relative to the distance
};

Found compare(Case& made, double far) {
  Workers workers({.threads = 1}, 1);
  const FloatDistances distances(made.density, made.factor, made.weights, workers);
  const Matrix x = made.rows(far);
  Buffer<float> rounded(made.d * float_rows_at_once), squares(float_rows_at_once);
  Vector norm(rows_at_once), scores(rows_at_once);
  distances.scale(x.data(), rounded.data(), norm.data());
  Found found;
  for (Index c = 0; c < 2; ++c) {
    const Matrix& w = made.factor.whitener[static_cast<std::size_t>(c)];
    const auto offset = made.factor.whitened_mean.row(c);
    distances.squares(c, rounded.data(), rows_at_once, squares.data());
    kernels::score_lower(x.data(), made.d, rows_at_once, w.data(), offset.data(), 0, scores.data());
    for (Index r = 0; r < rows_at_once; ++r) {
      long double precise = 0;
      for (Index i = 0; i < made.d; ++i) {
        long double y = -static_cast<long double>(offset[i]);
        for (Index j = 0; j <= i; ++j) y += static_cast<long double>(w(i, j)) * x(j, r);
        precise += y * y;
      }
      const auto [least, most] = distances.bounds(c, squares[r], norm[r]);
      for (const long double square : {precise, static_cast<long double>(-2 * scores[r])})
        if (!(least <= square && square <= most)) ++found.outside;
      if (static_cast<double>(squares[r]) != -2 * scores[r]) ++found.rounded_away;
      found.widest = std::max(found.widest, (most - least) / static_cast<double>(precise));
    }
  }
  return found;
}

TEST(FloatDistances, BoundsHaveTheDistances) {
  unsigned seed = 0;
  Index rounded_away = 0;
  for (const Index d : {1, 2, 5, 17, 48, 130, 300})
    for (const double spread : {0.0, 3.0, 60.0, 140.0})
      for (const double beside : {0.0, 0.1, 1.0, 100.0})
        for (const double far : {0.0, 1e-12, 1e-3, 1.0, 1e4, 1e15, 1e40}) {
          Case made(++seed, d, spread, beside);
          const Found found = compare(made, far);
          EXPECT_EQ(found.outside, 0) << "seed " << seed << ", d " << d << ", spread " << spread
                                      << ", beside " << beside << ", far " << far;
          rounded_away += found.rounded_away;
        }
  EXPECT_GT(rounded_away, 10000);  // so margins are necessary
}

TEST(FloatDistances, BoundsAreNarrow) {
  for (const double spread : {0.0, 3.0, 100.0}) {
    Case made(7, 300, spread, 0.02);
    const Found found = compare(made, 1);
    EXPECT_EQ(found.outside, 0);
    EXPECT_LT(found.widest, 1e-3) << spread;  // 0.15 nats of a distance of 300
  }
}

TEST(FloatDistances, WhatNoFloatHoldsBoundsNothing) {
  Case made(3, 20, 0, 0.1);
  made.factor.whitener[1](7, 2) = 1e39;
  Workers workers({.threads = 1}, 1);
  const FloatDistances distances(made.density, made.factor, made.weights, workers);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(distances.bounds(1, 20.0F, 4).most, infinity);
  EXPECT_LT(distances.bounds(0, 20.0F, 4).most, 21);
  EXPECT_EQ(distances.bounds(0, 20.0F, 1e39).most, infinity);
  EXPECT_EQ(distances.bounds(0, std::numeric_limits<float>::infinity(), 4).least, 0);
  EXPECT_EQ(distances.bounds(0, std::numeric_limits<float>::quiet_NaN(), 4).most, infinity);
}

}  // namespace
}  // namespace suffice::float_distances_test
