// Projected models: what they say of a row is what the same densities say of the row's projections,
// whatever the rows look like in memory, and on any number of threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compare.hpp"
#include "generate.hpp"
#include "support/message_of.hpp"

namespace suffice::projection_laws {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<Covariance> structures{Covariance::full,      Covariance::tied,
                                         Covariance::diag,      Covariance::tied_diag,
                                         Covariance::spherical, Covariance::tied_spherical};

struct Projections {
  const char* name;
  std::optional<Pca> pca;
  std::optional<Index> lda;
};
const std::vector<Projections> projections{{"pca", Pca{.components = 4}, {}},
                                           {"share", Pca{.share = 0.9}, {}},
                                           {"lda", {}, 2},
                                           {"pca then lda", Pca{.components = 5}, 2}};

Table gaussian_table(Size size, std::uint64_t seed = 11) {
  return generate({.name = "", .families = {Family::gaussian}}, size, seed);
}

Model estimate_from(const Table& table, const Projections& how, Covariance structure) {
  return estimate(
      statistics_of(table, {}),
      {.covariance = structure, .pca = how.pca, .lda = how.lda, .shrinkage = Shrinkage::none()});
}

const GaussianDensity& density_of(const Model& model) {
  return std::get<GaussianDensity>(model.densities()[0]);
}

/// z = (x − offset) · matrix, number by number, with sums that carry their rounding.
Matrix by_hand(const Matrix& x, const LinearMap& map) {
  Matrix z(x.rows(), map.matrix.cols());
  for (Index i = 0; i < z.rows(); ++i)
    for (Index k = 0; k < z.cols(); ++k) {
      long double sum = 0;
      for (Index j = 0; j < x.cols(); ++j)
        sum += (static_cast<long double>(x(i, j)) - map.offset[j]) * map.matrix(j, k);
      z(i, k) = static_cast<double>(sum);
    }
  return z;
}

/// The same densities over the projections themselves.
Model of_projections(const Model& model) {
  GaussianDensity density = density_of(model);
  density.projection = {};
  return Model({.schema = Schema::numbered(density.mean.cols()),
                .labels = model.labels(),
                .weights = model.weights(),
                .densities = {density}});
}

TEST(ProjectionLaws, ScoresAreThoseOfTheProjections) {
  const Table table = gaussian_table({.rows = 700, .features = 7, .classes = 4});
  for (const Projections& how : projections)
    for (const Covariance structure : structures)
      for (const bool relative : {false, true}) {
        SCOPED_TRACE(std::string(how.name) + " " + std::string(to_string(structure)));
        const Model model = estimate_from(table, how, structure);
        const Matrix z = by_hand(table.parts().values, density_of(model).projection);
        EXPECT_TRUE(
            close(log_likelihood(model, table.block(), {.relative = relative}).values,
                  log_likelihood(of_projections(model), RowBlock(z), {.relative = relative}).values,
                  1e-12, 100));
        EXPECT_EQ(best_class(model, table.block()), best_class(of_projections(model), RowBlock(z)));
      }
}

TEST(ProjectionLaws, ModelsAreThoseOfTheProjections) {
  const Table table = gaussian_table({.rows = 300, .features = 6, .classes = 3});
  for (const Projections& how : projections)
    for (const Covariance structure : structures) {
      const Model model = estimate_from(table, how, structure);
      const Matrix z = by_hand(table.parts().values, density_of(model).projection);
      Statistics statistics(Schema::numbered(z.cols()));
      statistics.update(RowBlock(z, table.parts().labels));
      const Model direct =
          estimate(statistics, {.covariance = structure, .shrinkage = Shrinkage::none()});
      EXPECT_TRUE(close(density_of(model).mean, density_of(direct).mean, 1e-11));
      for (std::size_t c = 0; c < density_of(model).covariance.size(); ++c)
        EXPECT_TRUE(close(density_of(model).covariance[c], density_of(direct).covariance[c], 1e-11,
                          density_of(direct).covariance[c](0, 0)));
      EXPECT_EQ(model.schema(), table.schema());
      EXPECT_EQ(model, model_from_bytes(to_bytes(model)));
    }
}

// More rows than go into one product, and more features than rows of one.
// All Σ⁻¹ (m_a − m_b) lie in the span of the K − 1 discriminant directions, which have the
// covariance I: with maximum likelihood they keep all that tied covariances look at.
TEST(ProjectionLaws, TiedOnDiscriminantDirectionsIsTiedOnAllColumns) {
  double largest = 0;
  for (const std::uint64_t seed : {11, 12, 13})
    for (const Index classes : {2, 3, 5}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(classes) + " classes");
      const Table table = gaussian_table({.rows = 400, .features = 7, .classes = classes}, seed);
      const auto posteriors_of = [&](const EstimateOptions& options) {
        const Model model = estimate(statistics_of(table, {}), options);
        return posteriors(log_likelihood(model, table.block()), Priors::from_counts(model));
      };
      const auto difference = [](const Matrix& a, const Matrix& b) {
        return (a.map() - b.map()).cwiseAbs().maxCoeff();
      };
      const Matrix whole =
          posteriors_of({.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
      for (const Covariance structure : {Covariance::tied, Covariance::tied_diag})
        EXPECT_LT(difference(whole, posteriors_of({.covariance = structure,
                                                   .lda = classes - 1,
                                                   .shrinkage = Shrinkage::none()})),
                  1e-11);
      // Shrunk towards another diagonal they are not the same.
      largest = std::max(
          largest, difference(posteriors_of({.covariance = Covariance::tied}),
                              posteriors_of({.covariance = Covariance::tied, .lda = classes - 1})));
    }
  EXPECT_GT(largest, 1e-4);
}

TEST(ProjectionLaws, WideTables) {
  const Table table = gaussian_table({.rows = 1200, .features = 300, .classes = 3});
  const Model model = estimate_from(table, {"", Pca{.components = 40}, {}}, Covariance::full);
  const Matrix z = by_hand(table.parts().values, density_of(model).projection);
  EXPECT_TRUE(close(log_likelihood(model, table.block()).values,
                    log_likelihood(of_projections(model), RowBlock(z)).values, 1e-11, 100));
}

TEST(ProjectionLaws, ThreadsChangeNoBit) {
  const Table table = gaussian_table({.rows = 5000, .features = 40, .classes = 5});
  const Statistics statistics = statistics_of(table, {});
  for (const Covariance structure : {Covariance::full, Covariance::tied, Covariance::diag}) {
    const EstimateOptions options{.covariance = structure, .pca = Pca{.components = 20}, .lda = 4};
    const Model model = estimate(statistics, options, {.threads = 1});
    const Matrix scores = log_likelihood(model, table.block(), {}, {.threads = 1}).values;
    for (const int threads : {2, 3, 8}) {
      EXPECT_EQ(estimate(statistics, options, {.threads = threads}), model);
      EXPECT_EQ(log_likelihood(model, table.block(), {}, {.threads = threads}).values, scores);
    }
  }
}

template <class T>
void expect_same_scores(const Model& model, const Matrix& x, const Matrix& expected) {
  const std::vector<T> rows(x.data(), x.data() + x.size());
  std::vector<T> columns(rows.size());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      columns[static_cast<std::size_t>(j * x.rows() + i)] =
          rows[static_cast<std::size_t>(i * x.cols() + j)];
  const Index n = x.rows(), d = x.cols();
  EXPECT_EQ(log_likelihood(model, MatrixView(rows.data(), n, d)).values, expected);
  EXPECT_EQ(log_likelihood(model, MatrixView(columns.data(), n, d, 1, n)).values, expected);
  RowBlock apart(n);
  for (Index j = 0; j < d; ++j) apart.feature(Column(columns.data() + j * n, n));
  EXPECT_EQ(log_likelihood(model, apart).values, expected);
}

// Whole numbers from 0 to 100, which all types hold.
TEST(ProjectionLaws, AllScalarsAndLayoutsSayTheSame) {
  std::mt19937 random(3);
  Matrix x(300, 6);
  std::vector<std::string> labels;
  for (Index i = 0; i < x.rows(); ++i) {
    labels.push_back(i % 2 ? "odd" : "even");
    for (Index j = 0; j < x.cols(); ++j)
      x(i, j) = random() % 4 ? static_cast<double>(random() % 90 + 10 * (i % 2)) : 0;
  }
  Statistics statistics(Schema::numbered(6));
  statistics.update(RowBlock(x, labels));
  const Model model = estimate(statistics, {.pca = Pca{.components = 3}});
  const Matrix expected = log_likelihood(model, x).values;
  expect_same_scores<double>(model, x, expected);
  expect_same_scores<float>(model, x, expected);
  expect_same_scores<std::int8_t>(model, x, expected);
  expect_same_scores<std::uint8_t>(model, x, expected);
  expect_same_scores<std::int16_t>(model, x, expected);
  expect_same_scores<std::int32_t>(model, x, expected);
  expect_same_scores<std::int64_t>(model, x, expected);
  const Table sparse(
      {.schema = Schema::numbered(6), .values = x, .labels = labels, .sparse = true});
  EXPECT_EQ(log_likelihood(model, sparse.block()).values, expected);
  Matrix wider(300, 9);  // every row is followed by numbers that do not count
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 9; ++j) wider(i, j) = j < 6 ? x(i, j) : NAN;
  EXPECT_EQ(log_likelihood(model, MatrixView(wider.data(), 300, 6, 9)).values, expected);
}

// A shift that doubles can hold exactly changes nothing.
TEST(ProjectionLaws, OffsetsCostNoDigits) {
  Table table = gaussian_table({.rows = 200, .features = 5, .classes = 3});
  Matrix near = table.parts().values, far = near;
  for (Index i = 0; i < near.size(); ++i) {
    near.data()[i] = std::round(near.data()[i] * 1024) / 1024;
    far.data()[i] = near.data()[i] + 0x1p30;
  }
  const Projections how{"", Pca{.components = 3}, {}};
  const Table a = table.with_values(near), b = table.with_values(far);
  const Model model = estimate_from(a, how, Covariance::full);
  const Model shifted = estimate_from(b, how, Covariance::full);
  EXPECT_TRUE(close(log_likelihood(model, a.block()).values,
                    log_likelihood(shifted, b.block()).values, 1e-9, 10));
}

TEST(ProjectionLaws, ARowThatLacksAFeatureLacksAllProjections) {
  const FamilyCase mixed{
      .name = "",
      .families = {Family::gaussian, Family::gaussian, Family::categorical, Family::gaussian}};
  const Table table = generate(mixed, {.rows = 200, .features = 8, .classes = 3}, 5);
  Matrix values = table.parts().values;
  std::vector<Index> lacking{0, 31, 32, 150};
  for (const Index i : lacking) values(i, (i * 3) % 2) = missing;
  const Table holes = table.with_values(values);
  for (const Covariance structure : structures) {
    const bool student = structure == Covariance::tied || structure == Covariance::diag;
    const Model model = estimate(statistics_of(table, {}),
                                 {.covariance = structure,
                                  .pca = Pca{.components = 3},
                                  .shrinkage = Shrinkage::none(),
                                  .inference = student ? Inference::bayes : Inference::plugin});
    const LogLikelihoods complete = log_likelihood(model, table.block());
    EXPECT_EQ(complete.unprojected_rows, 0);
    const Matrix& all = complete.values;
    const Matrix scores = log_likelihood(model, holes.block()).values;
    for (const int threads : {1, 4})
      EXPECT_EQ(log_likelihood(model, holes.block(), {}, {.threads = threads}).unprojected_rows,
                std::ssize(lacking));
    // The categorical block alone.
    const Model rest({.schema = Schema({{"f2", Family::categorical}, {"f6", Family::categorical}}),
                      .labels = model.labels(),
                      .weights = model.weights(),
                      .densities = {model.densities()[1]}});
    RowBlock levels(table.rows());
    std::vector<std::vector<std::string>> names(2);
    for (Index i = 0; i < table.rows(); ++i)
      for (const Index j : {2, 6}) names[j == 6].push_back(table.level(i, j));
    for (const auto& column : names) levels.feature(column);
    const Matrix alone = log_likelihood(rest, levels).values;
    for (Index i = 0; i < table.rows(); ++i) {
      const bool lacks = std::ranges::count(lacking, i) > 0;
      for (Index c = 0; c < 3; ++c) EXPECT_EQ(scores(i, c), lacks ? alone(i, c) : all(i, c));
    }
    EXPECT_THAT(message_of<DataError>(
                    [&] { log_likelihood(model, holes.block(), {.missing = Missing::refuse}); }),
                AllOf(HasSubstr("'f0'"), HasSubstr("row 0")));
  }
}

TEST(ProjectionLaws, WhatHasNoPartMayBeMissing) {
  const Table table = gaussian_table({.rows = 100, .features = 5, .classes = 2});
  Matrix values = table.parts().values;
  for (Index i = 0; i < 100; ++i) values(i, 2) = 7;
  const Table constant = table.with_values(values);
  const Model model = estimate_from(constant, {"", Pca{.components = 4}, {}}, Covariance::tied);
  const Matrix scores = log_likelihood(model, constant.block()).values;
  values(3, 2) = missing;
  const Table hole = constant.with_values(values);
  EXPECT_EQ(log_likelihood(model, hole.block()).values, scores);
  EXPECT_THAT(message_of<DataError>(
                  [&] { log_likelihood(model, hole.block(), {.missing = Missing::refuse}); }),
              AllOf(HasSubstr("'f2'"), HasSubstr("row 3")));
  const std::vector<double> mixture{0.5, 0.5};
  EXPECT_EQ(
      outlier_score(model, hole.block(), log_likelihood(model, hole.block()), mixture),
      outlier_score(model, constant.block(), log_likelihood(model, constant.block()), mixture));
}

TEST(ProjectionLaws, InfiniteValuesAreNamed) {
  const Table table = gaussian_table({.rows = 100, .features = 5, .classes = 2});
  const Model model = estimate_from(table, projections[0], Covariance::full);
  Matrix values = table.parts().values;
  values(70, 3) = -INFINITY;
  EXPECT_THAT(
      message_of<DataError>([&] { log_likelihood(model, table.with_values(values).block()); }),
      AllOf(HasSubstr("row 70, feature 'f3': the value is -inf"), HasSubstr("finite")));
}

TEST(ProjectionLaws, DiscriminantsAreOverTheFeatures) {
  const Table table = gaussian_table({.rows = 200, .features = 6, .classes = 3});
  for (const Projections& how : projections)
    for (const Covariance structure : structures) {
      const Model model = estimate_from(table, how, structure);
      const Matrix scores = log_likelihood(model, table.block()).values;
      const Discriminant a = discriminant(model, model.labels()[0]);
      const Discriminant pair = discriminant(model, model.labels()[0], model.labels()[2]);
      EXPECT_EQ(pair.columns.size(), 6u);
      for (Index i = 0; i < 20; ++i) {
        const auto x = table.parts().values.row(i);
        EXPECT_NEAR(pair(x), scores(i, 0) - scores(i, 2), 1e-8 * (1 + std::abs(scores(i, 0))));
        if (!is_tied(structure)) {
          EXPECT_NEAR(a(x), scores(i, 0), 1e-8 * (1 + std::abs(scores(i, 0))));
        }
      }
    }
}

TEST(ProjectionLaws, OutlierScoresAreThoseOfTheProjections) {
  const Table table = gaussian_table({.rows = 200, .features = 6, .classes = 3});
  const std::vector<double> mixture{0.5, 0.25, 0.25};
  for (const Covariance structure : structures) {
    const Model model = estimate_from(table, projections[3], structure);
    const Matrix z = by_hand(table.parts().values, density_of(model).projection);
    const Model direct = of_projections(model);
    const Vector a =
        outlier_score(model, table.block(), log_likelihood(model, table.block()), mixture);
    const Vector b =
        outlier_score(direct, RowBlock(z), log_likelihood(direct, RowBlock(z)), mixture);
    for (Index i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1.01 / 20001);
  }
}

TEST(ProjectionLaws, FeaturesAreNotDrawnFromProjections) {
  const Table table = gaussian_table({.rows = 100, .features = 5, .classes = 2});
  const Model model = estimate_from(table, projections[0], Covariance::full);
  EXPECT_THAT(message_of([&] { sample(model, 1, model.labels()[0]); }),
              AllOf(HasSubstr("projections"), HasSubstr("without projections")));
  for (const double value : separation(model)) EXPECT_TRUE(std::isnan(value));
}

TEST(ProjectionLaws, OptionsThatCannotBeAreRefused) {
  const Table table = gaussian_table({.rows = 100, .features = 5, .classes = 3});
  const auto asked = [&](const Projections& how) {
    return message_of([&] { estimate_from(table, how, Covariance::full); });
  };
  EXPECT_THAT(asked({"", Pca{.components = 6}, {}}), HasSubstr("at most 5 components, not 6"));
  EXPECT_THAT(asked({"", {}, 3}), HasSubstr("at most 2, not 3"));
  EXPECT_THAT(asked({"", {}, 0}), HasSubstr("must be at least 1, not 0"));
  EXPECT_THAT(asked({"", Pca{.components = 1}, 2}),
              HasSubstr("as many dimensions as pca makes components, 1 here, not 2"));
  EXPECT_THAT(message_of([&] {
                estimate(statistics_of(table, {.scatter = Scatter::diagonal}),
                         {.covariance = Covariance::diag, .pca = Pca{.components = 2}});
              }),
              HasSubstr("diagonal only"));
  const Statistics words =
      statistics_of(generate({.name = "", .families = {Family::poisson}}, {}, 1), {});
  EXPECT_THAT(message_of([&] { estimate(words, {.pca = Pca{.components = 2}}); }),
              HasSubstr("this one has none"));
}

TEST(ProjectionLaws, SayWhatTheyExplain) {
  const Table table = gaussian_table({.rows = 100, .features = 5, .classes = 3});
  const Model model = estimate_from(table, {"", Pca{.share = 0.9}, {}}, Covariance::full);
  const auto& explained = density_of(model).projection.explained;
  double sum = 0;
  for (const double share : explained) sum += share;
  EXPECT_GE(sum, 0.9);
  EXPECT_LT(sum - explained[explained.size() - 1], 0.9);
  const auto& options = model.parts().options;
  ASSERT_TRUE(options && options->pca);
  EXPECT_EQ(to_string(*options->pca), "90%");
}

// Units do not matter to standardised components: each score changes by the logarithm of nothing
// but what the projections are made of, so not at all.
TEST(ProjectionLaws, UnitsDoNotMatterToStandardisedComponents) {
  const Table table = gaussian_table({.rows = 300, .features = 6, .classes = 3});
  const Matrix& x = table.parts().values;
  Matrix scaled = x;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) scaled(i, j) *= std::pow(10.0, 2 * j - 5);
  const auto scores = [&](const Matrix& values, const EstimateOptions& options) {
    Statistics statistics(Schema::numbered(values.cols()));
    statistics.update(RowBlock(values, Column(table.parts().labels)));
    return log_likelihood(estimate(statistics, options), RowBlock(values)).values;
  };
  for (const Covariance structure : structures)
    for (const Pca& pca : {Pca{.components = 3}, Pca{.share = 0.8}}) {
      SCOPED_TRACE(to_string(structure));
      const EstimateOptions options{
          .covariance = structure, .pca = pca, .standardize = true, .shrinkage = Shrinkage::none()};
      const Matrix a = scores(x, options), b = scores(scaled, options);
      for (Index i = 0; i < a.rows(); ++i)
        for (Index c = 0; c < a.cols(); ++c)
          EXPECT_NEAR(a(i, c), b(i, c), 1e-7 * (1 + std::abs(a(i, c))));
      EstimateOptions plain = options;
      plain.standardize = false;
      EXPECT_GT(std::abs(scores(x, plain)(0, 0) - scores(scaled, plain)(0, 0)), 1e-3);
    }
}

}  // namespace
}  // namespace suffice::projection_laws
