// Waiting times: exponential densities and their predictive Lomax densities. Values of SciPy are in
// tests/reference/exponential.json; the others are worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/message_of.hpp"

namespace suffice::exponential_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

json scipy() {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/exponential.json");
  return json::parse(file);
}

Model model_of(ExponentialDensity density, std::vector<std::string> labels) {
  const Index features = density.rate.cols();
  return Model({.schema = Schema::numbered(features, Family::exponential),
                .labels = Names(labels),
                .weights = {},
                .densities = {std::move(density)}});
}

Statistics statistics_of(const Matrix& x, const std::vector<std::string>& labels) {
  Statistics statistics(Schema::numbered(x.cols(), Family::exponential));
  return statistics.update(RowBlock(x, labels));
}

/// Class a: 1 and 3; class b: 8. The mean of all is 4.
Statistics three_rows() { return statistics_of({{1}, {3}, {8}}, {"a", "a", "b"}); }

const ExponentialDensity& density_of(const Model& model) {
  return std::get<ExponentialDensity>(model.densities()[0]);
}

void expect_scipys(const Model& model, const json& values) {
  for (const json& value : values) {
    const Matrix x{{value[0].get<double>()}};
    EXPECT_NEAR(log_likelihood(model, x).values(0, 0), value[1],
                1e-14 * (1 + std::abs(value[1].get<double>())));
  }
}

TEST(Exponential, IsSciPys) {
  const json expected = scipy();
  const Matrix rate{{expected["rate"].get<double>()}};
  expect_scipys(model_of({rate}, {"a"}), expected["exponential"]);
  expect_scipys(model_of({rate, {{expected["shape"].get<double>()}}}, {"a"}), expected["lomax"]);
}

TEST(Exponential, IsEstimatedFromWeightsAndSums) {
  EXPECT_EQ(density_of(estimate(three_rows(), {.smoothing = 0})).rate,
            (Matrix{{2. / 4}, {1. / 8}}));
  // One more row at the mean of all.
  const ExponentialDensity smoothed = density_of(estimate(three_rows()));
  EXPECT_EQ(smoothed.rate, (Matrix{{3. / 8}, {2. / 12}}));
  EXPECT_TRUE(smoothed.shape.empty());
  // The posterior Gamma(3, 8) and Gamma(2, 12).
  const ExponentialDensity bayes =
      density_of(estimate(three_rows(), {.inference = Inference::bayes}));
  EXPECT_EQ(bayes.rate, smoothed.rate);
  EXPECT_EQ(bayes.shape, (Matrix{{3}, {2}}));
}

TEST(Exponential, ZerosAloneHaveNoRate) {
  const Statistics zeros = statistics_of({{0}, {0}, {8}}, {"a", "a", "b"});
  EXPECT_THAT(message_of([&] { estimate(zeros, {.smoothing = 0}); }),
              AllOf(HasSubstr("feature 'x0' of class 'a'"), HasSubstr("a rate is positive"),
                    HasSubstr("smoothing above 0")));
  EXPECT_DOUBLE_EQ(density_of(estimate(zeros)).rate(0, 0), 3 / (8. / 3));
  EXPECT_THAT(message_of([] {
                estimate(statistics_of({{0}, {0}}, {"a", "b"}));
              }),
              HasSubstr("a rate is positive and finite"));
}

TEST(Exponential, RefusesWhatNoWaitingTimeIs) {
  for (const double bad : {-1.0, -infinity, infinity}) {
    EXPECT_THAT(message_of<DataError>([&] { statistics_of({{bad}}, {"a"}); }),
                HasSubstr("exponential waiting times are finite numbers from 0 on: use"));
    const Model model = model_of({{{1}}}, {"a"});
    EXPECT_THAT(message_of<DataError>([&] { log_likelihood(model, Matrix{{bad}}); }),
                HasSubstr("waiting times are finite numbers from 0 on"));
  }
  for (const double bad : {0.0, -1.0, infinity})
    EXPECT_THAT(message_of([&] { model_of({{{bad}}}, {"a"}); }),
                AllOf(HasSubstr("the rate of class 'a' in feature 'x0'"),
                      HasSubstr("a rate is positive and finite")));
  EXPECT_THAT(message_of([] {
                model_of({{{1}}, {{0}}}, {"a"});
              }),
              HasSubstr("the shape of class 'a' is 0"));
}

TEST(Exponential, HasALinearDiscriminant) {
  const Model model = model_of({{{2, 1}, {0.5, 3}}}, {"a", "b"});
  const Discriminant g = discriminant(model, "a", "b");
  ASSERT_TRUE(g.is_linear());
  EXPECT_DOUBLE_EQ(g.w[0], -1.5);
  EXPECT_DOUBLE_EQ(g.w[1], 2);
  EXPECT_NEAR(g.c, std::log(2 / 0.5) + std::log(1. / 3), 1e-15);
  const Model bayes = model_of({{{2}, {1}}, {{3}, {3}}}, {"a", "b"});
  EXPECT_THAT(message_of([&] { discriminant(bayes, "a"); }), HasSubstr("neither linear"));
}

// KL(a, b) + KL(b, a) = log(a/b) + b/a − 1 + log(b/a) + a/b − 1.
TEST(Exponential, IsSeparatedByItsDivergence) {
  const Vector j = separation(model_of({{{2}, {0.5}}}, {"a", "b"}));
  EXPECT_DOUBLE_EQ(j[0], 0.5 / 2 + 2 / 0.5 - 2);
}

// The density falls: as low as at x are the values from x on, e^−λx of them; of the Lomax
// (1 + λx / a)^−a.
TEST(Exponential, OutlierScoresAreTails) {
  const Matrix x{{0.1}, {1}, {2}, {5}};
  const auto scores = [&](const Model& model) {
    return outlier_score(model, x, log_likelihood(model, x), Vector{1});
  };
  const Vector plain = scores(model_of({{{0.8}}}, {"a"}));
  const Vector lomax = scores(model_of({{{0.8}}, {{3}}}, {"a"}));
  for (Index i = 0; i < x.rows(); ++i) {
    const double tail = std::exp(-0.8 * x(i, 0)), heavy = std::pow(1 + 0.8 * x(i, 0) / 3, -3);
    EXPECT_NEAR(plain[i], tail, 5 * std::sqrt(tail / 20000));
    EXPECT_NEAR(lomax[i], heavy, 5 * std::sqrt(heavy / 20000));
  }
}

TEST(Exponential, SamplesHaveItsMeanAndDeviation) {
  constexpr Index n = 100000;
  const Sample rows = sample(model_of({{{4}}}, {"a"}), n, "a");
  double sum = 0, squares = 0;
  for (Index i = 0; i < n; ++i) {
    EXPECT_GT(rows.values(i, 0), 0);
    sum += rows.values(i, 0);
    squares += rows.values(i, 0) * rows.values(i, 0);
  }
  EXPECT_NEAR(sum / n, 0.25, 5 * 0.25 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 2 * 0.0625, 5 * std::sqrt(20.) * 0.0625 / std::sqrt(n));
  // Lomax: the tail beyond x is (1 + λx / a)^−a.
  const Sample heavy = sample(model_of({{{4}}, {{3}}}, {"a"}), n, "a");
  double beyond = 0;
  for (Index i = 0; i < n; ++i) beyond += heavy.values(i, 0) > 0.5;
  const double tail = std::pow(1 + 2. / 3, -3);
  EXPECT_NEAR(beyond / n, tail, 5 * std::sqrt(tail / n));
}

TEST(Exponential, IsScoredTheSameFromSparseRows) {
  const std::vector<std::int32_t> start{0, 1, 3}, column{1, 0, 1};
  const std::vector<double> value{2.5, 0.25, 4};
  const Matrix dense{{0, 2.5}, {0.25, 4}};
  const SparseView sparse(2, 2, start.data(), column.data(), value.data());
  for (const Matrix& shape : {Matrix(), Matrix{{3, 1}, {2, 5}}}) {
    const Model model = model_of({{{2, 1}, {0.5, 3}}, shape}, {"a", "b"});
    const Matrix expected = log_likelihood(model, dense).values;
    const Matrix found = log_likelihood(model, RowBlock(2).features(sparse)).values;
    for (Index i = 0; i < 2; ++i)
      for (Index c = 0; c < 2; ++c) EXPECT_NEAR(found(i, c), expected(i, c), 1e-14);
  }
}

TEST(Exponential, LeaveOneOutRefusesARowThatAloneHasARate) {
  const Matrix x{{0}, {2}, {1}, {3}};
  const std::vector<std::string> labels{"a", "a", "b", "b"};
  const Statistics statistics = statistics_of(x, labels);
  const LeaveOneOut left(statistics, {.smoothing = 0});
  EXPECT_THAT(message_of([&] { left(RowBlock(x, labels)); }),
              HasSubstr("row 1, feature 'x0': without this row its class has no estimate"));
}

}  // namespace
}  // namespace suffice::exponential_test
