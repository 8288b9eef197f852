#include "suffice/data/row_block.hpp"

#include <gmock/gmock.h>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::row_block_test {
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

TEST(RowBlock, ASliceViewsTheSameMemoryFromAnotherRow) {
  const Matrix numbers = {{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}};
  const std::vector<std::int16_t> strided = {0, -1, 1, -1, 2, -1, 3, -1, 4, -1};
  const std::uint8_t bits = 0b01011000, valid = 0b11011100;  // of rows 0 … 4 from bit 2 on
  const std::vector<std::string> words = {"a", "b", "c", "d", "e"};
  const std::int32_t offsets[] = {0, 1, 2, 3, 4, 5};
  const std::vector<std::int32_t> codes = {4, 3, 2, 1, 0};
  const std::vector<std::int64_t> start = {0, 1, 1, 2, 4, 5}, column = {0, 1, 0, 1, 0};
  const std::vector<float> values = {1, 2, 3, 4, 5};
  const std::vector<double> weights = {1, 2, 3, 4, 5};
  Column flags(static_cast<const std::uint8_t*>(&bits), 5);
  flags.type = Scalar::bit;
  flags.bit_offset = 2;
  RowBlock rows(5);
  rows.features(numbers)
      .feature(Column(strided.data(), 5, 2, Validity{&valid, 2}))
      .feature(flags)
      .feature(words)
      .feature(Column(Strings(offsets, "abcde", 5)))
      .feature(Column(codes.data(), 5, Strings(words)))
      .features(SparseView(5, 2, start.data(), column.data(), values.data()))
      .labels(words)
      .weights(weights);
  const RowBlock slice = rows.slice(2, 3);
  EXPECT_EQ(slice.rows(), 3);
  EXPECT_EQ(slice.feature_count(), rows.feature_count());
  const auto& parts = slice.parts();
  EXPECT_EQ(parts[0].matrix.rows, 3);
  EXPECT_EQ(parts[0].matrix.data, numbers.data() + 4);
  EXPECT_EQ(parts[1].column.data, strided.data() + 4);
  // Bits 4, 5 and 6 of valid are 1, 0, 1.
  EXPECT_TRUE(parts[1].column.valid(0));
  EXPECT_FALSE(parts[1].column.valid(1));
  EXPECT_TRUE(parts[1].column.valid(2));
  EXPECT_EQ(parts[2].column.data, &bits);
  EXPECT_EQ(parts[2].column.bit_offset, 4);
  EXPECT_EQ(parts[3].column.strings[0], "c");
  EXPECT_EQ(parts[3].column.strings.size(), 3);
  EXPECT_EQ(parts[4].column.strings[2], "e");
  EXPECT_EQ(parts[5].column.data, codes.data() + 2);
  EXPECT_EQ(parts[5].column.strings[4], "e");  // the names stay
  EXPECT_EQ(parts[6].sparse.rows, 3);
  EXPECT_EQ(parts[6].sparse.row_start, start.data() + 2);
  EXPECT_EQ(parts[6].sparse.values, values.data());
  EXPECT_EQ(slice.labels().strings[0], "c");
  EXPECT_EQ(slice.weights().data, weights.data() + 2);
  EXPECT_EQ(slice.weights().size, 3);
  EXPECT_EQ(rows.slice(5, 0).rows(), 0);
  EXPECT_THROW(rows.slice(3, 3), InvalidArgument);
  EXPECT_THROW(rows.slice(-1, 2), InvalidArgument);
  EXPECT_EQ(RowBlock(numbers).slice(1, 1).labels().kind, Column::Kind::none);
}

}  // namespace
}  // namespace suffice::row_block_test
