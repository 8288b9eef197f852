// `fit` without options on tables that lack what a density needs: against the same table without
// what is left out, and against models worked by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "suffice/fit/fit.hpp"
#include "suffice/predict/predictor.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::any_table_test {
namespace {

using namespace testing::left_out;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

std::vector<std::string> texts(const Fit& fit) {
  std::vector<std::string> result;
  for (const FitNote& note : fit.notes) result.push_back(note.sentence.text());
  return result;
}

Fit fitted(const Table& table, const FitOptions& options = {}) {
  RowsInMemory rows(table.schema, table.rows());
  return fit(rows, options);
}

Matrix posteriors(const Model& model, const Table& table) {
  return predict(model, table.rows(), {.wanted = {.posteriors = true}}).posteriors;
}

Table unweighted(Index rows, Index features, unsigned seed = 1) {
  Table table = gaussian_table({.rows = rows, .features = features}, seed);
  std::ranges::fill(table.weights, 1.0);
  return table;
}

/// The table without a column.
Table without(const Table& table, Index column) {
  std::vector<Index> kept;
  for (Index j = 0; j < table.x.cols(); ++j)
    if (j != column) kept.push_back(j);
  Table result = table;
  result.schema = table.schema.subset(kept);
  result.x = Matrix(table.x.rows(), std::ssize(kept));
  for (Index i = 0; i < table.x.rows(); ++i)
    for (Index k = 0; k < std::ssize(kept); ++k)
      result.x(i, k) = table.x(i, kept[static_cast<std::size_t>(k)]);
  return result;
}

/// Rows that can be read once only.
class Stream : public RowsInMemory {
 public:
  explicit Stream(const Table& table) : RowsInMemory(table.schema, table.rows()) {}
  std::optional<std::string> read_only_once() const override { return "the stream"; }
};

TEST(AnyTable, ColumnsWithoutValuesHaveNoPart) {
  for (const Index rows : {90, 2500})  // all in the sample, or read again
    for (const Index values : {0, 2}) {
      Table table = unweighted(rows, 4);
      for (Index i = values; i < rows; ++i) table.x(i, 1) = nan;
      const Fit found = fitted(table), expected = fitted(without(table, 1));
      // The weights of the sampled rows are equal up to rounding, and so is the calibration.
      EXPECT_EQ(found.model.densities(), expected.model.densities()) << rows;
      expect_close(posteriors(found.model, without(table, 1)),
                   posteriors(expected.model, without(table, 1)));
      EXPECT_THAT(texts(found),
                  Contains(values == 0 ? "'x1' has no value: it is left out."
                                       : "'x1' has fewer than three values: it is left out."));
      Stream stream(table);
      EXPECT_EQ(fit(stream).model.schema(), expected.model.schema());
    }
}

TEST(AnyTable, AColumnWithThreeValuesStays) {
  Table table = unweighted(90, 3);
  for (Index i = 3; i < 90; ++i) table.x(i, 1) = nan;
  EXPECT_EQ(fitted(table).model.schema().size(), 3);
}

TEST(AnyTable, NothingToLearnFromLeavesTheClassFrequencies) {
  Table table = unweighted(90, 2);
  for (const double value : {7.0, nan}) {
    std::fill_n(table.x.data(), table.x.size(), value);
    const Fit found = fitted(table);
    EXPECT_THAT(texts(found), Contains(HasSubstr("no number has a part in the model")));
    const Matrix answers = posteriors(found.model, table);
    const Vector& weights = found.model.weights();
    for (Index i = 0; i < 90; ++i)
      for (Index c = 0; c < weights.size(); ++c)
        EXPECT_NEAR(answers(i, c), weights[c] / weights.map().sum(), 1e-12);
  }
}

TEST(AnyTable, ACopyOfTheLabelTellsTheClassesApart) {
  Table table = unweighted(90, 2);
  for (Index i = 0; i < 90; ++i)
    table.x(i, 0) = 10 + (table.labels[static_cast<std::size_t>(i)][0] - 'a');
  const Fit found = fitted(table);
  EXPECT_THAT(texts(found), Contains(HasSubstr("as by a copy of the label")));
  const Matrix answers = posteriors(found.model, table);
  const auto truth = predict(found.model, table.rows());
  for (Index i = 0; i < 90; ++i) {
    EXPECT_EQ(truth.label(i), table.labels[static_cast<std::size_t>(i)]);
    EXPECT_GT(std::ranges::max(answers.row(i)), 0.95);  // neighbours are 3.5 deviations apart
  }
}

TEST(AnyTable, SaysHowManyNumbersThereWere) {
  Table table = unweighted(90, 3);
  double missing = 0;
  for (Index i = 0; i < 90; ++i)
    if (table.labels[static_cast<std::size_t>(i)] == "a") {
      table.x(i, 1) = nan;
      ++missing;
    }
  const Fit found = fitted(table);
  EXPECT_THAT(texts(found),
              Contains("class 'a' has no value in 'x1': the values of all classes stand for it"));
  EXPECT_EQ(found.model.parts().found.present_values, std::vector<double>{270 - missing});
  EXPECT_EQ(found.model.parts().found.complete_rows, std::vector<double>{90 - missing});
}

TEST(AnyTable, NamedModelsStayStrict) {
  Table table = unweighted(90, 2);
  for (Index i = 0; i < 90; ++i) table.x(i, 0) = table.labels[static_cast<std::size_t>(i)][0];
  for (const char* covariance : {"full", "tied", "diag"})
    EXPECT_THAT(message_of<SingularError>(
                    [&] { fitted(table, FitOptions().set("covariance", covariance)); }),
                HasSubstr("the variance within classes is 0"));
}

// ---- weights

TEST(AnyTable, WeightsThatAreNoCountsSumToTheRows) {
  Table table = unweighted(90, 3);
  std::mt19937_64 random(4);
  for (double& weight : table.weights)
    weight = 0.1 + std::uniform_real_distribution<double>()(random);
  const double sum = table.weights.map().sum();
  Table known = table, tiny = table;
  for (double& weight : known.weights) weight *= 90 / sum;
  for (double& weight : tiny.weights) weight /= sum;
  const Fit expected = fitted(known);
  for (const Table& of : {table, tiny}) {
    const Fit found = fitted(of);
    EXPECT_NEAR(found.model.weights().map().sum(), 90, 1e-9);
    expect_close(posteriors(found.model, table), posteriors(expected.model, table), 1e-6);
    EXPECT_THAT(texts(found), Contains(HasSubstr("Weights are multiplied by")));
  }
}

TEST(AnyTable, WholeWeightsCountRows) {
  Table table = unweighted(90, 3);
  for (Index i = 0; i < 90; i += 3) table.weights[i] = 0;  // these are no rows
  EXPECT_EQ(fitted(table).model.weights().map().sum(), 60);
  for (Index i = 0; i < 90; i += 3) table.weights[i] = 2;
  EXPECT_EQ(fitted(table).model.weights().map().sum(), 120);
  EXPECT_THAT(texts(fitted(table)), ElementsAre());
}

TEST(AnyTable, LargeWeightsStay) {
  Table table = unweighted(90, 3);
  for (double& weight : table.weights) weight = 1.5;
  EXPECT_EQ(fitted(table).model.weights().map().sum(), 135);
}

}  // namespace
}  // namespace suffice::any_table_test
