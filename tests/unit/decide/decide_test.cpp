#include "suffice/decide/decide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::decide_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double inf = std::numeric_limits<double>::infinity();
const Names two = {"F", "M"};
const Names three = {"a", "b", "c"};

/// Scores whose densities are whole numbers.
LogLikelihoods scores_of(const Names& labels, const Matrix& density) {
  LogLikelihoods scores{density, labels};
  for (Index i = 0; i < density.rows(); ++i)
    for (double& value : scores.values.row(i)) value = std::log(value);
  return scores;
}

TEST(Posteriors, AreBayesRule) {
  // Priors 1/2, 1/4, 1/4 and densities 1, 2, 4: joint ½, ½, 1, together 2.
  const LogLikelihoods scores = scores_of(three, {{1, 2, 4}});
  const Priors priors(three, Vector{.5, .25, .25});
  const Matrix p = posteriors(scores, priors);
  EXPECT_DOUBLE_EQ(p(0, 0), .25);
  EXPECT_DOUBLE_EQ(p(0, 1), .25);
  EXPECT_DOUBLE_EQ(p(0, 2), .5);
  EXPECT_DOUBLE_EQ(log_posteriors(scores, priors)(0, 2), -std::log(2.));
  EXPECT_DOUBLE_EQ(log_density(scores, priors)[0], std::log(2.));
}

TEST(Posteriors, TakeTheMemoryOfScoresThatAreGivenAway) {
  const LogLikelihoods scores = scores_of(three, {{1, 2, 4}, {4, 1, 1}});
  const Priors priors(three, Vector{.5, .25, .25});
  const auto check = [&](const auto& answer) {
    LogLikelihoods given = scores;
    const double* memory = given.values.data();
    const Matrix kept = answer(scores), moved = answer(std::move(given));
    EXPECT_EQ(moved.data(), memory);
    EXPECT_EQ(moved, kept);
    EXPECT_EQ(scores.values(0, 1), std::log(2.));
  };
  check([&]<class S>(S&& s) { return posteriors(std::forward<S>(s), priors); });
  check([&]<class S>(S&& s) { return log_posteriors(std::forward<S>(s), priors); });
  check([&]<class S>(S&& s) { return log_likelihood_ratios(std::forward<S>(s), priors); });
}

// The heights of the lectures: N(175.33, 52.89) for M, N(161.82, 46.89) for F, at 174.
TEST(Posteriors, OfTheLecturesHeights) {
  const auto log_normal = [](double x, double m, double v) {
    return -0.5 * (std::log(2 * M_PI * v) + (x - m) * (x - m) / v);
  };
  const LogLikelihoods scores{{{log_normal(174, 161.82, 46.89), log_normal(174, 175.33, 52.89)}},
                              two};
  EXPECT_NEAR(std::exp(scores.values(0, 1)), 0.05395, 5e-6);
  EXPECT_NEAR(std::exp(scores.values(0, 0)), 0.01198, 5e-6);
  const Priors priors(two, Vector{.9, .1});
  EXPECT_NEAR(std::exp(-log_likelihood_ratios(scores, priors)(0, 0)), 4.5, 0.01);
  const Matrix p = posteriors(scores, priors);
  EXPECT_NEAR(p(0, 1) / p(0, 0), 0.5, 0.001);
}

TEST(Posteriors, SurviveWhereDensitiesUnderflow) {
  const LogLikelihoods scores{{{-5000, -5000 - std::log(3.), -9000}, {-2000, -1000, 3000}}, three};
  const Priors uniform = Priors::uniform(three);
  const Matrix p = posteriors(scores, uniform);
  EXPECT_NEAR(p(0, 0), .75, 1e-12);  // the doubles near 5000 lie 9e-13 apart
  EXPECT_NEAR(p(0, 1), .25, 1e-12);
  EXPECT_EQ(p(0, 2), 0);
  EXPECT_EQ(p(1, 2), 1);
  // exp(−4000) is no double; its logarithm is.
  EXPECT_DOUBLE_EQ(log_posteriors(scores, uniform)(1, 1), -4000);
}

TEST(Posteriors, OfARuledOutClassAreZeroAndOfAnImpossibleRowThePriors) {
  const Priors priors(three, Vector{.25, .75, 0});
  const LogLikelihoods scores{{{-1, -1, 50}, {-inf, -inf, -inf}, {-inf, -inf, 3}, {-inf, 2, -inf}},
                              three};
  const Matrix p = posteriors(scores, priors);
  const Matrix log_p = log_posteriors(scores, priors);
  EXPECT_THAT(p.row(0), ElementsAre(DoubleEq(.25), DoubleEq(.75), 0));
  EXPECT_THAT(p.row(1), ElementsAre(.25, .75, 0));
  EXPECT_THAT(p.row(2), ElementsAre(.25, .75, 0));
  EXPECT_THAT(p.row(3), ElementsAre(0, 1, 0));
  EXPECT_THAT(log_p.row(1), ElementsAre(std::log(.25), std::log(.75), -inf));
  EXPECT_THAT(log_p.row(3), ElementsAre(-inf, 0, -inf));
  EXPECT_EQ(log_density(scores, priors)[1], -inf);
  EXPECT_THAT(decide(scores, priors).classes, ElementsAre(1, 1, 1, 1));
}

TEST(LogLikelihoodRatios, OfTwoClassesNeedNoPriors) {
  const LogLikelihoods scores{{{-3, -5}, {-inf, -4}, {-inf, -inf}, {2, -inf}}, two};
  const Matrix r = log_likelihood_ratios(scores, Priors(two, Vector{1, 0}));
  ASSERT_EQ(r.cols(), 1);
  EXPECT_EQ(r(0, 0), 2);
  EXPECT_EQ(r(1, 0), -inf);
  EXPECT_EQ(r(2, 0), 0);
  EXPECT_EQ(r(3, 0), inf);
}

TEST(LogLikelihoodRatios, AreAgainstTheWeightedMeanOfTheOthers) {
  const LogLikelihoods scores = scores_of(three, {{1, 2, 4}});
  const Matrix r = log_likelihood_ratios(scores, Priors(three, Vector{.5, .25, .25}));
  EXPECT_NEAR(r(0, 0), std::log(1. / 3), 1e-15);        // the mean of 2 and 4
  EXPECT_NEAR(r(0, 1), std::log(2 / 2.), 1e-15);        // (½ · 1 + ¼ · 4) / ¾ = 2
  EXPECT_NEAR(r(0, 2), std::log(4 / (4. / 3)), 1e-15);  // (½ · 1 + ¼ · 2) / ¾ = 4/3
}

TEST(LogLikelihoodRatios, OfACertainClassAreNotInfinite) {
  // Next to the first class the others underflow; their mean must still be theirs.
  const LogLikelihoods scores{{{0, -2000, -2000}, {-inf, -inf, -7}, {-inf, -inf, -inf}}, three};
  const Matrix r = log_likelihood_ratios(scores, Priors::uniform(three));
  EXPECT_DOUBLE_EQ(r(0, 0), 2000);
  EXPECT_DOUBLE_EQ(r(0, 1), -2000 + std::log(2.));
  // A class without a prior has no part in the mean of the others.
  const Matrix of_two = log_likelihood_ratios(scores, Priors(three, Vector{.5, .5, 0}));
  EXPECT_DOUBLE_EQ(of_two(0, 0), 2000);
  EXPECT_THAT(r.row(1), ElementsAre(-inf, -inf, inf));
  EXPECT_THAT(r.row(2), ElementsAre(0, 0, 0));
  EXPECT_THAT(message_of([&] {
                log_likelihood_ratios(scores, Priors(three, Vector{1, 0, 0}));
              }),
              HasSubstr("'a' has the prior 1"));
}

TEST(LogDensity, NeedsWholeScores) {
  LogLikelihoods scores = scores_of(two, {{1, 2}});
  scores.relative = true;
  EXPECT_THAT(message_of([&] { log_density(scores, Priors::uniform(two)); }),
              HasSubstr("relative"));
  EXPECT_NO_THROW(posteriors(scores, Priors::uniform(two)));
}

TEST(Decide, TakesTheMostProbableClassAndTheFirstOfEquals) {
  const LogLikelihoods scores = scores_of(three, {{1, 2, 4}, {4, 4, 2}, {0, 1, 0}});
  const Decisions d = decide(scores, Priors::uniform(three));
  EXPECT_THAT(d.classes, ElementsAre(2, 0, 1));
  EXPECT_EQ(d.label(0), "c");
  EXPECT_DOUBLE_EQ(d.expected_cost[0], 3. / 7);
  EXPECT_DOUBLE_EQ(d.expected_cost[1], .6);
  EXPECT_EQ(d.expected_cost[2], 0);
  // The same scores under another prior: joint .8, .1 · 2, .1 · 4.
  EXPECT_THAT(decide(scores, Priors(three, Vector{.8, .1, .1})).classes, ElementsAre(0, 0, 1));
}

TEST(Decide, ExpectedCostKeepsItsDigitsWhereThePosteriorIsOne) {
  const LogLikelihoods scores{{{0, -100}}, two};
  EXPECT_DOUBLE_EQ(decide(scores, Priors::uniform(two)).expected_cost[0], std::exp(-100.));
}

TEST(Decide, MinimisesTheExpectedCost) {
  // Posteriors ¼, ¾. Taking M for F costs 5: deciding F costs ¾ · 1, deciding M ¼ · 5.
  const LogLikelihoods scores = scores_of(two, {{1, 3}});
  const Priors priors = Priors::uniform(two);
  EXPECT_EQ(decide(scores, priors).label(0), "M");
  const Decisions d = decide(scores, priors, Costs(two, Matrix{{0, 5}, {1, 0}}));
  EXPECT_EQ(d.label(0), "F");
  EXPECT_DOUBLE_EQ(d.expected_cost[0], .75);
  EXPECT_EQ(d.status[0], Status::ok);
  // The effective prior decides alike: 5/6, so the joint is 5/6 · 1 against 1/6 · 3.
  EXPECT_DOUBLE_EQ(effective_prior(priors, Costs(two, Matrix{{0, 5}, {1, 0}})), 5. / 6);
  EXPECT_EQ(decide(scores, Priors(two, Vector{5. / 6, 1. / 6})).label(0), "F");
}

TEST(Decide, CostsCanMakeAnUnlikelyClassTheSafeOne) {
  // Posteriors .4, .4, .2; 'c' is cheap whatever is true: 1 against .4 · 10 + .2 · 1.
  const LogLikelihoods scores = scores_of(three, {{2, 2, 1}, {0, 0, 0}});
  const Costs costs(three, Matrix{{0, 10, 1}, {10, 0, 1}, {1, 1, 1}});
  const Decisions d = decide(scores, Priors::uniform(three), costs);
  EXPECT_THAT(d.classes, ElementsAre(2, 2));
  EXPECT_DOUBLE_EQ(d.expected_cost[0], 1);
  EXPECT_DOUBLE_EQ(d.expected_cost[1], 1);  // by the priors: 1 against (10 + 1) / 3
}

TEST(Decide, ZeroOneCostsAreTheDefault) {
  const LogLikelihoods scores = scores_of(three, {{1, 2, 4}, {9, 4, 2}});
  const Priors priors(three, Vector{.5, .3, .2});
  const Decisions a = decide(scores, priors), b = decide(scores, priors, Costs::zero_one(three));
  // Costs that differ from them by a factor take the general way and must agree.
  const Decisions c = decide(scores, priors, Costs(three, Matrix{{0, 2, 2}, {2, 0, 2}, {2, 2, 0}}));
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.classes, c.classes);
  EXPECT_EQ(a.expected_cost, b.expected_cost);
  for (Index i = 0; i < 2; ++i) EXPECT_NEAR(c.expected_cost[i], 2 * a.expected_cost[i], 1e-15);
}

TEST(Decide, RejectsWhatWouldCostMoreThanRejection) {
  const LogLikelihoods scores = scores_of(two, {{1, 1}, {1, 3}, {1, 9}});
  const Decisions d = decide(scores, Priors::uniform(two), {.reject = 0.25});
  EXPECT_THAT(d.status, ElementsAre(Status::reject, Status::ok, Status::ok));
  EXPECT_THAT(d.classes, ElementsAre(-1, 1, 1));
  EXPECT_EQ(d.label(0), "");
  EXPECT_EQ(d.expected_cost[0], 0.25);
  EXPECT_DOUBLE_EQ(d.expected_cost[2], 0.1);
}

TEST(Decide, OutliersComeBeforeRejection) {
  const LogLikelihoods scores = scores_of(two, {{1, 1}, {1, 1}, {1, 9}});
  const Vector outlier_scores = {0.001, 0.01, 0.0001};
  const Decisions d = decide(scores, Priors::uniform(two),
                             {.reject = 0.25, .outlier = 0.01, .outlier_scores = outlier_scores});
  EXPECT_THAT(d.status, ElementsAre(Status::outlier, Status::reject, Status::outlier));
  EXPECT_THAT(d.classes, ElementsAre(-1, -1, -1));
  EXPECT_TRUE(std::isnan(d.expected_cost[0]));
  EXPECT_EQ(to_string(d.status[0]), "outlier");
  EXPECT_EQ(to_string(d.status[1]), "reject");
  EXPECT_EQ(to_string(Status::ok), "ok");
}

TEST(Decide, OutlierThresholdsOfNoneAndAllButCertainRows) {
  const LogLikelihoods scores = scores_of(two, {{1, 2}, {1, 2}, {1, 2}});
  const Vector outlier_scores = {0, 0.5, 1};
  const auto status = [&](double threshold) {
    return decide(scores, Priors::uniform(two),
                  {.outlier = threshold, .outlier_scores = outlier_scores})
        .status;
  };
  EXPECT_THAT(status(0), ElementsAre(Status::ok, Status::ok, Status::ok));
  EXPECT_THAT(status(1), ElementsAre(Status::outlier, Status::outlier, Status::ok));
  EXPECT_THAT(message_of([&] { status(1.001); }), HasSubstr("between 0 and 1"));
  EXPECT_THAT(message_of([&] { status(-0.001); }), HasSubstr("between 0 and 1"));
}

TEST(Decide, RefusesWhatDoesNotFit) {
  const LogLikelihoods scores = scores_of(three, {{1, 2, 4}});
  const Priors priors = Priors::uniform(three);
  const std::string other = message_of([&] {
    decide(scores, Priors::uniform(Names{"a", "x", "c"}));
  });
  EXPECT_THAT(other, HasSubstr("'b'"));
  EXPECT_THAT(other, HasSubstr("'c'"));  // the names in order are a, c, x
  EXPECT_THAT(message_of([&] { posteriors(scores, Priors::uniform(two)); }), HasSubstr("'F'"));
  EXPECT_THAT(message_of([&] {
                decide(scores, priors, Costs::zero_one(Names{"a", "b"}));
              }),
              HasSubstr("no class"));
  EXPECT_THAT(message_of([&] { decide(scores, priors, {.reject = NAN}); }), HasSubstr("rejection"));
  EXPECT_THAT(message_of([&] { decide(scores, priors, {.outlier = 2}); }), HasSubstr("is 2"));
  EXPECT_THAT(message_of([&] { decide(scores, priors, {.outlier = 0.1}); }),
              HasSubstr("outlier_score"));
  const LogLikelihoods narrow{{{1, 2}}, three};
  EXPECT_THAT(message_of([&] { posteriors(narrow, priors); }), HasSubstr("2 columns"));
}

TEST(Decide, OfNoRowsIsNothing) {
  const LogLikelihoods scores{Matrix(0, 2), two};
  EXPECT_EQ(decide(scores, Priors::uniform(two)).rows(), 0);
  EXPECT_EQ(posteriors(scores, Priors::uniform(two)).rows(), 0);
}

/// 20000 rows are several pieces; each is what it is alone.
TEST(Decide, OnThreadsAsRowByRow) {
  Matrix values(20000, 3);
  for (Index i = 0; i < values.rows(); ++i)
    for (Index c = 0; c < 3; ++c)
      values(i, c) = 30 * std::sin(static_cast<double>(17 * i + 5 * c * (i % 13)));
  const LogLikelihoods scores{values, three};
  const Priors priors = Priors::uniform(three);
  const Costs costs(three, std::vector<Costs::Entry>{{"a", "b", 3}, {"c", "a", 0.5}});
  const Decisions together = decide(scores, priors, costs, {.reject = 0.2}, {.threads = 3});
  for (Index i = 0; i < values.rows(); i += 37) {
    const LogLikelihoods one{Matrix{{values(i, 0), values(i, 1), values(i, 2)}}, three};
    const Decisions alone = decide(one, priors, costs, {.reject = 0.2});
    ASSERT_EQ(together.classes[i], alone.classes[0]) << i;
    ASSERT_EQ(together.status[i], alone.status[0]) << i;
    ASSERT_EQ(together.expected_cost[i], alone.expected_cost[0]) << i;
  }
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(decide(scores, priors, {}, {.stop = stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace suffice::decide_test
