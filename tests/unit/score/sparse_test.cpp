// Sparse rows of Bernoulli and Poisson features are worked on entry by entry where an entry is a
// cell, and as dense rows otherwise. Whichever it is, the dense matrix of the same numbers is what
// the answers must be those of.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::sparse_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Four rows of three columns, of two classes.
struct Case {
  const char* name;
  std::vector<std::int64_t> start, column;
  std::vector<double> values;
  Matrix dense;
};

const Case cases[] = {
    {"canonical",
     {0, 2, 3, 3, 5},
     {0, 2, 1, 1, 2},
     {1, 1, 1, 1, 1},
     {{1, 0, 1}, {0, 1, 0}, {0, 0, 0}, {0, 1, 1}}},
    {"a stored zero",
     {0, 2, 3, 3, 5},
     {0, 2, 1, 1, 2},
     {1, 0, 1, 1, 1},
     {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 1, 1}}},
    {"columns in any order",
     {0, 2, 3, 3, 5},
     {2, 0, 1, 2, 1},
     {1, 1, 1, 1, 1},
     {{1, 0, 1}, {0, 1, 0}, {0, 0, 0}, {0, 1, 1}}},
    {"a column in two pieces",
     {0, 3, 4, 4, 6},
     {0, 2, 2, 1, 1, 2},
     {1, 0.5, 0.5, 1, 1, 1},
     {{1, 0, 1}, {0, 1, 0}, {0, 0, 0}, {0, 1, 1}}},
    {"a missing value",
     {0, 2, 3, 3, 5},
     {0, 2, 1, 1, 2},
     {1, nan, 1, 1, 1},
     {{1, 0, nan}, {0, 1, 0}, {0, 0, 0}, {0, 1, 1}}},
};
const std::vector<std::string> labels{"a", "a", "b", "b"};
const std::vector<double> weights{1, 2, 3, 0.5};

RowBlock sparse_rows(const Case& given) {
  RowBlock rows(SparseView(4, 3, given.start.data(), given.column.data(), given.values.data()));
  rows.labels(labels).weights(weights);
  return rows;
}

void expect_equal(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) EXPECT_DOUBLE_EQ(a(i, j), b(i, j)) << i << ' ' << j;
}

TEST(SparseCounts, AreTheDenseOnes) {
  for (const Family family : {Family::bernoulli, Family::poisson}) {
    const Schema schema = Schema::numbered(3, family);
    for (const Case& given : cases) {
      SCOPED_TRACE(std::string(to_string(family)) + ": " + given.name);
      const RowBlock dense(given.dense, labels, weights);
      const auto sums = [&](const RowBlock& rows) {
        return std::get<CountStatistics>(Statistics(schema).update(rows).blocks()[0]);
      };
      expect_equal(sums(sparse_rows(given)).sum, sums(dense).sum);
      expect_equal(sums(sparse_rows(given)).weight, sums(dense).weight);
      for (const double smoothing : {1.0, 0.0}) {  // 0: classes exclude values, 0 among them
        const Model model = estimate(Statistics(schema).update(dense), {.smoothing = smoothing});
        for (const bool relative : {false, true})
          expect_equal(log_likelihood(model, sparse_rows(given), {.relative = relative}).values,
                       log_likelihood(model, dense, {.relative = relative}).values);
      }
    }
  }
}

TEST(SparseCounts, AreTheDenseOnesInPredictiveDocuments) {
  const Schema schema = Schema::numbered(3, Family::multinomial);
  for (const Case& given : std::span(cases).first(4)) {  // a missing word count has no meaning
    SCOPED_TRACE(given.name);
    const RowBlock dense(given.dense, labels, weights);
    const Model model = estimate(Statistics(schema).update(dense), {.inference = Inference::bayes});
    expect_equal(log_likelihood(model, sparse_rows(given)).values,
                 log_likelihood(model, dense).values);
  }
}

TEST(SparseCounts, RefuseWhatTheFamilyCannotBe) {
  Case given = cases[0];
  given.values[3] = 1.5;
  EXPECT_THROW(Statistics(Schema::numbered(3, Family::bernoulli)).update(sparse_rows(given)),
               DataError);
  EXPECT_THROW(Statistics(Schema::numbered(3, Family::poisson)).update(sparse_rows(given)),
               DataError);
  const Model model =
      estimate(Statistics(Schema::numbered(3, Family::poisson)).update(sparse_rows(cases[0])));
  EXPECT_THROW(log_likelihood(model, sparse_rows(given)), DataError);
}

}  // namespace
}  // namespace suffice::sparse_test
