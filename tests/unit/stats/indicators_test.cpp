// Indicators of categorical columns: the same as columns of zeros and ones that are made by hand.

#include "suffice/stats/indicators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/io/file.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/sample/sample.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/score/outlier.hpp"
#include "suffice/stats/reservoir.hpp"
#include "support/message_of.hpp"

namespace suffice::indicators_test {
namespace {

/// Two columns of names and a number between them. "red" is the most frequent colour, and the
/// second row lacks one.
struct Table {
  std::vector<std::string> colour = {"red", "", "red", "blue", "green", "red", "blue", "red"};
  std::vector<double> size = {1.5, 2, 0.5, 3, 7, 4.5, 6, 5};
  std::vector<std::string> shape = {"o", "x", "x", "o", "o", "x", "o", "o"};
  std::vector<std::string> label = {"a", "a", "a", "a", "b", "b", "b", "b"};
  std::uint8_t valid = 0b11111101;

  RowBlock rows() const {
    RowBlock result(8);
    result.feature(Column(Strings(colour), {&valid, 0})).feature(Column(size)).feature(shape);
    return result.labels(label);
  }
  static Schema schema() {
    return Schema({{.name = "colour", .family = Family::categorical},
                   {.name = "size"},
                   {.name = "shape", .family = Family::categorical}});
  }
  /// size, colour=blue, colour=green, colour is missing, shape=x: the order of the block.
  Matrix by_hand() const {
    Matrix result(8, 5);
    for (Index i = 0; i < 8; ++i) {
      const bool missing = i == 1;
      result(i, 0) = size[i];
      result(i, 1) = !missing && colour[i] == "blue";
      result(i, 2) = !missing && colour[i] == "green";
      result(i, 3) = missing;
      result(i, 4) = shape[i] == "x";
    }
    return result;
  }
  RowBlock rows_by_hand(const Matrix& matrix) const { return RowBlock(matrix).labels(label); }
  Indicators indicators() const {
    Statistics apart(schema());
    return indicators_of(apart.update(rows()));
  }
};

TEST(Indicators, EachLevelButTheMostFrequentOneHasItsOwn) {
  const Schema schema = Table().indicators().schema;
  ASSERT_EQ(schema.blocks().size(), 1);
  EXPECT_EQ(schema.names(schema.blocks()[0]),
            (std::vector<std::string>{"size", "colour=blue", "colour=green", "colour is missing",
                                      "shape=x"}));
  EXPECT_EQ(schema.columns(), (std::vector<std::string>{"colour", "size", "shape"}));
  EXPECT_EQ(schema.feature(0).indicator, (Indicator{"colour", "blue", "red"}));
  EXPECT_EQ(schema.feature(2).indicator, (Indicator{"colour", std::nullopt, "red"}));
  EXPECT_TRUE(schema.has_indicators());
  EXPECT_FALSE(Table::schema().has_indicators());
}

TEST(Indicators, SumsAreThoseOfColumnsMadeByHand) {
  const Table table;
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    Statistics within(table.indicators().schema, {.scatter = scatter});
    within.update(table.rows());
    const Matrix matrix = table.by_hand();
    Statistics by_hand(Schema::numbered(5), {.scatter = scatter});
    by_hand.update(table.rows_by_hand(matrix));
    EXPECT_EQ(within.blocks(), by_hand.blocks());
    EXPECT_EQ(within.weights(), by_hand.weights());
    for (const double missing : within.missing()) EXPECT_EQ(missing, 0);
  }
}

TEST(Indicators, ScoresAreThoseOfColumnsMadeByHand) {
  const Table table;
  const Matrix matrix = table.by_hand();
  Statistics within(table.indicators().schema), by_hand(Schema::numbered(5));
  within.update(table.rows());
  by_hand.update(table.rows_by_hand(matrix));
  for (const Covariance covariance : {Covariance::full, Covariance::tied, Covariance::diag}) {
    const EstimateOptions options{.covariance = covariance, .shrinkage = Shrinkage::rows(3)};
    const Model model = estimate(within, options), other = estimate(by_hand, options);
    EXPECT_EQ(log_likelihood(model, table.rows()).values, log_likelihood(other, matrix).values);
    EXPECT_EQ(LeaveOneOut(within, options)(table.rows()).values,
              LeaveOneOut(by_hand, options)(table.rows_by_hand(matrix)).values);
    const Vector mixture{0.5, 0.5};
    const std::span<const double> half(mixture.begin(), mixture.end());
    EXPECT_EQ(outlier_score(model, table.rows(), log_likelihood(model, table.rows()), half),
              outlier_score(other, matrix, log_likelihood(other, matrix), half));
  }
}

TEST(Indicators, ALevelThatIsNotKnownCountsAsTheReference) {
  const Table table;
  Statistics within(table.indicators().schema);
  const Model model = estimate(within.update(table.rows()));
  const std::vector<std::string> known = {"red", "red"}, unknown = {"red", "mauve"};
  const std::vector<double> size = {3, 3};
  const std::vector<std::string> shape = {"x", "x"};
  RowBlock first(2), second(2);
  const LogLikelihoods expected =
      log_likelihood(model, first.feature(known).feature(Column(size)).feature(shape));
  const LogLikelihoods scores =
      log_likelihood(model, second.feature(unknown).feature(Column(size)).feature(shape));
  EXPECT_EQ(scores.values, expected.values);
  EXPECT_EQ(expected.unknown_levels, std::vector<Index>(5, 0));
  EXPECT_EQ(scores.unknown_levels, (std::vector<Index>{1, 0, 0, 0, 0}));
}

TEST(Indicators, NamesMayBeCodesOrNumbers) {
  const Schema schema = with_indicators(
      Schema({{.name = "year", .family = Family::categorical}, {.name = "x"}}),
      {{.column = "year", .levels = {"2008", "2009"}, .reference = "2007", .missing = true}});
  const std::vector<double> x = {1, 2, 4, 3};
  const std::vector<std::string> text = {"2008", "2007", "2009", ""};
  const std::uint8_t valid = 0b0111;
  const std::vector<std::int32_t> whole = {2008, 2007, 2009, 1};
  const std::vector<double> real = {2008, 2007, 2009, std::nan("")};
  const std::vector<std::string> names = {"2009", "2008", "2007"};
  const std::vector<std::int8_t> codes = {1, 2, 0, -1};
  const std::vector<std::string> labels = {"a", "a", "b", "b"};
  const auto sums = [&](const Column& years) {
    RowBlock rows(4);
    Statistics statistics(schema);
    return statistics.update(rows.feature(years).feature(Column(x)).labels(labels)).blocks();
  };
  const auto expected = sums(Column(Strings(text), {&valid, 0}));
  const auto& first = std::get<GaussianStatistics>(expected[0]).classes[0].complete;
  EXPECT_EQ(first.mean, (Vector{1.5, 0.5, 0, 0}));  // x, 2008, 2009, missing
  EXPECT_EQ(sums(Column(whole.data(), 4, 1, {&valid, 0})), expected);
  EXPECT_EQ(sums(Column(real)), expected);
  EXPECT_EQ(sums(Column(codes.data(), 4, Strings(names))), expected);
}

TEST(Indicators, ManyLevelsStayApart) {
  std::vector<std::string> many, few, one, labels;
  std::vector<double> x;
  for (int i = 0; i < 60; ++i) {
    many.push_back("m" + std::to_string(i));
    few.push_back(i % 3 ? "yes" : "no");
    one.push_back("same");
    labels.push_back(i % 2 ? "a" : "b");
    x.push_back(i);
  }
  const Schema schema({{.name = "many", .family = Family::categorical},
                       {.name = "few", .family = Family::categorical},
                       {.name = "one", .family = Family::categorical},
                       {.name = "x"}});
  RowBlock rows(60);
  rows.feature(many).feature(few).feature(one).feature(Column(x)).labels(labels);
  Statistics statistics(schema);
  const Indicators found = indicators_of(statistics.update(rows), {.levels = 10});
  EXPECT_EQ(found.too_many, (std::vector<std::string>{"many"}));
  EXPECT_EQ(found.too_few, (std::vector<std::string>{"one"}));
  EXPECT_EQ(found.schema.columns(), (std::vector<std::string>{"many", "few", "one", "x"}));
  ASSERT_EQ(found.schema.blocks().size(), 2);
  EXPECT_EQ(found.schema.names(found.schema.blocks()[0]),
            (std::vector<std::string>{"many", "one"}));
  EXPECT_EQ(found.schema.names(found.schema.blocks()[1]),
            (std::vector<std::string>{"x", "few=no"}));
  EXPECT_EQ(Statistics(found.schema).update(rows).weights(), statistics.weights());
  EXPECT_TRUE(indicators_of(statistics, {.levels = 100}).too_many.empty());
}

TEST(Indicators, TheLimitIsForAllColumnsTogether) {
  const std::vector<std::string> names = {"u", "v", "w", "u", "u", "v"},
                                 labels = {"a", "b", "a", "b", "a", "b"};
  RowBlock rows(6);
  std::vector<Feature> features;
  for (const char* name : {"first", "second", "third"}) {
    features.push_back({.name = name, .family = Family::categorical});
    rows.feature(names);
  }
  Statistics statistics{Schema(features)};
  statistics.update(rows.labels(labels));
  EXPECT_TRUE(indicators_of(statistics, {.levels = 6}).too_many.empty());
  EXPECT_EQ(indicators_of(statistics, {.levels = 5}).too_many, (std::vector<std::string>{"third"}));
  EXPECT_EQ(indicators_of(statistics, {.levels = 2}).too_many,
            (std::vector<std::string>{"third", "second"}));
}

TEST(Indicators, NamesThatAreTakenGetAStar) {
  const Schema schema({{.name = "a=b"},
                       {.name = "a", .family = Family::categorical},
                       {.name = "a is missing", .family = Family::bernoulli}});
  const Schema within = with_indicators(
      schema, {{.column = "a", .levels = {"b", "", "x=\"y\""}, .reference = "c", .missing = true}});
  EXPECT_EQ(within.names(within.blocks()[0]),
            (std::vector<std::string>{"a=b", "a=b*", "a=", "a=x=\"y\"", "a is missing*"}));
}

TEST(Indicators, WithoutNumbersTheyAreABlockOfTheirOwn) {
  const Schema schema(
      {{.name = "a", .family = Family::categorical}, {.name = "n", .family = Family::poisson}});
  const Schema within =
      with_indicators(schema, {{.column = "a", .levels = {"x", "y"}, .reference = "z"}});
  ASSERT_EQ(within.blocks().size(), 2);
  EXPECT_EQ(within.names(within.blocks()[0]), (std::vector<std::string>{"a=x", "a=y"}));
  EXPECT_EQ(within.names(within.blocks()[1]), (std::vector<std::string>{"n"}));
}

TEST(Indicators, ImpossibleOnesAreRefused) {
  const Feature male{.name = "sex=male", .indicator = Indicator{"sex", "male", "female"}};
  Feature same = male, other = male, transformed = male, counted = male, reference = male;
  same.name = "again";
  other.name = "other";
  other.indicator = Indicator{"sex", "other", "male"};
  transformed.transform = Transform::log;
  counted.family = Family::poisson;
  reference.indicator->reference = "male";
  EXPECT_THROW(Schema({male, same}), InvalidArgument);
  EXPECT_THROW(Schema({male, other}), InvalidArgument);
  EXPECT_THROW(Schema({male, {.name = "sex", .family = Family::categorical}}), InvalidArgument);
  EXPECT_THROW(Schema({transformed}), InvalidArgument);
  EXPECT_THROW(Schema({counted}), InvalidArgument);
  EXPECT_THROW(Schema({reference}), InvalidArgument);
  const Schema numbers({{.name = "sex"}});
  EXPECT_THROW(with_indicators(numbers, {{.column = "sex", .levels = {"male"}}}), InvalidArgument);
  EXPECT_THROW(with_indicators(numbers, {{.column = "age", .levels = {"1"}}}), InvalidArgument);
  EXPECT_THROW(Schema({male}).require_compatible(Schema({{.name = "sex=male"}}), "merge"),
               InvalidArgument);
}

TEST(Indicators, AnInfiniteCategoryIsRefusedWithItsRow) {
  const Schema schema =
      with_indicators(Schema({{.name = "a", .family = Family::categorical}, {.name = "x"}}),
                      {{.column = "a", .levels = {"1"}, .reference = "2"}});
  const std::vector<double> x = {1, 2, 3, 5}, good = {1, 2, 2, 1},
                            bad = {1, 2, std::numeric_limits<double>::infinity(), 1};
  const std::vector<std::string> labels = {"a", "a", "b", "b"};
  Statistics statistics(schema);
  RowBlock rows(4), wrong(4);
  wrong.feature(Column(bad)).feature(Column(x)).labels(labels);
  statistics.update(rows.feature(Column(good)).feature(Column(x)).labels(labels));
  const Model model = estimate(statistics);
  for (const auto& call : {std::function<void()>([&] { statistics.update(wrong); }),
                           std::function<void()>([&] { log_likelihood(model, wrong); })})
    try {
      call();
      ADD_FAILURE() << "it was accepted";
    } catch (const DataError& error) {
      EXPECT_EQ(error.where().row, 2);
      EXPECT_EQ(error.where().features, (std::vector<std::string>{"a"}));
    }
}

TEST(Indicators, MissingNamesAreRefusedWhereThatIsAsked) {
  const Table table;
  Statistics statistics(table.indicators().schema);
  EXPECT_THROW(statistics.update(table.rows(), {.missing = Missing::refuse}), DataError);
  const Model model = estimate(statistics.update(table.rows()));
  EXPECT_THROW(log_likelihood(model, table.rows(), {.missing = Missing::refuse}), DataError);
  Table first = table;
  first.valid = 0b11111110;
  const auto refused = [&] { statistics.update(first.rows(), {.missing = Missing::refuse}); };
  EXPECT_THAT(testing::message_of<DataError>(refused), ::testing::HasSubstr("row 0"));
}

TEST(Indicators, AreKeptInFiles) {
  const Table table;
  Statistics statistics(table.indicators().schema);
  statistics.update(table.rows());
  const Model model = estimate(statistics);
  EXPECT_EQ(statistics_from_bytes(to_bytes(statistics)), statistics);
  EXPECT_EQ(model_from_bytes(to_bytes(model)).schema(), model.schema());
}

TEST(Indicators, AReservoirHasTheColumns) {
  const Table table;
  const Schema schema = table.indicators().schema;
  Reservoir apart(Table::schema()), within(schema);
  apart.update(table.rows());
  within.update(table.rows());
  Statistics expected(schema), first(schema), second(schema);
  expected.update(table.rows());
  EXPECT_EQ(first.update(apart.sample().rows()), expected);
  EXPECT_EQ(second.update(within.sample().rows()), expected);
}

TEST(Indicators, SamplesHaveLevels) {
  // Class a is nearly always red or missing, class b blue.
  std::vector<std::string> colour, labels;
  std::vector<std::uint8_t> valid(50, 0xff);
  for (int i = 0; i < 400; ++i) {
    labels.push_back(i % 2 ? "b" : "a");
    colour.push_back(i % 2 ? "blue" : "red");
    if (i % 4 == 0) valid[i / 8] &= static_cast<std::uint8_t>(~(1 << (i % 8)));
  }
  const Schema names({{.name = "colour", .family = Family::categorical}});
  RowBlock rows(400);
  rows.feature(Column(Strings(colour), {valid.data(), 0})).labels(labels);
  Statistics apart(names);
  Statistics within(indicators_of(apart.update(rows)).schema);
  const Model model = estimate(within.update(rows), {.shrinkage = Shrinkage::rows(0.01)});
  const Sample blue = sample(model, 200, "b"), red = sample(model, 200, "a");
  ASSERT_EQ(blue.values.cols(), 1);
  EXPECT_EQ(blue.levels[0], (Names{"blue", "red"}));
  for (Index i = 0; i < 200; ++i) EXPECT_EQ(blue.values(i, 0), 0);
  Index missing = 0;
  for (Index i = 0; i < 200; ++i) {
    EXPECT_NE(red.values(i, 0), 0) << "row " << i;
    missing += red.values(i, 0) < 0 ? 1 : 0;
  }
  EXPECT_GT(missing, 60);  // half of them, within five deviations
  EXPECT_LT(missing, 140);
  EXPECT_EQ(log_likelihood(model, blue.rows()).rows(), 200);
}

// ---- of missing values ------------------------------------------------------------------------

TEST(MissingIndicators, AreInABlockOfTheirOwn) {
  const Schema schema = with_missing_indicators(Table::schema(), {"colour", "size"});
  ASSERT_EQ(schema.blocks().size(), 3);
  EXPECT_EQ(schema.blocks()[2].family, Family::bernoulli);
  EXPECT_EQ(schema.names(schema.blocks()[2]),
            (std::vector<std::string>{"colour is missing", "size is missing"}));
  EXPECT_EQ(schema.columns(), Table::schema().columns());
  EXPECT_TRUE(schema.has_missing_indicators());
  EXPECT_FALSE(schema.has_level_indicators());
  EXPECT_TRUE(schema.has_names(0));
  EXPECT_FALSE(schema.has_names(1));
  EXPECT_EQ(with_missing_indicators(schema, {}), schema);
}

TEST(MissingIndicators, CountMissingNames) {
  const Table table;
  Statistics plain(Table::schema());
  const std::vector<std::string> columns = columns_with_missing_values(plain.update(table.rows()));
  EXPECT_EQ(columns, std::vector<std::string>{"colour"});
  Statistics told(with_missing_indicators(Table::schema(), columns));
  told.update(table.rows());
  const auto& counts = std::get<CountStatistics>(told.blocks().back());
  EXPECT_EQ(counts.sum(0, 0), 1);  // the second row, of class a
  EXPECT_EQ(counts.sum(1, 0), 0);
  EXPECT_EQ(counts.weight(0, 0), 4);
  EXPECT_TRUE(columns_with_missing_values(told).empty());
}

TEST(MissingIndicators, StayWithFilesAndSamples) {
  Vector x(300);
  std::vector<std::string> labels;
  for (Index i = 0; i < 300; ++i) {
    x[i] = i % 2 == 0 && i % 3 != 0 ? std::nan("") : static_cast<double>(i % 7);
    labels.push_back(i % 2 ? "b" : "a");
  }
  const RowBlock rows = RowBlock(300).feature(x).labels(labels);
  Statistics told(with_missing_indicators(Schema::numbered(1), {"x0"}));
  const Model model = estimate(told.update(rows), {.smoothing = 0});
  EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
  const Sample drawn = sample(model, 600, "a"), whole = sample(model, 50, "b");
  ASSERT_EQ(drawn.values.cols(), 1);
  Index missing = 0;
  for (Index i = 0; i < 600; ++i) missing += std::isnan(drawn.values(i, 0)) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(missing), 400, 60);  // two of three, within five deviations
  for (Index i = 0; i < 50; ++i) EXPECT_FALSE(std::isnan(whole.values(i, 0)));
  // A missing number is evidence, and otherwise impossible in class b.
  const Matrix scores = log_likelihood(model, rows).values;
  EXPECT_NEAR(scores(2, 0), std::log(2.0 / 3), 1e-12);
  EXPECT_EQ(scores(2, 1), -std::numeric_limits<double>::infinity());
}

TEST(MissingIndicators, OfWhatHasNoneAreRefused) {
  EXPECT_THAT(testing::message_of<InvalidArgument>(
                  [] { with_missing_indicators(Table::schema(), {"weight"}); }),
              ::testing::HasSubstr("no feature 'weight'"));
  const Schema told = with_missing_indicators(Table::schema(), {"size"});
  std::vector<Feature> twice = told.features();
  twice.push_back(twice.back());
  twice.back().name = "again";
  EXPECT_THAT(testing::message_of<InvalidArgument>([&] { Schema{twice}; }),
              ::testing::HasSubstr("two features say whether column 'size' is missing"));
  std::vector<Feature> level = told.features();
  level.back().indicator->level = "large";
  EXPECT_THAT(testing::message_of<InvalidArgument>([&] { Schema{level}; }),
              ::testing::HasSubstr("a Bernoulli one is that of missing values"));
}

}  // namespace
}  // namespace suffice::indicators_test
