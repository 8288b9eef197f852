#include "estimate/shrinkage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/constants.hpp"
#include "core/random.hpp"
#include "factor/whitener.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"
#include "unit/make_statistics.hpp"
#include "unit/slow_student.hpp"

namespace suffice::shrinkage_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::Real;
using testing::Reals;

using Rows = std::vector<std::vector<double>>;

/// Rows with a covariance that is far from the identity.
Rows some_rows(Index count, Index d, std::uint64_t seed, double stretch = 1) {
  Rows rows;
  for (Index i = 0; i < count; ++i) {
    RowRandom random(seed, static_cast<std::uint64_t>(i));
    std::vector<double> row;
    double before = 0;
    for (Index j = 0; j < d; ++j) {
      before = 0.6 * before + stretch * static_cast<double>(j + 1) * random.normal();
      row.push_back(before);
    }
    rows.push_back(row);
  }
  return rows;
}

Matrix to_matrix(const std::vector<Reals>& values) {
  Matrix result(std::ssize(values), std::ssize(values));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j)
      result(i, j) =
          static_cast<double>(values[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  return result;
}

std::vector<Index> first(Index n) {
  std::vector<Index> result;
  for (Index i = 0; i < n; ++i) result.push_back(i);
  return result;
}

/// log p(x₂ … x_n | x₁, v): each row by Student's t given the rows before it.
Real chain(const Rows& rows, const std::vector<Reals>& target, Real v) {
  const std::size_t d = target.size();
  Real sum = 0;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const auto [mean, scatter] = testing::slow_moments(rows, k, d);
    const Real weight = static_cast<Real>(k), dof = weight - 1 + v + 2;
    Reals delta(d);
    std::vector<Reals> scale(d, Reals(d));
    for (std::size_t i = 0; i < d; ++i) {
      delta[i] = rows[k][i] - mean[i];
      for (std::size_t j = 0; j < d; ++j)
        scale[i][j] = (1 + 1 / weight) * (scatter[i][j] + v * target[i][j]) / dof;
    }
    sum += testing::log_student(delta, scale, dof);
  }
  return sum;
}

TEST(WhitenedScatter, IsTheProductOfPlainLoops) {
  for (const Index d : {1, 7, 96, 97, 200}) {
    // Whole numbers, which doubles add and multiply exactly; W is 0 above its diagonal.
    const auto number = [](Index i, Index j) {
      return static_cast<double>((7 * i + 3 * j) % 11 - 5);
    };
    Matrix scatter(d, d), whitener(d, d);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j) {
        scatter(i, j) = number(i + j, i * j);
        whitener(i, j) = j <= i ? number(i, j) : 0;
      }
    Matrix half(d, d);
    for (Index i = 0; i < d; ++i)
      for (Index k = 0; k < d; ++k)
        for (Index j = 0; j < d; ++j) half(i, j) += whitener(i, k) * scatter(k, j);
    const Matrix product = whitened_scatter(scatter, whitener);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j <= i; ++j) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) sum += half(i, k) * whitener(j, k);
        ASSERT_EQ(product(i, j), sum) << d << ": " << i << ", " << j;
      }
  }
}

TEST(EvidenceOfAPrior, IsTheChainOfPredictiveDensities) {
  for (const Index d : {1, 3, 5}) {
    for (const Index count : {2, 4, 40}) {
      const Rows rows = some_rows(count, d, 7);
      const std::vector<Reals> target =
          testing::slow_moments(some_rows(30, d, 8, 0.2), 30, static_cast<std::size_t>(d)).scatter;
      Matrix whitener;
      double log_norm = 0;
      ASSERT_EQ(whiten(to_matrix(target), first(d), whitener, log_norm), d);
      const Matrix scatter =
          to_matrix(testing::slow_moments(rows, rows.size(), static_cast<std::size_t>(d)).scatter);
      const SeenScatter seen{static_cast<double>(count - 1), d,
                             relative_eigenvalues(scatter, whitener)};
      const double at_one = log_evidence({&seen, 1}, 1);
      const Real chain_at_one = chain(rows, target, 1);
      for (const double v : {1.5, 8.0, 100.0, 1e5})
        EXPECT_NEAR(log_evidence({&seen, 1}, v) - at_one,
                    static_cast<double>(chain(rows, target, v) - chain_at_one), 1e-9)
            << d << " features, " << count << " rows, v = " << v;
    }
  }
}

TEST(EvidenceOfAPrior, HasTheSlopeOfItsDifferences) {
  const std::vector<SeenScatter> seen{
      {12.5, 3, {0.1, 4, 30}}, {0, 3, {0, 0, 0}}, {7, 1, {2, 9, 4, 0}}};
  for (const double v : {1.0, 3.0, 50.0, 1e4}) {
    const double step = 1e-4;
    const double difference =
        (log_evidence(seen, v * std::exp(step)) - log_evidence(seen, v * std::exp(-step))) /
        (2 * step);
    EXPECT_NEAR(log_evidence_slope(seen, v), difference, 1e-6 * (1 + std::abs(difference)));
  }
}

TEST(EvidenceOfAPrior, IsLargestAtTheBestRows) {
  // The same spread in all directions as the target has, and a spread that differs.
  for (const Vector& eigenvalues : {Vector{30, 31, 29}, Vector{2, 30, 90}, Vector{0, 0, 600}}) {
    const SeenScatter seen{30, 3, eigenvalues};
    const double v = best_rows({&seen, 1});
    const double best = log_evidence({&seen, 1}, v);
    for (double other = 1; other < 6e7; other *= 1.05)  // as far as strengths go
      EXPECT_LE(log_evidence({&seen, 1}, other), best + 1e-9) << "v = " << v << ", not " << other;
    EXPECT_GE(v, 1);
  }
}

TEST(EvidenceOfAPrior, OfAClassLikeTheTargetAsksForManyRows) {
  const SeenScatter same{30, 3, {30, 30, 30}};
  EXPECT_GT(best_rows({&same, 1}), 1e6);
  const SeenScatter different{300, 3, {1, 300, 9e4}};
  EXPECT_EQ(best_rows({&different, 1}), 1);
  EXPECT_GE(best_rows({}), 1);
}

TEST(EvidenceOfAPrior, DoesNotDependOnUnits) {
  const Rows rows = some_rows(25, 4, 3);
  Matrix scatter = to_matrix(testing::slow_moments(rows, 25, 4).scatter);
  const ShrunkScatter plain = shrink_to_diagonal(scatter, 24);
  const double unit[] = {1e-8, 1, 1e6, 3};
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) scatter(i, j) *= unit[i] * unit[j];
  const ShrunkScatter scaled = shrink_to_diagonal(scatter, 24);
  EXPECT_NEAR(scaled.rows, plain.rows, 1e-9 * plain.rows);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j)
      EXPECT_NEAR(scaled.covariance(i, j) / unit[i] / unit[j], plain.covariance(i, j),
                  1e-9 * std::abs(plain.covariance(i, j)));
}

TEST(ShrunkScatter, KeepsItsDiagonal) {
  const Matrix scatter{{8, 4}, {4, 16}};
  const ShrunkScatter shrunk = shrink_to_diagonal(scatter, 4);
  EXPECT_EQ(shrunk.covariance(0, 0), 2);
  EXPECT_EQ(shrunk.covariance(1, 1), 4);
  EXPECT_DOUBLE_EQ(shrunk.covariance(0, 1), 4 / (4 + shrunk.rows));
  EXPECT_EQ(class_target(scatter, 4).covariance, shrunk.covariance);
}

TEST(ShrunkScatter, OfMoreFeaturesThanDegreesOfFreedomIsDiagonal) {
  const ShrunkScatter target = class_target(Matrix{{8, 4}, {4, 16}}, 1.5);
  EXPECT_EQ(target.rows, infinity);
  EXPECT_EQ(target.covariance, (Matrix{{8 / 1.5, 0}, {0, 16 / 1.5}}));
}

TEST(Shrink, MovesTowardsTheDiagonalOrTheMeanVariance) {
  Matrix covariance{{2, 1}, {1, 6}};
  shrink(covariance, 0.25, Target::diag);
  EXPECT_EQ(covariance, (Matrix{{2, 0.75}, {0.75, 6}}));
  covariance = {{2, 1}, {1, 6}};
  shrink(covariance, 0.25, Target::spherical);
  EXPECT_EQ(covariance, (Matrix{{2.5, 0.75}, {0.75, 5.5}}));
  shrink(covariance, 1, Target::spherical);
  EXPECT_EQ(covariance, (Matrix{{4, 0}, {0, 4}}));
}

TEST(Oas, HasItsClosedForm) {
  // ρ = [(1 − 2/p) tr Σ² + tr² Σ] / [(n + 1 − 2/p) (tr Σ² − tr² Σ / p)] is Chen's; scikit-learn's
  // has (tr Σ² / p² + (tr Σ / p)²) / ((n + 1) (tr Σ² / p² − (tr Σ / p)² / p)): here tr Σ² = 42,
  // tr Σ = 8, p = 2.
  EXPECT_DOUBLE_EQ(oas_share(Matrix{{2, 1}, {1, 6}}, 19), (10.5 + 16) / (20 * (10.5 - 8)));
  EXPECT_EQ(oas_share(Matrix{{2, 1}, {1, 6}}, 2), 1);
  EXPECT_EQ(oas_share(Matrix{{3, 0}, {0, 3}}, 9), 1);
  EXPECT_EQ(oas_share(Matrix{{3}}, 9), 0);
}

}  // namespace
}  // namespace suffice::shrinkage_test
