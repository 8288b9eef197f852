// Other meanings of the columns: which ones are tried, and what the comparison measures.

#include "suffice/select/variants.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "suffice/calibrate/fit_calibration.hpp"
#include "suffice/left_out/leave_one_out.hpp"

namespace suffice::variants_test {
namespace {

struct Table {
  Schema schema;
  Matrix x;
  std::vector<std::string> labels;

  RowBlock rows() const { return RowBlock(x, labels); }
  Statistics statistics() const { return Statistics(schema).update(rows()); }
  SampledRows sample(Index rows_kept = 2000) const {
    Reservoir reservoir(schema, {.rows = rows_kept});
    reservoir.update(rows());
    return reservoir.sample();
  }
};

/// Two classes of two columns, each a function of normal numbers.
Table clouds(Index rows, double (*f)(double), unsigned seed = 3) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Table table{Schema::numbered(2), Matrix(rows, 2), {}};
  for (Index i = 0; i < rows; ++i) {
    const double shift = i % 2 ? 1.0 : 0.0;
    table.labels.push_back(i % 2 ? "b" : "a");
    table.x(i, 0) = f(shift + normal(random));
    table.x(i, 1) = f(shift / 2 + normal(random));
  }
  return table;
}

double itself(double x) { return x; }
double exponential(double x) { return std::exp(1.5 * x); }

Table one_column(const std::vector<double>& values) {
  Table table{Schema::numbered(1), Matrix(std::ssize(values), 1), {}};
  for (Index i = 0; i < table.x.rows(); ++i) {
    table.x(i, 0) = values[static_cast<std::size_t>(i)];
    table.labels.push_back(i % 2 ? "b" : "a");
  }
  return table;
}

std::vector<SchemaVariant> variants_of(const Table& table, std::vector<Index> columns) {
  return transform_variants(table.schema, table.sample(), columns);
}

TEST(Variants, ScalesAreSharesOfTheMedianSize) {
  // Sizes that are not 0: 1, 2, 3.14159, 40, 1000.
  const Table table = one_column({0, 0, 1, -2, 3.14159, 40, 1000, 0});
  std::vector<double> scales;
  for (const SchemaVariant& variant : variants_of(table, {0}))
    scales.push_back(variant.schema.feature(0).transform.scale);
  EXPECT_EQ(scales, (std::vector<double>{3.1, 0.31, 0.031}));
}

TEST(Variants, DoNotDependOnUnits) {
  Table table = clouds(200, exponential);
  for (Index i = 0; i < 200; ++i) table.x(i, 1) = 5 + std::log(table.x(i, 1));  // not skewed
  const std::vector<SchemaVariant> expected = variants_of(table, {0, 1});
  for (const double unit : {1e-6, 1e3}) {
    Table other = table;
    for (Index i = 0; i < 200; ++i)
      for (Index j = 0; j < 2; ++j) other.x(i, j) *= unit;
    const std::vector<SchemaVariant> found = variants_of(other, {0, 1});
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].words, expected[k].words);
      for (Index j = 0; j < 2; ++j) {
        const Transform a = found[k].schema.feature(j).transform;
        const Transform b = expected[k].schema.feature(j).transform;
        ASSERT_EQ(a.kind, b.kind) << k << " " << j;
        if (a.kind == Transform::Kind::signed_log) {
          EXPECT_NEAR(a.scale, unit * b.scale, 1e-9 * unit * b.scale);
        }
      }
    }
  }
}

// sign(x) log(1 + |x| / s) is normal: in x0 for s = the median, in x1 for a far smaller one.
TEST(Variants, TheLikeliestScaleOfEachColumnIsTried) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  Table table{Schema::numbered(2), Matrix(400, 2), {}};
  for (Index i = 0; i < 400; ++i) {
    table.labels.push_back(i % 2 ? "b" : "a");
    table.x(i, 0) = std::exp(std::log(2.0) + 0.6 * normal(random)) - 1;
    table.x(i, 1) = std::exp(2 * normal(random));
  }
  bool tried = false;
  for (const SchemaVariant& variant : variants_of(table, {0, 1}))
    tried = tried || (variant.schema.feature(0).transform.scale > 0.5 &&
                      variant.schema.feature(1).transform.scale < 0.05);
  EXPECT_TRUE(tried);
}

TEST(Variants, ColumnsWithoutSkewnessAskForNothing) {
  EXPECT_TRUE(variants_of(clouds(200, itself), {0, 1}).empty());
  EXPECT_FALSE(variants_of(clouds(200, exponential), {0, 1}).empty());
  EXPECT_TRUE(variants_of(clouds(200, exponential), {}).empty());
}

TEST(Variants, ColumnsOfTwoValuesStayAsTheyAre) {
  for (const std::vector<double>& values : {std::vector<double>{0, 0, 0, 0, 0, 0, 0, 7},
                                            {5, 5, 5, 5, 5, 5, 5, 5},
                                            {0, 0, 0, 0, 0, 0, 0, 0},
                                            {NAN, NAN, NAN, NAN, 1, NAN, NAN, NAN},
                                            {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}})
    EXPECT_TRUE(variants_of(one_column(values), {0}).empty());
}

TEST(Variants, OnlyTheColumnsThatWereNamedChange) {
  Table table = clouds(200, exponential);
  for (const SchemaVariant& variant : variants_of(table, {1})) {
    EXPECT_EQ(variant.schema.feature(0).transform, Transform::none);
    EXPECT_EQ(variant.schema.feature(1).transform.kind, Transform::Kind::signed_log);
    EXPECT_EQ(variant.words, "1 of 1 column of numbers is a signed logarithm");
  }
  for (Index i = 0; i < 200; ++i) table.x(i, 1) = std::log(table.x(i, 1));
  EXPECT_EQ(variants_of(table, {0, 1})[1].words,
            "1 of 2 columns of numbers is a signed logarithm ('x0')");
  table.schema = table.schema.with_label("kind");
  for (const SchemaVariant& variant : variants_of(table, {0, 1}))
    EXPECT_EQ(variant.schema.label(), "kind");
}

// Beside columns that were transformed by hand, leave-one-out of the model and its calibration.
TEST(Variants, MeasureWhatLeaveOneOutSaysOfColumnsTransformedByHand) {
  const Table table = clouds(120, exponential);
  const EstimateOptions given{.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(4)};
  ChooseOptions options{.fixed = {}, .given = given};
  for (const EstimateOption& option : estimate_options()) options.fixed.emplace_back(option.name);
  const Choice choice = choose(table.statistics(), table.sample(), options);
  Schema mapped({{.name = "x0", .transform = Transform::signed_log(0.5)}, {.name = "x1"}});
  const VariantChoice found =
      compare_variants(table.schema, std::vector<SchemaVariant>{{mapped, ""}}, table.statistics(),
                       table.sample(), choice, options);
  ASSERT_EQ(found.results.size(), 2U);
  EXPECT_NEAR(found.results[0].log_loss, choice.best()->log_loss, 1e-12);

  Table by_hand = table;
  std::vector<Index> labels;
  for (Index i = 0; i < 120; ++i) {
    by_hand.x(i, 0) = std::log1p(table.x(i, 0) / 0.5);
    labels.push_back(i % 2);
  }
  const LogLikelihoods scores = LeaveOneOut(by_hand.statistics(), given)(by_hand.rows());
  const std::vector<double> weights(120, 1.0), log_prior(2, std::log(0.5));
  const CalibrationFit fit = fit_calibration({&scores.values, 1}, labels, weights, log_prior);
  double log_loss = 0;  // with the frequencies of the other rows, 59 and 60 of 119
  for (Index i = 0; i < 120; ++i) {
    const auto joint = [&](Index c) {
      return std::log((c == labels[i] ? 59.0 : 60.0) / 119) + fit.calibration.offset[c] +
             fit.calibration.scale[0] * scores.values(i, c);
    };
    log_loss += std::log1p(std::exp(joint(1 - labels[i]) - joint(labels[i]))) / 120;
  }
  EXPECT_NEAR(found.results[1].log_loss, log_loss, 1e-12);
}

TEST(Variants, LogarithmsOfLogNormalNumbersAreFound) {
  const Table table = clouds(400, exponential);
  const SampledRows sample = table.sample();
  const Choice choice = choose(table.statistics(), sample);
  const BetterSchema better =
      better_schema(table.statistics(), sample, choice, {.transformable = {0, 1}});
  ASSERT_TRUE(better.is_other());
  for (const Feature& feature : better.schema.features())
    EXPECT_EQ(feature.transform.kind, Transform::Kind::signed_log);
  const Statistics again = Statistics(better.schema).update(table.rows());
  EXPECT_LT(choose(again, sample).best()->log_loss, choice.best()->log_loss);
}

// The logarithm carries nothing new where normal numbers differ by their means.
TEST(Variants, NormalNumbersStayAsTheyAre) {
  const Table table = clouds(400, itself);
  const SampledRows sample = table.sample();
  const Choice choice = choose(table.statistics(), sample);
  EXPECT_FALSE(
      better_schema(table.statistics(), sample, choice, {.transformable = {0, 1}}).is_other());
  // Nor if somebody proposes it.
  const Schema mapped({{.name = "x0", .transform = Transform::signed_log(0.01)},
                       {.name = "x1", .transform = Transform::signed_log(0.01)}});
  EXPECT_EQ(compare_variants(table.schema, std::vector<SchemaVariant>{{mapped, ""}},
                             table.statistics(), sample, choice)
                .chosen,
            0);
}

// 3 nats cannot be gained where the rows have less than that to lose.
TEST(Variants, RowsWithoutDoubtAreNoReasonToChange) {
  Table table = clouds(60, exponential);
  for (Index i = 1; i < 60; i += 2) table.x(i, 0) += 1e4;
  const SampledRows sample = table.sample();
  const Choice choice = choose(table.statistics(), sample);
  ASSERT_LT(choice.best()->log_loss * choice.rows, 3);
  EXPECT_FALSE(variants_of(table, {0, 1}).empty());
  EXPECT_FALSE(
      better_schema(table.statistics(), sample, choice, {.transformable = {0, 1}}).is_other());
}

TEST(Variants, AreTheSameOnAnyNumberOfThreads) {
  const Table table = clouds(3000, exponential);
  const SampledRows sample = table.sample(500);
  const Choice choice = choose(table.statistics(), sample);
  const std::vector<SchemaVariant> variants =
      transform_variants(table.schema, sample, std::vector<Index>{0, 1});
  const auto compared = [&](int threads) {
    return compare_variants(table.schema, variants, table.statistics(), sample, choice, {},
                            {.threads = threads});
  };
  const VariantChoice one = compared(1), four = compared(4);
  EXPECT_GT(one.chosen, 0);
  EXPECT_EQ(one.chosen, four.chosen);
  for (std::size_t k = 0; k < one.results.size(); ++k) {
    EXPECT_TRUE(one.results[k].measured);
    EXPECT_EQ(one.results[k].log_loss, four.results[k].log_loss);
  }
}

TEST(Variants, NothingIsComparedWithoutAChoice) {
  const Table table = clouds(40, exponential);
  const VariantChoice found =
      compare_variants(table.schema, variants_of(table, {0, 1}), table.statistics(), table.sample(),
                       Choice{.reason = "nothing could be estimated"});
  EXPECT_EQ(found.chosen, 0);
  EXPECT_TRUE(found.results.empty());
}

}  // namespace
}  // namespace suffice::variants_test
