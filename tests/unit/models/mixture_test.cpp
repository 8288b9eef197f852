#include "suffice/train/mixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stop_token>

#include "suffice/suffice.hpp"
#include "support/message_of.hpp"

namespace suffice {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

/// Class "a" has two humps far apart, class "b" one between them.
struct Humps {
  Matrix x;
  std::vector<std::string> labels;

  explicit Humps(Index n, Index d = 1, unsigned seed = 1) : x(n, d) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < n; ++i) {
      labels.push_back(i % 4 == 3 ? "b" : "a");
      const double center = i % 4 == 3 ? 0 : i % 4 == 0 ? -5 : 5;
      for (Index j = 0; j < d; ++j) x(i, j) = center + normal(generator);
    }
  }
  RowBlock rows() const { return RowBlock(MatrixView(x), Column(labels)); }
  Statistics statistics() const { return Statistics(Schema::numbered(x.cols())).update(rows()); }
  RowPass pass() const {
    return [this](const auto& use) { use(rows()); };
  }
};

/// One feature; "a" is 0.3 N(−2, 1) + 0.7 N(1, 4), "b" is N(0, 1).
Model by_hand() {
  Mixture mixture = mixture_of(Names{"a", "b"}, std::vector<Index>{2, 1});
  mixture.weights = Vector(std::vector<double>{3, 7, 5});
  Matrix mean(3, 1), variance(3, 1);
  mean(0, 0) = -2;
  mean(1, 0) = 1;
  variance(0, 0) = 1;
  variance(1, 0) = 4;
  variance(2, 0) = 1;
  return Model({.schema = Schema::numbered(1),
                .labels = Names{"a", "b"},
                .weights = {},
                .densities = {GaussianDensity{Covariance::diag, mean, {variance}}},
                .mixture = mixture});
}

double normal_density(double x, double mean, double variance) {
  return std::exp(-0.5 * (x - mean) * (x - mean) / variance) / std::sqrt(2 * M_PI * variance);
}
double density_of_a(double x) {
  return 0.3 * normal_density(x, -2, 1) + 0.7 * normal_density(x, 1, 4);
}

TEST(Mixture, ScoresAreThoseWorkedByHand) {
  const Model model = by_hand();
  const Matrix x = [] {
    Matrix values(4, 1);
    values(0, 0) = -2;
    values(1, 0) = 0.5;
    values(2, 0) = 30;
    values(3, 0) = std::nan("");
    return values;
  }();
  const LogLikelihoods scores = log_likelihood(model, x);
  EXPECT_TRUE(scores.labels == (Names{"a", "b"}));
  for (const Index i : {0, 1, 2})
    EXPECT_NEAR(scores.values(i, 0), std::log(density_of_a(x(i, 0))), 1e-12);
  EXPECT_NEAR(scores.values(1, 1), std::log(normal_density(0.5, 0, 1)), 1e-13);
  EXPECT_NEAR(scores.values(3, 0), 0, 1e-15);  // nothing is known: probability 1
  EXPECT_EQ(best_class(model, x)[0], 0);
  EXPECT_EQ(score_parts(model.parts()), 1);
  EXPECT_EQ(block_scores(model, x).values.size(), 1u);
}

TEST(Mixture, OutliersAreJudgedByTheWholeMixture) {
  const Model model = by_hand();
  Matrix x(2, 1);
  x(0, 0) = 12;
  x(1, 0) = 0;
  const std::vector<double> classes{1, 0};
  const Vector scores = outlier_score(model, x, log_likelihood(model, x), classes);
  // The share of rows with a density that is as low, by summing the density.
  for (const Index i : {0, 1}) {
    double tail = 0;
    for (double z = -40; z < 40; z += 1e-3)
      if (density_of_a(z) <= density_of_a(x(i, 0))) tail += 1e-3 * density_of_a(z);
    if (i == 0) {
      // Far out the score is a bound: no less than the tail, and no more than that of the wide
      // component beside it.
      EXPECT_GE(scores[i], tail * 0.999);
      EXPECT_LE(scores[i], 10 * tail);
    } else {
      EXPECT_NEAR(scores[i], tail, 0.01);
    }
  }
}

TEST(Mixture, SamplesHaveItsMoments) {
  const Sample drawn = sample(by_hand(), 200000, "a");
  double sum = 0, squares = 0;
  for (Index i = 0; i < 200000; ++i) {
    sum += drawn.values(i, 0) / 200000;
    squares += drawn.values(i, 0) * drawn.values(i, 0) / 200000;
  }
  // 0.3 (−2) + 0.7 · 1 and 0.3 (4 + 1) + 0.7 (1 + 4)
  EXPECT_NEAR(sum, 0.1, 0.02);
  EXPECT_NEAR(squares, 5, 0.06);
}

TEST(Mixture, ThatDoesNotFitIsRefused) {
  Model::Parts parts = by_hand().parts();
  const auto refused = [&](const auto& change) {
    Model::Parts changed = parts;
    change(changed);
    return message_of<InvalidArgument>([&] { Model{changed}; });
  };
  EXPECT_THAT(refused([](auto& p) { p.mixture->label[0] = 2; }), HasSubstr("class number 2"));
  EXPECT_THAT(refused([](auto& p) {
                p.mixture->label = {0, 0, 0};
              }),
              HasSubstr("class 'b' of a mixture has no component"));
  EXPECT_THAT(refused([](auto& p) { p.mixture->label.pop_back(); }), HasSubstr("3 components"));
  EXPECT_THAT(refused([](auto& p) { p.mixture->weights[0] = -1; }), HasSubstr("'a/1'"));
  EXPECT_THAT(refused([](auto& p) { p.mixture.reset(); }), HasSubstr("the mean"));
  EXPECT_THAT(refused([](auto& p) {
                p.calibration = Calibration{Vector(2), Vector(2)};
              }),
              HasSubstr("a scale per block (1 of a mixture)"));
  EXPECT_THAT(message_of<InvalidArgument>([] { discriminant(by_hand(), "a"); }),
              HasSubstr("mixtures of several components"));
}

TEST(FitMixture, FindsTheHumpsOfAClass) {
  const Humps data(4000);
  const MixtureFit fit = fit_mixture(data.statistics(), data.pass(),
                                     {.estimate = {.components = Components::automatic()}});
  ASSERT_TRUE(fit.model.mixture());
  const auto& [names, label, weights] = *fit.model.mixture();
  EXPECT_EQ(names.list(), (std::vector<std::string>{"a/1", "a/2", "b/1"}));
  EXPECT_EQ(fit.tried.size(), 2u);
  EXPECT_GT(fit.tried[0][1].held_out, fit.tried[0][0].held_out + 0.3);
  EXPECT_LT(fit.tried[0][1].bic, fit.tried[0][0].bic);
  EXPECT_EQ(fit.tried[1][0].components, 1);
  const Matrix& mean = std::get<GaussianDensity>(fit.model.densities()[0]).mean;
  const Index left = mean(0, 0) < 0 ? 0 : 1;
  EXPECT_NEAR(mean(left, 0), -5, 0.2);
  EXPECT_NEAR(mean(1 - left, 0), 5, 0.2);
  EXPECT_NEAR(fit.model.mixture()->shares()[left], 1.0 / 3, 0.03);
  EXPECT_TRUE(fit.model.weights() == data.statistics().weights());
}

TEST(FitMixture, OneComponentIsTheOrdinaryEstimate) {
  const Humps data(400, 3);
  const MixtureFit fit = fit_mixture(data.statistics(), data.pass(), {});
  const Model plain = estimate(data.statistics());
  EXPECT_FALSE(fit.model.mixture());
  const LogLikelihoods a = log_likelihood(fit.model, data.rows()),
                       b = log_likelihood(plain, data.rows());
  for (Index i = 0; i < 400; ++i)
    for (Index c = 0; c < 2; ++c) EXPECT_NEAR(a.values(i, c), b.values(i, c), 1e-9);
}

TEST(FitMixture, RowsThatAreEqualHaveOneComponent) {
  Humps data(400, 2);
  for (Index i = 3; i < 400; i += 4) data.x(i, 0) = data.x(i, 1) = 7;
  const MixtureFit fit =
      fit_mixture(data.statistics(), data.pass(), {.estimate = {.components = 3}});
  const auto by_class = fit.model.mixture()->by_class(2);
  EXPECT_EQ(by_class[1].size(), 1u);
  EXPECT_EQ(by_class[0].size(), 3u);
}

TEST(FitMixture, CovarianceOfAComponentKeepsItsBound) {
  // Twenty copies of one row within a wide class: their component would have no covariance.
  Humps data(400, 2);
  for (Index i = 0; i < 80; i += 4) data.x(i, 0) = data.x(i, 1) = 40;
  const MixtureFit fit =
      fit_mixture(data.statistics(), data.pass(),
                  {.estimate = {.shrinkage = Shrinkage::none(), .components = 3}, .restarts = 20});
  EXPECT_GE(fit.bounded, 1);
  for (const double value : fit.log_likelihood) EXPECT_TRUE(std::isfinite(value));
  for (const Matrix& covariance : std::get<GaussianDensity>(fit.model.densities()[0]).covariance)
    EXPECT_GT(covariance(0, 0), 0);
}

TEST(FitMixture, MistakesAreNamed) {
  const Humps data(8);
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                fit_mixture(data.statistics(), data.pass(), {.estimate = {.components = 3}});
              }),
              HasSubstr("class 'b': there are too few rows (2) for 3 components"));
  const Humps more(40);
  const Statistics stats = more.statistics();
  const auto refused = [&](const MixtureOptions& options) {
    return message_of<InvalidArgument>([&] { fit_mixture(stats, more.pass(), options); });
  };
  EXPECT_THAT(refused({.estimate = {.components = -1}}), HasSubstr("at least 1, not -1"));
  EXPECT_THAT(refused({.restarts = 0}), HasSubstr("at least 1"));
  EXPECT_THAT(refused({.unlabelled_weight = -1}), HasSubstr("-1"));
  EXPECT_THAT(
      refused({.estimate = {.covariance = Covariance::tied, .pooling = {1, 1}, .components = 2}}),
      HasSubstr("pooling"));
  const Model other = estimate(Humps(40, 2).statistics());
  EXPECT_THAT(message_of<InvalidArgument>([&] { fit_mixture(stats, more.pass(), {}, {}, &other); }),
              HasSubstr("other classes or features"));
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(fit_mixture(stats, more.pass(), {}, {.stop = source.get_token()}), Cancelled);
}

TEST(FitMixture, AnInfiniteValueWithoutALabelHasItsRow) {
  Humps data(40);
  const Statistics stats = data.statistics();
  std::vector<std::uint8_t> valid(5, 0xff);
  valid[2] = 0xfe;  // row 16
  data.x(16, 0) = std::numeric_limits<double>::infinity();
  const RowBlock rows(MatrixView(data.x), Column(Strings(data.labels), {valid.data(), 0}));
  EXPECT_THAT(message_of<DataError>([&] {
                fit_mixture(stats, [&](const auto& use) { use(rows); }, {.unlabelled_weight = 1});
              }),
              HasSubstr("row 16, feature 'x0': the value is inf"));
}

TEST(FitMixture, UnlabelledRowsWidenWhatTwoRowsKnow) {
  // Two labelled rows of each class say little about the means; the others lie around them.
  const Humps all(4000);
  Matrix few(8, 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < 8; ++i) {
    few(i, 0) = all.x(i, 0);
    labels.push_back(i % 4 == 3 ? "b" : i % 4 == 0 ? "left" : "right");
  }
  const Statistics stats =
      Statistics(Schema::numbered(1)).update(RowBlock(MatrixView(few), Column(labels)));
  const auto pass = [&](const auto& use) {
    use(RowBlock(MatrixView(few), Column(labels)));
    use(RowBlock(MatrixView(all.x)));
  };
  const MixtureFit fit = fit_mixture(stats, pass, {.unlabelled_weight = 1});
  EXPECT_EQ(fit.unlabelled_rows, 4000);
  const Matrix& mean = std::get<GaussianDensity>(fit.model.densities()[0]).mean;
  EXPECT_NEAR(mean(0, 0), 0, 0.15);
  EXPECT_NEAR(mean(1, 0), -5, 0.15);
  EXPECT_NEAR(mean(2, 0), 5, 0.15);
  EXPECT_EQ(fit.model.weights()[0], 2);
}

/// Rows of other folds, whose label is kept.
Humps without_fold(const Humps& all, Index fold, bool of_fold = false) {
  Humps result(0, all.x.cols());
  std::vector<Index> kept;
  for (Index i = 0; i < all.x.rows(); ++i)
    if ((i % 7 % 3 == fold) == of_fold) kept.push_back(i);
  result.x = Matrix(std::ssize(kept), all.x.cols());
  for (Index k = 0; k < std::ssize(kept); ++k) {
    const auto i = kept[static_cast<std::size_t>(k)];
    std::ranges::copy(all.x.row(i), result.x.row(k).begin());
    result.labels.push_back(all.labels[static_cast<std::size_t>(i)]);
  }
  return result;
}

TEST(FitMixture, FoldsOfASelectionAreThoseOfRefits) {
  const Humps data(600, 2);
  std::vector<std::string> folds;
  for (Index i = 0; i < 600; ++i) folds.push_back(std::to_string(i % 7 % 3));
  const EstimateOptions two{.covariance = Covariance::diag, .components = 2};
  const RowTraining tight{.passes = {.iterations = 2000, .tolerance = 1e-12}};
  const Selection found = select(Schema::numbered(2), data.rows(),
                                 {.candidates = {{.covariance = Covariance::diag}, two},
                                  .calibrate = false,
                                  .training = tight},
                                 Column(folds));
  ASSERT_EQ(found.candidates[1].error.text(), "");
  EXPECT_EQ(found.best, 1);
  EXPECT_GT(found.candidates[1].parameters, found.candidates[0].parameters);
  for (Index f = 0; f < 3; ++f) {
    const Humps others = without_fold(data, f), own = without_fold(data, f, true);
    const Model model = estimate_with_rows(others.statistics(), others.pass(), two, tight);
    const LogLikelihoods scores = log_likelihood(model, own.rows());
    const Matrix p = posteriors(scores, Priors::from_counts(model));
    double loss = 0;
    for (Index i = 0; i < p.rows(); ++i)
      loss -= std::log(p(i, own.labels[static_cast<std::size_t>(i)] == "a" ? 0 : 1));
    const Score& score = found.candidates[1].folds[static_cast<std::size_t>(f)];
    EXPECT_EQ(score.rows, static_cast<double>(p.rows()));
    EXPECT_NEAR(score.log_loss, loss / score.rows, 1e-7);
  }
}

TEST(FitMixture, ACalibrationHasOneScale) {
  const Humps data(600, 2);
  const EstimateOptions options{.covariance = Covariance::diag, .components = 2};
  const Selection found =
      select(Schema::numbered(2), data.rows(), {.candidates = {options}, .seed = 3});
  ASSERT_TRUE(found.candidates[0].calibration);
  EXPECT_EQ(found.candidates[0].calibration->scale.size(), 1);
  const Model model = estimate_with_rows(data.statistics(), data.pass(), options)
                          .with_calibration(found.candidates[0].calibration);
  EXPECT_LE(found.candidates[0].score.log_loss, found.candidates[0].uncalibrated.log_loss + 1e-3);
  const LogLikelihoods plain = log_likelihood(model, data.rows()),
                       calibrated = calibrated_scores(model, data.rows());
  const Vector &scale = model.calibration()->scale, &offset = model.calibration()->offset;
  EXPECT_NEAR(calibrated.values(5, 1), scale[0] * plain.values(5, 1) + offset[1], 1e-9);
}

TEST(FitMixture, NeedsRows) {
  const Humps data(40);
  EXPECT_THAT(message_of<InvalidArgument>([&] { estimate(data.statistics(), {.components = 2}); }),
              HasSubstr("passes over rows"));
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { resolve({.discriminative = true, .components = 2}); }),
      HasSubstr("logistic regression has none"));
}

TEST(FitMixture, AFeatureWithoutValuesInAClassIsNamed) {
  Humps data(80, 2);
  for (Index i = 3; i < 80; i += 4) data.x(i, 1) = std::nan("");
  for (const Covariance structure : {Covariance::full, Covariance::diag})
    EXPECT_THAT(message_of<Error>([&] {
                  fit_mixture(data.statistics(), data.pass(),
                              {.estimate = {.covariance = structure, .components = 2}});
                }),
                ::testing::AllOf(HasSubstr("'b'"), HasSubstr("'x1'")))
        << to_string(structure);
}

TEST(FitMixture, AClassWithoutALabelledRowStaysEmpty) {
  const Humps data(400);
  Statistics statistics =
      merge(data.statistics(), Statistics(Schema::numbered(1), {.labels = {"c"}}));
  for (const Index components : {1, 2}) {
    const MixtureFit fit = fit_mixture(
        statistics, data.pass(), {.estimate = {.components = components}, .unlabelled_weight = 1});
    EXPECT_EQ(fit.model.weights()[2], 0);
    EXPECT_EQ(log_likelihood(fit.model, data.x).values(0, 2),
              -std::numeric_limits<double>::infinity());
  }
}

TEST(FitMixture, WeightsAreCopies) {
  const Humps data(300, 2);
  Humps copies(0, 2);
  std::vector<double> weight;
  std::vector<Index> rows;
  for (Index i = 0; i < 300; ++i) {
    weight.push_back(static_cast<double>(i % 3));
    for (Index k = 0; k < i % 3; ++k) rows.push_back(i);
  }
  copies.x = Matrix(std::ssize(rows), 2);
  for (Index k = 0; k < std::ssize(rows); ++k) {
    const auto i = rows[static_cast<std::size_t>(k)];
    std::ranges::copy(data.x.row(i), copies.x.row(k).begin());
    copies.labels.push_back(data.labels[static_cast<std::size_t>(i)]);
  }
  RowBlock weighted = data.rows();
  weighted.weights(Column(weight));
  const MixtureOptions options{
      .estimate = {.covariance = Covariance::diag, .shrinkage = Shrinkage::none(), .components = 2},
      .passes = {.iterations = 2000, .tolerance = 1e-13}};
  const MixtureFit a = fit_mixture(
                       Statistics(Schema::numbered(2)).update(weighted),
                       [&](const auto&use) { use(weighted); }, options),
                   b = fit_mixture(copies.statistics(), copies.pass(), options);
  EXPECT_NEAR(a.log_likelihood.back(), b.log_likelihood.back(), 1e-6);
  const LogLikelihoods of_a = log_likelihood(a.model, data.x),
                       of_b = log_likelihood(b.model, data.x);
  for (Index i = 0; i < 300; ++i) EXPECT_NEAR(of_a.values(i, 0), of_b.values(i, 0), 1e-4);
}

}  // namespace
}  // namespace suffice
