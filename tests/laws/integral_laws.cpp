// exp(log p(x | c)) sums or integrates to 1 over everything that x can be.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"

namespace suffice::integral_laws {
namespace {

/// Σ exp(log p) · weight over rows, per class.
std::vector<double> total(const Model& model, const RowBlock& rows,
                          const std::vector<double>& weight) {
  const Matrix L = log_likelihood(model, rows).values;
  std::vector<double> sum(static_cast<std::size_t>(L.cols()));
  for (Index i = 0; i < L.rows(); ++i)
    for (Index c = 0; c < L.cols(); ++c)
      sum[static_cast<std::size_t>(c)] +=
          std::exp(L(i, c)) * weight[weight.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  return sum;
}

void expect_one(const std::vector<double>& totals, double tolerance) {
  for (std::size_t c = 0; c < totals.size(); ++c)
    EXPECT_NEAR(totals[c], 1, tolerance) << "class " << c;
}

Model model_of(Schema schema, std::vector<Density> densities) {
  return Model({.schema = std::move(schema),
                .labels = {"a", "b"},
                .weights = {},
                .densities = std::move(densities)});
}

// The trapezium rule is exact to rounding for functions that fade as fast as these.
TEST(Integral, OneGaussian) {
  const Model model = model_of(
      Schema::numbered(1), {GaussianDensity{Covariance::full, {{1.5}, {-3}}, {{{0.25}}, {{9}}}}});
  const double step = 0.02;
  Matrix x(4001, 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = -40 + step * static_cast<double>(i);
  expect_one(total(model, RowBlock(x), {step}), 1e-12);
}

TEST(Integral, TwoGaussiansOfEveryStructure) {
  const Matrix mean{{0.5, -1}, {-0.25, 1}};
  const std::vector<GaussianDensity> densities{
      {Covariance::full, mean, {{{1, 0.6}, {0.6, 0.8}}, {{0.5, -0.2}, {-0.2, 1.5}}}},
      {Covariance::tied, mean, {{{1, 0.6}, {0.6, 0.8}}}},
      {Covariance::diag, mean, {{{1, 0.5}, {0.75, 2}}}},
      {Covariance::tied_diag, mean, {{{1, 0.5}}}},
      {Covariance::spherical, mean, {{{1}, {0.5}}}},
      {Covariance::tied_spherical, mean, {{{1.25}}}}};
  const double step = 0.1;
  const Index side = 281;
  Matrix x(side * side, 2);
  for (Index i = 0; i < x.rows(); ++i) {
    x(i, 0) = -14 + step * static_cast<double>(i % side);
    x(i, 1) = -14 + step * static_cast<double>(i / side);
  }
  for (const GaussianDensity& density : densities) {
    SCOPED_TRACE(to_string(density.structure));
    const Model model = model_of(Schema::numbered(2), {density});
    expect_one(total(model, RowBlock(x), {step * step}), 1e-11);
    // With the first coordinate missing, the second alone integrates to 1.
    Matrix half(side, 2);
    for (Index i = 0; i < side; ++i) {
      half(i, 0) = NAN;
      half(i, 1) = -14 + step * static_cast<double>(i);
    }
    expect_one(total(model, RowBlock(half), {step}), 1e-11);
  }
}

// Student's t fades slowly, but with x = tan θ the integrand is smooth and vanishes at both ends,
// where the trapezium rule has next to no error.
TEST(Integral, TwoStudentsOfEveryStructure) {
  const Matrix mean{{0.5, -1}, {-0.25, 1}};
  const Matrix dof{{7.5}, {9}}, scale{{5.5 / 7.5}, {7. / 9}};
  const std::vector<GaussianDensity> densities{
      {Covariance::full, mean, {{{1, 0.6}, {0.6, 0.8}}, {{0.5, -0.2}, {-0.2, 1.5}}}, {}, {}, dof},
      {Covariance::tied, mean, {{{1, 0.6}, {0.6, 0.8}}}, {}, {}, dof, scale},
      {Covariance::diag, mean, {{{1, 0.5}, {0.75, 2}}}, {}, {}, dof, scale},
      {Covariance::diag, mean, {{{1, 0.5}, {0.75, 2}}}, {}, {}, {{7, 8}, {9, 10}}},
      {Covariance::tied_diag, mean, {{{1, 0.5}}}, {}, {}, dof, scale},
      {Covariance::spherical, mean, {{{1}, {0.5}}}, {}, {}, dof, scale},
      {Covariance::tied_spherical, mean, {{{1.25}}}, {}, {}, dof, {{1, 2}, {3, 1}}}};
  const Index count = 4000;
  const double step = std::acos(-1.0) / static_cast<double>(count);
  std::vector<double> point, weight;
  for (Index i = 1; i < count; ++i) {
    const double angle = step * (static_cast<double>(i) - 0.5 * static_cast<double>(count));
    point.push_back(std::tan(angle));
    weight.push_back(step / (std::cos(angle) * std::cos(angle)));
  }
  for (const GaussianDensity& density : densities) {
    SCOPED_TRACE(to_string(density.structure));
    const Model model = model_of(Schema::numbered(2), {density});
    // With one coordinate missing, the other alone integrates to 1 …
    for (const Index missing : {0, 1}) {
      Matrix half(std::ssize(point), 2);
      for (Index i = 0; i < half.rows(); ++i) {
        half(i, missing) = NAN;
        half(i, 1 - missing) = point[static_cast<std::size_t>(i)];
      }
      expect_one(total(model, RowBlock(half), weight), 1e-11);
      // … and is the integral over the missing one.
      for (const double known : {-3.0, 0.25, 8.0}) {
        Matrix x(half.rows(), 2), one{{NAN, NAN}};
        for (Index i = 0; i < x.rows(); ++i) {
          x(i, missing) = point[static_cast<std::size_t>(i)];
          x(i, 1 - missing) = known;
        }
        one(0, 1 - missing) = known;
        const Matrix marginal = log_likelihood(model, one).values;
        const std::vector<double> integral = total(model, RowBlock(x), weight);
        for (Index c = 0; c < 2; ++c)
          EXPECT_NEAR(integral[static_cast<std::size_t>(c)] / std::exp(marginal(0, c)), 1, 1e-9)
              << "class " << c << " at " << known;
      }
    }
  }
}

TEST(Integral, Bernoulli) {
  const Model model =
      model_of(Schema::numbered(5, Family::bernoulli),
               {BernoulliDensity{{{0.1, 0.5, 0.9, 0.3, 0}, {0.7, 1e-9, 0.2, 0.4, 1}}}});
  Matrix x(32, 5);
  for (Index i = 0; i < 32; ++i)
    for (Index j = 0; j < 5; ++j) x(i, j) = static_cast<double>((i >> j) & 1);
  expect_one(total(model, RowBlock(x), {1}), 1e-14);
}

TEST(Integral, Categorical) {
  const Model model =
      model_of(Schema({{"f", Family::categorical}, {"g", Family::categorical}}),
               {CategoricalDensity{{Names{"x", "y", "z"}, Names{"u", "v"}},
                                   {{{0.2, 0.3, 0.5}, {0, 0.9, 0.1}}, {{0.5, 0.5}, {1, 0}}}}});
  std::vector<std::string> f, g;
  for (const char* a : {"x", "y", "z"})
    for (const char* b : {"u", "v"}) {
      f.push_back(a);
      g.push_back(b);
    }
  expect_one(total(model, RowBlock(6).feature(f).feature(g), {1}), 1e-14);
}

TEST(Integral, Poisson) {
  const Model model =
      model_of(Schema::numbered(2, Family::poisson), {PoissonDensity{{{0.5, 7}, {20, 0}}}});
  const Index side = 120;
  Matrix x(side * side, 2);
  for (Index i = 0; i < x.rows(); ++i) {
    x(i, 0) = static_cast<double>(i % side);
    x(i, 1) = static_cast<double>(i / side);
  }
  expect_one(total(model, RowBlock(x), {1}), 1e-12);
}

// By the midpoint rule, up to where next to nothing remains.
TEST(Integral, Exponential) {
  const double step = 1e-3;
  Matrix x(200000, 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = step * (static_cast<double>(i) + 0.5);
  const Schema schema = Schema::numbered(1, Family::exponential);
  expect_one(total(model_of(schema, {ExponentialDensity{{{0.3}, {2}}}}), RowBlock(x), {step}),
             1e-6);
  expect_one(
      total(model_of(schema, {ExponentialDensity{{{0.3}, {2}}, {{40}, {5}}}}), RowBlock(x), {step}),
      1e-6);
}

// A language model gives the probability of a sequence: each table of counts stands for
// n! / Π n_w! sequences, and those of one length have probability 1 together.
TEST(Integral, Multinomial) {
  const Model model = model_of(Schema::numbered(3, Family::multinomial),
                               {MultinomialDensity{{{0.2, 0.3, 0.5}, {0.9, 0.1, 0}}}});
  const int length = 9;
  std::vector<double> rows, sequences;
  for (int a = 0; a <= length; ++a)
    for (int b = 0; a + b <= length; ++b) {
      const int c = length - a - b;
      rows.insert(rows.end(), {double(a), double(b), double(c)});
      sequences.push_back(
          std::round(std::tgamma(length + 1) /
                     (std::tgamma(a + 1) * std::tgamma(b + 1) * std::tgamma(c + 1))));
    }
  const RowBlock x(MatrixView(rows.data(), static_cast<Index>(sequences.size()), 3));
  expect_one(total(model, x, sequences), 1e-13);
}

TEST(Integral, Mixed) {
  const Model model = model_of(
      Schema({{"s", Family::categorical}, {"x", Family::gaussian}, {"b", Family::bernoulli}}),
      {CategoricalDensity{{Names{"f", "m"}}, {{{0.25, 0.75}, {0.5, 0.5}}}},
       GaussianDensity{Covariance::full, {{0}, {2}}, {{{1}}, {{4}}}},
       BernoulliDensity{{{0.3}, {0.6}}}});
  std::vector<std::string> s;
  std::vector<double> x, b;
  const double step = 0.05;
  for (int i = 0; i <= 1000; ++i)
    for (const char* level : {"f", "m"})
      for (const double bit : {0.0, 1.0}) {
        s.push_back(level);
        x.push_back(-24 + step * i);
        b.push_back(bit);
      }
  RowBlock rows(static_cast<Index>(s.size()));
  expect_one(total(model, rows.feature(s).feature(x).feature(b), {step}), 1e-12);
}

}  // namespace
}  // namespace suffice::integral_laws
