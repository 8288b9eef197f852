#include "suffice/contrast/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "contrast/column_drift.hpp"
#include "core/constants.hpp"
#include "suffice/core/error.hpp"

namespace suffice::drift_test {

Statistics sums_of(const Matrix& x, const std::vector<std::string>& labels,
                   Scatter scatter = Scatter::dense) {
  Statistics statistics(Schema::numbered(x.cols()), {.scatter = scatter});
  statistics.update(RowBlock(x, labels));
  return statistics;
}

// Holm (1979): 0.01 · 3, 0.03 · 2, and 0.04 · 1, which is no less than the one before.
TEST(Adjust, IsHolmsMethod) {
  Change a{.p = 0.01}, b{.p = 0.04}, c{.p = 0.03};
  adjust({&a, &b, &c}, 0.05);
  EXPECT_DOUBLE_EQ(a.p_adjusted, 0.03);
  EXPECT_DOUBLE_EQ(b.p_adjusted, 0.06);
  EXPECT_DOUBLE_EQ(c.p_adjusted, 0.06);
  EXPECT_TRUE(a.found);
  EXPECT_FALSE(b.found || c.found);
}

// 10, 20 | 20, 10: every expectation is 15.
TEST(TableTest, IsTheLikelihoodRatio) {
  const TableTest test = table_test({10, 20}, {20, 10});
  EXPECT_NEAR(test.g, 4 * (10 * std::log(10. / 15) + 20 * std::log(20. / 15)), 1e-12);
  EXPECT_EQ(test.df, 1);
  EXPECT_NEAR(test.p, std::erfc(std::sqrt(test.g / 2)), 1e-13);
  EXPECT_NEAR(test.total_variation, 1. / 3, 1e-15);
  EXPECT_NEAR(test.auc, 0.5 + 1. / 6, 1e-15);
}

TEST(TableTest, CountsRareLevelsAsOne) {
  // Three levels that are expected 1.5 times in a row each, 4.5 together.
  const TableTest rare = table_test({50, 1, 2, 1}, {50, 2, 1, 2});
  EXPECT_EQ(rare.df, 1);
  const TableTest together = table_test({50, 4}, {50, 5});
  EXPECT_NEAR(rare.g, together.g, 1e-12);
  EXPECT_EQ(table_test({}, {}).p, 1);
  EXPECT_EQ(table_test({5, 0}, {0, 0}).p, 1);
}

TEST(Drift, OfOneSideWithItselfIsNothing) {
  const Matrix x = {{1, 2}, {2, 1}, {4, 5}, {3, 3}, {0, 1}};
  for (const Scatter scatter :
       {Scatter::dense, Scatter::thin, Scatter::pooled, Scatter::diagonal}) {
    const Statistics sums = sums_of(x, {"a", "a", "b", "b", "b"}, scatter);
    const Drift found = drift({sums}, {sums});
    EXPECT_FALSE(found.found);
    EXPECT_EQ(found.old_rows, 5);
    for (const ColumnDrift& column : found.columns) {
      EXPECT_EQ(column.effect, 0);
      EXPECT_EQ(column.p, 1);
      EXPECT_EQ(column.auc, 0.5);
      EXPECT_EQ(column.spread, 1);
    }
    EXPECT_EQ(found.joint.has_value(), scatter != Scatter::diagonal);
    if (found.joint) {
      EXPECT_EQ(found.joint->auc, 0.5);
    }
    ASSERT_TRUE(found.classes);
    EXPECT_EQ(found.classes->total_variation, 0);
  }
}

TEST(Drift, OfAConstantThatMoved) {
  const Drift found = drift({sums_of({{1, 2}, {1, 3}, {1, 5}}, {"a", "a", "a"})},
                            {sums_of({{2, 2}, {2, 3}, {2, 6}}, {"a", "a", "a"})});
  EXPECT_EQ(found.columns[0].effect, infinity);
  EXPECT_EQ(found.columns[0].p, 0);
  EXPECT_EQ(found.columns[0].auc, 1);
  EXPECT_TRUE(found.columns[0].flagged);
  EXPECT_FALSE(found.columns[1].flagged);
  EXPECT_FALSE(found.notes.empty());
}

TEST(Drift, OfOneRowOnASide) {
  const Drift found = drift({sums_of({{1, 2}, {2, 1}, {3, 5}, {0, 1}}, {"a", "a", "a", "a"})},
                            {sums_of({{9, 2}}, {"a"})});
  for (const ColumnDrift& column : found.columns) {
    EXPECT_TRUE(column.p > 0 && column.p <= 1);
    EXPECT_FALSE(column.spread);
  }
}

TEST(Drift, RefusesWhatCannotBeCompared) {
  const Statistics two = sums_of({{1, 2}}, {"a"}), one = sums_of({{1}}, {"a"});
  EXPECT_THROW(drift({two}, {one}), InvalidArgument);
  EXPECT_THROW(drift({one}, {Statistics(Schema::numbered(1))}), InvalidArgument);
  EXPECT_EQ(common_columns(two.schema(), one.schema()), std::vector<std::string>{"x0"});
  EXPECT_NO_THROW(drift({with_columns(two, {"x0"})}, {one}));
  EXPECT_THROW(common_columns(one.schema(), Schema({{"z"}})), InvalidArgument);
  Statistics half(Schema::numbered(1));
  const std::vector<std::string> labels = {"a", "a"};
  const std::vector<double> weights = {0.5, 0.25};
  const Matrix x = {{1}, {2}};
  half.update(RowBlock(x, labels).weights(weights));
  EXPECT_THROW(drift({one}, {half}), InvalidArgument);
}

}  // namespace suffice::drift_test
