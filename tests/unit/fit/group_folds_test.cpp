#include "fit/group_folds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using Folds = std::vector<std::string>;

TEST(GroupFolds, AreDealtInTurnAsGroupsAreMet) {
  GroupFolds groups;
  const Folds persons = {"b", "a", "b", "c"};
  EXPECT_EQ(groups.of(persons), (Folds{"1", "2", "1", "3"}));
  const Folds others = {"c", "d", "a"};
  EXPECT_EQ(groups.of(others), (Folds{"3", "4", "2"}));
  EXPECT_EQ(groups.groups(), 4);
}

TEST(GroupFolds, OfMoreThanTenShareThem) {
  GroupFolds groups;
  const std::vector<std::int64_t> numbers = {7, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 7};
  EXPECT_EQ(groups.of(Column(numbers.data(), std::ssize(numbers))),
            (Folds{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "1", "2", "1"}));
}

TEST(GroupFolds, EveryRowHasOne) {
  GroupFolds groups;
  const std::vector<double> numbers = {1, 2, std::nan(""), 4};
  try {
    groups.of(Column(numbers.data(), std::ssize(numbers)));
    FAIL() << "a row has no group";
  } catch (const DataError& error) {
    EXPECT_EQ(error.where().row, 2);
  }
}

}  // namespace
}  // namespace suffice
