#pragma once
// Small labelled tables for the tests of leave-one-out, and how their scores are compared.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"

namespace suffice::testing::left_out {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Table {
  Schema schema;
  Matrix x;
  std::vector<std::string> labels;
  Vector weights;
  std::vector<std::string> classes = {};

  RowBlock rows() const { return RowBlock(x, labels, weights); }
  Statistics statistics() const {
    Statistics result(schema, {.labels = classes});
    result.update(rows());
    return result;
  }
  Table some(const std::function<bool(Index)>& chosen) const {
    std::vector<Index> kept;
    for (Index i = 0; i < x.rows(); ++i)
      if (chosen(i)) kept.push_back(i);
    Table part{schema, Matrix(std::ssize(kept), x.cols()), {}, Vector(std::ssize(kept)), classes};
    for (Index k = 0; k < std::ssize(kept); ++k) {
      std::ranges::copy(x.row(kept[k]), part.x.row(k).begin());
      part.labels.push_back(labels[kept[k]]);
      part.weights[k] = weights[kept[k]];
    }
    return part;
  }
};

inline void expect_close(const Matrix& found, const Matrix& expected, double digits = 1e-9) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  for (Index i = 0; i < found.rows(); ++i)
    for (Index c = 0; c < found.cols(); ++c) {
      const double e = expected(i, c);
      if (std::isinf(e))
        EXPECT_EQ(found(i, c), e) << "row " << i << ", class " << c;
      else
        EXPECT_NEAR(found(i, c), e, digits * (1 + std::abs(e))) << "row " << i << ", class " << c;
    }
}

struct Shape {
  Index classes = 3, rows = 30, features = 3;
  bool weighted = false, missing = false;
  double offset = 0;
};

inline Table gaussian_table(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const Index d = shape.features;
  Table table{Schema::numbered(d), Matrix(shape.rows, d), {}, Vector(shape.rows)};
  for (Index c = 0; c < shape.classes; ++c) table.classes.push_back(std::string(1, char('a' + c)));
  for (Index i = 0; i < shape.rows; ++i) {
    const Index c = i % shape.classes;
    table.labels.push_back(table.classes[c]);
    table.weights[i] = shape.weighted ? 0.5 + 2.5 * uniform() : 1;
    double before = 0;
    for (Index j = 0; j < d; ++j) {
      const double noise = uniform() + uniform() + uniform() - 1.5;
      before = table.x(i, j) = shape.offset + 0.8 * static_cast<double>((c + j) % shape.classes) +
                               noise * (1 + static_cast<double>(c)) +
                               0.6 * (before - shape.offset) * (j > 0);
    }
    // Every class keeps complete rows.
    if (shape.missing && i % 4 == 3) table.x(i, i / 4 % d) = nan;
    if (shape.missing && i == 7)
      for (Index j = 0; j < d; ++j) table.x(i, j) = nan;
  }
  return table;
}

inline std::string describe(const EstimateOptions& options) {
  return std::string(to_string(options.covariance)) + " " +
         std::string(to_string(options.normalize)) + " shrinkage " +
         (options.shrinkage ? to_string(*options.shrinkage) : "not given") + " target " +
         std::string(to_string(options.target.value_or(Target::diag))) + " towards " +
         std::to_string(options.towards_tied) + " " + std::string(to_string(options.inference)) +
         " tails " + to_string(options.tails.value_or(Tails::normal()));
}

}  // namespace suffice::testing::left_out
