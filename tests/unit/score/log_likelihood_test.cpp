// Scores worked by hand, and what scoring refuses.

#include "suffice/score/log_likelihood.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "support/message_of.hpp"

namespace suffice::log_likelihood_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
const double log_2pi = std::log(2 * std::acos(-1.0));

Model poisson(Matrix rate) {
  return Model({.schema = Schema::numbered(rate.cols(), Family::poisson),
                .labels = {"a", "b"},
                .weights = {},
                .densities = {PoissonDensity{std::move(rate)}}});
}

/// Two features with correlation ½ in class a; the unit circle in class b.
Model correlated() {
  return Model(
      {.schema = Schema::numbered(2),
       .labels = {"a", "b"},
       .weights = {},
       .densities = {GaussianDensity{.structure = Covariance::full,
                                     .mean = {{1, 2}, {0, 0}},
                                     .covariance = {{{4, 1}, {1, 1}}, {{1, 0}, {0, 1}}}}}});
}

TEST(LogLikelihood, FullGaussianAndItsMarginals) {
  const Matrix x = {{3, 2}, {3, nan}, {nan, 2}, {nan, nan}};
  const LogLikelihoods scores = log_likelihood(correlated(), x);
  // Class a: det Σ = 3, Σ⁻¹ = [1 −1; −1 4]/3; δ = (2, 0) gives δᵀΣ⁻¹δ = 4/3.
  EXPECT_NEAR(scores.values(0, 0), -log_2pi - 0.5 * std::log(3.0) - 2.0 / 3, 1e-14);
  EXPECT_NEAR(scores.values(0, 1), -log_2pi - 6.5, 1e-14);
  EXPECT_NEAR(scores.values(1, 0), -0.5 * (log_2pi + std::log(4.0) + 1), 1e-14);
  EXPECT_NEAR(scores.values(1, 1), -0.5 * (log_2pi + 9), 1e-14);
  EXPECT_NEAR(scores.values(2, 0), -0.5 * log_2pi, 1e-14);
  EXPECT_NEAR(scores.values(2, 1), -0.5 * (log_2pi + 4), 1e-14);
  EXPECT_THAT(scores.values.row(3), ElementsAre(0, 0));
}

TEST(LogLikelihood, PoissonCountsUpToTheLargestDouble) {
  const Model model = poisson({{2}, {1e300}});
  const LogLikelihoods scores = log_likelihood(model, Matrix{{3}, {1e308}});
  EXPECT_NEAR(scores.values(0, 0), 3 * std::log(2.0) - 2 - std::log(6.0), 1e-14);
  EXPECT_EQ(scores.values(1, 0), -inf);
  EXPECT_EQ(scores.values(1, 1), -inf);
  EXPECT_THAT(best_class(model, Matrix{{3}}), ElementsAre(0));
}

TEST(LogLikelihood, AnUnknownLevelIsMissingAndCounted) {
  const Model model({.schema = Schema({{"colour", Family::categorical}}),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {CategoricalDensity{.levels = {Names({"blue", "red"})},
                                                      .probability = {{{.25, .75}, {1, 0}}}}}});
  const std::vector<std::string> colour = {"red", "green", "blue"};
  const LogLikelihoods scores = log_likelihood(model, RowBlock(3).feature(colour));
  EXPECT_DOUBLE_EQ(scores.values(0, 0), std::log(.75));
  EXPECT_EQ(scores.values(0, 1), -inf);
  EXPECT_THAT(scores.values.row(1), ElementsAre(0, 0));
  EXPECT_DOUBLE_EQ(scores.values(2, 1), 0);
  EXPECT_THAT(scores.unknown_levels, ElementsAre(1));
}

TEST(LogLikelihood, AClassOfWeightZeroIsImpossible) {
  Model::Parts parts = correlated().parts();
  parts.weights = {1, 0};
  const Model model(parts);
  for (const double second : {2.0, nan}) {
    const Matrix x = {{1, second}};
    EXPECT_TRUE(std::isfinite(log_likelihood(model, x).values(0, 0)));
    EXPECT_EQ(log_likelihood(model, x).values(0, 1), -inf);
  }
  EXPECT_THAT(best_class(model, Matrix{{0, 0}}), ElementsAre(0));
  EXPECT_THAT(best_class(model, Matrix{{0, 0}}, std::vector<double>{-inf, 0}), ElementsAre(-1));
}

TEST(LogLikelihood, RefusesWhatAFamilyCannotHave) {
  EXPECT_THAT(message_of<DataError>([] {
                log_likelihood(correlated(), Matrix{{1, 2}, {inf, 0}});
              }),
              AllOf(HasSubstr("'x0'"), HasSubstr("inf"), HasSubstr("row 1")));
  EXPECT_THAT(message_of<DataError>([] {
                log_likelihood(poisson({{1}, {2}}), Matrix{{1}, {1.5}});
              }),
              AllOf(HasSubstr("'x0'"), HasSubstr("1.5"), HasSubstr("row 1")));
  EXPECT_THAT(message_of([] {
                log_likelihood(correlated(), Matrix{{1, 2, 3}});
              }),
              HasSubstr("features"));
  EXPECT_THAT(message_of([] {
                best_class(correlated(), Matrix{{1, 2}}, std::vector<double>{1});
              }),
              HasSubstr("1 offsets for 2 classes"));
}

TEST(LogLikelihood, AnInfiniteNumberIsNoCategory) {
  Statistics stats(Schema::numbered(1, Family::categorical));
  stats.update({Matrix{{1}, {2}}, std::vector<std::string>{"a", "b"}});
  const Model model = estimate(stats);
  EXPECT_THAT(message_of<DataError>([&] {
                log_likelihood(model, Matrix{{1}, {-inf}});
              }),
              HasSubstr("row 1, feature 'x0': a category cannot be infinite"));
  Statistics of_two(Schema::numbered(2, Family::categorical));
  of_two.update({Matrix{{1, 1}, {2, 2}}, std::vector<std::string>{"a", "b"}});
  EXPECT_THAT(message_of<DataError>([&] {
                log_likelihood(estimate(of_two), Matrix{{1, 1}, {1, 2}, {2, inf}});
              }),
              HasSubstr("row 2, feature 'x1': a category cannot be infinite"));
}

// A language model is linear in its counts, so tf-idf weights are scored as they are.
TEST(LogLikelihood, WordCountsNeedNotBeWhole) {
  const Model model({.schema = Schema::numbered(2, Family::multinomial),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {MultinomialDensity{{{0.25, 0.75}, {0.5, 0.5}}}}});
  const double expected[] = {0.5 * std::log(0.25) + 1.5 * std::log(0.75), 2 * std::log(0.5)};
  const std::vector<std::int32_t> start{0, 2}, column{0, 1};
  const std::vector<double> values{0.5, 1.5};
  const Matrix dense{{0.5, 1.5}};
  for (const RowBlock& rows :
       {RowBlock(dense), RowBlock(SparseView(1, 2, start.data(), column.data(), values.data()))}) {
    const Matrix scores = log_likelihood(model, rows).values;
    for (Index c : {0, 1}) EXPECT_NEAR(scores(0, c), expected[c], 1e-15);
  }
  for (const double bad : {-0.5, nan, inf})
    EXPECT_THROW(log_likelihood(model, Matrix{{1, bad}}), DataError);
}

// A feature that was constant in training has no part in the scores, but it is looked at.
TEST(LogLikelihood, RefusesMissingValuesOfConstantFeaturesToo) {
  Statistics stats(Schema::numbered(2));
  stats.update({Matrix{{1, 7}, {2, 7}, {4, 7}}, std::vector<std::string>{"a", "a", "a"}});
  const Model model = estimate(stats);
  const Matrix x{{1, 7}, {2, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_NO_THROW(log_likelihood(model, x));
  try {
    log_likelihood(model, x, {.missing = Missing::refuse});
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 1, feature 'x1': the value is missing"));
    EXPECT_EQ(error.where().row, 1);
    EXPECT_EQ(error.where().features, std::vector<std::string>{"x1"});
  }
}

}  // namespace
}  // namespace suffice::log_likelihood_test
