// Scores of folds by models of completed sums, against EM in Eigen that never sees the fold.

#include "left_out/completed_scores.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "data/folds.hpp"

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

/// The density of a class.
struct Normal {
  VectorXd mean;
  MatrixXd covariance;
};

VectorXd row_of(const Gaps& table, Index i) { return table.x.map().row(i).transpose(); }

/// Where EM begins: means and variances of the numbers that are present, and the correlations of
/// the n complete rows, times n / (n + d + 1).
Normal of_present(const Gaps& table, const std::vector<Index>& which) {
  Normal result{VectorXd::Zero(features), MatrixXd::Zero(features, features)};
  for (Index j = 0; j < features; ++j) {
    double n = 0, sum = 0, squares = 0;
    for (const Index i : which)
      if (const double x = table.x(i, j); !std::isnan(x)) n += 1, sum += x, squares += x * x;
    result.mean(j) = sum / n;
    result.covariance(j, j) = squares / n - result.mean(j) * result.mean(j);
  }
  std::vector<VectorXd> complete;
  VectorXd sum = VectorXd::Zero(features);
  for (const Index i : which)
    if (const VectorXd x = row_of(table, i); !x.hasNaN()) {
      complete.push_back(x);
      sum += x;
    }
  const auto n = static_cast<double>(complete.size());
  MatrixXd scatter = MatrixXd::Zero(features, features);
  for (const VectorXd& x : complete) scatter += (x - sum / n) * (x - sum / n).transpose();
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < features; ++k)
      if (j != k && n > 1)
        result.covariance(j, k) = n / (n + features + 1) * scatter(j, k) /
                                  std::sqrt(scatter(j, j) * scatter(k, k)) *
                                  std::sqrt(result.covariance(j, j) * result.covariance(k, k));
  return result;
}

/// One pass of EM.
Normal after_pass(const Gaps& table, const std::vector<Index>& which, const Normal& by) {
  VectorXd first = VectorXd::Zero(features);
  MatrixXd second = MatrixXd::Zero(features, features);
  for (const Index i : which) {
    const auto [one, two] = expected(row_of(table, i), by.mean, by.covariance);
    first += one;
    second += two;
  }
  const auto n = static_cast<double>(which.size());
  return {first / n, second / n - first * first.transpose() / (n * n)};
}

/// Scores of a sample of the first rows. In each fold, two passes of EM over the sampled rows
/// outside it, and a third over all rows outside it.
void expect_em_without_the_fold(Index sampled) {
  const Gaps table(3);
  const Schema schema = Schema::numbered(features);
  const Statistics statistics = Statistics(schema).update(table.block());
  Reservoir reservoir(schema);
  reservoir.update(table.block().slice(0, sampled));
  const SampledRows sample = reservoir.sample();
  FoldCompletion completion{
      .estimate = resolve({.covariance = Covariance::full, .shrinkage = Shrinkage::none()}),
      .passes = {.iterations = 3}};
  if (sampled < rows) completion.all_rows = [&](const auto& use) { use(table.block()); };
  const CompletedGaussian completed(statistics, 0, sample, completion, {});
  const ScoresOfEstimates scores = completed.scores({completion.estimate}, {Tails::normal()});
  ASSERT_EQ(scores.size(), 1U);
  ASSERT_EQ(scores[0].rows(), sampled);

  std::vector<std::int32_t> label;
  for (Index i = 0; i < rows; ++i)
    label.push_back(table.labels[static_cast<std::size_t>(i)] == statistics.labels()[0] ? 0 : 1);
  const std::vector<std::int32_t> fold =
      Folds::dealt(CompletedGaussian::folds, 0)
          .next(statistics.labels(), label.data(), sampled, Column(), nullptr);
  for (std::int32_t left = 0; left < CompletedGaussian::folds; ++left)
    for (std::int32_t c = 0; c < 2; ++c) {
      std::vector<Index> others, all_others;
      for (Index i = 0; i < rows; ++i) {
        if (label[static_cast<std::size_t>(i)] != c) continue;
        if (i < sampled && fold[static_cast<std::size_t>(i)] == left) continue;
        if (i < sampled) others.push_back(i);
        all_others.push_back(i);
      }
      Normal density = of_present(table, others);
      for (int pass = 0; pass < 2; ++pass) density = after_pass(table, others, density);
      density = after_pass(table, all_others, density);
      for (Index i = 0; i < sampled; ++i) {
        if (fold[static_cast<std::size_t>(i)] != left) continue;
        EXPECT_FALSE(completed.unknown()[static_cast<std::size_t>(i)]);
        EXPECT_NEAR(scores[0](i, c), log_normal(row_of(table, i), density.mean, density.covariance),
                    1e-9)
            << "row " << i << ", class " << c;
      }
    }
}

TEST(CompletedScores, AreOfEmThatHasNotSeenTheFold) { expect_em_without_the_fold(rows); }

TEST(CompletedScores, OfASampleUseAllRowsOutsideTheFold) { expect_em_without_the_fold(45); }

TEST(CompletedScores, AClassWithoutAValueOutsideTheFoldLeavesItUnknown) {
  Gaps table(4);
  for (Index i = 0; i < rows; ++i)
    if (i % 3 == 0 && i != 6) table.x(i, 2) = no_number;
  const Schema schema = Schema::numbered(features);
  const Statistics statistics = Statistics(schema).update(table.block());
  Reservoir reservoir(schema);
  reservoir.update(table.block());
  const SampledRows sample = reservoir.sample();
  const FoldCompletion completion{.estimate = resolve(EstimateOptions())};
  const auto unknown = CompletedGaussian(statistics, 0, sample, completion, {}).unknown();
  EXPECT_TRUE(unknown[6]);
  EXPECT_EQ(std::ranges::count(unknown, true), rows / CompletedGaussian::folds);
}

TEST(LoneRows, AreThoseThatAloneMakeAFeatureVary) {
  Matrix x(8, 3);
  for (Index i = 0; i < 8; ++i) x(i, 2) = static_cast<double>(i % 2);
  x(1, 0) = 1;  // alone
  x(1, 1) = 2;  // alone, again
  x(5, 1) = 0;
  const std::vector<std::string> labels = {"a", "b", "a", "b", "a", "b", "a", "b"};
  const Schema schema = Schema::numbered(3);
  Reservoir reservoir(schema);
  reservoir.update(RowBlock(MatrixView(x), Column(labels)));
  EXPECT_EQ(share_of_lone_rows(schema, 0, reservoir.sample()), 1.0 / 8);
}

}  // namespace
}  // namespace suffice::completed_scores_test
