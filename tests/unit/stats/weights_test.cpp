#include "data/weights.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::weights_test {
namespace {

using ::suffice::testing::message_of;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Weights, AreReadInPlaceWhereTheyCanBe) {
  const Matrix x(3, 1);
  const std::vector<double> doubles = {1, 0, 2.5};
  const std::vector<std::int32_t> integers = {1, 0, 2};
  Vector scratch;
  EXPECT_EQ(read_weights(RowBlock(x), scratch), nullptr);
  EXPECT_EQ(read_weights(RowBlock(x).weights(doubles), scratch), doubles.data());
  EXPECT_TRUE(scratch.empty());
  const double* weights = read_weights(RowBlock(x).weights(integers), scratch);
  EXPECT_EQ(weights, scratch.data());
  EXPECT_EQ(scratch, (Vector{1, 0, 2}));
  const double* every_other = read_weights(
      RowBlock(MatrixView(x.data(), 2, 1)).weights(Column(doubles.data(), 2, 2)), scratch);
  EXPECT_EQ(every_other[1], 2.5);
}

TEST(Weights, ThatCannotBeAreRefusedWithTheRow) {
  const Matrix x(3, 1);
  const std::uint8_t present[] = {0b101};
  const std::vector<double> good = {1, 1, 1};
  Vector scratch;
  for (const auto& [value, text] : {std::pair<double, const char*>{-1.5, "is -1.5"},
                                    {nan, "is missing"},
                                    {std::numeric_limits<double>::infinity(), "is inf"}}) {
    const std::vector<double> weights = {1, value, 1};
    try {
      read_weights(RowBlock(x).weights(weights), scratch);
      FAIL();
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("row 1: the weight ") + text));
      EXPECT_EQ(error.where().row, 1);
    }
  }
  EXPECT_THAT(message_of<DataError>([&] {
                read_weights(RowBlock(x).weights(Column(good.data(), 3, 1, Validity{present})),
                             scratch);
              }),
              HasSubstr("row 1: the weight is missing"));
}

}  // namespace
}  // namespace suffice::weights_test
