#include "suffice/inspect/discriminant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "suffice/core/error.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::discriminant_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::thrown_by;

double at(const Discriminant& discriminant, std::vector<double> z) { return discriminant(z); }

// N(0, 1) against N(2, 4): −½x² + ½ (x − 2)²/4 + log 2 = −3/8 x² − ½ x + ½ + log 2.
TEST(Discriminant, OfTwoVariancesIsQuadratic) {
  const Model model(
      {.schema = Schema::numbered(1),
       .labels = {"a", "b"},
       .weights = {},
       .densities = {GaussianDensity{
           .structure = Covariance::spherical, .mean = {{0}, {2}}, .covariance = {{{1}, {4}}}}}});
  const Discriminant pair = discriminant(model, "a", "b");
  EXPECT_FALSE(pair.is_linear());
  EXPECT_NEAR(pair.A(0, 0), -0.375, 1e-16);
  EXPECT_NEAR(pair.w[0], -0.5, 1e-16);
  EXPECT_NEAR(pair.c, 0.5 + std::log(2), 1e-15);
  EXPECT_THAT(pair.columns, ElementsAre("x0"));
  // The form of one class is its log-density: at 2, class b has −½ log 8π.
  EXPECT_NEAR(at(discriminant(model, "b"), {2}), -0.5 * std::log(8 * M_PI), 1e-15);
  EXPECT_NEAR(at(pair, {2}), -2 + std::log(2), 1e-15);
}

// Σ = [4 2; 2 5] and I: P = [5 -2; -2 4]/16 and I; determinants 16 and 1.
TEST(Discriminant, OfFullCovariances) {
  const Model model(
      {.schema = Schema::numbered(2),
       .labels = {"a", "b"},
       .weights = {},
       .densities = {GaussianDensity{.structure = Covariance::full,
                                     .mean = {{2, 0}, {1, -1}},
                                     .covariance = {{{4, 2}, {2, 5}}, {{1, 0}, {0, 1}}}}}});
  const Discriminant pair = discriminant(model, "a", "b");
  EXPECT_NEAR(pair.A(0, 0), -0.5 * (5. / 16 - 1), 1e-15);
  EXPECT_NEAR(pair.A(0, 1), 1. / 16, 1e-15);
  EXPECT_EQ(pair.A(0, 1), pair.A(1, 0));
  EXPECT_NEAR(pair.A(1, 1), -0.5 * (4. / 16 - 1), 1e-15);
  EXPECT_NEAR(pair.w[0], 10. / 16 - 1, 1e-15);
  EXPECT_NEAR(pair.w[1], -4. / 16 + 1, 1e-15);
  EXPECT_NEAR(pair.c, -0.5 * 1.25 + 1 - std::log(4), 1e-14);
}

// P (m_a − m_b) = P (4, −8) = (36, −40)/16; the quadratic forms of the means are 20/16 and 340/16.
TEST(Discriminant, OfATiedCovarianceIsLinear) {
  Model::Parts parts{
      .schema = Schema::numbered(3),
      .labels = {"a", "b"},
      .weights = {},
      .densities = {GaussianDensity{.structure = Covariance::tied,
                                    .mean = {{2, 7, 0}, {-2, 7, 8}},
                                    .covariance = {{{4, 0, 2}, {0, 0, 0}, {2, 0, 5}}},
                                    .constant = {1}}}};
  const Model model(parts);
  const Discriminant pair = discriminant(model, "a", "b");
  EXPECT_TRUE(pair.is_linear());
  EXPECT_NEAR(pair.w[0], 2.25, 1e-14);
  EXPECT_EQ(pair.w[1], 0);  // a constant says nothing
  EXPECT_NEAR(pair.w[2], -2.5, 1e-14);
  EXPECT_NEAR(pair.c, 10, 1e-13);
  const Discriminant a = discriminant(model, "a");
  EXPECT_NEAR(a.w[0], 0.625, 1e-15);
  EXPECT_NEAR(a.w[2], -0.25, 1e-15);
  EXPECT_NEAR(a.c, -0.625, 1e-15);
  const Discriminant b = discriminant(model, "b");
  EXPECT_NEAR(at(a, {1, 7, 3}) - at(b, {1, 7, 3}), at(pair, {1, 7, 3}), 1e-13);
  EXPECT_NEAR(at(pair, {1, 7, 3}), 2.25 - 7.5 + 10, 1e-13);
}

// Columns follow the schema, whatever the blocks: colour (2 levels), x, ones, n, u, v.
TEST(Discriminant, OfMixedFamilies) {
  const Schema schema({{.name = "u", .family = Family::multinomial},
                       {.name = "colour", .family = Family::categorical},
                       {.name = "x"},
                       {.name = "one", .family = Family::bernoulli},
                       {.name = "n", .family = Family::poisson},
                       {.name = "v", .family = Family::multinomial}});
  const Model model({.schema = schema,
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {MultinomialDensity{{{0.5, 0.5}, {0.25, 0.75}}},
                                   CategoricalDensity{.levels = {{"blue", "red"}},
                                                      .probability = {{{0.5, 0.5}, {0.1, 0.9}}}},
                                   GaussianDensity{.structure = Covariance::tied_diag,
                                                   .mean = {{1}, {3}},
                                                   .covariance = {{{2}}}},
                                   BernoulliDensity{{{0.5}, {0.25}}}, PoissonDensity{{{2}, {4}}}}});
  const Discriminant pair = discriminant(model, "a", "b");
  EXPECT_THAT(pair.columns, ElementsAre("u", "colour=blue", "colour=red", "x", "one", "n", "v"));
  EXPECT_TRUE(pair.is_linear());
  const std::vector<double> w{std::log(2), std::log(5),  std::log(5. / 9), -1,
                              std::log(3), -std::log(2), std::log(2. / 3)};
  for (Index j = 0; j < 7; ++j) EXPECT_NEAR(pair.w[j], w[static_cast<std::size_t>(j)], 1e-15) << j;
  // −½ (1 − 9)/2 = 2 of the Gaussian, log(2/3) of Bernoulli's zero, −2 + 4 of the rates
  EXPECT_NEAR(pair.c, 4 + std::log(2. / 3), 1e-14);
}

TEST(Discriminant, OfExcludedValues) {
  const auto with = [](double rate_b) {
    return Model({.schema = Schema::numbered(2, Family::poisson),
                  .labels = {"a", "b"},
                  .weights = {},
                  .densities = {PoissonDensity{{{0, 1}, {rate_b, 1}}}}});
  };
  const Discriminant one = discriminant(with(2), "a", "b");
  EXPECT_EQ(at(one, {0, 3}), 2);  // λ of b less λ of a
  EXPECT_EQ(at(one, {1, 0}), -HUGE_VAL);
  EXPECT_EQ(at(discriminant(with(2), "b", "a"), {1, 0}), HUGE_VAL);
  const Discriminant both = discriminant(with(0), "a", "b");
  EXPECT_EQ(at(both, {0, 3}), 0);
  EXPECT_TRUE(std::isnan(at(both, {1, 0})));  // impossible under either

  const Model certain({.schema = Schema::numbered(1, Family::bernoulli),
                       .labels = {"a", "b"},
                       .weights = {},
                       .densities = {BernoulliDensity{{{1}, {0.5}}}}});
  EXPECT_THAT(thrown_by<InvalidArgument>([&] { discriminant(certain, "a"); }).what(),
              AllOf(HasSubstr("'a'"), HasSubstr("'x0'"), HasSubstr("smoothing")));
  EXPECT_NO_THROW(discriminant(certain, "b"));
}

TEST(Discriminant, RefusesClassesAndColumnsThatAreNotThere) {
  const Model model({.schema = Schema::numbered(1, Family::poisson),
                     .labels = {"a", "b"},
                     .weights = {1, 0},
                     .densities = {PoissonDensity{{{1}, {0}}}}});
  EXPECT_THAT(thrown_by<InvalidArgument>([&] { discriminant(model, "c"); }).what(),
              AllOf(HasSubstr("'c'"), HasSubstr("'a'")));
  EXPECT_THAT(thrown_by<InvalidArgument>([&] { discriminant(model, "a", "b"); }).what(),
              AllOf(HasSubstr("'b'"), HasSubstr("weight 0")));
  EXPECT_THROW(at(discriminant(model, "a"), {1, 2}), InvalidArgument);
}

}  // namespace
}  // namespace suffice::discriminant_test
