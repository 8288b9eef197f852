#include "suffice/train/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace {

constexpr double empty_cell = std::numeric_limits<double>::quiet_NaN();

/// Rows of two classes, correlated within them, of which cells were emptied at random.
struct Emptied {
  Matrix x;
  std::vector<std::string> labels;
  Vector weights;

  Emptied(Index n, Index d, double share, unsigned seed) : x(n, d), weights(n) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    for (Index i = 0; i < n; ++i) {
      labels.push_back(i % 3 ? "a" : "b");
      weights[i] = i % 2 ? 2 : 1;
      double common = normal(generator);
      for (Index j = 0; j < d; ++j)
        x(i, j) = (i % 3 ? 1.0 : -0.5) * static_cast<double>(j) + (i % 3 ? 1.5 : 0.7) * common +
                  normal(generator);
      for (Index j = 0; j < d; ++j)
        if (uniform(generator) < share) x(i, j) = empty_cell;
    }
  }
  RowBlock rows() const { return RowBlock(MatrixView(x), Column(labels), Column(weights)); }
  Statistics statistics() const { return Statistics(Schema::numbered(x.cols())).update(rows()); }
  RowPass pass() const {
    return [this](const auto& use) { use(rows()); };
  }
};

Completion by_maximum_likelihood(const Emptied& data, Covariance covariance) {
  return complete(data.statistics(), data.pass(),
                  {.estimate = {.covariance = covariance, .shrinkage = Shrinkage::none()},
                   .passes = {.iterations = 2000, .tolerance = 1e-13}});
}

/// log p of the present numbers, given the classes, by the marginal densities.
double observed_log_likelihood(const Model& model, const Emptied& data) {
  const LogLikelihoods scores = log_likelihood(model, RowBlock(MatrixView(data.x)));
  double sum = 0;
  for (Index i = 0; i < data.x.rows(); ++i)
    sum +=
        data.weights[i] * scores.values(i, data.labels[static_cast<std::size_t>(i)] == "a" ? 0 : 1);
  return sum;
}

class CompletionOf : public ::testing::TestWithParam<Covariance> {};

TEST_P(CompletionOf, LikelihoodNeverFallsAndIsThatOfTheMarginals) {
  const Emptied data(120, 4, 0.3, 1);
  const Completion result = by_maximum_likelihood(data, GetParam());
  EXPECT_TRUE(result.converged);
  ASSERT_GT(result.log_likelihood.size(), 3U);
  for (std::size_t k = 1; k < result.log_likelihood.size(); ++k)
    EXPECT_GE(result.log_likelihood[k], result.log_likelihood[k - 1] - 1e-9);
  EXPECT_NEAR(observed_log_likelihood(result.model(), data), result.log_likelihood.back(), 1e-7);
}

TEST_P(CompletionOf, IsAMaximum) {
  const Emptied data(90, 3, 0.25, 2);
  const Model model = by_maximum_likelihood(data, GetParam()).model();
  const double best = observed_log_likelihood(model, data);
  // Any small change of a mean or a covariance makes the rows less likely.
  for (const double step : {1e-3, -1e-3}) {
    const auto with = [&](const auto& change) {
      Model::Parts parts = model.parts();
      change(std::get<GaussianDensity>(parts.densities[0]));
      return observed_log_likelihood(Model(std::move(parts)), data);
    };
    for (Index c = 0; c < 2; ++c)
      for (Index j = 0; j < 3; ++j)
        EXPECT_LT(with([&](GaussianDensity& of) { of.mean(c, j) += step; }), best);
    const Index covariances = GetParam() == Covariance::tied ? 1 : 2;
    for (Index c = 0; c < covariances; ++c)
      for (Index j = 0; j < 3; ++j)
        for (Index k = 0; k <= j; ++k)
          EXPECT_LT(with([&](GaussianDensity& of) {
                      Matrix& covariance = of.covariance[static_cast<std::size_t>(c)];
                      covariance(j, k) += step;
                      if (j != k) covariance(k, j) += step;
                    }),
                    best);
  }
}

TEST_P(CompletionOf, CompleteRowsNeedNoPass) {
  const Emptied data(60, 3, 0, 3);
  const Completion result =
      complete(data.statistics(), [](const auto&) { FAIL() << "a pass over complete rows"; },
               {.estimate = {.covariance = GetParam()}});
  EXPECT_TRUE(result.log_likelihood.empty());
  EXPECT_EQ(result.statistics, data.statistics());
  EXPECT_EQ(result.model(), estimate(data.statistics(), {.covariance = GetParam()}));
}

TEST_P(CompletionOf, SameBitsOnAnyNumberOfThreads) {
  const Emptied data(3000, 7, 0.2, 4);
  const auto with = [&](int threads) {
    return complete(data.statistics(), data.pass(), {.estimate = {.covariance = GetParam()}},
                    {.threads = threads});
  };
  const Completion one = with(1), three = with(3);
  EXPECT_EQ(one.statistics, three.statistics);
  EXPECT_EQ(one.log_likelihood, three.log_likelihood);
}

TEST_P(CompletionOf, AWeightIsACopyAndZeroIsAbsence) {
  const Emptied data(80, 3, 0.3, 5);
  Matrix copies(120 + 3, 3);
  std::vector<std::string> labels;
  Index n = 0;
  for (Index i = 0; i < 80; ++i)
    for (int k = 0; k < static_cast<int>(data.weights[i]); ++k, ++n) {
      std::ranges::copy(data.x.row(i), copies.row(n).begin());
      labels.push_back(data.labels[static_cast<std::size_t>(i)]);
    }
  ASSERT_EQ(n, 120);
  labels.resize(123, "a");  // of weight 0
  copies(120, 0) = empty_cell;
  Vector weights(123);
  std::fill_n(weights.begin(), 120, 1.0);
  const RowBlock rows{MatrixView(copies), Column(labels), Column(weights)};
  const Completion one =
      complete(data.statistics(), data.pass(), {.estimate = {.covariance = GetParam()}});
  const Completion other =
      complete(Statistics(Schema::numbered(3)).update(rows), [&](const auto& use) { use(rows); },
               {.estimate = {.covariance = GetParam()}});
  const Model first = one.model(), second = other.model();
  const auto& a = std::get<GaussianDensity>(first.densities()[0]);
  const auto& b = std::get<GaussianDensity>(second.densities()[0]);
  EXPECT_LT((a.mean.map() - b.mean.map()).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((a.covariance[0].map() - b.covariance[0].map()).cwiseAbs().maxCoeff(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Structures, CompletionOf,
                         ::testing::Values(Covariance::full, Covariance::tied),
                         [](const auto& of) { return std::string(to_string(of.param)); });

// Two features of which the second is missing in some rows: the maximum is known in closed form
// (Anderson 1957): the first one's moments are those of all rows, and the regression of the second
// on the first is that of the complete rows.
TEST(Completion, MonotonePatternHasAClosedForm) {
  const Matrix x{{1, 2},          {2, 3.5},        {3, 2.5},       {4, 5},
                 {6, empty_cell}, {0, empty_cell}, {5, empty_cell}};
  const std::vector<std::string> labels(7, "a");
  const RowBlock rows{MatrixView(x), Column(labels)};
  const Statistics statistics = Statistics(Schema::numbered(2)).update(rows);
  const Completion result = complete(statistics, [&](const auto& use) { use(rows); },
                                     {.estimate = {.shrinkage = Shrinkage::none()},
                                      .passes = {.iterations = 3000, .tolerance = 1e-15}});
  const double m1 = 3.0, v1 = (4 + 1 + 0 + 1 + 9 + 9 + 4) / 7.0;  // all rows
  const double x1 = 2.5, x2 = 3.25;                               // complete rows
  const double s11 = 5.0 / 4;
  const double s12 = (-1.5 * -1.25 + -0.5 * 0.25 + 0.5 * -0.75 + 1.5 * 1.75) / 4;
  const double s22 = (1.25 * 1.25 + 0.25 * 0.25 + 0.75 * 0.75 + 1.75 * 1.75) / 4;
  const double slope = s12 / s11, residual = s22 - slope * s12;
  const Model model = result.model();
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  EXPECT_NEAR(density.mean(0, 0), m1, 1e-12);
  EXPECT_NEAR(density.mean(0, 1), x2 + slope * (m1 - x1), 1e-6);
  EXPECT_NEAR(density.covariance[0](0, 0), v1, 1e-12);
  EXPECT_NEAR(density.covariance[0](0, 1), slope * v1, 1e-6);
  EXPECT_NEAR(density.covariance[0](1, 1), residual + slope * slope * v1, 1e-6);
  const EstimateFound& found = model.parts().found;
  EXPECT_EQ(found.used_rows, std::vector{7.0});
  EXPECT_EQ(found.complete_rows, std::vector{4.0});
  EXPECT_EQ(found.used_values, std::vector{11.0});
  EXPECT_EQ(found.present_values, std::vector{11.0});
}

// Murray's (1977) twelve rows are symmetric: without correlation the likelihood has a saddle point,
// and its two maxima have the correlations ±1/2 and the variances 8/3.
TEST(Completion, LeavesASaddlePoint) {
  Matrix x{{1, 1},          {1, -1},         {-1, 1},          {-1, -1},
           {2, empty_cell}, {2, empty_cell}, {-2, empty_cell}, {-2, empty_cell},
           {empty_cell, 2}, {empty_cell, 2}, {empty_cell, -2}, {empty_cell, -2}};
  const std::vector<std::string> labels(12, "a");
  const auto log_likelihood_at = [](double variance, double correlation) {
    const double log_2pi = std::log(2 * std::numbers::pi);
    const double alone = -0.5 * (log_2pi + std::log(variance) + 4 / variance);
    const double rest = 1 - correlation * correlation;
    const double pairs = 4 * -(log_2pi + std::log(variance) + 0.5 * std::log(rest)) -
                         0.5 * 8 / (variance * rest);  // the cross products cancel
    return 8 * alone + pairs;
  };
  EXPECT_NEAR(log_likelihood_at(2.5, 0), -30.0333, 5e-5);
  EXPECT_NEAR(log_likelihood_at(8.0 / 3, 0.5), -29.9743, 5e-5);
  for (const Covariance covariance : {Covariance::full, Covariance::tied})
    for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
      SCOPED_TRACE(std::string(to_string(covariance)) + ", seed " + std::to_string(seed));
      const RowBlock rows{MatrixView(x), Column(labels)};
      const Completion result = complete(
          Statistics(Schema::numbered(2)).update(rows), [&](const auto& use) { use(rows); },
          {.estimate = {.covariance = covariance, .shrinkage = Shrinkage::none()},
           .passes = {.iterations = 1000, .tolerance = 1e-13, .seed = seed}});
      const Model model = result.model();
      const Matrix& found = std::get<GaussianDensity>(model.densities()[0]).covariance[0];
      EXPECT_NEAR(std::abs(found(0, 1)), 4.0 / 3, 1e-5);
      EXPECT_NEAR(found(0, 0), 8.0 / 3, 1e-5);
      EXPECT_NEAR(found(1, 1), 8.0 / 3, 1e-5);
      EXPECT_NEAR(result.log_likelihood.back(), log_likelihood_at(8.0 / 3, 0.5), 1e-9);
      EXPECT_TRUE(std::ranges::is_sorted(result.log_likelihood));
    }
  // The tolerance that is the default is enough.
  const RowBlock rows{MatrixView(x), Column(labels)};
  EXPECT_NEAR(
      complete(Statistics(Schema::numbered(2)).update(rows), [&](const auto& use) { use(rows); },
               {.estimate = {.shrinkage = Shrinkage::none()}})
          .log_likelihood.back(),
      -29.9743, 1e-4);
}

// Two features that no row has together have no correlation, and other ones are not more likely.
TEST(Completion, StaysWhereNothingIsKnown) {
  const Matrix x{{1, empty_cell}, {2, empty_cell}, {4, empty_cell},
                 {empty_cell, 1}, {empty_cell, 3}, {empty_cell, 4}};
  const std::vector<std::string> labels(6, "a");
  const RowBlock rows{MatrixView(x), Column(labels)};
  const Completion result =
      complete(Statistics(Schema::numbered(2)).update(rows), [&](const auto& use) { use(rows); },
               {.estimate = {.shrinkage = Shrinkage::none()}, .passes = {.tolerance = 1e-12}});
  EXPECT_NEAR(std::get<GaussianDensity>(result.model().densities()[0]).covariance[0](0, 1), 0,
              1e-12);
}

// What needs which rows to be missing at random (docs/theory.md): x1 is missing where x0 > 0. The
// means are 0 and 0; those of the rows with x0 < 0 are −√(2/π) and −0.8 √(2/π).
TEST(Completion, MissingAtRandomIsEnoughForEmAlone) {
  constexpr Index n = 20000;
  Matrix x(n, 2);
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = normal(generator);
    x(i, 1) = 0.8 * x(i, 0) + 0.6 * normal(generator);
    if (x(i, 0) > 0) x(i, 1) = empty_cell;
  }
  const std::vector<std::string> labels(n, "a");
  const RowBlock rows{MatrixView(x), Column(labels)};
  const Statistics statistics = Statistics(Schema::numbered(2)).update(rows);
  const auto mean = [](const Model& model, Index j) {
    return std::get<GaussianDensity>(model.densities()[0]).mean(0, j);
  };
  const Model em = complete(statistics, [&](const auto&use) { use(rows); },
                            {.estimate = {.shrinkage = Shrinkage::none()}})
                       .model(),
              of_complete = estimate(statistics, {.shrinkage = Shrinkage::none()}),
              diagonal = estimate(statistics, {.covariance = Covariance::diag});
  const double half_normal = std::sqrt(2 / std::numbers::pi);
  EXPECT_NEAR(mean(em, 0), 0, 0.03);
  EXPECT_NEAR(mean(em, 1), 0, 0.03);
  EXPECT_NEAR(mean(of_complete, 0), -half_normal, 0.03);
  EXPECT_NEAR(mean(of_complete, 1), -0.8 * half_normal, 0.03);
  EXPECT_NEAR(mean(diagonal, 0), 0, 0.03);
  EXPECT_NEAR(mean(diagonal, 1), -0.8 * half_normal, 0.03);
}

TEST(Completion, OfOneScatterForAllClassesIsTheSame) {
  for (const double share : {0.1, 0.4}) {
    const Emptied data(300, 5, share, 5);
    const CompletionOptions options{
        .estimate = {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()},
        .passes = {.iterations = 3000, .tolerance = 1e-14}};
    const Completion dense = complete(data.statistics(), data.pass(), options),
                     pooled = complete(with_scatter(data.statistics(), Scatter::pooled),
                                       data.pass(), options);
    EXPECT_EQ(scatter_of(pooled.statistics), Scatter::pooled);
    EXPECT_NEAR(pooled.log_likelihood.back(), dense.log_likelihood.back(), 1e-8);
    for (const Covariance covariance : {Covariance::tied, Covariance::diag}) {
      const EstimateOptions of{.covariance = covariance, .shrinkage = Shrinkage::none()};
      const auto expected = log_likelihood(estimate(dense.statistics, of), data.rows()),
                 got = log_likelihood(estimate(pooled.statistics, of), data.rows());
      for (Index i = 0; i < expected.rows(); ++i)
        for (Index c = 0; c < 2; ++c)
          EXPECT_NEAR(got.values(i, c), expected.values(i, c), 1e-6) << i;
    }
  }
}

TEST(Completion, StopsAfterSoManyPasses) {
  const Emptied data(100, 4, 0.3, 7);
  const Completion result = complete(
      data.statistics(), data.pass(),
      {.estimate = {.shrinkage = Shrinkage::none()}, .passes = {.iterations = 2, .tolerance = 0}});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.log_likelihood.size(), 2U);
  EXPECT_EQ(result.model().parts().found.em_passes, std::vector{2.0});
}

TEST(Completion, RefusesWhatCannotBe) {
  Emptied data(30, 3, 0.2, 8);
  for (Index i = 0; i < 30; ++i)
    if (data.labels[static_cast<std::size_t>(i)] == "b") data.x(i, 1) = empty_cell;
  try {
    complete(data.statistics(), data.pass());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "class 'b', feature 'x1': there is no value, so the mean is unknown; leave this "
                 "feature out, or give rows that have it");
  }
  const Emptied good(30, 3, 0.2, 9);
  EXPECT_THROW(complete(good.statistics(), good.pass(), {.passes = {.iterations = 0}}),
               InvalidArgument);
  EXPECT_THROW(complete(good.statistics(), good.pass(), {.passes = {.tolerance = empty_cell}}),
               InvalidArgument);
  const Emptied others(30, 3, 0.2, 10);
  Emptied third = others;
  third.labels[0] = "c";
  EXPECT_THROW(complete(good.statistics(), third.pass()), InvalidArgument);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(complete(good.statistics(), good.pass(), {}, {.stop = stop.get_token()}), Cancelled);
}

TEST(Completion, ShareOfTheClassThatLosesMost) {
  const Matrix x{{1, 2}, {2, empty_cell}, {3, 1}, {4, 4}, {5, 1}};
  const std::vector<std::string> labels{"a", "a", "b", "b", "b"};
  EXPECT_EQ(
      incomplete_share(Statistics(Schema::numbered(2)).update({MatrixView(x), Column(labels)})),
      0.5);
}

}  // namespace
}  // namespace suffice
