#include "suffice/train/logistic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "data/folds.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/io/file.hpp"
#include "suffice/score/block_scores.hpp"
#include "support/message_of.hpp"

namespace suffice {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// Rows of numbers, a level, a flag and a count; classes overlap.
struct MixedRows {
  Matrix numbers;
  std::vector<std::string> level, label;
  Vector flag, count, weight;

  MixedRows(Index n, Index classes, unsigned seed) : numbers(n, 3), flag(n), count(n), weight(n) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    for (Index i = 0; i < n; ++i) {
      const auto c = static_cast<double>(i % classes);
      label.push_back(std::string(1, static_cast<char>('a' + i % classes)));
      const double common = normal(generator);
      numbers(i, 0) = 1000 + 0.8 * c + common;
      numbers(i, 1) = 20 * (normal(generator) * (1 + 0.3 * c) + common);
      numbers(i, 2) = 0.01 * (normal(generator) - 0.5 * c);
      level.push_back(uniform(generator) < 0.3 + 0.1 * c ? "red" : i % 2 ? "green" : "blue");
      flag[i] = uniform(generator) < 0.2 + 0.2 * c ? 1 : 0;
      count[i] = std::floor(3 * uniform(generator) + c);
      weight[i] = static_cast<double>(i % 3) + (i % 2 ? 0 : 0.5);
    }
  }

  Schema schema() const {
    return Schema({{"x"},
                   {"y"},
                   {"z"},
                   {"level", Family::categorical},
                   {"flag", Family::bernoulli},
                   {"count", Family::poisson}});
  }
  RowBlock rows() const {
    RowBlock block(numbers.rows());
    return block.features(numbers)
        .feature(level)
        .feature(flag)
        .feature(count)
        .labels(label)
        .weights(weight);
  }
  RowPass pass() const {
    return [this](const auto& use) { use(rows()); };
  }
  Model generative(Covariance covariance) const {
    return estimate(Statistics(schema()).update(rows()), {.covariance = covariance});
  }

  /// The terms as the header defines them, of rows as they are.
  std::vector<double> terms(Index i, Covariance covariance, const Vector& origin) const {
    std::vector<double> result;
    for (Index j = 0; j < 3; ++j) result.push_back(numbers(i, j));
    for (Index j = 0; j < 3 && !is_tied(covariance); ++j)
      for (Index k = j; k < (covariance == Covariance::full ? 3 : j + 1); ++k)
        result.push_back((numbers(i, j) - origin[j]) * (numbers(i, k) - origin[k]));
    for (const char* const name : {"blue", "green", "red"})
      result.push_back(level[static_cast<std::size_t>(i)] == name ? 1 : 0);
    result.push_back(flag[i]);
    result.push_back(count[i]);
    return result;
  }
};

/// P(c | x) by the formula of the header.
std::vector<double> posterior(const Logistic& twin, const std::vector<double>& terms) {
  std::vector<double> z(static_cast<std::size_t>(twin.intercept.size()));
  for (Index c = 0; c < twin.intercept.size(); ++c) {
    z[c] = twin.intercept[c];
    for (Index t = 0; t < twin.center.size(); ++t)
      z[c] += twin.weights(c, t) * (terms[t] - twin.center[t]);
  }
  const double largest = *std::ranges::max_element(z);
  for (double& value : z) value = std::exp(value - largest);
  const double sum = std::accumulate(z.begin(), z.end(), 0.0);
  for (double& value : z) value /= sum;
  return z;
}

struct Form {
  Covariance covariance;
  Index classes;
  double penalty;
  bool standardize;
};

class LogisticOf : public ::testing::TestWithParam<Form> {};

/// The loss is strictly convex, so that its minimum is where its derivatives are 0.
TEST_P(LogisticOf, DerivativesVanish) {
  const auto [covariance, classes, penalty, standardize] = GetParam();
  const MixedRows data(400, classes, 7);
  const LogisticFit fit = fit_logistic(data.generative(covariance), data.pass(),
                                       {.penalty = penalty, .standardize = standardize});
  ASSERT_TRUE(fit.converged);
  const Logistic& twin = *fit.model.logistic();
  const Index terms = twin.center.size();
  Matrix gradient(classes, terms + 1);
  Vector mean(terms), square(terms);
  double total = 0;
  for (Index i = 0; i < data.numbers.rows(); ++i) {
    const std::vector<double> of = data.terms(i, covariance, twin.origin);
    ASSERT_EQ(std::ssize(of), terms);
    const std::vector<double> p = posterior(twin, of);
    total += data.weight[i];
    for (Index t = 0; t < terms; ++t) {
      mean[t] += data.weight[i] * of[t];
      square[t] += data.weight[i] * (of[t] - twin.center[t]) * (of[t] - twin.center[t]);
    }
    for (Index c = 0; c < classes; ++c) {
      const bool own = data.label[static_cast<std::size_t>(i)][0] == 'a' + c;
      const double residual = data.weight[i] * (p[c] - own);
      for (Index t = 0; t < terms; ++t)
        gradient(c, t) += residual * (of[t] - twin.center[t]) / twin.scale[t];
      gradient(c, terms) += residual;
    }
  }
  for (Index t = 0; t < terms; ++t) {
    EXPECT_NEAR(twin.center[t], mean[t] / total, 1e-9 * (1 + std::abs(twin.center[t]))) << t;
    EXPECT_NEAR(twin.scale[t], std::sqrt(square[t] / total), 1e-9 * twin.scale[t]) << t;
  }
  // Two classes: ½ λ |w_a − w_b|², whose derivative is λ (w_a − w_b) = 2 λ w_a.
  const double factor = penalty * (classes == 2 ? 2 : 1);
  for (Index c = 0; c < classes; ++c) {
    for (Index t = 0; t < terms; ++t) {
      const double scale = standardize ? twin.scale[t] : 1 / twin.scale[t];
      const double derivative = gradient(c, t) + factor * twin.weights(c, t) * scale;
      EXPECT_NEAR(derivative, 0, 1e-6) << c << ' ' << t;
    }
    EXPECT_NEAR(gradient(c, terms), 0, 1e-6) << c;
  }
  for (Index t = 0; t < terms; ++t) EXPECT_NEAR(twin.weights.map().col(t).sum(), 0, 1e-9);
}

/// Scores with the training prior are log P(c | x), up to a term that classes share.
TEST_P(LogisticOf, ScoresArePosteriors) {
  const auto [covariance, classes, penalty, standardize] = GetParam();
  const MixedRows data(200, classes, 3);
  const Model model = fit_logistic(data.generative(covariance), data.pass(),
                                   {.penalty = penalty, .standardize = standardize})
                          .model;
  const LogLikelihoods scores = log_likelihood(model, data.rows());
  EXPECT_TRUE(scores.relative);
  const Matrix found = posteriors(scores, Priors::from_counts(model));
  for (Index i = 0; i < data.numbers.rows(); ++i) {
    const std::vector<double> p =
        posterior(*model.logistic(), data.terms(i, covariance, model.logistic()->origin));
    for (Index c = 0; c < classes; ++c) EXPECT_NEAR(found(i, c), p[c], 1e-9) << i;
  }
  const LogLikelihoods added = added_up(block_scores(model, data.rows()));
  EXPECT_TRUE(added.relative);
  for (Index k = 0; k < scores.values.size(); ++k)
    EXPECT_NEAR(added.values.data()[k], scores.values.data()[k], 1e-9);
  EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, LogisticOf,
    ::testing::Values(Form{Covariance::tied, 3, 1, true}, Form{Covariance::tied, 2, 1, true},
                      Form{Covariance::tied_diag, 4, 0.1, true}, Form{Covariance::diag, 3, 1, true},
                      Form{Covariance::full, 3, 10, true}, Form{Covariance::full, 2, 0.5, true},
                      Form{Covariance::tied, 3, 1, false},
                      Form{Covariance::spherical, 2, 2, false}));

/// One flag and no penalty: the log-odds are those of the counts, and their variance is the sum of
/// the inverse counts.
TEST(LogisticTest, OneFlagIsATableOfCounts) {
  const std::vector<double> flag = {1, 0, 1, 0};
  const std::vector<std::string> label = {"a", "a", "b", "b"};
  const std::vector<double> weight = {7, 3, 2, 8};
  RowBlock rows(4);
  rows.feature(flag).labels(label).weights(weight);
  const Model generative = estimate(Statistics(Schema({{"f", Family::bernoulli}})).update(rows));
  const LogisticFit fit =
      fit_logistic(generative, [&](const auto& use) { use(rows); }, {.penalty = 0});
  ASSERT_TRUE(fit.converged && !fit.separable);
  const Logistic& twin = *fit.model.logistic();
  const Vector intercept = intercept_at_zero(twin);
  EXPECT_NEAR(twin.weights(0, 0) - twin.weights(1, 0), std::log(7. / 2) - std::log(3. / 8), 1e-9);
  EXPECT_NEAR(intercept[0] - intercept[1], std::log(3. / 8), 1e-9);
  EXPECT_NEAR(2 * twin.errors(0, 0), std::sqrt(1. / 7 + 1. / 3 + 1. / 2 + 1. / 8), 1e-9);
  EXPECT_NEAR(2 * twin.intercept_errors[1], std::sqrt(1. / 3 + 1. / 8), 1e-9);
}

TEST(LogisticTest, AWeightIsARowSeveralTimes) {
  const MixedRows data(90, 3, 5);
  MixedRows repeated(0, 3, 5);
  std::vector<Index> rows;
  for (Index i = 0; i < 90; ++i)
    for (Index k = 0; k < i % 3; ++k) rows.push_back(i);
  repeated.numbers = Matrix(std::ssize(rows), 3);
  repeated.flag = Vector(std::ssize(rows));
  repeated.count = Vector(std::ssize(rows));
  repeated.weight = Vector(std::ssize(rows));
  MixedRows weighted = data;
  for (Index i = 0; i < 90; ++i) weighted.weight[i] = static_cast<double>(i % 3);
  weighted.label[0] = "";  // of weight 0: never looked at
  weighted.numbers(3, 0) = std::numeric_limits<double>::infinity();
  for (Index r = 0; r < std::ssize(rows); ++r) {
    const Index i = rows[r];
    for (Index j = 0; j < 3; ++j) repeated.numbers(r, j) = data.numbers(i, j);
    repeated.level.push_back(data.level[i]);
    repeated.label.push_back(data.label[i]);
    repeated.flag[r] = data.flag[i];
    repeated.count[r] = data.count[i];
    repeated.weight[r] = 1;
  }
  const auto fitted = [](const MixedRows& of) {
    return fit_logistic(of.generative(Covariance::tied), of.pass(), {.penalty = 1}).model;
  };
  const Model a = fitted(weighted), b = fitted(repeated);
  for (Index k = 0; k < a.logistic()->weights.size(); ++k)
    EXPECT_NEAR(a.logistic()->weights.data()[k], b.logistic()->weights.data()[k],
                1e-7 * (1 + std::abs(b.logistic()->weights.data()[k])));
}

TEST(LogisticTest, ThreadsChangeNoBitAndCutsOnlyRounding) {
  const MixedRows data(5000, 4, 9);
  const Model generative = data.generative(Covariance::full);
  const Model one = fit_logistic(generative, data.pass(), {.penalty = 1}, {.threads = 1}).model;
  const Model three = fit_logistic(generative, data.pass(), {.penalty = 1}, {.threads = 3}).model;
  EXPECT_EQ(one, three);
  const RowPass cut = [&](const auto& use) {
    for (Index first = 0; first < 5000; first += 777)
      use(data.rows().slice(first, std::min<Index>(777, 5000 - first)));
  };
  const Model pieces = fit_logistic(generative, cut, {.penalty = 1}).model;
  for (Index k = 0; k < one.logistic()->weights.size(); ++k)
    EXPECT_NEAR(one.logistic()->weights.data()[k], pieces.logistic()->weights.data()[k],
                1e-7 * (1 + std::abs(one.logistic()->weights.data()[k])));
}

/// What is missing in a joint block is its conditional mean, averaged over the classes by their
/// posteriors given what is there.
TEST(LogisticTest, MissingNumbersAreExpectedOnes) {
  MixedRows data(120, 2, 11);
  const Model generative = data.generative(Covariance::full);
  const LogisticFit fit = fit_logistic(generative, data.pass(), {.penalty = 1});
  EXPECT_EQ(fit.filled, 0);
  const auto& density = std::get<GaussianDensity>(generative.densities()[0]);
  const double x = data.numbers(0, 0), z = data.numbers(0, 2);
  // y given (x, z), by the formula with a 2 × 2 inverse.
  double sum = 0, total = 0;
  for (Index c = 0; c < 2; ++c) {
    const Matrix& s = density.covariance[c];
    const double dx = x - density.mean(c, 0), dz = z - density.mean(c, 2);
    const double det = s(0, 0) * s(2, 2) - s(0, 2) * s(0, 2);
    const double u = (s(2, 2) * dx - s(0, 2) * dz) / det, v = (s(0, 0) * dz - s(0, 2) * dx) / det;
    const double p = generative.weights()[c] / std::sqrt(det) * std::exp(-0.5 * (dx * u + dz * v));
    sum += p * (density.mean(c, 1) + s(0, 1) * u + s(1, 2) * v);
    total += p;
  }
  MixedRows filled = data;
  filled.numbers(0, 1) = sum / total;
  data.numbers(0, 1) = absent;
  const auto scores = [&](const MixedRows& of) { return log_likelihood(fit.model, of.rows()); };
  for (Index c = 0; c < 2; ++c)
    EXPECT_NEAR(scores(data).values(0, c), scores(filled).values(0, c), 1e-9);

  // An unknown level has the shares of the levels.
  MixedRows unknown = filled;
  unknown.level[0] = "yellow";
  const LogLikelihoods found = scores(unknown);
  EXPECT_EQ(found.unknown_levels[3], 1);
  const auto& levels = std::get<CategoricalDensity>(generative.densities()[1]);
  const Logistic& twin = *fit.model.logistic();
  std::vector<double> terms = filled.terms(0, Covariance::full, twin.origin);
  const double weight = generative.weights().map().sum();
  for (Index l = 0; l < 3; ++l)
    terms[9 + l] = (generative.weights()[0] * levels.probability[0](0, l) +
                    generative.weights()[1] * levels.probability[0](1, l)) /
                   weight;
  const Matrix p = posteriors(found, Priors::from_counts(fit.model));
  EXPECT_NEAR(p(0, 0), posterior(twin, terms)[0], 1e-9);
}

TEST(LogisticTest, MissingNumbersOfTrainingAreFilledIn) {
  MixedRows data(150, 3, 13);
  const Model generative = data.generative(Covariance::diag);
  const auto& density = std::get<GaussianDensity>(generative.densities()[0]);
  MixedRows filled = data;
  for (Index i = 0; i < 150; i += 7) {
    double mean = 0;
    for (Index c = 0; c < 3; ++c) mean += generative.weights()[c] * density.mean(c, 1);
    filled.numbers(i, 1) = mean / generative.weights().map().sum();
    data.numbers(i, 1) = absent;
  }
  const LogisticFit a = fit_logistic(generative, data.pass(), {.penalty = 1});
  const LogisticFit b = fit_logistic(generative, filled.pass(), {.penalty = 1});
  Index missing = 0;
  for (Index i = 0; i < 150; i += 7) missing += data.weight[i] > 0;
  EXPECT_EQ(a.filled, missing);
  EXPECT_THAT(a.model.parts().found.filled_values, ::testing::ElementsAre(missing));
  for (Index k = 0; k < a.model.logistic()->weights.size(); ++k)
    EXPECT_NEAR(a.model.logistic()->weights.data()[k], b.model.logistic()->weights.data()[k], 1e-7);
}

TEST(LogisticTest, SeparableClassesEndInFiniteWeights) {
  const std::vector<double> x = {1, 2, 3, 5, 6, 7};
  const std::vector<std::string> label = {"a", "a", "a", "b", "b", "b"};
  RowBlock rows(6);
  rows.feature(x).labels(label);
  const Model generative =
      estimate(Statistics(Schema({{"x"}})).update(rows), {.covariance = Covariance::tied});
  const RowPass pass = [&](const auto& use) { use(rows); };
  const LogisticFit fit = fit_logistic(generative, pass, {.penalty = 0});
  EXPECT_TRUE(fit.separable);
  EXPECT_THAT(fit.model.parts().found.separable, ::testing::ElementsAre(1));
  EXPECT_TRUE(std::isfinite(fit.model.logistic()->weights(0, 0)));
  EXPECT_LT(fit.log_loss, 1e-6);
  EXPECT_FALSE(fit_logistic(generative, pass, {.penalty = 0.1}).separable);
}

/// Terms that follow from others leave the posteriors as they are.
TEST(LogisticTest, DependentTermsDoNotMatterWithoutAPenalty) {
  const MixedRows data(300, 2, 17);
  Matrix twice(300, 4);
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 4; ++j) twice(i, j) = data.numbers(i, j % 3);
  const auto fitted = [&](const Matrix& x) {
    const RowBlock rows(MatrixView(x), Column(data.label));
    const Model generative = estimate(Statistics(Schema::numbered(x.cols())).update(rows),
                                      {.covariance = Covariance::tied_diag});
    return posteriors(
        log_likelihood(
            fit_logistic(generative, [&](const auto& use) { use(rows); }, {.penalty = 0}).model,
            rows),
        Priors::from_counts(generative));
  };
  const Matrix once = fitted(data.numbers), both = fitted(twice);
  for (Index i = 0; i < 300; ++i) EXPECT_NEAR(once(i, 0), both(i, 0), 1e-7);
}

TEST(LogisticTest, ThePenaltyIsThatOfTheBestFolds) {
  const MixedRows data(200, 3, 19);
  const Model generative = data.generative(Covariance::full);
  const LogisticFit fit = fit_logistic(generative, data.pass());
  ASSERT_GE(fit.tried.size(), 5u);
  const auto best = std::ranges::min_element(fit.tried, {}, &TriedPenalty::log_loss);
  EXPECT_EQ(fit.penalty, best->penalty);
  // The same by refits.
  std::vector<std::int32_t> label;
  for (Index i = 0; i < 200; ++i)
    label.push_back(data.weight[i] > 0 ? data.label[static_cast<std::size_t>(i)][0] - 'a' : -1);
  const std::vector<std::int32_t> fold =
      Folds::dealt(5, 0).next(generative.labels(), label.data(), 200, Column(), nullptr);
  double loss = 0, weight = 0;
  for (Index f = 0; f < 5; ++f) {
    MixedRows others = data;
    for (Index i = 0; i < 200; ++i)
      if (fold[static_cast<std::size_t>(i)] == f) others.weight[i] = 0;
    const Model model = fit_logistic(generative, others.pass(), {.penalty = best->penalty}).model;
    const Logistic& twin = *model.logistic();
    for (Index i = 0; i < 200; ++i) {
      if (fold[static_cast<std::size_t>(i)] != f) continue;
      const std::vector<double> p = posterior(twin, data.terms(i, Covariance::full, twin.origin));
      loss -=
          data.weight[i] *
          std::log(p[static_cast<std::size_t>(data.label[static_cast<std::size_t>(i)][0] - 'a')]);
      weight += data.weight[i];
    }
  }
  // Standardised by all rows there, by those of the other folds here.
  EXPECT_NEAR(best->log_loss, loss / weight, 0.02);
  EXPECT_THAT(fit.model.parts().found.weight_penalty, ::testing::ElementsAre(fit.penalty));
}

/// Every fifth row is of a kind and a class of its own. Were all of them in one fold, the rows
/// outside it would know nothing of either.
TEST(LogisticTest, FoldsHaveNothingToDoWithThePeriodOfTheRows) {
  std::mt19937 generator(29);
  std::normal_distribution<double> normal;
  Matrix x(400, 1);
  std::vector<std::string> kind, label;
  for (Index i = 0; i < 400; ++i) {
    kind.push_back("k" + std::to_string(i % 5));
    label.push_back(std::string(1, i % 5 == 3 ? 'a' : i / 5 % 3 ? 'b' : 'c'));
    x(i, 0) = normal(generator);
  }
  const Schema schema({{"x"}, {"kind", Family::categorical}});
  const RowBlock rows = RowBlock(400).features(x).feature(kind).labels(label);
  const Model generative =
      estimate(Statistics(schema).update(rows), {.covariance = Covariance::tied});
  const RowPass pass = [&](const auto& use) { use(rows); };
  const auto best = [&](std::uint64_t seed, int threads) {
    const LogisticFit fit = fit_logistic(generative, pass, {.seed = seed}, {.threads = threads});
    return std::ranges::min_element(fit.tried, {}, &TriedPenalty::log_loss)->log_loss;
  };
  // Of four fifths of the rows nothing is known but the shares of two classes, two to one.
  const double entropy = 0.8 * (std::log(3.0) - 2.0 / 3 * std::log(2.0));
  EXPECT_NEAR(best(0, 1), entropy, 0.05);
  EXPECT_EQ(best(0, 1), best(0, 3));
  EXPECT_NE(best(0, 1), best(1, 1));
}

TEST(LogisticTest, WhatIsImpossibleIsRefused) {
  const MixedRows data(30, 2, 23);
  const Model generative = data.generative(Covariance::tied);
  const auto refused = [&](const LogisticOptions& options) {
    return message_of<InvalidArgument>([&] { fit_logistic(generative, data.pass(), options); });
  };
  EXPECT_THAT(refused({.penalty = -1}), HasSubstr("at least 0"));
  EXPECT_THAT(refused({.folds = 1}), HasSubstr("folds"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                estimate(Statistics(data.schema()).update(data.rows()), {.discriminative = true});
              }),
              HasSubstr("passes over rows"));
  MixedRows other = data;
  other.label[0] = "z";
  other.weight[0] = 1;
  EXPECT_THAT(message_of<InvalidArgument>([&] { fit_logistic(generative, other.pass()); }),
              HasSubstr("a class that the model does not know"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(fit_logistic(generative, data.pass(), {}, {.stop = stop.get_token()}), Cancelled);
}

TEST(LogisticTest, TermsHaveNames) {
  const MixedRows data(30, 2, 29);
  const auto names = [&](Covariance covariance) {
    std::vector<std::string> result;
    for (const LogisticTerm& term : logistic_terms(data.generative(covariance)))
      result.push_back(term.name);
    return result;
  };
  EXPECT_THAT(names(Covariance::tied),
              ::testing::ElementsAre("x", "y", "z", "level=blue", "level=green", "level=red",
                                     "flag", "count"));
  EXPECT_THAT(names(Covariance::full),
              ::testing::ElementsAre("x", "y", "z", "x²", "x·y", "x·z", "y²", "y·z", "z²",
                                     "level=blue", "level=green", "level=red", "flag", "count"));
}

}  // namespace
}  // namespace suffice
