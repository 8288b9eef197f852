// Scores of folds by models of completed sums, against expectations that Eigen computes row by row.

#include "left_out/completed_scores.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace suffice::completed_scores_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index rows = 60, features = 3;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Rows of two classes, one cell in five empty, none without any number.
struct Gaps {
  Matrix x{rows, features};
  std::vector<std::string> labels;

  explicit Gaps(unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(i % 3 ? "a" : "b");
      const double common = normal(generator);
      for (Index j = 0; j < features; ++j)
        x(i, j) = (i % 3 ? 0.5 : -1.0) * static_cast<double>(j) + common + normal(generator);
      if (i % 2) x(i, i % features) = no_number;
      if (i % 5 == 0) x(i, (i / 5) % features) = no_number;
    }
  }
  RowBlock block() const { return RowBlock(MatrixView(x), Column(labels)); }
};

/// E[x] and E[x xᵀ] of a row given what is present.
std::pair<VectorXd, MatrixXd> expected(const VectorXd& x, const VectorXd& mean,
                                       const MatrixXd& covariance) {
  std::vector<Index> o, m;
  for (Index j = 0; j < features; ++j) (std::isnan(x(j)) ? m : o).push_back(j);
  VectorXd completed = x;
  MatrixXd spread = MatrixXd::Zero(features, features);
  if (!m.empty()) {
    const MatrixXd slope = covariance(m, o) * covariance(o, o).inverse();
    completed(m) = mean(m) + slope * (x(o) - mean(o));
    spread(m, m) = covariance(m, m) - slope * covariance(o, m);
  }
  return {completed, completed * completed.transpose() + spread};
}

double log_normal(const VectorXd& x, const VectorXd& mean, const MatrixXd& covariance) {
  std::vector<Index> o;
  for (Index j = 0; j < features; ++j)
    if (!std::isnan(x(j))) o.push_back(j);
  const VectorXd e = x(o) - mean(o);
  const MatrixXd s = covariance(o, o);
  return -0.5 * (e.dot(s.inverse() * e) + std::log(s.determinant()) +
                 static_cast<double>(o.size()) * std::log(2 * std::numbers::pi));
}

TEST(CompletedScores, OfAFoldAreThoseOfExpectationsWithoutIt) {
  const Gaps table(3);
  const Schema schema = Schema::numbered(features);
  const Statistics statistics = Statistics(schema).update(table.block());
  const EstimateOptions shape =
      resolve({.covariance = Covariance::full, .shrinkage = Shrinkage::none()});
  const Completion completion = complete(statistics, [&](const auto& use) { use(table.block()); },
                                         {.estimate = shape, .passes = {.iterations = 3}});
  Reservoir reservoir(schema);
  reservoir.update(table.block());
  const SampledRows sample = reservoir.sample();
  const ScoresOfEstimates scores =
      CompletedGaussian(statistics, completion, 0, sample, {}).scores({shape}, {Tails::normal()});
  ASSERT_EQ(scores.size(), 1U);

  // The sample has all rows; rows of a class take turns among the folds, in its order.
  const RowBlock sampled = sample.left_out();
  ASSERT_EQ(sampled.rows(), rows);
  std::vector<VectorXd> x;
  std::vector<Index> label, fold;
  Index seen[2] = {0, 0};
  for (Index i = 0; i < rows; ++i) {
    const Statistics of = Statistics(schema, {.labels = {"a", "b"}}).update(sampled.slice(i, 1));
    const Index c = of.weights()[0] > 0 ? 0 : 1;
    VectorXd row(features);
    const Moments moments = std::get<GaussianStatistics>(of.blocks()[0]).moments(c);
    for (Index j = 0; j < features; ++j)
      row(j) = moments.weight[j] > 0 ? moments.mean[j] : no_number;
    x.push_back(row);
    label.push_back(c);
    fold.push_back(seen[c]++ % CompletedGaussian::folds);
  }
  const auto& by = std::get<GaussianDensity>(completion.expectation[0]->densities()[0]);
  for (Index left = 0; left < CompletedGaussian::folds; ++left)
    for (Index c = 0; c < 2; ++c) {
      const VectorXd mean = by.mean.map().row(c).transpose();
      const MatrixXd covariance = by.covariance[static_cast<std::size_t>(c)].map();
      double weight = 0;
      VectorXd first = VectorXd::Zero(features);
      MatrixXd second = MatrixXd::Zero(features, features);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (label[i] != c || fold[i] == left) continue;
        const auto [one, two] = expected(x[i], mean, covariance);
        weight += 1;
        first += one;
        second += two;
      }
      const VectorXd without_mean = first / weight;
      const MatrixXd without = second / weight - without_mean * without_mean.transpose();
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (fold[i] != left) continue;
        EXPECT_NEAR(scores[0](static_cast<Index>(i), c), log_normal(x[i], without_mean, without),
                    1e-9)
            << "row " << i << ", class " << c;
      }
    }
}

}  // namespace
}  // namespace suffice::completed_scores_test
