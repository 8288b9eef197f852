#include "data/name_reader.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "data/name_encoder.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::name_reader_test {
namespace {

using ::suffice::testing::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
class NamesOf : public ::testing::Test {};
using Types = ::testing::Types<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t,
                               std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>;
TYPED_TEST_SUITE(NamesOf, Types);

std::vector<std::int32_t> codes_of(const Column& column, const Names& names) {
  const NameReader reader(column, names);
  std::vector<std::int32_t> codes(static_cast<std::size_t>(column.size), 99);
  const Index half = column.size / 2;
  reader.read(0, half, codes.data(), 1);
  reader.read(half, column.size - half, codes.data() + half, 1);
  std::vector<std::int32_t> spread(codes.size() * 3, 99);
  reader.read(0, column.size, spread.data(), 3);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(spread[3 * i], codes[i]);
    EXPECT_EQ(spread[3 * i + 1], 99);
  }
  return codes;
}

TYPED_TEST(NamesOf, NamesIntegersByTheirDigits) {
  using T = TypeParam;
  const std::vector<T> values = {T{30}, T{4}, T{30}, T{100}, T{0}, T{7}};
  const Names names = encode_names(values).names;
  EXPECT_THAT(names.list(), ElementsAre("0", "4", "7", "30", "100"));
  EXPECT_THAT(codes_of(values, names), ElementsAre(3, 1, 3, 4, 0, 2));
  EXPECT_THAT(codes_of(values, Names{"30", "x", "4.0"}), ElementsAre(0, -2, 0, -2, -2, -2));
  EXPECT_THAT(codes_of(values, Names{}), ElementsAre(-2, -2, -2, -2, -2, -2));
}

TEST(NameReader, WideIntegersAndTheEndsOfTheirRange) {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                     high = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> values = {5, low, high, -1, 5000000000, low + 1, high - 2, 70000};
  const Names names = encode_names(values).names;
  ASSERT_EQ(names.size(), 8);
  const std::vector<std::int32_t> codes = codes_of(values, names);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(names[codes[i]], std::to_string(values[i]));
  const std::vector<std::int64_t> highest = {high, high - 1}, lowest = {low, low + 1};
  EXPECT_EQ(encode_names(highest).names.size(), 2);
  EXPECT_EQ(encode_names(lowest).names.size(), 2);
  EXPECT_THAT(codes_of(lowest, encode_names(lowest).names).size(), 2u);

  const std::vector<std::uint64_t> naturals = {std::numeric_limits<std::uint64_t>::max(), 3,
                                               std::uint64_t{1} << 63};
  const Names big = encode_names(naturals).names;
  EXPECT_THAT(big.list(), ElementsAre("3", "9223372036854775808", "18446744073709551615"));
  EXPECT_THAT(codes_of(naturals, big), ElementsAre(2, 0, 1));
  EXPECT_THAT(codes_of(naturals, Names{"-1", "3"}), ElementsAre(-2, 1, -2));
}

TEST(NameReader, ATableThatGrowsInBothDirectionsForgetsNothing) {
  std::vector<std::int32_t> values;
  for (std::int32_t i = 0; i < 40000; i += 97) values.insert(values.end(), {i, -i / 2});
  std::vector<std::string> expected;
  for (const std::int32_t v : values) expected.push_back(std::to_string(v));
  const Names names = encode_names(values).names;
  EXPECT_EQ(names, Names(expected));
  const std::vector<std::int32_t> codes = codes_of(values, names);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(names[codes[i]], expected[i]);
}

TEST(NameReader, FloatsAreWholeOrNamedByTheirShortestText) {
  const std::vector<double> values = {1, nan, 0.5, -0.0, 1e20, -3, 0.5};
  const Names names = encode_names(values).names;
  EXPECT_THAT(names.list(), ElementsAre("-3", "0", "0.5", "1", "100000000000000000000"));
  EXPECT_THAT(codes_of(values, names), ElementsAre(3, -1, 2, 1, 4, 0, 2));
  EXPECT_THAT(codes_of(values, Names{"0.50", "1.0", "1"}), ElementsAre(1, -1, -2, -2, -2, -2, -2));
  const std::vector<float> floats = {0.5f, 2, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THAT(codes_of(floats, Names{"0.5", "2"}), ElementsAre(0, 1, -1));
}

TEST(NameReader, StringsAreMissingByTheirValidityOnly) {
  const std::vector<std::string> words = {"b", "", "a", "b", "zz"};
  const std::uint8_t present[] = {0b01111};
  const Column column(Strings(words), Validity{present});
  const Names names = encode_names(column).names;
  EXPECT_THAT(names.list(), ElementsAre("", "a", "b"));
  EXPECT_THAT(codes_of(column, names), ElementsAre(2, 0, 1, 2, -1));
  EXPECT_THAT(codes_of(column, Names{"a"}), ElementsAre(-2, -2, 0, -2, -1));
}

TEST(NameReader, CodesPointToNames) {
  const std::vector<std::string> list = {"low", "high", "never"};
  const std::vector<std::int8_t> codes = {1, 0, -1, 1, 100};
  const std::uint8_t present[] = {0b01111};  // what an invalid code says does not matter
  const Column column(codes.data(), 5, Strings(list), Validity{present});
  const Names names = encode_names(column).names;
  EXPECT_THAT(names.list(), ElementsAre("high", "low"));
  EXPECT_THAT(codes_of(column, names), ElementsAre(0, 1, -1, 0, -1));
  EXPECT_THAT(codes_of(column, Names{"low"}), ElementsAre(-2, 0, -1, -2, -1));

  const Column bad(codes.data(), 5, Strings(list));
  EXPECT_THAT(message_of<DataError>([&] { encode_names(bad).names; }),
              HasSubstr("row 4: the code is 100"));
  EXPECT_THAT(message_of<DataError>([&] { codes_of(bad, names); }),
              HasSubstr("row 4: the code is 100"));
}

TEST(NameReader, BooleansAreFalseAndTrue) {
  const std::uint8_t bits[] = {0b01011000};
  const std::uint8_t present[] = {0b110};
  Column column;
  column.kind = Column::Kind::numbers;
  column.type = Scalar::bit;
  column.data = bits;
  column.size = 3;
  column.bit_offset = 4;
  EXPECT_THAT(encode_names(column).names.list(), ElementsAre("false", "true"));
  EXPECT_THAT(codes_of(column, Names{"false", "true"}), ElementsAre(1, 0, 1));
  column.valid = {present};
  EXPECT_THAT(codes_of(column, Names{"true"}), ElementsAre(-1, -2, 0));
}

TEST(NameReader, AFeatureOfAMatrixIsAStridedColumn) {
  const std::vector<std::int16_t> x = {1, 2, 3, 4, 5, 6};
  const std::vector<std::string> words = {"a", "b"};
  RowBlock rows(2);
  rows.feature(words).features(MatrixView(x.data(), 2, 3));
  EXPECT_THAT(codes_of(NameReader::column_of(rows, 3), Names{"3", "6"}), ElementsAre(0, 1));
  EXPECT_THAT(codes_of(NameReader::column_of(rows, 0), Names{"a", "b"}), ElementsAre(0, 1));
  EXPECT_EQ(encode_names(NameReader::column_of(rows, 2)).names, (Names{"2", "5"}));

  const std::vector<int> start = {0, 0, 0}, column = {0};
  const std::vector<double> values = {0};
  const RowBlock sparse(SparseView(2, 1, start.data(), column.data(), values.data()));
  EXPECT_THAT(message_of<DataError>([&] { NameReader::column_of(sparse, 0); }),
              HasSubstr("sparse"));
}

}  // namespace
}  // namespace suffice::name_reader_test
