#include "suffice/inspect/separation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace suffice::separation_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Model one_block(Family family, Density density, Index features = 1, Index classes = 2) {
  const Names all = {"a", "b", "c"};
  std::vector<std::string> labels(all.begin(), all.begin() + classes);
  return Model({.schema = Schema::numbered(features, family),
                .labels = Names(labels),
                .weights = {},
                .densities = {std::move(density)}});
}

double log_normal(double x, double mean, double variance) {
  return -(std::log(2 * M_PI * variance) + (x - mean) * (x - mean) / variance) / 2;
}

/// ∫ (p − q) (log p − log q) by the trapezoid rule, which for such integrands has all digits.
double integrated(double m1, double v1, double m2, double v2) {
  const double step = 1. / 64;
  double sum = 0;
  for (double x = -60; x <= 60; x += step) {
    const double p = log_normal(x, m1, v1), q = log_normal(x, m2, v2);
    sum += (std::exp(p) - std::exp(q)) * (p - q);
  }
  return sum * step;
}

TEST(Separation, OfOneVarianceIsTheSquaredDistanceInDeviations) {
  const Model model = one_block(Family::gaussian,
                                GaussianDensity{.structure = Covariance::tied,
                                                .mean = {{1, 5}, {4, 5}},
                                                .covariance = {{{4, 1}, {1, 9}}}},
                                2);
  const Vector j = separation(model);
  EXPECT_DOUBLE_EQ(j[0], 9. / 4);
  EXPECT_EQ(j[1], 0);
}

TEST(Separation, OfNormalsIsTheIntegralForEveryStructure) {
  const Matrix mean = {{1, -2}, {3, 2}};
  const auto expect = [&](Covariance structure, std::vector<Matrix> covariance,
                          std::pair<double, double> first, std::pair<double, double> second) {
    const Vector j = separation(one_block(
        Family::gaussian,
        GaussianDensity{.structure = structure, .mean = mean, .covariance = covariance}, 2));
    EXPECT_NEAR(j[0], integrated(1, first.first, 3, first.second), 1e-12) << to_string(structure);
    EXPECT_NEAR(j[1], integrated(-2, second.first, 2, second.second), 1e-12)
        << to_string(structure);
  };
  expect(Covariance::full, {{{1, .5}, {.5, 2}}, {{4, -1}, {-1, 3}}}, {1, 4}, {2, 3});
  expect(Covariance::tied, {{{4, 1}, {1, 2}}}, {4, 4}, {2, 2});
  expect(Covariance::diag, {{{1, 2}, {4, 3}}}, {1, 4}, {2, 3});
  expect(Covariance::tied_diag, {{{4, 2}}}, {4, 4}, {2, 2});
  expect(Covariance::spherical, {{{1}, {4}}}, {1, 4}, {1, 4});
  expect(Covariance::tied_spherical, {{{4}}}, {4, 4}, {4, 4});
}

TEST(Separation, OfDiscreteFamiliesIsTheSum) {
  // (.8 − .2) log 4 for each of the two values.
  EXPECT_NEAR(separation(one_block(Family::bernoulli, BernoulliDensity{{{.8}, {.2}}}))[0],
              2 * .6 * std::log(4.), 1e-15);
  // Σ_k (p_k − q_k) log(p_k / q_k), k from 0 to 60, of Poisson probabilities.
  double sum = 0, p = std::exp(-2.), q = std::exp(-6.);
  for (int k = 0; k < 60; p *= 2. / ++k, q *= 6. / k) sum += (p - q) * std::log(p / q);
  EXPECT_NEAR(separation(one_block(Family::poisson, PoissonDensity{{{2}, {6}}}))[0], sum, 1e-12);
  const Vector words = separation(
      one_block(Family::multinomial, MultinomialDensity{{{.5, .25, .25}, {.25, .5, .25}}}, 3));
  EXPECT_NEAR(words[0], .25 * std::log(2.), 1e-16);
  EXPECT_NEAR(words[1], .25 * std::log(2.), 1e-16);
  EXPECT_EQ(words[2], 0);
  const Model levels({.schema = Schema({{"sex", Family::categorical}}),
                      .labels = {"a", "b"},
                      .weights = {},
                      .densities = {CategoricalDensity{{{"f", "m", "x"}},
                                                       {Matrix{{.5, .25, .25}, {.25, .5, .25}}}}}});
  EXPECT_NEAR(separation(levels)[0], .5 * std::log(2.), 1e-16);
}

TEST(Separation, IsInfiniteWhereAClassExcludesWhatAnotherHas) {
  EXPECT_EQ(separation(one_block(Family::bernoulli, BernoulliDensity{{{0}, {.2}}}))[0], inf);
  EXPECT_EQ(separation(one_block(Family::bernoulli, BernoulliDensity{{{1}, {.2}}}))[0], inf);
  EXPECT_EQ(separation(one_block(Family::bernoulli, BernoulliDensity{{{1}, {1}}}))[0], 0);
  EXPECT_EQ(separation(one_block(Family::poisson, PoissonDensity{{{0}, {3}}}))[0], inf);
  EXPECT_EQ(separation(one_block(Family::poisson, PoissonDensity{{{0}, {0}}}))[0], 0);
}

// Three classes, of which all pairs count: rates 1, 2, 4 have log 2, 3 log 4, 2 log 2.
TEST(Separation, IsTheMeanOverPairsOfClassesThatHaveWeight) {
  const PoissonDensity density{{{1}, {2}, {4}}};
  EXPECT_NEAR(separation(one_block(Family::poisson, density, 1, 3))[0], 3 * std::log(2.), 1e-15);
  Model::Parts parts{.schema = Schema::numbered(1, Family::poisson),
                     .labels = {"a", "b", "c"},
                     .weights = {3, 0, 1},
                     .densities = {density}};
  EXPECT_NEAR(separation(Model(parts))[0], 3 * std::log(4.), 1e-15);
  parts.weights = {3, 0, 0};
  EXPECT_EQ(separation(Model(parts))[0], 0);
}

TEST(Separation, OfAFeatureThatWasLeftOutIsZeroAndBlocksKeepTheSchemasOrder) {
  const Model model({.schema = Schema({{"count", Family::poisson},
                                       {"x", Family::gaussian},
                                       {"words", Family::poisson},
                                       {"y", Family::gaussian}}),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {PoissonDensity{{{1, 2}, {1, 4}}},
                                   GaussianDensity{.structure = Covariance::diag,
                                                   .mean = {{7, 0}, {7, 3}},
                                                   .covariance = {{{0, 1}, {0, 1}}},
                                                   .constant = {0}}}});
  const Vector j = separation(model);
  EXPECT_EQ(j[0], 0);
  EXPECT_EQ(j[1], 0);
  EXPECT_NEAR(j[2], 2 * std::log(2.), 1e-15);
  EXPECT_DOUBLE_EQ(j[3], 9);
}

}  // namespace
}  // namespace suffice::separation_test
