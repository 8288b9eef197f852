// Suspects: scores against models that are refitted without each row by a slow implementation of
// its own, what subtracting means, and bad input.

#include "suffice/suspects/suspects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::suspects_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

SuspectOptions linear() {
  SuspectOptions options;
  options.fit.set("covariance", "tied").set("shrinkage", "0");
  return options;
}

struct Table {
  Matrix numbers = {};
  std::vector<std::string> labels = {};
  Schema schema = Schema({{"x", Family::gaussian}, {"y", Family::gaussian}});
  Validity valid = {};

  RowBlock rows() const {
    RowBlock block{MatrixView(numbers)};
    return block.labels(Column(Strings(labels), valid));
  }
};

/// Two classes whose means are `apart`.
Table two_classes(Index rows, double apart) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  Table table;
  table.numbers = Matrix(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    const bool second = i % 3 == 0;
    table.numbers(i, 0) = normal(random) + (second ? apart : 0);
    table.numbers(i, 1) = 0.5 * table.numbers(i, 0) + normal(random);
    table.labels.push_back(second ? "b" : "a");
  }
  return table;
}

struct Answers {
  std::vector<Suspicion> rows = {};
  std::vector<Index> flagged = {};
  Index subtracted = 0;
};

Answers answers(RowSource& source, const SuspectOptions& options = {}) {
  const SuspectFinder finder(source, options);
  Answers result;
  result.subtracted = finder.subtracted();
  finder.read([&](const RowBlock& rows, Index first, const std::vector<Suspicion>& found) {
    EXPECT_EQ(first, std::ssize(result.rows));
    EXPECT_EQ(rows.rows(), std::ssize(found));
    for (const Suspicion& of : found) {
      if (of.flagged) result.flagged.push_back(std::ssize(result.rows));
      result.rows.push_back(of);
    }
  });
  return result;
}

Answers answers(const Table& table, const SuspectOptions& options = {}) {
  RowsInMemory source(table.schema, table.rows());
  return answers(source, options);
}

/// log p(x_i | b) − log p(x_i | a) by linear discriminant analysis without row i, from its formula.
double ratio_without(const Table& table, Index left_out) {
  Eigen::Vector2d mean[2] = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  double count[2] = {0, 0};
  const auto point = [&](Index i) {
    return Eigen::Vector2d(table.numbers(i, 0), table.numbers(i, 1));
  };
  const auto label = [&](Index i) { return table.labels[static_cast<std::size_t>(i)] == "b"; };
  for (Index i = 0; i < table.numbers.rows(); ++i)
    if (i != left_out) {
      mean[label(i)] += point(i);
      ++count[label(i)];
    }
  for (const int c : {0, 1}) mean[c] /= count[c];
  Eigen::Matrix2d scatter = Eigen::Matrix2d::Zero();
  for (Index i = 0; i < table.numbers.rows(); ++i)
    if (i != left_out) {
      const Eigen::Vector2d apart = point(i) - mean[label(i)];
      scatter += apart * apart.transpose();
    }
  const Eigen::Matrix2d covariance = scatter / (count[0] + count[1]);
  const Eigen::Vector2d weights = covariance.inverse() * (mean[1] - mean[0]);
  return weights.dot(point(left_out) - 0.5 * (mean[0] + mean[1]));
}

TEST(Suspects, ScoresAreOddsByTheModelOfAllOtherRows) {
  const Table table = two_classes(90, 0.8);
  const Answers found = answers(table, linear());
  ASSERT_EQ(found.subtracted, 0);
  // A calibration is a scale and an offset: after it, and without the frequencies of the classes
  // among the other rows, what is left is linear in the ratio.
  std::vector<double> ratio, score;
  for (Index i = 0; i < 90; ++i) {
    const Suspicion& of = found.rows[static_cast<std::size_t>(i)];
    const bool is_b = of.label == 1;
    EXPECT_EQ(of.looks_like, is_b ? 0 : 1);
    EXPECT_NEAR(of.probability, 1 / (1 + std::exp(-of.score)), 1e-12);
    const double frequencies = is_b ? std::log(60. / 29) : std::log(30. / 59);
    ratio.push_back(ratio_without(table, i));
    score.push_back((is_b ? -1 : 1) * (of.score - frequencies));
  }
  const double scale = (score[1] - score[0]) / (ratio[1] - ratio[0]);
  EXPECT_GT(scale, 0.3);
  for (std::size_t i = 2; i < score.size(); ++i)
    EXPECT_NEAR(score[i], score[0] + scale * (ratio[i] - ratio[0]), 1e-9) << i;
}

TEST(Suspects, StrongestOnesHaveNoPartInTheModelThatJudges) {
  Table table = two_classes(120, 8);
  for (const std::size_t i : {5, 30, 61}) table.labels[i] = table.labels[i] == "a" ? "b" : "a";
  const Answers found = answers(table, linear());
  EXPECT_THAT(found.flagged, ElementsAre(5, 30, 61));
  EXPECT_EQ(found.subtracted, 3);
  // As if these rows had never been there.
  Table others = two_classes(120, 8);
  Vector weights(120);
  for (Index i = 0; i < 120; ++i) weights[i] = i == 5 || i == 30 || i == 61 ? 0 : 1;
  RowBlock block = others.rows();
  block.weights(weights);
  RowsInMemory source(others.schema, block);
  const Answers without = answers(source, linear());
  for (std::size_t i = 0; i < 120; ++i) {
    if (i == 5 || i == 30 || i == 61) continue;
    EXPECT_EQ(found.rows[i].looks_like, without.rows[i].looks_like) << i;
    EXPECT_NEAR(found.rows[i].score, without.rows[i].score, 1e-7) << i;
  }
}

TEST(Suspects, OverlapIsNoError) {
  const Answers found = answers(two_classes(600, 1));
  Index contradicted = 0;
  for (const Suspicion& of : found.rows) contradicted += of.score > 0;
  EXPECT_GT(contradicted, 120);  // rows that the most probable class is wrong for
  EXPECT_LT(std::ssize(found.flagged), 40);
}

TEST(Suspects, TheOnlyRowOfAClassIsNone) {
  Table table = two_classes(60, 6);
  table.labels[7] = "c";
  const Answers found = answers(table);
  EXPECT_FALSE(found.rows[7].flagged);
  EXPECT_EQ(found.rows[7].score, -std::numeric_limits<double>::infinity());
}

TEST(Suspects, RowsWithoutALabelAreNoSuspectsAndAreCounted) {
  Table table = two_classes(60, 8);
  table.labels[3] = "a";  // was b
  std::vector<std::uint8_t> bits(8, 0xff);
  bits[0] = static_cast<std::uint8_t>(~std::uint8_t{2});  // row 1 has none
  table.valid = Validity{bits.data(), 0};
  const Answers found = answers(table);
  EXPECT_EQ(found.rows[1].label, -1);
  EXPECT_FALSE(found.rows[1].flagged);
  EXPECT_THAT(found.flagged, ElementsAre(3));
}

TEST(Suspects, OneClassHasNone) {
  Table table = two_classes(30, 1);
  for (std::string& label : table.labels) label = "a";
  EXPECT_THAT(message_of([&] { answers(table); }), HasSubstr("all rows are of one class"));
}

TEST(Suspects, WorstComeFirst) {
  Suspicion weak, strong;
  weak.score = 1;
  strong.score = 2;
  const Suspect low{1, weak}, high{9, strong}, same{3, strong};
  EXPECT_TRUE(is_worse(high, low));
  EXPECT_TRUE(is_worse(same, high));
  EXPECT_FALSE(is_worse(high, same));
}

}  // namespace
}  // namespace suffice::suspects_test
