// One scatter for all classes together: against sums in long double, and models of it against
// those of a scatter for each class.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stats/pooled.hpp"
#include "suffice/suffice.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::pooled_test {
namespace {

using namespace testing::left_out;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::left_out::Table;

Statistics statistics_of(const Table& table, Scatter scatter) {
  Statistics result(table.schema, {.scatter = scatter, .labels = table.classes});
  result.update(table.rows());
  return result;
}

const GaussianStatistics& gaussian_of(const Statistics& statistics) {
  return std::get<GaussianStatistics>(statistics.blocks()[0]);
}

void expect_near(const Matrix& a, const Matrix& b, double digits) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      ASSERT_NEAR(a(i, j), b(i, j), digits * std::sqrt(b(i, i) * b(j, j)) + 1e-300)
          << i << ", " << j;
}

/// Both have pooled scatters.
void expect_same(const Statistics& a, const Statistics& b, double digits = 1e-12) {
  expect_near(gaussian_of(a).pooled, gaussian_of(b).pooled, digits);
  for (std::size_t c = 0; c < gaussian_of(b).classes.size(); ++c) {
    const JointMoments &one = gaussian_of(a).classes[c].complete,
                       &other = gaussian_of(b).classes[c].complete;
    EXPECT_NEAR(one.weight, other.weight, 1e-12 * other.weight);
    for (Index j = 0; j < other.mean.size(); ++j) {
      EXPECT_NEAR(one.mean[j] + one.mean_low[j], other.mean[j] + other.mean_low[j],
                  digits * (1 + std::abs(other.mean[j])));
      EXPECT_NEAR(one.squares[j], other.squares[j], digits * other.squares[j]);
    }
  }
}

/// Σ_c Σ w (x − m_c)(x − m_c)ᵀ by two passes in long double.
Matrix slow_scatter(const Table& table) {
  const Index n = table.x.rows(), d = table.x.cols();
  std::vector<std::vector<long double>> mean(table.classes.size(),
                                             std::vector<long double>(static_cast<std::size_t>(d)));
  std::vector<long double> weight(table.classes.size());
  const auto w = [&](Index i) { return table.weights.empty() ? 1.0 : table.weights[i]; };
  const auto label = [&](Index i) {
    return static_cast<std::size_t>(
        std::ranges::find(table.classes, table.labels[static_cast<std::size_t>(i)]) -
        table.classes.begin());
  };
  for (Index i = 0; i < n; ++i) {
    weight[label(i)] += w(i);
    for (Index j = 0; j < d; ++j)
      mean[label(i)][static_cast<std::size_t>(j)] += w(i) * static_cast<long double>(table.x(i, j));
  }
  for (std::size_t c = 0; c < mean.size(); ++c)
    for (long double& of : mean[c]) of /= weight[c];
  Matrix result(d, d);
  for (Index a = 0; a < d; ++a)
    for (Index b = 0; b < d; ++b) {
      long double sum = 0;
      for (Index i = 0; i < n; ++i)
        sum += w(i) * (table.x(i, a) - mean[label(i)][static_cast<std::size_t>(a)]) *
               (table.x(i, b) - mean[label(i)][static_cast<std::size_t>(b)]);
      result(a, b) = static_cast<double>(sum);
    }
  return result;
}

TEST(Pooled, IsTheScatterWithinClasses) {
  for (const bool weighted : {false, true})
    for (const Index features : {3, 30, 190}) {  // lanes, tiles
      const Table table =
          gaussian_table({.rows = 400, .features = features, .weighted = weighted}, 1);
      const Statistics pooled = statistics_of(table, Scatter::pooled);
      expect_near(gaussian_of(pooled).pooled, slow_scatter(table), 1e-13);
      expect_same(pooled, with_scatter(statistics_of(table, Scatter::dense), Scatter::pooled));
    }
}

// Differences of numbers at 1e9 are exact here, so no digit may be lost.
TEST(Pooled, AnOffsetCostsNothing) {
  Table table = gaussian_table({.rows = 300, .features = 6}, 2);
  for (Index i = 0; i < table.x.rows(); ++i)
    for (Index j = 0; j < 6; ++j) table.x(i, j) = std::round(table.x(i, j) * 1024) / 1024;
  const Matrix near = slow_scatter(table);
  for (Index i = 0; i < table.x.rows(); ++i)
    for (Index j = 0; j < 6; ++j) table.x(i, j) += 1e9;
  expect_near(gaussian_of(statistics_of(table, Scatter::pooled)).pooled, near, 1e-13);
}

TEST(Pooled, MergesAndSubtractsAlsoWithOtherKinds) {
  const Table table = gaussian_table({.rows = 240, .features = 12, .weighted = true}, 3);
  const Table first = table.some([](Index i) { return i % 5 < 2; });
  const Table second = table.some([](Index i) { return i % 5 >= 2; });
  const Statistics all = statistics_of(table, Scatter::pooled);
  const Statistics a = statistics_of(first, Scatter::pooled);
  for (const Scatter kind : {Scatter::pooled, Scatter::dense, Scatter::thin}) {
    const Statistics b = statistics_of(second, kind);
    expect_same(merge(a, b), all);
    expect_same(merge(b, a), all);
    expect_same(subtract(all, b).rest, a, 1e-11);
    expect_same(subtract(with_scatter(all, Scatter::pooled), b).rest, a, 1e-11);
  }
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { merge(a, statistics_of(second, Scatter::diagonal)); }),
      HasSubstr("the other its diagonal only"));
  const Statistics nothing = subtract(all, all).rest;
  EXPECT_TRUE(gaussian_of(nothing).pooled.empty());
  EXPECT_THROW(subtract(a, all), DataError);
}

TEST(Pooled, WithScatterKeepsLess) {
  const Table table = gaussian_table({.rows = 60, .features = 5}, 4);
  const Statistics pooled = statistics_of(table, Scatter::pooled);
  const Statistics diagonal = with_scatter(pooled, Scatter::diagonal);
  EXPECT_EQ(gaussian_of(diagonal).moments(1), gaussian_of(pooled).moments(1));
  EXPECT_TRUE(gaussian_of(diagonal).pooled.empty());
  for (const Scatter more : {Scatter::dense, Scatter::thin})
    EXPECT_THAT(message_of<InvalidArgument>([&] { with_scatter(pooled, more); }),
                HasSubstr("one scatter for all classes together"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { with_scatter(diagonal, Scatter::pooled); }),
              HasSubstr("the diagonal of the scatter only"));
}

TEST(Pooled, ValuesOfIncompleteRowsAreKeptBeside) {
  Table table = gaussian_table({.rows = 90, .features = 4}, 5);
  for (Index i = 0; i < 90; i += 7) table.x(i, i % 4) = std::nan("");
  for (Index j = 0; j < 4; ++j) table.x(50, j) = std::nan("");
  expect_same(statistics_of(table, Scatter::pooled),
              with_scatter(statistics_of(table, Scatter::dense), Scatter::pooled));
  const Statistics a = statistics_of(table, Scatter::pooled);
  const Statistics b = statistics_of(table, Scatter::dense);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_EQ(gaussian_of(a).classes[c].present, gaussian_of(b).classes[c].present);
}

// ---- models -------------------------------------------------------------------------------------

const std::vector<EstimateOptions> estimates{
    {.covariance = Covariance::tied},
    {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()},
    {.covariance = Covariance::tied,
     .normalize = Normalize::unbiased,
     .shrinkage = Shrinkage::none()},
    {.covariance = Covariance::tied, .shrinkage = Shrinkage::share(0.2)},
    {.covariance = Covariance::tied,
     .shrinkage = Shrinkage::share(0.2),
     .target = Target::spherical},
    {.covariance = Covariance::tied, .shrinkage = Shrinkage::oas()},
    {.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(7)},
    {.covariance = Covariance::tied, .inference = Inference::map},
    {.covariance = Covariance::tied, .inference = Inference::bayes},
    {.covariance = Covariance::tied, .tails = Tails::student(5)},
    {.covariance = Covariance::tied, .pca = Pca{.components = 4}},
    {.covariance = Covariance::tied, .pca = Pca{.share = 0.8}, .standardize = true},
    {.covariance = Covariance::tied, .lda = 2},
    {.covariance = Covariance::tied, .pca = Pca{.components = 4}, .lda = 1},
    {.covariance = Covariance::tied_diag, .lda = 2},
    {.covariance = Covariance::tied_spherical, .pca = Pca{.components = 3}},
    {.covariance = Covariance::diag},
    {.covariance = Covariance::diag, .shrinkage = Shrinkage::rows(3)},
    {.covariance = Covariance::tied_diag},
    {.covariance = Covariance::spherical},
    {.covariance = Covariance::tied_spherical}};

class PooledEstimates : public ::testing::TestWithParam<EstimateOptions> {};
INSTANTIATE_TEST_SUITE_P(All, PooledEstimates, ::testing::ValuesIn(estimates));

TEST_P(PooledEstimates, AreThoseOfAScatterForEachClass) {
  const Table table = gaussian_table({.rows = 200, .features = 8, .weighted = true}, 6);
  const Model a = estimate(statistics_of(table, Scatter::pooled), GetParam());
  const Model b = estimate(statistics_of(table, Scatter::dense), GetParam());
  const Matrix one = log_likelihood(a, table.rows()).values;
  const Matrix other = log_likelihood(b, table.rows()).values;
  for (Index i = 0; i < one.rows(); ++i)
    for (Index c = 0; c < one.cols(); ++c)
      EXPECT_NEAR(one(i, c), other(i, c), 1e-10 * (1 + std::abs(other(i, c))));
}

TEST(Pooled, WhatNeedsAScatterForEachClassIsRefused) {
  const Table table = gaussian_table({.rows = 60, .features = 5}, 7);
  const Statistics pooled = statistics_of(table, Scatter::pooled);
  EXPECT_THAT(message_of<InvalidArgument>([&] { estimate(pooled); }),
              AllOf(HasSubstr("covariance 'full' needs a scatter for each class"),
                    HasSubstr("kept one for all classes together"), HasSubstr("choose tied")));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                estimate(pooled, {.covariance = Covariance::tied, .pooling = {1, 1, 1}});
              }),
              HasSubstr("pooling weights need a scatter for each class"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                estimate(pooled, {.covariance = Covariance::diag, .pca = Pca{.components = 2}});
              }),
              HasSubstr("do not tell the variances of each class"));
}

TEST(Pooled, LeavesOutOneRowAtATime) {
  const Table table = gaussian_table({.rows = 60, .features = 5, .weighted = true}, 8);
  for (const EstimateOptions& options :
       {EstimateOptions{.covariance = Covariance::tied, .shrinkage = Shrinkage::none()},
        EstimateOptions{.covariance = Covariance::tied, .shrinkage = Shrinkage::share(0.3)},
        EstimateOptions{.covariance = Covariance::tied_diag},
        EstimateOptions{.covariance = Covariance::diag, .shrinkage = Shrinkage::none()}}) {
    const Statistics pooled = statistics_of(table, Scatter::pooled);
    const Matrix scores = LeaveOneOut(pooled, options)(table.rows()).values;
    for (const Index left : {0, 17, 42}) {
      const Model without = estimate(
          statistics_of(table.some([&](Index i) { return i != left; }), Scatter::dense), options);
      const Matrix expected =
          log_likelihood(without, table.some([&](Index i) { return i == left; }).rows()).values;
      for (Index c = 0; c < 3; ++c)
        EXPECT_NEAR(scores(left, c), expected(0, c), 1e-9 * (1 + std::abs(expected(0, c))));
    }
  }
}

/// Of a projection the squares of each class are unknown: a row may have more than the share of its
/// class in those of all, or be all of its class.
TEST(Pooled, LeavesOutOneRowOfAProjection) {
  Table table = gaussian_table({.rows = 60, .features = 4, .weighted = true}, 15);
  table.x(7, 1) = 1e5;
  table.classes.push_back("single");
  table.labels[40] = "single";
  const Matrix map{{1, 0, 0.5}, {0.25, 1, 0}, {0, -1, 2}, {1, 0, 1}};
  const Statistics pooled =
      project(statistics_of(table, Scatter::pooled), {.block = 0, .matrix = map, .offset = {}});
  ASSERT_FALSE(gaussian_of(pooled).has_class_squares());
  Table rows = table;
  rows.schema = pooled.schema();
  rows.x = Matrix(table.x.rows(), 3);
  rows.x.map() = table.x.map() * map.map();
  for (const EstimateOptions& options :
       {EstimateOptions{.covariance = Covariance::tied_diag, .shrinkage = Shrinkage::none()},
        EstimateOptions{.covariance = Covariance::tied_diag, .tails = Tails::student(5)},
        EstimateOptions{.covariance = Covariance::tied_diag, .inference = Inference::bayes},
        EstimateOptions{.covariance = Covariance::tied_spherical}}) {
    SCOPED_TRACE(describe(options));
    const Matrix scores = LeaveOneOut(pooled, options)(rows.rows()).values;
    for (const Index left : {7, 17, 40}) {
      SCOPED_TRACE(left);
      const Model without = estimate(
          statistics_of(rows.some([&](Index i) { return i != left; }), Scatter::dense), options);
      const Table alone = rows.some([&](Index i) { return i == left; });
      Matrix found(1, scores.cols());
      std::ranges::copy(scores.row(left), found.row(0).begin());
      expect_close(found, log_likelihood(without, alone.rows()).values, 1e-4);
    }
  }
}

// The target of a prior stays that of all rows.
TEST(Pooled, LeavesOutOneRowBesideAPrior) {
  const Table table = gaussian_table({.rows = 60, .features = 5, .weighted = true}, 8);
  const EstimateOptions options{.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(4)};
  expect_close(LeaveOneOut(statistics_of(table, Scatter::pooled), options)(table.rows()).values,
               LeaveOneOut(statistics_of(table, Scatter::dense), options)(table.rows()).values,
               1e-10);
}

TEST(Pooled, LeaveOneOutFindsTheSameStrength) {
  const Table table = gaussian_table({.rows = 80, .features = 9}, 9);
  const auto grid = [&](Scatter scatter) {
    LeaveOneOutShrinkage search(statistics_of(table, scatter), {.covariance = Covariance::tied});
    search.score(table.rows());
    return search.grid();
  };
  const auto a = grid(Scatter::pooled), b = grid(Scatter::dense);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t g = 0; g < a.size(); ++g) {
    EXPECT_EQ(a[g].error_rate, b[g].error_rate);
    EXPECT_NEAR(a[g].log_loss, b[g].log_loss, 1e-10 * b[g].log_loss);
  }
}

/// Folds of more than 100 features, of which tied candidates have pooled sums, against models of
/// the other rows.
TEST(Pooled, FoldsAreExact) {
  const Table table = gaussian_table({.rows = 500, .features = 101}, 10);
  std::vector<std::string> fold;
  for (Index i = 0; i < 500; ++i) fold.push_back(i % 7 == 0 ? "a" : i % 3 == 0 ? "b" : "c");
  const EstimateOptions options{.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(9)};
  const Selection selection =
      select(table.schema, table.rows(),
             {.candidates = {options, {.covariance = Covariance::diag}}, .calibrate = false},
             Column(fold));
  for (std::size_t f = 0; f < 3; ++f) {
    const auto is_in = [&](Index i) {
      return fold[static_cast<std::size_t>(i)] == selection.folds[f];
    };
    const Table others = table.some([&](Index i) { return !is_in(i); });
    const Table own = table.some(is_in);
    const Model model = estimate(statistics_of(others, Scatter::dense), options);
    const LogLikelihoods scores = log_likelihood(model, own.rows());
    const Matrix p = posteriors(scores, Priors::from_counts(model));
    double loss = 0;
    for (Index i = 0; i < p.rows(); ++i)
      loss -= std::log(p(i, *model.labels().find(own.labels[static_cast<std::size_t>(i)])));
    EXPECT_NEAR(selection.candidates[0].folds[f].log_loss, loss / static_cast<double>(p.rows()),
                1e-9);
  }
}

TEST(Pooled, ManyFoldsKeepRowsInstead) {
  const Table table = gaussian_table({.rows = 160, .features = 101}, 11);
  const EstimateOptions options{.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(50)};
  const auto loss = [&](std::vector<EstimateOptions> candidates) {
    return select(table.schema, table.rows(), {.candidates = std::move(candidates), .folds = 40})
        .candidates[0]
        .score.log_loss;
  };
  EstimateOptions full = options;
  full.covariance = Covariance::full;  // beside which the sums have a scatter for each class
  EXPECT_NEAR(loss({options}), loss({options, full}), 1e-9);
}

TEST(Pooled, FilesHaveOneTriangle) {
  const Table table = gaussian_table({.rows = 300, .features = 40}, 12);
  const Statistics pooled = statistics_of(table, Scatter::pooled);
  const std::string bytes = to_bytes(pooled);
  EXPECT_EQ(statistics_from_bytes(bytes), pooled);
  const std::size_t triangle = 40 * 41 / 2 * sizeof(double);
  EXPECT_LT(bytes.size() + triangle, to_bytes(statistics_of(table, Scatter::dense)).size());
  Matrix map(40, 2);
  for (Index i = 0; i < 40; ++i) map(i, i % 2) = 1;
  const Statistics projected = project(pooled, {.block = 0, .matrix = map, .offset = {}});
  EXPECT_FALSE(gaussian_of(projected).has_class_squares());
  EXPECT_EQ(statistics_from_bytes(to_bytes(projected)), projected);
  const Statistics empty(table.schema, {.scatter = Scatter::pooled});
  EXPECT_EQ(statistics_from_bytes(to_bytes(empty)), empty);
}

TEST(Pooled, ImpossibleSumsAreRefused) {
  const Table table = gaussian_table({.rows = 30, .features = 2}, 13);
  const Statistics pooled = statistics_of(table, Scatter::pooled);
  const auto changed = [&](const auto& change) {
    Statistics::Parts parts = pooled.parts();
    change(std::get<GaussianStatistics>(parts.blocks[0]));
    return message_of<InvalidArgument>([&] { Statistics(std::move(parts)); });
  };
  EXPECT_THAT(changed([](auto& sums) { sums.pooled = {}; }), HasSubstr("pooled scatter"));
  EXPECT_THAT(changed([](auto& sums) {
                sums.pooled = Matrix{{1, 9}, {9, 1}};
              }),
              HasSubstr("not positive semidefinite"));
  EXPECT_THAT(changed([](auto& sums) {
                sums.pooled = Matrix{{-1, 0}, {0, 1}};
              }),
              HasSubstr("not negative"));
  EXPECT_THAT(changed([](auto& sums) { sums.classes[0].complete.squares[1] = -1; }),
              HasSubstr("not negative"));
  EXPECT_THAT(changed([](auto& sums) { sums.kind = Scatter::dense; }), HasSubstr("scatter"));
}

TEST(Pooled, TheChoiceHasNoFullCovariances) {
  const Table table = gaussian_table({.rows = 200, .features = 6}, 14);
  const Statistics pooled = statistics_of(table, Scatter::pooled);
  Reservoir reservoir(table.schema);
  reservoir.update(table.rows());
  const Choice choice = choose(pooled, reservoir.sample());
  ASSERT_NE(choice.best(), nullptr) << choice.reason.text();
  bool tied = false;
  for (const Choice::Candidate& of : choice.candidates) {
    EXPECT_NE(of.options.covariance, Covariance::full);
    tied = tied || of.options.covariance == Covariance::tied;
  }
  EXPECT_TRUE(tied);
  choice.model(pooled);
}

TEST(Pooled, TheChoiceOfAProjectionHasRowsThatDominate) {
  Table table = gaussian_table({.rows = 200, .features = 6}, 16);
  table.x(7, 1) = 1e6;
  const Statistics pooled = statistics_of(table, Scatter::pooled);
  Reservoir reservoir(table.schema);
  reservoir.update(table.rows());
  const Choice choice = choose(pooled, reservoir.sample(),
                               {.fixed = {"pca"}, .given = {.pca = Pca{.components = 3}}});
  ASSERT_NE(choice.best(), nullptr) << choice.reason.text();
  choice.model(pooled);
}

TEST(Pooled, NeedsOfOptions) {
  using enum Covariance;
  EXPECT_EQ(needed_scatter(EstimateOptions{.covariance = tied}), Scatter::pooled);
  EXPECT_EQ(needed_scatter(EstimateOptions{.covariance = tied_diag, .lda = 1}), Scatter::pooled);
  EXPECT_EQ(needed_scatter(EstimateOptions{.covariance = diag, .lda = 1}), Scatter::dense);
  EXPECT_EQ(needed_scatter(EstimateOptions{.covariance = diag}), Scatter::diagonal);
  EXPECT_EQ(needed_scatter(EstimateOptions{}), Scatter::dense);
  EXPECT_EQ(needed_scatter(EstimateOptions{.covariance = tied, .pooling = {1, 2}}), Scatter::dense);
  EXPECT_EQ(smaller_scatter(Scatter::pooled, Schema::numbered(100)), Scatter::dense);
  EXPECT_EQ(smaller_scatter(Scatter::pooled, Schema::numbered(101)), Scatter::pooled);
}

}  // namespace
}  // namespace suffice::pooled_test
