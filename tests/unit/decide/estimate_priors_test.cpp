#include "suffice/decide/estimate_priors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Scores of rows of normal classes with the means 0, 2, 4, …, drawn with these shares.
LogLikelihoods scores_of(Index rows, const std::vector<double>& shares, unsigned seed,
                         double offset = 0) {
  std::mt19937 generator(seed);
  std::discrete_distribution<int> class_of(shares.begin(), shares.end());
  std::normal_distribution<double> normal;
  const Index classes = std::ssize(shares);
  LogLikelihoods scores;
  std::vector<std::string> names;
  for (Index c = 0; c < classes; ++c) names.push_back(std::string(1, static_cast<char>('a' + c)));
  scores.labels = Names(names);
  scores.values = Matrix(rows, classes);
  for (Index i = 0; i < rows; ++i) {
    const double x = 2 * class_of(generator) + normal(generator);
    for (Index c = 0; c < classes; ++c) {
      const double z = x - 2 * static_cast<double>(c);
      scores.values(i, c) = offset - 0.5 * z * z;
    }
  }
  return scores;
}

double log_likelihood_of(const LogLikelihoods& scores, const std::vector<double>& shares) {
  double sum = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    double density = 0;
    for (std::size_t c = 0; c < shares.size(); ++c)
      density += shares[c] * std::exp(scores.values(i, static_cast<Index>(c)));
    sum += std::log(density);
  }
  return sum;
}

PriorsEstimate estimate_of(const LogLikelihoods& scores, double confidence = 0.95) {
  PriorsEstimator estimator(scores.labels);
  estimator.add(scores);
  return estimator.finish(Priors::uniform(scores.labels), confidence);
}

TEST(EstimatePriors, TwoClassesAreAtTheMaximumOfAFineGrid) {
  const LogLikelihoods scores = scores_of(400, {0.2, 0.8}, 1);
  const PriorsEstimate found = estimate_of(scores);
  double best = 0, best_value = -HUGE_VAL;
  for (int k = 1; k < 20000; ++k) {
    const double share = k / 20000.0;
    const double value = log_likelihood_of(scores, {share, 1 - share});
    if (value > best_value) best = share, best_value = value;
  }
  EXPECT_NEAR(found.priors[0], best, 1e-4);
  EXPECT_NEAR(found.gain, (best_value - log_likelihood_of(scores, {0.5, 0.5})) / 400, 1e-8);
}

// At the maximum each class's share is the mean of its posteriors (or it is 0 and would not grow).
TEST(EstimatePriors, SharesAreTheMeansOfThePosteriors) {
  const LogLikelihoods scores = scores_of(3000, {0.5, 0.1, 0.0, 0.4}, 2, -1000);
  const PriorsEstimate found = estimate_of(scores);
  std::vector<double> mean(4);
  for (Index i = 0; i < 3000; ++i) {
    double density = 0;
    for (Index c = 0; c < 4; ++c) density += found.priors[c] * std::exp(scores.values(i, c) + 1000);
    for (Index c = 0; c < 4; ++c)
      mean[c] += found.priors[c] * std::exp(scores.values(i, c) + 1000) / density / 3000;
  }
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(found.priors[c], mean[c], 1e-9);
}

TEST(EstimatePriors, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const std::vector<double> truth{0.15, 0.6, 0.25};
  std::vector<int> held(3);
  constexpr int trials = 300;
  for (int k = 0; k < trials; ++k) {
    const PriorsEstimate found = estimate_of(scores_of(300, truth, 100 + k), 0.9);
    for (Index c = 0; c < 3; ++c)
      held[c] += found.low[c] <= truth[c] && truth[c] <= found.high[c] ? 1 : 0;
  }
  // 270 are expected, with a deviation of 5.2.
  for (const int count : held) {
    EXPECT_GT(count, 270 - 21);
    EXPECT_LT(count, 270 + 21);
  }
}

TEST(EstimatePriors, AClassThatIsNotThere) {
  const LogLikelihoods scores = scores_of(500, {1, 0, 0}, 5);
  const PriorsEstimate found = estimate_of(scores);
  EXPECT_LT(found.priors[2], 1e-3);
  EXPECT_EQ(found.low[2], 0);
  EXPECT_GT(found.high[2], 0);
  EXPECT_LT(found.high[2], 0.05);
  EXPECT_GT(found.low[0], 0.8);
}

TEST(EstimatePriors, WeightsAreCopiesAndTheOrderOfCallsDoesNotMatter) {
  const LogLikelihoods scores = scores_of(200, {0.3, 0.7}, 6);
  std::vector<double> weights(200, 1);
  for (std::size_t i = 0; i < 50; ++i) weights[i] = 3;
  PriorsEstimator weighted(scores.labels), repeated(scores.labels);
  weighted.add(scores, weights);
  LogLikelihoods first = scores;
  first.values = Matrix(50, 2);
  for (Index i = 0; i < 50; ++i)
    for (Index c = 0; c < 2; ++c) first.values(i, c) = scores.values(i, c);
  repeated.add(first);
  repeated.add(scores);
  repeated.add(first);
  const Priors uniform = Priors::uniform(scores.labels);
  const PriorsEstimate a = weighted.finish(uniform), b = repeated.finish(uniform);
  EXPECT_NEAR(a.priors[0], b.priors[0], 1e-10);
  EXPECT_NEAR(a.low[0], b.low[0], 1e-9);
  EXPECT_EQ(a.rows, 300);
}

TEST(EstimatePriors, SameBitsOnAnyNumberOfThreads) {
  const LogLikelihoods scores = scores_of(40000, {0.3, 0.3, 0.4}, 7);
  PriorsEstimator estimator(scores.labels);
  estimator.add(scores);
  const Priors uniform = Priors::uniform(scores.labels);
  const PriorsEstimate a = estimator.finish(uniform, 0.95, {.threads = 1});
  const PriorsEstimate b = estimator.finish(uniform, 0.95, {.threads = 3});
  EXPECT_EQ(a.priors.probabilities(), b.priors.probabilities());
  EXPECT_EQ(a.high, b.high);
}

TEST(EstimatePriors, ScoresThatTellNothing) {
  LogLikelihoods scores = scores_of(50, {0.5, 0.5}, 8);
  for (Index i = 0; i < 50; ++i) scores.values(i, 1) = scores.values(i, 0);
  const PriorsEstimate found = estimate_of(scores);
  EXPECT_EQ(found.priors[0], 0.5);
  EXPECT_EQ(found.low[0], 0);
  EXPECT_EQ(found.high[0], 1);
}

TEST(EstimatePriors, RefusesWhatCannotBe) {
  LogLikelihoods scores = scores_of(3, {0.5, 0.5}, 9);
  EXPECT_THROW(PriorsEstimator(Names({"a"})), InvalidArgument);
  PriorsEstimator estimator(scores.labels);
  const Priors uniform = Priors::uniform(scores.labels);
  EXPECT_THROW(estimator.finish(uniform), InvalidArgument);
  for (double& value : std::span(scores.values.data(), 6)) value = -HUGE_VAL;
  estimator.add(scores);
  EXPECT_THROW(estimator.finish(uniform), InvalidArgument);
  estimator.add(scores_of(3, {0.5, 0.5}, 9));
  EXPECT_EQ(estimator.finish(uniform).impossible, 3);
  EXPECT_THROW(estimator.finish(uniform, 1), InvalidArgument);
  EXPECT_THROW(estimator.finish(Priors::uniform(Names({"a", "c"}))), InvalidArgument);
  scores.labels = Names({"a", "c"});
  EXPECT_THROW(estimator.add(scores), InvalidArgument);
}

}  // namespace
}  // namespace suffice
