#include "data/panel.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Exception, class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const Exception& error) {
    return error.what();
  }
  return "(not refused)";
}

/// Every panel size that matters gives the same numbers; returns them as n × features.
std::vector<double> all_values(const Schema& schema, const Block& block, const RowBlock& rows) {
  const NumberReader reader(schema, block, rows);
  const Index d = reader.features();
  std::vector<double> result;
  for (const Index size : {Index{1}, Index{3}, Index{64}, Index{100}, rows.rows()}) {
    std::vector<double> values;
    std::vector<double> scratch(static_cast<std::size_t>(size * d), -77);
    for (Index first = 0; first < rows.rows(); first += size) {
      const Index count = std::min(size, rows.rows() - first);
      const NumberReader::Panel panel = reader.read(first, count, scratch.data());
      EXPECT_EQ(reader.in_place(), panel.values != scratch.data());
      for (Index i = 0; i < count; ++i)
        values.insert(values.end(), panel.values + i * panel.stride,
                      panel.values + i * panel.stride + d);
    }
    if (!result.empty()) {
      EXPECT_TRUE(std::equal(
          values.begin(), values.end(), result.begin(), result.end(),
          [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
    }
    result = values;
  }
  return result;
}

template <class T>
class PanelOf : public ::testing::Test {};
using Types = ::testing::Types<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t,
                               std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>;
TYPED_TEST_SUITE(PanelOf, Types);

/// Cell (i, j) holds a small number that says where it is.
int cell(Index i, Index j) { return static_cast<int>((i * 7 + j * 3) % 101); }

TYPED_TEST(PanelOf, ReadsMatricesWithAnyStrides) {
  using T = TypeParam;
  const Index n = 133, d = 11, room = 4000;
  const Schema schema = Schema::numbered(d);
  for (const auto& [row, col] :
       {std::pair<Index, Index>{11, 1}, {13, 1}, {1, 133}, {1, 150}, {25, 2}, {-11, 1}, {11, -1}}) {
    std::vector<T> memory(static_cast<std::size_t>(2 * room + 1), T{99});
    T* data = memory.data() + room;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) data[i * row + j * col] = static_cast<T>(cell(i, j));
    }
    const RowBlock rows(MatrixView(static_cast<const T*>(data), n, d, row, col));
    const NumberReader reader(schema, schema.blocks()[0], rows);
    EXPECT_EQ(reader.in_place(), (std::is_same_v<T, double> && col == 1 && row > 0));
    const std::vector<double> values = all_values(schema, schema.blocks()[0], rows);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j)
        ASSERT_EQ(values[static_cast<std::size_t>(i * d + j)], cell(i, j))
            << i << "," << j << " strides " << row << "," << col;
    }
  }
}

TEST(Panel, ReadsTheBlocksFeaturesInTheBlocksOrder) {
  Matrix x(70, 5);
  for (Index i = 0; i < 70; ++i) {
    for (Index j = 0; j < 5; ++j) x(i, j) = cell(i, j);
  }
  for (const std::vector<Index>& order :
       {std::vector<Index>{1, 2, 3}, {0, 2, 4}, {4, 2, 0}, {3, 0, 4}, {2}}) {
    std::vector<std::vector<Index>> blocks = {order};
    for (Index j = 0; j < 5; ++j) {
      if (std::find(order.begin(), order.end(), j) == order.end()) blocks.push_back({j});
    }
    const Schema schema(Schema::numbered(5).features(), blocks);
    const std::vector<double> values = all_values(schema, schema.blocks()[0], RowBlock(x));
    for (Index i = 0; i < 70; ++i) {
      for (std::size_t j = 0; j < order.size(); ++j)
        ASSERT_EQ(values[static_cast<std::size_t>(i) * order.size() + j], cell(i, order[j]));
    }
    const bool consecutive = order == std::vector<Index>{1, 2, 3} || order.size() == 1;
    EXPECT_EQ(NumberReader(schema, schema.blocks()[0], RowBlock(x)).in_place(), consecutive);
  }
}

TEST(Panel, MixesPartsAndMarksMissingValues) {
  const std::vector<float> floats = {1.5f, std::numeric_limits<float>::quiet_NaN(), 3};
  const std::vector<std::int64_t> integers = {10, 20, 30};
  const std::uint8_t present[] = {0b1010};  // with offset 1: yes, no, yes
  const std::uint8_t booleans[] = {0b10110000};
  Matrix x = {{7, 8}, {9, nan}, {11, 12}};
  Column bits;
  bits.kind = Column::Kind::numbers;
  bits.type = Scalar::bit;
  bits.data = booleans;
  bits.size = 3;
  bits.bit_offset = 5;
  RowBlock rows(3);
  rows.feature(floats)
      .feature(Column(integers.data(), 3, 1, Validity{present, 1}))
      .features(x)
      .feature(bits);
  const Schema schema = Schema::numbered(5);
  EXPECT_THAT(all_values(schema, schema.blocks()[0], rows),
              ElementsAre(1.5, 10, 7, 8, 1, testing::IsNan(), testing::IsNan(), 9, testing::IsNan(),
                          0, 3, 30, 11, 12, 1));
}

TEST(Panel, ReadsSparseRowsAsTheWholeBlockOrScattered) {
  // 3 × 4: row 0 {1: 5, 3: 6}, row 1 empty, row 2 {0: 7}.
  const std::vector<std::int64_t> start = {0, 2, 2, 3}, column = {1, 3, 0};
  const std::vector<float> values = {5, 6, 7};
  const SparseView sparse(3, 4, start.data(), column.data(), values.data());
  const Schema all = Schema::numbered(4, Family::multinomial);
  const RowBlock rows(sparse);
  const NumberReader whole(all, all.blocks()[0], rows);
  ASSERT_NE(whole.sparse(), nullptr);
  EXPECT_EQ(whole.sparse()->values, values.data());
  EXPECT_THAT(all_values(all, all.blocks()[0], rows),
              ElementsAre(0, 5, 0, 6, 0, 0, 0, 0, 7, 0, 0, 0));

  const Schema part(all.features(), {{3, 0, 1}, {2}});
  EXPECT_EQ(NumberReader(part, part.blocks()[0], rows).sparse(), nullptr);
  EXPECT_THAT(all_values(part, part.blocks()[0], rows), ElementsAre(6, 0, 5, 0, 0, 0, 0, 7, 0));

  const std::vector<int> extra = {1, 2, 3};
  const Schema mixed = Schema::numbered(5, Family::poisson);
  RowBlock more(3);
  more.feature(extra).features(sparse);
  EXPECT_THAT(all_values(mixed, mixed.blocks()[0], more),
              ElementsAre(1, 0, 5, 0, 6, 2, 0, 0, 0, 0, 3, 7, 0, 0, 0));
}

TEST(Panel, RefusesSparseIndicesOutsideTheMatrix) {
  const std::vector<double> values = {5, 6, 7};
  const Schema schema = Schema::numbered(4);
  const auto read = [&](std::vector<int> start, std::vector<int> column) {
    const RowBlock rows(SparseView(3, 4, start.data(), column.data(), values.data()));
    NumberReader(schema, schema.blocks()[0], rows);
  };
  EXPECT_NO_THROW(read({0, 2, 2, 3}, {1, 3, 0}));
  EXPECT_THAT(refusal<InvalidArgument>([&] {
                read({0, 2, 2, 3}, {1, 4, 0});
              }),
              HasSubstr("entry in column 4"));
  EXPECT_THAT(refusal<InvalidArgument>([&] {
                read({0, 2, 2, 3}, {1, -1, 0});
              }),
              HasSubstr("entry in column -1"));
  EXPECT_THAT(refusal<InvalidArgument>([&] {
                read({0, 2, 1, 3}, {1, 3, 0});
              }),
              HasSubstr("row starts"));
  EXPECT_THAT(refusal<InvalidArgument>([&] {
                read({-1, 2, 2, 3}, {1, 3, 0});
              }),
              HasSubstr("row starts"));
}

TEST(Panel, StringsInANumericFamilyNameTheFeatureAndTheWayOut) {
  const std::vector<std::string> words = {"a", "b"};
  const Schema schema({{"sex", Family::bernoulli}});
  RowBlock rows(2);
  rows.feature(words);
  try {
    NumberReader(schema, schema.blocks()[0], rows);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'sex' is bernoulli"));
    EXPECT_THAT(error.what(), HasSubstr("categorical"));
    EXPECT_EQ(error.where().feature, "sex");
  }
}

TEST(Panel, TheNumberOfFeaturesMustFit) {
  const Matrix x(2, 3);
  EXPECT_THAT(refusal<InvalidArgument>([&] { require_features(Schema::numbered(2), RowBlock(x)); }),
              HasSubstr("3 features, but the schema has 2: 'x0', 'x1'"));
}

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
      EXPECT_THAT(error.what(), HasSubstr(std::string("row 1 ") + text));
      EXPECT_EQ(error.where().row, 1);
    }
  }
  EXPECT_THAT(refusal<DataError>([&] {
                read_weights(RowBlock(x).weights(Column(good.data(), 3, 1, Validity{present})),
                             scratch);
              }),
              HasSubstr("row 1 is missing"));
}

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

TYPED_TEST(PanelOf, NamesIntegersByTheirDigits) {
  using T = TypeParam;
  const std::vector<T> values = {T{30}, T{4}, T{30}, T{100}, T{0}, T{7}};
  const Names names = NameReader::names_in(values, nullptr);
  EXPECT_THAT(names.list(), ElementsAre("0", "4", "7", "30", "100"));
  EXPECT_THAT(codes_of(values, names), ElementsAre(3, 1, 3, 4, 0, 2));
  EXPECT_THAT(codes_of(values, Names{"30", "x", "4.0"}), ElementsAre(0, -2, 0, -2, -2, -2));
  EXPECT_THAT(codes_of(values, Names{}), ElementsAre(-2, -2, -2, -2, -2, -2));
}

TEST(NameReader, WideIntegersAndTheEndsOfTheirRange) {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                     high = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> values = {5, low, high, -1, 5000000000, low + 1, high - 2, 70000};
  const Names names = NameReader::names_in(values, nullptr);
  ASSERT_EQ(names.size(), 8);
  const std::vector<std::int32_t> codes = codes_of(values, names);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(names[codes[i]], std::to_string(values[i]));
  const std::vector<std::int64_t> highest = {high, high - 1}, lowest = {low, low + 1};
  EXPECT_EQ(NameReader::names_in(highest, nullptr).size(), 2);
  EXPECT_EQ(NameReader::names_in(lowest, nullptr).size(), 2);
  EXPECT_THAT(codes_of(lowest, NameReader::names_in(lowest, nullptr)).size(), 2u);

  const std::vector<std::uint64_t> naturals = {std::numeric_limits<std::uint64_t>::max(), 3,
                                               std::uint64_t{1} << 63};
  const Names big = NameReader::names_in(naturals, nullptr);
  EXPECT_THAT(big.list(), ElementsAre("3", "9223372036854775808", "18446744073709551615"));
  EXPECT_THAT(codes_of(naturals, big), ElementsAre(2, 0, 1));
  EXPECT_THAT(codes_of(naturals, Names{"-1", "3"}), ElementsAre(-2, 1, -2));
}

TEST(NameReader, ATableThatGrowsInBothDirectionsForgetsNothing) {
  std::vector<std::int32_t> values;
  for (std::int32_t i = 0; i < 40000; i += 97) values.insert(values.end(), {i, -i / 2});
  std::vector<std::string> expected;
  for (const std::int32_t v : values) expected.push_back(std::to_string(v));
  const Names names = NameReader::names_in(values, nullptr);
  EXPECT_EQ(names, Names(expected));
  const std::vector<std::int32_t> codes = codes_of(values, names);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(names[codes[i]], expected[i]);
}

TEST(NameReader, FloatsAreWholeOrNamedByTheirShortestText) {
  const std::vector<double> values = {1, nan, 0.5, -0.0, 1e20, -3, 0.5};
  const Names names = NameReader::names_in(values, nullptr);
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
  const Names names = NameReader::names_in(column, nullptr);
  EXPECT_THAT(names.list(), ElementsAre("", "a", "b"));
  EXPECT_THAT(codes_of(column, names), ElementsAre(2, 0, 1, 2, -1));
  EXPECT_THAT(codes_of(column, Names{"a"}), ElementsAre(-2, -2, 0, -2, -1));
}

TEST(NameReader, CodesPointToNames) {
  const std::vector<std::string> list = {"low", "high", "never"};
  const std::vector<std::int8_t> codes = {1, 0, -1, 1, 100};
  const std::uint8_t present[] = {0b01111};  // what an invalid code says does not matter
  const Column column(codes.data(), 5, Strings(list), Validity{present});
  const Names names = NameReader::names_in(column, nullptr);
  EXPECT_THAT(names.list(), ElementsAre("high", "low"));
  EXPECT_THAT(codes_of(column, names), ElementsAre(0, 1, -1, 0, -1));
  EXPECT_THAT(codes_of(column, Names{"low"}), ElementsAre(-2, 0, -1, -2, -1));

  const Column bad(codes.data(), 5, Strings(list));
  EXPECT_THAT(refusal<DataError>([&] { NameReader::names_in(bad, nullptr); }),
              HasSubstr("row 4 has the code 100"));
  EXPECT_THAT(refusal<DataError>([&] { codes_of(bad, names); }),
              HasSubstr("row 4 has the code 100"));
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
  EXPECT_THAT(NameReader::names_in(column, nullptr).list(), ElementsAre("false", "true"));
  EXPECT_THAT(codes_of(column, Names{"false", "true"}), ElementsAre(1, 0, 1));
  column.valid = {present};
  EXPECT_THAT(codes_of(column, Names{"true"}), ElementsAre(-1, -2, 0));
}

TEST(NameReader, NamesOfRowsWithoutWeightDoNotCount) {
  const std::vector<int> values = {1, 2, 3};
  const std::vector<std::string> words = {"a", "b", "c"};
  const double weights[] = {1, 0, 0.5};
  EXPECT_THAT(NameReader::names_in(values, weights).list(), ElementsAre("1", "3"));
  EXPECT_THAT(NameReader::names_in(words, weights).list(), ElementsAre("a", "c"));
}

TEST(NameReader, AFeatureOfAMatrixIsAStridedColumn) {
  const std::vector<std::int16_t> x = {1, 2, 3, 4, 5, 6};
  const std::vector<std::string> words = {"a", "b"};
  RowBlock rows(2);
  rows.feature(words).features(MatrixView(x.data(), 2, 3));
  EXPECT_THAT(codes_of(NameReader::column_of(rows, 3), Names{"3", "6"}), ElementsAre(0, 1));
  EXPECT_THAT(codes_of(NameReader::column_of(rows, 0), Names{"a", "b"}), ElementsAre(0, 1));
  std::vector<Column> columns;
  for (Index f = 0; f < 4; ++f) columns.push_back(NameReader::column_of(rows, f));
  const std::vector<Names> names = NameReader::names_in(columns, nullptr);
  EXPECT_THAT(names,
              ElementsAre(Names{"a", "b"}, Names{"1", "4"}, Names{"2", "5"}, Names{"3", "6"}));

  const std::vector<int> start = {0, 0, 0}, column = {0};
  const std::vector<double> values = {0};
  const RowBlock sparse(SparseView(2, 1, start.data(), column.data(), values.data()));
  EXPECT_THAT(refusal<DataError>([&] { NameReader::column_of(sparse, 0); }), HasSubstr("sparse"));
}

}  // namespace
}  // namespace suffice
