#include "data/integer_rows.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "suffice/models/model.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice::integer_rows_test {
namespace {

using ::testing::ElementsAre;

template <class T>
class IntegerRowsOf : public ::testing::Test {};
using Types = ::testing::Types<std::int64_t, std::int32_t, std::int16_t, std::int8_t, std::uint64_t,
                               std::uint32_t, std::uint16_t, std::uint8_t>;
TYPED_TEST_SUITE(IntegerRowsOf, Types);

TYPED_TEST(IntegerRowsOf, CodesAreThoseOfTheColumns) {
  using T = TypeParam;
  // The last column is not read. 5 and 12 are no names.
  const std::vector<T> x = {3, 10, 0, 5, 11, 0, 4, 12, 0, 3, 11, 0};
  const Names first({"3", "4"}), second({"10", "11"});
  const std::vector<NameReader> columns = {NameReader(Column(x.data(), 4, 3), first),
                                           NameReader(Column(x.data() + 1, 4, 3), second)};
  const std::vector<std::int32_t> offset = {100, 200};
  const auto rows = IntegerRows::of(columns, offset);
  ASSERT_TRUE(rows);
  constexpr std::int32_t unknown = NameReader::unknown;
  std::vector<std::int32_t> codes(8);
  EXPECT_TRUE(rows->read(0, 4, codes.data()));
  EXPECT_THAT(codes, ElementsAre(100, 200, unknown, 201, 101, unknown, 100, 201));
  EXPECT_FALSE(rows->read(3, 1, codes.data()));
  EXPECT_THAT(std::span(codes).first(2), ElementsAre(100, 201));
}

TEST(IntegerRows, OnlyNeighboursInARowMajorMatrix) {
  const std::vector<std::int64_t> x = {0, 1, 1, 0, 5, 5};
  const std::vector<double> reals = {0, 1, 1, 0};
  const Names names({"0", "1"}), far({"0", "1000000000000"});
  const std::vector<std::int32_t> offset = {0, 0};
  const auto of = [&](const Column& a, const Column& b, const Names& of_b) {
    const std::vector<NameReader> columns = {NameReader(a, names), NameReader(b, of_b)};
    return IntegerRows::of(columns, offset).has_value();
  };
  EXPECT_TRUE(of(Column(x.data(), 2, 2), Column(x.data() + 1, 2, 2), names));
  EXPECT_FALSE(of(Column(x.data(), 2, 1), Column(x.data() + 2, 2, 1), names));  // by columns
  EXPECT_FALSE(of(Column(x.data() + 1, 2, 2), Column(x.data(), 2, 2), names));  // the other order
  EXPECT_FALSE(of(Column(x.data(), 2, 2), Column(x.data() + 1, 2, 2), far));    // not in a table
  EXPECT_FALSE(of(Column(reals.data(), 2, 2), Column(reals.data() + 1, 2, 2), names));
  EXPECT_FALSE(IntegerRows::of({}, {}).has_value());
}

/// More features than are scored at a time: log p of the levels, added up by a plain loop.
TEST(IntegerRows, ScoresOfManyFeatures) {
  constexpr Index n = 70, d = 150, classes = 3, levels = 5;
  CategoricalDensity density;
  for (Index j = 0; j < d; ++j) {
    density.levels.push_back(Names({"0", "1", "2", "3", "4"}));
    Matrix& p = density.probability.emplace_back(classes, levels);
    for (Index c = 0; c < classes; ++c)
      for (Index l = 0; l < levels; ++l)
        p(c, l) = static_cast<double>(1 + (l + c * j) % levels) / 15;  // 1/15 … 5/15
  }
  const Model model({.schema = Schema::numbered(d, Family::categorical),
                     .labels = {"a", "b", "c"},
                     .weights = {},
                     .densities = {density}});
  std::vector<std::int64_t> x;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) x.push_back((i * i + 7 * i * j + j) % levels);
  const LogLikelihoods by_row = log_likelihood(model, RowBlock(MatrixView(x.data(), n, d)));
  RowBlock columns(n);
  for (Index j = 0; j < d; ++j) columns.feature(Column(x.data() + j, n, d));
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < classes; ++c) {
      double sum = 0;
      for (Index j = 0; j < d; ++j) sum += std::log(density.probability[j](c, x[i * d + j]));
      EXPECT_NEAR(by_row.values(i, c), sum, 1e-11);
    }
  std::vector<double> reals(x.begin(), x.end());  // these are read column by column
  EXPECT_EQ(log_likelihood(model, RowBlock(MatrixView(reals.data(), n, d))).values, by_row.values);
  EXPECT_EQ(log_likelihood(model, columns).values, by_row.values);
  x[3 * d + 4] = 17;
  const LogLikelihoods unknown = log_likelihood(model, RowBlock(MatrixView(x.data(), n, d)));
  EXPECT_EQ(unknown.unknown_levels[4], 1);
}

}  // namespace
}  // namespace suffice::integer_rows_test
