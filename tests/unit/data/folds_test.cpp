// Which fold a row belongs to.

#include "data/folds.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>

#include "suffice/core/error.hpp"

namespace suffice::folds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::int32_t> deal(Folds& folds, const std::vector<std::int32_t>& label,
                               std::size_t piece) {
  const Names names{"a", "b", "c"};
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < label.size(); i += piece) {
    const std::size_t count = std::min(piece, label.size() - i);
    for (const std::int32_t fold :
         folds.next(names, label.data() + i, static_cast<Index>(count), {}, nullptr))
      result.push_back(fold);
  }
  return result;
}

std::vector<std::int32_t> some_labels(std::size_t rows) {
  std::mt19937 generator(3);
  std::vector<std::int32_t> label;
  for (std::size_t i = 0; i < rows; ++i)
    label.push_back(static_cast<std::int32_t>(generator() % 4) - 1);  // -1: a row of weight 0
  return label;
}

TEST(Folds, HaveCountsOfEachClassThatDifferByOneAtMost) {
  const auto label = some_labels(1003);
  Folds folds = Folds::dealt(5, 7);
  const auto dealt = deal(folds, label, label.size());
  std::map<std::int32_t, std::map<std::int32_t, int>> count;
  for (std::size_t i = 0; i < label.size(); ++i) {
    ASSERT_EQ(dealt[i] < 0, label[i] < 0);
    if (label[i] >= 0) ++count[label[i]][dealt[i]];
  }
  for (const auto& [c, of_fold] : count) {
    ASSERT_EQ(of_fold.size(), 5u);
    int least = 1000, most = 0;
    for (const auto& [fold, rows] : of_fold) {
      least = std::min(least, rows);
      most = std::max(most, rows);
    }
    EXPECT_LE(most - least, 1);
  }
}

TEST(Folds, AreTheSameInASecondPassHoweverTheRowsAreCut) {
  const auto label = some_labels(500);
  Folds folds = Folds::dealt(4, 0);
  const auto first = deal(folds, label, 500);
  EXPECT_EQ(folds.rows(), std::ranges::count_if(label, [](auto c) { return c >= 0; }));
  folds.rewind();
  EXPECT_EQ(deal(folds, label, 7), first);
}

TEST(Folds, DependOnTheSeedAndOnTheClass) {
  const std::vector<std::int32_t> a(200, 0), b(200, 1);
  Folds one = Folds::dealt(5, 1), two = Folds::dealt(5, 2), other = Folds::dealt(5, 1);
  const auto first = deal(one, a, 200);
  EXPECT_NE(first, deal(two, a, 200));
  EXPECT_NE(first, deal(other, b, 200));
}

// Each of the 6 orders of three folds is equally likely: χ² with 5 degrees of freedom stays below
// 20.5 with probability 0.999.
TEST(Folds, AreDealtInEveryOrderEquallyOften) {
  const std::vector<std::int32_t> a(3 * 6000, 0);
  Folds folds = Folds::dealt(3, 11);
  const auto dealt = deal(folds, a, a.size());
  std::map<std::vector<std::int32_t>, double> count;
  for (std::size_t i = 0; i < dealt.size(); i += 3)
    ++count[{dealt.begin() + static_cast<Index>(i), dealt.begin() + static_cast<Index>(i) + 3}];
  ASSERT_EQ(count.size(), 6u);
  double chi_squared = 0;
  for (const auto& [order, times] : count) chi_squared += (times - 1000) * (times - 1000) / 1000;
  EXPECT_LT(chi_squared, 20.5);
}

TEST(Folds, CanBeNamedByAColumn) {
  Folds folds = Folds::named();
  const std::vector<std::int32_t> label{0, 1, 0, -1, 1};
  const std::vector<int> names{30, 4, 4, 99, 30};
  const std::vector<double> weight{1, 1, 2, 0, 1};
  EXPECT_THAT(folds.next({"a", "b"}, label.data(), 5, Column(names), weight.data()),
              ElementsAre(1, 0, 0, -1, 1));
  EXPECT_THAT(folds.names(), ElementsAre("4", "30"));
  folds.rewind();
  const std::vector<int> others{30, 4, 4, 99, 5};
  EXPECT_THAT(
      [&] {
        folds.next({"a", "b"}, label.data(), 5, Column(others), weight.data());
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("a fold '5' that the first had not")));
}

TEST(Folds, RefuseARowWithoutAFold) {
  Folds folds = Folds::named();
  const std::vector<std::int32_t> label{0, 1};
  const double names[] = {1, std::nan("")};
  EXPECT_THAT(
      [&] {
        folds.next({"a", "b"}, label.data(), 2, Column(names, 2), nullptr);
      },
      ThrowsMessage<DataError>(
          HasSubstr("row 1: the column of folds has no value; name a fold there")));
}

}  // namespace
}  // namespace suffice::folds_test
