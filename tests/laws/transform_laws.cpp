// Transformations of features: densities of x integrate to 1, and what the schema transforms is as
// if it had been transformed beforehand, except for the derivative.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "compare.hpp"
#include "suffice/suffice.hpp"

namespace suffice::transform_laws {
namespace {

using testing::close;

constexpr double pi = 3.14159265358979323846;

Feature feature(std::string name, Transform transform) {
  return {.name = std::move(name), .transform = transform};
}

Model one_feature(Transform transform, double mean, double variance) {
  return Model({.schema = Schema({feature("x", transform)}),
                .labels = {"a"},
                .weights = {},
                .densities = {GaussianDensity{Covariance::full, {{mean}}, {{{variance}}}}}});
}

/// ∫ exp(log p(x)) dx from low to high by the tanh-sinh rule, which is not afraid of end points.
double integral(const Model& model, double low, double high) {
  const double step = 1.0 / 64;
  const Index half = 64 * 4;
  Matrix x(2 * half + 1, 1);
  std::vector<double> weight;
  for (Index i = -half; i <= half; ++i) {
    const double u = step * static_cast<double>(i);
    const double s = pi / 2 * std::sinh(u);
    // x = low + (high − low) / (1 + e^−2s), without losing what is next to low
    x(i + half, 0) = low + (high - low) / (1 + std::exp(-2 * s));
    weight.push_back(step * (high - low) / 2 * (pi / 2) * std::cosh(u) /
                     (std::cosh(s) * std::cosh(s)));
    const bool at_end = x(i + half, 0) <= low || x(i + half, 0) >= high;
    if (at_end) {  // rounded to the end, where nothing is left of the weight
      x(i + half, 0) = (low + high) / 2;
      weight.back() = 0;
    }
  }
  const Matrix scores = log_likelihood(model, RowBlock(x)).values;
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i)
    sum += std::exp(scores(i, 0)) * weight[static_cast<std::size_t>(i)];
  return sum;
}

// √x is not negative: what the normal density has below 0 is not there.
TEST(TransformLaws, TheDensityOfARootLacksItsNegativePart) {
  for (const auto& [mean, variance] : {std::pair{0.8, 0.4}, {2.0, 0.1}, {0.1, 1.0}})
    EXPECT_NEAR(integral(one_feature(Transform::sqrt, mean, variance), 0, 60),
                0.5 * std::erfc(-mean / std::sqrt(2 * variance)), 1e-9);
}

TEST(TransformLaws, DensitiesIntegrateToOne) {
  EXPECT_NEAR(integral(one_feature(Transform::log, 0.4, 0.3), 0, 200), 1, 1e-9);
  EXPECT_NEAR(integral(one_feature(Transform::log1p, 0.4, 0.3), -1, 200), 1, 1e-9);
  EXPECT_NEAR(integral(one_feature(Transform::logit, -0.5, 1.2), 0, 1), 1, 1e-9);
  EXPECT_NEAR(integral(one_feature(Transform::sqrt, 6, 0.5), 0, 200), 1, 1e-9);
  // In two pieces: the derivative has a corner at 0.
  for (const double scale : {0.02, 1.0, 30.0}) {
    const Model model = one_feature(Transform::signed_log(scale), 0.4, 0.3);
    const double far = scale * 200;
    EXPECT_NEAR(integral(model, -far, 0) + integral(model, 0, far), 1, 1e-9) << scale;
  }
  // A root is not negative: what a normal density has below 0 is not there. Φ(1) = 0.8413…
  EXPECT_NEAR(integral(one_feature(Transform::sqrt, 1, 1), 0, 100), 0.8413447460685429, 1e-9);
}

struct Columns {
  Schema schema, plain;
  Matrix x, t;
  std::vector<std::string> labels;
  std::vector<double> derivative;  ///< Σ log |dt/dx| of each row
};

/// One column for each transformation, and one without.
Columns columns(Index n, bool with_missing) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Columns result{Schema({feature("a", Transform::log), feature("b", Transform::log1p),
                         feature("c", Transform::none), feature("d", Transform::sqrt),
                         feature("e", Transform::logit), feature("f", Transform::signed_log(0.3))}),
                 Schema::numbered(6),
                 Matrix(n, 6),
                 Matrix(n, 6),
                 {},
                 {}};
  for (Index i = 0; i < n; ++i) {
    const double label = static_cast<double>(i % 3), shared = normal(random);
    result.labels.push_back("class " + std::to_string(i % 3));
    const auto draw = [&] { return label + shared + normal(random); };
    auto x = result.x.row(i);
    x[0] = std::exp(draw());
    x[1] = std::exp(draw()) - 1;
    x[2] = draw();
    x[3] = (draw() + 9) * (draw() + 9);
    x[4] = 1 / (1 + std::exp(-draw()));
    x[5] = std::sinh(draw());
    if (with_missing && i % 7 == 0) x[static_cast<std::size_t>(i % 6)] = NAN;
    auto t = result.t.row(i);
    t[0] = std::log(x[0]);
    t[1] = std::log1p(x[1]);
    t[2] = x[2];
    t[3] = std::sqrt(x[3]);
    t[4] = std::log(x[4]) - std::log1p(-x[4]);
    t[5] = std::copysign(std::log1p(std::abs(x[5]) / 0.3), x[5]);
    double sum = 0;
    for (const double term : {-std::log(x[0]), -std::log1p(x[1]), -std::log(2 * std::sqrt(x[3])),
                              -std::log(x[4]) - std::log1p(-x[4]), -std::log(0.3 + std::abs(x[5]))})
      if (!std::isnan(term)) sum += term;
    result.derivative.push_back(sum);
  }
  return result;
}

TEST(TransformLaws, StatisticsAreThoseOfColumnsTransformedBeforehand) {
  for (const bool with_missing : {false, true})
    for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
      const Columns c = columns(400, with_missing);
      Statistics inside(c.schema, {.scatter = scatter}), beforehand(c.plain, {.scatter = scatter});
      inside.update(RowBlock(c.x, c.labels));
      beforehand.update(RowBlock(c.t, c.labels));
      EXPECT_EQ(inside.blocks(), beforehand.blocks());
    }
}

TEST(TransformLaws, ScoresAreThoseOfColumnsTransformedBeforehandPlusTheDerivative) {
  for (const bool with_missing : {false, true})
    for (const Covariance structure :
         {Covariance::full, Covariance::tied, Covariance::diag, Covariance::tied_spherical}) {
      const Columns c = columns(400, with_missing);
      const RowBlock x(c.x, c.labels), t(c.t, c.labels);
      const Model inside = estimate(Statistics(c.schema).update(x),
                                    {.covariance = structure, .shrinkage = Shrinkage::none()});
      const Model beforehand = estimate(Statistics(c.plain).update(t),
                                        {.covariance = structure, .shrinkage = Shrinkage::none()});
      Matrix expected = log_likelihood(beforehand, t).values;
      for (Index i = 0; i < expected.rows(); ++i)
        for (double& score : expected.row(i)) score += c.derivative[static_cast<std::size_t>(i)];
      EXPECT_TRUE(close(log_likelihood(inside, x).values, expected, 1e-12));
      // Terms that all classes share are left out of relative scores.
      EXPECT_EQ(log_likelihood(inside, x, {.relative = true}).values,
                log_likelihood(beforehand, t, {.relative = true}).values);
      const std::vector<double> mixture{0.2, 0.3, 0.5};
      const Vector a = outlier_score(inside, x, log_likelihood(inside, x), mixture);
      const Vector b = outlier_score(beforehand, t, log_likelihood(beforehand, t), mixture);
      // One sample of 20000 may change sides by rounding.
      for (Index i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1.01 / 20001) << i;
    }
}

TEST(TransformLaws, LayoutsAndScalarsAgree) {
  const Columns c = columns(100, false);
  Matrix x = c.x;
  for (Index i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<double>(static_cast<float>(x.data()[i]));
  std::vector<float> floats(x.data(), x.data() + x.size());
  RowBlock by_column(100);
  for (Index j = 0; j < 6; ++j) by_column.feature(Column(x.data() + j, 100, 6));
  by_column.labels(c.labels);
  Statistics rows(c.schema), single(c.schema), columns(c.schema);
  rows.update(RowBlock(x, c.labels));
  single.update(RowBlock(MatrixView(floats.data(), 100, 6), c.labels));
  columns.update(by_column);
  EXPECT_EQ(rows, single);
  EXPECT_EQ(rows, columns);
}

}  // namespace
}  // namespace suffice::transform_laws
