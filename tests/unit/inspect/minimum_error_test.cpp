#include "suffice/inspect/minimum_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::minimum_error_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

Model model_of(std::vector<Feature> features, std::vector<Density> densities, Names labels) {
  return Model({.schema = Schema(std::move(features)),
                .labels = std::move(labels),
                .weights = {},
                .densities = std::move(densities)});
}

Model normals(Covariance structure, Matrix mean, std::vector<Matrix> covariance) {
  std::vector<Feature> features;
  for (Index j = 0; j < mean.cols(); ++j) features.push_back({.name = "x" + std::to_string(j)});
  std::vector<std::string> labels;
  for (Index c = 0; c < mean.rows(); ++c) labels.emplace_back(1, static_cast<char>('a' + c));
  return model_of(features, {GaussianDensity{structure, std::move(mean), std::move(covariance)}},
                  Names(labels));
}

double normal_density(double x, double mean, double variance) {
  return std::exp(-0.5 * (x - mean) * (x - mean) / variance) /
         std::sqrt(2 * std::numbers::pi * variance);
}

/// By Simpson's rule.
double integral(const std::function<double(double)>& f, double low, double high) {
  constexpr int n = 20000;
  const double h = (high - low) / n;
  double sum = f(low) + f(high);
  for (int i = 1; i < n; ++i) sum += (i % 2 ? 4 : 2) * f(low + i * h);
  return sum * h / 3;
}

TEST(MinimumError, OfTwoNormalsOfOneVarianceIsATail) {
  const Model model = normals(Covariance::tied, {{0}, {2}}, {{{1}}});
  const MinimumError even = minimum_error(model, Priors::uniform(model));
  EXPECT_NEAR(even.value, 0.15865525393145707, 1e-15);  // Φ(−1)
  EXPECT_EQ(even.low, even.value);
  EXPECT_EQ(even.high, even.value);
  const MinimumError uneven = minimum_error(model, Priors(model.labels(), {0.8, 0.2}));
  const double boundary = 1 + 0.5 * std::log(4.0);  // where 0.8 p(x | a) = 0.2 p(x | b)
  EXPECT_NEAR(uneven.value,
              0.8 * 0.5 * std::erfc(boundary / std::numbers::sqrt2) +
                  0.2 * 0.5 * std::erfc((2 - boundary) / std::numbers::sqrt2),
              1e-15);
}

TEST(MinimumError, OfOneCovarianceIsThatOfMahalanobisDistance) {
  // Σ⁻¹ = 1/3 [[2, −1], [−1, 2]]; δ = (3, 0): Δ² = 6.
  const Model tied = normals(Covariance::tied, {{1, 5}, {4, 5}}, {{{2, 1}, {1, 2}}});
  const double tail = 0.5 * std::erfc(std::sqrt(6.0) / 2 / std::numbers::sqrt2);
  EXPECT_NEAR(minimum_error(tied, Priors::uniform(tied)).value, tail, 1e-14);
  // The same rows under a logarithm: nothing changes.
  Model::Parts parts = tied.parts();
  parts.schema = Schema({{.name = "x0", .transform = Transform::log}, {.name = "x1"}});
  EXPECT_NEAR(minimum_error(Model(parts), Priors::uniform(tied)).value, tail, 1e-14);
  // A third class that is ruled out has no part.
  const Model three = normals(Covariance::tied, {{1, 5}, {4, 5}, {2, 2}}, {{{2, 1}, {1, 2}}});
  EXPECT_NEAR(minimum_error(three, Priors(three.labels(), {0.5, 0.5, 0})).value, tail, 1e-14);
  // Classes that are the same cannot be told apart.
  const Model same = normals(Covariance::tied, {{1, 5}, {1, 5}}, {{{2, 1}, {1, 2}}});
  EXPECT_NEAR(minimum_error(same, Priors(same.labels(), {0.9, 0.1})).value, 0.1, 1e-15);
}

TEST(MinimumError, OfTwoVariancesIsCoveredByItsInterval) {
  const Model model = normals(Covariance::full, {{161.82}, {175.33}}, {{{46.89}}, {{52.89}}});
  const Priors priors(model.labels(), {0.7, 0.3});
  const double truth = integral(
      [](double x) {
        return std::min(0.7 * normal_density(x, 161.82, 46.89),
                        0.3 * normal_density(x, 175.33, 52.89));
      },
      80, 260);
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const MinimumError found = minimum_error(model, priors, {.seed = seed, .samples = 3000});
    EXPECT_LT(found.low, found.value);
    EXPECT_LT(found.high - found.low, 0.02);
    covered += found.low <= truth && truth <= found.high;
  }
  EXPECT_GE(covered, 34);  // of 40: fewer than that happen once in 800 times at 95 %
  EXPECT_NEAR(minimum_error(model, priors).value, truth, 0.004);
}

TEST(MinimumError, OfDiscreteRowsIsASumOverThem) {
  const Matrix p = {{0.1, 0.8, 0.3}, {0.6, 0.5, 0.2}, {0.5, 0.2, 0.9}};
  const Model model = model_of({{.name = "u", .family = Family::bernoulli},
                                {.name = "v", .family = Family::bernoulli},
                                {.name = "w", .family = Family::bernoulli}},
                               {BernoulliDensity{p}}, {"a", "b", "c"});
  const double prior[3] = {0.5, 0.3, 0.2};
  double right = 0;
  for (int row = 0; row < 8; ++row) {
    double largest = 0;
    for (Index c = 0; c < 3; ++c) {
      double joint = prior[c];
      for (Index j = 0; j < 3; ++j) joint *= row >> j & 1 ? p(c, j) : 1 - p(c, j);
      largest = std::max(largest, joint);
    }
    right += largest;
  }
  const MinimumError found = minimum_error(model, Priors(model.labels(), {0.5, 0.3, 0.2}));
  EXPECT_LE(found.low, 1 - right);
  EXPECT_GE(found.high, 1 - right);
  EXPECT_LT(found.high - found.low, 0.01);
  // The same on any number of threads.
  const MinimumError three =
      minimum_error(model, Priors(model.labels(), {0.5, 0.3, 0.2}), {}, {.threads = 3});
  EXPECT_EQ(three.value, found.value);
  EXPECT_EQ(three.low, found.low);
}

TEST(MinimumError, RefusesWhatItCannotKnow) {
  const Model words = model_of(
      {{.name = "u", .family = Family::multinomial}, {.name = "v", .family = Family::multinomial}},
      {MultinomialDensity{{{0.1, 0.9}, {0.5, 0.5}}}}, {"a", "b"});
  EXPECT_THAT(message_of<InvalidArgument>([&] { minimum_error(words, Priors::uniform(words)); }),
              HasSubstr("how long documents are"));
  const Model model = normals(Covariance::tied, {{0}, {2}}, {{{1}}});
  EXPECT_THROW(minimum_error(model, Priors(Names{"a", "c"}, {0.5, 0.5})), InvalidArgument);
  EXPECT_THROW(minimum_error(model, Priors::uniform(model), {.samples = 1}), InvalidArgument);
}

}  // namespace
}  // namespace suffice::minimum_error_test
