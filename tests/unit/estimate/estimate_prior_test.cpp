// Shrunk covariances, posterior modes and predictive densities, against formulas worked out here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "estimate/shrinkage.hpp"
#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "support/message_of.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::estimate_prior_test {
namespace {

using testing::ClassRows;
using testing::gaussian_statistics;
using ::testing::HasSubstr;
using testing::message_of;
using Kind = Shrinkage::Kind;

constexpr Shrinkage automatic = Shrinkage::automatic();

const std::vector<ClassRows> two_classes{
    {"a", {{0, 0}, {2, 1}, {4, 2}, {2, 5}}},
    {"b", {{10, 1}, {12, 3}, {11, 8}}},
};
// S_a = {{8, 4}, {4, 14}}, S_b = {{2, 2}, {2, 26}}; W = 4, 3.
const Matrix pooled{{10, 6}, {6, 40}};  // f = 5

const GaussianDensity& density_of(const Model& model) {
  return std::get<GaussianDensity>(model.densities()[0]);
}

void expect_near(const Matrix& got, const Matrix& expected, double tolerance = 1e-12) {
  ASSERT_EQ(got.rows(), expected.rows());
  ASSERT_EQ(got.cols(), expected.cols());
  for (Index i = 0; i < got.rows(); ++i)
    for (Index j = 0; j < got.cols(); ++j)
      EXPECT_NEAR(got(i, j), expected(i, j), tolerance * (1 + std::abs(expected(i, j))))
          << i << ", " << j;
}

Matrix plus(const Matrix& a, double times, const Matrix& b, double factor) {
  Matrix result(a.rows(), a.cols());
  for (Index k = 0; k < a.size(); ++k)
    result.data()[k] = (a.data()[k] + times * b.data()[k]) * factor;
  return result;
}

TEST(TowardsTied, MixesScattersAndWeights) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  // a = ¼: [¾ S_a + ¼ S] / [¾ · 4 + ¼ · 7]
  expect_near(density_of(estimate(statistics, {.towards_tied = 0.25})).covariance[0],
              {{8.5 / 4.75, 4.5 / 4.75}, {4.5 / 4.75, 20.5 / 4.75}});
  // unbiased: ¾ · 3 + ¼ · 5
  expect_near(
      density_of(estimate(statistics, {.normalize = Normalize::unbiased, .towards_tied = 0.25}))
          .covariance[0],
      {{8.5 / 3.5, 4.5 / 3.5}, {4.5 / 3.5, 20.5 / 3.5}});
  const Model tied =
      estimate(statistics, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  for (const Index c : {0, 1})
    expect_near(density_of(estimate(statistics, {.towards_tied = 1})).covariance[c],
                density_of(tied).covariance[0]);
}

TEST(TowardsTied, TakesFeaturesOneByOneInDiagonalStructures) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  expect_near(
      density_of(estimate(statistics, {.covariance = Covariance::diag, .towards_tied = 0.25}))
          .covariance[0],
      {{8.5 / 4.75, 20.5 / 4.75}, {4 / 4., 29.5 / 4.}});
  // spherical: squares and weights of both features
  expect_near(
      density_of(estimate(statistics, {.covariance = Covariance::spherical, .towards_tied = 0.25}))
          .covariance[0],
      {{29 / 9.5}, {33.5 / 8.}});
}

TEST(Share, MovesTowardsTheTarget) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  const Shrinkage half = Shrinkage::share(0.5);
  expect_near(density_of(estimate(statistics, {.shrinkage = half})).covariance[0],
              {{2, 0.5}, {0.5, 3.5}});
  expect_near(density_of(estimate(statistics, {.shrinkage = half, .target = Target::spherical}))
                  .covariance[0],
              {{2.375, 0.5}, {0.5, 3.125}});
  expect_near(density_of(estimate(statistics, {.covariance = Covariance::tied, .shrinkage = half}))
                  .covariance[0],
              {{10 / 7., 3 / 7.}, {3 / 7., 40 / 7.}});
  expect_near(density_of(estimate(statistics, {.covariance = Covariance::diag,
                                               .shrinkage = half,
                                               .target = Target::spherical}))
                  .covariance[0],
              {{2.375, 3.125}, {(2 / 3. + 14 / 3.) / 2, (26 / 3. + 14 / 3.) / 2}});
}

TEST(Share, MakesASingularCovarianceRegular) {
  const Statistics statistics =
      gaussian_statistics({{"a", {{0, 0}, {1, 1}}}, {"b", {{5, 0}, {6, 2}}}}, 2);
  EXPECT_THROW(estimate(statistics, {.shrinkage = Shrinkage::none()}), SingularError);
  EXPECT_NO_THROW(estimate(statistics, {.shrinkage = Shrinkage::share(0.1)}));
  EXPECT_NO_THROW(estimate(statistics, {.towards_tied = 0.5}));
  EXPECT_NO_THROW(estimate(statistics, {.shrinkage = automatic}));
}

TEST(Auto, IsThePosteriorMeanAtTheBestStrength) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  const ShrunkScatter target = class_target(pooled, 5);
  const Matrix a{{8, 4}, {4, 14}}, b{{2, 2}, {2, 26}};
  const Model model = estimate(statistics, {.shrinkage = automatic});
  const double v = model.parts().found.shrinkage_rows.at(0);
  EXPECT_EQ(model.parts().options->shrinkage, automatic);
  EXPECT_EQ(model.parts().found.target_rows.at(0), target.rows);
  expect_near(density_of(model).covariance[0], plus(a, v, target.covariance, 1 / (3 + v)));
  expect_near(density_of(model).covariance[1], plus(b, v, target.covariance, 1 / (2 + v)));
  // a given number of rows has the same target
  const Model given = estimate(statistics, {.shrinkage = Shrinkage::rows(2.5)});
  expect_near(density_of(given).covariance[0], plus(a, 2.5, target.covariance, 1 / 5.5));
  // tied: the target itself
  const Model tied = estimate(statistics, {.covariance = Covariance::tied, .shrinkage = automatic});
  expect_near(density_of(tied).covariance[0], target.covariance);
  EXPECT_EQ(tied.parts().found.shrinkage_rows.at(0), target.rows);
}

// Three features and f = 4 − 2: deviations ∓(1, 2, 1) and ∓(2, 1, −3) give the sums of squares 10,
// 10 and 20.
TEST(Auto, IsThePooledDiagonalWithMoreFeaturesThanDegreesOfFreedom) {
  const Statistics statistics =
      gaussian_statistics({{"a", {{0, 0, 0}, {2, 4, 2}}}, {"b", {{10, 0, 6}, {14, 2, 0}}}}, 3);
  const Model tied = estimate(statistics, {.covariance = Covariance::tied, .shrinkage = automatic});
  expect_near(density_of(tied).covariance[0], {{5, 0, 0}, {0, 5, 0}, {0, 0, 10}});
  EXPECT_EQ(tied.parts().found.shrinkage_rows.at(0), HUGE_VAL);
  // full: (S_c + v D) / (1 + v)
  const Model full = estimate(statistics, {.shrinkage = automatic});
  EXPECT_EQ(full.parts().found.target_rows.at(0), HUGE_VAL);
  const double v = full.parts().found.shrinkage_rows.at(0);
  expect_near(
      density_of(full).covariance[0],
      plus({{2, 4, 2}, {4, 8, 4}, {2, 4, 2}}, v, {{5, 0, 0}, {0, 5, 0}, {0, 0, 10}}, 1 / (1 + v)));
}

TEST(TargetShare, MixesThePooledCovarianceWithItsTarget) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  const auto with = [&](double share, Target target) {
    return estimate(statistics, {.covariance = Covariance::full,
                                 .shrinkage = Shrinkage::rows(2),
                                 .target = target,
                                 .target_share = share});
  };
  // S / f = {{2, 1.2}, {1.2, 8}}. Half of its diagonal: {{2, 0.6}, {0.6, 8}}.
  const Model half = with(0.5, Target::diag);
  expect_near(density_of(half).covariance[0],
              plus({{8, 4}, {4, 14}}, 2, {{2, 0.6}, {0.6, 8}}, 0.2));
  expect_near(density_of(half).covariance[1],
              plus({{2, 2}, {2, 26}}, 2, {{2, 0.6}, {0.6, 8}}, 0.25));
  EXPECT_EQ(half.parts().found.shrinkage_rows, std::vector<double>{2});
  EXPECT_TRUE(half.parts().found.target_rows.empty());
  // A quarter of the mean variance, 5: {{2.75, 0.9}, {0.9, 7.25}}.
  expect_near(density_of(with(0.25, Target::spherical)).covariance[0],
              plus({{8, 4}, {4, 14}}, 2, {{2.75, 0.9}, {0.9, 7.25}}, 0.2));
}

TEST(TargetShare, IsForFullCovariancesWithAPrior) {
  const auto message = [](const EstimateOptions& options) {
    return message_of<InvalidArgument>([&] { resolve(options); });
  };
  EXPECT_THAT(message({.covariance = Covariance::tied, .target_share = 0.5}),
              HasSubstr("target_share is for full covariances"));
  EXPECT_THAT(message({.shrinkage = Shrinkage::share(0.1), .target_share = 0.5}),
              HasSubstr("target_share is for full covariances"));
  EXPECT_THAT(message({.target_share = 1.5}), HasSubstr("between 0 and 1"));
  EstimateOptions options;
  estimate_option("target_share").set(options, "0.25");
  EXPECT_EQ(options.target_share, 0.25);
  estimate_option("target_share").set(options, "auto");
  EXPECT_FALSE(options.target_share);
}

TEST(Auto, TakesFeaturesOneByOneInDiagonalStructures) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  const Model model =
      estimate(statistics, {.covariance = Covariance::diag, .shrinkage = automatic});
  const double v = model.parts().found.shrinkage_rows.at(0);
  expect_near(density_of(model).covariance[0], {{(8 + v * 2) / (3 + v), (14 + v * 8) / (3 + v)},
                                                {(2 + v * 2) / (2 + v), (26 + v * 8) / (2 + v)}});
  const std::vector<SeenScatter> seen{{3, 1, {4, 14 / 8.}}, {2, 1, {1, 26 / 8.}}};
  EXPECT_DOUBLE_EQ(v, best_rows(seen));
  for (const Covariance same :
       {Covariance::tied_diag, Covariance::spherical, Covariance::tied_spherical})
    EXPECT_EQ(
        estimate(statistics, {.covariance = same, .shrinkage = automatic}).densities(),
        estimate(statistics, {.covariance = same, .shrinkage = Shrinkage::none()}).densities());
}

TEST(Auto, NeedsOneRowAClass) {
  const Statistics statistics =
      gaussian_statistics({{"a", {{0, 0}, {2, 1}, {1, 5}}}, {"b", {{5, 5}}}}, 2);
  const Model model = estimate(statistics, {.shrinkage = automatic});
  expect_near(density_of(model).covariance[1], class_target(Matrix{{2, 1}, {1, 14}}, 2).covariance);
  const Statistics alone = gaussian_statistics({{"a", {{0, 0}}}, {"b", {{5, 5}}}}, 2);
  EXPECT_THAT(message_of<SingularError>([&] { estimate(alone, {.shrinkage = automatic}); }),
              HasSubstr("needs more than one row per class"));
  // One row more than classes is enough.
  const Statistics three = gaussian_statistics({{"a", {{0, 0}, {2, 1}}}, {"b", {{5, 5}}}}, 2);
  EXPECT_NO_THROW(estimate(three, {.covariance = Covariance::diag, .shrinkage = automatic}));
}

TEST(Auto, NamesAFeatureThatOnlyDiffersBetweenClasses) {
  const Statistics statistics =
      gaussian_statistics({{"a", {{0, 0}, {2, 0}, {1, 0}}}, {"b", {{5, 1}, {7, 1}, {6, 1}}}}, 2);
  for (const Covariance covariance : {Covariance::full, Covariance::tied, Covariance::diag}) {
    const auto error = testing::thrown_by<SingularError>(
        [&] { estimate(statistics, {.covariance = covariance, .shrinkage = automatic}); });
    EXPECT_EQ(error.features(), (std::vector<std::string>{"x1"}));
  }
}

// With this many rows the shrinkage is below rounding: the target is as singular as the scatter.
TEST(Auto, RefusesAPooledScatterWithoutInverse) {
  Statistics::Parts parts = gaussian_statistics({{"a", {{0, 0}, {2, 2}}}}, 2).parts();
  parts.weights[0] = parts.squared_weights[0] = 1e20;
  auto& complete = std::get<GaussianStatistics>(parts.blocks[0]).classes[0].complete;
  complete.weight = 1e20;
  complete.scatter = Matrix{{1e20, 1e20}, {1e20, 1e20}};
  const Statistics statistics(std::move(parts));
  const auto error = testing::thrown_by<SingularError>([&] { estimate(statistics); });
  EXPECT_EQ(error.rank(), 1);
  EXPECT_EQ(error.features(), (std::vector<std::string>{"x1"}));
}

TEST(Auto, LeavesConstantFeaturesOutAndClassesWithoutRows) {
  std::vector<ClassRows> classes = two_classes;
  for (ClassRows& of : classes)
    for (auto& row : of.rows) row.insert(row.begin() + 1, 7.0);
  classes.push_back({"c", {}});
  for (const Inference how : {Inference::plugin, Inference::map, Inference::bayes})
    for (const Covariance structure :
         {Covariance::full, Covariance::tied, Covariance::diag, Covariance::tied_diag,
          Covariance::spherical, Covariance::tied_spherical}) {
      const Model with =
          estimate(gaussian_statistics(classes, 3),
                   {.covariance = structure, .shrinkage = automatic, .inference = how});
      const Model without =
          estimate(gaussian_statistics(two_classes, 2),
                   {.covariance = structure, .shrinkage = automatic, .inference = how});
      const Matrix x{{1, 7, 2}}, y{{1, 2}};
      const Matrix got = log_likelihood(with, x).values,
                   expected = log_likelihood(without, y).values;
      for (const Index c : {0, 1})
        EXPECT_NEAR(got(0, c), expected(0, c), 1e-12 * std::abs(expected(0, c)));
      EXPECT_EQ(got(0, 2), -std::numeric_limits<double>::infinity());
    }
}

TEST(ShrinkageNotGiven, IsAuto) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  for (const Covariance structure :
       {Covariance::full, Covariance::tied, Covariance::diag, Covariance::tied_diag,
        Covariance::spherical, Covariance::tied_spherical})
    for (const Inference how : {Inference::plugin, Inference::map, Inference::bayes})
      EXPECT_EQ(estimate(statistics, {.covariance = structure, .inference = how}),
                estimate(statistics,
                         {.covariance = structure, .shrinkage = automatic, .inference = how}));
  EXPECT_EQ(estimate(statistics, {.pca = Pca{.components = 1}}),
            estimate(statistics, {.pca = Pca{.components = 1}, .shrinkage = automatic}));
  EXPECT_EQ(estimate(statistics), estimate(statistics, {.shrinkage = automatic}));
}

TEST(ShrinkageNotGiven, IsNoneBesideAnotherMixture) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  EXPECT_EQ(estimate(statistics, {.towards_tied = 0.25}),
            estimate(statistics, {.shrinkage = Shrinkage::none(), .towards_tied = 0.25}));
  const EstimateOptions pooled_by{.covariance = Covariance::tied, .pooling = {1, 3}};
  EXPECT_EQ(estimate(statistics, pooled_by),
            estimate(statistics, {.covariance = Covariance::tied,
                                  .pooling = {1, 3},
                                  .shrinkage = Shrinkage::none()}));
  EXPECT_EQ(resolve(pooled_by).shrinkage, Shrinkage::none());
  EXPECT_EQ(resolve({}).shrinkage, automatic);
  EXPECT_EQ(resolve({.shrinkage = Shrinkage::share(0.5)}).shrinkage, Shrinkage::share(0.5));
}

TEST(ShrinkageNotGiven, HasNoSphericalTarget) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  for (const double towards_tied : {0.0, 0.25}) {
    const EstimateOptions options{.target = Target::spherical, .towards_tied = towards_tied};
    EXPECT_THAT(message_of<InvalidArgument>([&] { estimate(statistics, options); }),
                HasSubstr("no share is given"));
  }
  EXPECT_NO_THROW(
      estimate(statistics, {.shrinkage = Shrinkage::none(), .target = Target::spherical}));
}

TEST(Resolve, PutsBackWhatChangesNothing) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  const auto expect_resolved = [&](const EstimateOptions& given, const EstimateOptions& expected) {
    const EstimateOptions got = resolve(given), again = resolve(got);
    for (const EstimateOptions& options : {got, again}) {
      EXPECT_EQ(options.shrinkage, expected.shrinkage);
      EXPECT_EQ(options.target, expected.target.value_or(Target::diag));
      EXPECT_EQ(options.normalize, expected.normalize);
      EXPECT_EQ(options.inference, given.inference);
      EXPECT_EQ(options.covariance, given.covariance);
    }
    EXPECT_EQ(estimate(statistics, given), estimate(statistics, expected));
  };
  const Shrinkage half = Shrinkage::share(0.5);
  const Normalize unbiased = Normalize::unbiased;
  // The diagonal of a diagonal, the mean of one variance.
  for (const Covariance structure :
       {Covariance::diag, Covariance::tied_diag, Covariance::spherical, Covariance::tied_spherical})
    expect_resolved(
        {.covariance = structure, .normalize = unbiased, .shrinkage = half},
        {.covariance = structure, .normalize = unbiased, .shrinkage = Shrinkage::none()});
  expect_resolved(
      {.covariance = Covariance::spherical, .shrinkage = half, .target = Target::spherical},
      {.covariance = Covariance::spherical, .shrinkage = Shrinkage::none()});
  for (const Covariance structure :
       {Covariance::tied_diag, Covariance::spherical, Covariance::tied_spherical})
    expect_resolved({.covariance = structure, .shrinkage = automatic},
                    {.covariance = structure, .shrinkage = Shrinkage::none()});
  // A prior divides as it must, and a share of nothing has no target.
  expect_resolved({.normalize = unbiased}, {.shrinkage = automatic});
  expect_resolved(
      {.normalize = unbiased, .shrinkage = Shrinkage::none(), .inference = Inference::map},
      {.shrinkage = Shrinkage::none(), .inference = Inference::map});
  expect_resolved({.shrinkage = Shrinkage::none(), .target = Target::spherical},
                  {.shrinkage = Shrinkage::none()});
}

TEST(Resolve, LeavesWhatChangesSomething) {
  const EstimateOptions mean_variance{.covariance = Covariance::diag,
                                      .normalize = Normalize::unbiased,
                                      .shrinkage = Shrinkage::share(0.5),
                                      .target = Target::spherical};
  EXPECT_EQ(resolve(mean_variance).shrinkage, mean_variance.shrinkage);
  EXPECT_EQ(resolve(mean_variance).target, Target::spherical);
  EXPECT_EQ(resolve(mean_variance).normalize, Normalize::unbiased);
  EXPECT_EQ(resolve({.covariance = Covariance::diag}).shrinkage, automatic);
  EXPECT_EQ(resolve({.covariance = Covariance::spherical, .inference = Inference::bayes}).shrinkage,
            automatic);
}

TEST(Map, IsTheModeOfThePosterior) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  const EstimateOptions map{.shrinkage = Shrinkage::none(), .inference = Inference::map};
  // v = 1, T = diag(2, 8), f = 3: divided by f + v + 2d + 2 = 10
  expect_near(density_of(estimate(statistics, map)).covariance[0], {{1, 0.4}, {0.4, 2.2}});
  expect_near(density_of(estimate(statistics, {.covariance = Covariance::tied,
                                               .shrinkage = Shrinkage::none(),
                                               .inference = Inference::map}))
                  .covariance[0],
              {{12 / 12., 6 / 12.}, {6 / 12., 48 / 12.}});
  // features one by one: f + v + 4
  expect_near(density_of(estimate(statistics, {.covariance = Covariance::diag,
                                               .shrinkage = Shrinkage::none(),
                                               .inference = Inference::map}))
                  .covariance[0],
              {{10 / 8., 22 / 8.}, {4 / 7., 34 / 7.}});
  expect_near(density_of(estimate(statistics, {.covariance = Covariance::tied_diag,
                                               .shrinkage = Shrinkage::none(),
                                               .inference = Inference::map}))
                  .covariance[0],
              {{12 / 10., 48 / 10.}});
  // one variance for both features: two values per row, pooled variance 50 / 10
  expect_near(density_of(estimate(statistics, {.covariance = Covariance::spherical,
                                               .shrinkage = Shrinkage::none(),
                                               .inference = Inference::map}))
                  .covariance[0],
              {{(22 + 2 * 5) / (6 + 2 + 4.)}, {(28 + 2 * 5) / (4 + 2 + 4.)}});
  expect_near(density_of(estimate(statistics, {.covariance = Covariance::tied_spherical,
                                               .shrinkage = Shrinkage::none(),
                                               .inference = Inference::map}))
                  .covariance[0],
              {{(50 + 2 * 5) / (10 + 2 + 4.)}});
}

TEST(Bayes, IsStudentsT) {
  const Statistics statistics = gaussian_statistics(two_classes, 2);
  const Model full =
      estimate(statistics, {.shrinkage = Shrinkage::none(), .inference = Inference::bayes});
  // f + v + 2 = 6 degrees of freedom, scale (1 + ¼) (S + T) / 6
  expect_near(density_of(full).dof, {{6}, {5}});
  expect_near(density_of(full).covariance[0],
              {{1.25 * 10 / 6, 1.25 * 4 / 6}, {1.25 * 4 / 6, 1.25 * 22 / 6}});
  EXPECT_TRUE(density_of(full).scale.empty());
  const Model tied = estimate(statistics, {.covariance = Covariance::tied,
                                           .shrinkage = Shrinkage::none(),
                                           .inference = Inference::bayes});
  expect_near(density_of(tied).dof, {{8}, {8}});
  expect_near(density_of(tied).scale, {{1.25}, {4 / 3.}});
  expect_near(density_of(tied).covariance[0], {{12 / 8., 6 / 8.}, {6 / 8., 48 / 8.}});
  const Model spherical = estimate(statistics, {.covariance = Covariance::spherical,
                                                .shrinkage = Shrinkage::none(),
                                                .inference = Inference::bayes});
  expect_near(density_of(spherical).dof, {{10}, {8}});
  expect_near(density_of(spherical).covariance[0], {{32 / 10.}, {38 / 8.}});
  expect_near(density_of(spherical).scale, {{1.25, 1.25}, {4 / 3., 4 / 3.}});
}

TEST(Auto, IsTheSameOnAnyNumberOfThreads) {
  const Index d = 40;
  std::vector<ClassRows> classes{{"a", {}}, {"b", {}}, {"c", {}}};
  for (Index i = 0; i < 180; ++i) {
    RowRandom random(2, static_cast<std::uint64_t>(i));
    std::vector<double> row;
    for (Index j = 0; j < d; ++j)
      row.push_back(random.normal() * static_cast<double>(1 + j) + (j > 0 ? row.back() : 0));
    classes[static_cast<std::size_t>(i % 3)].rows.push_back(row);
  }
  const Statistics statistics = gaussian_statistics(classes, d);
  for (const Inference how : {Inference::plugin, Inference::bayes}) {
    const EstimateOptions options{.shrinkage = automatic, .inference = how};
    EXPECT_EQ(estimate(statistics, options, {.threads = 1}),
              estimate(statistics, options, {.threads = 4}));
  }
}

TEST(Prior, TakesAWeightOfTwoAsADuplicate) {
  const Matrix once{{0, 0}, {2, 1}, {4, 2}, {2, 5}, {10, 1}, {12, 3}, {11, 8}};
  const std::vector<std::string> labels{"a", "a", "a", "a", "b", "b", "b"};
  const std::vector<double> weights{1, 2, 1, 1, 1, 1, 0};
  const Matrix copied{{0, 0}, {2, 1}, {2, 1}, {4, 2}, {2, 5}, {10, 1}, {12, 3}};
  const std::vector<std::string> copied_labels{"a", "a", "a", "a", "a", "b", "b"};
  Statistics weighted(Schema::numbered(2)), duplicated(Schema::numbered(2));
  weighted.update(RowBlock(once, labels, weights));
  duplicated.update(RowBlock(copied, copied_labels));
  const Matrix x{{3, 3}};
  for (const Covariance structure :
       {Covariance::full, Covariance::tied, Covariance::diag, Covariance::spherical})
    for (const Inference how : {Inference::plugin, Inference::map, Inference::bayes}) {
      const EstimateOptions options{
          .covariance = structure, .shrinkage = automatic, .inference = how};
      const Matrix got = log_likelihood(estimate(weighted, options), x).values;
      const Matrix expected = log_likelihood(estimate(duplicated, options), x).values;
      for (const Index c : {0, 1}) EXPECT_NEAR(got(0, c), expected(0, c), 1e-9);
    }
}

/// ∫∫ f(m, s) dm d ln s by the trapezium rule, f falling to nothing at the edges.
double integral(const std::function<double(double, double)>& f) {
  double sum = 0;
  const double step_m = 0.05, step_s = 0.02;
  for (double m = -60; m <= 60; m += step_m)
    for (double log_s = -6; log_s <= 12; log_s += step_s) sum += f(m, std::exp(log_s));
  return sum * step_m * step_s;
}

TEST(Bayes, IsTheIntegralOverMeansAndVariances) {
  const std::vector<double> a{0, 1, 3};
  const double target = (14 / 3. + 8) / 4;  // the pooled variance
  const Statistics statistics =
      gaussian_statistics({{"a", {{0}, {1}, {3}}}, {"b", {{10}, {12}, {14}}}}, 1);
  for (const double v : {1.0, 3.5}) {
    const EstimateOptions options{.shrinkage = v == 1 ? Shrinkage::none() : Shrinkage::rows(v),
                                  .inference = Inference::bayes};
    // posterior ∝ Π N(x; m, s) · inverse gamma(s; ν/2, vT/2) with ν = v + 2; ds = s d ln s
    const auto posterior = [&](double m, double s) {
      double log_p = -(v + 2) / 2 * std::log(s) - v * target / (2 * s);
      for (const double x : a) log_p -= (x - m) * (x - m) / (2 * s) + std::log(s) / 2;
      return std::exp(log_p);
    };
    const double whole = integral(posterior);
    for (const double x : {-3.0, 1.0, 9.0}) {
      const double expected = integral([&](double m, double s) {
                                return posterior(m, s) * std::exp(-(x - m) * (x - m) / (2 * s)) /
                                       std::sqrt(2 * std::acos(-1.0) * s);
                              }) /
                              whole;
      for (const Covariance structure :
           {Covariance::full, Covariance::diag, Covariance::spherical}) {
        EstimateOptions with = options;
        with.covariance = structure;
        const Matrix row{{x}};
        EXPECT_NEAR(log_likelihood(estimate(statistics, with), row).values(0, 0),
                    std::log(expected), 1e-6)
            << to_string(structure) << " at " << x << " with v = " << v;
      }
    }
  }
}

TEST(Options, AreRefusedBeforeThereAreRows) {
  const std::vector<std::pair<EstimateOptions, std::string>> wrong{
      {{.shrinkage = Shrinkage::share(1.5)}, "shrinkage must lie between 0 and 1, not 1.5"},
      {{.shrinkage = Shrinkage::share(-0.1)}, "must lie between 0 and 1"},
      {{.shrinkage = Shrinkage::share(std::nan(""))}, "must lie between 0 and 1"},
      {{.towards_tied = 2}, "towards_tied must lie between 0 and 1, not 2"},
      {{.covariance = Covariance::tied, .towards_tied = 0.5}, "towards_tied must be 0"},
      {{.shrinkage = Shrinkage::oas(), .target = Target::diag}, "use target 'spherical'"},
      {{.covariance = Covariance::diag, .shrinkage = Shrinkage::oas(), .target = Target::spherical},
       "full and tied"},
      {{.shrinkage = automatic, .target = Target::spherical}, "a target of its own"},
      {{.target = Target::spherical}, "no share is given"},
      {{.shrinkage = automatic, .towards_tied = 0.5}, "towards each other already"},
      {{.covariance = Covariance::tied, .pooling = {1, 1}, .shrinkage = automatic},
       "leave the pooling weights out"},
      {{.shrinkage = Shrinkage::rows(0)}, "more than 0 and finite"},
      {{.shrinkage = Shrinkage::share(0.5), .inference = Inference::map}, "'auto' (or 0)"},
      {{.towards_tied = 0.5, .inference = Inference::bayes}, "'bayes' shrinks the classes"},
      {{.smoothing = -1}, "smoothing must be at least 0, not -1"},
      {{.pooling = {1, 1}}, "pooling weights are for a tied covariance"},
  };
  for (const auto& [options, text] : wrong)
    EXPECT_THAT(message_of([&] { resolve(options); }), HasSubstr(text));
  EXPECT_NO_THROW(resolve(EstimateOptions{}));
  EXPECT_NO_THROW(resolve(EstimateOptions{.shrinkage = automatic, .inference = Inference::bayes}));
}

TEST(Options, BayesNeedsAPriorOfCounts) {
  const Statistics statistics =
      testing::count_statistics(Family::poisson, {"a", "b"}, {2, 3}, {{4, 1}, {3, 2}});
  EXPECT_THAT(
      message_of([&] { estimate(statistics, {.smoothing = 0, .inference = Inference::bayes}); }),
      HasSubstr("needs a prior for the poisson feature 'x0'"));
}

}  // namespace
}  // namespace suffice::estimate_prior_test
