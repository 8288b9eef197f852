// update: sums worked by hand, and what it refuses.

#include "suffice/stats/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stop_token>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "support/message_of.hpp"

namespace suffice::statistics_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

const std::vector<std::string> aab = {"a", "a", "b"};

TEST(Statistics, GaussianSumsByHand) {
  // Class a: (1, 10), (3, 14) of weights 1 and 3: mean (2.5, 13), scatter Σ w δδᵀ.
  const Matrix x = {{1, 10}, {3, 14}, {5, 5}};
  Statistics stats(Schema::numbered(2));
  stats.update({x, aab, std::vector<double>{1, 3, 2}});
  const auto& a = std::get<GaussianStatistics>(stats.blocks()[0]).classes[0].complete;
  EXPECT_EQ(stats.labels(), Names({"a", "b"}));
  EXPECT_EQ(stats.weights(), (Vector{4, 2}));
  EXPECT_EQ(stats.squared_weights(), (Vector{10, 4}));
  EXPECT_EQ(a.weight, 4);
  EXPECT_EQ(a.mean, (Vector{2.5, 13}));
  EXPECT_DOUBLE_EQ(a.scatter(0, 0), 3);  // 1·1.5² + 3·0.5²
  EXPECT_DOUBLE_EQ(a.scatter(0, 1), 6);  // 1·1.5·3 + 3·0.5·1
  EXPECT_DOUBLE_EQ(a.scatter(1, 0), 6);
  EXPECT_DOUBLE_EQ(a.scatter(1, 1), 12);  // 1·9 + 3·1
}

TEST(Statistics, IncompleteRowsGiveWhatTheyHave) {
  const Matrix x = {{1, nan}, {3, 14}, {5, 8}};
  Statistics stats(Schema::numbered(2));
  stats.update({x, std::vector<std::string>{"a", "a", "a"}});
  const auto& block = std::get<GaussianStatistics>(stats.blocks()[0]);
  EXPECT_EQ(block.classes[0].complete.weight, 2);
  EXPECT_EQ(block.classes[0].complete.mean, (Vector{4, 11}));
  const Moments all = block.moments(0);
  EXPECT_EQ(all.weight, (Vector{3, 2}));
  EXPECT_EQ(all.mean, (Vector{3, 11}));
  EXPECT_EQ(all.squares, (Vector{8, 18}));
  EXPECT_EQ(stats.weights(), (Vector{3}));
  EXPECT_EQ(stats.missing(), (Vector{0, 1}));
}

TEST(Statistics, CountsByHand) {
  const Schema schema(
      {{"flag", Family::bernoulli}, {"visits", Family::poisson}, {"colour", Family::categorical}});
  const std::vector<int> flag = {1, 0, 1};
  const std::vector<double> visits = {2, nan, 7};
  const std::vector<std::string> colour = {"red", "blue", "red"};
  const std::vector<double> weight = {2, 1, 1};
  RowBlock rows(3);
  rows.feature(flag).feature(visits).feature(colour).labels(aab).weights(weight);
  Statistics stats(schema);
  stats.update(rows);
  const auto& flags = std::get<CountStatistics>(stats.blocks()[0]);
  EXPECT_THAT(flags.sum.row(0), ElementsAre(2));
  EXPECT_THAT(flags.weight.row(0), ElementsAre(3));
  const auto& counts = std::get<CountStatistics>(stats.blocks()[1]);
  EXPECT_THAT(counts.sum.row(0), ElementsAre(4));
  EXPECT_THAT(counts.weight.row(0), ElementsAre(2));
  const auto& colours = std::get<CategoricalStatistics>(stats.blocks()[2]);
  EXPECT_EQ(colours.levels[0], Names({"blue", "red"}));
  EXPECT_THAT(colours.count[0].row(0), ElementsAre(1, 2));
  EXPECT_THAT(colours.count[0].row(1), ElementsAre(0, 1));
}

TEST(Statistics, LevelsAndLabelsThatComeLate) {
  // The dictionaries are guessed from the first 4096 rows; row 5000 has both a new label and a
  // level.
  const Index n = 6000;
  std::vector<int> level(n, 1), label(n, 0);
  level[5000] = 9;
  label[5000] = 3;
  RowBlock rows(n);
  rows.feature(level).labels(label);
  Statistics stats(Schema({{"level", Family::categorical}}));
  stats.update(rows);
  EXPECT_EQ(stats.labels(), Names({"0", "3"}));
  const auto& block = std::get<CategoricalStatistics>(stats.blocks()[0]);
  EXPECT_EQ(block.levels[0], Names({"1", "9"}));
  EXPECT_THAT(block.count[0].row(0), ElementsAre(5999, 0));
  EXPECT_THAT(block.count[0].row(1), ElementsAre(0, 1));
}

TEST(Statistics, AnEmptyBlockChangesNothing) {
  Statistics stats(Schema::numbered(2)), before = stats;
  stats.update(RowBlock(Matrix(0, 2)).labels(std::vector<std::string>{}));
  EXPECT_EQ(stats, before);
}

TEST(Statistics, ARowOfWeightZeroIsAbsentWhateverItHolds) {
  const Matrix x = {{1, 2}, {inf, nan}, {4, 5}};
  Statistics stats(Schema::numbered(2)), other = stats;
  stats.update({x, std::vector<std::string>{"a", "ghost", "a"}, std::vector<double>{1, 0, 1}});
  other.update(
      {Matrix{{1, 2}, {4, 5}}, std::vector<std::string>{"a", "a"}, std::vector<double>{1, 1}});
  EXPECT_EQ(stats.labels(), Names({"a"}));
  EXPECT_EQ(stats, other);
}

/// What update says of one bad value in class a, and that the statistics did not change.
template <class E = DataError>
std::string refusal(const Schema& schema, const RowBlock& rows) {
  Statistics stats(schema);
  const Statistics before = stats;
  const std::string message = message_of<E>([&] { stats.update(rows); });
  EXPECT_EQ(stats, before);
  return message;
}

TEST(Statistics, RefusesWhatAFamilyCannotHave) {
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    Statistics stats(Schema::numbered(2), {.scatter = scatter});
    const Matrix x = {{1, 2}, {3, -inf}, {5, 6}};
    EXPECT_THAT(message_of<DataError>([&] {
                  stats.update({x, aab});
                }),
                AllOf(HasSubstr("'x1'"), HasSubstr("-inf"), HasSubstr("row 1"), HasSubstr("'a'")));
    EXPECT_TRUE(stats.labels().empty());
  }
  const auto refused = [](Family family, double value) {
    return refusal(Schema::numbered(1, family), {Matrix{{0}, {value}, {1}}, aab});
  };
  EXPECT_THAT(refused(Family::bernoulli, 2), AllOf(HasSubstr("value is 2"), HasSubstr("0 or 1")));
  EXPECT_THAT(refused(Family::poisson, -1),
              HasSubstr("row 1, class 'a', feature 'x0': the value is -1"));
  EXPECT_THAT(refused(Family::poisson, 0.5), HasSubstr("0.5"));
  EXPECT_THAT(refused(Family::multinomial, inf), HasSubstr("inf"));
  EXPECT_THAT(refused(Family::multinomial, -0.5), HasSubstr("finite numbers from 0 on"));
  EXPECT_THAT(refused(Family::multinomial, nan), HasSubstr("write 0"));
}

TEST(Statistics, AnInfiniteNumberIsNoCategoryAndNoClass) {
  const Schema schema = Schema::numbered(2, Family::categorical);
  for (const double bad : {inf, -inf}) {
    const std::string message = refusal(schema, {Matrix{{0, 1}, {0.5, 2}, {1, bad}}, aab});
    EXPECT_THAT(message, HasSubstr("row 2, feature 'x1': a category cannot be infinite"));
    EXPECT_THAT(refusal(schema, {Matrix{{bad, 1}, {0.5, 2}, {1, 1}}, aab}),
                HasSubstr("row 0, feature 'x0': a category cannot be infinite"));
    EXPECT_THAT(refusal(schema, {Matrix(3, 2), std::vector<double>{1, bad, 2}}),
                HasSubstr("row 1: the label is infinite"));
    // A row of weight 0 is absent.
    Statistics stats(schema);
    EXPECT_NO_THROW(
        stats.update({Matrix{{0, 1}, {0.5, 2}, {1, bad}}, aab, std::vector<double>{1, 1, 0}}));
  }
}

// Each block has one feature, in a matrix whose columns lie one after the other.
TEST(Statistics, ColumnsOfAColumnMajorMatrixAreFound) {
  const Schema schema({{.name = "n", .family = Family::poisson},
                       {.name = "x"},
                       {.name = "kind", .family = Family::categorical},
                       {.name = "is", .family = Family::bernoulli}});
  const Matrix by_rows = {{3, 0.5, 7, 1}, {0, 2.5, 8, 0}, {2, 9.5, 7, 1}};
  Matrix by_columns(4, 3);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 4; ++j) by_columns(j, i) = by_rows(i, j);
  Statistics expected(schema), found(schema);
  expected.update({by_rows, aab});
  found.update(RowBlock(MatrixView(by_columns.data(), 3, 4, 1, 3), aab));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(std::get<GaussianStatistics>(found.blocks()[1]).classes[0].complete.mean[0], 1.5);
  EXPECT_EQ(std::get<CountStatistics>(found.blocks()[0]).sum, (Matrix{{3}, {2}}));
}

TEST(Statistics, WordCountsNeedNotBeWhole) {
  const Matrix x = {{0.5, 0}, {0.25, 2.5}, {0, 0.125}};
  const std::vector<std::int32_t> start = {0, 1, 3, 4}, column = {0, 0, 1, 1};
  const std::vector<float> values = {0.5f, 0.25f, 2.5f, 0.125f};
  const Schema words = Schema::numbered(2, Family::multinomial);
  for (const RowBlock& rows :
       {RowBlock(x, aab),
        RowBlock(SparseView(3, 2, start.data(), column.data(), values.data()), aab)}) {
    Statistics stats(words);
    stats.update(rows);
    EXPECT_EQ(std::get<CountStatistics>(stats.blocks()[0]).sum, (Matrix{{0.75, 2.5}, {0, 0.125}}));
  }
}

TEST(Statistics, RefusesBadSparseCounts) {
  const std::vector<std::int32_t> start = {0, 1, 2, 3}, column = {0, 1, 1};
  const Schema words = Schema::numbered(2, Family::multinomial);
  for (const double bad : {-1.0, -0.5, nan, inf}) {
    const std::vector<double> values = {1, bad, 2};
    EXPECT_THAT(refusal(words, {SparseView(3, 2, start.data(), column.data(), values.data()), aab}),
                AllOf(HasSubstr("'x1'"), HasSubstr("row 1")));
  }
}

TEST(Statistics, RefusesBadWeightsAndLabels) {
  const Schema schema = Schema::numbered(1);
  const Matrix x = {{1}, {2}, {3}};
  for (const double bad : {-1.0, nan, inf}) {
    EXPECT_THAT(refusal(schema, {x, aab, std::vector<double>{1, bad, 1}}), HasSubstr("row 1"));
  }
  EXPECT_THAT(refusal<InvalidArgument>(schema, x), HasSubstr("labels"));
  const std::vector<double> unlabelled = {1, nan, 2};
  EXPECT_THAT(refusal(schema, {x, unlabelled}), HasSubstr("row 1: there is no label"));
  EXPECT_THAT(refusal<InvalidArgument>(Schema::numbered(2), {x, aab}), HasSubstr("features"));
}

TEST(Statistics, RefusesSumsBeyondADouble) {
  const Schema schema = Schema::numbered(1);
  EXPECT_THAT(refusal(schema, {Matrix{{1e200}, {-1e200}, {0}}, aab}),
              AllOf(HasSubstr("'x0'"), HasSubstr("'a'")));
  EXPECT_THAT(refusal(schema, {Matrix{{1}, {2}, {3}}, aab, std::vector<double>{1e308, 1e308, 1}}),
              HasSubstr("weight"));
}

TEST(Statistics, RefusesAScatterThatDoesNotFitBeforeAllocatingIt) {
  EXPECT_THAT(message_of([] { Statistics(Schema::numbered(1'000'000)); }),
              AllOf(HasSubstr("8000.0 GB"), HasSubstr("keep only its diagonal")));
  Statistics stats(Schema::numbered(10), {.memory_limit = 1700});
  const UpdateOptions limited{.memory_limit = 1700};  // two classes need 1600 bytes
  const Matrix x(3, 10);
  EXPECT_NO_THROW(stats.update({x, aab}, limited));
  EXPECT_THAT(message_of([&] {
                stats.update({x, std::vector<std::string>{"a", "b", "c"}}, limited);
              }),
              HasSubstr("3 classes"));
  EXPECT_THAT(message_of([] {
                Statistics(Schema::numbered(10), {.labels = {"a", "b", "c"}, .memory_limit = 1700});
              }),
              HasSubstr("3 classes"));
  EXPECT_THAT(message_of([] { Statistics(Schema::numbered(1), {.memory_limit = -1}); }),
              HasSubstr("memory_limit is -1"));
  EXPECT_NO_THROW(Statistics(Schema::numbered(1'000'000), {.scatter = Scatter::diagonal}));
}

TEST(Statistics, RefusesAScatterThatNoRowsHave) {
  const auto with = [](Matrix scatter) {
    Statistics statistics(Schema::numbered(3));
    statistics.update({Matrix{{1, 2, 3}, {3, 1, 2}}, std::vector<std::string>{"a", "a"}});
    Statistics::Parts parts = statistics.parts();
    std::get<GaussianStatistics>(parts.blocks[0]).classes[0].complete.scatter = std::move(scatter);
    return Statistics(std::move(parts));
  };
  EXPECT_NO_THROW(with({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}));
  EXPECT_NO_THROW(with({{1e-8, 0, 1}, {0, 0, 0}, {1, 0, 1e8}}));
  EXPECT_THAT(message_of([&] {
                with({{1, 2, 0}, {2, 1, 0}, {0, 0, 1}});
              }),
              AllOf(HasSubstr("'a'"), HasSubstr("semidefinite")));
  // Each pair is possible, all three are not.
  EXPECT_THROW(with({{1, -.9, -.9}, {-.9, 1, -.9}, {-.9, -.9, 1}}), InvalidArgument);
  EXPECT_THROW(with({{0, .1, 0}, {.1, 1, 0}, {0, 0, 1}}), InvalidArgument);
}

// A matrix of 5 × 0 is empty, but has rows of classes that are not there.
TEST(Statistics, DocumentsHaveNoWeightsOfValues) {
  Statistics statistics(Schema({{"a", Family::multinomial}, {"b", Family::multinomial}}));
  statistics.update({Matrix{{1, 2}, {3, 1}}, std::vector<std::string>{"p", "q"}});
  Statistics::Parts parts = statistics.parts();
  EXPECT_NO_THROW(Statistics{parts});
  std::get<CountStatistics>(parts.blocks[0]).weight = Matrix(5, 0);
  EXPECT_THROW(Statistics{parts}, InvalidArgument);
}

TEST(Statistics, AllWeightsZeroLeavesNothingToEstimateFrom) {
  Statistics stats(Schema::numbered(1));
  stats.update({Matrix{{1}, {2}, {3}}, aab, std::vector<double>{0, 0, 0}});
  EXPECT_THAT(message_of([&] { estimate(stats); }), HasSubstr("no rows"));
}

/// `first` is good, `second` is good by itself, and both together are not.
void expect_too_large_together(Statistics stats, const RowBlock& first, const RowBlock& second,
                               const std::string& where) {
  EXPECT_NO_THROW(Statistics(stats).update(second)) << where;
  stats.update(first);
  const Statistics before = stats;
  EXPECT_THAT(message_of<DataError>([&] { stats.update(second); }),
              AllOf(HasSubstr(where), HasSubstr("beyond what a double can hold")));
  EXPECT_EQ(stats, before) << where;
  EXPECT_THAT(message_of<DataError>([&] { stats.update(second, {.block_rows = 1}); }),
              HasSubstr("beyond what a double can hold"));
  EXPECT_EQ(stats, before) << where;
}

TEST(Statistics, SumsThatGrowTooLargeLeaveThemAsTheyWere) {
  const std::vector<std::string> aaa = {"a", "a", "a"}, ab = {"a", "b"};
  const Schema one = Schema::numbered(1);
  const std::string feature = "class 'a', feature 'x0'";
  for (const Scatter kind : {Scatter::dense, Scatter::diagonal, Scatter::thin}) {
    // Scatters of 1.28e308, and a scatter between two means.
    const Matrix wide = {{0}, {8e153}, {-8e153}};
    const Matrix high = {{1e154}, {1e154}, {1e154}}, low = {{-1e154}, {-1e154}, {-1e154}};
    const Statistics empty(one, {.scatter = kind});
    expect_too_large_together(empty, {wide, aaa}, {wide, aaa}, feature);
    expect_too_large_together(empty, {high, aaa}, {low, aaa}, feature);
  }
  // The scatter of all classes together, where that of each, 1.3² / 2 · 1e308, is finite.
  const std::vector<std::string> abc = {"a", "b", "c"};
  const Matrix zero = {{0}, {0}, {0}}, large = {{1.3e154}, {1.3e154}, {1.3e154}};
  expect_too_large_together(Statistics(one, {.scatter = Scatter::pooled}), {zero, abc},
                            {large, abc}, "feature 'x0'");
  const Matrix x = {{1}, {2}};
  const std::vector<double> heavy = {1.2e154, 1};  // whose square is 1.44e308
  expect_too_large_together(Statistics(one), {x, ab, heavy}, {x, ab, heavy}, "the weight");
  const Schema counts({{"n", Family::poisson}});
  const Matrix many = {{1e308}, {1}};
  expect_too_large_together(Statistics(counts), {many, ab}, {many, ab}, "class 'a', feature 'n'");
  const Schema text(
      {{.name = "t", .family = Family::text, .text = text_options_from_string("pairs")}});
  const std::vector<std::string> documents = {"word:1e308 other:1", "word:1"};
  RowBlock words(2);
  words.feature(Column(Strings(documents))).labels(ab);
  expect_too_large_together(Statistics(text), words, words, "class 'a', feature 't'");
}

TEST(Statistics, AConstantColumnHasExactlyNoScatter) {
  // 0.1 has no exact sum; the mean and the scatter must come out exact all the same.
  const Index n = 5000;
  Matrix x(n, 2);
  std::vector<int> label(n);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 0.1;
    x(i, 1) = static_cast<double>(i % 7);
    label[i] = static_cast<int>(i % 3);
  }
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    Statistics stats(Schema::numbered(2), {.scatter = scatter});
    stats.update({x, label});
    const Model model = estimate(stats, {.covariance = Covariance::diag});
    EXPECT_THAT(std::get<GaussianDensity>(model.densities()[0]).constant, ElementsAre(0));
  }
}

TEST(Matrix, InBracesNeedsRowsOfOneLength) {
  EXPECT_THROW((Matrix{{1, 2}, {3}}), InvalidArgument);
  EXPECT_THROW(Matrix(-1, 2), InvalidArgument);
  EXPECT_THROW(RowBlock(-1), InvalidArgument);
}

}  // namespace
}  // namespace suffice::statistics_test
