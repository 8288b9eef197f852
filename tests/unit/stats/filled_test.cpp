// What is put into sums that lack something: means and variances worked by hand.

#include "stats/filled.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/table.hpp"

namespace suffice::filled_test {
namespace {

using testing::missing;
using testing::Table;

Statistics sums_of(std::vector<std::vector<double>> rows, std::vector<std::string> labels,
                   Scatter scatter = Scatter::dense) {
  Matrix values(std::ssize(rows), std::ssize(rows.front()));
  for (Index i = 0; i < values.rows(); ++i)
    std::ranges::copy(rows[static_cast<std::size_t>(i)], values.row(i).begin());
  const Table table({.schema = Schema::numbered(values.cols()),
                     .values = std::move(values),
                     .labels = std::move(labels)});
  Statistics statistics(table.schema(), {.scatter = scatter});
  statistics.update(table.block());
  return statistics;
}

Moments moments_of(const Statistics& statistics, Index c) {
  return std::get<GaussianStatistics>(statistics.blocks().front()).moments(c);
}

TEST(Filled, AClassWithoutAValueHasThoseOfAllClasses) {
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal, Scatter::pooled}) {
    const auto found = filled(sums_of({{1, 0}, {3, 1}, {missing, 5}, {missing, 7}, {missing, 6}},
                                      {"x", "x", "y", "y", "y"}, scatter));
    ASSERT_TRUE(found);
    const Moments of = moments_of(found->statistics, 1);
    EXPECT_EQ(of.weight[0], 3);
    EXPECT_EQ(of.mean[0], 2);
    EXPECT_EQ(of.squares[0], 3);  // the variance of 1 and 3 is 1
    EXPECT_EQ(of.mean[1], 6);
    EXPECT_EQ(found->values, std::vector<double>{3});
    ASSERT_EQ(found->notes.size(), 1U);
    EXPECT_EQ(found->notes[0].text(),
              "class 'y' has no value in 'x0': the values of all classes stand for it");
  }
}

TEST(Filled, AColumnThatIsTheLabelHasTheDeviationOfItsSmallestGap) {
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal, Scatter::pooled}) {
    const auto found = filled(sums_of({{1, 0}, {1, 1}, {4, 0}, {4, 2}, {2, 1}, {2, 5}},
                                      {"x", "x", "y", "y", "z", "z"}, scatter));
    ASSERT_TRUE(found);
    for (Index c = 0; c < 3; ++c)
      EXPECT_DOUBLE_EQ(moments_of(found->statistics, c).squares[0], 2.0 / 12);
    EXPECT_EQ(moments_of(found->statistics, 2).squares[1], 8);
    EXPECT_EQ(found->values, std::vector<double>{0});
    ASSERT_EQ(found->notes.size(), 1U);
    EXPECT_TRUE(found->notes[0].text().starts_with("'x0' has one value in each class"));
  }
}

TEST(Filled, OneValueOfEachClassSaysNothingOfRepetition) {
  const auto found = filled(sums_of({{1}, {4}}, {"x", "y"}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(moments_of(found->statistics, 0).squares[0], 2.25);
  EXPECT_DOUBLE_EQ(moments_of(found->statistics, 1).squares[0], 2.25);
  EXPECT_TRUE(found->notes.empty());
}

TEST(Filled, ThinScattersBecomeDiagonal) {
  const auto found =
      filled(sums_of({{1, 2}, {1, 3}, {2, 4}, {2, 1}}, {"x", "x", "y", "y"}, Scatter::thin));
  ASSERT_TRUE(found);
  EXPECT_EQ(scatter_of(found->statistics), Scatter::diagonal);
}

TEST(Filled, SumsThatLackNothingStay) {
  EXPECT_FALSE(filled(sums_of({{1, 3}, {2, 3}, {4, 3}, {4, 3}}, {"x", "x", "y", "y"})));
  EXPECT_FALSE(filled(
      sums_of({{1, missing}, {2, missing}, {4, missing}, {4, missing}}, {"x", "x", "y", "y"})));
}

}  // namespace
}  // namespace suffice::filled_test
