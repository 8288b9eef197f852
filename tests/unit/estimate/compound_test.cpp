// Negative binomial counts and Dirichlet-multinomial documents: the predictive densities of Poisson
// and multinomial families. Values of SciPy are in tests/reference/shrinkage.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/inspect/discriminant.hpp"
#include "suffice/io/file.hpp"
#include "suffice/sample/sample.hpp"
#include "suffice/score/outlier.hpp"
#include "support/message_of.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::compound_test {
namespace {

using nlohmann::json;
using testing::count_statistics;
using ::testing::HasSubstr;
using testing::message_of;

json counts() {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/shrinkage.json");
  return json::parse(file)["counts"];
}

Model model_of(Family family, Density density, Index features,
               std::vector<std::string> labels = {"a"}) {
  return Model({.schema = Schema::numbered(features, family),
                .labels = Names(labels),
                .weights = {},
                .densities = {std::move(density)}});
}

TEST(NegativeBinomial, IsSciPys) {
  const json expected = counts();
  const Model model = model_of(
      Family::poisson,
      PoissonDensity{{{expected["rate"].get<double>()}}, {{expected["shape"].get<double>()}}}, 1);
  for (const json& value : expected["negative_binomial"]) {
    const Matrix x{{value[0].get<double>()}};
    EXPECT_NEAR(log_likelihood(model, x).values(0, 0), value[1],
                1e-12 * std::abs(value[1].get<double>()));
  }
}

TEST(NegativeBinomial, SumsToOneAndHasItsMean) {
  const Model model = model_of(Family::poisson, PoissonDensity{{{2.5, 0.5}}, {{0.75, 10}}}, 2);
  for (const Index feature : {0, 1}) {
    double sum = 0, mean = 0;
    for (double k = 0; k < 400; ++k) {
      Matrix x{{std::nan(""), std::nan("")}};
      x(0, feature) = k;
      const double p = std::exp(log_likelihood(model, x).values(0, 0));
      sum += p;
      mean += k * p;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(mean, feature == 0 ? 2.5 : 0.5, 1e-11);
  }
}

TEST(NegativeBinomial, IsThePredictiveDensity) {
  // Class a: 2 rows with the sum 7; α = 1 row at the rate of both classes together, 10 / 5.
  const Statistics statistics = count_statistics(Family::poisson, {"a", "b"}, {2, 3}, {{7}, {3}});
  const Model model = estimate(statistics, {.inference = Inference::bayes});
  const auto& density = std::get<PoissonDensity>(model.densities()[0]);
  EXPECT_DOUBLE_EQ(density.shape(0, 0), 9);
  EXPECT_DOUBLE_EQ(density.rate(0, 0), 3);
  // ∫ Poisson(4; λ) Gamma(λ; 9, 3) dλ
  double integral = 0;
  const double step = 1e-3;
  for (double rate = step; rate < 60; rate += step)
    integral += step * std::exp(4 * std::log(rate) - rate - std::log(24.) + 9 * std::log(3.) +
                                8 * std::log(rate) - 3 * rate - std::lgamma(9.));
  const Matrix x{{4}};
  EXPECT_NEAR(log_likelihood(model, x).values(0, 0), std::log(integral), 1e-9);
}

TEST(NegativeBinomial, ExcludesWhatNoClassHas) {
  const Statistics statistics =
      count_statistics(Family::poisson, {"a", "b"}, {2, 3}, {{0, 4}, {0, 3}});
  const Model model = estimate(statistics, {.inference = Inference::bayes});
  const Matrix x{{0, 1}, {3, 1}};
  const Matrix got = log_likelihood(model, x).values;
  EXPECT_TRUE(std::isfinite(got(0, 0)));
  EXPECT_EQ(got(1, 0), -std::numeric_limits<double>::infinity());
}

Model documents(const json& expected) {
  const auto p = expected["probability"].get<std::vector<double>>();
  return model_of(Family::multinomial,
                  MultinomialDensity{{{p[0], p[1], p[2], p[3]}, {0.1, 0.1, 0.4, 0.4}},
                                     {expected["concentration"].get<double>(), 3}},
                  4, {"a", "b"});
}

TEST(DirichletMultinomial, IsSciPys) {
  const json expected = counts();
  const Model model = documents(expected);
  for (const json& value : expected["documents"]) {
    const auto words = value[0].get<std::vector<double>>();
    const Matrix x{{words[0], words[1], words[2], words[3]}};
    EXPECT_NEAR(log_likelihood(model, x).values(0, 0), value[1],
                1e-12 * (1 + std::abs(value[1].get<double>())));
  }
}

TEST(DirichletMultinomial, OfSparseRowsIsThatOfDenseOnes) {
  const Model model = documents(counts());
  const Matrix dense{{5, 0, 2, 0}, {0, 0, 0, 0}, {0, 1, 0, 30}};
  const std::vector<double> values{5, 2, 1, 0, 30};
  const std::vector<std::int32_t> column{0, 2, 1, 2, 3}, start{0, 2, 2, 5};
  const SparseView sparse(3, 4, start.data(), column.data(), values.data());
  const Matrix expected = log_likelihood(model, dense).values;
  const Matrix got = log_likelihood(model, RowBlock(sparse)).values;
  for (Index k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got.data()[k], expected.data()[k], 1e-12 * (1 + std::abs(expected.data()[k])));
}

TEST(DirichletMultinomial, OfAllSequencesSumsToOne) {
  const Model model = documents(counts());
  double sum = 0;
  for (int code = 0; code < 4 * 4 * 4 * 4; ++code) {
    Matrix x(1, 4);
    for (int word = 0, rest = code; word < 4; ++word, rest /= 4) ++x(0, rest % 4);
    sum += std::exp(log_likelihood(model, x).values(0, 1));
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(DirichletMultinomial, IsThePredictiveDensity) {
  const Statistics statistics =
      count_statistics(Family::multinomial, {"a", "b"}, {2, 3}, {{7, 3}, {1, 1}});
  const Model model = estimate(statistics, {.smoothing = 0.5, .inference = Inference::bayes});
  const auto& density = std::get<MultinomialDensity>(model.densities()[0]);
  EXPECT_DOUBLE_EQ(density.concentration[0], 11);
  EXPECT_DOUBLE_EQ(density.probability(0, 0), 7.5 / 11);
  // x, x, y in this order: 7.5/11 · 8.5/12 · 3.5/13
  const Matrix x{{2, 1}};
  EXPECT_NEAR(log_likelihood(model, x).values(0, 0), std::log(7.5 / 11 * 8.5 / 12 * 3.5 / 13),
              1e-14);
}

TEST(Compound, SamplesHaveItsProbabilities) {
  const Model poisson = model_of(Family::poisson, PoissonDensity{{{2.5}}, {{0.75}}}, 1);
  const Index n = 40000;
  const Sample rows = sample(poisson, n, "a", {.seed = 3});
  for (double k = 0; k < 6; ++k) {
    Index found = 0;
    for (Index i = 0; i < n; ++i) found += rows.values(i, 0) == k ? 1 : 0;
    const Matrix x{{k}};
    const double p = std::exp(log_likelihood(poisson, x).values(0, 0));
    EXPECT_NEAR(static_cast<double>(found), p * static_cast<double>(n),
                4 * std::sqrt(p * static_cast<double>(n)));
  }
  const Model words = documents(counts());
  const Sample texts = sample(words, n, "b", {.seed = 4, .document_length = 3});
  std::map<std::vector<double>, double> found;
  for (Index i = 0; i < n; ++i)
    found[{texts.values.row(i).begin(), texts.values.row(i).end()}] += 1;
  for (const auto& [counts_of, times] : found) {
    double orders = 6;  // of the three words
    for (const double k : counts_of) orders /= std::tgamma(k + 1);
    Matrix x(1, 4);
    std::ranges::copy(counts_of, x.row(0).begin());
    const double p = orders * std::exp(log_likelihood(words, x).values(0, 1));
    EXPECT_NEAR(times, p * static_cast<double>(n), 4.5 * std::sqrt(p * static_cast<double>(n)));
  }
}

TEST(Compound, TailsOfItsOwnRowsAreUniform) {
  // Document by document (the lengths of one pass), and together with another block.
  const Model words = documents(counts());
  const Index n = 4000;
  const Sample texts = sample(words, n, "b", {.seed = 8, .document_length = 25});
  const Vector score =
      outlier_score(words, texts.rows(), log_likelihood(words, texts.rows()), Vector{0, 1});
  for (const double level : {0.05, 0.2, 0.5}) {
    double below = 0;
    for (const double value : score) below += value <= level ? 1 : 0;
    EXPECT_NEAR(below / static_cast<double>(n), level, 0.03) << level;
  }
}

TEST(Compound, IsSavedLoadedCheckedAndHasNoDiscriminant) {
  const Model words = documents(counts());
  const Model poisson = model_of(Family::poisson, PoissonDensity{{{2.5}}, {{0.75}}}, 1);
  EXPECT_EQ(model_from_bytes(to_bytes(words)), words);
  EXPECT_EQ(model_from_bytes(to_bytes(poisson)), poisson);
  EXPECT_THAT(message_of([&] { discriminant(words, "a"); }), HasSubstr("no discriminant"));
  EXPECT_THAT(message_of([&] { discriminant(poisson, "a"); }), HasSubstr("no discriminant"));
  EXPECT_THAT(message_of([] {
                model_of(Family::poisson, PoissonDensity{{{2.5}}, {{0}}}, 1);
              }),
              HasSubstr("shape of class 'a' is 0"));
  EXPECT_THAT(message_of([] {
                model_of(Family::multinomial, MultinomialDensity{{{0.5, 0.5}}, {1, 2}}, 2);
              }),
              HasSubstr("one concentration per class"));
}

TEST(Compound, SingleDrawsAreTheSameNumbers) {
  const Statistics bernoulli =
      count_statistics(Family::bernoulli, {"a", "b"}, {2, 3}, {{1, 2}, {3, 0}});
  EXPECT_EQ(estimate(bernoulli, {.inference = Inference::bayes}).densities(),
            estimate(bernoulli).densities());
  EXPECT_EQ(estimate(bernoulli, {.inference = Inference::map}).densities(),
            estimate(bernoulli).densities());
}

}  // namespace
}  // namespace suffice::compound_test
