#include "suffice/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::report_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::message_of;

const Names two = {"F", "M"};
const Names three = {"a", "b", "c"};

/// Scores whose densities are whole numbers.
LogLikelihoods scores_of(const Names& labels, const Matrix& density) {
  LogLikelihoods scores{density, labels};
  for (Index i = 0; i < density.rows(); ++i)
    for (double& value : scores.values.row(i)) value = std::log(value);
  return scores;
}

Report report_of(const LogLikelihoods& scores, const Priors& priors,
                 const std::vector<Index>& truth, const std::vector<double>& weights = {}) {
  Evaluator evaluator(priors);
  evaluator.add(scores, truth, weights);
  return evaluator.report();
}

/// Two-class scores with these log-likelihood ratios.
LogLikelihoods with_ratios(const std::vector<double>& ratios) {
  LogLikelihoods scores{Matrix(std::ssize(ratios), 2), two};
  for (Index i = 0; i < scores.rows(); ++i)
    scores.values(i, ratios[i] > 0 ? 1 : 0) = -std::abs(ratios[i]);
  return scores;
}

Report curve_of(const std::vector<double>& ratios, const std::vector<Index>& truth,
                const std::vector<double>& weights = {}) {
  return report_of(with_ratios(ratios), Priors::uniform(two), truth, weights);
}

const json& peers() {
  static const json values = [] {
    std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/report.json");
    return json::parse(file);
  }();
  return values;
}

// ---- by hand

// Decided classes are counted in another way where there are many.
TEST(Report, OfManyClassesCountsRowsOneByOne) {
  for (const Index classes : {256, 257, 600}) {
    std::vector<std::string> names;
    for (Index c = 0; c < classes; ++c) names.push_back("c" + std::to_string(1000 + c));
    const Names labels(names);
    const Index rows = 3 * classes;
    LogLikelihoods scores{Matrix(rows, classes), labels};
    std::vector<Index> truth;
    std::vector<double> weights;
    Matrix confusion(classes, classes);
    for (Index i = 0; i < rows; ++i) {
      const Index decided = 7 * i % classes;
      truth.push_back(i % 3 == 0 ? decided : i % classes);
      weights.push_back(static_cast<double>(1 + i % 2));
      scores.values(i, decided) = 5;
      confusion(truth.back(), decided) += weights.back();
    }
    Evaluator whole(Priors::uniform(labels)), brief(Priors::uniform(labels), {.confusion = false});
    for (Evaluator* evaluator : {&whole, &brief}) evaluator->add(scores, truth, weights);
    const Report report = whole.report(), without = brief.report();
    EXPECT_EQ(report.confusion, confusion);
    EXPECT_TRUE(without.confusion.empty());
    double errors = 0, total = 0;
    for (Index c = 0; c < classes; ++c)
      for (Index k = 0; k < classes; ++k) {
        total += confusion(c, k);
        if (c != k) errors += confusion(c, k);
      }
    const double k = static_cast<double>(classes);
    for (const Report& of : {report, without}) {
      EXPECT_EQ(of.decided, total);
      EXPECT_EQ(of.error_rate, errors / total);
      EXPECT_EQ(of.recall[1], report.recall[1]);
    }
    // Each true class counts as much as another; without rows 1 − 1/K of all decisions are wrong.
    double mistakes = 0;
    for (Index c = 0; c < classes; ++c) {
      double own = 0;
      for (const double weight : confusion.row(c)) own += weight;
      mistakes += (own - confusion(c, c)) / own / k;
    }
    EXPECT_NEAR(*report.normalized_cost, mistakes / (1 - 1 / k), 1e-12);
  }
}

// Densities 1:3, 3:1, 1:1 under equal priors: posteriors of F ¼, ¾, ½. All rows are F.
TEST(Report, OfThreeRowsWorkedByHand) {
  const Report report =
      report_of(scores_of(two, {{1, 3}, {3, 1}, {1, 1}}), Priors::uniform(two), {0, 0, 0});
  EXPECT_EQ(report.labels, two);
  EXPECT_EQ(report.rows, 3);
  EXPECT_EQ(report.decided, 3);
  EXPECT_EQ(report.errors, 1);  // the tie goes to the first class
  EXPECT_DOUBLE_EQ(report.error_rate, 1. / 3);
  EXPECT_NEAR(report.log_loss, (std::log(4.) + std::log(4. / 3) + std::log(2.)) / 3, 1e-15);
  // Both classes' squares: 2 (¾)², 2 (¼)², 2 (½)².
  EXPECT_NEAR(report.brier, 2 * (9 + 1 + 4) / 16. / 3, 1e-15);
  EXPECT_EQ(report.confusion, (Matrix{{2, 1}, {0, 0}}));
  EXPECT_DOUBLE_EQ(report.recall[0], 2. / 3);
  EXPECT_TRUE(std::isnan(report.recall[1]));
  EXPECT_EQ(report.precision[0], 1);
  EXPECT_EQ(report.precision[1], 0);
  EXPECT_EQ(report.class_rows, (Vector{3, 0}));
  EXPECT_FALSE(report.auc);  // no row is M
  EXPECT_FALSE(report.cost);
}

// Decided: a, a, b. Class c neither occurs nor is decided, and has no part in a mean.
TEST(Report, MeansAreOverTheClassesThatOccur) {
  const Report report = report_of(scores_of(three, {{9, 3, 1}, {9, 3, 1}, {3, 9, 1}}),
                                  Priors::uniform(three), {0, 1, 1});
  EXPECT_DOUBLE_EQ(report.balanced_accuracy, (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(report.f1[0], 2. / 3);
  EXPECT_DOUBLE_EQ(report.f1[1], 2. / 3);
  EXPECT_TRUE(std::isnan(report.f1[2]));
  EXPECT_DOUBLE_EQ(report.macro_f1, 2. / 3);
  EXPECT_DOUBLE_EQ(report.weighted_f1, 2. / 3);
}

TEST(Report, HasNothingClipped) {
  const Priors priors(two, Vector{1, 0});  // M is ruled out
  const Report ruled_out = report_of(scores_of(two, {{1, 1}, {1, 1}}), priors, {0, 1});
  EXPECT_EQ(ruled_out.log_loss, infinity);
  EXPECT_EQ(ruled_out.brier, 1);  // 0 and 2
  // A posterior of e^−4000 has a log-loss of 4000; 1 − P of a certain row is no difference of ones.
  const LogLikelihoods far{{{-4000, 0}, {0, -50}}, two};
  const Report report = report_of(far, Priors::uniform(two), {0, 0});
  EXPECT_DOUBLE_EQ(report.log_loss, 2000);
  const LogLikelihoods certain{{{0, -50}}, two};
  EXPECT_DOUBLE_EQ(report_of(certain, Priors::uniform(two), {0}).log_loss, std::exp(-50.));
  EXPECT_NEAR(report_of(certain, Priors::uniform(two), {0}).brier / (2 * std::exp(-100.)), 1,
              1e-13);
}

TEST(Report, OfARowThatIsImpossibleEverywhereTakesThePriors) {
  const LogLikelihoods scores{{{-infinity, -infinity}}, two};
  const Report report = report_of(scores, Priors(two, Vector{.25, .75}), {0});
  EXPECT_DOUBLE_EQ(report.log_loss, std::log(4.));
  EXPECT_DOUBLE_EQ(report.brier, 2 * .75 * .75);
}

TEST(Report, KeepsRejectedRowsOutliersAndUnknownLabelsApart) {
  // Rows: right, wrong, rejected, an outlier, of an unknown class.
  const LogLikelihoods scores =
      scores_of(three, {{8, 1, 1}, {8, 1, 1}, {3, 4, 3}, {8, 1, 1}, {8, 1, 1}});
  const Priors priors = Priors::uniform(three);
  const Costs costs(three, Matrix{{0, 7, 1}, {5, 0, 1}, {1, 1, 0}});
  const Vector outlier_scores = {1, 1, 1, 0, 1};
  Evaluator evaluator(priors, {.costs = costs, .reject = 0.65, .outlier = 0.5});
  evaluator.add(scores, std::vector<Index>{0, 1, 2, 2, -1}, {}, outlier_scores);
  const Report report = evaluator.report();
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(report.unknown_label_rows, 1);
  EXPECT_EQ(report.decided, 2);
  EXPECT_EQ(report.rejected, 1);
  EXPECT_EQ(report.outliers, 1);
  EXPECT_EQ(report.error_rate, 0.5);
  EXPECT_EQ(report.confusion, (Matrix{{1, 0, 0}, {1, 0, 0}, {0, 0, 0}}));
  // Of the rows that are no outliers: 0, C(b, a) = 5, and 0.65 for the rejection (the best
  // decision of the third row would be c, for .3 + .4).
  EXPECT_DOUBLE_EQ(*report.cost, 5.65 / 3);
  // The probabilities of all rows count: .8, .1, .3, .1.
  EXPECT_NEAR(report.log_loss, -(std::log(.8) + std::log(.1) + std::log(.3) + std::log(.1)) / 4,
              1e-15);
}

TEST(Report, OfNothingIsNotANumber) {
  const Report report = Evaluator(Priors::uniform(two), {.costs = Costs::zero_one(two)}).report();
  EXPECT_EQ(report.rows, 0);
  for (const double value : {report.error_rate, report.log_loss, report.brier, *report.cost})
    EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(report.error_interval.low, 0);
  EXPECT_EQ(report.error_interval.high, 1);
}

// ---- AUC and equal error rate

TEST(Curve, OfSeparatedAndOfEqualRatios) {
  const Report apart = curve_of({3, 2, 1, 0}, {0, 0, 1, 1});
  EXPECT_EQ(*apart.auc, 1);
  EXPECT_EQ(*apart.equal_error_rate, 0);
  const Report wrong = curve_of({0, 1, 2, 3}, {0, 0, 1, 1});
  EXPECT_EQ(*wrong.auc, 0);
  EXPECT_EQ(*wrong.equal_error_rate, 1);
  const Report equal = curve_of({1, 1, 1, 1, 1}, {0, 0, 1, 1, 1});
  EXPECT_EQ(*equal.auc, 0.5);
  EXPECT_EQ(*equal.equal_error_rate, 0.5);
}

// Of the six pairs (F, M) the first is above in 4, equal in 1: (3, 2) (3, −1) (2, 2)= (2, −1)
// (−5, 2)× (−5, −1)×, so that 3.5 of 6 count. The threshold between 2 and 3 misses 2/3 of F with no
// false alarm; that between −1 and 2 misses 1/3 with 1/2. Between them the rates meet at t, where
// 2/3 − t/3 = t/2: t = 4/5, 2/5.
TEST(Curve, InterpolatesBetweenThresholdsAndCountsTiesHalf) {
  const Report report = curve_of({3, 2, -5, 2, -1}, {0, 0, 0, 1, 1});
  EXPECT_DOUBLE_EQ(*report.auc, 3.5 / 6);
  EXPECT_NEAR(*report.equal_error_rate, 0.4, 1e-15);
}

TEST(Curve, HasInfiniteRatios) {
  const LogLikelihoods scores{
      {{0, -infinity}, {0, -1}, {-infinity, -infinity}, {-infinity, 0}, {0, -infinity}}, two};
  // F: ∞, 1, 0; M: −∞, ∞. Pairs: above M's −∞ all three; of M's ∞ one tie.
  const Report report = report_of(scores, Priors::uniform(two), {0, 0, 0, 1, 1});
  EXPECT_DOUBLE_EQ(*report.auc, 3.5 / 6);
}

// Quantiles of two normals with the deviation 2 whose means are 2 apart: AUC Φ(2/√8), and at the
// middle both error rates are Φ(−½). More rows than are kept one by one.
TEST(Curve, OfManyRowsIsBinnedAndAgreesWithTheClosedForm) {
  const Index each = 600000, block = 100000;
  const auto normal_tail = [](double z) { return std::erfc(z / std::sqrt(2.)) / 2; };
  Evaluator evaluator(Priors::uniform(two));
  double last = -9;  // the quantiles one after the other, by Newton's method
  std::vector<double> quantiles(each);
  for (Index i = 0; i < each; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(each);
    double z = last < -5 ? -4.8 : last;
    for (int step = 0; step < 60; ++step) {
      const double error = normal_tail(-z) - p;
      z -= error / (std::exp(-z * z / 2) / std::sqrt(2 * M_PI));
      if (std::abs(error) < 1e-15) break;
    }
    quantiles[i] = last = z;
  }
  for (const Index truth : {0, 1})
    for (Index first = 0; first < each; first += block) {
      std::vector<double> ratios(block);
      for (Index i = 0; i < block; ++i)
        ratios[i] = (truth == 0 ? 1 : -1) + 2 * quantiles[first + i];
      evaluator.add(with_ratios(ratios), std::vector<Index>(block, truth));
    }
  const Report report = evaluator.report();
  EXPECT_TRUE(report.ratios_are_binned);
  EXPECT_NEAR(*report.auc, 1 - normal_tail(2 / std::sqrt(8.)), 1e-5);
  EXPECT_NEAR(*report.equal_error_rate, normal_tail(0.5), 1e-5);
  EXPECT_NEAR(report.error_rate, normal_tail(0.5), 1e-5);
}

// The same rows kept one by one with the weight 12, and binned, each of them 12 times.
TEST(Curve, BinnedAndExactAgree) {
  const Index rows = 100000;
  std::vector<double> ratios(rows);
  std::vector<Index> truth(rows);
  for (Index i = 0; i < rows; ++i) {
    truth[i] = i % 3 == 0;
    const auto at = static_cast<double>(i * 7919 % rows) / static_cast<double>(rows);
    ratios[i] = i % 1000 == 0 ? (i % 2000 ? infinity : -infinity)
                              : std::sinh(20 * (at - (truth[i] ? 0.6 : 0.4)));
  }
  const Report exact = curve_of(ratios, truth, std::vector<double>(rows, 12));
  const LogLikelihoods scores = with_ratios(ratios);
  Evaluator evaluator(Priors::uniform(two));
  for (int i = 0; i < 12; ++i) evaluator.add(scores, truth);
  const Report binned = evaluator.report();
  EXPECT_FALSE(exact.ratios_are_binned);
  EXPECT_TRUE(binned.ratios_are_binned);
  EXPECT_NEAR(*binned.auc, *exact.auc, 1e-4);
  EXPECT_NEAR(*binned.equal_error_rate, *exact.equal_error_rate, 1e-3);
  EXPECT_EQ(binned.error_rate, exact.error_rate);
}

// ---- laws

struct Rows {
  LogLikelihoods scores;
  std::vector<Index> truth;
  std::vector<double> weights;
};

/// Some rows with every kind of truth and whole weights from 0 to 3.
Rows some_rows(const Names& labels) {
  const Index rows = 500, classes = labels.size();
  Rows result{{Matrix(rows, classes), labels}, {}, {}};
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < classes; ++c)
      result.scores.values(i, c) = 3 * std::sin(static_cast<double>(i * (c + 2) + c));
    result.truth.push_back(i * i % (classes + 1) - 1);
    result.weights.push_back(static_cast<double>(i % 4));
  }
  return result;
}

// Weights that are too many for single rows; the bins of more than two classes are wider.
TEST(Detection, OfThreeClassesBinnedAndExactAgree) {
  const Index rows = 30000;
  LogLikelihoods scores{Matrix(rows, 3), three};
  std::vector<Index> truth(rows);
  for (Index i = 0; i < rows; ++i) {
    truth[i] = i % 3;
    for (Index c = 0; c < 3; ++c)
      scores.values(i, c) =
          4 * std::sin(static_cast<double>(i * (c + 1))) + (c == truth[i] ? 2 : 0);
  }
  const Priors priors(three, {0.2, 0.3, 0.5});
  Evaluator exact(priors), binned(priors);
  exact.add(scores, truth, std::vector<double>(rows, 12));
  for (int i = 0; i < 12; ++i) binned.add(scores, truth);
  const Report a = exact.report(), b = binned.report();
  EXPECT_FALSE(a.ratios_are_binned);
  EXPECT_TRUE(b.ratios_are_binned);
  for (std::size_t c = 0; c < 3; ++c) {
    const DetectionCurve &one = a.detection[c]->curve, &other = b.detection[c]->curve;
    EXPECT_NEAR(other.cllr(), one.cllr(), 1e-4);
    EXPECT_NEAR(other.min_cllr(), one.min_cllr(), 1e-3);
    EXPECT_NEAR(other.auc(), one.auc(), 1e-4);
  }
}

// A class whose others are ruled out has no figures against them, and an impossible mistake no
// cost.
TEST(Detection, IsLeftOutWhereItHasNoMeaning) {
  const auto truth_below = [](Index classes) {
    std::vector<Index> truth(500);
    for (Index i = 0; i < 500; ++i) truth[i] = i % classes;
    return truth;
  };
  Evaluator certain(Priors(three, {0, 0, 1}));
  certain.add(some_rows(three).scores, truth_below(3));
  const Report report = certain.report();
  EXPECT_FALSE(report.detection[2]);
  ASSERT_TRUE(report.detection[0]);
  EXPECT_FALSE(report.detection[0]->application);
  EXPECT_FALSE(report.normalized_cost);
  const Report free = [&] {
    Evaluator evaluator(Priors::uniform(two), {.costs = Costs(two, Matrix{{0, 0}, {1, 0}})});
    evaluator.add(some_rows(two).scores, truth_below(2));
    return evaluator.report();
  }();
  ASSERT_TRUE(free.detection[0]);
  EXPECT_FALSE(free.detection[0]->application);
  EXPECT_TRUE(free.auc);
}

// What is paid for a row of a class whatever is decided does not matter: a miss costs 7 − 2.
TEST(Detection, CostsAreThoseOfMistakes) {
  const auto report_with = [](const Matrix& costs) {
    Evaluator evaluator(Priors(two, {0.3, 0.7}), {.costs = Costs(two, costs)});
    evaluator.add(with_ratios({2, -1, 0.5, -3, 1}), std::vector<Index>{0, 0, 1, 0, 1});
    return evaluator.report();
  };
  const Report report = report_with({{2, 7}, {4, 3}});
  ASSERT_TRUE(report.detection[0] && report.detection[0]->application);
  EXPECT_DOUBLE_EQ(report.detection[0]->application->miss_cost, 5);
  EXPECT_DOUBLE_EQ(report.detection[0]->application->false_alarm_cost, 1);
  EXPECT_EQ(report.confusion, report_with({{0, 5}, {1, 0}}).confusion);
}

void expect_same(const Report& a, const Report& b) {
  EXPECT_NEAR(a.rows, b.rows, 1e-12 * b.rows);
  EXPECT_EQ(a.unknown_label_rows, b.unknown_label_rows);
  EXPECT_EQ(a.confusion, b.confusion);
  EXPECT_NEAR(a.log_loss, b.log_loss, 1e-12 * b.log_loss);
  EXPECT_NEAR(a.brier, b.brier, 1e-12 * b.brier);
  ASSERT_EQ(a.auc.has_value(), b.auc.has_value());
  if (a.auc) {
    EXPECT_NEAR(*a.auc, *b.auc, 1e-12);
    EXPECT_NEAR(*a.equal_error_rate, *b.equal_error_rate, 1e-12);
  }
}

Rows part_of(const Rows& all, Index first, Index last) {
  Rows part{{Matrix(last - first, all.scores.values.cols()), all.scores.labels}, {}, {}};
  for (Index i = first; i < last; ++i) {
    std::ranges::copy(all.scores.values.row(i), part.scores.values.row(i - first).begin());
    part.truth.push_back(all.truth[i]);
    part.weights.push_back(all.weights[i]);
  }
  return part;
}

TEST(Evaluator, SeveralCallsAreOne) {
  for (const Names& labels : {two, three}) {
    const Rows all = some_rows(labels);
    const Priors priors = Priors::uniform(labels);
    Evaluator parts(priors);
    for (Index first = 0; first < 500; first += 125) {
      const Rows part = part_of(all, first, first + 125);
      parts.add(part.scores, part.truth, part.weights);
    }
    expect_same(parts.report(), report_of(all.scores, priors, all.truth, all.weights));
  }
}

TEST(Evaluator, WeightsAreRepetitionsAndZeroIsAbsence) {
  for (const Names& labels : {two, three}) {
    const Rows all = some_rows(labels);
    const Priors priors = Priors::uniform(labels);
    Evaluator repeated(priors);
    for (Index i = 0; i < 500; ++i)
      for (int times = 0; times < all.weights[i]; ++times) {
        const Rows row = part_of(all, i, i + 1);
        repeated.add(row.scores, row.truth);
      }
    expect_same(report_of(all.scores, priors, all.truth, all.weights), repeated.report());
  }
}

TEST(Evaluator, RefusesWhatDoesNotFitAndAddsNothing) {
  const LogLikelihoods scores = scores_of(two, {{1, 2}, {2, 1}});
  Evaluator evaluator(Priors::uniform(two));
  const auto refusal = [&](std::vector<Index> truth, std::vector<double> weights) {
    return message_of([&] { evaluator.add(scores, truth, weights); });
  };
  EXPECT_THAT(refusal({0}, {}), HasSubstr("1 true labels"));
  EXPECT_THAT(refusal({0, 2}, {}), HasSubstr("row 1 is 2"));
  EXPECT_THAT(refusal({0, -2}, {}), HasSubstr("row 1 is -2"));
  EXPECT_THAT(refusal({0, 1}, {1}), HasSubstr("1 weights"));
  EXPECT_THAT(refusal({0, 1}, {1, -3}), HasSubstr("row 1 is -3"));
  EXPECT_THAT(refusal({0, 1}, {NAN, 1}), HasSubstr("row 0 is nan"));
  EXPECT_THAT(message_of([&] {
                Evaluator(Priors::uniform(three)).add(scores, std::vector<Index>{0, 1});
              }),
              HasSubstr("different classes"));
  EXPECT_THROW(Evaluator(Priors::uniform(two), {.costs = Costs::zero_one(three)}), InvalidArgument);
  EXPECT_EQ(evaluator.report().rows, 0);
}

// ---- intervals

TEST(BinomialInterval, HasTheClosedFormsOfTheEdges) {
  for (const double rows : {1., 7., 1e3, 1e9}) {
    // No error: (1 − high)^rows = 0.025.
    const Interval none = binomial_interval(0, rows), all = binomial_interval(rows, rows);
    EXPECT_EQ(none.low, 0);
    // What 1 − high loses by rounding, the tiny bound loses too.
    EXPECT_NEAR(none.high, -std::expm1(std::log(.025) / rows), 1e-13 * none.high + 0x1p-52);
    EXPECT_EQ(all.high, 1);
    EXPECT_NEAR(all.low, std::exp(std::log(.025) / rows), 1e-15);
  }
  EXPECT_EQ(binomial_interval(0, 0).high, 1);
}

TEST(BinomialInterval, RefusesWhatCannotBe) {
  EXPECT_THAT(message_of([] { binomial_interval(3, 2); }), HasSubstr("3 errors in 2"));
  EXPECT_THROW(binomial_interval(-1, 2), InvalidArgument);
  EXPECT_THROW(binomial_interval(1, NAN), InvalidArgument);
  EXPECT_THROW(binomial_interval(1, 2, 1), InvalidArgument);
}

// ---- against scikit-learn and SciPy: values and the script that made them lie in tests/reference

TEST(BinomialInterval, IsThatOfScipy) {
  ASSERT_GE(peers()["intervals"].size(), 100u);
  for (const auto& value : peers()["intervals"]) {
    const double errors = value[0], rows = value[1], confidence = value[2];
    const Interval interval = binomial_interval(errors, rows, confidence);
    EXPECT_NEAR(interval.low, value[3].get<double>(), 1e-11 * value[3].get<double>()) << value;
    EXPECT_NEAR(interval.high, value[4].get<double>(), 1e-11 * value[4].get<double>() + 0x1p-52)
        << value;
  }
}

TEST(IncompleteBeta, IsThatOfScipy) {
  ASSERT_GE(peers()["incomplete_beta"].size(), 50u);
  for (const auto& value : peers()["incomplete_beta"]) {
    const double expected = value["value"];
    EXPECT_NEAR(incomplete_beta(value["x"], value["a"], value["b"]) / expected, 1,
                1e-12 + std::abs(std::log(expected)) * 1e-14)
        << value;
  }
  EXPECT_EQ(incomplete_beta(0, 2, 3), 0);
  EXPECT_EQ(incomplete_beta(1, 2, 3), 1);
  EXPECT_TRUE(std::isnan(incomplete_beta(std::nan(""), 2, 3)));
}

TEST(Report, IsThatOfScikitLearn) {
  ASSERT_EQ(peers()["cases"].size(), 4u);
  for (const auto& expected : peers()["cases"]) {
    const Index classes = expected["classes"];
    std::vector<std::string> names;
    for (Index c = 0; c < classes; ++c) names.push_back(std::to_string(c));
    LogLikelihoods scores{Matrix(std::ssize(expected["scores"]), classes), Names(names)};
    for (Index i = 0; i < scores.rows(); ++i)
      for (Index c = 0; c < classes; ++c)
        scores.values(i, c) =
            expected["scores"][static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
    const std::vector<double> prior = expected["priors"];
    const Report report =
        report_of(scores, Priors(scores.labels, prior), expected["truth"], expected["weights"]);
    EXPECT_NEAR(report.log_loss, expected["log_loss"].get<double>(), 1e-13);
    EXPECT_NEAR(report.brier, expected["brier"].get<double>(), 1e-13);
    for (std::size_t c = 0; c < names.size(); ++c) {
      const auto at = static_cast<Index>(c);
      EXPECT_NEAR(report.recall[at], expected["recall"][c].get<double>(), 1e-14);
      EXPECT_NEAR(report.precision[at], expected["precision"][c].get<double>(), 1e-14);
      EXPECT_NEAR(report.f1[at], expected["f1"][c].get<double>(), 1e-14);
      for (std::size_t k = 0; k < names.size(); ++k)
        EXPECT_NEAR(report.confusion(at, static_cast<Index>(k)),
                    expected["confusion"][c][k].get<double>(), 1e-13);
    }
    const std::pair<const char*, double> figures[] = {
        {"balanced_accuracy", report.balanced_accuracy},
        {"macro_f1", report.macro_f1},
        {"weighted_f1", report.weighted_f1},
        {"matthews", report.matthews},
        {"normalized_cross_entropy", *report.normalized_cross_entropy},
        {"normalized_cost", *report.normalized_cost}};
    for (const auto& [name, value] : figures)
      EXPECT_NEAR(value, expected[name].get<double>(), 1e-13) << name;
    ASSERT_EQ(report.detection.size(), expected["detection"].size());
    for (std::size_t c = 0; c < report.detection.size(); ++c) {
      const DetectionCurve& curve = report.detection[c]->curve;
      const auto& of = expected["detection"][c];
      EXPECT_NEAR(curve.auc(), of["auc"].get<double>(), 1e-13);
      EXPECT_NEAR(curve.cllr(), of["cllr"].get<double>(), 1e-13);
      EXPECT_NEAR(curve.min_cllr(), of["min_cllr"].get<double>(), 1e-12);
    }
    ASSERT_EQ(report.auc.has_value(), classes == 2);
    if (classes > 2) continue;
    EXPECT_NEAR(*report.auc, expected["auc"].get<double>(), 1e-14);
    EXPECT_NEAR(*report.equal_error_rate, expected["equal_error_rate"].get<double>(), 1e-14);
  }
}

// Rows of the one class have log p of 3, 1 and −2, those of other labels 0 and −∞, one of them
// twice: of nine pairs (by weight) the class is ahead in eight.
TEST(Report, OfOneClassComparesDensitiesWithThoseOfOtherLabels) {
  const Names one{"a"};
  const LogLikelihoods scores{Matrix{{3}, {0}, {1}, {-infinity}, {-2}, {9}}, one};
  Evaluator evaluator(Priors::uniform(one), {.outlier = 0.1});
  evaluator.add(scores, std::vector<Index>{0, -1, 0, -1, 0, -1},
                std::vector<double>{1, 1, 1, 2, 1, 0},
                std::vector<double>{1, 0.5, 0.8, 0, 0.05, 0});
  const Report report = evaluator.report();
  ASSERT_TRUE(report.novelty);
  EXPECT_EQ(report.rows, 3);
  EXPECT_EQ(report.unknown_label_rows, 3);
  EXPECT_EQ(report.outliers, 1);
  EXPECT_DOUBLE_EQ(report.novelty->mean_log_density, 2.0 / 3);
  EXPECT_EQ(report.novelty->other_rows, 3);
  EXPECT_DOUBLE_EQ(report.novelty->curve->auc(), 8.0 / 9);
  EXPECT_DOUBLE_EQ(*report.novelty->detected, 2.0 / 3);

  Evaluator relative(Priors::uniform(one));
  LogLikelihoods shared = scores;
  shared.relative = true;
  relative.add(shared, std::vector<Index>{0, -1, 0, -1, 0, -1});
  EXPECT_FALSE(relative.report().novelty);
  EXPECT_FALSE(curve_of({1, -1}, {0, 1}).novelty);
}

}  // namespace
}  // namespace suffice::report_test
