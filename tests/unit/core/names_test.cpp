#include "suffice/core/names.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "suffice/core/error.hpp"

namespace suffice::names_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Names, NumericNamesAreOrderedByValueAndThenByBytes) {
  EXPECT_THAT(Names({"10", "9", "-3", "1e1", "2.5", "10.0"}).list(),
              ElementsAre("-3", "2.5", "9", "10", "10.0", "1e1"));
}

TEST(Names, OneNameThatIsNotNumericOrdersAllByBytes) {
  EXPECT_THAT(Names({"10", "9", "b", "B"}).list(), ElementsAre("10", "9", "B", "b"));
  // Not numbers: what is around them, an explicit plus, nothing at all, what is not finite.
  EXPECT_THAT(Names({"10", " 9"}).list(), ElementsAre(" 9", "10"));
  EXPECT_THAT(Names({"10", "+9"}).list(), ElementsAre("+9", "10"));
  EXPECT_THAT(Names({"10", "9", ""}).list(), ElementsAre("", "10", "9"));
  EXPECT_THAT(Names({"nan", "9", "10"}).list(), ElementsAre("10", "9", "nan"));
  EXPECT_THAT(Names({"inf", "9", "10"}).list(), ElementsAre("10", "9", "inf"));
  EXPECT_THAT(Names({"1e999", "9", "10"}).list(), ElementsAre("10", "1e999", "9"));
}

TEST(Names, OrderDoesNotDependOnArrivalAndRepetitionsAreDropped) {
  std::vector<std::string> names = {"11", "2", "x", "1", "é"};
  std::sort(names.begin(), names.end());
  const Names first(names);
  do {
    std::vector<std::string> twice = names;
    twice.insert(twice.end(), names.begin(), names.end());
    EXPECT_EQ(Names(twice), first);
  } while (std::next_permutation(names.begin(), names.end()));
  EXPECT_EQ(first.size(), 5);
}

TEST(Names, FindGivesThePositionOfEachNameAndOfNoOther) {
  for (const Names& names : {Names{"1", "1.0", "01", "7", "30"}, Names{"a", "", "b", "10", "9"}}) {
    for (Index i = 0; i < names.size(); ++i) EXPECT_EQ(names.find(names[i]), i) << names[i];
    for (const char* absent : {"7.0", "c", "2", "-0", "aa", "1e0"})
      EXPECT_EQ(names.find(absent), std::nullopt) << absent;
  }
  EXPECT_EQ(Names().find("a"), std::nullopt);
}

TEST(Names, AtNamesWhatIsMissingAndWhatThereIs) {
  const Names names{"a", "b"};
  EXPECT_EQ(names.at("b", "class"), 1);
  try {
    names.at("c", "class");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("no class 'c'"));
    EXPECT_THAT(error.what(), HasSubstr("'a', 'b'"));
  }
}

TEST(Names, JoinIsTheUnionInTheHouseOrder) {
  EXPECT_EQ(join(Names{"10", "2"}, Names{"9"}), (Names{"2", "9", "10"}));
  EXPECT_EQ(join(Names{"10", "2"}, Names{"b"}), (Names{"10", "2", "b"}));
  EXPECT_EQ(join(Names{}, Names{"b"}), (Names{"b"}));
  EXPECT_EQ(join(Names{"b"}, Names{}), (Names{"b"}));
  EXPECT_THAT((Names{"10", "2", "b"}.positions_of(Names{"2", "9", "10"})), ElementsAre(1, -1, 0));
}

TEST(Names, AnIntegersNameIsItsDigits) {
  EXPECT_EQ(name_of(std::int64_t{-42}), "-42");
  EXPECT_EQ(name_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(name_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(Names, AWholeFloatIsNamedLikeTheInteger) {
  EXPECT_EQ(name_of(3.0), "3");
  EXPECT_EQ(name_of(-0.0), "0");
  EXPECT_EQ(name_of(-1e15), "-1000000000000000");
  EXPECT_EQ(name_of(9007199254740992.0), "9007199254740992");
  EXPECT_EQ(name_of(18446744073709551616.0), "18446744073709551616");
  EXPECT_EQ(name_of(1e22), "10000000000000000000000");
  EXPECT_EQ(name_of(std::numeric_limits<double>::max()).size(), 309u);
}

TEST(Names, OtherFloatsHaveTheShortestTextThatReadsBack) {
  EXPECT_EQ(name_of(0.1), "0.1");
  EXPECT_EQ(name_of(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(name_of(-2.5), "-2.5");
  EXPECT_EQ(name_of(5e-324), "5e-324");
}

TEST(Names, ListsAreCutForMessages) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EXPECT_EQ(list_for_message(names), "'a', 'b', 'c', 'd'");
  EXPECT_EQ(list_for_message(names, 3), "'a', 'b', 'c' and 1 more");
  EXPECT_EQ(list_for_message({}), "none");
}

}  // namespace
}  // namespace suffice::names_test
