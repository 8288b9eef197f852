#include "suffice/sample/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "data/name_encoder.hpp"
#include "data/number_reader.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::sample_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

Model one_family(Family family, Density density, Index features, Names labels = {"a"}) {
  return Model({.schema = Schema::numbered(features, family),
                .labels = std::move(labels),
                .weights = {},
                .densities = {std::move(density)}});
}

/// Two Gaussians, a Bernoulli, a categorical and a Poisson feature, in an order that mixes blocks.
Model mixed() {
  Schema schema({{"height"},
                 {"colour", Family::categorical},
                 {"weight"},
                 {"smoker", Family::bernoulli},
                 {"visits", Family::poisson}});
  GaussianDensity gaussian{.structure = Covariance::full,
                           .mean = {{0, 10}, {5, 20}},
                           .covariance = {{{4, 2}, {2, 5}}, {{1, 0}, {0, 1}}}};
  CategoricalDensity colour{{Names{"blue", "green", "red"}}, {{{.5, .25, .25}, {0, 0, 1}}}};
  return Model({.schema = schema,
                .labels = {"a", "b"},
                .weights = {},
                .densities = {gaussian, colour, BernoulliDensity{{{.25}, {1}}},
                              PoissonDensity{{{3}, {100}}}}});
}

double mean_of(const Matrix& values, Index column) {
  double sum = 0;
  for (Index i = 0; i < values.rows(); ++i) sum += values(i, column);
  return sum / static_cast<double>(values.rows());
}

double covariance_of(const Matrix& values, Index j, Index k) {
  const double mj = mean_of(values, j), mk = mean_of(values, k);
  double sum = 0;
  for (Index i = 0; i < values.rows(); ++i) sum += (values(i, j) - mj) * (values(i, k) - mk);
  return sum / static_cast<double>(values.rows());
}

TEST(Sample, GaussianRowsAreTheMeanPlusLTimesTheNormals) {
  // Σ = (4 2; 2 5) = L Lᵀ with L = (2 0; 1 2).
  const Model model = one_family(
      Family::gaussian,
      GaussianDensity{
          .structure = Covariance::full, .mean = {{1, -1}}, .covariance = {{{4, 2}, {2, 5}}}},
      2);
  const Sample drawn = sample(model, 3, "a", {.seed = 9, .first_row = 40});
  for (Index i = 0; i < 3; ++i) {
    RowRandom random(9, static_cast<std::uint64_t>(40 + i));
    random.uniform();  // picks the class
    const double z0 = random.normal(), z1 = random.normal();
    EXPECT_NEAR(drawn.values(i, 0), 1 + 2 * z0, 1e-14);
    EXPECT_NEAR(drawn.values(i, 1), -1 + z0 + 2 * z1, 1e-14);
  }
}

TEST(Sample, DiagonalStructuresScaleByTheDeviation) {
  const Matrix mean = {{1, 2}, {3, 4}};
  const auto check = [&](Covariance structure, Matrix variance, double s0, double s1) {
    const Model model = one_family(
        Family::gaussian,
        GaussianDensity{.structure = structure, .mean = mean, .covariance = {std::move(variance)}},
        2, {"a", "b"});
    const Sample drawn = sample(model, 1, "b");
    RowRandom random(0, 0);
    random.uniform();
    EXPECT_DOUBLE_EQ(drawn.values(0, 0), 3 + s0 * random.normal()) << to_string(structure);
    EXPECT_DOUBLE_EQ(drawn.values(0, 1), 4 + s1 * random.normal()) << to_string(structure);
  };
  check(Covariance::diag, {{1, 1}, {4, 9}}, 2, 3);
  check(Covariance::tied_diag, {{4, 9}}, 2, 3);
  check(Covariance::spherical, {{1}, {16}}, 4, 4);
  check(Covariance::tied_spherical, {{16}}, 4, 4);
}

TEST(Sample, AConstantFeatureHasItsConstant) {
  const Model model =
      one_family(Family::gaussian,
                 GaussianDensity{.structure = Covariance::full,
                                 .mean = {{0, 7, 0}},
                                 .covariance = {{{1, 0, .5}, {0, 0, 0}, {.5, 0, 1}}},
                                 .constant = {1}},
                 3);
  const Sample drawn = sample(model, 2000, "a");
  for (Index i = 0; i < drawn.values.rows(); ++i) ASSERT_EQ(drawn.values(i, 1), 7);
  // The variance of a product of two normals with correlation ρ is 1 + ρ².
  EXPECT_NEAR(covariance_of(drawn.values, 0, 2), 0.5, 5 * std::sqrt(1.25 / 2000));
}

TEST(Sample, HasTheMomentsOfTheModel) {
  constexpr Index n = 40000;
  const Sample drawn = sample(mixed(), n, "a", {.seed = 3});
  // Five deviations of each mean; Var((x−m)(y−n)) = σ²τ² + cov².
  EXPECT_NEAR(mean_of(drawn.values, 0), 0, 5 * std::sqrt(4. / n));
  EXPECT_NEAR(mean_of(drawn.values, 2), 10, 5 * std::sqrt(5. / n));
  EXPECT_NEAR(covariance_of(drawn.values, 0, 0), 4, 5 * std::sqrt(32. / n));
  EXPECT_NEAR(covariance_of(drawn.values, 0, 2), 2, 5 * std::sqrt(24. / n));
  EXPECT_NEAR(covariance_of(drawn.values, 2, 2), 5, 5 * std::sqrt(50. / n));
  EXPECT_NEAR(mean_of(drawn.values, 3), .25, 5 * std::sqrt(.25 * .75 / n));
  EXPECT_NEAR(mean_of(drawn.values, 4), 3, 5 * std::sqrt(3. / n));
  std::map<double, double> share;
  for (Index i = 0; i < n; ++i) share[drawn.values(i, 1)] += 1. / n;
  ASSERT_EQ(share.size(), 3u);
  EXPECT_NEAR(share[0], .5, 5 * std::sqrt(.25 / n));
  EXPECT_NEAR(share[1], .25, 5 * std::sqrt(.25 * .75 / n));
}

TEST(Sample, NeverDrawsWhatHasProbabilityZero) {
  const Sample drawn = sample(mixed(), 5000, "b");
  for (Index i = 0; i < 5000; ++i) {
    ASSERT_EQ(drawn.values(i, 1), 2);  // only red
    ASSERT_EQ(drawn.values(i, 3), 1);
  }
}

// Both methods against the probabilities e^−λ λ^k / k!, multiplied up: Pearson's statistic over
// cells with an expected count of 20 or more has mean dof and variance 2 dof.
TEST(Sample, PoissonCountsHaveTheirDistribution) {
  for (const double rate : {0.0, 0.3, 4.0, 29.9, 30.0, 31.7, 250.0, 12000.0}) {
    constexpr Index n = 50000;
    const Model model = one_family(Family::poisson, PoissonDensity{{{rate}}}, 1);
    const Sample drawn = sample(model, n, "a", {.seed = 17});
    if (rate == 0) {
      EXPECT_EQ(*std::max_element(drawn.values.data(), drawn.values.data() + n), 0);
      continue;
    }
    std::map<double, double> count;
    for (Index i = 0; i < n; ++i) ++count[drawn.values(i, 0)];
    // From the mode outwards, so that e^−λ need not be represented.
    const double mode = std::floor(rate);
    const double at_mode = std::exp(mode * std::log(rate) - rate - std::lgamma(mode + 1));
    double pearson = 0, cells = 0, rest_expected = n, rest_count = n;
    const auto add = [&](double k, double p) {
      if (n * p < 20) return false;
      pearson += std::pow(count[k] - n * p, 2) / (n * p);
      ++cells;
      rest_expected -= n * p;
      rest_count -= count[k];
      return true;
    };
    double p = at_mode;
    for (double k = mode; add(k, p); ++k) p *= rate / (k + 1);
    p = at_mode;
    for (double k = mode; k > 0; --k)
      if (p *= k / rate; !add(k - 1, p)) break;
    if (rest_expected >= 20) pearson += std::pow(rest_count - rest_expected, 2) / rest_expected;
    EXPECT_GE(cells, 2) << rate;
    EXPECT_LT(pearson, cells + 5 * std::sqrt(2 * cells) + 10) << rate;
  }
}

TEST(Sample, DocumentsHaveTheirLengthAndTheirWords) {
  const Model model = one_family(Family::multinomial, MultinomialDensity{{{.5, 0, .3, .2}}}, 4);
  constexpr Index n = 2000, length = 50;
  const Sample drawn = sample(model, n, "a", {.document_length = length});
  for (Index i = 0; i < n; ++i) {
    const auto row = drawn.values.row(i);
    ASSERT_EQ(std::accumulate(row.begin(), row.end(), 0.0), length);
    ASSERT_EQ(row[1], 0);
  }
  const double words = static_cast<double>(n * length);
  EXPECT_NEAR(mean_of(drawn.values, 0) / length, .5, 5 * std::sqrt(.25 / words));
  EXPECT_NEAR(mean_of(drawn.values, 3) / length, .2, 5 * std::sqrt(.16 / words));
}

TEST(Sample, TheMixtureHasItsProportions) {
  constexpr Index n = 20000;
  const std::vector<double> mixture = {.3, .7};
  const Sample drawn = sample(mixed(), n, mixture);
  double ones = 0;
  for (const Index c : drawn.classes) ones += static_cast<double>(c);
  EXPECT_NEAR(ones / n, .7, 5 * std::sqrt(.21 / n));
  // A row of the mixture is the row that its class alone would have given.
  const Sample a = sample(mixed(), n, "a"), b = sample(mixed(), n, "b");
  for (Index i = 0; i < n; ++i) {
    const Sample& own = drawn.classes[static_cast<std::size_t>(i)] == 0 ? a : b;
    for (Index j = 0; j < 5; ++j) ASSERT_EQ(drawn.values(i, j), own.values(i, j));
  }
}

TEST(Sample, ARowDoesNotDependOnTheOthersOrOnTheThreads) {
  const std::vector<double> mixture = {.5, .5};
  const Sample all = sample(mixed(), 3000, mixture, {.seed = 5}, {.threads = 1});
  for (const int threads : {2, 3, 7, 16}) {
    const Sample again = sample(mixed(), 3000, mixture, {.seed = 5}, {.threads = threads});
    EXPECT_EQ(all.values, again.values) << threads;
    EXPECT_EQ(all.classes, again.classes) << threads;
  }
  const Sample tail = sample(mixed(), 1000, mixture, {.seed = 5, .first_row = 2000});
  for (Index i = 0; i < 1000; ++i)
    for (Index j = 0; j < 5; ++j) ASSERT_EQ(tail.values(i, j), all.values(2000 + i, j));
  EXPECT_NE(sample(mixed(), 3000, mixture, {.seed = 6}).values, all.values);
}

TEST(Sample, ItsViewHasTheNames) {
  const std::vector<double> mixture = {.5, .5};
  const Sample drawn = sample(mixed(), 200, mixture);
  const RowBlock rows = drawn.rows();
  EXPECT_EQ(rows.rows(), 200);
  EXPECT_EQ(rows.feature_count(), 5);
  // Read with dictionaries in which the positions differ from the sample's codes.
  const Names labels = {"Z", "a", "b"}, levels = {"amber", "blue", "green", "red"};
  std::vector<std::int32_t> label(200), colour(200);
  NameReader(rows.labels(), labels).read(0, 200, label.data(), 1);
  const Column column = NameReader::column_of(rows, 1);
  NameReader(column, levels).read(0, 200, colour.data(), 1);
  const Schema schema = mixed().schema();
  Vector scratch(400);
  const auto panel = NumberReader(schema, schema.blocks()[0], rows).read(0, 200, scratch.data());
  for (Index i = 0; i < 200; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_EQ(label[at], drawn.classes[at] + 1);
    ASSERT_EQ(colour[at], static_cast<std::int32_t>(drawn.values(i, 1)) + 1);
    ASSERT_EQ(panel.values[i * panel.stride], drawn.values(i, 0));
    ASSERT_EQ(panel.values[i * panel.stride + 1], drawn.values(i, 2));
  }
  EXPECT_EQ(encode_names(column).names, (Names{"blue", "green", "red"}));
}

TEST(Sample, RefusesWhatCannotBe) {
  const Model model = mixed();
  EXPECT_THAT(message_of([&] { sample(model, 1, "c"); }), HasSubstr("'c'"));
  EXPECT_THAT(message_of([&] { sample(model, -1, "a"); }), HasSubstr("-1"));
  EXPECT_THAT(message_of([&] { sample(model, 1, "a", {.document_length = -2}); }),
              HasSubstr("document_length is -2"));
  EXPECT_THAT(message_of([&] { sample(model, 1, "a", {.first_row = -3}); }),
              HasSubstr("first_row is -3"));
  EXPECT_THAT(message_of([&] { sample(model, 1, Vector{.5}); }), HasSubstr("2 classes"));
  EXPECT_THAT(message_of([&] { sample(model, 1, Vector{.5, .4}); }), HasSubstr("sum to 0.9"));
  EXPECT_THAT(message_of([&] { sample(model, 1, Vector{1.5, -.5}); }), HasSubstr("'a'"));
  EXPECT_THAT(message_of([&] { sample(model, 1, Vector{1, std::nan("")}); }), HasSubstr("'b'"));

  const Model unseen(
      {.schema = Schema::numbered(1),
       .labels = {"a", "b"},
       .weights = {1, 0},
       .densities = {GaussianDensity{
           .structure = Covariance::tied_diag, .mean = {{0}, {0}}, .covariance = {{{1}}}}}});
  EXPECT_THAT(message_of([&] { sample(unseen, 1, "b"); }), HasSubstr("'b'"));
  EXPECT_THAT(message_of([&] { sample(unseen, 1, Vector{.5, .5}); }), HasSubstr("weight is 0"));
  EXPECT_EQ(sample(unseen, 2, Vector{1, 0}).values.rows(), 2);
}

TEST(Sample, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(sample(mixed(), 5000, "a", {}, {.stop = stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace suffice::sample_test
