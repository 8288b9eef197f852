// Sums worked by hand in whole numbers, so that every order of adding gives the same bits.

#include "suffice/score/linear.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::linear_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr Missing refuse = Missing::refuse;

const LinearFunctions three{.w = {{1, 2}, {-1, 0}, {3, -4}}, .c = {10, 20, 30}};

TEST(Linear, ScoresAreSumsOfProducts) {
  // (5, 7): 5 + 14 + 10, −5 + 20, 15 − 28 + 30; (0, −1): −2 + 10, 20, 4 + 30.
  const Matrix scores = linear_scores(three, Matrix{{5, 7}, {0, -1}});
  EXPECT_THAT(scores.row(0), ElementsAre(29, 15, 17));
  EXPECT_THAT(scores.row(1), ElementsAre(8, 20, 34));
  EXPECT_THAT(best_linear(three, Matrix{{5, 7}, {0, -1}}), ElementsAre(0, 2));
}

TEST(Linear, PosteriorsAreExponentialsOverTheirSum) {
  // Scores k · log 2 (k < K): posteriors 2^k / (2^K − 1). A class at −inf is impossible.
  for (const Index classes : {2, 3, 9, 33}) {
    SCOPED_TRACE(classes);
    LinearFunctions functions{Matrix(classes, 1), Vector(classes)};
    for (Index k = 0; k < classes; ++k) functions.w(k, 0) = static_cast<double>(k) * std::log(2.0);
    functions.c[0] = -inf;
    const Matrix x{{1.0}, {-1.0}, {1000.0}};
    const Matrix p = linear_posteriors(functions, x);
    const Matrix log_p = linear_posteriors(functions, x, true);
    const double sum = std::pow(2.0, static_cast<double>(classes)) - 2;  // 2 + 4 + …
    for (Index k = 1; k < classes; ++k) {
      const double weight = std::pow(2.0, static_cast<double>(k));
      EXPECT_NEAR(p(0, k), weight / sum, 1e-15);
      EXPECT_NEAR(p(1, k), std::pow(2.0, static_cast<double>(classes - k)) / sum, 1e-15);
      EXPECT_NEAR(log_p(0, k), std::log(weight / sum), 1e-13);
      const double behind = 1000 * std::log(2.0) * static_cast<double>(k - classes + 1);
      EXPECT_NEAR(log_p(2, k), behind, 1e-12 * std::max(1.0, -behind));
    }
    for (Index i = 0; i < 3; ++i) {
      EXPECT_EQ(p(i, 0), 0);
      EXPECT_EQ(log_p(i, 0), -inf);
    }
    EXPECT_EQ(p(2, classes - 1), 1);
  }
  const LinearFunctions none{.w = {{1}, {2}, {3}}, .c = {-inf, -inf, -inf}};
  const Matrix nothing = linear_posteriors(none, Matrix{{1.0}});
  for (const double p : nothing.row(0)) EXPECT_TRUE(std::isnan(p));
}

TEST(Linear, TheBestIsTheFirstOfEqualsAndNeverImpossible) {
  for (const Index classes : {1, 7, 8, 9, 16, 21}) {
    for (Index best = 0; best < classes; ++best) {
      LinearFunctions functions{Matrix(classes, 1), Vector(classes)};
      for (Index k = 0; k < best; ++k) functions.c[k] = k % 2 ? -inf : -1;
      EXPECT_THAT(best_linear(functions, Matrix{{3.0}}), ElementsAre(best)) << classes;
      for (double& constant : functions.c) constant = -inf;
      EXPECT_THAT(best_linear(functions, Matrix{{3.0}}), ElementsAre(-1)) << classes;
    }
  }
}

/// w(k, j) = (k + 2 j) mod 5 − 2, c(k) = k, x(i, j) = (3 i + j) mod 7: sums by the plain loop.
struct Example {
  Index n, d, classes;
  Matrix x{n, d}, expected{n, classes};
  LinearFunctions functions{Matrix(classes, d), Vector(classes)};

  Example(Index rows, Index features, Index labels) : n(rows), d(features), classes(labels) {
    for (Index k = 0; k < classes; ++k) {
      functions.c[k] = static_cast<double>(k);
      for (Index j = 0; j < d; ++j) functions.w(k, j) = static_cast<double>((k + 2 * j) % 5) - 2;
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) x(i, j) = static_cast<double>((3 * i + j) % 7);
      for (Index k = 0; k < classes; ++k) {
        expected(i, k) = functions.c[k];
        for (Index j = 0; j < d; ++j) expected(i, k) += x(i, j) * functions.w(k, j);
      }
    }
  }

  void expect(const RowBlock& rows, const std::string& what) const {
    SCOPED_TRACE(what);
    for (const int threads : {1, 3}) {
      EXPECT_EQ(linear_scores(functions, rows, {}, {.threads = threads}), expected);
      const std::vector<Index> best =
          best_linear(functions, rows, {.missing = refuse}, {.threads = threads});
      for (Index i = 0; i < n; ++i) {
        const auto row = expected.row(i);
        EXPECT_EQ(best[static_cast<std::size_t>(i)],
                  std::max_element(row.begin(), row.end()) - row.begin());
      }
    }
  }
};

template <class T>
std::vector<T> column_major(const Matrix& x) {
  std::vector<T> values;
  for (Index j = 0; j < x.cols(); ++j)
    for (Index i = 0; i < x.rows(); ++i) values.push_back(static_cast<T>(x(i, j)));
  return values;
}

TEST(Linear, OfAnyShapeTypeAndStride) {
  for (const Index d : {1, 3, 8, 300}) {
    for (const Index classes : {1, 2, 9, 33}) {
      SCOPED_TRACE(std::to_string(d) + " features, " + std::to_string(classes) + " classes");
      const Example e(1700, d, classes);
      e.expect(RowBlock(e.x), "doubles");
      const auto floats = column_major<float>(e.x);
      e.expect(RowBlock(MatrixView(floats.data(), e.n, d, 1, e.n)), "floats, column-major");
      const auto bytes = column_major<std::int8_t>(e.x);
      RowBlock columns(e.n);
      for (Index j = 0; j < d; ++j) columns.feature(Column(bytes.data() + j * e.n, e.n));
      e.expect(columns, "columns of bytes");
      // Rows and columns from the last to the first.
      std::vector<double> backwards(e.x.data(), e.x.data() + e.x.size());
      std::reverse(backwards.begin(), backwards.end());
      e.expect(RowBlock(MatrixView(backwards.data() + e.x.size() - 1, e.n, d, -d, -1)),
               "negative strides");
    }
  }
}

template <class I, class T>
void expect_sparse(const Example& e, const std::string& what) {
  std::vector<I> start{0}, column;
  std::vector<T> value;
  for (Index i = 0; i < e.n; ++i) {
    for (Index j = 0; j < e.d; ++j) {
      if (e.x(i, j) == 0 && j % 3 != 0) continue;  // some zeros are stored
      column.push_back(static_cast<I>(j));
      value.push_back(static_cast<T>(e.x(i, j)));
    }
    start.push_back(static_cast<I>(column.size()));
  }
  e.expect(RowBlock(SparseView(e.n, e.d, start.data(), column.data(), value.data())), what);
}

TEST(Linear, OfSparseRows) {
  for (const Index classes : {1, 2, 9, 33}) {
    SCOPED_TRACE(classes);
    const Example e(900, 40, classes);
    expect_sparse<std::int32_t, double>(e, "int32, double");
    expect_sparse<std::int64_t, float>(e, "int64, float");
    expect_sparse<std::int64_t, double>(e, "int64, double");
    expect_sparse<std::int32_t, std::uint8_t>(e, "int32, uint8");
  }
}

TEST(Linear, MissingValuesMakeNanOrAreRefused) {
  const Matrix x{{1, 1}, {nan, 1}};
  const Matrix scores = linear_scores(three, x);
  EXPECT_THAT(scores.row(0), ElementsAre(13, 19, 29));
  for (const double score : scores.row(1)) EXPECT_TRUE(std::isnan(score));
  EXPECT_THAT(best_linear(three, x), ElementsAre(2, -1));
  const auto expected = HasSubstr("row 1, feature 'x0': the value is missing");
  EXPECT_THAT(message_of<DataError>([&] { linear_scores(three, x, {.missing = refuse}); }),
              expected);
  EXPECT_THAT(message_of<DataError>([&] { best_linear(three, x, {.missing = refuse}); }), expected);
  const std::vector<std::int32_t> start{0, 1, 2}, column{1, 0};
  const std::vector<double> value{4, nan};
  const RowBlock sparse(SparseView(2, 2, start.data(), column.data(), value.data()));
  EXPECT_THAT(best_linear(three, sparse), ElementsAre(1, -1));  // 18, 20, 14
  EXPECT_THAT(message_of<DataError>([&] { best_linear(three, sparse, {.missing = refuse}); }),
              expected);
}

TEST(Linear, InfinitiesAreRefused) {
  for (const Missing missing : {Missing::allow, Missing::refuse}) {
    EXPECT_THAT(message_of<DataError>([&] {
                  linear_scores(three, Matrix{{1, 1}, {1, -inf}}, {.missing = missing});
                }),
                AllOf(HasSubstr("'x1'"), HasSubstr("-inf"), HasSubstr("row 1")));
  }
  const std::vector<std::int32_t> start{0, 1}, column{1};
  const std::vector<double> value{inf};
  EXPECT_THROW(best_linear(three, SparseView(1, 2, start.data(), column.data(), value.data())),
               DataError);
}

TEST(Linear, AClassCanBeRuledOutAndEqualsGoToTheFirst) {
  const LinearFunctions f{.w = {{0, 0}, {1, 0}, {1, 0}}, .c = {-inf, 0, 0}};
  EXPECT_THAT(best_linear(f, Matrix{{5, 1}, {-5, 1}}), ElementsAre(1, 1));
  EXPECT_EQ(linear_scores(f, Matrix{{5, 1}})(0, 0), -inf);
  const LinearFunctions none{.w = {{1, 1}}, .c = {-inf}};
  EXPECT_THAT(best_linear(none, Matrix{{5, 1}}), ElementsAre(-1));
  EXPECT_THROW(best_linear(none, Matrix{{5, inf}}), DataError);
}

TEST(Linear, OfNoRowsIsEmpty) {
  EXPECT_EQ(linear_scores(three, Matrix(0, 2)).rows(), 0);
  EXPECT_TRUE(best_linear(three, Matrix(0, 2)).empty());
}

TEST(Linear, RefusesWhatDoesNotFit) {
  const Matrix x{{1, 2, 3}};
  EXPECT_THAT(message_of([&] { linear_scores(three, x); }),
              AllOf(HasSubstr("3 features"), HasSubstr("2 weights")));
  EXPECT_THAT(message_of([&] {
                best_linear({Matrix(2, 3), Vector(1)}, x);
              }),
              HasSubstr("2 rows of weights and 1 constants"));
  EXPECT_THAT(message_of([&] {
                best_linear({Matrix(2, 0), Vector(2)}, Matrix(1, 0));
              }),
              HasSubstr("no features"));
  EXPECT_THAT(message_of([&] { best_linear({{{nan, 1, 1}}, {0}}, x); }), HasSubstr("weight"));
  EXPECT_THAT(message_of([&] { best_linear({{{1, 1, 1}}, {inf}}, x); }), HasSubstr("constant"));
  const std::vector<std::string> words{"a"};
  EXPECT_THAT(message_of<DataError>([&] {
                best_linear(three, RowBlock(1).feature(std::vector<double>{1}).feature(words));
              }),
              AllOf(HasSubstr("'x1'"), HasSubstr("strings")));
}

}  // namespace
}  // namespace suffice::linear_test
