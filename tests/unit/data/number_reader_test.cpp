#include "data/number_reader.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "data/row_checks.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::number_reader_test {
namespace {

using ::suffice::testing::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

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
class NumbersOf : public ::testing::Test {};
using Types = ::testing::Types<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t,
                               std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>;
TYPED_TEST_SUITE(NumbersOf, Types);

/// Cell (i, j) holds a small number that says where it is.
int cell(Index i, Index j) { return static_cast<int>((i * 7 + j * 3) % 101); }

TYPED_TEST(NumbersOf, ReadsMatricesWithAnyStrides) {
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

TEST(NumberReader, ReadsTheBlocksFeaturesInTheBlocksOrder) {
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

TEST(NumberReader, MixesPartsAndMarksMissingValues) {
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
              ElementsAre(1.5, 10, 7, 8, 1, ::testing::IsNan(), ::testing::IsNan(), 9,
                          ::testing::IsNan(), 0, 3, 30, 11, 12, 1));
}

TEST(NumberReader, ReadsSparseRowsAsTheWholeBlockOrScattered) {
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

TEST(NumberReader, RefusesSparseIndicesOutsideTheMatrix) {
  const std::vector<double> values = {5, 6, 7};
  const Schema schema = Schema::numbered(4);
  const auto read = [&](std::vector<int> start, std::vector<int> column) {
    const RowBlock rows(SparseView(3, 4, start.data(), column.data(), values.data()));
    NumberReader(schema, schema.blocks()[0], rows);
  };
  EXPECT_NO_THROW(read({0, 2, 2, 3}, {1, 3, 0}));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                read({0, 2, 2, 3}, {1, 4, 0});
              }),
              HasSubstr("entry in column 4"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                read({0, 2, 2, 3}, {1, -1, 0});
              }),
              HasSubstr("entry in column -1"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                read({0, 2, 1, 3}, {1, 3, 0});
              }),
              HasSubstr("row starts"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                read({-1, 2, 2, 3}, {1, 3, 0});
              }),
              HasSubstr("row starts"));
}

TEST(NumberReader, StringsInANumericFamilyNameTheFeatureAndTheWayOut) {
  const std::vector<std::string> words = {"a", "b"};
  const Schema schema({{"sex", Family::bernoulli}});
  RowBlock rows(2);
  rows.feature(words);
  try {
    NumberReader(schema, schema.blocks()[0], rows);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("feature 'sex': the values are strings, but the family is bernoulli"));
    EXPECT_THAT(error.what(), HasSubstr("categorical"));
    EXPECT_EQ(error.where().features, std::vector<std::string>{"sex"});
  }
}

TEST(NumberReader, TheNumberOfFeaturesMustFit) {
  const Matrix x(2, 3);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { require_features(Schema::numbered(2), RowBlock(x)); }),
      HasSubstr("3 features, but the schema has 2: 'x0', 'x1'"));
}

}  // namespace
}  // namespace suffice::number_reader_test
