// Indicators of categories are the same as columns of zeros and ones.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "generate.hpp"

namespace suffice::indicator_laws {
namespace {

using namespace suffice::testing;

const FamilyCase tables[] = {
    {.name = "Mixed", .families = {Family::categorical, Family::gaussian, Family::categorical}},
    {.name = "MixedMissing",
     .families = {Family::gaussian, Family::categorical},
     .missing_share = 0.05},
    {.name = "Categories", .families = {Family::categorical}, .missing_share = 0.1},
};

/// The schema with indicators, and the same numbers as a table without names.
struct Both {
  Schema within;
  Table numbers;
};

Table expanded(const Table& table, const Schema& within) {
  const std::vector<Index>& features = within.blocks()[0].features;
  Matrix values(table.rows(), std::ssize(features));
  for (Index j = 0; j < values.cols(); ++j) {
    const Feature& feature = within.feature(features[static_cast<std::size_t>(j)]);
    const Index column = within.column(features[static_cast<std::size_t>(j)]);
    for (Index i = 0; i < table.rows(); ++i) {
      const double cell = table(i, column);
      if (!feature.indicator)
        values(i, j) = cell;
      else if (std::isnan(cell))
        values(i, j) = feature.indicator->level ? 0 : 1;
      else
        values(i, j) = feature.indicator->level == table.level(i, column) ? 1 : 0;
    }
  }
  return Table({.schema = Schema::numbered(values.cols()),
                .values = std::move(values),
                .labels = table.parts().labels,
                .weights = table.parts().weights});
}

Both both(const Table& table) {
  Statistics apart(table.schema());
  const Schema within = indicators_of(apart.update(table.block())).schema;
  return {within, expanded(table, within)};
}

/// A table in which every categorical column has two levels; some small ones lack that.
bool has_one_block(const Schema& schema) {
  return schema.blocks().size() == 1 && schema.blocks()[0].family == Family::gaussian;
}

class IndicatorLaws : public ::testing::TestWithParam<FamilyCase> {};
INSTANTIATE_TEST_SUITE_P(Tables, IndicatorLaws, ::testing::ValuesIn(tables), family_name);

TEST_P(IndicatorLaws, SumsAreThoseOfTheNumbers) {
  check_law(GetParam(), [](const Table& table) {
    const auto [within, numbers] = both(table);
    if (!has_one_block(within)) return ::testing::AssertionSuccess();
    for (const Scatter scatter : {Scatter::dense, Scatter::diagonal})
      for (const int threads : {1, 3}) {
        Statistics mine(within, {.scatter = scatter}),
            theirs(numbers.schema(), {.scatter = scatter});
        mine.update(table.block(), {.threads = threads});
        theirs.update(numbers.block());
        if (mine.blocks() != theirs.blocks())
          return ::testing::AssertionFailure() << "the sums differ, " << threads << " threads";
      }
    return ::testing::AssertionSuccess();
  });
}

TEST_P(IndicatorLaws, PartsAddUp) {
  check_law(GetParam(), [](const Table& table) {
    const auto [within, numbers] = both(table);
    if (!has_one_block(within)) return ::testing::AssertionSuccess();
    const Index half = table.rows() / 3;
    const Table first = table.range(0, half), second = table.range(half, table.rows());
    const Table first_numbers = numbers.range(0, half),
                second_numbers = numbers.range(half, table.rows());
    Statistics a(within), b(within), c(numbers.schema()), d(numbers.schema());
    a.update(first.block());
    b.update(second.block());
    c.update(first_numbers.block());
    d.update(second_numbers.block());
    return merge(a, b).blocks() == merge(c, d).blocks()
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "the merged sums differ";
  });
}

TEST_P(IndicatorLaws, ScoresAndLeaveOneOutAreThoseOfTheNumbers) {
  check_law(GetParam(), [](const Table& table) {
    const auto [within, numbers] = both(table);
    if (!has_one_block(within)) return ::testing::AssertionSuccess();
    Statistics mine(within), theirs(numbers.schema());
    mine.update(table.block());
    theirs.update(numbers.block());
    for (const Covariance covariance : {Covariance::full, Covariance::tied, Covariance::diag}) {
      const EstimateOptions options{.covariance = covariance, .shrinkage = Shrinkage::rows(4)};
      const Matrix scores = log_likelihood(estimate(mine, options), table.block()).values;
      if (!(scores == log_likelihood(estimate(theirs, options), numbers.block()).values))
        return ::testing::AssertionFailure() << to_string(covariance) << ": the scores differ";
      const Matrix without = LeaveOneOut(mine, options)(table.block()).values;
      const Matrix expected = LeaveOneOut(theirs, options)(numbers.block()).values;
      for (Index i = 0; i < without.rows(); ++i)
        for (Index c = 0; c < without.cols(); ++c)
          if (without(i, c) != expected(i, c) &&
              !(std::isnan(without(i, c)) && std::isnan(expected(i, c))))
            return ::testing::AssertionFailure()
                   << to_string(covariance) << ": row " << i << " without itself differs";
    }
    return ::testing::AssertionSuccess();
  });
}

// ---- indicators of missing values --------------------------------------------------------------

const FamilyCase with_gaps[] = {
    {.name = "NumbersMissing", .families = {Family::gaussian}, .missing_share = 0.1},
    {.name = "KindsMissing",
     .families = {Family::bernoulli, Family::gaussian, Family::poisson, Family::exponential},
     .missing_share = 0.15},
    {.name = "NamesMissing",
     .families = {Family::categorical, Family::gaussian},
     .missing_share = 0.15},
};

/// The features of a schema with such indicators as plain columns, and the table of these.
Table with_columns_of_missing(const Table& table, const Schema& told) {
  Table::Parts parts = table.parts();
  std::vector<Feature> features = told.features();
  std::vector<std::vector<Index>> blocks;
  for (const Block& block : told.blocks()) blocks.push_back(block.features);
  Matrix values(table.rows(), told.size());
  for (Index j = 0; j < told.size(); ++j) {
    const bool of_missing = features[static_cast<std::size_t>(j)].is_of_missing();
    for (Index i = 0; i < table.rows(); ++i) {
      const double cell = table(i, told.column(j));
      values(i, j) = !of_missing ? cell : std::isnan(cell) ? 1 : 0;
    }
    if (of_missing) features[static_cast<std::size_t>(j)].indicator.reset();
  }
  parts.schema = Schema(std::move(features), std::move(blocks));
  parts.values = std::move(values);
  parts.levels.resize(static_cast<std::size_t>(told.size()));
  return Table(std::move(parts));
}

class MissingIndicatorLaws : public ::testing::TestWithParam<FamilyCase> {};
INSTANTIATE_TEST_SUITE_P(Tables, MissingIndicatorLaws, ::testing::ValuesIn(with_gaps), family_name);

TEST_P(MissingIndicatorLaws, AreColumnsMadeByHand) {
  check_law(GetParam(), [](const Table& table) {
    Statistics first(table.schema());
    const std::vector<std::string> columns =
        columns_with_missing_values(first.update(table.block()));
    if (columns.empty()) return ::testing::AssertionSuccess();
    const Schema told = with_missing_indicators(table.schema(), columns);
    const Table by_hand = with_columns_of_missing(table, told);
    for (const int threads : {1, 3}) {
      Statistics mine(told), theirs(by_hand.schema());
      mine.update(table.block(), {.threads = threads});
      theirs.update(by_hand.block());
      if (mine.blocks() != theirs.blocks())
        return ::testing::AssertionFailure() << "the sums differ, " << threads << " threads";
      const EstimateOptions options{.shrinkage = Shrinkage::rows(4)};
      const Model model = estimate(mine, options), other = estimate(theirs, options);
      if (!(log_likelihood(model, table.block()).values ==
            log_likelihood(other, by_hand.block()).values))
        return ::testing::AssertionFailure() << "the scores differ";
      const Matrix without = LeaveOneOut(mine, options)(table.block()).values;
      const Matrix expected = LeaveOneOut(theirs, options)(by_hand.block()).values;
      for (Index i = 0; i < without.rows(); ++i)
        for (Index c = 0; c < without.cols(); ++c)
          if (without(i, c) != expected(i, c) &&
              !(std::isnan(without(i, c)) && std::isnan(expected(i, c))))
            return ::testing::AssertionFailure() << "row " << i << " without itself differs";
    }
    return ::testing::AssertionSuccess();
  });
}

TEST(MissingIndicatorLaws, FitDoesNotTakeThemWhereTheyAreNoise) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  for (int seed = 0; seed < 20; ++seed) {
    const Index n = 120 + 20 * (seed % 5);
    Matrix values(n, 3);
    std::vector<std::string> labels;
    for (Index i = 0; i < n; ++i) {
      labels.push_back(i % 2 ? "b" : "a");
      for (Index j = 0; j < 3; ++j)
        values(i, j) = uniform(random, 0, 1) < 0.3 ? std::nan("")
                                                   : normal(random) + static_cast<double>(i % 2);
    }
    RowsInMemory rows(Schema::numbered(3), RowBlock(values).labels(labels));
    EXPECT_FALSE(fit(rows).model.schema().has_missing_indicators()) << "table " << seed;
  }
}

}  // namespace
}  // namespace suffice::indicator_laws
