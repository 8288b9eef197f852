#include "factor/factors.hpp"
#include "factor/whitener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "factor/dependence.hpp"
#include "suffice/core/error.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::factors_test {
namespace {

using ::testing::ElementsAre;

const double log_2pi_here = std::log(2 * M_PI);

std::vector<Index> first(Index n) {
  std::vector<Index> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

// [4 2; 2 5] = L Lᵀ with L = [2 0; 1 2], L⁻¹ = [1/2 0; -1/4 1/2], determinant 16.
TEST(Whiten, GivesTheInverseCholeskyFactor) {
  Matrix w;
  double log_norm = 0;
  ASSERT_EQ(whiten({{4, 2}, {2, 5}}, first(2), w, log_norm), 2);
  EXPECT_NEAR(w(0, 0), 0.5, 1e-15);
  EXPECT_EQ(w(0, 1), 0);
  EXPECT_NEAR(w(1, 0), -0.25, 1e-15);
  EXPECT_NEAR(w(1, 1), 0.5, 1e-15);
  EXPECT_NEAR(log_norm, -log_2pi_here - std::log(4), 1e-14);
}

TEST(Whiten, TakesThePositionsThatAreKept) {
  // Of [4 9 2; 9 99 9; 2 9 5] positions 0 and 2 are the matrix above.
  const std::vector<Index> kept{0, 2};
  Matrix w;
  double log_norm = 0;
  ASSERT_EQ(whiten({{4, 9, 2}, {9, 99, 9}, {2, 9, 5}}, kept, w, log_norm), 2);
  EXPECT_NEAR(w(1, 0), -0.25, 1e-15);
  EXPECT_NEAR(log_norm, -log_2pi_here - std::log(4), 1e-14);
  EXPECT_EQ(whiten({{4}}, {}, w, log_norm), 0);
  EXPECT_EQ(log_norm, 0);
}

TEST(Whiten, DoesNotMindUnits) {
  // The matrix above with the second feature in units of 1e-12.
  Matrix w;
  double log_norm = 0;
  ASSERT_EQ(whiten({{4, 2e-12}, {2e-12, 5e-24}}, first(2), w, log_norm), 2);
  EXPECT_NEAR(w(1, 0), -0.25, 1e-14);
  EXPECT_NEAR(w(1, 1), 0.5e12, 1e-2);
  EXPECT_NEAR(log_norm, -log_2pi_here - std::log(4e-12), 1e-12);
}

TEST(Whiten, CountsTheLeadingFeaturesThatAreIndependent) {
  Matrix w;
  double log_norm = 0;
  EXPECT_EQ(whiten({{1, 2}, {2, 4}}, first(2), w, log_norm), 1);
  EXPECT_EQ(whiten({{0, 0}, {0, 4}}, first(2), w, log_norm), 0);
  EXPECT_EQ(whiten({{1, 2}, {2, 1}}, first(2), w, log_norm), 1);  // indefinite
  EXPECT_EQ(whiten({{1, 0, 1}, {0, 1, 1}, {1, 1, 2}}, first(3), w, log_norm), 2);
}

// x2 = x0 + x1 and x4 = 3 x3 with x0, x1, x3 of variance 1 and uncorrelated; x5 has no variance.
TEST(Dependence, ListsTheFeaturesThatFollowFromThoseBefore) {
  const Dependence found = dependence({{1, 0, 1, 0, 0, 0},
                                       {0, 1, 1, 0, 0, 0},
                                       {1, 1, 2, 0, 0, 0},
                                       {0, 0, 0, 1, 3, 0},
                                       {0, 0, 0, 3, 9, 0},
                                       {0, 0, 0, 0, 0, 0}},
                                      first(6));
  EXPECT_EQ(found.rank, 3);
  EXPECT_THAT(found.dependent, ElementsAre(2, 4, 5));
}

// n rows span n − 1 directions about their mean, however close n is to the number of features.
TEST(Dependence, FindsTheRankOfFewerRowsThanFeatures) {
  const unsigned seed = 20240611;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const Index d = 60;
  for (const Index n : {2, 20, 59, 60, 61}) {
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n));
    for (auto& row : rows)
      for (Index j = 0; j < d; ++j) row.push_back(normal(random));
    const Matrix scatter = testing::joint_moments(rows, d).scatter;
    EXPECT_EQ(dependence(scatter, first(d)).rank, n - 1) << n << " rows";
    Matrix w;
    double log_norm = 0;
    EXPECT_EQ(whiten(scatter, first(d), w, log_norm), n - 1) << n << " rows";
  }
}

Model::Parts gaussian(GaussianDensity density, Names labels, Vector weights = {}) {
  return {.schema = Schema::numbered(density.mean.cols()),
          .labels = std::move(labels),
          .weights = std::move(weights),
          .densities = {std::move(density)}};
}

const GaussianFactor& gaussian_factor(const Model& model) {
  return std::get<GaussianFactor>(model.factors().blocks[0]);
}

TEST(GaussianFactors, OfATiedModel) {
  const Model model(gaussian(
      {.structure = Covariance::tied, .mean = {{2, 0}, {-2, 8}}, .covariance = {{{4, 2}, {2, 5}}}},
      {"a", "b"}));
  const GaussianFactor& factor = gaussian_factor(model);
  EXPECT_EQ(factor.center, (Vector{0, 4}));
  EXPECT_EQ(factor.mean, (Matrix{{2, -4}, {-2, 4}}));
  // W (2, -4) = (1, -5/2); Σ⁻¹ = [5 -2; -2 4] / 16, so Σ⁻¹ (2, -4) = (18, -20) / 16.
  EXPECT_NEAR(factor.whitened_mean(0, 0), 1, 1e-15);
  EXPECT_NEAR(factor.whitened_mean(0, 1), -2.5, 1e-15);
  EXPECT_NEAR(factor.linear(0, 0), 1.125, 1e-15);
  EXPECT_NEAR(factor.linear(0, 1), -1.25, 1e-15);
  EXPECT_NEAR(factor.linear(1, 1), 1.25, 1e-15);
  EXPECT_NEAR(factor.linear_constant[0], -0.5 * 7.25, 1e-14);
  EXPECT_NEAR(factor.log_norm[1], -log_2pi_here - std::log(4), 1e-14);
}

TEST(GaussianFactors, LeaveOutConstantsAndClassesWithoutWeight) {
  const Model model(gaussian({.structure = Covariance::diag,
                              .mean = {{1, 7, 2}, {0, 0, 0}, {3, 7, 6}},
                              .covariance = {{{4, 0, 9}, {0, 0, 0}, {1, 0, 16}}},
                              .constant = {1}},
                             {"a", "b", "c"}, {1, 0, 5}));
  const GaussianFactor& factor = gaussian_factor(model);
  EXPECT_THAT(factor.used, ElementsAre(0, 2));
  EXPECT_EQ(factor.center, (Vector{2, 4}));
  EXPECT_EQ(factor.mean, (Matrix{{-1, -2}, {0, 0}, {1, 2}}));
  EXPECT_EQ(factor.inverse_deviation, (Matrix{{0.5, 1. / 3}, {0, 0}, {1, 0.25}}));
  EXPECT_EQ(factor.whitened_mean, (Matrix{{-0.5, -2. / 3}, {0, 0}, {1, 0.5}}));
  EXPECT_NEAR(factor.log_norm[0], -log_2pi_here - std::log(6), 1e-14);
  EXPECT_EQ(factor.log_norm[1], 0);
  EXPECT_TRUE(factor.whitener.empty());
  EXPECT_TRUE(factor.linear.empty());
}

TEST(GaussianFactors, OfOneClassWithAFullCovarianceAreNotTied) {
  const Model model(
      gaussian({.structure = Covariance::full, .mean = {{3}}, .covariance = {{{4}}}}, {"a"}));
  EXPECT_EQ(gaussian_factor(model).whitener.size(), 1u);
  EXPECT_TRUE(gaussian_factor(model).linear.empty());
  EXPECT_EQ(gaussian_factor(model).center, Vector{3});
}

TEST(CountFactors, KeepHardZerosApart) {
  const Model model({.schema = Schema::numbered(3, Family::bernoulli),
                     .labels = {"a", "b"},
                     .weights = {1, 0},
                     .densities = {BernoulliDensity{{{0.25, 0, 1}, {0, 0, 0}}}}});
  const auto& factor = std::get<CountFactor>(model.factors().blocks[0]);
  EXPECT_NEAR(factor.at_zero(0, 0), std::log(0.75), 1e-16);
  EXPECT_NEAR(factor.slope(0, 0), -std::log(3), 1e-15);
  EXPECT_EQ(factor.at_zero(0, 1), 0);
  EXPECT_EQ(factor.slope(0, 1), 0);
  EXPECT_EQ(factor.at_zero(0, 2), 0);
  EXPECT_EQ(factor.slope(0, 2), 0);
  EXPECT_NEAR(factor.constant[0], std::log(0.75), 1e-16);
  ASSERT_EQ(factor.excluded.size(), 2u);  // and none of the class without weight
  EXPECT_EQ(factor.excluded[0].feature, 1);
  EXPECT_FALSE(factor.excluded[0].zero);
  EXPECT_EQ(factor.excluded[1].feature, 2);
  EXPECT_TRUE(factor.excluded[1].zero);
}

TEST(CountFactors, OfPoissonAndMultinomial) {
  const Schema schema({{.name = "n", .family = Family::poisson},
                       {.name = "m", .family = Family::poisson},
                       {.name = "u", .family = Family::multinomial},
                       {.name = "v", .family = Family::multinomial}});
  const Model model({.schema = schema,
                     .labels = {"a"},
                     .weights = {},
                     .densities = {PoissonDensity{{{2, 0}}}, MultinomialDensity{{{1, 0}}}}});
  const auto& poisson = std::get<CountFactor>(model.factors().blocks[0]);
  EXPECT_EQ(poisson.at_zero, (Matrix{{-2, 0}}));
  EXPECT_NEAR(poisson.slope(0, 0), std::log(2), 1e-16);
  EXPECT_EQ(poisson.slope(0, 1), 0);
  EXPECT_EQ(poisson.constant, Vector{-2});
  ASSERT_EQ(poisson.excluded.size(), 1u);
  EXPECT_FALSE(poisson.excluded[0].zero);
  const auto& words = std::get<CountFactor>(model.factors().blocks[1]);
  EXPECT_TRUE(words.at_zero.empty());
  EXPECT_EQ(words.slope, (Matrix{{0, 0}}));
  ASSERT_EQ(words.excluded.size(), 1u);
  EXPECT_EQ(words.excluded[0].feature, 1);
}

TEST(CategoricalFactors, AreOneTable) {
  const Schema schema({{.name = "s", .family = Family::categorical},
                       {.name = "never", .family = Family::categorical},
                       {.name = "t", .family = Family::categorical}});
  const Model model({.schema = schema,
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {CategoricalDensity{
                         .levels = {{"x", "y"}, {}, {"z"}},
                         .probability = {{{0.25, 0.75}, {0, 1}}, Matrix(2, 0), {{1}, {1}}}}}});
  const auto& factor = std::get<CategoricalFactor>(model.factors().blocks[0]);
  EXPECT_THAT(factor.first, ElementsAre(0, 2, 2, 3));
  EXPECT_NEAR(factor.table(1, 0), std::log(0.75), 1e-16);
  EXPECT_EQ(factor.table(0, 1), -HUGE_VAL);
  EXPECT_EQ(factor.table(2, 1), 0);
}

}  // namespace
}  // namespace suffice::factors_test
