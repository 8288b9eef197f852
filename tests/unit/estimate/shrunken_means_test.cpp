#include "suffice/estimate/shrunken_means.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/io/file.hpp"
#include "suffice/left_out/leave_one_out.hpp"

namespace suffice::shrunken_means_test {
namespace {

/// Two classes of two rows, whose means are (1, 10) and (5, 12), those of all rows (3, 11).
Statistics two_classes() {
  Statistics statistics(Schema::numbered(2), {.scatter = Scatter::diagonal});
  const Matrix rows = {{0, 9}, {2, 11}, {3, 8}, {7, 16}};
  const std::vector<std::string> labels = {"a", "a", "b", "b"};
  statistics.update(RowBlock(rows, Column(labels)));
  return statistics;
}

// S = (0 − 1)² + (2 − 1)² + (3 − 5)² + (7 − 5)² = 10 and 1 + 1 + 16 + 16 = 34, over 4 − 2.
const double s0 = std::sqrt(5), s1 = std::sqrt(17), offset = (s0 + s1) / 2;
const double error0 = std::sqrt(.5 - .25) * (s0 + offset);
const double error1 = std::sqrt(.5 - .25) * (s1 + offset);

GaussianDensity estimated(double delta, Covariance covariance = Covariance::tied_diag) {
  const Model model =
      estimate(two_classes(),
               {.covariance = covariance, .shrinkage = Shrinkage::none(), .shrink_means = delta});
  return std::get<GaussianDensity>(model.densities()[0]);
}

TEST(ShrunkenMeans, AtZeroOnlyWidensVariances) {
  const GaussianDensity density = estimated(0);
  EXPECT_DOUBLE_EQ(density.mean(0, 0), 1);
  EXPECT_DOUBLE_EQ(density.mean(1, 1), 12);
  EXPECT_NEAR(density.deviation(0, 0), -2 / error0, 1e-14);
  EXPECT_NEAR(density.deviation(1, 1), 1 / error1, 1e-14);
  EXPECT_NEAR(density.covariance[0](0, 0), std::pow(s0 + offset, 2), 1e-12);
  EXPECT_NEAR(density.covariance[0](0, 1), std::pow(s1 + offset, 2), 1e-12);
}

TEST(ShrunkenMeans, MoveByTheThresholdTowardsTheMeanOfAllRows) {
  const double delta = 0.5;
  ASSERT_GT(2 / error0, delta);
  ASSERT_LT(1 / error1, delta);
  const GaussianDensity density = estimated(delta);
  EXPECT_NEAR(density.deviation(0, 0), -(2 / error0 - delta), 1e-14);
  EXPECT_NEAR(density.mean(0, 0), 3 - (2 - delta * error0), 1e-13);
  EXPECT_NEAR(density.mean(1, 0), 3 + (2 - delta * error0), 1e-13);
  EXPECT_EQ(density.deviation(0, 1), 0);
  EXPECT_EQ(density.mean(0, 1), 11);  // the same bits in all classes
  EXPECT_EQ(density.mean(1, 1), 11);
}

TEST(ShrunkenMeans, KeepTheVariancesOfClassesInDiag) {
  const GaussianDensity density = estimated(0.5, Covariance::diag);
  EXPECT_NEAR(density.covariance[0](0, 0), std::pow(std::sqrt(2) + offset, 2), 1e-12);
  EXPECT_NEAR(density.covariance[0](1, 1), std::pow(std::sqrt(32) + offset, 2), 1e-12);
  EXPECT_EQ(density.mean(0, 1), 11);
}

TEST(ShrunkenMeans, SurvivorsAndThresholds) {
  const Statistics statistics = two_classes();
  const EstimateOptions options{.covariance = Covariance::tied_diag, .shrink_means = 0.5};
  EXPECT_EQ(surviving_features(estimate(statistics, options)), (std::vector<Index>{0}));
  EXPECT_TRUE(
      surviving_features(estimate(statistics, {.covariance = Covariance::tied_diag})).empty());
  const std::vector<double> thresholds = mean_thresholds(statistics, options);
  ASSERT_EQ(thresholds.size(), 30u);
  EXPECT_EQ(thresholds.front(), 0);
  EXPECT_NEAR(thresholds.back(), 2 / error0 * 29 / 30, 0.005);
}

TEST(ShrunkenMeans, AreKeptInFiles) {
  const Model model =
      estimate(two_classes(), {.covariance = Covariance::tied_diag, .shrink_means = 0.5});
  EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
}

TEST(ShrunkenMeans, OfOneClassAreItsOwn) {
  Statistics statistics(Schema::numbered(1), {.scatter = Scatter::diagonal});
  const Matrix rows = {{1}, {2}, {6}};
  statistics.update(RowBlock(rows, Column(std::vector<std::string>{"a", "a", "a"})));
  const Model model =
      estimate(statistics, {.covariance = Covariance::tied_diag, .shrink_means = 1});
  EXPECT_DOUBLE_EQ(std::get<GaussianDensity>(model.densities()[0]).mean(0, 0), 3);
}

TEST(ShrunkenMeans, AreRefusedBesideOtherWays) {
  const auto refused = [](EstimateOptions options) {
    options.shrink_means = 1;
    EXPECT_THROW(resolve(options), InvalidArgument);
  };
  refused({});
  refused({.covariance = Covariance::spherical});
  refused({.covariance = Covariance::tied_diag, .lda = 1});
  refused({.covariance = Covariance::tied_diag, .inference = Inference::bayes});
  refused({.covariance = Covariance::tied_diag, .discriminative = true});
  EXPECT_THROW(resolve({.covariance = Covariance::diag, .shrink_means = -1}), InvalidArgument);
  EXPECT_THROW(resolve({.covariance = Covariance::diag, .shrink_means = std::nan("")}),
               InvalidArgument);
  EXPECT_TRUE(no_leave_one_out(Schema::numbered(2),
                               {.covariance = Covariance::tied_diag, .shrink_means = 1}));
  EstimateOptions options;
  EXPECT_THROW(estimate_option("shrink_means").set(options, "auto"), InvalidArgument);
}

}  // namespace
}  // namespace suffice::shrunken_means_test
