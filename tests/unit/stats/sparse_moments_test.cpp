// Gaussian features of sparse rows: the sums and scores are those of the same rows, dense.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::sparse_moments_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows in both forms.
struct Both {
  Matrix dense;
  std::vector<std::int32_t> row_start{0}, column;
  std::vector<double> value;
  std::vector<std::string> labels;
  std::vector<double> weights;

  SparseView sparse() const {
    return {dense.rows(), dense.cols(), row_start.data(), column.data(), value.data()};
  }
  RowBlock dense_rows() const {
    RowBlock rows{MatrixView(dense), Column(labels)};
    rows.weights(Column(weights));
    return rows;
  }
  RowBlock sparse_rows() const {
    RowBlock rows{sparse(), Column(labels)};
    rows.weights(Column(weights));
    return rows;
  }
};

/// A tenth of the cells are entries; column 2 is far from 0, column 3 has large numbers, and
/// column 4 is 0 everywhere. Entries come in falling order, and some twice.
Both generate(Index rows, Index features, double missing = 0) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  Both both;
  both.dense = Matrix(rows, features);
  for (Index i = 0; i < rows; ++i) {
    const int label = static_cast<int>(i % 3);
    both.labels.push_back(std::string(1, static_cast<char>('a' + label)));
    both.weights.push_back(i % 5 == 0 ? 2.5 : i % 11 == 0 ? 0 : 1);
    for (Index j = features - 1; j >= 0; --j) {
      if (j == 4 || (j != 2 && uniform(random) > 0.1)) continue;
      double x = normal(random) + label * (j % 3 == 0 ? 1 : 0);
      if (j == 2) x += 1000;
      if (j == 3) x = 1e9 + x;
      if (uniform(random) < missing) x = nan;
      both.dense(i, j) = x;
      if (j % 2 == 0 && x == x) {  // in two parts whose sum is exact
        both.column.push_back(static_cast<std::int32_t>(j));
        both.column.push_back(static_cast<std::int32_t>(j));
        both.value.insert(both.value.end(), {0.5 * x, 0.5 * x});
      } else {
        both.column.push_back(static_cast<std::int32_t>(j));
        both.value.push_back(x);
      }
    }
    both.row_start.push_back(static_cast<std::int32_t>(both.column.size()));
  }
  return both;
}

Statistics sums_of(const Both& both, const RowBlock& rows, const Execution& execution = {}) {
  Statistics statistics(Schema::numbered(both.dense.cols()), {.scatter = Scatter::diagonal});
  statistics.update(rows, {}, execution);
  return statistics;
}

void expect_same_sums(const Both& both) {
  const auto dense = std::get<GaussianStatistics>(sums_of(both, both.dense_rows()).blocks()[0]);
  const auto sparse = std::get<GaussianStatistics>(sums_of(both, both.sparse_rows()).blocks()[0]);
  ASSERT_EQ(dense.classes.size(), sparse.classes.size());
  for (std::size_t c = 0; c < dense.classes.size(); ++c) {
    const Moments &a = dense.classes[c].present, &b = sparse.classes[c].present;
    for (Index j = 0; j < both.dense.cols(); ++j) {
      EXPECT_NEAR(b.weight[j], a.weight[j], 1e-12 * a.weight[j]);
      const double deviation = std::sqrt(a.squares[j] / a.weight[j]);
      EXPECT_NEAR((b.mean[j] - a.mean[j]) + (b.mean_low[j] - a.mean_low[j]), 0,
                  1e-12 * (deviation + 1e-300))
          << j;
      EXPECT_NEAR(b.squares[j], a.squares[j], 1e-12 * a.squares[j]) << j;
    }
  }
}

TEST(SparseMoments, AreThoseOfDenseRows) { expect_same_sums(generate(300, 40)); }
TEST(SparseMoments, AreThoseOfDenseRowsWithMissingValues) {
  expect_same_sums(generate(300, 40, 0.05));
}

TEST(SparseMoments, DoNotDependOnThreads) {
  const Both both = generate(200, 30);
  EXPECT_EQ(sums_of(both, both.sparse_rows(), {.threads = 1}),
            sums_of(both, both.sparse_rows(), {.threads = 4}));
}

std::vector<EstimateOptions> estimates() {
  std::vector<EstimateOptions> result;
  for (const Covariance structure :
       {Covariance::diag, Covariance::tied_diag, Covariance::spherical, Covariance::tied_spherical})
    for (const Tails& tails : {Tails::normal(), Tails::student(4)})
      result.push_back({.covariance = structure, .tails = tails});
  result.push_back({.covariance = Covariance::diag, .inference = Inference::bayes});
  result.push_back({.covariance = Covariance::tied_diag, .inference = Inference::bayes});
  result.push_back({.covariance = Covariance::tied_diag, .shrink_means = 1});
  return result;
}

void expect_same_scores(const Both& both) {
  for (const EstimateOptions& options : estimates()) {
    SCOPED_TRACE(std::string(to_string(options.covariance)) + " " +
                 std::string(to_string(options.inference)));
    const Model model = estimate(sums_of(both, both.dense_rows()), options);
    const Matrix dense = log_likelihood(model, both.dense_rows()).values;
    const Matrix sparse = log_likelihood(model, both.sparse_rows()).values;
    for (Index i = 0; i < dense.rows(); ++i)
      for (Index c = 0; c < dense.cols(); ++c)
        ASSERT_NEAR(sparse(i, c), dense(i, c), 1e-10 * (1 + std::abs(dense(i, c))))
            << "row " << i << ", class " << c;
  }
}

TEST(SparseMoments, ScoresAreThoseOfDenseRows) { expect_same_scores(generate(120, 40)); }
TEST(SparseMoments, ScoresAreThoseOfDenseRowsWithMissingValues) {
  expect_same_scores(generate(120, 40, 0.1));
}

TEST(SparseMoments, InfiniteValuesAreRefusedWithTheirPlace) {
  Both both = generate(30, 10);
  const Model model = estimate(sums_of(both, both.dense_rows()), {.covariance = Covariance::diag});
  both.value[static_cast<std::size_t>(both.row_start[7])] = HUGE_VAL;
  for (const auto& call :
       std::vector<std::function<void()>>{[&] { sums_of(both, both.sparse_rows()); },
                                          [&] { log_likelihood(model, both.sparse_rows()); }}) {
    try {
      call();
      FAIL();
    } catch (const DataError& error) {
      EXPECT_EQ(error.where().row, 7);
    }
  }
}

}  // namespace
}  // namespace suffice::sparse_moments_test
