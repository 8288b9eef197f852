#include "suffice/report/detection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice::detection_test {
namespace {

double logit(double p) { return std::log(p / (1 - p)); }

/// The five rows of docs/evaluation.md, F against M under equal priors.
DetectionCurve five_rows() {
  return DetectionCurve({{logit(0.9), 1, 0},
                         {logit(0.6), 1, 0},
                         {logit(0.3), 1, 0},
                         {logit(0.4), 0, 1},
                         {logit(0.1), 0, 1}});
}

// Worked by hand and with PyPI's llreval: Cllr, min Cllr, the hull and its equal error rate.
TEST(Detection, FiveRows) {
  const DetectionCurve curve = five_rows();
  EXPECT_NEAR(curve.cllr(), 0.6598978855, 1e-9);
  EXPECT_NEAR(curve.min_cllr(), 0.4045627477, 1e-9);
  EXPECT_NEAR(curve.eer_hull(), 0.2, 1e-12);
  const double hull[][2] = {{0, 1}, {0, 0.5}, {1.0 / 3, 0}, {1, 0}};
  ASSERT_EQ(curve.hull().size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(curve.hull()[k].miss, hull[k][0], 1e-12);
    EXPECT_NEAR(curve.hull()[k].false_alarm, hull[k][1], 1e-12);
  }
  EXPECT_NEAR(curve.error(0), 1.0 / 6, 1e-12);
  EXPECT_NEAR(curve.minimum_error(0), 1.0 / 6, 1e-12);
  EXPECT_NEAR(curve.error(-1), 0.17929, 1e-5);
  EXPECT_NEAR(curve.minimum_error(-1), 0.08965, 1e-5);
}

/// Sixty ratios with ties, from integers.
DetectionCurve sixty_rows() {
  std::vector<RatioCount> counts;
  for (int i = 0; i < 60; ++i) {
    const bool target = i % 3 == 0 || i % 7 == 2;
    const int tenths = (i * 37 + 11) % 101 / 2 - 25 + (i % 3 == 0 ? 15 : 0);
    counts.push_back({tenths / 10.0, target ? 1.0 : 0.0, target ? 0.0 : 1.0});
  }
  return DetectionCurve(counts);
}

// By PyPI's llreval 0.0.3: cllr, min_cllr, ROCCH.EER, fast_Bayes_error_rate,
// ROCCH.Bayes_error_rate.
TEST(Detection, SixtyRowsByLlreval) {
  const DetectionCurve curve = sixty_rows();
  EXPECT_NEAR(curve.cllr(), 0.9457635603387332, 1e-12);
  EXPECT_NEAR(curve.min_cllr(), 0.7179740403408235, 1e-12);
  EXPECT_NEAR(curve.eer_hull(), 0.3345864661406446, 1e-8);  // found there by bisection
  const double errors[][3] = {{-2.25, 0.092618536687, 0.066011168007},
                              {0.05, 0.327970181521, 0.327970181521},
                              {1.15, 0.191895749820, 0.183903416451}};
  for (const auto& [log_odds, actual, least] : errors) {
    EXPECT_NEAR(curve.error(log_odds), actual, 1e-11);
    EXPECT_NEAR(curve.minimum_error(log_odds), least, 1e-11);
  }
}

// By PyPI's model-diagnostics 1.5.0: decompose with LogLoss and with SquaredError, which is half of
// the Brier score of both classes.
TEST(Detection, SixtyRowsByModelDiagnostics) {
  const DetectionCurve curve = sixty_rows();
  const Decomposition log_loss = curve.log_loss(0.3), brier = curve.brier(0.3);
  EXPECT_NEAR(log_loss.miscalibration, 0.13007766470892868, 1e-12);
  EXPECT_NEAR(log_loss.discrimination, 0.19430178195332382, 1e-12);
  EXPECT_NEAR(log_loss.uncertainty, 0.6842317651303004, 1e-12);
  EXPECT_NEAR(log_loss.score, 0.6200076478859052, 1e-12);
  EXPECT_NEAR(brier.miscalibration / 2, 0.045909549465010746, 1e-12);
  EXPECT_NEAR(brier.discrimination / 2, 0.07116582491582488, 1e-12);
  EXPECT_NEAR(brier.uncertainty / 2, 0.24555555555555555, 1e-12);
  EXPECT_NEAR(brier.score / 2, 0.22029928010474142, 1e-12);
}

TEST(Detection, CostOfFiveRows) {
  const Detection at = five_rows().at({.prior = 0.5});
  EXPECT_NEAR(at.actual_dcf, 1.0 / 6, 1e-12);
  EXPECT_NEAR(at.normalized_dcf, 1.0 / 3, 1e-12);
  EXPECT_NEAR(at.min_dcf, 1.0 / 6, 1e-12);
}

// By hand: the pooled shares are 0 (row 5), 1/2 (rows 4 and 3) and 1 (rows 2 and 1).
TEST(Detection, ScoresSplitIntoThreeParts) {
  const DetectionCurve curve = five_rows();
  const Decomposition brier = curve.brier(0.5);
  EXPECT_NEAR(brier.score, 0.332, 1e-12);
  EXPECT_NEAR(brier.uncertainty, 2 * 0.6 * 0.4, 1e-12);
  EXPECT_NEAR(brier.discrimination, 0.48 - 0.2, 1e-12);
  EXPECT_NEAR(brier.miscalibration, 0.332 - 0.2, 1e-12);
  const Decomposition log_loss = curve.log_loss(0.5);
  EXPECT_NEAR(log_loss.score, 0.487, 5e-4);
  EXPECT_NEAR(log_loss.uncertainty, -0.6 * std::log(0.6) - 0.4 * std::log(0.4), 1e-12);
  EXPECT_NEAR(log_loss.uncertainty - log_loss.discrimination, 0.4 * std::numbers::ln2, 1e-12);
}

TEST(Detection, ReliabilityOfFiveRows) {
  const auto steps = five_rows().reliability(0.5);
  const double expected[][4] = {{0.1, 0.1, 0, 1}, {0.3, 0.4, 0.5, 2}, {0.6, 0.9, 1, 2}};
  ASSERT_EQ(steps.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(steps[k].low, expected[k][0], 1e-12);
    EXPECT_NEAR(steps[k].high, expected[k][1], 1e-12);
    EXPECT_NEAR(steps[k].share, expected[k][2], 1e-12);
    EXPECT_EQ(steps[k].rows, expected[k][3]);
  }
}

std::vector<RatioCount> random_counts(std::mt19937_64& engine, double infinite) {
  std::normal_distribution<double> noise;
  std::uniform_real_distribution<double> share;
  std::vector<RatioCount> counts;
  for (int i = 0; i < 200; ++i) {
    const bool target = share(engine) < 0.4;
    double ratio = 1.7 * noise(engine) + (target ? 1.2 : -0.8);
    ratio = std::round(ratio * 8) / 8;  // ties
    if (share(engine) < infinite) ratio = target ? INFINITY : -INFINITY;
    const double weight = 1 + std::floor(3 * share(engine));
    counts.push_back({ratio, target ? weight : 0, target ? 0 : weight});
  }
  return counts;
}

// Cllr = ∫ E(θ) dθ / (2 ln 2), and the same for the minimum: a law that needs no oracle.
TEST(Detection, CllrIsTheErrorOverAllPriors) {
  const std::uint64_t seed = 20261;
  std::mt19937_64 engine(seed);
  SCOPED_TRACE(seed);
  for (int turn = 0; turn < 5; ++turn) {
    const DetectionCurve curve(random_counts(engine, turn % 2 ? 0.05 : 0));
    double actual = 0, least = 0;
    constexpr double step = 1e-3;
    for (double theta = -40; theta < 40; theta += step) {
      const double middle = theta + step / 2;
      actual += curve.error(middle) * step;
      least += curve.minimum_error(middle) * step;
    }
    EXPECT_NEAR(curve.cllr(), actual / (2 * std::numbers::ln2), 2e-3);
    EXPECT_NEAR(curve.min_cllr(), least / (2 * std::numbers::ln2), 2e-3);
  }
}

TEST(Detection, LawsOfTheMinimum) {
  std::mt19937_64 engine(5);
  for (int turn = 0; turn < 10; ++turn) {
    const std::vector<RatioCount> counts = random_counts(engine, 0.02);
    const DetectionCurve curve(counts);
    double highest = 0;
    for (double theta = -6; theta <= 6; theta += 0.01) {
      EXPECT_LE(curve.minimum_error(theta), curve.error(theta) + 1e-12);
      highest = std::max(highest, curve.minimum_error(theta));
    }
    EXPECT_NEAR(curve.eer_hull(), highest, 1e-3) << "the equal error rate is the highest minimum";
    EXPECT_LE(curve.min_cllr(), curve.cllr() + 1e-12);
    EXPECT_LE(curve.eer_hull(), curve.equal_error_rate() + 1e-12);

    std::vector<RatioCount> mapped = counts, doubled = counts;
    for (RatioCount& count : mapped) count.ratio = std::atan(count.ratio) * 3 + 1;
    for (const RatioCount& count : counts) doubled.push_back(count);
    std::vector<RatioCount> heavier = counts;
    for (RatioCount& count : heavier) {
      count.target *= 2;
      count.other *= 2;
    }
    EXPECT_NEAR(DetectionCurve(mapped).min_cllr(), curve.min_cllr(), 1e-12);
    EXPECT_NEAR(DetectionCurve(doubled).cllr(), DetectionCurve(heavier).cllr(), 1e-12);
    EXPECT_NEAR(DetectionCurve(doubled).eer_hull(), curve.eer_hull(), 1e-12);

    const Decomposition brier = curve.brier(0.3), loss = curve.log_loss(0.3);
    for (const Decomposition& of : {brier, loss}) {
      EXPECT_NEAR(of.score, of.miscalibration - of.discrimination + of.uncertainty, 1e-12);
      EXPECT_GE(of.miscalibration, -1e-12);
      EXPECT_GE(of.discrimination, -1e-12);
    }
  }
}

TEST(Detection, NothingAgainstNothingIsRefused) {
  EXPECT_THROW(DetectionCurve({{0.0, 1, 0}}), InvalidArgument);
  EXPECT_THROW(DetectionCurve({{std::nan(""), 1, 1}}), InvalidArgument);
}

}  // namespace
}  // namespace suffice::detection_test
