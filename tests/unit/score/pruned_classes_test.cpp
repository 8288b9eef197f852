#include "score/pruned_classes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "suffice/estimate/estimate.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace {

struct Rows {
  Matrix x;
  std::vector<std::string> y;
};

/// Classes that overlap: `apart` is the distance of their means in deviations of a feature.
Rows made(Index rows, Index features, Index classes, double apart, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Matrix mean(classes, features);
  for (Index i = 0; i < mean.size(); ++i) mean.data()[i] = apart * normal(random);
  Rows result{Matrix(rows, features), {}};
  for (Index i = 0; i < rows; ++i) {
    const Index c = i % classes;
    result.y.push_back(std::to_string(c));
    double before = 0;
    for (Index j = 0; j < features; ++j) {
      before = 0.5 * before + normal(random) * (1 + 0.1 * static_cast<double>(c));
      result.x(i, j) = mean(c, j) + before;
    }
  }
  return result;
}

Model model_of(const Rows& rows) {
  std::vector<Feature> features;
  for (Index j = 0; j < rows.x.cols(); ++j) features.push_back({.name = "x" + std::to_string(j)});
  Statistics statistics{Schema(features)};
  statistics.update(RowBlock(rows.x, rows.y));
  return estimate(statistics, {.covariance = Covariance::full, .shrinkage = Shrinkage::share(0.1)});
}

/// By all scores.
std::vector<Index> expected(const Model& model, const Matrix& x, std::span<const double> offset) {
  const LogLikelihoods scores = calibrated_scores(model, x, {.relative = true});
  std::vector<Index> result;
  for (Index i = 0; i < x.rows(); ++i) {
    Index best = -1;
    double highest = -std::numeric_limits<double>::infinity();
    for (Index c = 0; c < scores.values.cols(); ++c) {
      const double value = scores.values(i, c) + (offset.empty() ? 0 : offset[c]);
      if (value > highest) highest = value, best = c;
    }
    result.push_back(best);
  }
  return result;
}

TEST(PrunedClasses, DecideAsAllScoresDo) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double apart : {0.0, 0.05, 0.3, 2.0})
    for (const Index features : {48, 61, 100}) {
      const Rows rows = made(1300, features, 5, apart, 7);
      const Model model = model_of(rows);
      ASSERT_TRUE(can_prune(model));
      const std::vector<std::vector<double>> offsets = {
          {}, {0, -1, 3, 0.5, 0}, {-inf, 0, 0, -200, 40}, {-inf, -inf, -inf, -inf, -inf}};
      for (const std::vector<double>& offset : offsets)
        for (const int threads : {1, 3}) {
          const auto found = pruned_best_class(model, rows.x, offset, {.threads = threads});
          ASSERT_TRUE(found);
          EXPECT_EQ(*found, expected(model, rows.x, offset)) << apart << ", " << features;
          EXPECT_EQ(best_class(model, rows.x, offset), *found);
        }
    }
}

/// Class 2 becomes class 1 with a mean that is `apart` deviations away in some features.
Model with_near_tie(const Model& model, double apart) {
  Model::Parts parts = model.parts();
  auto& density = std::get<GaussianDensity>(parts.densities[0]);
  density.covariance[2] = density.covariance[1];
  for (Index j = 0; j < density.mean.cols(); ++j) {
    const double step = apart * std::sqrt(density.covariance[1](j, j));
    density.mean(2, j) = density.mean(1, j) + (j % 3 == 0 ? step : j % 3 == 1 ? -step : 0);
  }
  return Model(std::move(parts));
}

TEST(PrunedClasses, NearTies) {
  for (const double apart : {1e-14, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3})
    for (const Index features : {48, 200}) {
      const Rows rows = made(1500, features, 4, 0.05, 11);
      const Model model = with_near_tie(model_of(rows), apart);
      const auto found = pruned_best_class(model, rows.x, {}, {});
      ASSERT_TRUE(found);
      EXPECT_EQ(*found, expected(model, rows.x, {})) << apart << ", " << features;
      EXPECT_GT(std::ranges::count(*found, 2), 10);
    }
}

TEST(PrunedClasses, GeneratedModels) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (unsigned seed = 1; seed <= 120; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto one_of = [&](std::initializer_list<double> values) {
      return values.begin()[random() % values.size()];
    };
    const Index features = 48 + static_cast<Index>(random() % 40);
    const Index classes = 3 + static_cast<Index>(random() % 5);
    Rows rows = made(1100, features, classes, one_of({0, 0.01, 0.1, 0.5, 3}), seed);
    // Features that nearly repeat others, in all units and far from 0.
    const double noise = one_of({1, 1e-2, 1e-5}), far = one_of({0, 1, 1e4, 1e8});
    for (Index j = 0; j < features; ++j) {
      const double unit = std::pow(10, one_of({0, 0, 3, -3, 100, -100}));
      for (Index i = 0; i < rows.x.rows(); ++i) {
        if (j % 7 == 6) rows.x(i, j) = rows.x(i, j - 1) + noise * rows.x(i, j);
      }
      for (Index i = 0; i < rows.x.rows() && (j % 7 == 6 || j + 1 == features); ++i)
        for (Index k = j - j % 7; k <= j; ++k) rows.x(i, k) = unit * (rows.x(i, k) + far);
    }
    Model model = model_of(rows);
    if (random() % 2) model = with_near_tie(model, one_of({0, 1e-12, 1e-9, 1e-6}));
    if (random() % 3 == 0) {
      Model::Parts parts = model.parts();
      parts.calibration = Calibration{.scale = {one_of({1e-3, 0.1, 7})}, .offset = Vector(classes)};
      for (double& added : parts.calibration->offset) added = normal(random);
      model = Model(std::move(parts));
    }
    std::vector<double> offset;
    if (random() % 2)
      for (Index c = 0; c < classes; ++c)
        offset.push_back(random() % 6 == 0 ? -inf : one_of({0, 1, 30}) * normal(random));
    for (Index j = 0; j < features; ++j) rows.x(3, j) *= 1e30;  // too large for floats
    std::ranges::fill(rows.x.row(5), 0);
    const auto found = pruned_best_class(model, rows.x, offset, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, expected(model, rows.x, offset)) << "seed " << seed;
  }
}

TEST(PrunedClasses, TwoClasses) {
  const Rows rows = made(1100, 50, 2, 0.02, 5);
  const Model model = model_of(rows);
  ASSERT_TRUE(can_prune(model));
  const std::vector<double> offset = {0.1, -0.2};
  const auto found = pruned_best_class(model, rows.x, offset, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, expected(model, rows.x, offset));
}

TEST(PrunedClasses, TheFirstOfEqualClassesWins) {
  Rows rows = made(1200, 60, 3, 0.2, 3);
  for (Index i = 0; i + 3 <= 1200; i += 3) {  // class 2 has the rows of class 1
    std::copy_n(rows.x.row(i + 1).begin(), 60, rows.x.row(i + 2).begin());
  }
  const Model model = model_of(rows);
  const auto found = pruned_best_class(model, rows.x, {}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, expected(model, rows.x, {}));
  EXPECT_EQ(std::ranges::count(*found, 2), 0);
}

TEST(PrunedClasses, Calibrated) {
  const Rows rows = made(1200, 60, 4, 0.1, 9);
  Model::Parts parts = model_of(rows).parts();
  parts.calibration = Calibration{.scale = {0.05}, .offset = {1, -1, 0.5, -0.5}};
  const Model model(std::move(parts));
  ASSERT_TRUE(can_prune(model));
  const auto found = pruned_best_class(model, rows.x, {}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, expected(model, rows.x, {}));
}

TEST(PrunedClasses, RowsThatLackANumberAreLeftToTheScores) {
  Rows rows = made(1200, 60, 4, 0.1, 9);
  const Model model = model_of(rows);
  rows.x(17, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(pruned_best_class(model, rows.x, {}, {}));
  EXPECT_EQ(best_class(model, rows.x), expected(model, rows.x, {}));
}

}  // namespace
}  // namespace suffice
