#include "suffice/data/row_block.hpp"

#include <gmock/gmock.h>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(RowBlock, CountsTheFeaturesOfItsParts) {
  const Matrix x(3, 2);
  const std::vector<int> ages = {1, 2, 3};
  const std::vector<std::string> sexes = {"f", "m", "f"};
  RowBlock rows(3);
  rows.feature(ages).features(x).feature(sexes).labels(sexes);
  EXPECT_EQ(rows.feature_count(), 4);
  ASSERT_EQ(rows.parts().size(), 3u);
  EXPECT_EQ(rows.parts()[1].first, 1);
  EXPECT_EQ(rows.parts()[1].count, 2);
  EXPECT_EQ(rows.parts()[2].first, 3);
  EXPECT_EQ(rows.labels().kind, Column::Kind::strings);
}

TEST(RowBlock, SeesEigenMatricesWithTheirStrides) {
  Eigen::MatrixXf columns(4, 3);
  const MatrixView view(columns.middleRows(1, 2));
  EXPECT_EQ(view.type, Scalar::float32);
  EXPECT_EQ(view.rows, 2);
  EXPECT_EQ(view.row_stride, 1);
  EXPECT_EQ(view.col_stride, 4);
  EXPECT_EQ(view.data, columns.data() + 1);
}

TEST(RowBlock, RefusesOtherNumbersOfRows) {
  const Matrix x(3, 2);
  const std::vector<double> two = {1, 2};
  EXPECT_THAT(message_of([&] { RowBlock(2).features(x); }), HasSubstr("have 3 rows"));
  EXPECT_THAT(message_of([&] { RowBlock(x).feature(two); }), HasSubstr("feature 2 have 2 rows"));
  EXPECT_THAT(message_of([&] { RowBlock(x).labels(two); }), HasSubstr("the labels have 2 rows"));
  EXPECT_THAT(message_of([&] { RowBlock(x).weights(two); }), HasSubstr("the weights have 2 rows"));
}

TEST(RowBlock, RefusesWhatCannotBeRead) {
  const Matrix x(2, 2);
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_THAT(message_of([&] { RowBlock(x).weights(names); }), HasSubstr("weights are strings"));
  EXPECT_THAT(message_of([&] { RowBlock(2).feature(Column()); }), HasSubstr("empty column"));
  EXPECT_THAT(message_of([&] { RowBlock(MatrixView(static_cast<double*>(nullptr), 2, 2)); }),
              HasSubstr("null pointer"));
  MatrixView shifted(x);
  shifted.data = reinterpret_cast<const char*>(x.data()) + 4;
  EXPECT_THAT(message_of([&] { RowBlock{shifted}; }), HasSubstr("aligned"));
  MatrixView bits(x);
  bits.type = Scalar::bit;
  EXPECT_THAT(message_of([&] { RowBlock{bits}; }), HasSubstr("bits"));
  EXPECT_THAT(message_of([&] { RowBlock(MatrixView(x.data(), 2, -1)); }), HasSubstr("cannot be"));
}

TEST(RowBlock, NoRowsNeedNoMemory) {
  const RowBlock rows(MatrixView(static_cast<double*>(nullptr), 0, 2));
  EXPECT_EQ(rows.rows(), 0);
  EXPECT_EQ(rows.feature_count(), 2);
}

TEST(RowBlock, ValidityCountsBitsFromTheLeastSignificant) {
  const std::uint8_t bits[] = {0b00000100, 0b00000001};
  const Validity valid{bits, 1};
  EXPECT_FALSE(valid(0));
  EXPECT_TRUE(valid(1));
  EXPECT_FALSE(valid(6));
  EXPECT_TRUE(valid(7));
  EXPECT_TRUE(Validity{}(123));
}

}  // namespace
}  // namespace suffice
