#include "suffice/calibrate/fit_calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/special_functions.hpp"
#include "suffice/core/error.hpp"

namespace suffice::fit_calibration_test {
namespace {

/// Rows of classes dealt in turn, whose scores are those of normal densities times a steepness.
struct Example {
  std::vector<Matrix> scores;
  std::vector<Index> labels;
  std::vector<double> log_priors;

  CalibrationFit fit(std::vector<double> weights = {}, CalibrationOptions options = {}) const {
    return fit_calibration(scores, labels, weights, log_priors, options);
  }
};

Example example(Index n, Index classes, std::vector<double> steepness, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Example result;
  result.log_priors.assign(static_cast<std::size_t>(classes), -std::log(double(classes)));
  for (Index i = 0; i < n; ++i) result.labels.push_back(i % classes);
  for (const double factor : steepness) {
    Matrix means(classes, 4), scores(n, classes);
    for (Index c = 0; c < classes; ++c)
      for (double& mean : means.row(c)) mean = 0.7 * normal(random);
    for (Index i = 0; i < n; ++i) {
      double x[4];
      for (Index j = 0; j < 4; ++j) x[j] = means(i % classes, j) + normal(random);
      for (Index c = 0; c < classes; ++c)
        for (Index j = 0; j < 4; ++j)
          scores(i, c) -= 0.5 * factor * (x[j] - means(c, j)) * (x[j] - means(c, j));
    }
    result.scores.push_back(std::move(scores));
  }
  return result;
}

/// The gradient of the penalised loss, written out: at a minimum 0, or pointing out of the bounds.
std::vector<double> gradient(const Example& of, const Calibration& at) {
  const std::size_t blocks = of.scores.size(), classes = of.log_priors.size();
  std::vector<double> result(blocks + classes);
  for (std::size_t b = 0; b < blocks; ++b) result[b] = at.scale[b] - 1;
  for (std::size_t c = 0; c < classes; ++c) result[blocks + c] = at.offset[c];
  for (std::size_t i = 0; i < of.labels.size(); ++i) {
    std::vector<double> z(classes);
    for (std::size_t c = 0; c < classes; ++c) {
      z[c] = of.log_priors[c] + at.offset[c];
      for (std::size_t b = 0; b < blocks; ++b) z[c] += at.scale[b] * of.scores[b](i, c);
    }
    const double log_total = log_sum_exp(z);
    for (std::size_t c = 0; c < classes; ++c) {
      if (z[c] == -infinity) continue;
      const double rest = std::exp(z[c] - log_total) - (static_cast<Index>(c) == of.labels[i]);
      result[blocks + c] += rest;
      for (std::size_t b = 0; b < blocks; ++b) result[b] += rest * of.scores[b](i, c);
    }
  }
  return result;
}

TEST(Softmax, IsTheExponentialsOverTheirSum) {
  Matrix z(3, 8);
  for (Index k = 0; k < 3; ++k)
    for (Index r = 0; r < 8; ++r)
      z(k, r) = std::sin(double(3 * r + k)) * std::pow(10.0, double(r - 2));
  z(1, 3) = -infinity;
  const Matrix scores = z;
  Vector log_sum(8);
  kernels::softmax(z.data(), 8, 3, 8, log_sum.data());
  for (Index r = 0; r < 8; ++r) {
    const std::vector<double> column = {scores(0, r), scores(1, r), scores(2, r)};
    EXPECT_NEAR(log_sum[r], log_sum_exp(column), 1e-14 * std::max(1.0, std::abs(log_sum[r])));
    for (Index k = 0; k < 3; ++k)
      EXPECT_NEAR(z(k, r), std::exp(scores(k, r) - log_sum_exp(column)), 1e-12);
  }
}

TEST(FitCalibration, HasNoGradientAtItsMinimum) {
  for (const Index classes : {2, 3, 26, 120, 510}) {  // the last by conjugate gradients
    const Example rows = example(1000, classes, {3.0});
    const CalibrationFit fit = rows.fit();
    for (const double slope : gradient(rows, fit.calibration))
      EXPECT_NEAR(slope, 0, 1e-5) << classes;
    EXPECT_NEAR(fit.calibration.offset.map().sum(), 0, 1e-12);
    EXPECT_LT(fit.log_loss, fit.log_loss_before);
  }
}

TEST(FitCalibration, FindsHowMuchTooSteepTheScoresAre) {
  const Calibration found = example(4000, 5, {4.0, 2.0}).fit().calibration;
  EXPECT_NEAR(found.scale[0], 0.25, 0.02);
  EXPECT_NEAR(found.scale[1], 0.5, 0.04);
}

TEST(FitCalibration, KeepsScalesWithinTheirBounds) {
  const Example rows = example(600, 3, {0.25});
  EXPECT_EQ(rows.fit().calibration.scale[0], 1);
  EXPECT_NEAR(rows.fit({}, {.largest_scale = infinity}).calibration.scale[0], 4, 0.5);
  Example reversed = example(600, 3, {1.0});
  for (double& score : std::span(reversed.scores[0].data(), 1800)) score = -score;
  const CalibrationFit fit = reversed.fit();
  EXPECT_EQ(fit.calibration.scale[0], 0);
  EXPECT_NEAR(fit.log_loss, std::log(3.0), 1e-12);  // nothing better than the priors
}

TEST(FitCalibration, NeverEndsAboveThePriorsByMoreThanThePenalty) {
  for (const double steepness : {1e-3, 1.0, 1e3, 1e6}) {
    Example rows = example(500, 4, {steepness}, 3);
    for (Index i = 0; i < 500; ++i) rows.scores[0](i, 0) += 3 * steepness;  // a wrong level
    const CalibrationFit fit = rows.fit();
    EXPECT_LE(fit.log_loss, std::log(4.0) + 1.0 / 1000) << steepness;
    for (const double slope : gradient(rows, fit.calibration)) {
      if (fit.calibration.scale[0] < 1) {
        EXPECT_NEAR(slope, 0, 1e-6 * std::max(1.0, 500 * steepness));
      }
    }
  }
}

// Scores that say nothing, few rows, several blocks: half a nat per block over all rows.
TEST(FitCalibration, NoiseEndsAboveThePriorsByNoMoreThanHalfANatPerBlock) {
  for (unsigned seed = 0; seed < 50; ++seed)
    for (const std::size_t blocks : {1U, 3U}) {
      Example rows = example(20, 2, std::vector<double>(blocks, 1.0), seed);
      std::ranges::sort(rows.labels);  // no longer the classes that the scores are of
      EXPECT_LE(rows.fit().log_loss, std::log(2.0) + 0.5 * static_cast<double>(blocks) / 20)
          << "seed " << seed;
    }
}

TEST(FitCalibration, WeightsAreDuplicates) {
  const Example rows = example(60, 3, {2.0, 3.0});
  Example twice = rows;
  std::vector<double> weights;
  for (Index i = 0; i < 60; ++i) weights.push_back(double(i % 3));
  twice.labels.clear();
  std::vector<Index> from;
  for (Index i = 0; i < 60; ++i)
    for (int k = 0; k < i % 3; ++k) {
      from.push_back(i);
      twice.labels.push_back(rows.labels[i]);
    }
  for (std::size_t b = 0; b < 2; ++b) {
    twice.scores[b] = Matrix(std::ssize(from), 3);
    for (std::size_t i = 0; i < from.size(); ++i)
      for (Index c = 0; c < 3; ++c) twice.scores[b](i, c) = rows.scores[b](from[i], c);
  }
  const CalibrationFit weighted = rows.fit(weights), duplicated = twice.fit();
  EXPECT_EQ(weighted.rows, duplicated.rows);
  for (Index b = 0; b < 2; ++b)
    EXPECT_NEAR(weighted.calibration.scale[b], duplicated.calibration.scale[b], 1e-9);
  for (Index c = 0; c < 3; ++c)
    EXPECT_NEAR(weighted.calibration.offset[c], duplicated.calibration.offset[c], 1e-9);
  EXPECT_NEAR(weighted.log_loss, duplicated.log_loss, 1e-12);
}

TEST(FitCalibration, WhatAllClassesShareChangesNothing) {
  const Example rows = example(90, 3, {2.0});
  Example shifted = rows;
  for (Index i = 0; i < 90; ++i)
    for (Index c = 0; c < 3; ++c) shifted.scores[0](i, c) -= 1024.0 * double(i);
  const Calibration a = rows.fit().calibration, b = shifted.fit().calibration;
  EXPECT_NEAR(a.scale[0], b.scale[0], 1e-9);
  for (Index c = 0; c < 3; ++c) EXPECT_NEAR(a.offset[c], b.offset[c], 1e-9);
}

TEST(FitCalibration, LeavesOutRowsThatTellNothing) {
  Example rows = example(90, 3, {2.0});
  const CalibrationFit without = rows.fit();
  Example more = rows;
  more.labels.insert(more.labels.end(), {-1, 0, 1});
  Matrix scores(93, 3);
  std::copy_n(rows.scores[0].data(), 270, scores.data());
  for (Index c = 0; c < 3; ++c) scores(91, c) = -infinity;  // no class can have made it
  scores(92, 1) = -infinity;                                // its own cannot
  more.scores[0] = scores;
  const CalibrationFit with = more.fit();
  EXPECT_EQ(with.calibration.scale, without.calibration.scale);
  EXPECT_EQ(with.calibration.offset, without.calibration.offset);
  // But no set can have the class of a row that its own class rules out, which counts.
  EXPECT_LE(with.calibration.thresholds(0, 49), without.calibration.thresholds(0, 49));
  EXPECT_EQ(with.rows, 92);
  EXPECT_EQ(with.impossible, 1);
  EXPECT_EQ(with.log_loss, infinity);
  more.labels[92] = -1;
  EXPECT_NEAR(more.fit().log_loss, (90 * without.log_loss + std::log(3.0)) / 91, 1e-14);
}

TEST(FitCalibration, AnImpossibleClassHasNoPartInItsRow) {
  Example rows = example(300, 3, {2.0, 2.0});
  for (Index i = 0; i < 300; i += 2) rows.scores[1](i, (rows.labels[i] + 1) % 3) = -infinity;
  const CalibrationFit fit = rows.fit();
  Example plain = rows;
  for (Matrix& block : plain.scores)
    for (Index i = 0; i < 300; i += 2) block(i, (rows.labels[i] + 1) % 3) = -1e9;
  for (const double slope : gradient(plain, fit.calibration)) EXPECT_NEAR(slope, 0, 1e-6);
}

TEST(FitCalibration, ClassesAndRowsThatAreNotThereChangeNothing) {
  Example rows = example(90, 3, {2.0});
  EXPECT_EQ(fit_calibration(std::vector<Matrix>{Matrix(0, 2)}, {}, {}, std::vector<double>{0, 0})
                .calibration,
            (Calibration{.scale = {1}, .offset = {0, 0}}));
  // A class whose prior is 0 has no part at all.
  Example four = rows;
  four.log_priors.push_back(-infinity);
  four.scores[0] = Matrix(90, 4);
  for (Index i = 0; i < 90; ++i)
    std::copy_n(rows.scores[0].row(i).data(), 3, four.scores[0].row(i).data());
  const Calibration a = rows.fit().calibration, b = four.fit().calibration;
  EXPECT_NEAR(b.offset[3], 0, 1e-12);
  EXPECT_NEAR(a.scale[0], b.scale[0], 1e-9);
  for (Index c = 0; c < 3; ++c) EXPECT_NEAR(a.offset[c], b.offset[c], 1e-9);
}

TEST(FitCalibration, RefusesWhatCannotBe) {
  const Example rows = example(6, 3, {2.0});
  Example wrong = rows;
  wrong.labels.pop_back();
  EXPECT_THROW(wrong.fit(), InvalidArgument);
  wrong = rows;
  wrong.labels[0] = 3;
  EXPECT_THROW(wrong.fit(), InvalidArgument);
  for (const double score : {infinity, std::nan("")}) {
    wrong = rows;
    wrong.scores[0](2, 1) = score;
    EXPECT_THROW(wrong.fit(), InvalidArgument);
  }
  EXPECT_THROW(rows.fit({1, 1}), InvalidArgument);
  EXPECT_THROW(rows.fit({1, 1, 1, 1, 1, -1}), InvalidArgument);
  EXPECT_THROW(rows.fit({}, {.largest_scale = -1}), InvalidArgument);
  wrong = rows;
  wrong.log_priors[0] = infinity;
  EXPECT_THROW(wrong.fit(), InvalidArgument);
  wrong = rows;
  wrong.scores.clear();
  EXPECT_THROW(wrong.fit(), InvalidArgument);
}

}  // namespace
}  // namespace suffice::fit_calibration_test
