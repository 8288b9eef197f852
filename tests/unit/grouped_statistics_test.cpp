#include "stats/grouped_statistics.hpp"

#include <gmock/gmock.h>

#include "suffice/core/error.hpp"

namespace suffice::grouped_statistics_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const JointMoments& moments(const Statistics& statistics, Index label) {
  return std::get<GaussianStatistics>(statistics.blocks()[0]).classes[label].complete;
}

TEST(GroupedStatistics, HaveTheRowsOutsideAPart) {
  GroupedStatistics sums(Schema::numbered(1), Scatter::dense);
  const Matrix x{{1}, {2}, {4}, {8}, {99}};
  const std::vector<std::int32_t> label{0, 0, 1, 0, 0}, part{0, 1, 1, 2, -1};
  const double weight[] = {1, 1, 2, 1, 0};
  sums.update(RowBlock(x), {"p", "q"}, label, part, weight, {});
  EXPECT_THAT(sums.parts_of(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(sums.parts_of(1), ElementsAre(1));
  EXPECT_EQ(sums.all().weights(), (Vector{3, 2}));
  EXPECT_EQ(sums.all().squared_weights(), (Vector{3, 4}));
  const Statistics rest = sums.without(1);
  EXPECT_EQ(rest.weights(), (Vector{2, 0}));
  EXPECT_DOUBLE_EQ(moments(rest, 0).mean[0], 4.5);
  EXPECT_DOUBLE_EQ(moments(rest, 0).scatter(0, 0), 1 + 64 - 81.0 / 2);
  EXPECT_EQ(sums.none().weights(), (Vector{0, 0}));
  EXPECT_EQ(sums.none().labels(), (Names{"p", "q"}));
}

// Classes and parts that come later take their places among those that there are.
TEST(GroupedStatistics, GrowWithTheRows) {
  GroupedStatistics sums(Schema::numbered(1), Scatter::diagonal);
  const Matrix x{{1}, {3}};
  const std::vector<std::int32_t> first{0, 0}, second{0, 1};
  sums.update(RowBlock(x), {"m"}, first, first, nullptr, {});
  sums.update(RowBlock(x), {"a", "m", "z"}, second, second, nullptr, {});
  EXPECT_EQ(sums.all().weights(), (Vector{1, 3, 0}));
  EXPECT_EQ(sums.without(0).weights(), (Vector{0, 1, 0}));
  EXPECT_EQ(sums.without(1).weights(), (Vector{1, 2, 0}));
}

TEST(GroupedStatistics, AreUnchangedByRowsThatAreRefused) {
  GroupedStatistics sums(Schema::numbered(1), Scatter::dense);
  const Matrix good{{1}, {2}}, bad{{1}, {std::numeric_limits<double>::infinity()}};
  const std::vector<std::int32_t> label{0, 1}, part{0, 1};
  sums.update(RowBlock(good), {"a", "b"}, label, part, nullptr, {});
  const Statistics before = sums.all();
  try {
    sums.update(RowBlock(bad), {"a", "b"}, label, part, nullptr, {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 1, class 'b'"));
    EXPECT_EQ(error.where().label, "b");
  }
  EXPECT_EQ(sums.all(), before);
  EXPECT_THROW(sums.update(RowBlock(Matrix(2, 3)), {"a", "b"}, label, part, nullptr, {}),
               InvalidArgument);
}

}  // namespace
}  // namespace suffice::grouped_statistics_test
