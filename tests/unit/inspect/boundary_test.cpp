#include "suffice/inspect/boundary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "suffice/core/error.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/score/block_scores.hpp"
#include "support/message_of.hpp"

namespace suffice::boundary_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

Names letters(Index count) {
  std::vector<std::string> labels;
  for (Index c = 0; c < count; ++c) labels.emplace_back(1, static_cast<char>('a' + c));
  return Names(labels);
}

Model model_of(std::vector<Feature> features, Density density, Index classes) {
  return Model({.schema = Schema(std::move(features)),
                .labels = letters(classes),
                .weights = {},
                .densities = {std::move(density)}});
}

/// Normal densities of one number.
Model normals(std::vector<double> mean, std::vector<double> variance, Transform transform = {}) {
  GaussianDensity density{Covariance::full, Matrix(std::ssize(mean), 1), {}};
  for (std::size_t c = 0; c < mean.size(); ++c) {
    density.mean(static_cast<Index>(c), 0) = mean[c];
    density.covariance.push_back({{variance[c]}});
  }
  return model_of({{.name = "x", .transform = transform}}, density, std::ssize(mean));
}

TEST(Boundary, OfOneVarianceIsTheMidpointMovedByThePrior) {
  const Model model = normals({1, 3}, {2, 2});
  const auto even = boundary(model, 0, Priors::uniform(model));
  ASSERT_EQ(even.size(), 1U);
  EXPECT_NEAR(even[0].x, 2, 1e-13);
  EXPECT_EQ(even[0].left, 0);
  EXPECT_EQ(even[0].right, 1);
  const auto uneven = boundary(model, 0, Priors(model.labels(), {0.9, 0.1}));
  ASSERT_EQ(uneven.size(), 1U);
  EXPECT_NEAR(uneven[0].x, 2 + 2 / 2.0 * std::log(9.0), 1e-13);
}

// The heights of Cumani's lecture: above 168.3 cm, and below a height that nobody has, a man.
TEST(Boundary, OfTwoVariancesIsTwoRoots) {
  const Model model = normals({161.82, 175.33}, {46.89, 52.89});
  const auto found = boundary(model, 0, Priors::uniform(model));
  const double a = 0.5 * (1 / 52.89 - 1 / 46.89), b = 161.82 / 46.89 - 175.33 / 52.89,
               c = 0.5 * (175.33 * 175.33 / 52.89 - 161.82 * 161.82 / 46.89) +
                   0.5 * std::log(52.89 / 46.89);
  const double root = std::sqrt(b * b - 4 * a * c);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].x, (-b + root) / (2 * a), 1e-8);
  EXPECT_EQ(found[0].left, 1);
  EXPECT_EQ(found[0].right, 0);
  EXPECT_NEAR(found[1].x, (-b - root) / (2 * a), 1e-10);
  EXPECT_NEAR(found[1].x, 168.5, 0.3);
  EXPECT_EQ(found[1].left, 0);
  EXPECT_EQ(found[1].right, 1);
}

TEST(Boundary, MayBeNone) {
  const Model model = normals({0, 0}, {1, 4});
  EXPECT_TRUE(boundary(model, 0, Priors(model.labels(), {0.1, 0.9})).empty());
  EXPECT_EQ(boundary(model, 0, Priors::uniform(model)).size(), 2U);
  const Model same = normals({1, 1}, {2, 2});
  EXPECT_TRUE(boundary(same, 0, Priors::uniform(same)).empty());
  EXPECT_TRUE(boundary(model, 0, Priors(model.labels(), {1, 0})).empty());
}

TEST(Boundary, HasCostsAsPriors) {
  const Model model = normals({1, 3}, {2, 2});
  const Costs costs(model.labels(), {{0, 1}, {5, 0}});  // b decided as a costs 5
  const auto found = boundary(model, 0, Priors(model.labels(), {0.7, 0.3}), costs);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].x, 2 + std::log(0.7 / (0.3 * 5)), 1e-13);
}

TEST(Boundary, OfLogarithmsIsThatOfTheNumbers) {
  const auto found =
      boundary(normals({1, 3}, {2, 2}, Transform::log), 0, Priors(letters(2), {0.9, 0.1}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].x, std::exp(2 + std::log(9.0)), 1e-10);
  // Roots are not negative, and the densities cross at √x = −1, too.
  const auto root =
      boundary(normals({1, 1.5}, {1, 4}, Transform::sqrt), 0, Priors(letters(2), {0.4, 0.6}));
  for (const BoundaryPoint& point : root) EXPECT_GT(point.x, 0);
}

TEST(Boundary, OfWaitingTimes) {
  const Model model =
      model_of({{.name = "t", .family = Family::exponential}}, ExponentialDensity{{{2}, {0.5}}}, 2);
  const auto found = boundary(model, 0, Priors(model.labels(), {0.4, 0.6}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].x, (std::log(2 / 0.5) + std::log(0.4 / 0.6)) / 1.5, 1e-14);
  EXPECT_EQ(found[0].left, 0);
}

TEST(Boundary, OfSeveralFeaturesIsThatOfTheMarginal) {
  const Model two =
      model_of({{.name = "x"}, {.name = "y"}},
               GaussianDensity{
                   Covariance::full, {{0, 9}, {4, -9}}, {{{1, 0.5}, {0.5, 3}}, {{2, 1}, {1, 7}}}},
               2);
  const auto found = boundary(two, 0, Priors::uniform(two));
  const auto alone = boundary(normals({0, 4}, {1, 2}), 0, Priors::uniform(two));
  ASSERT_EQ(found.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(found[k].x, alone[k].x);
}

/// Decisions at many numbers are those between the points.
void expect_decisions_between(const Model& model, const Priors& priors, const Costs& costs,
                              unsigned seed) {
  const auto points = boundary(model, 0, priors, costs);
  for (std::size_t k = 0; k < points.size(); ++k) {
    EXPECT_NE(points[k].left, points[k].right);
    if (k > 0) {
      EXPECT_LT(points[k - 1].x, points[k].x);
      EXPECT_EQ(points[k - 1].right, points[k].left);
    }
  }
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, 5);
  Matrix x(3000, 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = normal(generator) * (i % 10 ? 1 : 30);
  const Decisions decisions = decide(calibrated_scores(model, RowBlock(x)), priors, costs);
  for (Index i = 0; i < x.rows(); ++i) {
    std::size_t k = 0;
    while (k < points.size() && points[k].x <= x(i, 0)) ++k;
    if (points.empty()) {
      EXPECT_EQ(decisions.classes[static_cast<std::size_t>(i)], decisions.classes[0]);
      continue;
    }
    EXPECT_EQ(decisions.classes[static_cast<std::size_t>(i)],
              k < points.size() ? points[k].left : points.back().right)
        << "at " << x(i, 0);
  }
}

TEST(Boundary, IsWhereDecisionsChange) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    std::gamma_distribution<double> gamma(2);
    const Index classes = 2 + seed % 5;
    std::vector<double> mean, variance;
    Vector prior(classes);
    Matrix cost(classes, classes);
    double sum = 0;
    for (Index c = 0; c < classes; ++c) {
      mean.push_back(3 * normal(generator));
      variance.push_back(gamma(generator));
      sum += prior[c] = gamma(generator);
      for (Index k = 0; k < classes; ++k) cost(c, k) = c == k ? 0 : 0.2 + gamma(generator);
    }
    for (double& p : prior) p /= sum;
    const Model plain = normals(mean, variance);
    const Priors priors(plain.labels(), prior);
    expect_decisions_between(plain, priors, Costs::zero_one(plain), seed);
    expect_decisions_between(plain, priors, Costs(plain.labels(), cost), seed);
    Model::Parts parts = plain.parts();
    auto& density = std::get<GaussianDensity>(parts.densities[0]);
    density.dof = Matrix(classes, 1);
    for (double& dof : std::span(density.dof.data(), static_cast<std::size_t>(classes)))
      dof = 2.5 + gamma(generator);
    expect_decisions_between(Model(parts), priors, Costs::zero_one(plain), seed);
    Calibration calibration{.scale = {0.6}, .offset = Vector(classes)};
    calibration.offset[0] = 0.5;
    expect_decisions_between(plain.with_calibration(calibration), priors, Costs::zero_one(plain),
                             seed);
  }
}

TEST(Boundary, RefusesWhatIsNoNumber) {
  const Model binary =
      model_of({{.name = "u", .family = Family::bernoulli}}, BernoulliDensity{{{0.1}, {0.5}}}, 2);
  EXPECT_THAT(message_of<InvalidArgument>([&] { boundary(binary, 0, Priors::uniform(binary)); }),
              HasSubstr("only along a number"));
  const Model model = normals({1, 3}, {2, 2});
  EXPECT_THROW(boundary(model, 1, Priors::uniform(model)), InvalidArgument);
  EXPECT_THROW(boundary(model, 0, Priors(Names{"a", "c"}, {0.5, 0.5})), InvalidArgument);
}

}  // namespace
}  // namespace suffice::boundary_test
