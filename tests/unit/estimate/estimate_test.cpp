#include "suffice/estimate/estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "suffice/core/error.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::estimate_test {
namespace {

using ::testing::AllOf;
using testing::ClassRows;
using ::testing::ElementsAre;
using testing::gaussian_statistics;
using ::testing::HasSubstr;
using testing::nan;
using ::testing::Pair;
using testing::thrown_by;

// Class a: mean (2, 2), scatter [8 10; 10 14]. Class b: mean (12, 2), scatter [6 6; 6 24].
const std::vector<ClassRows> two_classes{{"a", {{0, 0}, {2, 1}, {4, 5}}},
                                         {"b", {{10, 0}, {13, 6}, {13, 0}}}};

const EstimateOptions plain{.shrinkage = Shrinkage::none()};

GaussianDensity gaussian(const Statistics& statistics, const EstimateOptions& options) {
  return std::get<GaussianDensity>(estimate(statistics, options).densities()[0]);
}

void expect_near(const Matrix& actual, const Matrix& expected) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  for (Index i = 0; i < actual.rows(); ++i)
    for (Index j = 0; j < actual.cols(); ++j)
      EXPECT_NEAR(actual(i, j), expected(i, j), 1e-14 * std::abs(expected(i, j))) << i << ", " << j;
}

TEST(EstimateGaussian, SixStructuresByMaximumLikelihood) {
  const Statistics stats = gaussian_statistics(two_classes, 2);
  const auto of = [&](Covariance covariance) {
    return gaussian(stats, {.covariance = covariance, .shrinkage = Shrinkage::none()});
  };
  const GaussianDensity full = of(Covariance::full);
  EXPECT_EQ(full.mean, (Matrix{{2, 2}, {12, 2}}));
  ASSERT_EQ(full.covariance.size(), 2u);
  expect_near(full.covariance[0], {{8. / 3, 10. / 3}, {10. / 3, 14. / 3}});
  expect_near(full.covariance[1], {{2, 2}, {2, 8}});
  EXPECT_TRUE(full.constant.empty());
  expect_near(of(Covariance::tied).covariance[0], {{14. / 6, 16. / 6}, {16. / 6, 38. / 6}});
  expect_near(of(Covariance::diag).covariance[0], {{8. / 3, 14. / 3}, {2, 8}});
  expect_near(of(Covariance::tied_diag).covariance[0], {{14. / 6, 38. / 6}});
  expect_near(of(Covariance::spherical).covariance[0], {{22. / 6}, {5}});  // trace / (d W)
  expect_near(of(Covariance::tied_spherical).covariance[0], {{52. / 12}});
}

TEST(EstimateGaussian, UnbiasedDividesByWeightLessClasses) {
  const Statistics stats = gaussian_statistics(two_classes, 2);
  const auto of = [&](Covariance covariance) {
    return gaussian(stats, {.covariance = covariance,
                            .normalize = Normalize::unbiased,
                            .shrinkage = Shrinkage::none()})
        .covariance[0];
  };
  expect_near(of(Covariance::full), {{4, 5}, {5, 7}});
  expect_near(of(Covariance::tied), {{3.5, 4}, {4, 9.5}});
  expect_near(of(Covariance::diag), {{4, 7}, {3, 12}});
  expect_near(of(Covariance::tied_diag), {{3.5, 9.5}});
  expect_near(of(Covariance::spherical), {{5.5}, {7.5}});
  expect_near(of(Covariance::tied_spherical), {{6.5}});
}

TEST(EstimateGaussian, PoolingWeightsReplaceTheClassWeights) {
  const Statistics stats = gaussian_statistics(two_classes, 2);
  const auto of = [&](Covariance covariance, Normalize normalize) {
    // 1 : 3, whatever they sum to
    return gaussian(stats, {.covariance = covariance, .normalize = normalize, .pooling = {2, 6}})
        .covariance[0];
  };
  expect_near(of(Covariance::tied, Normalize::mle), {{6.5 / 3, 7. / 3}, {7. / 3, 21.5 / 3}});
  expect_near(of(Covariance::tied, Normalize::unbiased), {{3.25, 3.5}, {3.5, 10.75}});
  expect_near(of(Covariance::tied_diag, Normalize::unbiased), {{3.25, 10.75}});
  expect_near(of(Covariance::tied_spherical, Normalize::unbiased), {{7}});
}

// Rows (1, 1), (3, 5), (5, ?), (?, 3): complete rows have mean (2, 3) and scatter [2 4; 4 8];
// feature x0 has values 1, 3, 5 and x1 has 1, 5, 3: squares 8 each about the mean 3.
TEST(EstimateGaussian, MissingValues) {
  const std::vector<ClassRows> rows{{"a", {{1, 1}, {3, 5}, {5, nan}, {nan, 3}}},
                                    {"b", {{0, 0}, {0, 2}, {2, 0}}}};
  const Statistics dense = gaussian_statistics(rows, 2);
  const Statistics diagonal = gaussian_statistics(rows, 2, Scatter::diagonal);
  EXPECT_EQ(dense.missing(), (Vector{1, 1}));
  EXPECT_EQ(diagonal.missing(), (Vector{1, 1}));
  for (const Statistics* stats : {&dense, &diagonal}) {
    const GaussianDensity diag =
        gaussian(*stats, {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()});
    expect_near(diag.mean, {{3, 3}, {2. / 3, 2. / 3}});
    expect_near(diag.covariance[0], {{8. / 3, 8. / 3}, {8. / 9, 8. / 9}});
    // b has squares 8/3 in each feature: (8 + 8/3) / 6.
    expect_near(gaussian(*stats, {.covariance = Covariance::tied_diag}).covariance[0],
                {{16. / 9, 16. / 9}});
    expect_near(gaussian(*stats, {.covariance = Covariance::spherical}).covariance[0],
                {{16. / 6}, {8. / 9}});
  }
  // [2 4; 4 8] + [8/3 -4/3; -4/3 8/3] over 5 complete rows
  const GaussianDensity tied =
      gaussian(dense, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  expect_near(tied.mean, {{2, 3}, {2. / 3, 2. / 3}});
  expect_near(tied.covariance[0], {{14. / 15, 8. / 15}, {8. / 15, 32. / 15}});
}

TEST(EstimateGaussian, LeavesOutWhatIsConstantOverAllRows) {
  const Statistics stats = gaussian_statistics(
      {{"a", {{0, 7, 0}, {2, 7, 1}, {4, 7, 5}}}, {"b", {{10, 7, 0}, {13, 7, 6}, {13, 7, 0}}}}, 3);
  const GaussianDensity full = gaussian(stats, plain);
  EXPECT_THAT(full.constant, ElementsAre(1));
  EXPECT_EQ(full.mean(0, 1), 7);
  EXPECT_EQ(full.mean(1, 1), 7);
  expect_near(full.covariance[1], {{2, 0, 2}, {0, 0, 0}, {2, 0, 8}});
  expect_near(gaussian(stats, {.covariance = Covariance::tied_spherical}).covariance[0],
              {{52. / 12}});
}

// Each class has its own constant: that tells them apart, but has no variance.
TEST(EstimateGaussian, AConstantOfEachClassIsSingular) {
  const Statistics stats =
      gaussian_statistics({{"a", {{0, 7}, {2, 7}}}, {"b", {{1, 8}, {4, 8}}}}, 2);
  for (const Covariance covariance : {Covariance::tied, Covariance::tied_diag}) {
    const auto error = thrown_by<SingularError>(
        [&] { estimate(stats, {.covariance = covariance, .shrinkage = Shrinkage::none()}); });
    EXPECT_EQ(error.label(), "");
    EXPECT_EQ(error.rank(), 1);
    EXPECT_EQ(error.dimension(), 2);
    EXPECT_THAT(error.features(), ElementsAre("x1"));
  }
  const auto diag = thrown_by<SingularError>(
      [&] { estimate(stats, {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()}); });
  EXPECT_EQ(diag.label(), "a");
  EXPECT_THAT(diag.features(), ElementsAre("x1"));
  EXPECT_NO_THROW(estimate(stats, {.covariance = Covariance::spherical}));
}

TEST(EstimateGaussian, ASingularCovarianceNamesClassRankAndFeatures) {
  // In class b the third feature is the sum of the first two, the fourth has one value.
  const Statistics stats = gaussian_statistics(
      {{"a", {{0, 0, 1, 5}, {1, 0, 0, 1}, {0, 1, 0, 1}, {3, 1, 1, 1}, {0, 5, 2, 2}}},
       {"b", {{0, 1, 1, 3}, {1, 0, 1, 3}, {2, 5, 7, 3}, {4, 1, 5, 3}, {3, 3, 6, 3}}}},
      4);
  const auto error = thrown_by<SingularError>([&] { estimate(stats, plain); });
  EXPECT_EQ(error.label(), "b");
  EXPECT_EQ(error.rank(), 2);
  EXPECT_EQ(error.dimension(), 4);
  EXPECT_THAT(error.features(), ElementsAre("x2", "x3"));
  EXPECT_THAT(error.what(), AllOf(HasSubstr("class 'b'"), HasSubstr("2 of 4"), HasSubstr("'x2'"),
                                  HasSubstr("'x3'"), HasSubstr("'tied'"), HasSubstr("leave")));
  EXPECT_NO_THROW(
      estimate(stats, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()}));
}

TEST(EstimateGaussian, FewerRowsThanFeatures) {
  const Statistics stats = gaussian_statistics(
      {{"a", {{0, 0, 1}, {1, 0, 0}}}, {"b", {{1, 1, 1}, {2, 0, 5}, {0, 3, 4}, {5, 5, 1}}}}, 3);
  const auto error = thrown_by<SingularError>([&] { estimate(stats, plain); });
  EXPECT_EQ(error.label(), "a");
  EXPECT_EQ(error.rank(), 1);
  EXPECT_THAT(error.features(), ElementsAre("x1", "x2"));
}

TEST(EstimateGaussian, AClassOfOneRow) {
  const Statistics stats =
      gaussian_statistics({{"a", {{0, 0}}}, {"b", {{1, 1}, {2, 0}, {0, 3}}}}, 2);
  for (const Covariance covariance : {Covariance::full, Covariance::diag, Covariance::spherical})
    for (const Normalize normalize : {Normalize::mle, Normalize::unbiased}) {
      const auto error = thrown_by<SingularError>([&] {
        estimate(
            stats,
            {.covariance = covariance, .normalize = normalize, .shrinkage = Shrinkage::none()});
      });
      EXPECT_EQ(error.label(), "a");
      EXPECT_EQ(error.rank(), 0);
      EXPECT_THAT(error.features(), ElementsAre("x0", "x1"));
      EXPECT_THAT(error.what(), HasSubstr("class 'a'"));
    }
  EXPECT_NO_THROW(
      estimate(stats, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()}));
  // One row a class leaves nothing for an unbiased tied covariance.
  const Statistics ones = gaussian_statistics({{"a", {{0, 0}}}, {"b", {{1, 1}}}}, 2);
  const auto error = thrown_by<SingularError>([&] {
    estimate(ones, {.covariance = Covariance::tied_diag, .normalize = Normalize::unbiased});
  });
  EXPECT_EQ(error.label(), "");
}

TEST(EstimateGaussian, AClassWithoutRowsStays) {
  Statistics::Parts parts =
      gaussian_statistics(
          {{"a", {{0, 0}, {2, 1}, {4, 5}}}, {"b", {}}, {"c", {{1, 1}, {2, 0}, {0, 3}}}}, 2)
          .parts();
  const Model model = estimate(Statistics(parts));
  EXPECT_EQ(model.weights(), (Vector{3, 0, 3}));
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  EXPECT_EQ(density.covariance[1], Matrix(2, 2));
  EXPECT_EQ(density.mean(1, 0), 0);
  // The unbiased divisor counts the classes that have rows: (8 + 2) / (6 − 2).
  expect_near(gaussian(Statistics(parts),
                       {.covariance = Covariance::tied_diag, .normalize = Normalize::unbiased})
                  .covariance[0],
              {{10. / 4, (14 + 14. / 3) / 4}});
}

TEST(EstimateGaussian, AClassWithoutACompleteRow) {
  const Statistics stats = gaussian_statistics({{"a", {{0, nan}, {nan, 1}, {2, 3}, {nan, 4}}},
                                                {"b", {{1, nan}, {nan, 2}, {4, nan}, {nan, 5}}}},
                                               2);
  const auto full = thrown_by<SingularError>([&] {
    estimate(gaussian_statistics({{"b", {{1, nan}, {nan, 2}, {4, nan}, {nan, 5}}}}, 2), plain);
  });
  EXPECT_EQ(full.label(), "b");
  EXPECT_EQ(full.rank(), 0);
  const auto tied =
      thrown_by<InvalidArgument>([&] { estimate(stats, {.covariance = Covariance::tied}); });
  EXPECT_THAT(tied.what(), AllOf(HasSubstr("class 'b'"), HasSubstr("'diag'")));
  EXPECT_NO_THROW(estimate(stats, {.covariance = Covariance::diag}));

  const Statistics never =
      gaussian_statistics({{"a", {{0, 1}, {2, 3}}}, {"b", {{1, nan}, {4, nan}}}}, 2);
  const auto diag =
      thrown_by<InvalidArgument>([&] { estimate(never, {.covariance = Covariance::diag}); });
  EXPECT_THAT(diag.what(), AllOf(HasSubstr("class 'b'"), HasSubstr("'x1'")));
}

TEST(Estimate, NeedsRowsThatDiffer) {
  EXPECT_THAT(thrown_by<InvalidArgument>([] { estimate(gaussian_statistics({}, 2)); }).what(),
              HasSubstr("no rows"));
  EXPECT_THAT(thrown_by<InvalidArgument>([] {
                estimate(gaussian_statistics({{"a", {}}}, 2));
              }).what(),
              HasSubstr("no rows"));
  for (const Covariance covariance : {Covariance::full, Covariance::tied_spherical})
    EXPECT_THAT(thrown_by<InvalidArgument>([&] {
                  estimate(gaussian_statistics({{"a", {{1, 2}}}}, 2), {.covariance = covariance});
                }).what(),
                HasSubstr("constant"));
}

TEST(Estimate, RefusesOptionsThatCannotBe) {
  const Statistics stats = gaussian_statistics(two_classes, 2);
  const auto message = [&](const EstimateOptions& options) -> std::string {
    return thrown_by<InvalidArgument>([&] { estimate(stats, options); }).what();
  };
  EXPECT_THAT(message({.smoothing = -1}), HasSubstr("-1"));
  EXPECT_THAT(message({.smoothing = nan}), HasSubstr("smoothing"));
  EXPECT_THAT(message({.smoothing = HUGE_VAL}), HasSubstr("smoothing"));
  EXPECT_THAT(message({.pooling = {1, 1}}), HasSubstr("'full'"));
  EXPECT_THAT(message({.covariance = Covariance::tied, .pooling = {1}}), HasSubstr("2 classes"));
  EXPECT_THAT(message({.covariance = Covariance::tied, .pooling = {1, -2}}), HasSubstr("'b'"));
  EXPECT_THAT(message({.covariance = Covariance::tied, .pooling = {0, 0}}), HasSubstr("sum to 0"));
  const Statistics diagonal = gaussian_statistics(two_classes, 2, Scatter::diagonal);
  EXPECT_THAT(thrown_by<InvalidArgument>([&] { estimate(diagonal); }).what(),
              AllOf(HasSubstr("'full'"), HasSubstr("diag")));
}

TEST(Estimate, NotesItsOptions) {
  const Model model =
      estimate(gaussian_statistics(two_classes, 2), {.covariance = Covariance::tied_diag,
                                                     .normalize = Normalize::unbiased,
                                                     .smoothing = 0.1,
                                                     .pooling = {1, 0.5}});
  EXPECT_EQ(model.parts().options, (EstimateOptions{.covariance = Covariance::tied_diag,
                                                    .normalize = Normalize::unbiased,
                                                    .smoothing = 0.1,
                                                    .pooling = {1, 0.5},
                                                    .shrinkage = Shrinkage::none(),
                                                    .target = Target::diag,
                                                    .tails = Tails::normal()}));
}

TEST(EstimateBernoulli, AddsPseudoCounts) {
  const Statistics stats = testing::count_statistics(Family::bernoulli, {"a", "b", "c"}, {4, 8, 0},
                                                     {{1, 4}, {2, 0}, {0, 0}});
  const auto of = [&](double smoothing) {
    return std::get<BernoulliDensity>(estimate(stats, {.smoothing = smoothing}).densities()[0])
        .probability;
  };
  expect_near(of(0), {{0.25, 1}, {0.25, 0}, {0, 0}});
  expect_near(of(1), {{2. / 6, 5. / 6}, {3. / 10, 1. / 10}, {0, 0}});
}

TEST(EstimatePoisson, AddsRowsAtTheRateOfAllClasses) {
  // All classes together: 12 in 6 rows, rate 2; the second feature is never counted.
  const Statistics stats =
      testing::count_statistics(Family::poisson, {"a", "b"}, {2, 4}, {{10, 0}, {2, 0}});
  const auto of = [&](double smoothing) {
    return std::get<PoissonDensity>(estimate(stats, {.smoothing = smoothing}).densities()[0]).rate;
  };
  expect_near(of(0), {{5, 0}, {0.5, 0}});
  expect_near(of(1), {{12. / 3, 0}, {4. / 5, 0}});
}

TEST(EstimateMultinomial, SharesOverTheVocabulary) {
  const Statistics stats =
      testing::count_statistics(Family::multinomial, {"a", "b"}, {1, 1}, {{3, 1, 0}, {0, 0, 6}});
  const auto of = [&](double smoothing) {
    return std::get<MultinomialDensity>(estimate(stats, {.smoothing = smoothing}).densities()[0])
        .probability;
  };
  expect_near(of(0), {{0.75, 0.25, 0}, {0, 0, 1}});
  expect_near(of(0.5), {{3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5}, {0.5 / 7.5, 0.5 / 7.5, 6.5 / 7.5}});
}

TEST(EstimateCategorical, SharesOverTheDictionary) {
  const Statistics stats = testing::level_statistics(
      "colour", {"a", "b"}, {4, 3}, {"blue", "green", "red"}, {{3, 0, 1}, {0, 0, 2}});
  const auto of = [&](double smoothing) {
    return std::get<CategoricalDensity>(estimate(stats, {.smoothing = smoothing}).densities()[0]);
  };
  EXPECT_EQ(of(0).levels[0], (Names{"blue", "green", "red"}));
  expect_near(of(0).probability[0], {{0.75, 0, 0.25}, {0, 0, 1}});
  expect_near(of(2).probability[0], {{0.5, 0.2, 0.3}, {0.25, 0.25, 0.5}});
}

TEST(EstimateCategorical, AFeatureThatIsAlwaysMissingHasNoLevels) {
  const Statistics stats = testing::level_statistics("colour", {"a"}, {4}, {}, Matrix(1, 0));
  const auto density =
      std::get<CategoricalDensity>(estimate(stats, {.smoothing = 0}).densities()[0]);
  EXPECT_TRUE(density.levels[0].empty());
  EXPECT_EQ(density.probability[0].cols(), 0);
}

TEST(EstimateDiscrete, NothingSeenAndNoPseudoCount) {
  const Statistics words =
      testing::count_statistics(Family::multinomial, {"a", "b"}, {1, 2}, {{3, 1}, {0, 0}});
  EXPECT_THAT(thrown_by<InvalidArgument>([&] { estimate(words, {.smoothing = 0}); }).what(),
              AllOf(HasSubstr("class 'b'"), HasSubstr("smoothing")));
  EXPECT_NO_THROW(estimate(words));

  const Statistics levels =
      testing::level_statistics("colour", {"a", "b"}, {4, 3}, {"blue"}, {{4}, {0}});
  EXPECT_THAT(thrown_by<InvalidArgument>([&] { estimate(levels, {.smoothing = 0}); }).what(),
              AllOf(HasSubstr("class 'b'"), HasSubstr("'colour'"), HasSubstr("smoothing")));

  for (const Family family : {Family::bernoulli, Family::poisson}) {
    Statistics::Parts parts =
        testing::count_statistics(family, {"a", "b"}, {4, 3}, {{4, 1}, {2, 0}}).parts();
    std::get<CountStatistics>(parts.blocks[0]).weight(1, 1) = 0;
    const Statistics missing(std::move(parts));
    EXPECT_THAT(thrown_by<InvalidArgument>([&] { estimate(missing, {.smoothing = 0}); }).what(),
                AllOf(HasSubstr("class 'b'"), HasSubstr("'x1'"), HasSubstr("smoothing")));
    EXPECT_NO_THROW(estimate(missing));
  }
}

// A Gaussian block without information does not stop the other features.
TEST(Estimate, AConstantNumberBesideACategory) {
  Statistics::Parts parts =
      testing::level_statistics("colour", {"a", "b"}, {1, 1}, {"blue", "red"}, {{1, 0}, {0, 1}})
          .parts();
  parts.schema = Schema({{.name = "colour", .family = Family::categorical}, {.name = "x"}});
  parts.blocks.push_back(gaussian_statistics({{"a", {{5}}}, {"b", {{5}}}}, 1).blocks()[0]);
  const Model model = estimate(Statistics(std::move(parts)));
  EXPECT_THAT(std::get<GaussianDensity>(model.densities()[1]).constant, ElementsAre(0));
}

}  // namespace
}  // namespace suffice::estimate_test
