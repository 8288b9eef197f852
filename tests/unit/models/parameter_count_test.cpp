#include "suffice/models/parameter_count.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "suffice/estimate/estimate.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice::parameter_count_test {
namespace {

Names letters(Index count) {
  std::vector<std::string> labels;
  for (Index c = 0; c < count; ++c) labels.emplace_back(1, static_cast<char>('a' + c));
  return Names(labels);
}

/// Rows of numbers that vary in every direction.
Statistics numbers(Index d, Index classes) {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  Matrix x(30 * classes, d);
  std::vector<std::string> labels;
  for (Index i = 0; i < x.rows(); ++i) {
    labels.push_back(letters(classes)[i % classes]);
    for (double& value : x.row(i)) value = normal(generator);
  }
  return Statistics(Schema::numbered(d)).update(RowBlock(MatrixView(x), Column(labels)));
}

// Worked by hand for four features and three classes, such as iris: 3 (4 + 10), 3·4 + 10, 3·8,
// 3·4 + 4, 3·5 and 3·4 + 1.
TEST(ParameterCount, OfTheSixStructures) {
  const Statistics statistics = numbers(4, 3);
  const std::vector<std::tuple<Covariance, double, double>> expected = {
      {Covariance::full, 14, 0},     {Covariance::tied, 4, 10},
      {Covariance::diag, 8, 0},      {Covariance::tied_diag, 4, 4},
      {Covariance::spherical, 5, 0}, {Covariance::tied_spherical, 4, 1}};
  for (const auto& [structure, of_class, shared] : expected) {
    SCOPED_TRACE(to_string(structure));
    const ParameterCount count = parameter_count(estimate(statistics, {.covariance = structure}));
    EXPECT_EQ(count.of_class, (Vector{of_class, of_class, of_class}));
    EXPECT_EQ(count.shared, shared);
    EXPECT_EQ(count.total(), 3 * of_class + shared);
  }
}

TEST(ParameterCount, OfDiscreteFamilies) {
  // Two classes; five binary features; features of 3 and 4 levels; a language of six words.
  const auto model = [](Schema schema, Density density) {
    return Model({.schema = std::move(schema),
                  .labels = letters(2),
                  .weights = {},
                  .densities = {std::move(density)}});
  };
  const Matrix half(2, 5);
  EXPECT_EQ(parameter_count(model(Schema::numbered(5, Family::bernoulli), BernoulliDensity{half}))
                .total(),
            2 * 5);
  const double t = 1.0 / 3;
  const CategoricalDensity names{
      {letters(3), letters(4)},
      {{{t, t, t}, {0, 0, 1}}, {{0.25, 0.25, 0.25, 0.25}, {0.5, 0.5, 0, 0}}}};
  EXPECT_EQ(parameter_count(model(Schema::numbered(2, Family::categorical), names)).total(),
            2 * (2 + 3));
  const double s = 1.0 / 6;
  EXPECT_EQ(parameter_count(model(Schema::numbered(6, Family::multinomial),
                                  MultinomialDensity{{{s, s, s, s, s, s}, {1, 0, 0, 0, 0, 0}}}))
                .total(),
            2 * 5);
}

TEST(ParameterCount, LeavesOutWhatIsNotThere) {
  // A constant feature, and a class without rows.
  GaussianDensity density{Covariance::full,
                          {{0, 1, 7}, {2, 3, 7}, {0, 0, 0}},
                          {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}},
                           {{2, 0, 0}, {0, 1, 0}, {0, 0, 0}},
                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
                          {2}};
  const Model model({.schema = Schema::numbered(3),
                     .labels = letters(3),
                     .weights = {4, 5, 0},
                     .densities = {density}});
  EXPECT_EQ(parameter_count(model).of_class, (Vector{2 + 3, 2 + 3, 0}));
}

TEST(ParameterCount, OfAMixtureHasItsShares) {
  const Statistics statistics = numbers(2, 2);
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  Matrix x(60, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < 60; ++i) {
    labels.push_back(i % 2 ? "b" : "a");
    for (double& value : x.row(i)) value = normal(generator);
  }
  const RowBlock rows{MatrixView(x), Column(labels)};
  const MixtureFit fit =
      fit_mixture(statistics, [&](const auto& use) { use(rows); },
                  {.estimate = {.covariance = Covariance::diag, .components = 3}});
  EXPECT_EQ(parameter_count(fit.model).of_class, (Vector{3 * 4 + 2, 3 * 4 + 2}));
}

}  // namespace
}  // namespace suffice::parameter_count_test
