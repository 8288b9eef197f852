// Models of Student's t: scores, marginals, samples, tails, files. Densities are compared with
// those by elimination in long double; degrees of freedom and scales are made up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/inspect/discriminant.hpp"
#include "suffice/inspect/separation.hpp"
#include "suffice/io/file.hpp"
#include "suffice/sample/sample.hpp"
#include "suffice/score/outlier.hpp"
#include "support/message_of.hpp"
#include "unit/slow_student.hpp"

namespace suffice::student_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::Real;
using testing::Reals;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Covariance structures[]{Covariance::full,      Covariance::tied,
                                  Covariance::diag,      Covariance::tied_diag,
                                  Covariance::spherical, Covariance::tied_spherical};

/// Two classes, three features that vary and a constant one between them.
GaussianDensity student(Covariance structure) {
  GaussianDensity density;
  density.structure = structure;
  density.mean = {{1, 7, -2, 0.5}, {0, 7, 3, 2}};
  density.constant = {1};
  const Matrix a{{2, 0, 0.5, -0.3}, {0, 0, 0, 0}, {0.5, 0, 1, 0.2}, {-0.3, 0, 0.2, 4}};
  const Matrix b{{1, 0, -0.5, 0.1}, {0, 0, 0, 0}, {-0.5, 0, 3, 0}, {0.1, 0, 0, 0.5}};
  switch (structure) {
    case Covariance::full:
      density.covariance = {a, b};
      break;
    case Covariance::tied:
      density.covariance = {a};
      break;
    case Covariance::diag:
      density.covariance = {{{2, 0, 1, 4}, {1, 0, 3, 0.5}}};
      break;
    case Covariance::tied_diag:
      density.covariance = {{{2, 0, 1, 4}}};
      break;
    case Covariance::spherical:
      density.covariance = {{{2}, {0.5}}};
      break;
    case Covariance::tied_spherical:
      density.covariance = {{{2}}};
  }
  const bool dense = structure == Covariance::full || structure == Covariance::tied;
  const bool diagonal = structure == Covariance::diag || structure == Covariance::tied_diag;
  if (diagonal)
    density.dof = {{5, 1, 5, 7.5}, {30, 1, 3, 3}};
  else
    density.dof = {{5}, {3.5}};
  if (dense)
    density.scale = {{1.25}, {1.5}};
  else
    density.scale = {{1.25, 1, 1.25, 1.5}, {1.1, 1, 2, 1}};
  return density;
}

Model model_of(const GaussianDensity& density) {
  return Model({.schema = Schema::numbered(density.mean.cols()),
                .labels = Names({"a", "b"}),
                .weights = {},
                .densities = {density}});
}

/// The scale matrix of a class, whatever the structure.
double scale_entry(const GaussianDensity& density, Index c, Index i, Index j) {
  const Index row = is_tied(density.structure) ? 0 : c;
  if (density.scale.cols() == 1)
    return density.covariance[static_cast<std::size_t>(row)](i, j) * density.scale(c, 0);
  if (i != j) return 0;
  const Matrix& variances = density.covariance[0];
  return variances(row, variances.cols() == 1 ? 0 : i) * density.scale(c, i);
}

/// Of the features that a row has.
Real expected_score(const GaussianDensity& density, Index c, const std::vector<double>& x) {
  std::vector<Index> present;
  for (const Index j : {0, 2, 3})
    if (!std::isnan(x[static_cast<std::size_t>(j)])) present.push_back(j);
  const auto joint = [&](const std::vector<Index>& features, Real dof) {
    Reals delta;
    std::vector<Reals> scale;
    for (const Index i : features) {
      delta.push_back(Real(x[static_cast<std::size_t>(i)]) - density.mean(c, i));
      scale.emplace_back();
      for (const Index j : features) scale.back().push_back(scale_entry(density, c, i, j));
    }
    return testing::log_student(delta, scale, dof);
  };
  if (present.empty()) return 0;
  if (density.dof.cols() == 1) return joint(present, density.dof(c, 0));
  Real sum = 0;
  for (const Index j : present) sum += joint({j}, density.dof(c, j));
  return sum;
}

TEST(Student, IsScoredWithAndWithoutMissingValues) {
  const std::vector<std::vector<double>> rows{{1, 7, -2, 0.5},    {0.3, 7, 2, 1},
                                              {-40, 0, 1e3, 1e8}, {nan, 7, 1, 2},
                                              {2, nan, nan, 4},   {nan, 7, nan, nan}};
  for (const Covariance structure : structures) {
    const GaussianDensity density = student(structure);
    const Model model = model_of(density);
    Matrix x(std::ssize(rows), 4);
    for (Index i = 0; i < x.rows(); ++i)
      std::ranges::copy(rows[static_cast<std::size_t>(i)], x.row(i).begin());
    const Matrix got = log_likelihood(model, x).values;
    const Matrix relative = log_likelihood(model, x, {.relative = true}).values;
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index c = 0; c < 2; ++c) {
        const auto expected =
            static_cast<double>(expected_score(density, c, rows[static_cast<std::size_t>(i)]));
        EXPECT_NEAR(got(i, c), expected, 1e-12 * (1 + std::abs(expected)))
            << to_string(structure) << ", row " << i << ", class " << c;
      }
      EXPECT_NEAR(relative(i, 0) - relative(i, 1), got(i, 0) - got(i, 1), 1e-9);
    }
  }
}

TEST(Student, OfManyDegreesOfFreedomIsNormal) {
  for (const Covariance structure : structures) {
    GaussianDensity density = student(structure);
    density.scale = {};
    GaussianDensity normal = density;
    normal.dof = {};
    std::fill_n(density.dof.data(), density.dof.size(), 1e12);
    const Matrix x{{0, 7, 1, 3}, {nan, 7, 2, 2}};
    const Matrix got = log_likelihood(model_of(density), x).values;
    const Matrix expected = log_likelihood(model_of(normal), x).values;
    for (Index k = 0; k < got.size(); ++k)
      EXPECT_NEAR(got.data()[k], expected.data()[k], 1e-9) << to_string(structure);
  }
}

TEST(Student, ManyFeaturesFarAwayDoNotOverflow) {
  const Index d = 400;
  GaussianDensity density;
  density.structure = Covariance::diag;
  density.mean = Matrix(1, d);
  density.covariance = {Matrix(1, d)};
  density.dof = Matrix(1, d);
  Matrix x(1, d);
  Real expected = 0;
  for (Index j = 0; j < d; ++j) {
    density.covariance[0](0, j) = 1;
    density.dof(0, j) = j < 200 ? 4 : 9;
    x(0, j) = j % 7 == 0 ? 1e100 : 1e4;
    expected += testing::log_student({x(0, j)}, {{1}}, density.dof(0, j));
  }
  const Model model({.schema = Schema::numbered(d),
                     .labels = Names({"a"}),
                     .weights = {},
                     .densities = {density}});
  EXPECT_NEAR(log_likelihood(model, x).values(0, 0), static_cast<double>(expected),
              1e-12 * std::abs(static_cast<double>(expected)));
}

/// The largest distance between two distribution functions.
double kolmogorov(Vector values, const Vector& of_model) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (Index i = 0; i < values.size(); ++i)
    distance = std::max(distance, std::abs(of_model[i] - (static_cast<double>(i) + 0.5) / n));
  return distance;
}

TEST(Student, SamplesHaveUniformTails) {
  // The tail of one joint t is exact (that of a diagonal one is sampled), so that of the model's
  // own rows is uniform.
  for (const Covariance structure : structures) {
    const Model model = model_of(student(structure));
    const Index n = 20000;
    for (const std::string label : {"a", "b"}) {
      const Sample rows = sample(model, n, label, {.seed = 5});
      const Vector mixture = label == "a" ? Vector{1, 0} : Vector{0, 1};
      Vector score = outlier_score(model, rows.rows(), log_likelihood(model, rows.rows()), mixture);
      std::ranges::sort(score);
      EXPECT_LT(kolmogorov(score, score), 1.95 * std::sqrt(2.0 / static_cast<double>(n)))
          << to_string(structure) << " " << label;
    }
  }
}

TEST(Student, SamplesHaveItsMarginals) {
  // P(|t_5| > 2.5706) = 0.05 and P(|t_3| > 3.1824) = 0.05, from the tables.
  for (const Covariance structure : {Covariance::full, Covariance::diag, Covariance::spherical}) {
    GaussianDensity density = student(structure);
    const Index n = 40000;
    const Sample rows = sample(model_of(density), n, "a", {.seed = 9});
    Index beyond = 0;
    for (Index i = 0; i < n; ++i)
      beyond += std::abs(rows.values(i, 0) - 1) > 2.5706 * std::sqrt(2 * 1.25) ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(beyond) / static_cast<double>(n), 0.05, 0.004)
        << to_string(structure);
    EXPECT_EQ(rows.values(3, 1), 7);
  }
}

TEST(Student, SamplesAreTheSameOnAnyNumberOfThreads) {
  const Model model = model_of(student(Covariance::full));
  const Vector mixture{0.4, 0.6};
  const Sample one = sample(model, 3000, mixture, {}, {.threads = 1});
  const Sample four = sample(model, 3000, mixture, {}, {.threads = 4});
  EXPECT_EQ(one.values, four.values);
  EXPECT_EQ(sample(model, 100, mixture, {.first_row = 1000}).values.row(7)[0], one.values(1007, 0));
}

TEST(Student, TailIsThatOfF) {
  // One feature: P(|t_5| ≥ 2.5706) = 0.05. Two: P(F(2, ν) ≥ q/2) = (1 + q/ν)^(−ν/2).
  GaussianDensity density;
  density.mean = {{0}};
  density.covariance = {{{4}}};
  density.dof = {{5}};
  const auto score = [](const GaussianDensity& of, const Matrix& x) {
    const Model model({.schema = Schema::numbered(of.mean.cols()),
                       .labels = Names({"a"}),
                       .weights = {},
                       .densities = {of}});
    return outlier_score(model, x, log_likelihood(model, x), Vector{1})[0];
  };
  EXPECT_NEAR(score(density, {{2 * 2.570581835636314}}), 0.05, 1e-9);
  density.mean = {{0, 0}};
  density.covariance = {{{1, 0}, {0, 1}}};
  EXPECT_NEAR(score(density, {{3, 4}}), std::pow(1 + 25 / 5., -2.5), 1e-12);
  EXPECT_NEAR(score(density, {{3e8, 4e8}}), std::pow(25e16 / 5., -2.5),
              1e-9 * std::pow(5e16, -2.5));
  EXPECT_EQ(score(density, {{0, 0}}), 1);
}

TEST(Student, IsSavedAndLoaded) {
  for (const Covariance structure : structures) {
    const Model model = model_of(student(structure));
    EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
  }
}

TEST(Student, HasNoDiscriminant) {
  const Model model = model_of(student(Covariance::tied));
  EXPECT_THAT(message_of([&] { discriminant(model, "a"); }), HasSubstr("estimate 'plugin'"));
  EXPECT_THAT(message_of([&] { discriminant(model, "a", "b"); }), HasSubstr("no discriminant"));
}

TEST(Student, IsSeparatedByItsVariance) {
  // Variances 2 · 1.25 · 5/3 and 1 · 1.5 · 3.5/1.5 of the feature x0, whose means differ by 1.
  const double va = 2.5 * 5 / 3, vb = 3.5;
  EXPECT_NEAR(separation(model_of(student(Covariance::full)))[0],
              (va / vb + vb / va - 2 + 1 / va + 1 / vb) / 2, 1e-12);
}

TEST(Student, IsChecked) {
  const auto says = [](auto&& change) {
    GaussianDensity density = student(Covariance::tied);
    change(density);
    return message_of([&] { model_of(density); });
  };
  EXPECT_THAT(says([](auto& d) { d.dof = {{5}}; }), HasSubstr("degrees of freedom must be 2 × 1"));
  EXPECT_THAT(says([](auto& d) { d.dof = {{5}, {0}}; }), HasSubstr("of class 'b' is 0"));
  EXPECT_THAT(says([](auto& d) { d.scale = {{1, 1}, {1, 1}}; }), HasSubstr("the scales must be"));
  EXPECT_THAT(says([](auto& d) { d.scale = {{1}, {-1}}; }), HasSubstr("must be positive"));
  EXPECT_THAT(says([](auto& d) { d.dof = {}; }), HasSubstr("scales are for Student's t"));
}

}  // namespace
}  // namespace suffice::student_test
