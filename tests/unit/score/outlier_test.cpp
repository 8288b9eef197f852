#include "suffice/score/outlier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/sample/sample.hpp"
#include "support/message_of.hpp"

namespace suffice::outlier_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

Model gaussian(Covariance structure, Matrix mean, std::vector<Matrix> covariance, Names labels,
               std::vector<Index> constant = {}) {
  const Index d = mean.cols();
  return Model({.schema = Schema::numbered(d),
                .labels = std::move(labels),
                .weights = {},
                .densities = {GaussianDensity{structure, std::move(mean), std::move(covariance),
                                              std::move(constant)}}});
}

Vector scores_of(const Model& model, const RowBlock& rows, const Vector& mixture,
                 const OutlierOptions& options = {}, const Execution& execution = {}) {
  return outlier_score(model, rows, log_likelihood(model, rows), mixture, options, execution);
}

/// The largest distance of the scores' distribution from the uniform one.
double kolmogorov(std::vector<double> scores) {
  std::ranges::sort(scores);
  const auto n = static_cast<double>(scores.size());
  double distance = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    distance = std::max({distance, std::abs(scores[i] - static_cast<double>(i) / n),
                         std::abs(scores[i] - static_cast<double>(i + 1) / n)});
  return distance;
}

/// What Kolmogorov and Smirnov's distance between n rows and the model's own sample exceeds once in
/// a thousand times.
double kolmogorov_bound(double n, double samples = 20000) {
  return 1.95 * std::sqrt(1 / n + 1 / samples);
}

/// A coin for each cell, from a stream of its own.
bool heads(Index row, Index column) {
  RowRandom random(4711, static_cast<std::uint64_t>(row * 100 + column));
  return random.uniform() < 0.5;
}

TEST(Outlier, OfOneGaussianIsTheChiSquaredTail) {
  const Model model = gaussian(Covariance::full, {{1, -1}}, {{{4, 0}, {0, 9}}}, {"a"});
  const double nan = std::nan("");
  // Squared distances 2 of two features, 1 and 4 of one, 0, none at all.
  const Matrix x = {{3, 2}, {3, nan}, {nan, 5}, {1, -1}, {nan, nan}};
  const Vector score = scores_of(model, RowBlock(x), {1});
  EXPECT_NEAR(score[0], std::exp(-1.), 1e-14);
  EXPECT_NEAR(score[1], std::erfc(1 / std::sqrt(2.)), 1e-14);
  EXPECT_NEAR(score[2], std::erfc(2 / std::sqrt(2.)), 1e-14);
  EXPECT_EQ(score[3], 1);
  EXPECT_EQ(score[4], 1);
}

// New rows of the population, not of the fitted density (docs/outliers.md): n rows of d normal
// numbers put the squared distance of another row at (n + 1) d / (n − d) times an F(d, n − d), by
// which 9.7 % of 178 rows of 30 numbers are marked at 1 %. The posterior predictive density knows
// that, as far as its prior allows, here that of the evidence.
TEST(Outlier, OfNewRowsIsNearerToNominalForThePredictiveDensity) {
  constexpr Index d = 30, n = 178, others = 400, turns = 25;
  const Names labels{"a"};
  double plugin = 0, predictive = 0;
  for (Index turn = 0; turn < turns; ++turn) {
    Matrix x(n, d), y(others, d);
    RowRandom random(99, static_cast<std::uint64_t>(turn));
    for (Matrix* of : {&x, &y})
      for (Index i = 0; i < of->rows(); ++i) {  // correlated by what they share
        const double shared = random.normal();
        for (double& value : of->row(i)) value = random.normal() + 1.2 * shared;
      }
    const std::vector<std::string> of_a(n, "a");
    const Statistics statistics = Statistics(Schema::numbered(d)).update(RowBlock(x, Column(of_a)));
    const auto marked = [&](const EstimateOptions& options) {
      const Vector scores = scores_of(estimate(statistics, options), RowBlock(y), {1});
      return static_cast<double>(std::ranges::count_if(std::span(scores.data(), others),
                                                       [](double score) { return score < 0.01; })) /
             (others * turns);
    };
    plugin += marked({.shrinkage = Shrinkage::none()});
    predictive += marked({.inference = Inference::bayes});
  }
  EXPECT_NEAR(plugin, 0.097, 0.012);
  EXPECT_LT(predictive, 0.035);
}

TEST(Outlier, OfOneGaussianHoldsForEveryStructure) {
  const double nan = std::nan("");
  const Matrix mean = {{0, 0, 7}, {50, 50, 7}};
  const std::vector<Index> constant = {2};
  const Matrix full = {{4, 1, 0}, {1, 4, 0}, {0, 0, 0}};
  const std::vector<std::pair<Covariance, std::vector<Matrix>>> structures = {
      {Covariance::full, {full, full}},
      {Covariance::tied, {full}},
      {Covariance::diag, {{{4, 4, 0}, {1, 1, 0}}}},
      {Covariance::tied_diag, {{{4, 4, 0}}}},
      {Covariance::spherical, {{{4}, {1}}}},
      {Covariance::tied_spherical, {{{4}}}}};
  for (const auto& [structure, covariance] : structures) {
    const Model model = gaussian(structure, mean, covariance, {"a", "b"}, constant);
    // The marginal variance of the first feature is 4: squared distance 9. Whether the constant
    // feature is there or not changes nothing.
    const Matrix x = {{6, nan, 7}, {6, nan, nan}};
    const Vector score = scores_of(model, RowBlock(x), {1, 0});
    EXPECT_NEAR(score[0], std::erfc(3 / std::sqrt(2.)), 1e-14) << to_string(structure);
    EXPECT_EQ(score[0], score[1]) << to_string(structure);
    const Matrix nothing = {{nan, nan, 7}};
    EXPECT_EQ(scores_of(model, RowBlock(nothing), {1, 0})[0], 1) << to_string(structure);
    EXPECT_EQ(scores_of(model, RowBlock(nothing), {.5, .5})[0], 1) << to_string(structure);
  }
}

// The two classes of the lectures' notebook, with 50 and 100 rows.
TEST(Outlier, OfTheNotebookIsTheFarPoint) {
  const Model model =
      gaussian(Covariance::full, {{-1.01571548, -1.0718555}, {1.11191478, 0.94978859}},
               {{{0.94856854, -0.09396467}, {-0.09396467, 0.64854352}},
                {{0.93956064, 0.22173447}, {0.22173447, 0.8022431}}},
               {"1", "2"});
  const Matrix x = {{1, 1}, {10, 10}};
  const Vector score = scores_of(model, RowBlock(x), {1. / 3, 2. / 3});
  EXPECT_GT(score[0], 0.3);
  EXPECT_LT(score[1], 1e-10);
  EXPECT_GT(score[1], 0);
}

TEST(Outlier, FarFromSeveralGaussiansTakesTheBound) {
  // N(0, 1) and N(4, 1), evenly: at 20 the second class has all of p(x), at distance 16. The bound
  // is ½ P(|z| > 16) for each class; the truth is P(x > 20 or x < −16), half of it.
  const Model model = gaussian(Covariance::tied_diag, {{0}, {4}}, {{{1}}}, {"a", "b"});
  const Vector score = scores_of(model, RowBlock(Matrix{{20}}), {.5, .5});
  EXPECT_NEAR(score[0] / std::erfc(16 / std::sqrt(2.)), 1, 1e-9);
}

TEST(Outlier, OfOverlappingGaussiansIsCalibrated) {
  const Model model = gaussian(Covariance::full, {{0, 0}, {1, 2}},
                               {{{1, .5}, {.5, 2}}, {{2, -1}, {-1, 1}}}, {"a", "b"});
  const Vector mixture = {.3, .7};
  const Sample fresh = sample(model, 3000, mixture, {.seed = 99});
  const Vector score = scores_of(model, fresh.rows(), mixture);
  EXPECT_LT(kolmogorov({score.begin(), score.end()}), kolmogorov_bound(3000));
  // It can fail: rows of another mixture are not uniform.
  const Sample other = sample(model, 3000, "a", {.seed = 99});
  const Vector unlike = scores_of(model, other.rows(), mixture);
  EXPECT_GT(kolmogorov({unlike.begin(), unlike.end()}), kolmogorov_bound(3000));
}

TEST(Outlier, WithHalfOfTheCellsMissingIsCalibrated) {
  const Model model = gaussian(Covariance::full, {{0, 0, 0, 0}, {2, 1, 0, -1}},
                               {{{1, .5, .2, 0}, {.5, 2, 0, 0}, {.2, 0, 1, .3}, {0, 0, .3, 1}},
                                {{3, 0, 0, 1}, {0, 1, .4, 0}, {0, .4, 1, 0}, {1, 0, 0, 2}}},
                               {"a", "b"});
  const Vector mixture = {.5, .5};
  Sample fresh = sample(model, 3000, mixture, {.seed = 5});
  std::vector<bool> empty(3000, true);
  for (Index i = 0; i < 3000; ++i)
    for (Index j = 0; j < 4; ++j) {
      if (heads(i, j))
        fresh.values(i, j) = std::nan("");
      else
        empty[static_cast<std::size_t>(i)] = false;
    }
  const Vector score = scores_of(model, fresh.rows(), mixture);
  std::vector<double> judged;
  for (Index i = 0; i < 3000; ++i) {
    if (empty[static_cast<std::size_t>(i)])
      EXPECT_EQ(score[i], 1) << "row " << i;
    else
      judged.push_back(score[i]);
  }
  EXPECT_LT(kolmogorov(judged), kolmogorov_bound(static_cast<double>(judged.size())));
}

Model mixed() {
  Schema schema({{"height"},
                 {"colour", Family::categorical},
                 {"weight"},
                 {"smoker", Family::bernoulli},
                 {"visits", Family::poisson}});
  GaussianDensity numbers{.structure = Covariance::full,
                          .mean = {{0, 10}, {2, 12}},
                          .covariance = {{{4, 2}, {2, 5}}, {{1, 0}, {0, 1}}}};
  CategoricalDensity colour{{Names{"blue", "green", "red"}}, {{{.5, .25, .25}, {.2, .1, .7}}}};
  return Model({.schema = schema,
                .labels = {"a", "b"},
                .weights = {},
                .densities = {numbers, colour, BernoulliDensity{{{.25}, {.5}}},
                              PoissonDensity{{{3}, {40}}}}});
}

TEST(Outlier, OfAMixedModelIsCalibrated) {
  const Vector mixture = {.6, .4};
  Sample fresh = sample(mixed(), 3000, mixture, {.seed = 31});
  const Vector score = scores_of(mixed(), fresh.rows(), mixture);
  EXPECT_LT(kolmogorov({score.begin(), score.end()}), kolmogorov_bound(3000));
  // With half of the cells missing; the height stays, so that log p is continuous.
  for (Index i = 0; i < 3000; ++i)
    for (Index j = 1; j < 5; ++j)
      if (heads(i, j)) fresh.values(i, j) = std::nan("");
  const Vector half = scores_of(mixed(), fresh.rows(), mixture);
  EXPECT_LT(kolmogorov({half.begin(), half.end()}), kolmogorov_bound(3000));
}

TEST(Outlier, OfDiscreteModelsCountsTies) {
  // One of three levels: P(p(X) ≤ p(x)) is 1, .3 and .1. A level that is not known is missing.
  const Model model(
      {.schema = Schema({{"colour", Family::categorical}}),
       .labels = {"a"},
       .weights = {},
       .densities = {CategoricalDensity{{Names{"blue", "green", "red"}}, {{{.7, .2, .1}}}}}});
  const std::vector<std::string> colours = {"blue", "green", "red", "amber"};
  RowBlock rows(4);
  rows.feature(colours);
  const Vector score = scores_of(model, rows, {1});
  EXPECT_EQ(score[0], 1);
  EXPECT_NEAR(score[1], .3, 5 * std::sqrt(.21 / 20000));
  EXPECT_NEAR(score[2], .1, 5 * std::sqrt(.09 / 20000));
  EXPECT_EQ(score[3], 1);
}

TEST(Outlier, ComparesDocumentsOfTheSameLength) {
  // Words of probability .9 and .1. Two words: .81, .09 (in two orders), .01. One word: .9, .1.
  const Model model({.schema = Schema::numbered(3, Family::multinomial),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {MultinomialDensity{{{.9, .1, 0}, {.5, .5, 0}}}}});
  const Matrix x = {{2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 1}};
  const Vector score = scores_of(model, RowBlock(x), {1, 0});
  EXPECT_EQ(score[0], 1);
  EXPECT_NEAR(score[1], .19, 5 * std::sqrt(.19 * .81 / 20000));
  EXPECT_NEAR(score[2], .01, 5 * std::sqrt(.01 * .99 / 20000));
  EXPECT_EQ(score[3], 1);
  EXPECT_NEAR(score[4], .1, 5 * std::sqrt(.09 / 20000));
  EXPECT_EQ(score[5], 1);
  EXPECT_EQ(score[6], 0);  // the third word is impossible
  // Sparse rows are the same documents.
  const std::vector<std::int32_t> start = {0, 1, 3, 4, 5, 6, 6, 8},
                                  column = {0, 0, 1, 1, 0, 1, 0, 2};
  const std::vector<double> value = {2, 1, 1, 2, 1, 1, 1, 1};
  const SparseView sparse(7, 3, start.data(), column.data(), value.data());
  EXPECT_EQ(scores_of(model, RowBlock(sparse), {1, 0}), score);
}

TEST(Outlier, NeedsDocumentsOfAWholeLength) {
  const Model model({.schema = Schema::numbered(2, Family::multinomial),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {MultinomialDensity{{{.9, .1}, {.5, .5}}}}});
  EXPECT_THAT(
      testing::message_of<DataError>([&] {
        scores_of(model, RowBlock(Matrix{{2, 0}, {0.5, 0}}), {1, 0});
      }),
      ::testing::AllOf(::testing::HasSubstr("row 1"), ::testing::HasSubstr("whole number")));
}

TEST(Outlier, OfDocumentsBesideNumbersComparesEachLength) {
  // The number says nothing of the words: with a wide Gaussian density all of p(x) that varies over
  // documents is the words', so scores of documents from the model are calibrated.
  const Model model({.schema = Schema({{"x"},
                                       {"w0", Family::multinomial},
                                       {"w1", Family::multinomial},
                                       {"w2", Family::multinomial}}),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {GaussianDensity{Covariance::diag, {{0}, {1}}, {{{1}, {4}}}, {}},
                                   MultinomialDensity{{{.6, .3, .1}, {.1, .3, .6}}}}});
  const Vector mixture = {.5, .5};
  std::vector<double> all;
  for (const Index length : {1, 7, 40}) {
    const Sample fresh = sample(model, 1000, mixture, {.seed = 8, .document_length = length});
    const Vector score = scores_of(model, fresh.rows(), mixture);
    all.insert(all.end(), score.begin(), score.end());
  }
  EXPECT_LT(kolmogorov(all), kolmogorov_bound(3000));
  // Without the number only the words count: one word of .35, .3 or .35 in the mixture.
  const Matrix words = {{std::nan(""), 1, 0, 0}, {std::nan(""), 0, 1, 0}};
  const Vector score = scores_of(model, RowBlock(words), mixture);
  EXPECT_EQ(score[0], 1);
  EXPECT_NEAR(score[1], .3, 5 * std::sqrt(.21 / 20000));
}

TEST(Outlier, ManyLengthsAreServedInPasses) {
  // More lengths than one pass takes; documents of the model of each length are not outliers.
  const Model model({.schema = Schema::numbered(50, Family::multinomial),
                     .labels = {"a"},
                     .weights = {},
                     .densities = {MultinomialDensity{[] {
                       Matrix p(1, 50);
                       for (Index j = 0; j < 50; ++j) p(0, j) = static_cast<double>(j + 1) / 1275;
                       return p;
                     }()}}});
  Matrix x(200, 50);
  for (Index length = 1; length <= 200; ++length) {
    const Sample one =
        sample(model, 1, "a", {.seed = 3, .first_row = length, .document_length = length});
    std::ranges::copy(one.values.row(0), x.row(length - 1).begin());
  }
  const Vector score = scores_of(model, RowBlock(x), {1}, {.samples = 2000});
  EXPECT_LT(kolmogorov({score.begin(), score.end()}), kolmogorov_bound(200, 2000) + 0.02);
}

TEST(Outlier, IsTheSameOnAnyNumberOfThreads) {
  const Vector mixture = {.6, .4};
  Sample fresh = sample(mixed(), 300, mixture, {.seed = 1});
  for (Index i = 0; i < 300; i += 3) fresh.values(i, i % 5) = std::nan("");
  const Vector one = scores_of(mixed(), fresh.rows(), mixture, {}, {.threads = 1});
  for (const int threads : {2, 3, 7})
    EXPECT_EQ(scores_of(mixed(), fresh.rows(), mixture, {}, {.threads = threads}), one) << threads;
  EXPECT_NE(scores_of(mixed(), fresh.rows(), mixture, {.seed = 1}), one);
}

TEST(Outlier, RefusesWhatDoesNotFit) {
  const Model model = gaussian(Covariance::full, {{0}, {1}}, {{{1}}, {{1}}}, {"a", "b"});
  const Matrix values = {{1}, {2}};
  const RowBlock x(values);
  const LogLikelihoods scores = log_likelihood(model, x);
  const Vector even = {.5, .5};
  EXPECT_THAT(message_of([&] {
                outlier_score(model, x, log_likelihood(model, x, {.relative = true}), even);
              }),
              HasSubstr("relative"));
  EXPECT_THAT(message_of([&] { outlier_score(model, RowBlock(Matrix{{1}}), scores, even); }),
              HasSubstr("scores of 2 rows for 1"));
  EXPECT_THAT(message_of([&] {
                outlier_score(model, x, scores, Vector{.5, .6});
              }),
              HasSubstr("sum to 1.1"));
  EXPECT_THAT(message_of([&] { outlier_score(model, x, scores, even, {.samples = 0}); }),
              HasSubstr("samples is 0"));
  EXPECT_NO_THROW(outlier_score(model, x, scores, even, {.samples = 1}));
  LogLikelihoods other = scores;
  other.labels = {"a", "c"};
  EXPECT_THAT(message_of([&] { outlier_score(model, x, other, even); }),
              HasSubstr("other classes"));
  EXPECT_EQ(scores_of(model, RowBlock(Matrix(0, 1)), even).size(), 0);
}

TEST(Outlier, StopsWhenAsked) {
  const Model model = gaussian(Covariance::full, {{0}, {1}}, {{{1}}, {{1}}}, {"a", "b"});
  const Matrix x = {{1}, {2}};
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(scores_of(model, RowBlock(x), {.5, .5}, {}, {.stop = stop.get_token()}), Cancelled);
}

TEST(Outlier, OneScorerForManyBlocksIsAsOneBlock) {
  const Model model = gaussian(Covariance::full, {{0, 0}, {3, 1}},
                               {{{1, 0}, {0, 1}}, {{2, .5}, {.5, 1}}}, {"a", "b"});
  const double gone = std::numeric_limits<double>::quiet_NaN();
  const Matrix x = {{0, 0}, {9, 9}, {gone, 1}, {1, gone}, {2, 2}, {gone, -7}, {gone, gone}};
  const Vector mixture = {.25, .75};
  const Vector whole = scores_of(model, RowBlock(x), {.25, .75});
  OutlierScorer scorer(model, mixture);
  for (Index i = 0; i < x.rows(); ++i) {
    const Matrix row = {{x(i, 0), x(i, 1)}};
    EXPECT_EQ(scorer(RowBlock(row), log_likelihood(model, RowBlock(row)))[0], whole[i]) << i;
  }
}

/// A category of two levels and documents over two words, two classes.
Model category_and_words() {
  const Schema schema(
      {{"kind", Family::categorical}, {"yes", Family::multinomial}, {"no", Family::multinomial}});
  CategoricalDensity kind;
  kind.levels = {Names{"k", "l"}};
  kind.probability = {Matrix{{0.9, 0.1}, {0.3, 0.7}}};
  MultinomialDensity words;
  words.probability = Matrix{{0.8, 0.2}, {0.4, 0.6}};
  return Model({.schema = schema,
                .labels = {"a", "b"},
                .weights = {},
                .densities = {std::move(kind), std::move(words)}});
}

// Every row that such a model makes of three words, one by one: 2 levels × 2³ documents.
TEST(Outlier, OfACategoryBesideWordsIsTheProbabilityOfRowsAsImprobable) {
  const Model model = category_and_words();
  const double prior[] = {0.6, 0.4}, level[][2] = {{0.9, 0.1}, {0.3, 0.7}},
               word[][2] = {{0.8, 0.2}, {0.4, 0.6}};
  // p of a level and a number of the second word in a given order of the words
  const auto density = [&](int kind, int second) {
    double sum = 0;
    for (int c = 0; c < 2; ++c)
      sum += prior[c] * level[c][kind] * std::pow(word[c][0], 3 - second) *
             std::pow(word[c][1], second);
    return sum;
  };
  const int orders[] = {1, 3, 3, 1};
  std::vector<std::string> kinds;
  Matrix counts(8, 2);
  std::vector<double> expected;
  for (int kind = 0; kind < 2; ++kind)
    for (int second = 0; second <= 3; ++second) {
      counts(std::ssize(kinds), 0) = 3 - second;
      counts(std::ssize(kinds), 1) = second;
      kinds.push_back(kind ? "l" : "k");
      double tail = 0;
      for (int k = 0; k < 2; ++k)
        for (int s = 0; s <= 3; ++s)
          if (density(k, s) <= density(kind, second) * (1 + 1e-9))
            tail += orders[s] * density(k, s);
      expected.push_back(tail);
    }
  RowBlock rows(8);
  rows.feature(Column(kinds)).features(MatrixView(counts));
  const Vector found = scores_of(model, rows, Vector{0.6, 0.4});
  for (Index i = 0; i < 8; ++i) EXPECT_NEAR(found[i], expected[i], 0.015) << i;  // 4 deviations
}

TEST(Outlier, TakesAsManySamplesAsTheLevelNeeds) {
  const Model model = category_and_words();
  const std::vector<std::string> kind{"l"};
  const Matrix counts{{4, 36}};  // 8 of 40 are expected
  RowBlock rows(1);
  rows.feature(Column(kind)).features(MatrixView(counts));
  const Vector mixture{1, 0};
  const double rare = scores_of(model, rows, mixture)[0];
  EXPECT_EQ(rare, 1 / 20001.0);  // no sample is as improbable
  EXPECT_LE(scores_of(model, rows, mixture, {.level = 1e-5})[0], 1e-5);
  EXPECT_EQ(scores_of(model, rows, mixture, {.level = 1e-3})[0], rare);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { scores_of(model, rows, mixture, {.level = 1e-7}); }),
      HasSubstr("use 1e-06 or more"));
  // One Gaussian has tails in closed form: any level.
  const Model one = gaussian(Covariance::full, Matrix{{0}}, {Matrix{{1}}}, {"a"});
  EXPECT_LT(scores_of(one, RowBlock(Matrix{{8}}), Vector{1}, {.level = 1e-12})[0], 1e-12);
}

}  // namespace
}  // namespace suffice::outlier_test
