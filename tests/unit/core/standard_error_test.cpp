// Means and standard errors of rows, of copies of rows and of folds, worked by hand.

#include "core/standard_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace suffice::standard_error_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();
using Numbers = std::vector<double>;

TEST(StandardError, IsTheDeviationOverTheRootOfTheNumber) {
  // Values 1, 2, 6: mean 3, Σ(x − 3)² = 14, √(14 / 2 / 3).
  const Mean mean = mean_of(Numbers{1, 2, 6});
  EXPECT_DOUBLE_EQ(mean.value, 3);
  EXPECT_DOUBLE_EQ(mean.standard_error, std::sqrt(14.0 / 6));
}

TEST(StandardError, ARowOfWeightTwoIsTwoRows) {
  const Mean rows = mean_of(Numbers{1, 4, 4, 9, 9, 9});
  const Mean weighted = mean_of(Numbers{1, 4, 9}, Numbers{1, 2, 3}, Numbers{1, 2, 3});
  EXPECT_DOUBLE_EQ(weighted.value, rows.value);
  EXPECT_DOUBLE_EQ(weighted.standard_error, rows.standard_error);
}

TEST(StandardError, OfWeightsThatAreNoNumbersOfRows) {
  // Shares ½, ¼, ¼ of 0, 2, 6: mean 2; (½ · 2)² + 0 + (¼ · 4)² = 2, times 3 / 2.
  const Mean mean = mean_of(Numbers{0, 2, 6}, Numbers{2, 1, 1});
  EXPECT_DOUBLE_EQ(mean.value, 2);
  EXPECT_DOUBLE_EQ(mean.standard_error, std::sqrt(3));
}

TEST(StandardError, RowsWithoutAValueAreLeftOut) {
  const Mean mean = mean_of(Numbers{1, none, 2, 6}, Numbers{1, 5, 1, 1});
  EXPECT_DOUBLE_EQ(mean.value, 3);
  EXPECT_DOUBLE_EQ(mean.standard_error, std::sqrt(14.0 / 6));
}

TEST(StandardError, IsInfiniteWhereNothingIsKnown) {
  EXPECT_EQ(mean_of(Numbers{3}).standard_error, infinite);
  EXPECT_EQ(mean_of(Numbers{3, infinite}).value, infinite);
  EXPECT_EQ(mean_of(Numbers{3, infinite}).standard_error, infinite);
}

TEST(StandardError, OfRunningSumsCountsRowsByWeight) {
  // Values 1, 1, 4: W = 3, Σx = 6, Σx² = 18; variance 18/3 − 2² = 2, over n − 1 = 2.
  EXPECT_DOUBLE_EQ(standard_error(3, 6, 18), 1);
  // The same with weights of a third each.
  EXPECT_DOUBLE_EQ(standard_error(1, 2, 6, 3), 1);
  EXPECT_DOUBLE_EQ(standard_error(3, 6, 18), mean_of(Numbers{1, 1, 4}).standard_error);
}

TEST(IsBetter, ByMoreThanOneStandardErrorOfTheDifferences) {
  // Differences 1, 2, 6: mean 3 and standard error 1.53; of 0, 0, 3: 1 and 1.
  EXPECT_TRUE(is_better(Numbers{0, 5, 1}, Numbers{1, 7, 7}));
  EXPECT_FALSE(is_better(Numbers{1, 7, 7}, Numbers{0, 5, 1}));
  EXPECT_FALSE(is_better(Numbers{2, 4, 1}, Numbers{2, 4, 4}));
  EXPECT_FALSE(is_better(Numbers{2, 4}, Numbers{2, 4}));
}

TEST(IsBetter, InfiniteLossesOfBothAreEqual) {
  EXPECT_DOUBLE_EQ(gain(Numbers{infinite, 2}, Numbers{infinite, 1}).value, 0.5);
  EXPECT_TRUE(is_better(Numbers{9, 9}, Numbers{infinite, 1}));
  EXPECT_FALSE(is_better(Numbers{infinite, 1}, Numbers{9, 9}));
}

}  // namespace
}  // namespace suffice::standard_error_test
