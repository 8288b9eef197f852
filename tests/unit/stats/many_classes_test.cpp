// Many classes or features: sums that workers share out by class instead of by rows.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "suffice/stats/statistics.hpp"

namespace suffice::many_classes_test {
namespace {

struct Table {
  Matrix x;
  std::vector<int> label;
  std::vector<double> weight;
};

Table made(Index rows, Index features, int classes, bool with_missing) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  Table table{Matrix(rows, features), {}, {}};
  for (Index i = 0; i < rows; ++i) {
    table.label.push_back(static_cast<int>(random() % static_cast<unsigned>(classes)));
    table.weight.push_back(static_cast<double>(random() % 3));
    const double start = i < 300 ? 1000 : 0;  // the first rows of a class are far from its mean
    for (Index j = 0; j < features; ++j)
      table.x(i, j) =
          1e6 + start + table.label.back() + normal(random) * (1 + static_cast<double>(j % 3));
    if (with_missing && i % 1000 == 7)
      table.x(i, i % features) = std::numeric_limits<double>::quiet_NaN();
  }
  return table;
}

/// By the textbook, in two passes.
void expect_textbook(const Table& table, const Statistics& statistics, int classes) {
  const auto& block = std::get<GaussianStatistics>(statistics.blocks()[0]);
  for (int c = 0; c < classes; c += 7) {
    const Index at = *statistics.labels().find(std::to_string(c));
    const Moments moments = block.moments(at);
    for (Index j = 0; j < table.x.cols(); j += 5) {
      long double weight = 0, sum = 0, squares = 0;
      const auto each = [&](const auto& use) {
        for (Index i = 0; i < table.x.rows(); ++i)
          if (table.label[i] == c && !std::isnan(table.x(i, j)))
            use(table.weight[i], table.x(i, j));
      };
      each([&](double w, double x) { weight += w, sum += w * static_cast<long double>(x); });
      const long double mean = sum / weight;
      each([&](double w, double x) { squares += w * (x - mean) * (x - mean); });
      EXPECT_EQ(moments.weight[j], static_cast<double>(weight));
      EXPECT_NEAR(moments.mean[j], static_cast<double>(mean), 1e-9);
      EXPECT_NEAR(moments.squares[j] / static_cast<double>(squares), 1, 1e-9);
    }
  }
}

TEST(ManyClasses, SumsAreThoseOfTheTextbookOnAnyThreadsAndLayout) {
  for (const bool with_missing : {false, true})
    for (const Scatter scatter : {Scatter::diagonal, Scatter::dense}) {
      const int classes = 100;
      const Table table = made(30000, 50, classes, with_missing);
      const Schema schema = Schema::numbered(50);
      std::optional<Statistics> first;
      for (const int threads : {1, 3}) {
        Statistics statistics(schema, {.scatter = scatter});
        statistics.update({table.x, table.label, table.weight}, {.threads = threads});
        if (!first) expect_textbook(table, statistics, classes);
        EXPECT_TRUE(!first || statistics == *first);
        first = std::move(statistics);
      }
      // The same numbers column by column.
      const Eigen::MatrixXd by_column = table.x.map();
      Statistics columns(schema, {.scatter = scatter});
      columns.update({MatrixView(by_column), table.label, table.weight}, {.threads = 2});
      EXPECT_TRUE(columns == *first);
    }
}

TEST(ManyClasses, ManyFeaturesAreSharedOutToo) {
  const Table table = made(2000, 784, 10, true);
  Statistics one(Schema::numbered(784), {.scatter = Scatter::diagonal}), three = one;
  one.update({table.x, table.label, table.weight}, {.threads = 1});
  three.update({table.x, table.label, table.weight}, {.threads = 3});
  EXPECT_TRUE(one == three);
  expect_textbook(table, one, 10);
}

}  // namespace
}  // namespace suffice::many_classes_test
