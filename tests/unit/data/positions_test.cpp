#include "suffice/data/positions.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace suffice::positions_test {
namespace {

using ::testing::ElementsAre;

TEST(Positions, AreThoseOfTheNamesOrMinusOne) {
  const Names names{"1", "2", "lynx"};
  const std::vector<std::string> words = {"lynx", "puma", "1", "lynx"};
  const std::uint8_t present[] = {0b0111};
  EXPECT_THAT(positions(names, Column(Strings(words), Validity{present})),
              ElementsAre(2, -1, 0, -1));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers = {2, nan, 1.5, std::numeric_limits<double>::infinity()};
  EXPECT_THAT(positions(names, Column(numbers)), ElementsAre(1, -1, -1, -1));
  std::vector<int> many(3000, 1);
  many.back() = 2;
  EXPECT_EQ(positions(names, Column(many)).back(), 1);
  EXPECT_EQ(positions(names, Column(many)).front(), 0);
}

// A model that was made from text with True must find the booleans of other writers, and the other
// way round; a name that is there is found first.
TEST(Positions, BooleansAreFoundInAnySpelling) {
  const std::vector<std::string> words = {"true", "True", "TRUE", "false", "FALSE", "tRUE"};
  EXPECT_THAT(positions(Names({"False", "True"}), Column(words)), ElementsAre(1, 1, 1, 0, 0, -1));
  EXPECT_THAT(positions(Names({"True", "true"}), Column(words)),
              ElementsAre(1, 0, ::testing::_, -1, -1, -1));
}

}  // namespace
}  // namespace suffice::positions_test
