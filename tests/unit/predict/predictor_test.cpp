// Answers against formulas that are worked row by row, without any of the library's scores.

#include "suffice/predict/predictor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "support/message_of.hpp"

namespace suffice::predictor_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;
const Names three = {"a", "b", "c"};
constexpr unsigned seed = 20;

// Two numbers with correlation and a count in three classes.
const Matrix mean = {{0, 1}, {2, -1}, {1, 1}};
const std::vector<Matrix> covariance = {
    {{2, 0.5}, {0.5, 1}}, {{1, -0.3}, {-0.3, 1}}, {{1, 0}, {0, 3}}};
const Matrix rate = {{1}, {2.5}, {6}};
const Vector weights = {30, 10, 60};

Model mixed(std::optional<Calibration> calibration = {}) {
  return Model(
      {.schema = Schema({{"x", Family::gaussian}, {"y", Family::gaussian}, {"n", Family::poisson}}),
       .labels = three,
       .weights = weights,
       .densities = {GaussianDensity{Covariance::full, mean, covariance}, PoissonDensity{rate}},
       .calibration = std::move(calibration)});
}

double log_normal(double delta, double variance) {
  return -0.5 * (std::log(2 * pi * variance) + delta * delta / variance);
}

/// log p of the two numbers in class c: by y, and x given y; a missing number is left out.
double log_numbers(double x, double y, Index c) {
  const Matrix& s = covariance[static_cast<std::size_t>(c)];
  const double dx = x - mean(c, 0), dy = y - mean(c, 1);
  if (std::isnan(x)) return std::isnan(y) ? 0 : log_normal(dy, s(1, 1));
  if (std::isnan(y)) return log_normal(dx, s(0, 0));
  const double slope = s(0, 1) / s(1, 1);
  return log_normal(dy, s(1, 1)) + log_normal(dx - slope * dy, s(0, 0) - slope * s(0, 1));
}

double log_count(double n, Index c) {
  if (std::isnan(n)) return 0;
  return n * std::log(rate(c, 0)) - rate(c, 0) - std::lgamma(n + 1);
}

using Scores = std::vector<double>;

Scores log_p(std::span<const double> row) {
  Scores result;
  for (Index c = 0; c < 3; ++c)
    result.push_back(log_numbers(row[0], row[1], c) + log_count(row[2], c));
  return result;
}

double density(const Scores& score, const Vector& prior) {
  double sum = 0;
  for (Index c = 0; c < prior.size(); ++c) sum += prior[c] * std::exp(score[c]);
  return sum;
}

Scores posterior_of(const Scores& score, const Vector& prior) {
  Scores result;
  for (Index c = 0; c < prior.size(); ++c)
    result.push_back(prior[c] * std::exp(score[c]) / density(score, prior));
  return result;
}

/// Rows near all classes; every seventh cell is missing.
Matrix some_rows(Index count) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number(0.7, 2);
  std::poisson_distribution<int> events(3);
  Matrix result(count, 3);
  for (Index i = 0; i < count; ++i) {
    result(i, 0) = number(random), result(i, 1) = number(random), result(i, 2) = events(random);
    for (Index j = 0; j < 3; ++j)
      if ((3 * i + j) % 7 == 0) result(i, j) = nan;
  }
  return result;
}

constexpr Wanted everything{.posteriors = true,
                            .log_posteriors = true,
                            .ratios = true,
                            .log_likelihoods = true,
                            .log_densities = true};

TEST(Predictor, AnswersByBayesRule) {
  const Model model = mixed();
  const Matrix rows = some_rows(300);
  for (const Priors& priors : {Priors::from_counts(model), Priors::uniform(model),
                               Priors(three, {0.2, 0, 0.8}), Priors(three, {0.05, 0.9, 0.05})}) {
    Predictor predictor(model, {.priors = priors, .wanted = everything});
    const Predictions& answers = predictor(rows);
    const Vector& prior = priors.probabilities();
    for (Index i = 0; i < rows.rows(); ++i) {
      const Scores score = log_p(rows.row(i)), expected = posterior_of(score, prior);
      EXPECT_NEAR(answers.log_densities[i], std::log(density(score, prior)), 1e-12)
          << "seed " << seed;
      for (Index c = 0; c < 3; ++c) {
        EXPECT_NEAR(answers.log_likelihoods.values(i, c), score[c], 1e-12);
        EXPECT_NEAR(answers.posteriors(i, c), expected[c], 1e-13);
        if (prior[c] > 0)
          EXPECT_NEAR(answers.log_posteriors(i, c), std::log(expected[c]), 1e-12);
        else
          EXPECT_EQ(answers.log_posteriors(i, c), -inf);
        double others = 0;
        for (Index k = 0; k < 3; ++k) others += k == c ? 0 : prior[k] * std::exp(score[k]);
        EXPECT_NEAR(answers.ratios(i, c), score[c] - std::log(others / (1 - prior[c])), 1e-11);
      }
      const Index best = std::ranges::max_element(expected) - expected.begin();
      EXPECT_EQ(answers.label(i), three[best]);
      EXPECT_EQ(answers.decisions.status[static_cast<std::size_t>(i)], Status::ok);
    }
  }
}

TEST(Predictor, TakesTheTrainingFrequenciesWithoutPriors) {
  const Matrix row = {{0.3, 0.2, 2}};
  const Predictions answers = predict(mixed(), row, {.wanted = {.posteriors = true}});
  const Scores expected = posterior_of(log_p(row.row(0)), {0.3, 0.1, 0.6});
  for (Index c = 0; c < 3; ++c) EXPECT_NEAR(answers.posteriors(0, c), expected[c], 1e-14);
}

TEST(Predictor, DecidesWhatCostsLeast) {
  const Model model = mixed();
  const Matrix rows = some_rows(300), cost = {{0, 1, 5}, {2, -1, 1}, {1, 0.5, 0}};
  const Costs costs(three, cost);
  const Priors priors(three, {0.3, 0.3, 0.4});
  const double reject = 0.4;
  const Predictions free = predict(model, rows, {.priors = priors, .costs = costs});
  const Predictions careful =
      predict(model, rows, {.priors = priors, .costs = costs, .reject = reject});
  Index rejected = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Scores p = posterior_of(log_p(rows.row(i)), priors.probabilities());
    Scores expected(3);
    for (Index k = 0; k < 3; ++k)
      for (Index c = 0; c < 3; ++c) expected[k] += p[c] * cost(c, k);
    const Index best = std::ranges::min_element(expected) - expected.begin();
    EXPECT_EQ(free.decisions.classes[at], best) << "seed " << seed;
    EXPECT_NEAR(free.decisions.expected_cost[i], expected[best], 1e-12);
    const bool too_much = expected[best] > reject;
    rejected += too_much;
    EXPECT_EQ(careful.decisions.status[at], too_much ? Status::reject : Status::ok);
    EXPECT_EQ(careful.label(i), too_much ? "" : three[best]);
  }
  EXPECT_GT(rejected, 10);
  EXPECT_LT(rejected, 290);
}

TEST(Predictor, GivesARowThatNoClassCanHaveThePriors) {
  const Model model({.schema = Schema::numbered(1, Family::poisson),
                     .labels = {"a", "b"},
                     .weights = {1, 3},
                     .densities = {PoissonDensity{{{0}, {0}}}}});
  const Wanted wanted{.posteriors = true};
  const Predictions answers = predict(model, Matrix{{0}, {2}}, {.wanted = wanted});
  EXPECT_THAT(answers.posteriors.row(1), ElementsAre(0.25, 0.75));
  EXPECT_EQ(answers.label(1), "b");
  EXPECT_EQ(predict(model, Matrix{{2}}, {.priors = Priors(model.labels(), {0.6, 0.4})}).label(0),
            "a");
}

TEST(Predictor, CalibratesWhatDecisionsAreMadeOf) {
  const Calibration calibration{.scale = {0.5, 2}, .offset = {0.4, -0.1, -0.3}};
  const Model model = mixed(calibration);
  const Matrix rows = some_rows(50);
  const Vector prior = {0.3, 0.1, 0.6};
  Wanted wanted = everything;
  wanted.scores = true;
  const Predictions answers = predict(model, rows, {.wanted = wanted});
  const Predictions classes = predict(model, rows);
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::span<const double> row = rows.row(i);
    Scores calibrated;
    for (Index c = 0; c < 3; ++c)
      calibrated.push_back(0.5 * log_numbers(row[0], row[1], c) + 2 * log_count(row[2], c) +
                           calibration.offset[c]);
    const Scores expected = posterior_of(calibrated, prior);
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(answers.posteriors(i, c), expected[c], 1e-13) << "seed " << seed;
      EXPECT_NEAR(answers.scores().values(i, c) - answers.scores().values(i, 0),
                  calibrated[c] - calibrated[0], 1e-12);  // they may lack what classes share
      EXPECT_NEAR(answers.log_likelihoods.values(i, c), log_p(row)[c], 1e-12);
    }
    EXPECT_NEAR(answers.log_densities[i], std::log(density(log_p(row), prior)), 1e-12);
    const Index best = std::ranges::max_element(expected) - expected.begin();
    EXPECT_EQ(classes.label(i), three[best]);
  }
}

// One class of two numbers: the score is P(χ²₂ > q) = exp(−q / 2).
TEST(Predictor, FindsOutliers) {
  const Model model(
      {.schema = Schema::numbered(2),
       .labels = {"a"},
       .weights = {},
       .densities = {GaussianDensity{Covariance::full, {{1, 2}}, {{{4, 1}, {1, 1}}}}}});
  const Matrix rows = {{1, 2}, {3, 2}, {1, 6}};
  // Σ⁻¹ = [1 −1; −1 4] / 3
  const double q[] = {0, 4.0 / 3, 4 * 16 / 3.0};
  const Predictions answers = predict(model, rows, {.outlier = 0.01});
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(answers.outlier_scores[i], std::exp(-q[i] / 2), 1e-13);
  EXPECT_THAT(answers.decisions.status, ElementsAre(Status::ok, Status::ok, Status::outlier));
  EXPECT_EQ(answers.label(0), "a");
  EXPECT_EQ(answers.label(2), "");
}

TEST(Predictor, OfADiscriminativeModelIsTheSoftmaxOfItsTerms) {
  const Model model({.schema = Schema::numbered(2),
                     .labels = three,
                     .weights = weights,
                     .densities = {GaussianDensity{Covariance::tied, mean, {{{1, 0}, {0, 1}}}}},
                     .logistic = Logistic{.weights = {{1, 0}, {-0.5, 2}, {-0.5, -2}},
                                          .intercept = {0.2, 0.3, -0.5},
                                          .center = {0.5, -1},
                                          .scale = {1, 1}}});
  const Matrix rows = {{0.5, -1}, {2, 0}, {-3, 1}};
  const Vector trained = {0.3, 0.1, 0.6}, prior = {0.5, 0.25, 0.25};
  const Predictions answers =
      predict(model, rows, {.priors = Priors(three, prior), .wanted = {.posteriors = true}});
  for (Index i = 0; i < 3; ++i) {
    const double x = rows(i, 0) - 0.5, y = rows(i, 1) + 1;
    Scores score = {0.2 + x, 0.3 - 0.5 * x + 2 * y, -0.5 - 0.5 * x - 2 * y};
    for (Index c = 0; c < 3; ++c) score[c] -= std::log(trained[c]);
    const Scores expected = posterior_of(score, prior);
    for (Index c = 0; c < 3; ++c) EXPECT_NEAR(answers.posteriors(i, c), expected[c], 1e-14);
    EXPECT_EQ(answers.label(i), three[std::ranges::max_element(expected) - expected.begin()]);
  }
  for (const Wanted& wanted : {Wanted{.log_likelihoods = true}, Wanted{.log_densities = true},
                               Wanted{.outlier_scores = true}})
    EXPECT_THAT(message_of<InvalidArgument>([&] { Predictor(model, {.wanted = wanted}); }),
                HasSubstr("needs the density of a row"));
}

TEST(Predictor, UsesItsMemoryAgain) {
  const Model model = mixed();
  const Matrix rows = some_rows(64), fewer = some_rows(10);
  Predictor predictor(model, {.wanted = {.posteriors = true}});
  Predictions& answers = predictor(rows);
  const Matrix expected = answers.posteriors;
  const double* const memory = answers.posteriors.data();
  predictor(rows);
  EXPECT_EQ(answers.posteriors.data(), memory);
  EXPECT_EQ(answers.posteriors, expected);
  EXPECT_TRUE(answers.log_likelihoods.values.empty());  // the posteriors took their place
  const Matrix taken = std::move(answers.posteriors);
  predictor(rows);
  EXPECT_EQ(taken, expected);
  EXPECT_EQ(answers.posteriors, expected);
  EXPECT_EQ(predictor(fewer).posteriors,
            predict(model, fewer, {.wanted = {.posteriors = true}}).posteriors);
  EXPECT_EQ(predictor(rows).posteriors, expected);
}

TEST(Predictor, AnswersTheSameOnAnyNumberOfThreads) {
  const Model model = mixed();
  const Matrix rows = some_rows(5000);
  const PredictorOptions options{.outlier = 0.01, .wanted = everything};
  const Predictions one = predict(model, rows, options, {.threads = 1});
  const Predictions four = predict(model, rows, options, {.threads = 4});
  EXPECT_EQ(one.posteriors, four.posteriors);
  EXPECT_EQ(one.log_posteriors, four.log_posteriors);
  EXPECT_EQ(one.ratios, four.ratios);
  EXPECT_EQ(one.log_likelihoods.values, four.log_likelihoods.values);
  EXPECT_EQ(one.log_densities, four.log_densities);
  EXPECT_EQ(one.outlier_scores, four.outlier_scores);
  EXPECT_EQ(one.decisions.classes, four.decisions.classes);
}

// So many numbers that the class is found without all scores; the level of a category among them is
// unknown.
TEST(Predictor, CountsUnknownLevelsWhereOnlyClassesAreWanted) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  constexpr Index d = 60;
  Matrix x(400, d);
  std::vector<std::string> colour, label;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < d; ++j) x(i, j) = normal(random);
    colour.push_back(normal(random) < 0 ? "red" : "blue");
    label.push_back(i % 2 ? "a" : "b");
  }
  std::vector<Feature> features = {
      {.name = "colour=red", .indicator = Indicator{"colour", "red", "blue"}}};
  for (Index j = 0; j < d; ++j) features.push_back({.name = "x" + std::to_string(j)});
  const auto view = [&] { return RowBlock(x.rows()).feature(colour).features(x); };
  Statistics statistics{Schema(features)};
  statistics.update(view().labels(label));
  const Model model = estimate(statistics, {.covariance = Covariance::full});
  const Predictions known = predict(model, view());
  colour[7] = "blue", colour[9] = "blue";
  const Predictions all_blue = predict(model, view());
  colour[7] = "green", colour[9] = "green";
  const Predictions answers = predict(model, view());
  EXPECT_EQ(answers.decisions.classes, all_blue.decisions.classes);  // as the most frequent level
  EXPECT_EQ(std::accumulate(known.unknown_levels.begin(), known.unknown_levels.end(), Index{0}), 0);
  ASSERT_FALSE(answers.unknown_levels.empty());
  EXPECT_EQ(answers.unknown_levels[0], 2);
}

TEST(Predictor, RefusesPriorsAndCostsOfOtherClasses) {
  const Model model = mixed();
  const Names others = {"a", "b", "x"};
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { Predictor(model, {.priors = Priors::uniform(others)}); }),
      HasSubstr("the model and the priors are over different classes"));
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { Predictor(model, {.costs = Costs::zero_one(others)}); }),
      HasSubstr("the model and the costs are over different classes"));
  EXPECT_THAT(message_of<DataError>([&] {
                predict(model, Matrix{{nan, 1, 2}}, {.missing = Missing::refuse});
              }),
              HasSubstr("missing"));
}

}  // namespace
}  // namespace suffice::predictor_test
