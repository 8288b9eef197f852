#include "stats/grouped_statistics.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

#include "suffice/core/error.hpp"

namespace suffice::grouped_statistics_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const JointMoments& moments(const Statistics& statistics, Index label) {
  return std::get<GaussianStatistics>(statistics.blocks()[0]).classes[label].complete;
}

TEST(GroupedStatistics, HaveTheRowsOutsideAPart) {
  GroupedStatistics sums(Schema::numbered(1), Scatter::dense);
  const Matrix x{{1}, {2}, {4}, {8}, {99}};
  const std::vector<std::int32_t> label{0, 0, 1, 0, 0}, part{0, 1, 1, 2, -1};
  const double weight[] = {1, 1, 2, 1, 0};
  sums.update(RowBlock(x), {"p", "q"}, label, part, weight, {});
  EXPECT_THAT(sums.parts_of(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(sums.parts_of(1), ElementsAre(1));
  EXPECT_EQ(sums.all().weights(), (Vector{3, 2}));
  EXPECT_EQ(sums.all().squared_weights(), (Vector{3, 4}));
  const Statistics rest = sums.without(1);
  EXPECT_EQ(rest.weights(), (Vector{2, 0}));
  EXPECT_DOUBLE_EQ(moments(rest, 0).mean[0], 4.5);
  EXPECT_DOUBLE_EQ(moments(rest, 0).scatter(0, 0), 1 + 64 - 81.0 / 2);
  EXPECT_EQ(sums.none().weights(), (Vector{0, 0}));
  EXPECT_EQ(sums.none().labels(), (Names{"p", "q"}));
}

// Classes and parts that come later take their places among those that there are.
TEST(GroupedStatistics, GrowWithTheRows) {
  GroupedStatistics sums(Schema::numbered(1), Scatter::diagonal);
  const Matrix x{{1}, {3}};
  const std::vector<std::int32_t> first{0, 0}, second{0, 1};
  sums.update(RowBlock(x), {"m"}, first, first, nullptr, {});
  sums.update(RowBlock(x), {"a", "m", "z"}, second, second, nullptr, {});
  EXPECT_EQ(sums.all().weights(), (Vector{1, 3, 0}));
  EXPECT_EQ(sums.without(0).weights(), (Vector{0, 1, 0}));
  EXPECT_EQ(sums.without(1).weights(), (Vector{1, 2, 0}));
}

TEST(GroupedStatistics, AreUnchangedByRowsThatAreRefused) {
  GroupedStatistics sums(Schema::numbered(1), Scatter::dense);
  const Matrix good{{1}, {2}}, bad{{1}, {std::numeric_limits<double>::infinity()}};
  const std::vector<std::int32_t> label{0, 1}, part{0, 1};
  sums.update(RowBlock(good), {"a", "b"}, label, part, nullptr, {});
  const Statistics before = sums.all();
  try {
    sums.update(RowBlock(bad), {"a", "b"}, label, part, nullptr, {});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 1, class 'b'"));
    EXPECT_EQ(error.where().label, "b");
  }
  EXPECT_EQ(sums.all(), before);
  EXPECT_THROW(sums.update(RowBlock(Matrix(2, 3)), {"a", "b"}, label, part, nullptr, {}),
               InvalidArgument);
}

// Squares of 1e154 are near the largest double, so sums of few of them are infinite. Part 0 comes
// before part 1, in which that happens.
TEST(GroupedStatistics, AreUnchangedWhereSumsWouldBeInfinite) {
  constexpr Index d = 101;  // of which pooled sums are kept
  constexpr Index rows = 2 * d;
  const Schema schema = Schema::numbered(d);
  std::vector<std::int32_t> label(rows), part(rows);
  std::vector<std::string> name(rows, "a");
  for (Index i = 0; i < rows; ++i) part[static_cast<std::size_t>(i)] = i % 2 == 0 ? 0 : 1;
  const auto table = [&](double large) {
    Matrix x(rows, d);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < d; ++j) x(i, j) = static_cast<double>((i * (j + 3)) % 17);
    x(51, 0) = large;
    x(53, 0) = -large;
    return x;
  };
  for (const Scatter kind : {Scatter::pooled, Scatter::dense, Scatter::diagonal}) {
    GroupedStatistics sums(schema, kind);
    // Squares are kept beside a pooled scatter, and are bounded with it.
    const Matrix large = table(kind == Scatter::pooled ? 6e153 : 8e153), plain = table(0);
    sums.update(RowBlock(large), {"a"}, label, part, nullptr, {});
    ASSERT_EQ(sums.scatter(), kind);
    const Statistics all = sums.all(), first = sums.without(1), second = sums.without(0);
    const auto expect_unchanged = [&] {
      EXPECT_EQ(sums.all(), all);
      EXPECT_EQ(sums.without(1), first);
      EXPECT_EQ(sums.without(0), second);
      EXPECT_EQ(sums.labels(), Names{"a"});
    };
    try {
      sums.update(RowBlock(large), {"a", "b"}, label, part, nullptr, {});
      FAIL();
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("class 'a', feature 'x0'"));
      EXPECT_THAT(error.what(), HasSubstr("beyond what a double can hold"));
    }
    expect_unchanged();
    Statistics given(schema, {.scatter = kind});
    given.update(RowBlock(large, Column(name)));
    EXPECT_THROW(sums.add(given, 1), DataError);
    expect_unchanged();
    sums.update(RowBlock(plain), {"a"}, label, part, nullptr, {});
    EXPECT_EQ(sums.all().weights()[0], 2 * rows);
  }
}

// Forty parts of one or two rows: sums of parts would be larger than the rows. What lies outside a
// part is what Statistics make of the other rows, however it was found.
TEST(GroupedStatistics, OfManyPartsAreThoseOfTheOtherRows) {
  constexpr Index d = 8, parts = 40;
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  // A row's features, class and part are those of its number.
  const auto table = [&](Index rows) {
    Matrix x(rows, d);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < d; ++j) x(i, j) = 1e6 + normal(generator);
    // The last feature differs in part 7 only: outside it does not vary at all.
    for (Index i = 0; i < rows; ++i) x(i, d - 1) = 3 + (i % parts == 7 ? normal(generator) : 0);
    return x;
  };
  const Names labels{"a", "b"};
  const auto class_of = [](Index i) { return static_cast<std::int32_t>(i % 3 == 0); };
  const auto part_of = [](Index i) {
    return static_cast<std::int32_t>(i % 11 == 10 ? -1 : i % parts);
  };
  const auto weight_of = [](Index i) {
    return i % 11 == 10 ? 0.0 : 1.0 + static_cast<double>(i % 2);
  };

  GroupedStatistics sums(Schema::numbered(d), Scatter::dense);
  std::vector<Matrix> blocks;
  // The rows of the last block make sums the smaller ones.
  for (const Index rows : {50, 30, 2000}) {
    blocks.push_back(table(rows));
    std::vector<std::int32_t> label, part;
    std::vector<double> weight;
    for (Index i = 0; i < rows; ++i) {
      label.push_back(class_of(i));
      part.push_back(part_of(i));
      weight.push_back(weight_of(i));
    }
    sums.update(RowBlock(blocks.back()), labels, label, part, weight.data(), {});
    std::vector<Index> visited, all;
    for (Index of = 0; of < parts; ++of) all.push_back(of);
    sums.for_each_without(all, [&](Index of, const Statistics& found) {
      visited.push_back(of);
      Statistics expected(Schema::numbered(d), {.labels = labels.list()});
      for (const Matrix& block : blocks)
        for (Index i = 0; i < block.rows(); ++i) {
          if (part_of(i) < 0 || part_of(i) == of) continue;
          Matrix one(1, d);
          std::ranges::copy(block.row(i), one.row(0).begin());
          const std::vector<std::string> name{labels[class_of(i)]};
          expected.update(RowBlock(one, Column(name), Column(Vector{weight_of(i)})));
        }
      ASSERT_EQ(found.labels(), labels);
      for (Index c = 0; c < 2; ++c) {
        EXPECT_DOUBLE_EQ(found.weights()[c], expected.weights()[c]);
        const JointMoments &a = moments(found, c), &b = moments(expected, c);
        for (Index j = 0; j < d; ++j) {
          EXPECT_NEAR(a.mean[j], b.mean[j], 1e-9);
          for (Index k = 0; k < d; ++k) EXPECT_NEAR(a.scatter(j, k), b.scatter(j, k), 1e-6);
        }
        if (of == 7) {
          EXPECT_EQ(a.scatter(d - 1, d - 1), 0);
        }
      }
    });
    EXPECT_EQ(visited, all);
    EXPECT_EQ(sums.without(3).weights()[0], [&] {
      double weight_outside = 0;
      for (const Matrix& block : blocks)
        for (Index i = 0; i < block.rows(); ++i)
          if (part_of(i) >= 0 && part_of(i) != 3 && class_of(i) == 0)
            weight_outside += weight_of(i);
      return weight_outside;
    }());
    std::set<Index> of_first;
    for (const Matrix& block : blocks)
      for (Index i = 0; i < block.rows(); ++i)
        if (part_of(i) >= 0 && class_of(i) == 0) of_first.insert(part_of(i));
    EXPECT_THAT(sums.parts_of(0), ::testing::UnorderedElementsAreArray(of_first));
  }
}

}  // namespace
}  // namespace suffice::grouped_statistics_test
